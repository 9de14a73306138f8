"""Changes of VMs as a repository deploys them, carried back into the files that these are written in."""

from __future__ import annotations

from typing import Any, Final

from virtcatalog.api.findings import Path
from virtcatalog.errors import VirtcatalogError

_NOTHING: Final = object()


class ElsewhereError(VirtcatalogError):
    """A field that changes is not written where the VM is: a patch, a variable or a generator gives it."""

    def __init__(self, field: Path) -> None:
        self.field = field
        super().__init__("is written otherwise than it is deployed: by a patch, a variable or a transformer")


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
