"""What a Pod takes of a quota, and which quotas count it.

Source: Kubernetes, pkg/quota/v1/evaluator/core/pods.go (usage, constraints, scopes).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from virtcatalog.api.nodes import ResourceQuotaSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.capacity import applicationaware as aaq
from virtcatalog.kubevirt.pod.amounts import Amounts, pod_limits, pod_requests
from virtcatalog.units import count, memory

Pod = Mapping[str, Any]

_ONE = Quantity.of(1, "DecimalSI")
_SHARED = ("cpu", "memory")
_OBJECTS = (
    *("pods", "count/pods"),
    *("count/virtualmachines.kubevirt.io", "count/virtualmachineinstances.kubevirt.io"),
)


def pod_usage(pod: Pod) -> Amounts:
    """What a Pod takes of a quota, by the names that quotas have for it."""
    quantities: Amounts = dict.fromkeys(_OBJECTS, _ONE)
    for resource, amount in pod_requests(dict(pod)).items():
        quantities[f"requests.{resource}"] = amount
        if "/" not in resource:
            quantities[resource] = amount
    for resource, amount in pod_limits(dict(pod)).items():
        if resource in (*_SHARED, "ephemeral-storage"):
            quantities[f"limits.{resource}"] = amount
    return quantities


def allowed(resource: str, amount: Quantity) -> str:
    """An amount of a quota's resource for people."""
    name = resource.removeprefix("requests.").removeprefix("limits.").removesuffix(aaq.VMI)
    if name == "cpu":
        return count(amount.milli_value / 1000)
    return memory(amount.value) if name == "memory" or name.startswith("hugepages-") else str(amount)


def silences(pod: Pod, hard: Mapping[str, Quantity]) -> Iterator[str]:
    """Say which containers are silent about what a ResourceQuota wants of all of them (Constraints)."""
    for name in sorted(hard):
        part, _, resource = (
            name.rpartition(".") if name.startswith(("requests.", "limits.")) else ("requests", "", name)
        )
        if resource in _SHARED and (silent := _silent(pod, part, resource)):
            yield f"wants {part}.{resource} of every container, and {', '.join(silent)} has none"


def _silent(pod: Pod, part: str, resource: str) -> list[str]:
    containers = (*pod["spec"]["containers"], *pod["spec"].get("initContainers", ()))
    return [container["name"] for container in containers if resource not in container["resources"][part]]


def counts(spec: ResourceQuotaSpec, pod: Pod) -> bool:
    """Whether a quota counts a virt-launcher Pod, by its scopes."""
    for scope in spec.scopes:
        if scope in ("Terminating", "BestEffort") or (scope == "PriorityClass" and not _priority(pod)):
            return False
        if scope == "CrossNamespacePodAffinity" and not _crosses(pod):
            return False
    for match_expression in spec.scope_selector.match_expressions if spec.scope_selector is not None else ():
        if match_expression.scope_name == "PriorityClass":
            priority = _priority(pod)
            holds = {
                "In": priority in match_expression.values,
                "NotIn": priority not in match_expression.values,
                "Exists": bool(priority),
                "DoesNotExist": not priority,
            }[match_expression.operator]
        elif match_expression.scope_name == "CrossNamespacePodAffinity":
            holds = _crosses(pod)
        else:
            holds = match_expression.scope_name in ("NotTerminating", "NotBestEffort")
        if not holds:
            return False
    return True


def _priority(pod: Pod) -> str:
    return str(pod["spec"].get("priorityClassName") or "")


def _crosses(pod: Pod) -> bool:
    """Whether the Pod's affinity is about Pods of other namespaces."""
    affinity = pod["spec"].get("affinity") or {}
    terms = [
        term.get("podAffinityTerm", term)
        for part in ("podAffinity", "podAntiAffinity")
        for affinity_terms in (affinity.get(part) or {}).values()
        for term in affinity_terms
    ]
    return any(term.get("namespaces") or term.get("namespaceSelector") is not None for term in terms)


def is_judged(name: str) -> bool:
    """Whether a resource of a quota is about Pods or VMs."""
    return name in _OBJECTS or name.endswith(aaq.VMI) or aaq.is_of_pods(name)
