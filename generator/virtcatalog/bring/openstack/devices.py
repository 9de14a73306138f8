"""Properties of devices."""

from __future__ import annotations

import re
from collections import Counter

from virtcatalog.bring.imports import Verdict, carried, lost
from virtcatalog.bring.openstack.sheet import Sheet, ValueFault, choice, number, truth

_DISK_BUSES = ("virtio", "scsi", "sata", "usb")
_OTHER_BUSES = ("ide", "fdc", "xen", "lxc", "uml", "lan")
_VIFS = ("virtio", "e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139")
_OTHER_VIFS = (
    "netfront",
    "spapr-vlan",
    "sriov",
    "vmxnet",
    "vmxnet3",
    "VirtualE1000",
    "VirtualE1000e",
    "VirtualPCNet32",
    "lan9118",
)
_MOST_DEVICES = 64
_VIDEOS = ("vga", "cirrus", "virtio", "bochs", "ramfb")
_OTHER_VIDEOS = ("qxl", "vmvga", "xen", "gop")


def passthrough(sheet: Sheet, _key: str, value: str) -> Verdict:
    """`alias:count,…`: host devices of the resources that rules name."""
    devices: list[dict[str, str]] = []
    counts: Counter[str] = Counter()
    for part in value.split(","):
        alias, _, count = part.strip().partition(":")
        if not alias:
            raise ValueFault("is no list such as gpu:1,nic:2")
        name = re.sub("[^a-z0-9]+", "-", alias.lower()).strip("-") or "device"
        for _ in range(_count(count or "1")):
            devices.append({"name": f"{name}-{counts[name]}", "deviceName": _resource(sheet, alias)})
            counts[name] += 1
    return sheet.type("hostDevices", devices)


def _count(value: str, least: int = 1) -> int:
    count = number(value, least)
    if count > _MOST_DEVICES:
        raise ValueFault(f"wants more than {_MOST_DEVICES} devices")
    return count


def vgpu(sheet: Sheet, key: str, value: str) -> Verdict:
    """`resources:VGPU`: GPUs of the resource that a rule names."""
    count = _count(value, 0)
    if not count:
        return carried("no GPU")
    name = _resource(sheet, key.partition(":")[2])
    return sheet.type("gpus", [{"name": f"vgpu-{place}", "deviceName": name} for place in range(count)])


def _resource(sheet: Sheet, alias: str) -> str:
    resource = sheet.resources.get(alias)
    if resource is None:
        sheet.needs.append(f"the resource of {alias}: --device {alias}=RESOURCE names it")
    return resource or f"devices.invalid/{re.sub('[^A-Za-z0-9_.-]', '-', alias)}"


def disk_bus(sheet: Sheet, key: str, value: str) -> Verdict:
    """The bus of disks or CD-ROMs."""
    choice(value, *_DISK_BUSES, *_OTHER_BUSES)
    cdrom = key == "hw_cdrom_bus"
    field = "devices.preferredCdromBus" if cdrom else "devices.preferredDiskBus"
    if value in _DISK_BUSES and not (cdrom and value == "virtio"):
        return sheet.prefer(field, value)
    if value == "ide" or cdrom:
        sheet.prefer(field, "sata")
        return lost(f"KubeVirt has no {'CD-ROMs' if cdrom else 'disks'} on {value}: they are on sata")
    return lost(f"KubeVirt has no disks on {value}")


def scsi_model(_sheet: Sheet, _key: str, value: str) -> Verdict:
    """The SCSI controller."""
    return carried("KubeVirt's SCSI is virtio's") if value == "virtio-scsi" else lost("KubeVirt has virtio-scsi alone")


def vif_model(sheet: Sheet, _key: str, value: str) -> Verdict:
    """The model of interfaces."""
    choice(value, *_VIFS, *_OTHER_VIFS)
    if value in _VIFS:
        return sheet.prefer("devices.preferredInterfaceModel", value)
    return lost(f"KubeVirt has no {value}: interfaces are virtio")


def multiqueue(sheet: Sheet, _key: str, value: str) -> Verdict:
    """As many queues as vCPUs."""
    return sheet.prefer("devices.preferredNetworkInterfaceMultiQueue", truth(value))


def tpm(sheet: Sheet, key: str, value: str) -> Verdict:
    """A TPM 2.0 that keeps its state."""
    if key.endswith("version") and choice(value, "1.2", "2.0") == "1.2":
        return lost("KubeVirt's TPMs are 2.0")
    if key.endswith("model"):
        choice(value, "tpm-tis", "tpm-crb")
    verdict = sheet.prefer("devices.preferredTPM", {"persistent": True})
    if value == "tpm-tis":
        return lost("a TPM that keeps its state is a tpm-crb")
    return verdict


def video(sheet: Sheet, _key: str, value: str) -> Verdict:
    """The graphics card."""
    choice(value, *_VIDEOS, *_OTHER_VIDEOS, "none")
    if value == "none":
        sheet.prefer("devices.preferredVideoType", None)
        return sheet.prefer("devices.preferredAutoattachGraphicsDevice", False)
    if value in _VIDEOS:
        return sheet.prefer("devices.preferredVideoType", value)
    return lost(f"KubeVirt has no {value}: a virtio card")


def pointer(sheet: Sheet, _key: str, value: str) -> Verdict:
    """A tablet."""
    choice(value, "usbtablet")
    return sheet.prefer("devices.preferredInputType", "tablet")


def input_bus(sheet: Sheet, _key: str, value: str) -> Verdict:
    """The tablet's bus."""
    return sheet.prefer("devices.preferredInputBus", choice(value, "usb", "virtio"))


def rng(sheet: Sheet, key: str, value: str) -> Verdict:
    """Entropy from the host."""
    has_rng = choice(value, "virtio") == "virtio" if key == "hw_rng_model" else truth(value)
    if has_rng:
        return sheet.prefer("devices.preferredRng", {})
    sheet.prefer("devices.preferredRng", None)  # takes away what an image has
    return carried("no entropy from the host")


def sound(sheet: Sheet, _key: str, value: str) -> Verdict:
    """The model of the sound card, for VMs with one."""
    choice(value, "sb16", "es1370", "pcspk", "ac97", "ich6", "ich9", "usb", "virtio")
    if value in ("ich9", "ac97"):
        return sheet.prefer("devices.preferredSoundModel", value)
    return lost("KubeVirt has the sound cards ich9 and ac97")


def agent(_sheet: Sheet, _key: str, value: str) -> Verdict:
    """The guest agent's channel, which every guest of KubeVirt has."""
    truth(value)
    return carried("every guest has the guest agent's channel")
