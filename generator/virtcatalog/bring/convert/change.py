"""The changes that a conversion makes to the fields of an object."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from virtcatalog.api.decode import convert
from virtcatalog.api.domainspec import CPU
from virtcatalog.api.findings import Path, field_path, inspect
from virtcatalog.errors import VirtcatalogError

Outcome = Literal["renamed", "moved", "changed", "added", "kept", "lost"]


class Change(msgspec.Struct, frozen=True):
    """A field of an object that is renamed, moved, changed, added, lost, or kept although it should go.

    `path` is the field in the old object, `to` the one in the new object ("" for none); `message` is a sentence.
    """

    outcome: Outcome
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
        where = f" to {self.to}" if self.outcome in ("renamed", "moved") else ""
        return f"{self.outcome}{where}: {self.message}" if self.message else f"{self.outcome}{where}"


class Changes(list[Change]):
    """The changes of one object, in order."""

    def renamed(self, path: Path, to: str) -> None:
        """Note that a field has another name in the same place; `to` is the name."""
        self.append(Change("renamed", path, field_path((*path[:-1], to)), ""))

    def moved(self, path: Path, to: str, message: str = "") -> None:
        """Note that a field stands elsewhere."""
        self.append(Change("moved", path, to, message))

    def changed(self, path: Path, old: Any, new: Any, message: str = "") -> None:
        """Note that a field has another value."""
        values = f"{old} → {new}" + (f" ({message})" if message else "")
        self.append(Change("changed", path, field_path(path), values))

    def added(self, path: Path, message: str) -> None:
        """Note that a field is new."""
        self.append(Change("added", path, field_path(path), message))

    def kept(self, path: Path, message: str) -> None:
        """Note that a field stays although it should go."""
        self.append(Change("kept", path, field_path(path), message))

    def lost(self, path: Path, message: str) -> None:
        """Note that a field has no place in the new object."""
        self.append(Change("lost", path, "", message))


class UnconvertibleError(VirtcatalogError):
    """A field that has no equivalent in the new API; `path` is the field at fault."""

    def __init__(self, path: Path, message: str) -> None:
        self.path, self.message = path, message
        super().__init__(message)


def vcpus(topology: dict[str, Any], path: Path) -> int:
    """Return the vCPUs of sockets, cores and threads; 0 when none is set."""
    tidied, findings = inspect(topology, CPU)
    for below, message in findings:
        raise UnconvertibleError((*path, *below), message)
    return convert(tidied, CPU).vcpus


class Converted(msgspec.Struct, frozen=True):
    """The conversion of one object: the objects that replace it, and the changes."""

    objects: tuple[dict[str, Any], ...]
    changes: tuple[Change, ...] = ()

    @property
    def lost(self) -> bool:
        """Whether any field of the old object is lost."""
        return any(change.outcome == "lost" for change in self.changes)
