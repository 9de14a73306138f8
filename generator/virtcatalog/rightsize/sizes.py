"""Which size of its own instance type would do for a VM: the least that has room for what it uses."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from virtcatalog.adopt.candidates import Candidates, Instancetype, Member, Reference, usable
from virtcatalog.adopt.fleet import Size
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec
from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_KINDS, is_halted
from virtcatalog.api.names import namespace_or_default
from virtcatalog.errors import ManifestError
from virtcatalog.fleet.alike import Alike, labels_matter
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.decoding import decode
from virtcatalog.kubevirt.instancetype.find import NotFoundError, find_instancetype
from virtcatalog.kubevirt.matchers import instancetype_kind
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, full_name, namespace_of
from virtcatalog.review.outcome import Outcome as Expanded
from virtcatalog.review.outcome import outcome, refusals
from virtcatalog.review.requests import requested
from virtcatalog.review.running import running
from virtcatalog.review.verdict import Now
from virtcatalog.rightsize.metrics import Usage
from virtcatalog.rightsize.rewriting import sized

if TYPE_CHECKING:
    from virtcatalog.catalog.prices import Prices

Outcome = Literal["smaller", "larger", "fits", "stays", "unknown"]
"""`stays`: another size would do, and something forbids it. `unknown`: it cannot be told."""

_SIZE = {"cpu": ("guest", "maxSockets"), "memory": ("guest", "maxGuest")}


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of a VM: `old` and `new` are names of instance types, `reasons` why it stays or cannot be told.

    `now` is what happens to the running machine when the new type is applied, by the review's own verdict, with its
    reasons in `notes`. `before` and `after` are what the Pod requests, in the scheduler's units; `saves` is what that
    saves an hour, None without prices.
    """

    vm: str
    outcome: Outcome
    usage: Usage | None = None
    old: str = ""
    new: str = ""
    now: Now = "unchanged"
    notes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    before: Mapping[str, int] = {}
    after: Mapping[str, int] = {}
    saves: Fraction | None = None


class Sizer:
    """Finds sizes for VMs of one cluster; `headroom` is the part that a size has beyond what is used."""

    def __init__(self, candidates: Candidates, headroom: float, prices: Prices | None = None) -> None:
        self._candidates, self._headroom, self._prices = candidates, headroom, prices
        self._alike = Alike(candidates.cluster, labels_matter=labels_matter(candidates.cluster))
        self._earlier: dict[tuple[bytes, str, Size, tuple[int, ...]], Advice] = {}
        """What was found for VMs that are alike, by what has room for them."""
        self._families: dict[str, list[Instancetype]] = {}
        for instancetype in candidates.instancetypes:
            self._families.setdefault(_family(instancetype), []).append(instancetype)

    def advise(self, vm: Data, usage: Usage | None) -> Advice:
        """Say which size would do for a VM."""
        advice = Advice(vm=full_name(vm), outcome="unknown", usage=usage)
        reference = reference_of(vm)
        if reference is None:
            return _because(advice, "it names no instance type, which virtcatalog adopt finds for it")
        current = self._candidates.groups.get(reference)
        if not isinstance(current, Instancetype):
            return _because(advice, f"there is no {reference.kind} {reference.name} in the catalog or beside the VM")
        advice = msgspec.structs.replace(advice, old=reference.name)
        if usage is None or usage.cpu is None or usage.memory is None:
            missing = " and ".join(name for name in ("cpu", "memory") if usage is None or getattr(usage, name) is None)
            return _because(advice, f"the metrics have no {missing} of it")
        needed = math.ceil(usage.cpu * (1 + self._headroom)), math.ceil(usage.memory * (1 + self._headroom))
        try:
            spec = _pinned_spec(vm, self._candidates.cluster) or current.spec
        except (ManifestError, NotFoundError) as error:
            return _because(advice, f"as it is, it does not start: {error}")
        has = Size(spec.cpu.guest, spec.memory.guest.value)
        suffices = has.vcpus >= needed[0] and has.memory >= needed[1]
        if bound := _bound(spec):
            reason = f"{bound}: what it uses does not tell what it needs"
            return msgspec.structs.replace(advice, outcome="stays", reasons=(reason,))
        sizes = sorted(self._families[_family(current)], key=lambda size: _weight(size, has))
        sizes = [size for size in sizes if size.vcpus >= needed[0] and size.memory >= needed[1]]
        if suffices and (not sizes or _weight(sizes[0], has) >= _weight(has, has)):
            return msgspec.structs.replace(advice, outcome="fits")
        if not sizes:
            return msgspec.structs.replace(advice, outcome="stays", reasons=("no size of its type is large enough",))
        return self._of_alike(
            vm, msgspec.structs.replace(advice, outcome="smaller" if suffices else "larger"), sizes, has
        )

    def _of_alike(self, vm: Data, advice: Advice, sizes: list[Instancetype], has: Size) -> Advice:
        """Look once for VMs that are alike, unless what is said of one has its name."""
        key = self._alike.key(vm, self._candidates.namespaces), advice.outcome, has, tuple(map(id, sizes))
        earlier = self._earlier.get(key)
        if earlier is not None:
            return msgspec.structs.replace(earlier, vm=advice.vm, usage=advice.usage)
        advice = self._first(vm, advice, sizes, has)
        if not any(vm["metadata"]["name"] in text for text in (*advice.notes, *advice.reasons)):
            self._earlier[key] = advice
        return advice

    def _first(self, vm: Data, advice: Advice, sizes: list[Instancetype], has: Size) -> Advice:
        """The first size that KubeVirt lets the VM have, of those that are better than what it has."""
        before = outcome(vm, self._candidates.cluster)
        if faults := refusals(before):
            return _because(advice, f"as it is, it does not start: {faults[0]}")
        kind, reasons = _kind(vm["spec"]["instancetype"].get("kind")), list[str]()
        for size in sizes:
            if advice.outcome == "smaller" and _weight(size, has) >= _weight(has, has):
                break
            member = min(_members_with(size, kind, vm), default=None)
            if member is None:
                continue
            if member.name == advice.old:
                reasons.append(f"{member.name} would do as it is today, and the VM keeps a stored revision of it")
                break
            new = sized(vm, member.name)
            change = running(vm, new, self._candidates.cluster, self._candidates.cluster)
            if change.now == "refused" or change.next in ("refused", "crash"):
                reasons += [f"{member.name}: {reason}" for reason in (*change.reasons, *change.breaks)[:1]]
                continue
            if change.now == "unknown":
                return _because(advice, *change.reasons)
            advice = msgspec.structs.replace(
                advice, new=member.name, now=change.now, notes=change.reasons, reasons=tuple(reasons)
            )
            return self._with_requests(advice, before, outcome(new, self._candidates.cluster), is_halted(vm))
        return msgspec.structs.replace(advice, outcome="stays", reasons=tuple(reasons))

    def _with_requests(self, advice: Advice, before: Expanded, after: Expanded, halted: bool) -> Advice:
        """Add what the Pod requests with either size, unless that cannot be told of one of them."""
        pods = [requested(of.result) for of in (before, after)]
        amounts = [dict(pod.amounts) for pod in pods if pod is not None]
        if len(amounts) < len(pods):
            return advice
        saves = None
        if self._prices is not None and not halted:
            costs = [self._prices.cost(of_pod).hour for of_pod in amounts]
            saves = costs[0] - costs[1]
        return msgspec.structs.replace(advice, before=amounts[0], after=amounts[1], saves=saves)


def reference_of(vm: Data) -> Reference | None:
    """The instance type that a VM names; None if it names none."""
    matcher = map_at(vm, "spec", "instancetype")
    name = matcher.get("name")
    if not isinstance(name, str) or vm.get("kind") != "VirtualMachine":
        return None
    kind = _kind(matcher.get("kind"))
    return Reference(kind, "" if kind in CLUSTER_KINDS else namespace_or_default(namespace_of(vm)), name)


def _kind(kind: Any) -> str:
    """A matcher's kind in the API's spelling: KubeVirt takes it in any case, and plural."""
    return instancetype_kind(str(kind or "")) or CLUSTER_INSTANCETYPE


def _family(instancetype: Instancetype) -> str:
    """All that an instance type says but for its size."""
    spec = to_manifest(instancetype.spec)
    for part, names in _SIZE.items():
        spec[part] = {key: value for key, value in spec.get(part, {}).items() if key not in names}
    return json.dumps(spec, sort_keys=True)


def _weight(size: Instancetype | Size, has: Size) -> Fraction:
    """How large a size is against the VM's own, vCPUs and memory together."""
    return Fraction(size.vcpus, has.vcpus or 1) + Fraction(size.memory, has.memory or 1)


def _pinned_spec(vm: Data, cluster: Cluster) -> VirtualMachineInstancetypeSpec | None:
    """The type as a stored revision has it that the VM is held to; None where it is held to none.

    NotFoundError when that is not among the manifests.
    """
    status = vm.get("status")
    if "revisionName" not in vm["spec"]["instancetype"] and not (
        isinstance(status, dict) and "instancetypeRef" in status
    ):
        return None
    decoded, _ = decode(vm, cluster.release)
    return find_instancetype(decoded, cluster)


def _bound(spec: VirtualMachineInstancetypeSpec) -> str:
    """Why a type reserves its size as a whole, "" where it does not."""
    if spec.cpu.dedicated_cpu_placement:
        return "its CPUs are its own (dedicatedCPUPlacement)"
    if spec.cpu.numa is not None:
        return "it has NUMA cells of its node"
    if spec.memory.hugepages is not None:
        return "its memory is huge pages"
    return "its CPUs run in real time" if spec.cpu.realtime is not None else ""


def _members_with(size: Instancetype, kind: str, vm: Data) -> list[Member]:
    """The members of a size and kind that a VM can name and that stay: none that are deprecated."""
    members = usable(size.members, namespace_or_default(namespace_of(vm)), "")
    return [member for member in members if member.reference.kind == kind and not member.deprecated]


def _because(advice: Advice, *reasons: str) -> Advice:
    return msgspec.structs.replace(advice, outcome="unknown", reasons=reasons)
