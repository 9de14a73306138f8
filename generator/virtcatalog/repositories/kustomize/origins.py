"""Where the fields of a built object come from: its own file, or the last change that gave them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from virtcatalog.api.findings import Path
from virtcatalog.catalog.places import Source
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.places import index_of, keys_of
from virtcatalog.repositories.kustomize.scalars import needs_quotes, resolved, stands_bare


class Spot(NamedTuple):
    """Data within a document of a text: `path` leads to it. The text is searched only when a place is asked for.

    `indent` is by how much the text is indented in its file, where it stands in another one's value. `elsewhere` finds
    what does not stand in the text, if it has such. `content` is the same data in the text of a scalar of this one.
    """

    text: Text
    document: int = 0
    path: Path = ()
    indent: int = 0
    elsewhere: Callable[[Path], Source | None] | None = None
    content: Spot | None = None

    def within(self, *steps: str | int) -> Spot:
        """Return what is at a path within it."""
        content = self.content.within(*steps) if self.content is not None else None
        return self._replace(path=(*self.path, *steps), content=content)

    def place(self) -> tuple[int, int]:
        """Return line and column, from 1; of the nearest thing around it where there is nothing."""
        line, column = self.text.place(self.document, self.path)
        return line, column + self.indent if line else column

    @property
    def scalar(self) -> tuple[str, bool] | None:
        """The scalar that is there, as text, and whether it stands in quotes or in a block; None if there is none."""
        return self.content.scalar if self.content is not None else self.text.scalar(self.document, self.path)

    @property
    def source(self) -> Source:
        """The place as a value."""
        if self.elsewhere is not None and (source := self.elsewhere(self.path)) is not None:
            return source
        return Source(self.text.file, find=self.place)


class Change(Protocol):
    """Something that was done to an object."""

    def trace(self, path: Path) -> Spot | Path:
        """Return what gave a field of the object, or the field's path before the change when that was not this one."""


class Setting(NamedTuple):
    """A field was set, with all that is in it; `quoted` says that it is a text which kustomize puts into quotes."""

    field: Path
    spot: Spot
    quoted: bool = False

    def trace(self, path: Path) -> Spot | Path:
        """Return the spot for the field, and for what is in it."""
        return self.spot if path[: len(self.field)] == self.field else path


class Part(NamedTuple):
    """A value that a patch names, or an item of a list whose items merge: its key or index before, and in the patch.

    One is None where it was not there. `parts` are those in it, None where the patch's value stands as a whole; `text`
    is that value, if it is a text.
    """

    before: str | int | None
    patch: str | int | None
    parts: Parts | None = None
    text: str | None = None


Parts = Mapping[str | int, Part]


class Origin(NamedTuple):
    """Where a field comes from that a patch was merged into: its path before, None where it was not there.

    `spot` is where the patch gives it, None where it does not; `text` is what the patch gives, if that is a text.
    """

    before: Path | None
    spot: Spot | None = None
    text: str | None = None


class Merging(NamedTuple):
    """A strategic merge patch was applied; `has_texts` says that it made its labels and annotations texts before."""

    parts: Parts
    spot: Spot
    has_texts: bool = False

    def trace(self, path: Path) -> Spot | Path:
        """Return the place in the patch, if it gives the field or a list or value around it."""
        before, spot, _ = self.follow(path)
        return spot if spot is not None else before or ()

    def follow(self, path: Path) -> Origin:
        """Return where a field comes from. A map or list that the patch merges into comes from where it was."""
        before: Path | None = ()
        patch: Path = ()
        parts: Parts | None = self.parts
        text: str | None = None
        for number, step in enumerate(path):
            part = parts.get(step, Part(step, None)) if parts is not None else Part(None, step)
            if part.patch is None and before is not None and part.before is not None:
                return Origin((*before, part.before, *path[number + 1 :]))
            before = (*before, part.before) if before is not None and part.before is not None else None
            patch = (*patch, step if part.patch is None else part.patch)
            parts, text = part.parts, part.text
        return Origin(before) if parts and before is not None else Origin(before, self.spot.within(*patch), text)

    def quotes(self, path: Path, origin: Origin) -> bool:
        """Whether a text that it gives, and that was not there before, stands in quotes."""
        if self.has_texts and path[:2] in _TEXTS:
            return not stands_bare(origin.text or "")
        return needs_quotes(origin.text) or _stands_quoted(origin.spot)


_TEXTS: Final = (("metadata", "labels"), ("metadata", "annotations"))


class Rewriting(NamedTuple):
    """A JSON patch was applied: the object was written anew, and quotes stand where they are needed alone."""

    def trace(self, path: Path) -> Spot | Path:
        """Return the path: what changed is said by other changes."""
        return path


class Insertion(NamedTuple):
    """A JSON patch put an item into a list."""

    field: Path
    spot: Spot

    def trace(self, path: Path) -> Spot | Path:
        """Return the spot for the item; those behind it stood one before."""
        at = len(self.field) - 1
        if len(path) <= at or path[:at] != self.field[:-1]:
            return path
        index, new = path[at], self.field[-1]
        if not isinstance(index, int) or not isinstance(new, int) or index < new:
            return path
        return self.spot.within(*path[at + 1 :]) if index == new else (*path[:at], index - 1, *path[at + 1 :])


class Removal(NamedTuple):
    """A JSON patch took something out."""

    field: Path
    spot: Spot

    def trace(self, path: Path) -> Spot | Path:
        """Return the spot for a key that is gone; items behind one of a list stood one further on."""
        at = len(self.field) - 1
        gone = self.field[-1]
        if path[:at] != self.field[:-1] or len(path) <= at:
            return path
        index = path[at]
        if isinstance(gone, int) and isinstance(index, int):
            return (*path[:at], index + 1, *path[at + 1 :]) if index >= gone else path
        return self.spot if index == gone else path


class Value(NamedTuple):
    """A JSON patch set a field to what stands at the spot."""

    field: Path
    spot: Spot

    def trace(self, path: Path) -> Spot | Path:
        """Return the place in the patch's value."""
        length = len(self.field)
        return self.spot.within(*path[length:]) if path[:length] == self.field else path


def field_source(data: dict[str, Any], home: Spot, changes: Sequence[Change], field: str | Path) -> Source:
    """Return where a field of an object comes from: the last change that gave it, else the object's own text."""
    path = field if isinstance(field, tuple) else steps_of(field, data)
    return spot_of(home, changes, path).source


def spot_of(home: Spot, changes: Sequence[Change], path: Path) -> Spot:
    """Return the spot that a field of an object comes from."""
    for change in reversed(changes):
        origin = change.trace(path)
        if isinstance(origin, Spot):
            return origin
        path = origin
    return home.within(*path)


def is_quoted(home: Spot, changes: Sequence[Change], path: Path, text: str) -> bool:
    """Whether a text of an object stands in quotes, as kustomize has it.

    One that is merged over another keeps its quotes. A text that YAML 1.1 has for something else gets quotes with the
    next patch, wherever that is merged. What a transformer or a generator writes stands in quotes where a bare scalar
    would be no text, and a generator's labels and annotations always do.
    """
    later: list[tuple[Merging | Rewriting, Path, Origin]] = []
    giver: Change | None = None
    spot: Spot | None = None
    for change in reversed(changes):
        if isinstance(change, Merging | Rewriting):
            origin = change.follow(path) if isinstance(change, Merging) else Origin(path)
            later.append((change, path, origin))
            if origin.before is None:
                break
            path = origin.before
            continue
        step = change.trace(path)
        if isinstance(step, Spot):
            giver, spot = change, step
            break
        path = step
    else:
        spot = home.within(*path)
    written, quoted = (spot.scalar if spot is not None else None) or ("", False)
    value: str | None = written if quoted or isinstance(resolved(written), str) else None
    if all(origin.spot is None for _, _, origin in later):
        value = text
    if giver is not None:
        quoted = needs_quotes(value) or (isinstance(giver, Setting) and giver.quoted)
    for change, at, origin in reversed(later):
        if isinstance(change, Rewriting):
            quoted = value is not None and not stands_bare(value)
        elif origin.spot is None:
            quoted = quoted or needs_quotes(value)
        else:
            if origin.before is None:
                quoted = change.quotes(at, origin)
            scalar = origin.spot.scalar
            value = scalar[0] if origin.text is None and quoted and scalar is not None else origin.text
    return quoted


def _stands_quoted(spot: Spot | None) -> bool:
    return spot is not None and spot.scalar is not None and spot.scalar[1]


def sources(data: dict[str, Any], home: Spot, changes: Sequence[Change]) -> Any:
    """Return a function that finds fields of an object."""
    return partial(field_source, data, home, tuple(changes))


def steps_of(field: str, data: Any) -> Path:
    """Return the steps of a field that is written as the API writes it; keys of maps may hold dots."""
    path: list[str | int] = []
    while field:
        index, rest = index_of(field)
        if index >= 0 and not isinstance(data, dict):
            path.append(index)
            data = data[index] if isinstance(data, list) and index < len(data) else None
            field = str(rest)
            continue
        key, field = _key_of(field, data)
        path.append(key)
        data = data.get(key) if isinstance(data, dict) else None
    return tuple(path)


def has_field(data: Any, field: str) -> bool:
    """Whether data has a field that is written as the API writes it."""
    for step in steps_of(field, data):
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def _key_of(field: str, data: Any) -> tuple[str, str]:
    """The key that a field starts with, the longest that the data has, and what is left."""
    shortest = ("", "")
    for keys in keys_of(field):
        for key, left in keys:
            if isinstance(data, dict) and key in data:
                return key, left
            if key:
                shortest = (key, left)
    return shortest if shortest[0] else (field, "")
