"""What a conversion did to an object, field by field."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from virtcatalog.api.decode import convert
from virtcatalog.api.domainspec import CPU
from virtcatalog.api.findings import Path, field_path
from virtcatalog.errors import VirtcatalogError

What = Literal["renamed", "moved", "changed", "added", "kept", "lost"]


class Change(msgspec.Struct, frozen=True):
    """One field of an old object that has another name, place or value, is new, stays all the same or is lost.

    `path` is the field in the old object, `to` in the new one ("" where it is in none); `message` is a sentence.
    """

    what: What
    path: Path
    to: str
    message: str

    @property
    def field(self) -> str:
        """The path as the API writes it."""
        return field_path(self.path)

    @property
    def sentence(self) -> str:
        """What happened to the field, in words."""
        where = f" to {self.to}" if self.what in ("renamed", "moved") else ""
        return f"{self.what}{where}: {self.message}" if self.message else f"{self.what}{where}"


class Changes(list[Change]):
    """The changes of one object, in the order in which they are found."""

    def renamed(self, path: Path, to: str, message: str = "") -> None:
        """Note that a field has another name in the same place; `to` is the name."""
        self.append(Change("renamed", path, field_path((*path[:-1], to)), message))

    def moved(self, path: Path, to: str, message: str = "") -> None:
        """Note that a field stands elsewhere."""
        self.append(Change("moved", path, to, message))

    def changed(self, path: Path, old: Any, new: Any, message: str = "") -> None:
        """Note that a field has another value."""
        told = f"{old} → {new}" + (f" ({message})" if message else "")
        self.append(Change("changed", path, field_path(path), told))

    def added(self, path: Path, message: str) -> None:
        """Note that there is a field that was not there."""
        self.append(Change("added", path, field_path(path), message))

    def kept(self, path: Path, message: str) -> None:
        """Note that something stays, which was to go."""
        self.append(Change("kept", path, field_path(path), message))

    def lost(self, path: Path, message: str) -> None:
        """Note that nothing of a field is carried."""
        self.append(Change("lost", path, "", message))


class UnconvertibleError(VirtcatalogError):
    """Something that cannot be said in the new API; `path` is the field at fault."""

    def __init__(self, path: Path, message: str) -> None:
        self.path, self.message = path, message
        super().__init__(message)


def inner(data: Any, *path: str) -> Any:
    """Return what is at a path of keys; None where there is nothing, or no map on the way."""
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def inner_map(data: Any, *path: str) -> dict[str, Any]:
    """Return the map that is at a path of keys; an empty one where there is none."""
    found = inner(data, *path)
    return found if isinstance(found, dict) else {}


def vcpus(topology: dict[str, Any], path: Path) -> int:
    """Return the vCPUs of sockets, cores and threads; 0 when none is said."""
    try:
        return convert(topology, CPU).vcpus
    except (msgspec.ValidationError, OverflowError) as error:
        raise UnconvertibleError(path, f"is no CPU: {error}") from None


class Converted(msgspec.Struct, frozen=True):
    """What became of one object: the objects that take its place, the first of them in its own, and the changes."""

    objects: tuple[dict[str, Any], ...]
    changes: tuple[Change, ...] = ()

    @property
    def lost(self) -> bool:
        """Whether something of the old object is in no new one."""
        return any(change.what == "lost" for change in self.changes)
