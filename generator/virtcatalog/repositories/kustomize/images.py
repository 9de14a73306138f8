"""`images` and `replicas`. Source: api/filters/imagetag, api/internal/image, api/filters/replicacount."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from virtcatalog.api.findings import Path
from virtcatalog.api.values import describe
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.config import Specs
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.fieldspecs import FieldError, change
from virtcatalog.repositories.kustomize.origins import Setting
from virtcatalog.repositories.kustomize.resource import Resource, text_of

_PLAIN: Final = re.compile(r"[\w./:@-]+")
_ANY: Final = "*"
_TAG: Final = r"(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?"


def set_image(declared: Declared, resources: Sequence[Resource], specs: Specs, budget: Budget) -> None:
    """Give an image another name, tag or digest, wherever objects run it. Raises ManifestError."""
    image = _Image(declared.only("name", "newName", "newTag", "digest", "tagSuffix"))
    for resource in resources:
        if resource.kind == "CustomResourceDefinition":
            continue
        budget.copy(resource.data)
        for container, path in _containers(resource.data, ()):
            if isinstance(container.get("image"), str):
                image.put(resource, container, "image", path)
        for spec in specs:
            if not spec.applies(resource.current):
                continue

            def put(container: Any, key: Any, path: Path, resource: Resource = resource) -> None:
                if isinstance(container[key], dict | list):
                    raise FieldError(f"{key} must be an image, not {describe(container[key])}")
                image.put(resource, container, key, path[:-1])

            change(declared, resource, spec, put)


def _containers(value: Any, path: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """The items of all lists that are called containers or initContainers, with their paths."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _containers(inner, (*path, key))
            if key in ("containers", "initContainers") and isinstance(inner, list):
                for index, item in enumerate(inner):
                    if isinstance(item, dict):
                        yield item, (*path, key, index)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _containers(item, (*path, index))


class _Image:
    def __init__(self, declared: Declared) -> None:
        name = declared.text("name")
        if name != _ANY and not _PLAIN.fullmatch(name):
            raise declared.unrendered(f"the pattern {name[:80]!r} is not supported here", "name")
        pattern = ".*" if name == _ANY else re.escape(name).replace(r"\.", ".") + _TAG
        self._pattern = re.compile(pattern, re.DOTALL)
        self._spot = declared.spot
        self._name, self._tag, self._digest, self._suffix = (
            declared.text(key) for key in ("newName", "newTag", "digest", "tagSuffix")
        )

    def put(self, resource: Resource, holder: Any, key: str, path: Path) -> None:
        old = text_of(holder[key])
        if not self._pattern.fullmatch(old):
            return
        name, tag, digest = split_image(old)
        name = self._name or name
        if self._tag or self._digest:
            tag, digest = self._tag, self._digest
        elif self._suffix:
            tag, digest = tag + self._suffix, ""
        holder[key] = name + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")
        resource.changes.append(Setting((*path, key), self._spot))


def split_image(image: str) -> tuple[str, str, str]:
    """Return name, tag and digest of an image; the registry's port is no tag."""
    registry, slash, rest = image.partition("/")
    if not slash or not registry:
        registry, slash, rest = "", "", image
    rest, _, digest = rest.partition("@")
    name, _, tag = rest.partition(":")
    return f"{registry}{slash}{name}", tag, digest


def set_replicas(declared: Declared, resources: Sequence[Resource], specs: Specs, budget: Budget) -> None:
    """Set the replicas of what has a name. Raises ManifestError."""
    declared.only("name", "count")
    name, count = declared.text("name"), declared.number("count")
    matching = False
    for spec in specs:
        for resource in resources:
            budget.keys(len(resource.ids))
            if any(identity.name == name and spec.applies(identity) for identity in resource.ids):
                matching = True
                change(declared, resource, spec, _setter(resource, count, declared), lambda: 0)
    if not matching:
        raise declared.fault(f"there is nothing called {name} that has replicas", "name")


def _setter(resource: Resource, count: int, declared: Declared) -> Callable[[Any, Any, Path], None]:
    def put(holder: Any, key: Any, path: Path) -> None:
        holder[key] = count
        resource.changes.append(Setting(path, declared.spot.within("count")))

    return put
