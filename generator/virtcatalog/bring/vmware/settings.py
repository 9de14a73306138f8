"""What becomes of settings and devices of VMware's that no field of a machine holds, and rules to look that up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from virtcatalog.bring.imports import Verdict, carried, host, lost

Subject = str | Verdict
"""What a value is about, by which `fates` finds what becomes of it, or its fate where all VMs have the same."""

Rule = Callable[[str], Subject]
"""Returns what a text is about. Readers look rules up by the names of columns and fields."""

_OFF: Final = frozenset(("", "false", "0", "none", "off", "no", "notconfigured", "unlocked"))
_NOT_SET: Final = host("it is not set, or off")
GUESTS_CLOCK: Final = host("the guest keeps its time by NTP, or the preference's timers do")
RESERVED: Final = lost("an instance type and the Pod's requests say what is reserved")
LIMITED: Final = lost("an instance type and the Pod's requests say what it may use")
SHARED: Final = lost("the Pod's requests share out a node")
STATE: Final = host("it is how the VM is at present")
PLACE: Final = host("it is the VM's place in vSphere")
PART: Final = host("it names the part")
ADDRESS: Final = lost("a guest keeps an address that it sets itself, if its new network has it")
FAULT_TOLERANCE: Final = lost("KubeVirt runs no second VM beside one")
CUSTOM: Final = lost("a custom attribute of vCenter: a label or an annotation of the VM may say it")
HOST_DEVICE: Final = lost("a device of the host is named in gpus or hostDevices, of a type or of the VM")
DISK_MODE: Final = lost("the disk keeps what is written to it")

#: By the names of vSphere's API (VirtualMachineConfigSpec and its parts), as OVF's vmw:key and forklift's fields have
#: them; those that are set.
_SETTINGS: Mapping[str, Verdict] = {
    "cpuHotAddEnabled": carried("KubeVirt plugs CPUs in, up to maxSockets"),
    "memoryHotAddEnabled": carried("KubeVirt plugs memory in, up to maxGuest"),
    "cpuHotRemoveEnabled": lost("KubeVirt takes no CPUs out of a running VM"),
    "nestedHVEnabled": lost("a VM or an instance type says so itself: cpu.features vmx or svm, or a CPU model with it"),
    "nvram": lost("UEFI's variables begin anew: boot entries, and keys that were enrolled"),
    "changeTrackingEnabled": host("backups in the cluster track changes of their own"),
    "videoRamSizeInKB": host("KubeVirt sizes the graphics card's memory"),
    "graphicsMemorySizeInKB": host("KubeVirt sizes the graphics card's memory"),
    "useAutoDetect": host("KubeVirt sizes the graphics card's memory"),
    "slotInfo.pciSlotNumber": host("KubeVirt gives out PCI addresses"),
    "wakeOnLanEnabled": lost("KubeVirt wakes no VM by its network"),
    "flags.vbsEnabled": lost("KubeVirt has no switch for it: Hyper-V enlightenments come with the preference"),
    "flags.vvtdEnabled": lost("KubeVirt has no virtual IOMMU"),
    "sevEnabled": lost("a VM says so itself: domain.launchSecurity"),
    "tools.syncTimeWithHost": GUESTS_CLOCK,
    "connectable.allowGuestControl": host("the cluster decides who unplugs a device"),
    "bootOptions.bootDelay": host("KubeVirt starts the firmware at once"),
    "use3dRenderer": host("KubeVirt has no 3D to render"),
    "simultaneousThreads": lost("the preference lays out the vCPUs"),
    "virtualHW.productCompatibility": host("it is of VMware's own file"),
}
TOOLS: Final = host("it is of VMware Tools, which virt-v2v takes out: the guest agent of QEMU takes their place")
POWER: Final = host("the cluster decides when a VM stops")


def unless_off(value: str, verdict: Verdict, *defaults: str) -> Verdict:
    """Return the fate of a value, or that it is not set: it is off, or one of those that vSphere sets by itself."""
    text = value.strip().lower()
    return _NOT_SET if text in _OFF or text in defaults else verdict


def setting_fate(key: str, value: str) -> Verdict:
    """Return the fate of a setting of vSphere's API."""
    if key == "numDisplays":
        return unless_off(value, _nothing_for(key), "1")
    if key in _SETTINGS:
        return unless_off(value, _SETTINGS[key])
    if key.startswith("tools."):
        return unless_off(value, TOOLS)
    if key.startswith("powerOpInfo."):
        return unless_off(value, POWER)
    return unless_off(value, _nothing_for(key))


def _nothing_for(key: str) -> Verdict:
    return lost(f"KubeVirt has nothing for the setting {key}")


#: By CIM_ResourceAllocationSettingData.ResourceType.
_DEVICES: Mapping[str, Verdict] = {
    **dict.fromkeys(("5", "6", "8", "20"), host("disks come with controllers of their own")),
    "14": lost("KubeVirt has no floppy drive"),
    **dict.fromkeys(("15", "16"), lost("the drive is left out: a cdrom disk with a volume is one")),
    "21": lost("KubeVirt has one serial console, for virtctl console"),
    "22": lost("KubeVirt has no parallel port"),
    "23": host("KubeVirt adds a USB controller where a device needs one"),
    "24": host("KubeVirt or the preference chooses the graphics card"),
    "35": lost("the sound card is left out: a VM says devices.sound itself"),
}
_OTHERS: Mapping[str, Verdict] = {
    "vmware.vmci": host("it is VMware's own way to talk to its host"),
    "vmware.pcipassthrough": HOST_DEVICE,
    "vmware.vgpu": HOST_DEVICE,
    "vmware.precisionclock": lost("KubeVirt has no precision clock"),
}


def device(kind: str, subtype: str) -> Verdict:
    """Return the fate of an OVF device that is neither a disk nor a network card."""
    return _DEVICES.get(kind) or _OTHERS.get(subtype.lower()) or lost("KubeVirt has no such device")


def always(subject: Subject) -> Rule:
    """Return the rule of what says the same whatever its text is."""
    return lambda _text: subject


def when_set(verdict: Verdict, *defaults: str) -> Rule:
    """Return the rule of what has a fate when it is set, unless it is what vSphere sets by itself."""
    return lambda text: unless_off(text, verdict, *defaults)


def setting(key: str) -> Rule:
    """Return the rule of a setting of vSphere's API."""
    return partial(setting_fate, key)


def of_all(subject: Subject, *names: str) -> dict[str, Rule]:
    """Return the rules of several names that say the same."""
    return dict.fromkeys(names, always(subject))
