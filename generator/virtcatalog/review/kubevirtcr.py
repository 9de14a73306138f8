"""What a change of the KubeVirt CR is to VMs: feature gates that come or go, and that the CR itself is removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from virtcatalog.errors import listed
from virtcatalog.manifests.fields import get
from virtcatalog.manifests.identity import Data
from virtcatalog.review.assumed import GATE, refused_for
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.verdict import Cause, Verdict

GATES_FIELD = "spec.configuration.developerConfiguration.featureGates"
_NAMED = "feature gate "


def gate_cause(gate: str) -> str:
    """What a feature gate is called as a cause."""
    return f"{_NAMED}{gate}"


def gates_of(kubevirt: Data | None) -> list[str]:
    """Return the feature gates that a KubeVirt CR names."""
    value = get(kubevirt, tuple(GATES_FIELD.split(".")))
    return [gate for gate in value if isinstance(gate, str)] if isinstance(value, list) else []


def uninstalled(kubevirt: Data) -> str:
    """Say what becomes of a cluster whose KubeVirt CR is removed (pkg/virt-operator/webhooks/webhook.go)."""
    strategy = (kubevirt.get("spec") or {}).get("uninstallStrategy")
    if strategy == "BlockUninstallIfWorkloadsExist":
        return "KubeVirt is uninstalled once there is no VM: until then the CR cannot be deleted"
    return "KubeVirt is uninstalled where that is applied, and all VMs of the cluster are deleted"


def needed_new_gates(vm: Data, comparison: Comparison) -> list[str]:
    """Return the gates that the change turns on and without which a VM would be refused."""
    before, after = _configured(comparison)
    new = (after - before) & _on(comparison)
    return sorted(refused_for(vm, comparison.without_gates(new)) & new) if new else []


def by_gates(because: Iterable[Cause], verdict: Verdict) -> tuple[Cause, ...]:
    """Return the causes of a verdict without other gates of the same CR than those that its reasons name."""
    causes, named = tuple(because), _named_by(verdict)
    if named.isdisjoint(cause.name for cause in causes):
        return causes
    return tuple(cause for cause in causes if not cause.name.startswith(_NAMED) or cause.name in named)


def _named_by(verdict: Verdict) -> set[str]:
    """The gates that the texts of a verdict name, as causes are called."""
    return {gate_cause(gate) for text in (*verdict.reasons, *verdict.changes) for gate in GATE.findall(text)}


def gate_remarks(comparisons: Iterable[Comparison], verdicts: Iterable[Verdict]) -> list[str]:
    """Say of each gate that comes or goes, and that is no VM's cause, nor named by its verdict, why it changes none."""
    causes: set[str] = set()
    for verdict in verdicts:
        causes |= {cause.name for cause in verdict.because} | _named_by(verdict)
    sentences: dict[str, None] = {}
    for comparison in (comparison for comparison in comparisons if comparison.stays_configured):
        sentences |= dict.fromkeys(_sentences(comparison, causes))
    return list(sentences)


def _sentences(comparison: Comparison, causes: set[str]) -> Iterator[str]:
    release, before, after = comparison.head.release, comparison.base.configuration, comparison.head.configuration
    named_before, named_after = _configured(comparison)
    added, gone = named_after - named_before, named_before - named_after
    unknown = sorted(gate for gate in added if gate not in release.feature_gates)
    already = sorted(gate for gate in added - set(unknown) if before.feature_gate(gate))
    stays = sorted(gate for gate in gone if after.feature_gate(gate))
    on = sorted(gate for gate in added & _on(comparison) if gate_cause(gate) not in causes)
    off = sorted(gate for gate in gone if before.feature_gate(gate) and not after.feature_gate(gate))
    off = [gate for gate in off if gate_cause(gate) not in causes]
    for gates, sentence in (
        (on, "on from now on, and no VM here needs it or changes by it"),
        (off, "off from now on, and no VM here needs it"),
        (sorted([*already, *stays]), f"on in {release.name} anyway, named or not"),
        (unknown, f"none that {release.name} knows"),
    ):
        if gates:
            yield f"feature gate{'s'[: len(gates) > 1]} {listed(gates)}: {sentence}"


def _configured(comparison: Comparison) -> tuple[frozenset[str], frozenset[str]]:
    """The gates that the CR names before the change and after it."""
    base, head = comparison.base.configuration, comparison.head.configuration
    return frozenset(base.configured_feature_gates), frozenset(head.configured_feature_gates)


def _on(comparison: Comparison) -> frozenset[str]:
    """The gates that are off before the change and on after it."""
    base, head = comparison.base.configuration, comparison.head.configuration
    return frozenset(gate for gate in comparison.head.release.feature_gates if head.feature_gate(gate)) - frozenset(
        gate for gate in comparison.base.release.feature_gates if base.feature_gate(gate)
    )
