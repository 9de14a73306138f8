"""Parts of a cluster that a repository does not describe and that are assumed to be there, each reported in a line.

Without a KubeVirt CR nobody knows which feature gates are on. A VM that is there was admitted, so the gates that it
needs are on. One that no VM needed before is taken to be off.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from virtcatalog.api.kinds import vm_spec
from virtcatalog.api.names import namespace_or_default
from virtcatalog.errors import counted, listed, some
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.matchers import matcher_of
from virtcatalog.kubevirt.pod.devices import attachment
from virtcatalog.kubevirt.rollout.migratable import COUNTS_AS
from virtcatalog.manifests.identity import Data, Identity
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.dumps import DumpedVm
from virtcatalog.review.outcome import outcome
from virtcatalog.review.verdict import Verdict

GATE: Final = re.compile(r"\bfeature gate (\w+)")
"""How every refusal names the gate that it is for."""
_IS_OFF: Final = re.compile(rf"{GATE.pattern}(?:, which is off)?")
HINT: Final = "no KubeVirt CR is at hand: give it with -f if the gate is on"
_CLAIM: Final = re.compile(
    rf"(volume '[^']*'): claim '([^']*)' {COUNTS_AS} not shared: a migration needs ReadWriteMany"
)
"""How it is said of each VM that its claim is not there."""
_SHOWN: Final = 5


class Gates:
    """The feature gates that are taken to be on, in each of the clusters that comparisons are of."""

    def __init__(self) -> None:
        self.assumed: set[str] = set()
        """All of them, as far as a verdict depends on them."""
        self._assuming: dict[tuple[int, frozenset[str]], Comparison] = {}

    def of(self, old: Data | None, new: Data | None, comparison: Comparison, others: Iterable[Data]) -> Comparison:
        """Return the comparison with the gates on without which the VM, as it was, would not be there.

        The `others` are VMs that were there, too: they tell of gates that this one did not need before.
        """
        gates = self._needed(old, comparison) if old is not None else frozenset[str]()
        wanted = refused_for(new, self._with(comparison, gates).head) if new is not None else frozenset[str]()
        for other in others if wanted else ():
            gates |= self._needed(other, comparison) & wanted
            if wanted <= gates:
                break
        self.assumed |= gates
        return self._with(comparison, gates)

    def _needed(self, vm: Data, comparison: Comparison) -> frozenset[str]:
        gates: frozenset[str] = frozenset()
        while more := refused_for(vm, self._with(comparison, gates).base) - gates:
            gates |= more
        return gates

    def _with(self, comparison: Comparison, gates: frozenset[str]) -> Comparison:
        if not gates:
            return comparison
        key = id(comparison), gates
        if key not in self._assuming:
            self._assuming[key] = comparison.beside(_with_gates(gates))
        return self._assuming[key]


def turned_off(verdict: Verdict, comparison: Comparison) -> Verdict:
    """Return a verdict that says of each feature gate which a VM misses whether the change turns it off."""
    before, after = comparison.base.configuration, comparison.head.configuration

    def with_change(match: re.Match[str]) -> str:
        gate = match.group(1)
        is_off = before.feature_gate(gate) and not after.feature_gate(gate)
        return f"feature gate {gate}, which this change turns off" if is_off else match.group()

    def with_changes(texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(_IS_OFF.sub(with_change, text) for text in texts)

    return replace(verdict, reasons=with_changes(verdict.reasons), changes=with_changes(verdict.changes))


def hinted(verdict: Verdict) -> Verdict:
    """Return a verdict that says what to do where a gate is off that nobody has said to be off."""
    if any(map(GATE.search, verdict.reasons)):
        return replace(verdict, reasons=(*verdict.reasons, HINT))
    return replace(verdict, changes=(*verdict.changes, HINT)) if any(map(GATE.search, verdict.changes)) else verdict


def naming_types(fleet: Iterable[DumpedVm]) -> Iterator[Data]:
    """Yield VMs that name the types and preferences that those of a fleet do, few for many that name the same."""
    named: set[Identity] = set()
    for vm in fleet:
        if vm.header.references is None:
            yield vm.vm
        else:
            named.update(vm.header.references)
    for kind, _, name in named:
        yield {"kind": "VirtualMachine", "spec": {matcher_of(kind): {"name": name}}}


def refused_for(manifest: Data, cluster: Cluster) -> frozenset[str]:
    """Return the gates of the release that are off, and for which a VM is refused."""
    result = outcome(manifest, cluster).result
    if result is None or result.admitted:
        return frozenset()
    named = {name for reason in result.reasons for name in GATE.findall(reason.message)}
    is_on = cluster.configuration.feature_gate
    return frozenset(name for name in named & cluster.release.feature_gates.keys() if not is_on(name))


def _with_gates(gates: Iterable[str]) -> Data:
    """A KubeVirt CR that names feature gates and nothing else."""
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": {"developerConfiguration": {"featureGates": sorted(gates)}}},
    }


def claims_once(verdicts: Iterable[Verdict]) -> tuple[list[Verdict], list[str]]:
    """Return verdicts that do not say of each claim that nothing is known of it, and the names of these claims."""
    shorter, claims = [], dict[str, None]()
    for verdict in verdicts:
        named = [match[2] for reason in verdict.reasons for match in _CLAIM.finditer(reason)]
        if named:
            reasons = tuple(_CLAIM.sub(r"\1 counts as not shared", reason) for reason in verdict.reasons)
            verdict = replace(verdict, reasons=reasons)
            claims |= dict.fromkeys(named)
        shorter.append(verdict)
    return shorter, list(claims)


def networks_elsewhere(manifest: Data, cluster: Cluster) -> Iterator[str]:
    """Yield the NetworkAttachmentDefinitions that a VM names and of which its cluster has none."""
    spec = vm_spec(manifest) or {}
    if manifest["kind"] != "VirtualMachineInstance":
        spec = (spec.get("template") or {}).get("spec") or {}
    namespace = namespace_or_default(manifest["metadata"].get("namespace"))
    for network in spec.get("networks") or ():
        if named := (network.get("multus") or {}).get("networkName"):
            which = attachment(namespace, named)
            if cluster.network_attachment_definition(*which) is None:
                yield "/".join(which)


def assumed_words(
    gates: Iterable[str], types: Iterable[str], claims: Sequence[str], networks: Collection[str]
) -> tuple[str, ...]:
    """Word what was assumed, a line each."""
    names = listed(sorted(gates))
    of_gates = (f"{names}, which VMs needed before; give the KubeVirt CR with -f to be sure",) if names else ()
    number = counted(len(claims), "claim counts", "claims count")
    of_claims = f"{number} as not shared: nothing is known of {some(sorted(claims), _SHOWN)}"
    of_types = (f"as KubeVirt's operator deploys it: {name}" for name in sorted(types))
    number = counted(len(networks), "NetworkAttachmentDefinition is", "NetworkAttachmentDefinitions are")
    of_networks = f"{number} in the cluster, without a device to request: {some(sorted(networks), _SHOWN)}"
    return (*of_gates, *of_types, *((of_claims,) if claims else ()), *((of_networks,) if networks else ()))
