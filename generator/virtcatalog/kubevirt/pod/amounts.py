"""What a whole Pod counts for, as Kubernetes' scheduler and quotas reckon."""

from __future__ import annotations

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
    asked = devices(requests)
    facts: dict[str, Any] = {
        "requests": _written(requests, asked),
        "limits": _written(limits, asked),
        "devices": _written(asked),
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
    quantities: Amounts = {}
    for container in spec["containers"]:
        _add(quantities, _container(container, part))
    running: Amounts = {}
    most: Amounts = {}
    for container in spec.get("initContainers", ()):
        own = _container(container, part)
        if container.get("restartPolicy") == "Always":
            _add(quantities, own)
            _add(running, own)
            own = running
        else:
            own = dict(own)
            _add(own, running)
        for name, amount in own.items():
            most[name] = max(most.get(name, amount), amount)
    whole = {name: max(quantities.get(name, _ZERO), most.get(name, _ZERO)) for name in {**quantities, **most}}
    own = _parsed((spec.get("resources") or {}).get(part))
    whole |= {name: amount for name, amount in own.items() if name in _OF_PODS or name.startswith("hugepages-")}
    overhead = _parsed(spec.get("overhead"))
    _add(whole, {name: amount for name, amount in overhead.items() if part == "requests" or whole.get(name)})
    return whole


def _container(container: dict[str, Any], part: str) -> Amounts:
    resources = container.get("resources") or {}
    amounts = resources.get(part) or {}
    if part == "requests":
        amounts = {**(resources.get("limits") or {}), **amounts}
    return _parsed(amounts)


def _parsed(amounts: dict[str, Any] | None) -> Amounts:
    return {name: _ZERO if amount is None else Quantity.parse(amount) for name, amount in (amounts or {}).items()}


def _add(amounts: Amounts, others: Amounts) -> None:
    for name, amount in others.items():
        amounts[name] = amounts[name] + amount if name in amounts else amount
