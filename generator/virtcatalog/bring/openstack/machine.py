"""Properties of the machine: its type, architecture, firmware and system."""

from __future__ import annotations

from typing import Any

from virtcatalog.bring.imports import Verdict, carried, lost
from virtcatalog.bring.openstack.sheet import Sheet, choice, truth

_HYPERV: dict[str, Any] = {
    **{
        name: {}
        for name in ("relaxed", "vapic", "vpindex", "runtime", "synic", "reset", "frequencies", "tlbflush", "ipi")
    },
    "spinlocks": {"spinlocks": 8191},
}


def architecture(sheet: Sheet, _key: str, value: str) -> Verdict:
    """The guest's architecture."""
    names = {"x86_64": "amd64", "aarch64": "arm64", "s390x": "s390x"}
    if value in names:
        return sheet.prefer("preferredArchitecture", names[value])
    return lost(f"KubeVirt has no machines of {value}")


def machine_type(sheet: Sheet, _key: str, value: str) -> Verdict:
    """The machine type, in KubeVirt's versions."""
    if value in ("q35", "virt", "s390-ccw-virtio") or value.startswith("pc-q35-rhel"):
        return sheet.prefer("machine.preferredMachineType", value)
    if value.startswith("pc-q35-"):
        sheet.prefer("machine.preferredMachineType", "q35")
        return lost("KubeVirt's QEMU has versions of its own: the newest q35")
    if value == "pc" or value.startswith("pc-i440fx"):
        sheet.prefer("machine.preferredMachineType", "q35")
        return lost("KubeVirt has no i440fx: a q35")
    return lost(f"KubeVirt has no machine {value}")


def firmware(sheet: Sheet, _key: str, value: str) -> Verdict:
    """UEFI or BIOS; KubeVirt's default is BIOS, too."""
    if choice(value, "uefi", "bios") == "bios":
        return sheet.prefer("firmware.preferredUseBios", True)
    return sheet.prefer("firmware.preferredEfi", {"secureBoot": False})


def secure_boot(sheet: Sheet, _key: str, value: str) -> Verdict:
    """Secure boot needs UEFI and SMM."""
    if choice(value, "required", "optional", "disabled") != "required":
        return (
            carried("UEFI boots whatever there is")
            if value == "disabled"
            else lost("secure boot is on or off: preference: firmware.preferredEfi")
        )
    sheet.prefer("features.preferredSmm", {})
    return sheet.prefer("firmware.preferredEfi", {"secureBoot": True})


def encryption(sheet: Sheet, _key: str, value: str) -> Verdict:
    """Encrypted memory, by SEV."""
    return sheet.type("launchSecurity", {"sev": {}}) if truth(value) else carried("memory is not encrypted")


def os_type(sheet: Sheet, _key: str, value: str) -> Verdict:
    """The system; Windows gets enlightenments of Hyper-V, but no clock in local time."""
    choice(value, "linux", "windows")
    sheet.prefer("annotations", {"vm.kubevirt.io/os": value})
    if value == "windows":
        sheet.prefer("features.preferredHyperv", _HYPERV)
        sheet.prefer("clock.preferredTimer.hyperv", {})
        return carried("preference: features.preferredHyperv; the clock is UTC, nova's was local time")
    return carried("preference: annotations[vm.kubevirt.io/os]")


def hidden(sheet: Sheet, _key: str, value: str) -> Verdict:
    """Whether KVM is hidden from the guest."""
    return sheet.prefer("features.preferredKvm", {"hidden": truth(value)})


def hpet(sheet: Sheet, _key: str, value: str) -> Verdict:
    """The HPET, off unless wanted."""
    return sheet.prefer("clock.preferredTimer.hpet", {"present": truth(value)})
