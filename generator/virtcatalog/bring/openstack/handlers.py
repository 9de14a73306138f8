"""What each property of a flavor or image that KubeVirt has something for becomes.

Sources: nova's reference of extra specs and glance's of image properties; for what a guest gets of them, nova's libvirt
driver.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.bring.openstack.sheet import Handler, Said, Sheet, ValueFault, choice, number, truth
from virtcatalog.kubevirt.preference.topology import guest_topology

_PAGES = {
    "2MB": "2Mi",
    "2048": "2Mi",
    "2048KB": "2Mi",
    "1GB": "1Gi",
    "1048576": "1Gi",
    "1048576KB": "1Gi",
    "large": "2Mi",
}
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
_CPU_FEATURES = {
    "AESNI": "aes",
    "AMXBF16": "amx-bf16",
    "AMXINT8": "amx-int8",
    "AMXTILE": "amx-tile",
    "BMI": "bmi1",
    "CLMUL": "pclmulqdq",
    "FMA3": "fma",
    "SHA": "sha-ni",
    "SSE3": "pni",
    "SSE41": "sse4.1",
    "SSE42": "sse4.2",
    "TSX": "rtm",
    "AVX512VBMI2": "avx512vbmi2",
    "AVX512GFNI": "gfni",
    "AVX512VAES": "vaes",
    "AVX512VPCLMULQDQ": "vpclmulqdq",
    "AVX512VPOPCNTDQ": "avx512-vpopcntdq",
    "SPEC_CTRL": "spec-ctrl",
    "MD_CLEAR": "md-clear",
    "NO_SSB": "amd-no-ssb",
}
_HYPERV: dict[str, Any] = {
    **{
        name: {}
        for name in ("relaxed", "vapic", "vpindex", "runtime", "synic", "reset", "frequencies", "tlbflush", "ipi")
    },
    "spinlocks": {"spinlocks": 8191},
}


def _lost(why: str) -> Said:
    return Said("lost", why)


def cpu_policy(sheet: Sheet, _key: str, value: str) -> Said:
    """`dedicated` pins; `mixed` has no counterpart."""
    choice(value, "dedicated", "shared", "mixed")
    if value == "dedicated":
        return sheet.type("cpu.dedicatedCPUPlacement", True)
    if value == "shared":
        return Said("carried", "KubeVirt's vCPUs share the node's CPUs")
    return _lost("KubeVirt's vCPUs are all dedicated or none is")


def emulator_threads(sheet: Sheet, _key: str, value: str) -> Said:
    """`isolate` gives the emulator a CPU of its own."""
    if choice(value, "isolate", "share") == "isolate":
        if not sheet.has("cpu.dedicatedCPUPlacement"):
            return _lost("only beside hw:cpu_policy=dedicated")
        return sheet.type("cpu.isolateEmulatorThread", True)
    return _lost("KubeVirt's emulator threads have a CPU of their own, or share those of the vCPUs")


def page_size(sheet: Sheet, _key: str, value: str) -> Said:
    """Huge pages of 2 MiB or 1 GiB."""
    if value in _PAGES:
        said = sheet.type("memory.hugepages", {"pageSize": _PAGES[value]})
        return Said("carried", f"{said.why}: of large ones those of 2 MiB") if value == "large" else said
    if value in ("small", "4", "4KB"):
        return Said("carried", "guests have small pages unless an instance type says otherwise")
    if value == "any":
        return _lost("guests have small pages: which to take is not left to the image")
    if re.fullmatch("[0-9]+([KMGT]B)?", value):
        return _lost("KubeVirt's nodes have huge pages of 2 MiB and 1 GiB")
    raise ValueFault("is none of small, large, any, and no size such as 2MB")


def numa_nodes(sheet: Sheet, _key: str, value: str) -> Said:
    """The host's nodes, where CPUs are dedicated and pages huge."""
    number(value)
    if sheet.has("cpu.dedicatedCPUPlacement") and sheet.has("memory.hugepages"):
        said = sheet.type("cpu.numa", {"guestMappingPassthrough": {}})
        return Said("carried", f"{said.why}: as many nodes as the vCPUs are on")
    return _lost("KubeVirt gives guests the host's NUMA nodes, with dedicated CPUs and huge pages, or none")


def realtime(sheet: Sheet, _key: str, value: str) -> Said:
    """Real time needs what pins everything."""
    if not truth(value):
        return Said("carried", "vCPUs are not scheduled in real time")
    if not (sheet.has("cpu.dedicatedCPUPlacement") and sheet.has("memory.hugepages")):
        return _lost("KubeVirt's real time needs dedicated CPUs and huge pages")
    if not sheet.has("cpu.numa"):
        sheet.type("cpu.numa", {"guestMappingPassthrough": {}})
    return sheet.type("cpu.realtime", {})


def realtime_mask(sheet: Sheet, _key: str, value: str) -> Said:
    """Which vCPUs: `^0-1` is all but these."""
    if not re.fullmatch(r"\^?[0-9]+(-[0-9]+)?(,\^?[0-9]+(-[0-9]+)?)*", value):
        raise ValueFault("is no mask of vCPUs such as ^0-1")
    if sheet.has("cpu.realtime") is None:
        return _lost("only beside hw:cpu_realtime")
    whole = "" if not value.startswith("^") else f"0-{max(sheet.vcpus - 1, 0)},"
    return sheet.type("cpu.realtime", {"mask": f"{whole}{value}"})


def topology(sheet: Sheet, wanted: dict[str, int], most: dict[str, int]) -> Said:
    """Lay the vCPUs out by whichever preference does so: `wanted` and `most` say sockets, cores and threads.

    Of the layouts that fit, nova takes that with the most sockets, then the most cores.
    """
    total = sheet.vcpus
    shape = next(_fitting(total, wanted, most), None)
    if shape is None:
        raise ValueFault(f"does not divide {total} vCPUs")
    sockets, cores, threads = shape
    for cpu in _layouts(total):
        spec = convert({"cpu": cpu}, VirtualMachinePreferenceSpec)
        laid = guest_topology(total, spec)
        if tuple(each or 1 for each in laid) == (sockets, cores, threads):
            sheet.prefer("cpu", cpu)
            return Said("carried", "preference: cpu.preferredCPUTopology")
    return _lost(f"no preference lays {total} vCPUs out as {sockets} sockets, {cores} cores, {threads} threads")


def _fitting(total: int, wanted: dict[str, int], most: dict[str, int]) -> Iterator[tuple[int, int, int]]:
    def fits(level: str, count: int) -> bool:
        return count == wanted.get(level, count) and count <= most.get(level, count)

    for sockets in (each for each in range(min(total, 2**12), 0, -1) if total % each == 0 and fits("sockets", each)):
        for cores in range(total // sockets, 0, -1):
            threads = total // sockets // cores
            if sockets * cores * threads == total and fits("cores", cores) and fits("threads", threads):
                yield sockets, cores, threads


def _layouts(total: int) -> list[dict[str, Any]]:
    plain: list[dict[str, Any]] = [{"preferredCPUTopology": each} for each in ("sockets", "cores", "threads")]
    ratios = [each for each in range(2, min(total, 256) + 1) if total % each == 0]
    return plain + [
        {"preferredCPUTopology": "spread", "spreadOptions": {"across": across, "ratio": ratio}}
        for across in ("SocketsCores", "SocketsCoresThreads", "CoresThreads")
        for ratio in ratios
    ]


def passthrough(sheet: Sheet, _key: str, value: str) -> Said:
    """`alias:count,…`: host devices of the resources that rules name."""
    devices = list(sheet.has("hostDevices") or [])
    for part in value.split(","):
        alias, _, count = part.strip().partition(":")
        if not alias:
            raise ValueFault("is no list such as gpu:1,nic:2")
        for place in range(_count(count or "1")):
            name = f"{re.sub('[^a-z0-9]+', '-', alias.lower()).strip('-') or 'device'}-{place}"
            devices.append({"name": name, "deviceName": _resource(sheet, alias)})
    return sheet.type("hostDevices", devices)


def _count(value: str, least: int = 1) -> int:
    found = number(value, least)
    if found > _MOST_DEVICES:
        raise ValueFault(f"wants more than {_MOST_DEVICES} devices")
    return found


def vgpu(sheet: Sheet, key: str, value: str) -> Said:
    """`resources:VGPU`: GPUs of the resource that a rule names."""
    count = _count(value, 0)
    if not count:
        return Said("carried", "no GPU")
    name = _resource(sheet, key.partition(":")[2])
    return sheet.type("gpus", [{"name": f"vgpu-{place}", "deviceName": name} for place in range(count)])


def _resource(sheet: Sheet, alias: str) -> str:
    found = sheet.resources.get(alias)
    if found is None:
        sheet.needs.append(f"the resource of {alias}: --device {alias}=RESOURCE names it")
    return found or f"devices.invalid/{re.sub('[^A-Za-z0-9_.-]', '-', alias)}"


def trait(sheet: Sheet, key: str, value: str) -> Said:
    """CPU traits are labels that KubeVirt gives to nodes."""
    name = key.partition(":")[2]
    choice(value, "required", "forbidden")
    match = re.fullmatch(r"HW_CPU_X86_(?:INTEL_|AMD_)?([A-Z0-9_]+)", name)
    if value == "forbidden":
        return _lost("an instance type chooses nodes by what they have, not by what they lack")
    if name == "HW_CPU_X86_AMD_SEV":
        return _label(sheet, "kubevirt.io/sev")
    if match is None:
        return _lost("nodes have no such label; an instance type's nodeSelector may name one of yours")
    feature = _CPU_FEATURES.get(match[1], match[1].lower().replace("_", "-"))
    return _label(sheet, f"cpu-feature.node.kubevirt.io/{feature}")


def _label(sheet: Sheet, label: str) -> Said:
    sheet.instancetype = {
        **sheet.instancetype,
        "nodeSelector": {**sheet.instancetype.get("nodeSelector", {}), label: "true"},
    }
    return Said("carried", f"instance type: nodeSelector[{label}]")


def encryption(sheet: Sheet, _key: str, value: str) -> Said:
    """Memory is encrypted by SEV."""
    return sheet.type("launchSecurity", {"sev": {}}) if truth(value) else Said("carried", "memory is not encrypted")


def disk_bus(sheet: Sheet, key: str, value: str) -> Said:
    """The bus of disks or CD-ROMs."""
    choice(value, *_DISK_BUSES, *_OTHER_BUSES)
    cdrom = key == "hw_cdrom_bus"
    field = "devices.preferredCdromBus" if cdrom else "devices.preferredDiskBus"
    if value in _DISK_BUSES and not (cdrom and value == "virtio"):
        return sheet.prefer(field, value)
    if value == "ide" or cdrom:
        sheet.prefer(field, "sata")
        return _lost(f"KubeVirt has no {'CD-ROMs' if cdrom else 'disks'} on {value}: they are on sata")
    return _lost(f"KubeVirt has no disks on {value}")


def vif_model(sheet: Sheet, _key: str, value: str) -> Said:
    """The model of interfaces."""
    choice(value, *_VIFS, *_OTHER_VIFS)
    if value in _VIFS:
        return sheet.prefer("devices.preferredInterfaceModel", value)
    return _lost(f"KubeVirt has no {value}: interfaces are virtio")


def multiqueue(sheet: Sheet, _key: str, value: str) -> Said:
    """A queue for each vCPU."""
    return sheet.prefer("devices.preferredNetworkInterfaceMultiQueue", truth(value))


def firmware(sheet: Sheet, _key: str, value: str) -> Said:
    """UEFI, or BIOS, which is KubeVirt's default, too."""
    if choice(value, "uefi", "bios") == "bios":
        return sheet.prefer("firmware.preferredUseBios", True)
    if sheet.preference.get("firmware", {}).get("preferredEfi") is None:
        sheet.prefer("firmware.preferredEfi", {"secureBoot": False})
    return Said("carried", "preference: firmware.preferredEfi")


def secure_boot(sheet: Sheet, _key: str, value: str) -> Said:
    """Secure boot needs UEFI and SMM."""
    if choice(value, "required", "optional", "disabled") != "required":
        return (
            Said("carried", "UEFI boots whatever there is")
            if value == "disabled"
            else _lost("secure boot is on or off: preference: firmware.preferredEfi")
        )
    sheet.prefer("features.preferredSmm", {})
    return sheet.prefer("firmware.preferredEfi", {"secureBoot": True})


def machine_type(sheet: Sheet, _key: str, value: str) -> Said:
    """A q35, whose version is KubeVirt's."""
    if value in ("q35", "virt", "s390-ccw-virtio") or value.startswith("pc-q35-rhel"):
        return sheet.prefer("machine.preferredMachineType", value)
    if value.startswith("pc-q35-"):
        sheet.prefer("machine.preferredMachineType", "q35")
        return _lost("KubeVirt's QEMU has versions of its own: the newest q35")
    if value == "pc" or value.startswith("pc-i440fx"):
        sheet.prefer("machine.preferredMachineType", "q35")
        return _lost("KubeVirt has no i440fx: a q35")
    return _lost(f"KubeVirt has no machine {value}")


def architecture(sheet: Sheet, _key: str, value: str) -> Said:
    """The guest's architecture."""
    known = {"x86_64": "amd64", "aarch64": "arm64", "s390x": "s390x"}
    if value in known:
        return sheet.prefer("preferredArchitecture", known[value])
    return _lost(f"KubeVirt has no machines of {value}")


def os_type(sheet: Sheet, _key: str, value: str) -> Said:
    """Windows gets what it runs well with; its clock would be local time."""
    choice(value, "linux", "windows")
    sheet.prefer("annotations", {**sheet.preference.get("annotations", {}), "vm.kubevirt.io/os": value})
    if value == "windows":
        sheet.prefer("features.preferredHyperv", _HYPERV)
        sheet.prefer("clock.preferredTimer.hyperv", {})
        return Said("carried", "preference: features.preferredHyperv; the clock is UTC, nova's was local time")
    return Said("carried", "preference: annotations[vm.kubevirt.io/os]")


def tpm(sheet: Sheet, key: str, value: str) -> Said:
    """A TPM 2.0 that keeps its state."""
    if key.endswith("version") and choice(value, "1.2", "2.0") == "1.2":
        return _lost("KubeVirt's TPMs are 2.0")
    if key.endswith("model"):
        choice(value, "tpm-tis", "tpm-crb")
    said = sheet.prefer("devices.preferredTPM", {"persistent": True})
    if value == "tpm-tis":
        return _lost("a TPM that keeps its state is a tpm-crb")
    return said


def video(sheet: Sheet, _key: str, value: str) -> Said:
    """The graphics card."""
    choice(value, *_VIDEOS, *_OTHER_VIDEOS, "none")
    if value == "none":
        sheet.prefer("devices.preferredVideoType", None)
        return sheet.prefer("devices.preferredAutoattachGraphicsDevice", False)
    if value in _VIDEOS:
        return sheet.prefer("devices.preferredVideoType", value)
    return _lost(f"KubeVirt has no {value}: a virtio card")


def pointer(sheet: Sheet, _key: str, value: str) -> Said:
    """A tablet."""
    choice(value, "usbtablet")
    return sheet.prefer("devices.preferredInputType", "tablet")


def input_bus(sheet: Sheet, _key: str, value: str) -> Said:
    """The tablet's bus."""
    return sheet.prefer("devices.preferredInputBus", choice(value, "usb", "virtio"))


def rng(sheet: Sheet, key: str, value: str) -> Said:
    """Entropy from the host."""
    wanted = choice(value, "virtio") == "virtio" if key == "hw_rng_model" else truth(value)
    if wanted:
        return sheet.prefer("devices.preferredRng", {})
    sheet.prefer("devices.preferredRng", None)  # takes away what an image has
    return Said("carried", "no entropy from the host")


def sound(sheet: Sheet, _key: str, value: str) -> Said:
    """The sound card's model, for VMs that have one."""
    choice(value, "sb16", "es1370", "pcspk", "ac97", "ich6", "ich9", "usb", "virtio")
    if value in ("ich9", "ac97"):
        return sheet.prefer("devices.preferredSoundModel", value)
    return _lost("KubeVirt has the sound cards ich9 and ac97")


def hidden(sheet: Sheet, _key: str, value: str) -> Said:
    """Whether the guest can tell KVM."""
    return sheet.prefer("features.preferredKvm", {"hidden": truth(value)})


def scsi_model(_sheet: Sheet, _key: str, value: str) -> Said:
    """KubeVirt's SCSI is virtio's."""
    return (
        Said("carried", "KubeVirt's SCSI is virtio's")
        if value == "virtio-scsi"
        else _lost("KubeVirt has virtio-scsi alone")
    )


def hpet(sheet: Sheet, _key: str, value: str) -> Said:
    """The HPET, off unless wanted."""
    return sheet.prefer("clock.preferredTimer.hpet", {"present": truth(value)})


def agent(_sheet: Sheet, _key: str, value: str) -> Said:
    """Every guest of KubeVirt's has the agent's channel."""
    truth(value)
    return Said("carried", "every guest has the guest agent's channel")


FLAVOR: dict[str, Handler] = {
    "hw:cpu_policy": cpu_policy,
    "hw:mem_page_size": page_size,
    "hw:emulator_threads_policy": emulator_threads,
    "hw:numa_nodes": numa_nodes,
    "hw:cpu_realtime": realtime,
    "hw:cpu_realtime_mask": realtime_mask,
    "pci_passthrough:alias": passthrough,
    "resources:VGPU": vgpu,
    "hw:mem_encryption": encryption,
    "hw:vif_multiqueue_enabled": multiqueue,
    "hw:tpm_version": tpm,
    "hw:tpm_model": tpm,
    "os:secure_boot": secure_boot,
    "hw_rng:allowed": rng,
    "hw:sound_model": sound,
    "hw:hide_hypervisor_id": hidden,
    "hide_hypervisor_id": hidden,
}
"""Of flavors; those that others look at come before them."""

IMAGE: dict[str, Handler] = {
    "hw_architecture": architecture,
    "hw_machine_type": machine_type,
    "hw_firmware_type": firmware,
    "os_secure_boot": secure_boot,
    "os_type": os_type,
    "hw_disk_bus": disk_bus,
    "hw_cdrom_bus": disk_bus,
    "hw_scsi_model": scsi_model,
    "hw_vif_model": vif_model,
    "hw_vif_multiqueue_enabled": multiqueue,
    "hw_tpm_version": tpm,
    "hw_tpm_model": tpm,
    "hw_video_model": video,
    "hw_pointer_model": pointer,
    "hw_input_bus": input_bus,
    "hw_rng_model": rng,
    "hw_sound_model": sound,
    "hw_qemu_guest_agent": agent,
    "hw_time_hpet": hpet,
    "img_hide_hypervisor_id": hidden,
}
