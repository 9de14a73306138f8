"""What namespaces may have, and what their VMs request: ResourceQuota and LimitRange as the API server applies them.

Source: Kubernetes, pkg/quota/v1/evaluator/core/pods.go (usage, constraints, scopes),
plugin/pkg/admission/limitranger/admission.go and pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.nodes import LimitRange, LimitRangeItem, ResourceQuota, ResourceQuotaSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.capacity.pods import Looks
from virtcatalog.kubevirt.pod.amounts import Amounts, pod_limits, pod_requests
from virtcatalog.units import count, memory

Pod = Mapping[str, Any]

_LOOKS = 50
"""Checking a VM against a quota takes as long as this number of looks at a node."""
_ZERO, _ONE = Quantity(), Quantity.of(1, "DecimalSI")
_SHARED = ("cpu", "memory")
_OBJECTS = {
    "pods": "Pod",
    "count/pods": "Pod",
    "count/virtualmachines.kubevirt.io": "VM",
    "count/virtualmachineinstances.kubevirt.io": "VMI",
}


class PodRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A VM's Pod as virt-controller sends it to the API server; `automatic` names limits that KubeVirt itself set."""

    name: str
    namespace: str
    pod: dict[str, Any]
    automatic: tuple[str, ...] = ()


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One resource of a quota: what is allowed, and what the VMs of its namespace ask for together."""

    namespace: str
    quota: str
    resource: str
    hard: Quantity
    asked: Quantity

    @property
    def over(self) -> bool:
        """Whether the VMs ask for more than is allowed."""
        return self.asked > self.hard


class Refusal(msgspec.Struct, frozen=True):
    """A VM whose Pod the API server would refuse: because of which object, and why."""

    vm: str
    object: str
    message: str


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What the quotas and limits of a cluster say of its VMs; `automatic` counts VMs by namespace and resource.

    `unjudged` are resources of quotas that do not concern Pods, such as claims.
    """

    lines: tuple[Line, ...]
    refusals: tuple[Refusal, ...]
    automatic: Mapping[tuple[str, str], int]
    unjudged: tuple[str, ...] = ()


class Judge:
    """Takes VMs one by one, as if they started in this order; those that no longer fit are refused."""

    def __init__(
        self, quotas: Sequence[ResourceQuota], ranges: Sequence[LimitRange], looks: Looks | None = None
    ) -> None:
        self._looks = looks or Looks()
        self._quotas: dict[str, list[ResourceQuota]] = {}
        for quota in quotas:
            self._quotas.setdefault(namespace_or_default(quota.metadata.namespace), []).append(quota)
        self._ranges: dict[str, list[LimitRange]] = {}
        for limit_range in ranges:
            self._ranges.setdefault(namespace_or_default(limit_range.metadata.namespace), []).append(limit_range)
        self._asked: dict[tuple[str, str], Amounts] = {}
        self._taken: dict[tuple[str, str], Amounts] = {}
        self._refusals: list[Refusal] = []
        self._automatic: dict[tuple[str, str], int] = {}

    def take(self, vm: PodRequest) -> None:
        """Judge the next VM; only the answer is stored."""
        for resource in vm.automatic:
            self._automatic[vm.namespace, resource] = self._automatic.get((vm.namespace, resource), 0) + 1
        quotas, ranges = self._quotas.get(vm.namespace, ()), self._ranges.get(vm.namespace, ())
        if not quotas and not ranges:
            return
        self._looks.take(_LOOKS * (len(quotas) + len(ranges)))
        pod = defaulted(vm.pod, ranges)
        against = list(_against_ranges(vm, pod, ranges))
        chosen = [quota for quota in quotas if _counts(quota.spec, pod)]
        usage = pod_usage(pod)
        for quota in chosen:
            key = vm.namespace, quota.metadata.name
            wanted = {name: usage.get(name, _ZERO) for name in quota.spec.hard if name in usage or _is_judged(name)}
            _add(self._asked.setdefault(key, {}), wanted)
            against += _against_quota(vm, pod, quota, wanted, self._taken.get(key, {}))
        if against:
            self._refusals.append(against[0])
            return
        for quota in chosen:
            taken = self._taken.setdefault((vm.namespace, quota.metadata.name), {})
            _add(taken, {name: usage.get(name, _ZERO) for name in quota.spec.hard})

    def judgement(self) -> Judgement:
        """Return the judgement of all VMs so far."""
        hard = [
            (namespace, quota.metadata.name, resource, amount)
            for namespace, quotas in sorted(self._quotas.items())
            for quota in quotas
            for resource, amount in sorted(quota.spec.hard.items())
        ]
        lines = [
            Line(
                namespace=namespace,
                quota=quota,
                resource=resource,
                hard=amount,
                asked=self._asked.get((namespace, quota), {}).get(resource, _ZERO),
            )
            for namespace, quota, resource, amount in hard
            if _is_judged(resource)
        ]
        unjudged = {resource for _, _, resource, _ in hard if not _is_judged(resource)}
        return Judgement(
            lines=tuple(lines),
            refusals=tuple(self._refusals),
            automatic=self._automatic,
            unjudged=tuple(sorted(unjudged)),
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
    name = resource.removeprefix("requests.").removeprefix("limits.")
    if name == "cpu":
        return count(amount.milli_value / 1000)
    return memory(amount.value) if name == "memory" or name.startswith("hugepages-") else str(amount)


def defaulted(pod: Pod, ranges: Sequence[LimitRange]) -> dict[str, Any]:
    """The Pod with what the API server and the namespace's LimitRanges add to its containers."""
    items = [
        _with_defaults(item) for limit_range in ranges for item in limit_range.spec.limits if item.type == "Container"
    ]
    spec = dict(pod["spec"])
    for part in ("containers", "initContainers"):
        if part in spec:
            spec[part] = [_container(container, items) for container in spec[part]]
    return {**pod, "spec": spec}


def _container(container: dict[str, Any], items: Sequence[LimitRangeItem]) -> dict[str, Any]:
    resources = container.get("resources") or {}
    limits = dict(resources.get("limits") or {})
    requests = {**limits, **(resources.get("requests") or {})}
    for item in items:
        for resource, amount in item.default.items():
            limits.setdefault(resource, str(amount))
        for resource, amount in item.default_request.items():
            requests.setdefault(resource, str(amount))
    return {**container, "resources": {**resources, "limits": limits, "requests": requests}}


def _with_defaults(item: LimitRangeItem) -> LimitRangeItem:
    default = {**item.max, **item.default}
    return msgspec.structs.replace(
        item, default=default, default_request={**item.min, **default, **item.default_request}
    )


def _against_ranges(vm: PodRequest, pod: Pod, ranges: Sequence[LimitRange]) -> Iterator[Refusal]:
    for limit_range in ranges:
        about = f"LimitRange/{vm.namespace}/{limit_range.metadata.name}"
        for item in limit_range.spec.limits:
            if item.type == "Container":
                for container in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())):
                    resources = container["resources"]
                    faults = _out_of_bounds(item, _amounts(resources["requests"]), _amounts(resources["limits"]))
                    yield from (Refusal(vm.name, about, f"container {container['name']}: {text}") for text in faults)
            elif item.type == "Pod":
                faults = _out_of_bounds(item, pod_requests(dict(pod)), pod_limits(dict(pod)))
                yield from (Refusal(vm.name, about, f"the Pod: {text}") for text in faults)


def _out_of_bounds(item: LimitRangeItem, requests: Amounts, limits: Amounts) -> Iterator[str]:
    for resource, least in sorted(item.min.items()):
        request, limit = requests.get(resource), limits.get(resource)
        if request is None:
            yield f"requests no {resource}, and {least} is the least"
        elif request < least or (limit is not None and limit < least):
            yield f"has {min(request, limit if limit is not None else request)} of {resource}, and {least} is the least"
    for resource, most in sorted(item.max.items()):
        limit = limits.get(resource)
        if limit is None:
            yield f"has no limit of {resource}, and {most} is the most"
        elif limit > most or requests.get(resource, _ZERO) > most:
            yield f"has {max(limit, requests.get(resource, _ZERO))} of {resource}, and {most} is the most"
    for resource, ratio in sorted(item.max_limit_request_ratio.items()):
        request, limit = requests.get(resource), limits.get(resource)
        if not request or not limit:
            yield f"has no request and limit of {resource}, whose ratio is bounded"
        elif limit.milli_value > request.milli_value * ratio.milli_value / 1000:
            yield f"has a limit of {resource} of more than {ratio} times its request"


def _against_quota(
    vm: PodRequest, pod: Pod, quota: ResourceQuota, wanted: Amounts, taken: Amounts
) -> Iterator[Refusal]:
    about = f"ResourceQuota/{vm.namespace}/{quota.metadata.name}"
    for name in sorted(quota.spec.hard):
        part, _, resource = (
            name.rpartition(".") if name.startswith(("requests.", "limits.")) else ("requests", "", name)
        )
        if resource in _SHARED and (silent := _silent(pod, part, resource)):
            yield Refusal(
                vm.name, about, f"wants {part}.{resource} of every container, and {', '.join(silent)} has none"
            )
    for name, amount in sorted(wanted.items()):
        hard = quota.spec.hard[name]
        if amount and taken.get(name, _ZERO) + amount > hard:
            left = hard - taken.get(name, _ZERO)
            text = f"allows {allowed(name, hard)} of {name}; {allowed(name, left)} is left"
            yield Refusal(vm.name, about, f"{text}, and the VM's Pod asks for {allowed(name, amount)}")


def _silent(pod: Pod, part: str, resource: str) -> list[str]:
    containers = (*pod["spec"]["containers"], *pod["spec"].get("initContainers", ()))
    return [container["name"] for container in containers if resource not in container["resources"][part]]


def _counts(spec: ResourceQuotaSpec, pod: Pod) -> bool:
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
        else:
            holds = match_expression.scope_name == "NotTerminating" or match_expression.scope_name == "NotBestEffort"
            holds = _crosses(pod) if match_expression.scope_name == "CrossNamespacePodAffinity" else holds
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


def _is_judged(name: str) -> bool:
    """Whether a resource of a quota is about Pods or VMs."""
    resource = name.removeprefix("requests.").removeprefix("limits.")
    if name in _OBJECTS or resource in (*_SHARED, "ephemeral-storage") or resource.startswith("hugepages-"):
        return True
    return name.startswith("requests.") and "/" in resource and not resource.startswith("storage")


def _amounts(texts: Mapping[str, str]) -> Amounts:
    return {name: Quantity.parse(amount) for name, amount in texts.items()}


def _add(amounts: Amounts, added: Mapping[str, Quantity]) -> None:
    for name, amount in added.items():
        amounts[name] = amounts.get(name, _ZERO) + amount
