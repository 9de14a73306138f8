"""Pods as Kubernetes sees them: what its API takes for equal is equal in the view."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

_METADATA = ("generateName", "labels", "annotations", "ownerReferences")
_NETWORKS = "k8s.v1.cni.cncf.io/networks"
_TIMEOUT = "--qemu-timeout"

_UNORDERED = ("volumes", "volumeMounts", "volumeDevices", "env", "ownerReferences", "add", "drop")
"""Lists that Kubernetes merges by a key, and capabilities."""

_ALL_HOLD = "requiredDuringSchedulingIgnoredDuringExecution"
_QUANTITY = re.compile(r"([+-]?[0-9.]+)(?:[eE]([+-]?[0-9]+)|(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE])?)")
_POWERS = {suffix: Fraction(1000) ** power for power, suffix in enumerate(("n", "u", "m", "", *"kMGTPE"), -3)}
_POWERS |= {f"{suffix}i": Fraction(1024) ** power for power, suffix in enumerate("KMGTPE", 1)}


def view(pod: dict[str, Any]) -> dict[str, Any]:
    """A virt-launcher Pod's metadata and spec, without the VMI's uid and the timeout that KubeVirt draws."""
    view = {"metadata": {key: pod["metadata"][key] for key in _METADATA if key in pod["metadata"]}, "spec": pod["spec"]}
    owners = view["metadata"].get("ownerReferences") or [{}]
    text = json.dumps(view)
    view = json.loads(text.replace(owners[0]["uid"], "uid") if owners[0].get("uid") else text)
    annotations = view["metadata"].get("annotations") or {}
    if _NETWORKS in annotations:
        annotations[_NETWORKS] = json.loads(annotations[_NETWORKS])
    for container in view["spec"].get("containers") or []:
        for words in (container.get("command") or [], container.get("args") or []):
            if _TIMEOUT in words:
                words[words.index(_TIMEOUT) + 1] = "drawn"
    return _normal(view)


def _normal(value: Any, key: str = "", parent: str = "") -> Any:
    if isinstance(value, dict):
        items = {name: _normal(item, name, key) for name, item in value.items() if item is not None}
        if key in ("limits", "requests"):
            return {name: amount(item) for name, item in items.items()}
        return {name: item for name, item in items.items() if not _says_nothing(name, item)}
    if isinstance(value, list):
        items = [_normal(item) for item in value]
        as_a_set = key in _UNORDERED or (parent, key) == ("podAntiAffinity", _ALL_HOLD)
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True)) if as_a_set else items
    return amount(value) if key == "sizeLimit" else value


def _says_nothing(name: str, value: Any) -> bool:
    return value == [] or (name in ("resources", "limits", "requests") and value == {})


def amount(text: Any) -> Any:
    match = _QUANTITY.fullmatch(str(text))
    if not match:
        return text
    number, power, suffix = match.groups()
    return str(Fraction(number) * (Fraction(10) ** int(power) if power else _POWERS[suffix or ""]))
