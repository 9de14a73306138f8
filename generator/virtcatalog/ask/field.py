"""Parts of the results of one VM: fields of its VMI or Pod by path, places in its domain by XPath."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from lxml import etree

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.findings import Path
from virtcatalog.ask.why import View
from virtcatalog.errors import VirtcatalogError, nearest
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE
from virtcatalog.kubevirt.pipeline import Result
from virtcatalog.kubevirt.pod.facts import Facts
from virtcatalog.kubevirt.pod.overhead import Term, overhead
from virtcatalog.kubevirt.pod.resources import memory_request
from virtcatalog.manifests.difference import shown

#: Beginnings of a path in a VMI that may be left out.
_STARTS: Final[tuple[Path, ...]] = (("spec", "domain"), ("spec",), ())
#: Beginnings of a path in a Pod that may be left out, the likeliest first.
_POD_STARTS: tuple[Path, ...] = (("spec", "containers", "compute", "resources"), ("spec", "containers", "compute"))
_POD_STARTS += (("spec",), ())
_REQUEST: Path = (*_POD_STARTS[0], "requests", "memory")
_OVERHEAD: Path = ("metadata", "annotations", "kubevirt.io/memory-overhead-bytes")


def of_field(field: str) -> View:
    """Look at a field of the VMI; `spec.domain.` may be left out: `devices.disks[0].disk.bus`.

    `spec.template.spec.domain.cpu`, a VM's field as findings name it, is that of the VMI; the VM's own, if the VM is
    refused before it has a VMI.

    Items of a list are followed by name, also where items before them are removed.
    """
    steps = parse(field)
    of_vmi = steps[2:] if steps[:2] == ("spec", "template") else steps

    first = True

    def look(result: Result) -> str | None:
        nonlocal first
        vmi = to_manifest(result.vmi_object) if result.vmi_object is not None else {}
        vm = {} if result.admitted or result.vm_object is None else to_manifest(result.vm_object)
        for names, data, path in (
            *((value, vmi, (*start, *of_vmi)) for value, start in zip(followed, _STARTS, strict=True)),
            (in_vm, vm, steps),
        ):
            value = follow(data, path, names)
            if value is not None:
                first = False
                return as_text(value)
        if first and result.admitted:
            _refuse_typo(vmi, _STARTS, of_vmi)
        first = False
        return None

    followed: list[dict[int, str]] = [{} for _ in _STARTS]
    in_vm: dict[int, str] = {}
    return look


def of_pod_field(field: str) -> View:
    """Look at a field of the Pod; `spec.containers[compute].resources.` may be left out: `requests.memory`.

    VirtcatalogError where virt-controller makes no Pod of the unchanged VM.
    """
    steps = parse(field)
    names: dict[int, str] = {}
    first = True

    def look(result: Result) -> str | None:
        nonlocal first
        if first and result.pod_error is not None:
            raise VirtcatalogError(f"{result.pod_error.field}: {result.pod_error.message}".removeprefix(": "))
        place = _find(result.pod, steps, names) if result.pod is not None else None
        if first and place is None and result.pod is not None:
            _refuse_typo(result.pod, _POD_STARTS, steps)
        first = False
        return None if place is None else as_text(place[1])

    return look


def terms(field: str, result: Result) -> tuple[Term, ...]:
    """The terms of a field of a Pod that is a sum: the memory request or the overhead; () for other fields."""
    place = _find(result.pod, parse(field), {}) if result.pod is not None else None
    vmi, cluster = result.vmi_object, result.cluster
    if place is None or vmi is None or cluster is None:
        return ()
    path = place[0]
    if path[:3] == ("spec", "containers", 0):
        path = (*_POD_STARTS[1], *path[3:])
    if path not in (_REQUEST, _OVERHEAD):
        return ()
    facts = cluster.computed(Facts)
    overheads = overhead(vmi, facts)
    return tuple(overheads if path == _OVERHEAD else memory_request(vmi, facts, overheads))


def _find(pod: dict[str, Any], steps: Path, names: dict[int, str]) -> tuple[Path, Any] | None:
    for start in _POD_STARTS:
        path = (*start, *steps)
        # Names on a path that leads nowhere are dropped.
        names_on_path = dict(names)
        value = follow(pod, path, names_on_path)
        if value is not None:
            names.update(names_on_path)
            return path, value
    return None


def _refuse_typo(data: Any, starts: Iterable[Path], steps: Path) -> None:
    """Raise VirtcatalogError for a path that nearly leads somewhere, after the start with which it leads furthest."""
    ends: list[tuple[int, str]] = []
    for start in starts:
        places = [follow(data, (*start, *steps[:number]), {}) for number in range(len(steps))]
        depth = sum(place is not None for place in places) - 1
        if depth >= 0:
            ends.append((depth, nearest(steps[depth], places[depth]) if isinstance(places[depth], dict) else ""))
    depth, hint = max(ends, default=(0, ""))
    if hint:
        raise VirtcatalogError(f"there is no {steps[depth]!r} at that place{hint}")


def as_text(value: Any) -> str:
    """A value on one line."""
    return shown(value) if not isinstance(value, dict | list) else msgspec.json.encode(value).decode()


def follow(data: Any, steps: Path, names: dict[int, str]) -> Any:
    """The value at a path, None if there is none; `names` receives the names of list items at their first visit."""
    for number, step in enumerate(steps):
        if isinstance(step, int) and isinstance(data, list):
            if number in names:
                data = next((item for item in data if item.get("name") == names[number]), None)
            elif step >= len(data):
                return None
            else:
                data = data[step]
                if isinstance(data, dict) and isinstance(data.get("name"), str):
                    names[number] = data["name"]
        elif isinstance(data, list):
            data = next((item for item in data if isinstance(item, dict) and item.get("name") == step), None)
        else:
            data = data.get(step) if isinstance(data, dict) else None
        if data is None:
            return None
    return data


def parse(field: str) -> Path:
    """Read a path such as `devices.disks[0].disk`, `metadata.labels[a.b/c]`; VirtcatalogError for other text."""
    steps: list[str | int] = []
    rest = field.strip()
    while rest:
        if rest.startswith("["):
            inner, closed, rest = rest[1:].partition("]")
            if not closed or not inner:
                raise VirtcatalogError(f"{field!r} is not a field such as devices.disks[0].disk.bus")
            steps.append(int(inner) if inner.isdecimal() else inner)
            rest = rest.removeprefix(".")
            continue
        end = min((at for at in (rest.find("."), rest.find("[")) if at >= 0), default=len(rest))
        if end == 0:
            raise VirtcatalogError(f"{field!r} is not a field such as devices.disks[0].disk.bus")
        steps.append(rest[:end])
        rest = rest[end:].removeprefix(".") if rest[end : end + 1] == "." else rest[end:]
    if not steps:
        raise VirtcatalogError("the field is empty")
    return tuple(steps)


_NAMESPACES = {"qemu": NAMESPACE}
_MOST_TEXT = 2000


def of_xpath(expression: str) -> View:
    """Look at the match of an XPath in the domain; VirtcatalogError when it is no XPath or matches several nodes.

    A device is followed by its alias, also where devices before it are removed.
    """
    try:
        find = etree.XPath(expression, namespaces=_NAMESPACES)
    except etree.XPathError as error:
        raise VirtcatalogError(f"{expression!r} is not an XPath: {error}") from None
    followers: list[Any] = []

    def look(result: Result) -> str | None:
        if result.domain_xml is None:
            return None
        root = etree.fromstring(result.domain_xml.encode(), _PARSER)
        if followers:
            match = followers[0](root)
        else:
            match = _evaluate(find, expression, root)
            _check_single(match, expression)
            followers.append(_follower(match, find))
        return _text(match)

    return look


_PARSER = etree.XMLParser(resolve_entities=False, no_network=True)


def _evaluate(find: Any, expression: str, root: Any) -> Any:
    try:
        return find(root)
    except etree.XPathError as error:
        raise VirtcatalogError(f"{expression!r} is not an XPath for a domain: {error}") from None


def _check_single(match: Any, expression: str) -> None:
    if isinstance(match, list) and len(match) > 1:
        matches = "; ".join(str(_text([item])) for item in match[:5])
        more = f" and {len(match) - 5} more" if len(match) > 5 else ""
        raise VirtcatalogError(f"{expression!r} finds {len(match)} things, name one: {matches}{more}")


def _follower(match: Any, find: Any) -> Any:
    """A function for the same place in another domain: from the device with its alias, else the XPath itself."""
    if not isinstance(match, list) or not match:
        return find
    first: Any = match[0]
    element = first if etree.iselement(first) else first.getparent()
    device: Any = element
    while device is not None and device.find("alias") is None:
        device = device.getparent()
    if device is None or device.getparent() is None:
        return find
    name = device.find("alias").get("name")
    path = f"//{device.tag}[alias/@name=$name]/{etree.ElementTree(device).getelementpath(element)}"
    if not etree.iselement(first):
        path += f"/@{first.attrname}" if first.is_attribute else "/text()"
    follow = etree.XPath(path, namespaces=_NAMESPACES)
    return lambda root: follow(root, name=name)


def _text(match: Any) -> str | None:
    if isinstance(match, list):
        if not match:
            return None
        if isinstance(match[0], str):
            return str(match[0])
        text: str = etree.tostring(match[0], encoding="unicode", with_tail=False)
        line = "".join(part.strip() for part in text.splitlines())
        return line.replace(f' xmlns:qemu="{NAMESPACE}"', "")[:_MOST_TEXT]
    if isinstance(match, float) and match.is_integer():
        return str(int(match))
    return str(match).lower() if isinstance(match, bool) else str(match)
