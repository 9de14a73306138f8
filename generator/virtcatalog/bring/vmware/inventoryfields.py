"""What the fields of a VM in forklift's inventory say.

The fields are those of forklift v2.12.5 and of its main branch in August 2026 (kubev2v/forklift,
pkg/controller/provider/web/vsphere/vm.go: VM, and model/vsphere/model.go), and those that `kubectl mtv get inventory
vm` adds (cmd/kubectl-mtv). Steps into lists are left out: `disks.capacity` is that of every disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from virtcatalog.bring.imports import Verdict, host, lost
from virtcatalog.bring.vmware.settings import (
    ADDRESS,
    CUSTOM,
    DISK_MODE,
    FAULT_TOLERANCE,
    HOST_DEVICE,
    PART,
    PLACE,
    STATE,
    TOOLS,
    Rule,
    of_all,
    setting,
    when_set,
)

_FORKLIFT: Final = host("it is forklift's own")
_AGAIN: Final = host("kubectl mtv says another field again")
_PINNED: Final = lost("a VM or an instance type says so itself: dedicatedCpuPlacement")
_NO_DEVICE: Final = lost("KubeVirt has no such device")
_FIELDS: Mapping[str, Rule] = {
    **of_all("name", "name"),
    **of_all(PART, "id", "variant", "instanceUuid"),
    **of_all(PLACE, "path", "parent", "host", "provider"),
    **of_all(_FORKLIFT, "selfLink", "revision", "revisionValidated", "policyVersion", "concerns"),
    **of_all(host("templates are left out"), "isTemplate"),
    **of_all("runs", "powerState"),
    **of_all(host("nics has the network of each card"), "networks"),
    **of_all("uuid", "uuid"),
    **of_all("firmware", "firmware"),
    **of_all("secureBoot", "secureBoot"),
    **of_all("tpm", "tpmEnabled"),
    **of_all("vcpus", "cpuCount"),
    **of_all("cores", "coresPerSocket"),
    **of_all("memory", "memoryMB"),
    **of_all("guest", "guestName", "guestNameFromVmwareTools", "guestId"),
    "snapshot": when_set(lost("snapshots stay behind: the disks come as they are by then")),
    "snapshot.kind": lambda _text: PART,
    **{
        key: setting(key)
        for key in ("changeTrackingEnabled", "cpuHotAddEnabled", "cpuHotRemoveEnabled", "memoryHotAddEnabled")
    },
    "nestedHVEnabled": setting("nestedHVEnabled"),
    "faultToleranceEnabled": when_set(FAULT_TOLERANCE),
    **of_all(_PINNED, "cpuAffinity", "numaNodeAffinity"),
    "diskEnableUuid": when_set(lost("the guest finds other serial numbers of its disks")),
    **of_all(STATE, "connectionState", "consolidationNeeded", "balloonedMemory", "storageUsed", "guestDisks"),
    **of_all(TOOLS, "toolsStatus", "toolsRunningStatus", "toolsVersionStatus", "toolsVersionStatus2"),
    **of_all(host("the guest has its name on its disk"), "hostName"),
    **of_all(ADDRESS, "ipAddress", "guestNetworks", "guestIpStacks"),
    **of_all(STATE, "guestNetworks.device", "guestNetworks.deviceConfigId", "guestIpStacks.device"),
    **of_all(PART, "guestNetworks.mac", "guestNetworks.network", "guestNetworks.origin", "guestIpStacks.network"),
    **of_all(PART, "customDef", "customValues.key", "tags"),
    **of_all(CUSTOM, "customValues"),
    **of_all(lost("a tag of vCenter: a label of the VM may say it"), "tags.name"),
    **of_all(_AGAIN, "memoryGB", "storageUsedGB", "diskCapacity", "powerStateHuman", "concernsHuman"),
    **of_all(_AGAIN, "criticalConcerns", "warningConcerns", "infoConcerns"),
    **of_all("disk", "disks.key", "disks.unitNumber", "disks.controllerKey"),
    **of_all("disk.size", "disks.capacity"),
    **of_all("disk.storage", "disks.datastore"),
    **of_all("disk.file", "disks.file"),
    **of_all("disk.bus", "disks.bus"),
    **of_all("disk.shared", "disks.shared"),
    **of_all("disk.raw", "disks.rdm", "disks.physicalMode", "disks.deviceName", "disks.lunUuid"),
    **of_all(PART, "disks.datastore.kind", "nics.network.kind", "nics.deviceKey", "devices.key"),
    "disks.mode": when_set(DISK_MODE, "persistent", "independent_persistent"),
    **of_all(host("diskEnableUuid says whether the guest sees it"), "disks.serial"),
    **of_all(STATE, "disks.winDriveLetter"),
    "disks.changeTrackingEnabled": setting("changeTrackingEnabled"),
    **of_all(host("the disk comes as it is with its snapshots"), "disks.parent"),
    **of_all(host("the storage class decides how a disk is stored"), "disks.vvolId"),
    **of_all("nic", "nics.order"),
    **of_all("nic.network", "nics.network"),
    **of_all("nic.mac", "nics.mac"),
    **of_all("nic.connected", "nics.startConnected"),
    "nics.pciAddress": setting("slotInfo.pciSlotNumber"),
    "devices.pciSlotNumber": setting("slotInfo.pciSlotNumber"),
    "devices.kind": lambda text: _DEVICES.get(text, _NO_DEVICE),
}
#: Types of vSphere's API that say which model a network card is.
MODELS: Mapping[str, str] = {
    "VirtualE1000": "e1000",
    "VirtualE1000e": "e1000e",
    "VirtualPCNet32": "pcnet32",
    "VirtualVmxnet": "vmxnet",
    "VirtualVmxnet2": "vmxnet2",
    "VirtualVmxnet3": "vmxnet3",
    "VirtualVmxnet3Vrdma": "vmxnet3vrdma",
}
_DEVICES: Mapping[str, Verdict] = {
    "VirtualUSBController": host("KubeVirt adds a USB controller where a device needs one"),
    "VirtualPCIPassthrough": HOST_DEVICE,
    "VirtualSCSIPassthrough": HOST_DEVICE,
    "VirtualSriovEthernetCard": lost("a NetworkAttachmentDefinition with SR-IOV gives a VM the card itself"),
}
UNCONNECTED: Final = lost("the card is connected to nothing")
_UNKNOWN: Final = when_set(lost("it is no field that is known of forklift's inventory"))


def rule(steps: tuple[str, ...]) -> Rule:
    """Return what says what a field says: its own rule, or that of what it is in."""
    for end in range(len(steps), 0, -1):
        if (own := _FIELDS.get(".".join(steps[:end]))) is not None:
            return own
    return _UNKNOWN
