"""Where a VM may run. Source: validate-k8s-utils.go.

KubeVirt names the fields without `affinity` before nodeAffinity, podAffinity and podAntiAffinity, calls a term's
`namespaces` `namespace`, and gives a spread constraint's label selector without the constraint's index.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.names import dns_label_problems
from virtcatalog.api.scheduling import NodeAffinity, PodAffinity, PodAffinityTerm, PodAntiAffinity
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.selectors import label_key, label_selector, node_selector_term

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def validate_affinity(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Affinity to nodes and to pods follows Kubernetes' rules (validateSpecAffinity)."""
    affinity = spec.affinity
    if affinity is None:
        return
    if affinity.node_affinity is not None:
        yield from _nodes(affinity.node_affinity, f"{path}.nodeAffinity")
    if affinity.pod_affinity is not None:
        yield from _pods(affinity.pod_affinity, f"{path}.podAffinity")
    if affinity.pod_anti_affinity is not None:
        yield from _pods(affinity.pod_anti_affinity, f"{path}.podAntiAffinity")


def _nodes(affinity: NodeAffinity, field: str) -> Iterator[Cause]:
    required = affinity.required_during_scheduling_ignored_during_execution
    if required is not None:
        terms = f"{field}.{REQUIRED}.nodeSelectorTerms"
        if not required.node_selector_terms:
            yield invalid(terms, "needs one or more terms")
        for index, term in enumerate(required.node_selector_terms):
            yield from node_selector_term(term, f"{terms}[{index}]")
    for index, preferred in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        place = f"{field}.{PREFERRED}[{index}]"
        yield from _weight(preferred.weight, place)
        yield from node_selector_term(preferred.preference, f"{place}.preference")


def _pods(affinity: PodAffinity | PodAntiAffinity, field: str) -> Iterator[Cause]:
    for index, term in enumerate(affinity.required_during_scheduling_ignored_during_execution):
        yield from _pod_term(term, f"{field}.{REQUIRED}[{index}]")
    for index, preferred in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        place = f"{field}.{PREFERRED}[{index}]"
        yield from _weight(preferred.weight, place)
        yield from _pod_term(preferred.pod_affinity_term, f"{place}.podAffinityTerm")


def _weight(weight: int, field: str) -> Iterator[Cause]:
    if not 1 <= weight <= 100:
        yield invalid(f"{field}.weight", f"{weight} is not between 1 and 100")


def _pod_term(term: PodAffinityTerm, field: str) -> Iterator[Cause]:
    yield from label_selector(term.label_selector, f"{field}.labelSelector")
    yield from label_selector(term.namespace_selector, f"{field}.namespaceSelector")
    for namespace in term.namespaces:
        for problem in dns_label_problems(namespace):
            yield invalid(f"{field}.namespace", f"not a namespace's name: {problem}")
    if not term.topology_key:
        yield invalid(f"{field}.topologyKey", "must not be empty")
    yield from label_key(term.topology_key, f"{field}.topologyKey")


def validate_topology_spread(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Spread constraints have a positive skew and a proper key, and no two say the same.

    Source: validateSpecTopologySpreadConstraints.
    """
    if not spec.topology_spread_constraints:
        return
    field = f"{path}.topologySpreadConstraints"
    last = {
        (constraint.topology_key, constraint.when_unsatisfiable): index
        for index, constraint in enumerate(spec.topology_spread_constraints)
    }
    for index, constraint in enumerate(spec.topology_spread_constraints):
        place = f"{field}[{index}]"
        if constraint.max_skew <= 0:
            yield invalid(f"{place}.maxSkew", f"must be 1 or more, is {constraint.max_skew}")
        if constraint.topology_key:
            yield from label_key(constraint.topology_key, f"{place}.topologyKey")
        else:
            yield invalid(f"{place}.topologyKey", "must not be empty")
        yield from label_selector(constraint.label_selector, f"{field}.labelSelector")
        other = last[constraint.topology_key, constraint.when_unsatisfiable]
        if other != index:
            yield invalid(
                f"{place}.{{topologyKey, whenUnsatisfiable}}",
                f"{constraint.topology_key}, {constraint.when_unsatisfiable} is said again by [{other}]",
            )
