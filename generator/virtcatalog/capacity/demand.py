"""What VMs' Pods request of nodes, as the scheduler reads it; of many together, against a catalog's budgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from virtcatalog.api.decode import convert
from virtcatalog.api.findings import prune_unknown
from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.scheduling import Affinity, Toleration, TopologySpreadConstraint
from virtcatalog.capacity.nodes import PODS, amount_text, amounts
from virtcatalog.catalog.model import Budget
from virtcatalog.kubevirt.pod.amounts import is_device, pod_limits, pod_requests

#: The fields of a Pod that say which nodes it accepts.
_CONDITIONS = ("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints")
_ENCODER = msgspec.json.Encoder(order="deterministic")


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """Which nodes a Pod accepts, room aside; Pods with the same `key` accept the same nodes.

    A Pod that `tells_nodes_apart` may select a node by its name, so that nodes with equal labels differ for it.
    """

    key: bytes
    tells_nodes_apart: bool
    selector: Mapping[str, str]
    affinity: Affinity
    tolerations: tuple[Toleration, ...]
    spread: tuple[TopologySpreadConstraint, ...]

    @property
    def minds_others(self) -> bool:
        """Whether it matters which Pods are where."""
        pods, apart = self.affinity.pod_affinity, self.affinity.pod_anti_affinity
        return bool(
            self.spread
            or (pods is not None and pods.required_during_scheduling_ignored_during_execution)
            or (apart is not None and apart.required_during_scheduling_ignored_during_execution)
        )


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """A VM and what its Pod requests: `requests` is in the scheduler's units, and includes 1 of the resource `pods`.

    `limits` in the same units; `own_cpus` are whole CPUs, in thousandths, that no other Pod gets. A Pod that is
    `leaving` is being deleted.
    """

    name: str
    namespace: str
    labels: Mapping[str, str]
    requests: Mapping[str, int]
    limits: Mapping[str, int]
    own_cpus: int
    conditions: Conditions
    leaving: bool = False

    @property
    def likeness(self) -> tuple[object, ...]:
        """The shape, namespace and labels: demands of one likeness are the same to affinity and spreading, too."""
        return (self.shape, self.namespace, tuple(sorted(self.labels.items())))

    @property
    def shape(self) -> tuple[object, ...]:
        """What decides on which nodes the Pod fits: demands of one shape fit the same nodes."""
        return (self.conditions.key, self.own_cpus, tuple(sorted(self.requests.items())))


class Reader:
    """Reads Pods; those with equal conditions share one object."""

    def __init__(self) -> None:
        self._conditions_by_key: dict[bytes, Conditions] = {}

    def placed(self, name: str, pod: Mapping[str, Any]) -> Demand:
        """Return what a Pod takes of its node; of its conditions matters only whom it keeps away."""
        affinity = {"podAntiAffinity": (pod["spec"].get("affinity") or {}).get("podAntiAffinity")}
        spec = {key: value for key, value in pod["spec"].items() if key not in _CONDITIONS}
        demand = self.demand(name, {**pod, "spec": {**spec, "affinity": prune_unknown(affinity, Affinity)[0]}})
        return msgspec.structs.replace(demand, leaving=pod["metadata"].get("deletionTimestamp") is not None)

    def demand(self, name: str, pod: Mapping[str, Any]) -> Demand:
        """Return what the Pod of a VM requests; `name` is the VM's."""
        metadata, requests = pod["metadata"], pod_requests(dict(pod))
        limits = pod_limits(dict(pod))
        resources = {resource: amount for resource, amount in amounts(requests).items() if amount}
        return Demand(
            name=name,
            namespace=namespace_or_default(metadata.get("namespace")),
            labels=metadata.get("labels") or {},
            requests={**resources, PODS: 1},
            limits=amounts(limits),
            own_cpus=_own_cpus(pod, resources),
            conditions=self._conditions(pod["spec"]),
        )

    def _conditions(self, spec: Mapping[str, Any]) -> Conditions:
        parts = [spec.get(key) for key in _CONDITIONS]
        key = _ENCODER.encode(parts)
        conditions = self._conditions_by_key.get(key)
        if conditions is None:
            selector, affinity, tolerations, spread = parts
            conditions = self._conditions_by_key[key] = Conditions(
                key=key,
                tells_nodes_apart=b"kubernetes.io/hostname" in key or b"metadata.name" in key,
                selector=selector or {},
                affinity=convert(affinity or {}, Affinity),
                tolerations=tuple(convert(toleration, Toleration) for toleration in tolerations or ()),
                spread=tuple(
                    constraint
                    for constraint in (convert(item, TopologySpreadConstraint) for item in spread or ())
                    if constraint.when_unsatisfiable == "DoNotSchedule"
                ),
            )
        return conditions


def devices_of(requests: Mapping[str, int]) -> dict[str, int]:
    """Return the requests for devices of plugins that not every node has."""
    return {
        name: amount
        for name, amount in requests.items()
        if is_device(name) and name not in (f"devices.kubevirt.io/{device}" for device in ("kvm", "tun", "vhost-net"))
    }


def _own_cpus(pod: Mapping[str, Any], resources: Mapping[str, int]) -> int:
    """The CPUs that the kubelet's static policy gives the Pod alone: whole ones of a guaranteed container."""
    compute = pod["spec"]["containers"][0].get("resources") or {}
    requests, limits = compute.get("requests") or {}, compute.get("limits") or {}
    if any(requests.get(name) is None or requests[name] != limits.get(name) for name in ("cpu", "memory")):
        return 0
    cpus = amounts({"cpu": Quantity.parse(requests["cpu"])})["cpu"]
    return min(cpus, resources.get("cpu", 0)) if cpus % 1000 == 0 else 0


class Overspent(msgspec.Struct, frozen=True, kw_only=True):
    """A resource of which VMs request more than a budget allows, in the scheduler's units."""

    budget: Budget
    resource: str
    allowed: int
    requested: int

    def __str__(self) -> str:
        names = (("environment", self.budget.environment), ("namespace", self.budget.namespace))
        whose = ", ".join(f"{noun} {name}" for noun, name in names if name) or "all VMs"
        requested, allowed = amount_text(self.resource, self.requested), amount_text(self.resource, self.allowed)
        return f"the VMs of {whose} request {requested}, and {allowed} is the budget"


class Spending:
    """Adds up what VMs request."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str], Counter[str]] = {}

    def add(self, environment: str, namespace: str, vm_requests: Mapping[str, int]) -> None:
        """Add a VM's requests, in the scheduler's units."""
        self._requests.setdefault((environment, namespace), Counter()).update(dict(vm_requests))

    def over(self, budgets: Iterable[Budget]) -> Iterator[Overspent]:
        """Yield what is over a budget."""
        for budget in budgets:
            requested: Counter[str] = Counter()
            for (environment, namespace), vm_requests in self._requests.items():
                if budget.environment in ("", environment) and budget.namespace in ("", namespace):
                    requested.update(vm_requests)
            for resource, allowed in amounts(budget.requests).items():
                if requested[resource] > allowed:
                    yield Overspent(budget=budget, resource=resource, allowed=allowed, requested=requested[resource])
