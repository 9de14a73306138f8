"""What the columns of RVTools' sheets say of a VM.

The columns are those of RVTools 4.6. A column that is not among them is a custom attribute of vCenter's, which RVTools
puts into every sheet under its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from virtcatalog.bring.imports import Verdict, host, lost
from virtcatalog.bring.vmware.settings import LIMITED, POWER, RESERVED, SHARED, setting, unless_off

Says = str | Verdict
Rule = Callable[[str], Says]
"""Returns what a cell says: the subject of it, or its fate."""

_STATE: Final = host("it is how the VM is at present")
_PLACE: Final = host("it is the VM's place in vSphere")
_FILES: Final = host("it is where vSphere has the VM's files")
_PART: Final = host("it names the part")
_HARDWARE: Final = host("it is the hypervisor's version of its machine")
_AVAILABILITY: Final = host("KubeVirt starts a VM again as its runStrategy says")
_ELSEWHERE: Final = host("another sheet has each of them")
_STORED: Final = host("the storage class decides how a disk is stored")
_LEVEL: Final = host("Level says whether it is set")
_ADDRESS: Final = lost("a guest keeps an address that it sets itself, if its new network has it")
_FAULT_TOLERANCE: Final = lost("KubeVirt runs no second VM beside one")
_RULES: Final = lost("no rule is made: a VM's affinity says beside which others it runs")
_CUSTOM: Final = lost("a custom attribute of vCenter: a label or an annotation of the VM may say it")
_DISK_MODE: Final = lost("the disk keeps what is written to it")


def _always(says: Says) -> Rule:
    return lambda _text: says


def _set(verdict: Verdict, *defaults: str) -> Rule:
    """The fate of what is set, unless it is what vSphere sets by itself."""
    return lambda text: unless_off(text, verdict, *defaults)


def _setting(key: str) -> Rule:
    return partial(setting, key)


def _all(says: Says, *columns: str) -> dict[str, Rule]:
    return dict.fromkeys(columns, _always(says))


_COMMON: Mapping[str, Rule] = {
    **_all("name", "VM"),
    **_all("runs", "Powerstate"),
    **_all("notes", "Annotation"),
    **_all("guest", "OS according to the configuration file", "OS according to the VMware Tools"),
    **_all(host("templates are left out"), "Template"),
    "SRM Placeholder": _set(lost("it stands for a VM of another site: import that one")),
    **_all(_PLACE, "Datacenter", "Cluster", "Host", "Folder", "Folder ID", "Resource pool", "VI SDK Server"),
    **_all(_PLACE, "VI SDK UUID", "VI SDK Server type", "VI SDK API Version"),
    **_all(_PART, "VM ID", "VM UUID", "Object ID", "Internal Sort Column"),
}
_INFO: Mapping[str, Rule] = {
    **_all("vcpus", "CPUs"),
    **_all("memory", "Memory"),
    **_all("firmware", "Firmware"),
    **_all("secureBoot", "EFI Secure boot"),
    **_all("uuid", "SMBIOS UUID"),
    **_all("guest", "Guest Detailed Data"),
    **_all(_STATE, "Config status", "Connection state", "Guest state", "Heartbeat", "Consolidation Needed", "PowerOn"),
    **_all(_STATE, "Suspend time", "Suspend Interval", "Creation date", "Change Version", "Overall Cpu Readiness"),
    **_all(_STATE, "Active Memory", "Provisioned MiB", "In Use MiB", "Unshared MiB", "Vm Failover In Progress"),
    **_all(_STATE, "Boot Required", "Customization Info"),
    "Suspended To Memory": _set(lost("what is in the memory of a suspended VM stays behind")),
    **_all(host("the guest has its name on its disk"), "DNS Name"),
    **_all(_ADDRESS, "Primary IP Address"),
    **_all(_ELSEWHERE, "NICs", "Disks", "Total disk capacity MiB", *(f"Network #{number}" for number in range(1, 9))),
    "Fixed Passthru HotPlug": _set(lost("KubeVirt plugs no devices of the host into a running VM")),
    **_all(host("the CPU model of the VM decides where it can migrate"), "min Required EVC Mode Key"),
    "Latency Sensitivity": _set(lost("a VM or an instance type says so itself: dedicatedCpuPlacement"), "normal"),
    **_all(host("KubeVirt tells no guest that it will migrate"), "Op Notification Timeout"),
    "EnableUUID": _set(lost("the guest finds other serial numbers of its disks")),
    "CBT": _setting("changeTrackingEnabled"),
    "Num Monitors": _setting("numDisplays"),
    "Video Ram KiB": _setting("videoRamSizeInKB"),
    "vApp": _set(lost("KubeVirt has no vApps: nothing starts VMs one after another")),
    **_all(_AVAILABILITY, "DAS protection", "HA Restart Priority", "HA Isolation Response", "HA VM Monitoring"),
    **dict.fromkeys(
        ("FT State", "FT Role", "FT Latency", "FT Bandwidth", "FT Sec. Latency"), _set(_FAULT_TOLERANCE, "-1")
    ),
    **dict.fromkeys(("Cluster rule(s)", "Cluster rule name(s)"), _set(_RULES)),
    "Boot delay": _setting("bootOptions.bootDelay"),
    "Boot retry enabled": _setting("bootOptions.bootRetryEnabled"),
    **_all(host("Boot retry enabled says whether it is set"), "Boot retry delay"),
    "Boot BIOS setup": _setting("bootOptions.enterBIOSSetup"),
    **_all(POWER, "Reboot PowerOff"),
    **_all(_HARDWARE, "HW version", "HW upgrade status", "HW upgrade policy", "HW target"),
    **_all(_FILES, "Path", "Log directory", "Snapshot directory", "Suspend directory"),
}
_SHARES: Mapping[str, Rule] = {
    "Level": _set(SHARED, "normal"),
    **_all(_LEVEL, "Shares"),
    "Reservation": _set(RESERVED),
    "Limit": _set(LIMITED, "-1"),
    **_all(_STATE, "Entitlement", "DRS Entitlement"),
}
_CPU: Mapping[str, Rule] = {
    **_SHARES,
    **_all("vcpus", "CPUs"),
    **_all("cores", "Sockets", "Cores p/s"),
    **_all(_STATE, "Max", "Overall"),
    "Hot Add": _setting("cpuHotAddEnabled"),
    "Hot Remove": _setting("cpuHotRemoveEnabled"),
    "Numa Hotadd Exposed": _set(lost("the guest sees no NUMA nodes, unless the VM or its type says so")),
}
_MEMORY: Mapping[str, Rule] = {
    **_SHARES,
    **_all("memory", "Size MiB"),
    "Memory Reservation Locked To Max": _set(RESERVED),
    **_all(_STATE, "Overhead", "Max", "Consumed", "Consumed Overhead", "Private", "Shared", "Swapped", "Ballooned"),
    **_all(_STATE, "Active"),
    "Hot Add": _setting("memoryHotAddEnabled"),
}
_DISK: Mapping[str, Rule] = {
    **_SHARES,
    **_all("disk", "Disk", "Label", "SCSI Unit #", "Unit #"),
    **_all(_PART, "Disk Key"),
    **_all(host("EnableUUID says whether the guest sees it"), "Disk UUID"),
    **_all("disk.storage", "Path"),
    **_all("disk.file", "Disk Path"),
    **_all("disk.size", "Capacity MiB"),
    **_all("disk.raw", "Raw", "Raw LUN ID", "Raw Comp. Mode"),
    "Disk Mode": _set(_DISK_MODE, "persistent", "independent_persistent"),
    **_all("disk.shared", "Sharing mode", "Shared Bus"),
    **_all(_STORED, "Thin", "Eagerly Scrub", "Split", "Write Through"),
    **_all("disk.bus", "Controller"),
}
_NETWORK: Mapping[str, Rule] = {
    **_all("nic", "NIC label"),
    **_all("nic.model", "Adapter"),
    **_all("nic.network", "Network"),
    **_all(host("the mapping says where its network is"), "Switch"),
    **_all(_STATE, "Connected"),
    **_all("nic.connected", "Starts Connected"),
    **_all("nic.mac", "Mac Address"),
    **_all(host("it says who chose the address"), "Type"),
    **_all(_ADDRESS, "IPv4 Address", "IPv6 Address"),
    "Direct Path IO": _set(lost("a NetworkAttachmentDefinition with SR-IOV gives a VM the card itself")),
}
#: By the names of the sheets.
COLUMNS: Mapping[str, Mapping[str, Rule]] = {
    "vInfo": {**_COMMON, **_INFO},
    "vCPU": {**_COMMON, **_CPU},
    "vMemory": {**_COMMON, **_MEMORY},
    "vDisk": {**_COMMON, **_DISK},
    "vNetwork": {**_COMMON, **_NETWORK},
}


def rule(sheet: str, column: str) -> Rule:
    """Return what says what a column says."""
    return COLUMNS[sheet].get(column) or _set(_CUSTOM)
