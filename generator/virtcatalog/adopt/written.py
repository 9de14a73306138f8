"""Changes of VMs as a repository deploys them, carried back into the files that these are written in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.errors import Problem, VirtcatalogError
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.read import Manifest

_NOTHING: Final = object()


class Written(NamedTuple):
    """A VM as a file has it, by its number and its line there."""

    number: int
    line: int
    data: Data


class ElsewhereError(VirtcatalogError):
    """A field that changes is not written where the VM is: a patch, a variable or a generator gives it."""

    def __init__(self, field: Path) -> None:
        self.field = field
        super().__init__("is written otherwise than it is deployed: by a patch, a variable or a transformer")


def carried_back(
    written: Mapping[int, Written], vms: Iterable[tuple[int, Manifest, Data | None]]
) -> tuple[dict[int, Data], list[Problem]]:
    """Return the VMs of a file that change, as they are to be written, by their numbers there, and why others do not.

    `vms` are the VMs that are deployed of it: the number in `written`, the VM, and as what it should be deployed, None
    where it stays. What is written once and deployed several times has to change alike everywhere.
    """
    changed: dict[int, Data] = {}
    problems: list[Problem] = []
    lost: set[int] = set()
    chosen: list[tuple[Written, Manifest]] = []
    for number, vm, intended in vms:
        own = written.get(number)
        if intended is None:
            lost |= {own.number} if own is not None else set()
            continue
        if own is None:
            problems.append(vm.problem("", "is rendered, and does not stand in this file: change it by hand"))
            continue
        chosen.append((own, vm))
        try:
            new = carried(vm.data, intended, own.data)
        except ElsewhereError as error:
            problems.append(vm.problem(error.field, f"{error}; change it there"))
            lost.add(own.number)
            continue
        if changed.setdefault(own.number, new) != new:
            lost.add(own.number)
    for own, vm in chosen:
        if own.number in lost & changed.keys():
            problems.append(
                vm.problem("", "would not be the same in each environment that deploys it: change it by hand")
            )
    return {number: new for number, new in changed.items() if number not in lost}, problems


def carried(deployed: Any, changed: Any, written: Any, path: Path = ()) -> Any:
    """Return what is written, with what turns the deployed value into the changed one; raises ElsewhereError."""
    if deployed == changed:
        return written
    if isinstance(deployed, dict) and isinstance(changed, dict) and isinstance(written, dict):
        result = dict(written)
        for key in dict.fromkeys((*deployed, *changed)):
            old, new = deployed.get(key, _NOTHING), changed.get(key, _NOTHING)
            own = written.get(key, _NOTHING)
            if new is _NOTHING:
                if own != old:
                    raise ElsewhereError(_differing(old, own, (*path, key)))
                del result[key]
            elif old != new:
                result[key] = carried(old, new, own, (*path, key))
        return result
    lists = isinstance(deployed, list) and isinstance(changed, list) and isinstance(written, list)
    if lists and len(deployed) == len(changed) == len(written):
        items = zip(deployed, changed, written, strict=True)
        return [carried(*item, (*path, index)) for index, item in enumerate(items)]
    if deployed != written:
        raise ElsewhereError(path)
    return changed


def _differing(deployed: Any, written: Any, path: Path) -> Path:
    """The first field of a deployed value that is written otherwise, or not at all."""
    if isinstance(deployed, dict) and isinstance(written, dict):
        for key, value in deployed.items():
            if written.get(key, _NOTHING) != value:
                return _differing(value, written.get(key, _NOTHING), (*path, key))
    return path
