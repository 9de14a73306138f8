"""Which machines migrate to the launcher of another release: what a dump says of them, and the answer in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from virtcatalog.api.kinds import is_halted
from virtcatalog.api.names import namespace_or_default
from virtcatalog.errors import Level, UnsupportedError, counted, counted_kinds
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.kubevirt.result import Result
from virtcatalog.kubevirt.rollout.instance import volumes_at_start
from virtcatalog.kubevirt.rollout.migratable import obstacles
from virtcatalog.kubevirt.rollout.upgrade import Fate, Move, Seen, move
from virtcatalog.manifests.fields import get
from virtcatalog.manifests.identity import Data
from virtcatalog.releases import find_launcher
from virtcatalog.releases.launchers import Launcher
from virtcatalog.review.comparison import Comparison

WORDS: dict[Fate, tuple[str, str]] = {
    "restart": ("restarts before it migrates", "restart before they migrate"),
    "unknown": ("cannot be told whether it migrates", "cannot be told whether they migrate"),
    "migrates": ("migrates to the new launcher", "migrate to the new launcher"),
}
"""What is said of one VM and of many, the gravest first."""
LEVEL: dict[Fate, Level] = {"restart": "restart", "unknown": "unknown"}
"""How grave that is, for `--fail-on`."""
_STUCK = ("LiveMigratable", "False")
_OF_MANAGERS = ("VirtualMachine", "VirtualMachinePool")
"""Kinds whose machines are among a cluster's VMIs under a name of their own, if they run."""


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """A VM that runs, and what becomes of its machine when it moves to the new launcher; `place` is its `file:line`."""

    vm: str
    environment: str = ""
    place: str = ""
    fate: Fate
    reasons: tuple[str, ...] = ()


class Machine(msgspec.Struct, frozen=True):
    """A machine that runs under the old release: how KubeVirt made it, and what keeps it on its node."""

    result: Result
    stays: tuple[str, ...]


def machine_of(vm: Data, cluster: Cluster) -> Machine | Move | None:
    """Return the machine of a VM; None if none runs, a Move if nothing can be told of it."""
    if is_halted(vm):
        return None
    try:
        result = create_vmi(vm, cluster)
    except UnsupportedError as error:
        return Move("unknown", (str(error),))
    if not result.admitted or result.vmi_object is None:
        return None
    return Machine(
        result, obstacles(result.vmi_object, cluster, volumes_at_start(result.vmi_object, cluster, result.vm_object))
    )


class Moves:
    """Judges VMs that are alike: how KubeVirt made their machine is found out once."""

    def __init__(self) -> None:
        self._observed: dict[int, Observed] = {}

    def of(self, vm: Data, names: Sequence[str], comparison: Comparison, place: str = "") -> Iterator[Moved]:
        """Yield what becomes of the machines of all VMs that are like this one, if the release is another one."""
        base, head = comparison.base, comparison.head
        if base.release == head.release:
            return
        machine = machine_of(vm, base)
        if machine is None:
            return
        observed = self._observed.get(id(comparison)) or Observed(comparison.shared)
        self._observed[id(comparison)] = observed
        for name in names:
            if vm.get("kind") not in _OF_MANAGERS or observed.runs(name):
                answer = machine
                if isinstance(answer, Machine):
                    answer = observed.moved(name, answer, base.release.launcher, head.release.launcher)
                yield Moved(
                    vm=name, environment=comparison.environment, place=place, fate=answer.fate, reasons=answer.reasons
                )


class Observed:
    """What the VMIs and Nodes of a cluster say of its machines, by the name of the VM."""

    def __init__(self, objects: Iterable[Data]) -> None:
        objects = list(objects)
        self._vmis = {
            _name(manifest): manifest for manifest in objects if manifest.get("kind") == "VirtualMachineInstance"
        }
        self._kernels = {
            str(get(manifest, ("metadata", "name"))): str(get(manifest, ("status", "nodeInfo", "kernelVersion")) or "")
            for manifest in objects
            if manifest.get("kind") == "Node"
        }

    def runs(self, vm: str) -> bool:
        """Whether a VM has a machine, as far as is known."""
        return vm in self._vmis or not self._vmis

    def moved(self, vm: str, machine: Machine, old: Launcher, new: Launcher) -> Move:
        """Say what becomes of the machine of a VM, which may still run under an older launcher."""
        vmi = self._vmis.get(vm, {})
        image = str(get(vmi, ("status", "launcherContainerImageVersion")) or "")
        tag = image.rpartition("/")[2].partition("@")[0].partition(":")[2]
        launcher = find_launcher(tag) if tag else old
        if launcher is None:
            return Move("unknown", (f"which libvirt and QEMU its launcher has: {image} is of no release known here",))
        assert machine.result.vmi_object is not None
        return move(machine.result.vmi_object, self._seen(vmi), machine.stays, launcher, new)

    def _seen(self, vmi: Data) -> Seen:
        conditions = get(vmi, ("status", "conditions"))
        stuck = [
            str(condition.get("message") or condition.get("reason") or "it says so")
            for condition in (conditions if isinstance(conditions, list) else ())
            if isinstance(condition, dict) and (condition.get("type"), condition.get("status")) == _STUCK
        ]
        return Seen(
            machine=str(get(vmi, ("status", "machine", "type")) or ""),
            migrated=bool(get(vmi, ("status", "migrationState", "completed"))) if vmi else None,
            stuck=next(iter(stuck), ""),
            kernel=self._kernels.get(str(get(vmi, ("status", "nodeName")) or ""), ""),
            guest_kernel=str(get(vmi, ("status", "guestOSInfo", "kernelRelease")) or ""),
            guest=str(get(vmi, ("status", "guestOSInfo", "id")) or ""),
        )


def sentence(moves: Sequence[Moved]) -> str:
    """Say how many migrate, and how many do not; "" when no machine runs."""
    numbers = Counter(moved.fate for moved in moves)
    parts = counted_kinds(numbers, WORDS)
    return f"of {counted(len(moves), 'machine')} {', '.join(parts)}" if parts else ""


def groups(moves: Iterable[Moved]) -> list[tuple[Fate, tuple[str, ...], list[str]]]:
    """The VMs that do not just migrate, by what becomes of them and why: the gravest first, then those of most VMs."""
    names: dict[tuple[Fate, tuple[str, ...]], list[str]] = {}
    for moved in moves:
        if moved.fate != "migrates":
            names.setdefault((moved.fate, moved.reasons), []).append(moved.vm)
    order = list(WORDS)
    rows = [(fate, reasons, vms) for (fate, reasons), vms in names.items()]
    return sorted(rows, key=lambda row: (order.index(row[0]), -len(row[2]), row[2]))


def _name(manifest: Data) -> str:
    return f"{namespace_or_default(get(manifest, ('metadata', 'namespace')))}/{get(manifest, ('metadata', 'name'))}"
