"""What the API server refuses of a virt-launcher Pod: KubeVirt takes such a VM, and it never starts.

Source: Kubernetes, pkg/apis/core/validation (ValidateContainerResourceRequirements, ValidateTolerations,
ValidateNodeSelectorRequirement, ValidateMatchLabelKeysAndMismatchLabelKeys).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from virtcatalog.api.core import LabelSelector
from virtcatalog.api.decode import convert
from virtcatalog.api.names import dns_subdomain_problems, label_key_problems, label_value_problems
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.scheduling import Affinity, NodeAffinity, PodAffinityTerm, TopologySpreadConstraint
from virtcatalog.capacity.nodes import HUGE_PAGES
from virtcatalog.kubevirt.pod.amounts import Amounts, container_amounts

Pod = Mapping[str, Any]

_SHARED = ("cpu", "memory")
_PLAIN = (*_SHARED, "ephemeral-storage")


def refusals(pod: Pod) -> Iterator[str]:
    """Say what of a Pod the API server refuses."""
    yield from refused_amounts(pod)
    spec = pod["spec"]
    for field, labels in (("labels", pod["metadata"].get("labels")), ("nodeSelector", spec.get("nodeSelector"))):
        for key, value in sorted((labels or {}).items()):
            yield from (f"{field}: {problem}" for problem in (*label_key_problems(key), *label_value_problems(value)))
    yield from (f"tolerations: {fault}" for fault in map(_toleration_fault, spec.get("tolerations") or ()) if fault)
    affinity = convert(spec.get("affinity") or {}, Affinity)
    yield from _node_affinity_faults(affinity.node_affinity)
    yield from _label_key_faults(
        pod["metadata"].get("labels") or {}, affinity, spec.get("topologySpreadConstraints") or ()
    )
    if priority := spec.get("priorityClassName"):
        yield from (f"priorityClassName: {problem}" for problem in dns_subdomain_problems(priority))


def _toleration_fault(toleration: Mapping[str, Any]) -> str:
    exists, key = toleration.get("operator") == "Exists", toleration.get("key")
    if not key and not exists:
        return "without a key the operator must be Exists"
    if exists and toleration.get("value"):
        return "with the operator Exists there is no value"
    if toleration.get("tolerationSeconds") is not None and toleration.get("effect") != "NoExecute":
        return "tolerationSeconds go with the effect NoExecute alone"
    return next(iter(label_key_problems(key)), "") if key else ""


def _node_affinity_faults(affinity: NodeAffinity | None) -> Iterator[str]:
    required = affinity.required_during_scheduling_ignored_during_execution if affinity is not None else None
    for term in required.node_selector_terms if required is not None else ():
        for requirement in term.match_expressions:
            for value in requirement.values:
                yield from (f"nodeAffinity: {problem}" for problem in label_value_problems(value))


def _label_key_faults(labels: Mapping[str, str], affinity: Affinity, spread: Iterable[Any]) -> Iterator[str]:
    """Say what is wrong with the keys of the Pod's labels that terms about Pods add to their selectors."""
    terms: list[tuple[str, PodAffinityTerm | TopologySpreadConstraint]] = []
    for field, part in (("podAffinity", affinity.pod_affinity), ("podAntiAffinity", affinity.pod_anti_affinity)):
        if part is not None:
            preferred = part.preferred_during_scheduling_ignored_during_execution
            terms += [(field, term) for term in part.required_during_scheduling_ignored_during_execution]
            terms += [(field, weighted.pod_affinity_term) for weighted in preferred]
    terms += [("topologySpreadConstraints", convert(constraint, TopologySpreadConstraint)) for constraint in spread]
    for field, term in terms:
        same = term.match_label_keys
        other = term.mismatch_label_keys if isinstance(term, PodAffinityTerm) else []
        yield from (f"{field}: {fault}" for fault in _keys_faults(term.label_selector, same, other, labels))


def _keys_faults(
    selector: LabelSelector | None, same: Sequence[str], other: Sequence[str], labels: Mapping[str, str]
) -> Iterator[str]:
    if selector is None:
        if same or other:
            yield f"{'matchLabelKeys' if same else 'mismatchLabelKeys'} need a labelSelector"
        return
    yield from (problem for key in (*same, *other) for problem in label_key_problems(key))
    own = [*selector.match_labels, *(requirement.key for requirement in selector.match_expressions)]
    added = [key for key in same if key in labels]
    for key in dict.fromkeys(same):
        if key in other:
            yield f"the key {key!r} is in matchLabelKeys and mismatchLabelKeys"
        elif added.count(key) > 1:
            yield f"the key {key!r} is in matchLabelKeys twice"
        elif [*own, *added].count(key) > 1:
            yield f"the key {key!r} of matchLabelKeys is in labelSelector, too"


def refused_amounts(pod: Pod) -> Iterator[str]:
    """Say which requests and limits of a Pod's containers the API server refuses."""
    for container in (*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ())):
        requests, limits = container_amounts(container, "requests"), container_amounts(container, "limits")
        for fault in _faults(requests, limits):
            yield f"container {container['name']}: {fault}"


def _faults(requests: Amounts, limits: Amounts) -> Iterator[str]:
    for resource, request in sorted(requests.items()):
        limit = limits.get(resource)
        if resource in _PLAIN:
            if limit is not None and request > limit:
                yield f"requests {request} of {resource}, and its limit is {limit}"
        elif not resource.startswith(HUGE_PAGES) and "/" not in resource:
            yield f"{resource} is no resource: it has no domain"
        elif limit is None:
            yield f"requests {resource}, and has no limit of it"
        elif request != limit:
            yield f"requests {request} of {resource}, and its limit is {limit}: they have to be equal"
        elif resource.startswith(HUGE_PAGES) and _is_broken(request, resource.removeprefix(HUGE_PAGES)):
            yield f"requests {request} of {resource}, which are no whole pages"
        elif "/" in resource and request.milli_value % 1000:
            yield f"requests {request} of {resource}, which is not whole"
    if any(name.startswith(HUGE_PAGES) for name in requests) and not any(name in requests for name in _SHARED):
        yield "requests huge pages, and neither CPU nor memory"


def _is_broken(amount: Quantity, page: str) -> bool:
    return amount.value % Quantity.parse(page).value != 0
