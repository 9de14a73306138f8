"""Makes a VM of a libvirt domain, with the fate of every part of the domain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from virtcatalog.api.findings import steps
from virtcatalog.bring.imports import Fate, label
from virtcatalog.bring.libvirt.account import Part, account, added
from virtcatalog.bring.libvirt.devices import devices
from virtcatalog.bring.libvirt.disks import disks
from virtcatalog.bring.libvirt.draft import Draft, Need
from virtcatalog.bring.libvirt.machine import machine
from virtcatalog.bring.libvirt.rules import Rules
from virtcatalog.errors import Reason, Warning
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.deviceplugins import resource_kinds
from virtcatalog.kubevirt.launcher.launch.ports import SLOT_COUNT_ANNOTATION
from virtcatalog.kubevirt.pipeline import Result, expand
from virtcatalog.manifests.xml import XMLElement, read_xml

_ROUNDS = 100
_TEMPLATE = ("spec", "template", "spec")


class Imported(NamedTuple):
    """A VM made of a domain.

    `parts` are all elements and attributes of the domain. `needs` are fields that the domain does not tell, with
    values that have to be replaced. `assumed` are manifests of claims that the VM uses. `reasons` are why KubeVirt
    refuses the VM; all parts are unproven then. `same` is set if the VM's domain equals its source; `added` are the
    parts that only the VM's domain has.
    """

    name: str
    vm: dict[str, Any]
    assumed: list[dict[str, Any]]
    needs: list[Need]
    parts: list[Part]
    reasons: tuple[Reason, ...]
    warnings: tuple[Warning, ...]
    same: bool
    added: list[str]
    domain_xml: str

    def outermost(self, fate: Fate) -> list[Part]:
        """Return the parts of a fate, without those inside of an element with the same fate and reason."""
        parts: dict[str, Part] = {}
        for part in self.parts:
            above = parts.get(part.path.rpartition("/")[0])
            if part.fate == fate and (above is None or above.why != part.why):
                parts[part.path] = part
            elif part.fate == fate and above is not None:
                parts[part.path] = above
        return [part for path, part in parts.items() if part.path == path]

    @property
    def lost(self) -> list[Part]:
        """The parts of the domain that the VM lacks."""
        return [part for part in self.parts if part.fate == "lost"]


def import_domain(
    content: bytes,
    file: str,
    rules: Rules,
    conditions: Conditions,
    objects: list[dict[str, Any]] | None = None,
    run_strategy: str = "Halted",
) -> Imported:
    """Return the VM of a domain's XML; ManifestError, with line and column, for content that is no domain.

    The VM is expanded with `objects` under `conditions`. Fields that KubeVirt refuses are removed, and the parts that
    they came from are lost.
    """
    draft = _read(content, file)
    cluster = Cluster.under(objects or (), conditions)
    machine(draft)
    devices(draft, rules, resource_kinds(cluster.configuration))
    disks(draft, rules)
    if draft.assumed:
        cluster = Cluster.under([*(objects or ()), *draft.assumed], conditions)
    vm, result = _settle(draft, cluster, run_strategy)
    element = read_xml(result.domain_xml.encode(), "the VM's domain") if result.admitted and result.domain_xml else None
    return Imported(
        draft.name,
        vm,
        draft.assumed,
        draft.needs,
        account(draft, element),
        result.reasons,
        result.warnings,
        element is not None and _equal_elements(draft.domain, element),
        added(draft, element) if element is not None else [],
        result.domain_xml or "",
    )


def _read(content: bytes, file: str) -> Draft:
    root = read_xml(content, file)
    draft = Draft(root, file)
    if root.tag != "domain":
        raise draft.fault(root, f"<{root.name}> is no <domain>: give what `virsh dumpxml` prints")
    text = draft.one("name").text
    if not text:
        raise draft.fault(draft.one("name"), "a domain has a name")
    namespace, _, name = text.partition("_")
    if not draft.from_kubevirt:
        namespace, name = "", text
    draft.name, draft.namespace = label(name, "vm") if not draft.from_kubevirt else name, namespace
    draft.one("devices")
    if draft.name != name:
        draft.mark("carried", f"metadata.name: {draft.name}", draft.one("name"))
    description = root.first("description")
    if description is not None:
        draft.mark("carried", "metadata.annotations[description]", description)
    return draft


def _settle(draft: Draft, cluster: Cluster, run_strategy: str) -> tuple[dict[str, Any], Result]:
    """Expand the VM; remove fields that KubeVirt refuses, and the room for memory hotplug that it adds."""
    for _ in range(_ROUNDS):
        vm = _manifest(draft, run_strategy)
        result = expand(vm, cluster)
        if not result.admitted:
            if not any(_drop(draft, reason) for reason in result.reasons):
                break
        elif _grows(draft, result):
            draft.put(("domain", "memory", "maxGuest"), draft.get("domain", "memory", "guest"))
        elif not _count_slots(draft, result):
            break
    return vm, result


def _drop(draft: Draft, reason: Reason) -> bool:
    path = steps(reason.field) if reason.field else ()
    if path[3:6] == ("domain", "devices", "filesystems"):
        return _share_configuration(draft) if draft.from_kubevirt else _share_nothing(draft, reason)
    return path[:3] == _TEMPLATE and draft.drop(path[3:], f"KubeVirt refuses it: {reason.message}")


def _share_configuration(draft: Draft) -> bool:
    """Take the sources of KubeVirt's filesystems for ConfigMaps, where claims cannot be shared."""
    names = {filesystem["name"] for filesystem in draft.get("domain", "devices", "filesystems")}
    claims = [
        volume for volume in draft.spec["volumes"] if volume["name"] in names and "persistentVolumeClaim" in volume
    ]
    for volume in claims:
        del volume["persistentVolumeClaim"]
        volume["configMap"] = {"name": volume["name"]}
    return bool(claims)


def _share_nothing(draft: Draft, reason: Reason) -> bool:
    shared = [element for element in draft.devices if element.tag == "filesystem"]
    names = {draft.devices.pop(element) for element in shared}
    draft.mark("lost", f"KubeVirt refuses it: {reason.message}", *shared)
    draft.spec["domain"]["devices"].pop("filesystems", None)
    volumes = [volume for volume in draft.spec.pop("volumes") if volume["name"] not in names]
    if volumes:
        draft.spec["volumes"] = volumes
    return bool(names)


def _count_slots(draft: Draft, result: Result) -> bool:
    """Set the number of root ports for hotplug to the domain's, once, if KubeVirt made the domain with others."""
    if not draft.from_kubevirt or SLOT_COUNT_ANNOTATION in draft.annotations or result.domain is None:
        return False
    missing = _root_ports(draft.domain.all("devices", "controller")) - _root_ports(
        result.domain.findall("devices/controller")
    )
    interfaces = len(draft.get("domain", "devices", "interfaces") or [])
    slots = max(interfaces, 4 if interfaces else 0) - missing
    if not missing or slots < 0:
        return False
    draft.annotations[SLOT_COUNT_ANNOTATION] = str(slots)
    return True


def _root_ports(controllers: Iterable[Any]) -> int:
    return sum(controller.get("model") == "pcie-root-port" for controller in controllers)


def _grows(draft: Draft, result: Result) -> bool:
    """Whether KubeVirt adds room for memory hotplug that the domain lacks."""
    domain = result.domain
    declared = draft.domain.first("maxMemory") is not None or draft.get("domain", "memory", "maxGuest") is not None
    return domain is not None and domain.find("maxMemory") is not None and not declared


def _manifest(draft: Draft, run_strategy: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": draft.name}
    if draft.namespace:
        metadata["namespace"] = draft.namespace
    description = draft.domain.first("description")
    if description is not None and description.text:
        metadata["annotations"] = {"description": description.text}
    spec: dict[str, Any] = {"runStrategy": run_strategy}
    if draft.data_volumes:
        spec["dataVolumeTemplates"] = draft.data_volumes
    template: dict[str, Any] = {"metadata": {"annotations": draft.annotations}} if draft.annotations else {}
    domain = {key: draft.spec["domain"][key] for key in sorted(draft.spec["domain"], key=lambda key: key == "devices")}
    spec["template"] = {**template, "spec": {**draft.spec, "domain": domain}}
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": spec}


def _equal_elements(element: XMLElement, other: XMLElement) -> bool:
    return (
        element.tag == other.tag
        and element.text == other.text
        and element.attributes == other.attributes
        and len(element.children) == len(other.children)
        and all(map(_equal_elements, element.children, other.children))
    )
