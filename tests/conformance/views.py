"""What of an answer is compared: two answers agree when their views are equal.

Identities that KubeVirt draws at random, or that the API server gives, stand as their own names in a view.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

_ABSENT = "<absent>"
_PRIVATE = re.compile("(?<=/var/run/kubevirt-private/)[-0-9a-f]{36}(?=/)")


def admission(answer: dict[str, Any]) -> dict[str, Any]:
    """Whether a VM is admitted, who refuses it, and the set of the causes' fields; the wording does not count."""
    return {
        "allowed": answer["allowed"],
        "refusedBy": answer["refusedBy"],
        "fields": sorted(set(answer["fields"])),
    }


def vmi(answer: dict[str, Any]) -> dict[str, Any]:
    """A VirtualMachineInstance's labels, annotations and spec."""
    metadata = answer.get("metadata") or {}
    return {
        "labels": metadata.get("labels") or {},
        "annotations": metadata.get("annotations") or {},
        "spec": answer["spec"],
    }


def infoset(text: str) -> dict[str, Any]:
    """An XML document as data: order counts among siblings of one tag alone, and mediated devices are made up."""
    return {"domain": _infoset(ET.fromstring(_PRIVATE.sub("uid", text)))}


def _infoset(element: ET.Element) -> dict[str, Any]:
    tag = _local(element.tag)
    infoset: dict[str, Any] = {f"@{_local(name)}": value for name, value in element.items()}
    if tag == "address" and "@uuid" in infoset:
        infoset["@uuid"] = "mdev"
    text = (element.text or "").strip()
    if text:
        infoset["text"] = text
    for child in element:
        infoset.setdefault(_local(child.tag), []).append(_infoset(child))
    return infoset


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def without_drawn(answers: dict[str, Any], vm: dict[str, Any]) -> dict[str, Any]:
    """Answers whose firmware has the names `uuid` and `serial` for what KubeVirt draws, as the VM sets none."""
    drawn = ((answers.get("vmi") or {}).get("spec") or {}).get("domain", {}).get("firmware") or {}
    chosen = vm["spec"]["template"]["spec"]["domain"].get("firmware") or {}
    text = json.dumps(answers)
    for name in ("uuid", "serial"):
        if drawn.get(name) and not chosen.get(name):
            text = text.replace(json.dumps(drawn[name])[1:-1], name)
    return json.loads(text)


def differences(want: Any, got: Any, path: str = "") -> Iterator[str]:
    """What differs between two views, a line each: the place, what KubeVirt has there, and what is here."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key in sorted(want.keys() | got.keys()):
            yield from differences(want.get(key, _ABSENT), got.get(key, _ABSENT), f"{path}.{key}".lstrip("."))
    elif isinstance(want, list) and isinstance(got, list):
        for index, (one, other) in enumerate(zip_longest(want, got, fillvalue=_ABSENT)):
            yield from differences(one, other, f"{path}[{index}]")
    elif want != got or type(want) is not type(got):
        yield f"{path}: KubeVirt {_short(want)}, here {_short(got)}"


def _short(value: Any) -> str:
    return value if value is _ABSENT else json.dumps(value)
