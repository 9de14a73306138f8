"""What Argo CD has `kustomize edit` write into a kustomization: the options of an Application, each in its way.

Source: argo-cd, util/kustomize/kustomize.go (Build); kustomize, kustomize/commands/edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.catalog.places import Source
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.images import split_image

_TEXTS: Final = ("namePrefix", "nameSuffix", "namespace")
_UNCHANGED: Final = "*"
"""What stands in an image for what the kustomization says."""


class Edits(NamedTuple):
    """Options of an Application: those of its `kustomize`, and of these what `expand` makes of a text.

    `source` finds one of them, `has` says whether a component is there.
    """

    options: Data
    expand: Callable[[str], str]
    source: Callable[[Path], Source]
    has: Callable[[str], bool]

    def over(self, own: Declared) -> Declared:
        """Return a kustomization with them. Raises ManifestError."""
        editor = _Editor(self, own)
        editor.edit()
        return Declared(editor.data, own.spot._replace(elsewhere=editor.elsewhere))


class _Editor:
    def __init__(self, edits: Edits, own: Declared) -> None:
        self.data: Data = dict(own.data)
        self._options, self._edits, self._own = edits.options, edits, own
        self._from_options: dict[Path, Path] = {}
        self._moved: dict[Path, Path] = {}

    def elsewhere(self, path: Path) -> Source | None:
        """Where a field stands that is not where it was in the kustomization."""
        for end in range(len(path), 0, -1):
            start, rest = path[:end], path[end:]
            if start in self._from_options:
                return self._edits.source((*self._from_options[start], *rest))
            if start in self._moved:
                return self._own.spot.within(*self._moved[start], *rest).source
        return None

    def edit(self) -> None:
        for field in _TEXTS:
            if text := self._options.get(field):
                self.data[field] = text
                self._from_options[field,] = (field,)
        self._named("images", self._images(), "images", "imageTags")
        self._named("replicas", self._replicas(), "replicas")
        self._labels()
        self._add_pairs("commonAnnotations", is_open=self._options.get("commonAnnotationsEnvsubst") is True)
        self._append("patches", list(enumerate(self._items("patches"))))
        self._append("components", list(self._components()))

    def _fault(self, message: str, *path: str | int) -> ManifestError:
        source = self._edits.source(path)
        return ManifestError(Problem(source.file, source.line, source.column, message=f"{path[0]}: {message}"))

    def _items(self, key: str) -> list[Any]:
        items = self._options.get(key)
        return items if isinstance(items, list) else []

    def _list(self, key: str) -> list[Any]:
        """What the kustomization has as a list: kustomize refuses anything else."""
        own = self.data.get(key) or []
        return own if isinstance(own, list) else []

    def _append(self, key: str, items: list[tuple[int, Any]]) -> None:
        """Add items to a list, each with its index in the options."""
        own = self._list(key)
        if items and own == (self.data.get(key) or []):
            self.data[key] = [*own, *(item for _, item in items)]
            self._from_options |= {(key, len(own) + at): (key, index) for at, (index, _) in enumerate(items)}

    def _components(self) -> Iterator[tuple[int, Any]]:
        """Yield those that are not in the kustomization yet, with their indexes."""
        may_be_missing = self._options.get("ignoreMissingComponents") is True
        taken = [*self._list("components")]
        for index, item in enumerate(self._items("components")):
            if item not in taken and (self._edits.has(str(item)) or not may_be_missing):
                taken.append(item)
                yield index, item

    def _named(self, key: str, edits: Mapping[str, tuple[int, Data]], *fields: str) -> None:
        """Put items in place of those of their names that fields of the kustomization have, and sort all by these."""
        if not edits or any(self._list(field) != (self.data.get(field) or []) for field in fields):
            return
        own = ((field, index, item) for field in fields for index, item in enumerate(self._list(field)))
        items = {
            str(item.get("name", "")): (index, item, field) for field, index, item in own if isinstance(item, dict)
        }
        for name, (index, item) in edits.items():
            before = items[name][1] if name in items else {}
            new = {field: before.get(field) if value == _UNCHANGED else value for field, value in item.items()}
            filled = {field: value for field, value in new.items() if value not in (None, "")}
            items[name] = index, {"name": name, **filled}, ""
        self.data |= {**dict.fromkeys(fields), key: [items[name][1] for name in sorted(items)]}
        for at, name in enumerate(sorted(items)):
            index, _, field = items[name]
            (self._moved if field else self._from_options)[key, at] = (field or key, index)

    def _images(self) -> dict[str, tuple[int, Data]]:
        images: dict[str, tuple[int, Data]] = {}
        for index, item in enumerate(self._items("images")):
            text = self._edits.expand(str(item))
            key, equals, value = text.partition("=")
            name, tag, digest = split_image(value if equals else text)
            if name == text:
                raise self._fault(f"{text!r} must be NAME:TAG, NAME@DIGEST or NAME=NEW", "images", index)
            own = key if equals else name
            images[own] = index, {"newName": name if equals else "", "newTag": tag, "digest": digest}
        return images

    def _replicas(self) -> dict[str, tuple[int, Data]]:
        replicas: dict[str, tuple[int, Data]] = {}
        for index, item in enumerate(map(map_at, self._items("replicas"))):
            name, count = str(item.get("name", "")), item.get("count", 0)
            try:
                number = int(count)
            except (TypeError, ValueError):
                raise self._fault(f"{count!r} must be an integer", "replicas", index, "count") from None
            replicas[name] = index, {"count": number}
        return replicas

    def _labels(self) -> None:
        options, key = self._options, "commonLabels"
        in_templates = options.get("labelIncludeTemplates") is True
        if options.get("labelWithoutSelector") is not True:
            if options.get(key) and in_templates:
                raise self._fault("is on without labelWithoutSelector", "labelIncludeTemplates")
            self._add_pairs(key, is_open=True)
            return
        own = self._list("labels")
        if not options.get(key) or own != (self.data.get("labels") or []):
            return
        settings = {"includeSelectors": False, "includeTemplates": in_templates}
        at = next((at for at, item in enumerate(own) if _has(item, settings)), len(own))
        entry = dict(own[at]) if at < len(own) else settings
        entry["pairs"] = self._with_pairs(entry.get("pairs"), key, ("labels", at, "pairs"), is_open=True)
        self.data["labels"] = [*own[:at], entry, *own[at + 1 :]]

    def _add_pairs(self, key: str, *, is_open: bool) -> None:
        if self._options.get(key):
            self.data[key] = self._with_pairs(self.data.get(key), key, (key,), is_open=is_open)

    def _with_pairs(self, own: Any, key: str, at: Path, *, is_open: bool) -> Any:
        """Labels or annotations with those of an option: one that is there already is a fault, unless it is forced."""
        pairs_of_option = self._options[key]
        if not isinstance(pairs_of_option, dict) or not isinstance(own, dict | None):
            return own or pairs_of_option
        pairs = dict(own or {})
        is_forced = self._options.get(f"force{key[0].upper()}{key[1:]}") is True
        for name, value in pairs_of_option.items():
            text = self._edits.expand(str(value)) if is_open else str(value)
            label, _, text = f"{name}:{text}".partition(":")  # so it is given to kustomize
            if not label:
                raise self._fault(f"{text} has no key", key, name)
            if label in pairs and not is_forced:
                raise self._fault(f"{label} is in the kustomization already, and is not forced", key, name)
            self._from_options[*at, label] = (key, name)
            pairs[label] = text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
        return pairs


def _has(item: Any, settings: Mapping[str, bool]) -> bool:
    return isinstance(item, dict) and all(bool(item.get(key)) is value for key, value in settings.items())
