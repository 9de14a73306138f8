"""What the columns of RVTools' sheets say of a VM.

The columns are those of RVTools 4.6. A column that is not among them is a custom attribute of vCenter's, which RVTools
puts into every sheet under its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from virtcatalog.bring.imports import host, lost
from virtcatalog.bring.vmware.settings import (
    ADDRESS,
    CUSTOM,
    DISK_MODE,
    FAULT_TOLERANCE,
    LIMITED,
    PART,
    PLACE,
    POWER,
    RESERVED,
    SHARED,
    STATE,
    Rule,
    always,
    of_all,
    setting,
    when_set,
)

_FILES: Final = host("it is where vSphere has the VM's files")
_HARDWARE: Final = host("it is the hypervisor's version of its machine")
_AVAILABILITY: Final = host("KubeVirt starts a VM again as its runStrategy says")
_ELSEWHERE: Final = host("another sheet has each of them")
_STORED: Final = host("the storage class decides how a disk is stored")
_LEVEL: Final = host("Level says whether it is set")
_RULES: Final = lost("no rule is made: a VM's affinity says beside which others it runs")

_COMMON: Mapping[str, Rule] = {
    **of_all("name", "VM"),
    **of_all("runs", "Powerstate"),
    **of_all("notes", "Annotation"),
    **of_all("guest", "OS according to the configuration file", "OS according to the VMware Tools"),
    **of_all(host("templates and placeholders are left out"), "Template", "SRM Placeholder"),
    **of_all(PLACE, "Datacenter", "Cluster", "Host", "Folder", "Folder ID", "Resource pool", "VI SDK Server"),
    **of_all(PLACE, "VI SDK UUID", "VI SDK Server type", "VI SDK API Version"),
    **of_all(PART, "VM ID", "VM UUID", "Object ID", "Internal Sort Column"),
}
COMMON: Final = frozenset(_COMMON)
"""Columns that every sheet has, with what vInfo says in them."""
AGAIN: Final = always(host("vInfo says it"))
_INFO: Mapping[str, Rule] = {
    **of_all("vcpus", "CPUs"),
    **of_all("memory", "Memory"),
    **of_all("firmware", "Firmware"),
    **of_all("secureBoot", "EFI Secure boot"),
    **of_all("uuid", "SMBIOS UUID"),
    **of_all("guest", "Guest Detailed Data"),
    **of_all(STATE, "Config status", "Connection state", "Guest state", "Heartbeat", "Consolidation Needed", "PowerOn"),
    **of_all(STATE, "Suspend time", "Suspend Interval", "Creation date", "Change Version", "Overall Cpu Readiness"),
    **of_all(STATE, "Active Memory", "Provisioned MiB", "In Use MiB", "Unshared MiB", "Vm Failover In Progress"),
    **of_all(STATE, "Boot Required", "Customization Info"),
    "Suspended To Memory": when_set(lost("what is in the memory of a suspended VM stays behind")),
    **of_all(host("the guest has its name on its disk"), "DNS Name"),
    **of_all(ADDRESS, "Primary IP Address"),
    **of_all(_ELSEWHERE, "NICs", "Disks", "Total disk capacity MiB", *(f"Network #{number}" for number in range(1, 9))),
    "Fixed Passthru HotPlug": when_set(lost("KubeVirt plugs no devices of the host into a running VM")),
    **of_all(host("the CPU model of the VM decides where it can migrate"), "min Required EVC Mode Key"),
    "Latency Sensitivity": when_set(lost("a VM or an instance type says so itself: dedicatedCpuPlacement"), "normal"),
    **of_all(host("KubeVirt tells no guest that it will migrate"), "Op Notification Timeout"),
    "EnableUUID": when_set(lost("the guest finds other serial numbers of its disks")),
    "CBT": setting("changeTrackingEnabled"),
    "Num Monitors": setting("numDisplays"),
    "Video Ram KiB": setting("videoRamSizeInKB"),
    "vApp": when_set(lost("KubeVirt has no vApps: nothing starts VMs one after another")),
    **of_all(_AVAILABILITY, "DAS protection", "HA Restart Priority", "HA Isolation Response", "HA VM Monitoring"),
    **dict.fromkeys(
        ("FT State", "FT Role", "FT Latency", "FT Bandwidth", "FT Sec. Latency"), when_set(FAULT_TOLERANCE, "-1")
    ),
    **dict.fromkeys(("Cluster rule(s)", "Cluster rule name(s)"), when_set(_RULES)),
    "Boot delay": setting("bootOptions.bootDelay"),
    "Boot retry enabled": setting("bootOptions.bootRetryEnabled"),
    **of_all(host("Boot retry enabled says whether it is set"), "Boot retry delay"),
    "Boot BIOS setup": setting("bootOptions.enterBIOSSetup"),
    **of_all(POWER, "Reboot PowerOff"),
    **of_all(_HARDWARE, "HW version", "HW upgrade status", "HW upgrade policy", "HW target"),
    **of_all(_FILES, "Path", "Log directory", "Snapshot directory", "Suspend directory"),
}
_SHARES: Mapping[str, Rule] = {
    "Level": when_set(SHARED, "normal"),
    **of_all(_LEVEL, "Shares"),
    "Reservation": when_set(RESERVED),
    "Limit": when_set(LIMITED, "-1"),
    **of_all(STATE, "Entitlement", "DRS Entitlement"),
}
_CPU: Mapping[str, Rule] = {
    **_SHARES,
    **of_all("vcpus", "CPUs"),
    **of_all("cores", "Sockets", "Cores p/s"),
    **of_all(STATE, "Max", "Overall"),
    "Hot Add": setting("cpuHotAddEnabled"),
    "Hot Remove": setting("cpuHotRemoveEnabled"),
    "Numa Hotadd Exposed": when_set(lost("the guest sees no NUMA nodes, unless the VM or its type says so")),
}
_MEMORY: Mapping[str, Rule] = {
    **_SHARES,
    **of_all("memory", "Size MiB"),
    "Memory Reservation Locked To Max": when_set(RESERVED),
    **of_all(STATE, "Overhead", "Max", "Consumed", "Consumed Overhead", "Private", "Shared", "Swapped", "Ballooned"),
    **of_all(STATE, "Active"),
    "Hot Add": setting("memoryHotAddEnabled"),
}
_DISK: Mapping[str, Rule] = {
    **_SHARES,
    **of_all("disk", "Disk", "Label", "SCSI Unit #", "Unit #"),
    **of_all(PART, "Disk Key"),
    **of_all(host("EnableUUID says whether the guest sees it"), "Disk UUID"),
    **of_all("disk.storage", "Path"),
    **of_all("disk.file", "Disk Path"),
    **of_all("disk.size", "Capacity MiB"),
    **of_all("disk.raw", "Raw", "Raw LUN ID", "Raw Comp. Mode"),
    "Disk Mode": when_set(DISK_MODE, "persistent", "independent_persistent"),
    **of_all("disk.shared", "Sharing mode", "Shared Bus"),
    **of_all(_STORED, "Thin", "Eagerly Scrub", "Split", "Write Through"),
    **of_all("disk.bus", "Controller"),
}
_NETWORK: Mapping[str, Rule] = {
    **of_all("nic", "NIC label"),
    **of_all("nic.model", "Adapter"),
    **of_all("nic.network", "Network"),
    **of_all(host("the mapping says where its network is"), "Switch"),
    **of_all(STATE, "Connected"),
    **of_all("nic.connected", "Starts Connected"),
    **of_all("nic.mac", "Mac Address"),
    **of_all(host("it says who chose the address"), "Type"),
    **of_all(ADDRESS, "IPv4 Address", "IPv6 Address"),
    "Direct Path IO": when_set(lost("a NetworkAttachmentDefinition with SR-IOV gives a VM the card itself")),
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
    return COLUMNS[sheet].get(column) or when_set(CUSTOM)
