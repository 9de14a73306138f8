"""Field specs: which fields of which kinds a transformer looks at, and how kustomize walks to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.errors import VirtcatalogError
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.resource import Id, Resource

Setter = Callable[[Any, Any, Path], None]
"""What is done with a field: the map or list that it is in, its key or index there, and its path in the object."""


class FieldError(VirtcatalogError):
    """A field that is not what a field spec takes it for."""


class FieldSpec(NamedTuple):
    """Fields of the objects of a group, version and kind, "" for any. Source: api/types/fieldspec.go."""

    path: str
    kind: str = ""
    group: str = ""
    version: str = ""
    create: bool = False

    def applies(self, identity: Id) -> bool:
        """Whether it is about objects of that kind."""
        return selects((self.group, self.version, self.kind), identity)


def selects(kind: tuple[str, str, str], identity: Id) -> bool:
    """Whether group, version and kind, as far as they are given, are those of an id. Source: Gvk.IsSelected."""
    return all(want in ("", own) for want, own in zip(kind, identity[:3], strict=True))


class ConflictError(VirtcatalogError):
    """Two field specs that contradict each other."""


def merge_specs(specs: Iterable[FieldSpec], more: Iterable[FieldSpec]) -> tuple[FieldSpec, ...]:
    """Return field specs with others; one that is there already for the same fields stays. Source: FsSlice.MergeAll."""
    merged = dict.fromkeys(specs)
    by_path: dict[str, list[FieldSpec]] = {}
    for spec in merged:
        by_path.setdefault(spec.path, []).append(spec)
    for spec in more:
        kind = (spec.group, spec.version, spec.kind)
        existing = next(
            (old for old in by_path.get(spec.path, ()) if selects(kind, Id(old.group, old.version, old.kind, "", ""))),
            None,
        )
        if existing is None:
            merged[spec] = None
            by_path.setdefault(spec.path, []).append(spec)
        elif existing.create != spec.create:
            raise ConflictError(f"the field spec {spec.path} says `create` in one place, and not in another")
    return tuple(merged)


def visit(data: dict[str, Any], spec: FieldSpec, setter: Setter, empty: Callable[[], Any] | None = None) -> None:
    """Call the setter for each field of an object that a field spec leads to.

    `empty` makes the value of a field that is missing, where the spec says `create`. Source: api/filters/fieldspec.
    """
    _Walk(spec, setter, empty).value({"": data}, "", split_path(spec.path, "/"), ())


def change(
    declared: Declared, resource: Resource, spec: FieldSpec, setter: Setter, empty: Callable[[], Any] | None = None
) -> None:
    """Visit the fields of an object, as `visit` does; raises ManifestError for one of another shape."""
    try:
        visit(resource.data, spec, setter, empty)
    except FieldError as error:
        raise declared.fault(f"{error} ({resource.title})") from None


class _Walk:
    def __init__(self, spec: FieldSpec, setter: Setter, empty: Callable[[], Any] | None) -> None:
        self._spec, self._setter = spec, setter
        self._empty = empty if spec.create else None

    def value(self, holder: Any, key: Any, steps: list[str], path: Path) -> None:
        value = holder[key]
        if not steps:
            self._setter(holder, key, path)
        elif isinstance(value, list):
            for index in range(len(value)):
                self.value(value, index, steps, (*path, index))
        elif isinstance(value, dict):
            self._field(value, steps, path)
        elif value is not None:
            raise FieldError(f"{self._spec.path} leads through a field that is neither a map nor a list")

    def _field(self, value: dict[str, Any], steps: list[str], path: Path) -> None:
        name = steps[0].removesuffix("[]")
        if not name:
            raise FieldError(f"{self._spec.path} has a part without a name")
        if self._empty is not None and name == steps[0] and value.get(name) is None:
            value[name] = {} if steps[1:] else self._empty()
        if name in value:
            self.value(value, name, steps[1:], (*path, name))


def split_path(path: str, delimiter: str) -> list[str]:
    r"""Return the parts of a path; a backslash keeps the delimiter behind it. Source: kyaml/utils/pathsplitter.go."""
    parts = path.split(delimiter)
    if len(parts) > 1 and not parts[0]:
        parts = parts[1:]
    joined = parts[:1]
    for part in parts[1:]:
        if joined[-1].endswith("\\"):
            joined[-1] = joined[-1].removesuffix("\\") + delimiter + part
        else:
            joined.append(part)
    return joined
