"""What LimitRanges add to a Pod, and what they refuse.

Source: Kubernetes, plugin/pkg/admission/limitranger/admission.go and pkg/apis/core/v1/defaults.go
(SetDefaults_LimitRangeItem).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from virtcatalog.api.nodes import LimitRange, LimitRangeItem
from virtcatalog.api.quantity import Quantity
from virtcatalog.capacity.refusals import refused_amounts
from virtcatalog.kubevirt.pod.amounts import Amounts, pod_limits, pod_requests

Pod = Mapping[str, Any]

_ZERO = Quantity()


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


def against_defaults(pod: Pod, namespace: str, ranges: Sequence[LimitRange]) -> Iterator[tuple[str, str]]:
    """Yield which LimitRange fills in what the API server refuses beside a Pod's own requests, and why."""
    for number, limit_range in enumerate(ranges, 1):
        if faults := list(refused_amounts(defaulted(pod, ranges[:number]))):
            about = f"LimitRange/{namespace}/{limit_range.metadata.name}"
            yield from ((about, f"fills in what the API server refuses: {fault}") for fault in faults)
            return


def against_ranges(pod: Pod, namespace: str, ranges: Sequence[LimitRange]) -> Iterator[tuple[str, str]]:
    """Yield which LimitRanges refuse a Pod that has their defaults, and why."""
    for limit_range in ranges:
        about = f"LimitRange/{namespace}/{limit_range.metadata.name}"
        for item in limit_range.spec.limits:
            if item.type == "Container":
                for container in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())):
                    resources = container["resources"]
                    faults = _out_of_bounds(item, _amounts(resources["requests"]), _amounts(resources["limits"]))
                    yield from ((about, f"container {container['name']}: {text}") for text in faults)
            elif item.type == "Pod":
                faults = _out_of_bounds(item, pod_requests(dict(pod)), pod_limits(dict(pod)))
                yield from ((about, f"the Pod: {text}") for text in faults)


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
        elif limit.milli_value / request.milli_value * 1000 > ratio.milli_value:  # in floats, as Kubernetes has it
            yield f"has a limit of {resource} of more than {ratio} times its request"


def _amounts(texts: Mapping[str, str]) -> Amounts:
    return {name: Quantity.parse(amount) for name, amount in texts.items()}
