"""VMs with the objects of the cluster that they meet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from virtcatalog.errors import Problem
from virtcatalog.fleet.outcome import Located

if TYPE_CHECKING:
    from virtcatalog.fleet.files import Chosen, Fleet


class Batch(NamedTuple):
    """VMs that meet the same cluster; `unreadable` is what is wrong with VMs that cannot be read, a list a VM.

    `kubevirt` is the release that their environment is said to run, "" when nothing says so. `without_vm` are the files
    with neither a VM nor anything that one meets, of which nothing else is told. `alone` says that no catalog is named,
    and none is at hand. `fleet` are further VMs, which are read one by one.
    """

    vms: list[Located]
    objects: list[Located]
    unreadable: list[list[Problem]]
    environment: str = ""
    kubevirt: str = ""
    without_vm: tuple[str, ...] = ()
    alone: bool = False
    fleet: Fleet | Chosen | None = None

    @property
    def number(self) -> int:
        """How many VMs there are."""
        return len(self.vms) + (self.fleet.number if self.fleet else 0)

    def manifests(self) -> Iterator[dict[str, Any]]:
        """Yield the manifests of the VMs that can be read."""
        yield from (vm.manifest for vm in self.vms)
        for share in self.fleet.shares() if self.fleet else ():
            yield from (manifest.data for manifest in share.manifests()[0] if not manifest.problems)
