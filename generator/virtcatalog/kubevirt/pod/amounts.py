"""What a whole Pod counts for, as Kubernetes' scheduler and quotas reckon."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from virtcatalog.api.quantity import Quantity
from virtcatalog.units import mebibytes

Amounts = dict[str, Quantity]
Pod = dict[str, Any]

_ZERO = Quantity()
_OF_PODS = frozenset({"cpu", "memory"})
"""What a Pod may say of itself, beside huge pages."""


def pod_requests(pod: Pod) -> Amounts:
    """What a Pod requests: the containers together, or the init container that asks for more.

    A container that is limited and requests nothing requests its limit. Init containers that go on running count with
    the containers. What the Pod says of itself counts in place of that, and its runtime's overhead besides.
    Source: k8s.io/component-helpers/resource/helpers.go (PodRequests).
    """
    return _of(pod, "requests")


def pod_limits(pod: Pod) -> Amounts:
    """What a Pod is limited to, of the resources that some container is limited in (PodLimits)."""
    return _of(pod, "limits")


def devices(amounts: Amounts) -> Amounts:
    """Of these amounts, those of device plugins."""
    return {name: amount for name, amount in amounts.items() if is_device(name)}


def is_device(name: str) -> bool:
    """Whether a resource comes from a device plugin: it has a domain of its own."""
    return "/" in name


def extract(pod: Pod) -> dict[str, Any]:
    """What of a Pod decides where it fits, in short: requests, limits, devices, and the conditions for its node."""
    requests, limits = pod_requests(pod), pod_limits(pod)
    of_plugins = devices(requests)
    facts: dict[str, Any] = {
        "requests": _written(requests, of_plugins),
        "limits": _written(limits, of_plugins),
        "devices": _written(of_plugins),
    }
    conditions = ("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "priorityClassName")
    facts |= {name: pod["spec"].get(name) for name in (*conditions, "resourceClaims", "serviceAccountName")}
    return {name: fact for name, fact in facts.items() if fact}


def _written(amounts: Amounts, without: Amounts | None = None) -> dict[str, str]:
    """Amounts for people: the memory of a Pod is the sum of decimal and binary ones."""
    names = sorted(amounts.keys() - (without or {}).keys())
    return {name: mebibytes(amounts[name].value) if name == "memory" else str(amounts[name]) for name in names}


def _of(pod: Pod, part: str) -> Amounts:
    spec = pod["spec"]
    amounts = _together(pod, lambda container: container_amounts(container, part))
    if part == "requests" and pod.get("status"):
        amounts = _while_resized(pod, amounts)
    own = _parsed((spec.get("resources") or {}).get(part))
    amounts |= {name: amount for name, amount in own.items() if name in _OF_PODS or name.startswith("hugepages-")}
    overhead = _parsed(spec.get("overhead"))
    _add(amounts, {name: amount for name, amount in overhead.items() if part == "requests" or amounts.get(name)})
    return amounts


def _together(pod: Pod, amounts_of: Callable[[dict[str, Any]], Amounts]) -> Amounts:
    """What the containers of a Pod come to together."""
    spec = pod["spec"]
    quantities: Amounts = {}
    for container in spec["containers"]:
        _add(quantities, amounts_of(container))
    running: Amounts = {}
    most: Amounts = {}
    for container in spec.get("initContainers") or ():
        own = amounts_of(container)
        if container.get("restartPolicy") == "Always":
            _add(quantities, own)
            _add(running, own)
            own = running
        else:
            own = dict(own)
            _add(own, running)
        most = _most(most, own)
    return _most(quantities, most)


def _while_resized(pod: Pod, requested: Amounts) -> Amounts:
    """What counts for a Pod on a node while it is resized: the most of what it requests, is promised and has.

    A request that its node can never grant does not count (AggregateContainerRequests).
    """
    status = pod["status"]
    of_all = (status.get("containerStatuses") or (), status.get("initContainerStatuses") or ())
    statuses = {container["name"]: container for container in chain(*of_all)}
    conditions = status.get("conditions") or ()
    pending = (condition.get("reason") for condition in conditions if condition["type"] == "PodResizePending")
    infeasible = next(pending, "") == "Infeasible"

    def promised(container: dict[str, Any]) -> Amounts:
        allocated = statuses.get(container["name"], {}).get("allocatedResources")
        if allocated is not None:
            return _parsed(allocated)
        return {} if infeasible else container_amounts(container, "requests")

    def actual(container: dict[str, Any]) -> Amounts:
        resources = statuses.get(container["name"], {}).get("resources") or {}
        return _parsed(resources["requests"]) if resources.get("requests") is not None else promised(container)

    granted = _most(_together(pod, promised), _together(pod, actual))
    return granted if infeasible else _most(requested, granted)


def container_amounts(container: dict[str, Any], part: str) -> Amounts:
    """What one container requests, or is limited to, as the API server keeps it."""
    resources = container.get("resources") or {}
    amounts = resources.get(part) or {}
    if part == "requests":
        amounts = {**(resources.get("limits") or {}), **amounts}
    return _parsed(amounts)


def _parsed(amounts: dict[str, Any] | None) -> Amounts:
    return {
        name: _ZERO if amount is None else Quantity.parse(amount).in_thousandths
        for name, amount in (amounts or {}).items()
    }


def _add(amounts: Amounts, others: Amounts) -> None:
    for name, amount in others.items():
        amounts[name] = amounts[name] + amount if name in amounts else amount


def _most(amounts: Amounts, others: Amounts) -> Amounts:
    """The greater of both, name by name."""
    return {name: max(amounts.get(name, _ZERO), others.get(name, _ZERO)) for name in {**amounts, **others}}
