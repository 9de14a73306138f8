"""Changed files beside a catalog: a comparison of the catalog alone does not cover them, and has to say so."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from virtcatalog.errors import Problem, counted
from virtcatalog.manifests.folder import Folder, SourceError, manifest_files
from virtcatalog.manifests.layout import OWNED

_OF_VMS = (b"VirtualMachine", b"kubevirt")


def beside(base: Folder, head: Folder, catalog: str) -> Problem | None:
    """Say that files beside a catalog differ between two sides of a repository that has VMs there; None where not.

    Files below the folder `catalog`, and output trees, are the catalog's own.
    """
    before, after = (dict(_contents(folder, catalog)) for folder in (base, head))
    differing = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    if not differing or not any(has_vms for has_vms, _ in (*before.values(), *after.values())):
        return None
    others = f", and {counted(len(differing) - 1, 'other file')}" if differing[1:] else ""
    message = f"differs{others}, and the catalog alone is compared: VMs beside it are with `--catalog .`"
    return Problem(differing[0], message=message)


def _contents(folder: Folder, catalog: str) -> Iterator[tuple[str, tuple[bool, bytes]]]:
    """Yield the files that may hold manifests: whether they have VMs, and a digest of what they hold.

    Of what is not read, as a link that leads out, the digest is that of the reason.
    """
    owned: dict[str, bool] = {"": False}
    files, faults = manifest_files(folder)
    unread = dict(faults)
    for path in (*files, *unread):
        above = path.rpartition("/")[0]
        if path.startswith(f"{catalog}/") or _is_owned(folder, above, owned):
            continue
        try:
            content = unread[path].encode() if path in unread else folder.read(path)
        except SourceError as error:
            content = error.message.encode()
        yield path, (all(word in content for word in _OF_VMS), sha256(content).digest())


def _is_owned(folder: Folder, at: str, owned: dict[str, bool]) -> bool:
    """Whether a folder is, or lies in, an output tree; `owned` is what is known of folders so far."""
    if at not in owned:
        owned[at] = folder.has(f"{at}/{OWNED}") or _is_owned(folder, at.rpartition("/")[0], owned)
    return owned[at]
