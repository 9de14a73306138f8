"""The volumes behind a domain's disks: by rule, or by KubeVirt's own paths."""

from __future__ import annotations

import re
from typing import Any

from virtcatalog.api.names import namespace_or_default
from virtcatalog.bring.libvirt.draft import Draft, attribute
from virtcatalog.bring.libvirt.rules import Rules
from virtcatalog.manifests.xml import XMLElement

_KUBEVIRT_PATHS = re.compile(
    r"/var/run/(?:kubevirt-ephemeral-disks/disk-data/(?P<overlay>[^/]+)/disk\.qcow2"
    r"|kubevirt-ephemeral-disks/cloud-init-data/[^/]+/[^/]+/(?P<cloudinit>noCloud|configdrive)\.iso"
    r"|kubevirt-private/vmi-disks/(?P<claim>[^/]+)/(?P<file>[^/]+)"
    r"|kubevirt/hotplug-disks/(?P<hotplug>[^/]+?)(?:\.img)?"
    r"|libvirt/empty-disks/(?P<empty>[^/]+)\.qcow2"
    r"|kubevirt-private/(?P<config>config-map|secret|sysprep|downwardapi|service-account)-disks?/(?P<iso>[^/]+))"
)
_CONTAINER_DISK = re.compile(r"/var/run/kubevirt/container-disks/disk_([0-9]+)\.img")
_UNKNOWN_SIZE = "1Gi"
_BROUGHT = "the image comes into the volume as it is"


def rule_volume(draft: Draft, rules: Rules, element: XMLElement, name: str, path: str) -> dict[str, Any]:
    """The volume that a rule makes of a disk."""
    target = element.first("target")
    rule = rules.disk(attribute(target, "dev"), path, path.rpartition("/")[2])
    parts = [(element, "type"), element.first("source"), element.first("backingStore"), element.first("mirror")]
    driver = element.first("driver")
    if driver is not None:
        parts.append((driver, "type"))
    if rule.kind == "image":
        draft.mark("host", f"the image is that of the container disk {rule.value}", *parts)
        return {"name": name, "containerDisk": {"image": rule.value}}
    if rule.kind == "claim":
        claim = rule.value or f"{draft.name}-{name}"
        draft.mark("host", f"{_BROUGHT}: the claim {claim}", *parts)
        return claim_volume(draft, name, claim)
    volume = f"{draft.name}-{name}"
    draft.mark("host", f"{_BROUGHT}: the DataVolume {volume}", *parts)
    sources: dict[str, dict[str, Any]] = {
        "http": {"http": {"url": rule.value}},
        "registry": {"registry": {"url": rule.value}},
        "blank": {"blank": {}},
        "upload": {"upload": {}},
    }
    storage: dict[str, Any] = {"resources": {"requests": {"storage": rule.size}}} if rule.size else {}
    if rule.kind == "clone":
        namespace, _, claim = rule.value.partition("/")
        sources["clone"] = {"pvc": {"namespace": namespace, "name": claim}}
    draft.data_volumes.append(
        {"metadata": {"name": volume}, "spec": {"source": sources[rule.kind], "storage": storage}}
    )
    return {"name": name, "dataVolume": {"name": volume}}


def claim_volume(draft: Draft, name: str, claim: str) -> dict[str, Any]:
    """Return the volume of a claim, whose name is made of the VM's and the volume's where it is not set."""
    return {"name": name, "persistentVolumeClaim": {"claimName": claim or f"{draft.name}-{name}"}}


def volume_of_kubevirt(
    draft: Draft, element: XMLElement, name: str, path: str
) -> tuple[int | None, dict[str, Any]] | None:
    """The volume behind one of KubeVirt's own paths, with its index among the volumes where the path shows it."""
    field = f"volumes[name={name}]"
    if path == f"/dev/{name}":
        return None, _assumed(draft, element, name, block=True)
    match = _KUBEVIRT_PATHS.fullmatch(path)
    if match is None:
        return None
    if match["overlay"]:
        return _overlay(draft, element, name, field)
    if match["cloudinit"]:
        kind = "cloudInitNoCloud" if match["cloudinit"] == "noCloud" else "cloudInitConfigDrive"
        draft.need(f"{field}.{kind}.userData", "the domain does not tell the user data")
        return None, {"name": name, kind: {"userData": "#cloud-config\n"}}
    if match["claim"] and (match["file"] != "disk.img" or _has_no_claim(element)):
        draft.need(f"{field}.hostDisk.path", "the domain does not tell the folder of the host disk")
        return None, {"name": name, "hostDisk": {"path": f"/{match['file']}", "type": "Disk"}}
    if match["claim"]:
        return None, _assumed(draft, element, name, block=False)
    if match["hotplug"]:
        claim = _assumed(draft, element, name, block=element.get("type") == "block")
        claim["persistentVolumeClaim"]["hotpluggable"] = True
        return None, claim
    if match["empty"]:
        draft.need(f"{field}.emptyDisk.capacity", "the domain does not tell the size of the empty disk")
        return None, {"name": name, "emptyDisk": {"capacity": _UNKNOWN_SIZE}}
    return None, _configuration(draft, match["config"], match["iso"], name, field)


def _has_no_claim(element: XMLElement) -> bool:
    return element.get("device") != "cdrom" and element.first("filesystemOverhead") is None


def _configuration(draft: Draft, kind: str, iso: str, name: str, field: str) -> dict[str, Any]:
    """A volume made of a Kubernetes object, whose name is not in the domain."""
    if kind == "downwardapi" and iso == "vhostmd0":
        return {"name": name, "downwardMetrics": {}}
    sources: dict[str, dict[str, Any]] = {
        "config-map": {"configMap": {"name": name}},
        "secret": {"secret": {"secretName": name}},
        "sysprep": {"sysprep": {"configMap": {"name": name}}},
        "downwardapi": {"downwardAPI": {"fields": []}},
        "service-account": {"serviceAccount": {"serviceAccountName": "default"}},
    }
    draft.need(f"{field}.{next(iter(sources[kind]))}", "the domain does not tell the name of the object")
    return {"name": name, **sources[kind]}


def _overlay(draft: Draft, element: XMLElement, name: str, field: str) -> tuple[int | None, dict[str, Any]]:
    backing = element.first("backingStore", "source")
    below = attribute(backing, "file") or attribute(backing, "dev")
    image = _CONTAINER_DISK.fullmatch(below)
    if image is None:
        claim = _assumed(draft, element, name, block=below.startswith("/dev/"))
        return None, {"name": name, "ephemeral": {"persistentVolumeClaim": claim["persistentVolumeClaim"]}}
    draft.need(f"{field}.containerDisk.image", "the domain does not tell the image of the container disk")
    return int(image[1]) if len(image[1]) < 4 else None, {
        "name": name,
        "containerDisk": {"image": f"registry.invalid/{name}"},
    }


def _assumed(draft: Draft, element: XMLElement, name: str, *, block: bool) -> dict[str, Any]:
    """The volume of an existing claim, which is added to `draft.assumed` as the domain shows it."""
    volume = claim_volume(draft, name, "")
    claim = volume["persistentVolumeClaim"]["claimName"]
    capacity, driver = element.first("capacity"), element.first("driver")
    size = capacity.text if capacity is not None and capacity.text.isdecimal() else "10Gi"
    preallocated = attribute(driver, "discard") != "unmap" and element.get("device") != "cdrom"
    annotations = {"annotations": {"cdi.kubevirt.io/storage.preallocation": "true"}} if preallocated else {}
    if block or capacity is not None or preallocated:
        draft.assumed.append(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {"name": claim, "namespace": namespace_or_default(draft.namespace), **annotations},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "volumeMode": "Block" if block else "Filesystem",
                    "resources": {"requests": {"storage": size}},
                },
                "status": {"capacity": {"storage": size}},
            }
        )
    draft.need(
        f"volumes[name={name}].persistentVolumeClaim.claimName", "the domain does not tell the name of the claim"
    )
    return volume


def in_place(volumes: list[tuple[int | None, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the volumes, those with an index in their place, the others between them in their order."""
    placed = {place: volume for place, volume in volumes if place is not None and place < len(volumes)}
    unplaced = iter(
        [volume for place, volume in volumes if volume is not placed.get(place if place is not None else -1)]
    )
    return [placed[place] if place in placed else next(unplaced) for place in range(len(volumes))]
