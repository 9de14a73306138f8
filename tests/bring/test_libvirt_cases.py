"""Small domains, each with one thing that matters: what the VM has then, and what is said of the domain's parts.

A case shows what is otherwise than with the smallest domain; nothing is said of parts that are carried as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from importing import bring, domain
from syrupy.assertion import SnapshotAssertion

from virtcatalog.api.findings import Path, field_path
from virtcatalog.bring.libvirt.devices import devices
from virtcatalog.bring.libvirt.disks import disks
from virtcatalog.bring.libvirt.domain import Imported
from virtcatalog.bring.libvirt.draft import Draft
from virtcatalog.bring.libvirt.machine import machine
from virtcatalog.bring.libvirt.rules import NameRule, Rules, device_rule, disk_rule
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.xml import read_xml

MARK = "<metadata><kubevirt xmlns='http://kubevirt.io'/></metadata>"
"""By which a domain is known to be KubeVirt's."""
ARM = "<os><type arch='aarch64' machine='virt'>hvm</type></os>"
S390X = "<os><type arch='s390x' machine='s390-ccw-virtio'>hvm</type></os>"
UEFI = "<os><type>hvm</type><loader type='pflash'>/usr/share/OVMF/OVMF_CODE.fd</loader></os>"
UUID = "5a7f3c12-0000-4000-8000-00000000000a"
OWN, EPHEMERAL = "/var/run/kubevirt-private", "/var/run/kubevirt-ephemeral-disks"


GATES = [
    "DownwardMetrics",
    "EnableVirtioFsStorageVolumes",
    "ExperimentalIgnitionSupport",
    "HostDevices",
    "HostDisk",
    "SecureExecution",
    "VSOCK",
    "WorkloadEncryptionSEV",
    "WorkloadEncryptionTDX",
]


def kubevirts(inner: str = "", devices: str = "", **replaced: str) -> bytes:
    """A small domain of KubeVirt's."""
    return domain(MARK + inner, devices, **{"name": "<name>prod_db</name>", **replaced})


def disk(inner: str = "", source: str = "file='/x'", target: str = "dev='vda' bus='virtio'", kind: str = "disk") -> str:
    form = "block" if source.startswith("dev=") else "file"
    source = f"<source {source}/>" if source else ""
    return f"<disk type='{form}' device='{kind}'>{source}<target {target}/>{inner}</disk>"


def card(inner: str = "", source: str = "bridge='br0'", kind: str = "bridge") -> str:
    return f"<interface type='{kind}'><source {source}/>{inner}</interface>"


def named(name: str) -> str:
    return f"<alias name='{name}'/>"


def slot(bus: str = "0x05", **others: str) -> str:
    numbers = {"type": "pci", "domain": "0x0000", "bus": bus, "slot": "0x01", "function": "0x0", **others}
    attributes = " ".join(f"{name}='{number}'" for name, number in numbers.items())
    return f"<address {attributes}/>"


def device(inner: str, kind: str = "pci", options: str = "") -> str:
    return f"<hostdev mode='subsystem' type='{kind}' {options}>{inner}</hostdev>"


def pinned(inner: str = "", first: str = "8") -> str:
    return f"<cputune><vcpupin vcpu='0' cpuset='{first}'/><vcpupin vcpu='1' cpuset='9'/>{inner}</cputune>"


def backing(file: str, kind: str = "file") -> str:
    return f"<backingStore type='{kind}'><source {kind}='{file}'/></backingStore>"


def overlay(name: str, below: str, kind: str = "file") -> str:
    path = f"file='{EPHEMERAL}/disk-data/{name}/disk.qcow2'"
    return disk(named(f"ua-{name}") + backing(below, kind), path, f"dev='vd{name}' bus='virtio'")


def container_disk(name: str, place: str) -> str:
    return overlay(name, f"/var/run/kubevirt/container-disks/disk_{place}.img")


def own(path: str, inner: str = "", kind: str = "disk") -> str:
    return disk(named("ua-d") + inner, f"file='{path}'", kind=kind)


def plugins(*kinds: str) -> list[dict[str, Any]]:
    """A cluster with every gate open, and with device plugins."""
    hosts: dict[str, list[dict[str, str]]] = {"pciHostDevices": [], "mediatedDevices": []}
    for number, kind in enumerate(kinds):
        resource = {"resourceName": f"example.org/{kind}{number}"}
        if kind == "pci":
            hosts["pciHostDevices"].append({**resource, "pciVendorSelector": f"10DE:1EB{number}"})
        else:
            hosts["mediatedDevices"].append({**resource, "mdevNameSelector": f"T4-{number}"})
    configuration = {
        "developerConfiguration": {"featureGates": GATES},
        "permittedHostDevices": hosts,
        "persistentReservationConfiguration": {"enabled": True},
    }
    metadata = {"name": "kubevirt", "namespace": "kubevirt"}
    spec = {"configuration": configuration}
    return [{"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": metadata, "spec": spec}]


MEMORY = {
    f"{amount} {unit}": domain(memory=f"<memory unit='{unit}'>{amount}</memory>")
    for unit, amount in [
        ("KB", 1024000),
        ("k", 1048576),
        ("KiB", 1048576),
        ("K", 1048576),
        ("MB", 1000),
        ("M", 1024),
        ("MiB", 1024),
        ("GB", 1),
        ("G", 1),
        ("GiB", 1),
        ("TB", 1),
        ("T", 1),
        ("TiB", 1),
        ("b", 1048576000),
        ("bytes", 1048576000),
    ]
} | {
    "less at first": domain("<currentMemory unit='GiB'>3</currentMemory>"),
    "all at first": domain("<currentMemory unit='MiB'>4096</currentMemory>"),
    "room to grow": domain("<maxMemory unit='GiB' slots='16'>8</maxMemory>"),
    "no room for what it has": domain("<maxMemory unit='GiB'>2</maxMemory>"),
    "no more than it has": domain("<maxMemory unit='GiB' slots='16'>4</maxMemory>"),
    "huge pages": domain("<memoryBacking><hugepages/></memoryBacking>"),
    "huge pages of two sizes": domain(
        "<memoryBacking><hugepages><page size='2048' nodeset='0'/><page size='1' unit='GiB'/><page size='2' unit='M'/>"
        "</hugepages><access mode='shared'/><source type='memfd'/></memoryBacking>"
    ),
    "KubeVirt's huge pages": kubevirts("<memoryBacking><hugepages/></memoryBacking>"),
    "KubeVirt's huge pages in memfd": kubevirts("<memoryBacking><hugepages/><source type='memfd'/></memoryBacking>"),
}

CPUS = {
    "mode maximum": domain("<cpu mode='maximum'/>"),
    "mode host-model": domain("<cpu mode='host-model'/>"),
    "mode host-passthrough": domain("<cpu mode='host-passthrough' check='none' migratable='on'/>"),
    "the model max": domain("<cpu mode='custom' match='exact'><model>max</model></cpu>"),
    "no model": domain("<cpu mode='custom'><model/><feature name='vmx'/></cpu>"),
    "KubeVirt's features of a named model": kubevirts(
        "<cpu mode='custom'><model>Haswell</model><feature name='mpx' policy='disable'/>"
        "<feature name='vmx' policy='require'/></cpu>"
    ),
    "KubeVirt's features of the host's": kubevirts(
        "<cpu mode='host-model'><feature name='mpx' policy='disable'/></cpu>"
    ),
    "KubeVirt's feature with another policy": kubevirts(
        "<cpu mode='custom'><model>Haswell</model><feature name='mpx' policy='require'/></cpu>"
    ),
    "others' features of a named model": domain(
        "<cpu mode='custom'><model>Haswell</model><feature name='mpx' policy='disable'/></cpu>"
    ),
    "clusters and dies": domain(
        "<cpu><topology sockets='1' dies='2' clusters='2' cores='1' threads='1'/></cpu>", vcpu="<vcpu>4</vcpu>"
    ),
    "a topology without numbers": domain("<cpu><topology sockets='2'/></cpu>"),
    "vCPUs one by one": domain(
        "<vcpus><vcpu id='0' enabled='yes' hotpluggable='no' order='1'/>"
        "<vcpu id='1' enabled='no' hotpluggable='yes'/></vcpus>"
    ),
    "more at first than there are": domain(vcpu="<vcpu current='3'>2</vcpu>"),
    "one socket of KubeVirt's": kubevirts("<cpu><topology sockets='1' cores='2' threads='1'/></cpu>"),
    "two sockets of KubeVirt's": kubevirts("<cpu><topology sockets='2' cores='1' threads='1'/></cpu>"),
    "one socket of KubeVirt's with room": kubevirts(
        "<cpu><topology sockets='2' cores='1' threads='1'/></cpu>"
        "<vcpus><vcpu id='0' enabled='yes'/><vcpu id='1' enabled='no'/></vcpus>"
    ),
    "pinned to one thread twice": domain(pinned(first="9")),
    "pinned to ranges": domain(pinned(first="0-3")),
    "the emulator apart": domain(pinned("<emulatorpin cpuset='1-3,7'/>")),
    "the emulator among them": domain(pinned("<emulatorpin cpuset='1-3,8'/>")),
    "the emulator within a range": domain(pinned("<emulatorpin cpuset='7-10'/>")),
    "the emulator all but some": domain(pinned("<emulatorpin cpuset='0-11,^8'/>")),
    "NUMA nodes with huge pages": domain(
        pinned() + "<memoryBacking><hugepages/></memoryBacking>"
        "<numatune><memnode cellid='0' mode='strict' nodeset='0'/></numatune>"
        "<cpu><numa><cell id='0' cpus='0-1' memory='4' unit='GiB'/></numa></cpu>"
    ),
    "NUMA nodes without huge pages": domain(
        pinned() + "<numatune><memnode cellid='0' mode='strict' nodeset='0'/></numatune>"
    ),
    "pages of its own with a PMU": domain(
        pinned() + "<memoryBacking><hugepages/><nosharepages/></memoryBacking>"
        "<numatune><memnode cellid='0' mode='strict' nodeset='0'/></numatune>"
    ),
    "shares": domain("<cputune><shares>1024</shares><period>1000</period></cputune>"),
    "shares beside what is placed": domain(
        "<cputune><shares>1024</shares><vcpupin vcpu='0' cpuset='1'/><period>1000</period></cputune>"
    ),
    **{
        f"real time{name}": domain(
            pinned(scheduler) + "<memoryBacking><hugepages/><nosharepages/></memoryBacking>"
            "<features><pmu state='off'/></features>"
            "<numatune><memnode cellid='0' mode='strict' nodeset='0'/></numatune>"
        )
        for name, scheduler in [
            ("", ""),
            (" of all", "<vcpusched vcpus='0-1' scheduler='fifo' priority='1'/>"),
            (" of one", "<vcpusched vcpus='1' scheduler='fifo' priority='1'/>"),
        ]
    },
    "no shared pages off NUMA": domain(
        pinned() + "<memoryBacking><nosharepages/></memoryBacking><features><pmu state='off'/></features>"
    ),
}

FIRMWARE = {
    "a BIOS on the serial console": domain(os="<os><type>hvm</type><bios useserial='yes' rebootTimeout='0'/></os>"),
    "a BIOS that is silent": domain(os="<os><type>hvm</type><bios useserial='no'/></os>"),
    "a loader of BIOS": domain(os="<os><type>hvm</type><loader type='rom'>/usr/share/seabios/bios.bin</loader></os>"),
    "a loader of UEFI without a type": domain(os="<os><type>hvm</type><loader>/usr/share/EDK2/x.fd</loader></os>"),
    **{
        f"a loader called {name}": domain(os=f"<os><type>hvm</type><loader>/usr/share/{name}</loader></os>")
        for name in ("OVMF.fd", "aavmf.fd", "uefi.bin", "seabios.bin")
    },
    "a loader beside variables": domain(os="<os><type>hvm</type><loader>/x.fd</loader><nvram>/v.fd</nvram></os>"),
    "a loader alone": domain(os="<os><type>hvm</type><loader>/x.fd</loader></os>"),
    "a loader in flash": domain(os="<os><type>hvm</type><loader type='pflash'>/x.fd</loader></os>"),
    "a menu": domain(os="<os><type>hvm</type><bootmenu enable='yes' timeout='3000'/></os>"),
    "KubeVirt's menu": kubevirts(os="<os><type>hvm</type><bootmenu enable='yes'/></os>"),
    "KubeVirt's menu, off": kubevirts(os="<os><type>hvm</type><bootmenu enable='no'/></os>"),
    "a kernel": domain(os="<os><type>hvm</type><kernel>/k</kernel><initrd>/i</initrd><cmdline>quiet</cmdline></os>"),
    "KubeVirt's kernel": kubevirts(
        os="<os><type>hvm</type><kernel>/var/run/kubevirt/container-disks/kernel-boot/vmlinuz</kernel><initrd>/var/run/kubevirt/container-disks/kernel-boot/initrd</initrd><cmdline>quiet</cmdline></os>"
    ),
    "KubeVirt's initrd": kubevirts(
        os="<os><type>hvm</type><initrd>/var/run/kubevirt/container-disks/kernel-boot/initrd</initrd></os>"
    ),
    "KubeVirt's arguments": kubevirts(os="<os><type>hvm</type><cmdline>quiet</cmdline></os>"),
    "an old machine": domain(os="<os><type machine='pc-0.15'>hvm</type></os>"),
    "an old machine of 1.0": domain(os="<os><type machine='pc-1.0'>hvm</type></os>"),
    "KubeVirt's machine of upstream": kubevirts(os="<os><type machine='pc-q35-8.2'>hvm</type></os>"),
    "no machine": domain(os="<os><type>hvm</type></os>"),
    "ARM": domain(os=ARM),
    "ARM of upstream": domain(os=ARM.replace("'virt'", "'virt-8.2'")),
    "IBM Z": domain(os=S390X),
    "a UUID in upper case": domain(f"<uuid>{UUID.upper()}</uuid>"),
    "a UUID of SMBIOS": domain(f"<sysinfo type='smbios'><system><entry name='uuid'>{UUID}</entry></system></sysinfo>"),
    "a serial number": domain("<sysinfo type='smbios'><system><entry name='serial'>S</entry></system></sysinfo>"),
    "UEFI with Secure Boot": domain(os=UEFI.replace("type='pflash'", "type='pflash' secure='yes'")),
    "an empty serial number": domain("<sysinfo type='smbios'><system><entry name='serial'/></system></sysinfo>"),
    "a chassis": domain(
        "<sysinfo type='smbios'><chassis><entry name='manufacturer'>M</entry><entry name='version'>V</entry>"
        "<entry name='serial'>S</entry><entry name='asset'>A</entry><entry name='sku'>K</entry>"
        "<entry name='other'>O</entry></chassis></sysinfo>"
    ),
    "a chassis of nothing": domain("<sysinfo type='smbios'><chassis><entry name='asset'/></chassis></sysinfo>"),
}

FEATURES = {
    "only KVM's and the PMU": domain("<features><kvm><hidden state='off'/></kvm><pmu state='off'/></features>"),
    "KVM that may be hidden": domain("<features><acpi/><kvm><hidden/></kvm></features>"),
    "ACPI and APIC": domain("<features><acpi/><apic/></features>"),
    "KubeVirt's ARM without ACPI": kubevirts("<features><kvm><hidden state='on'/></kvm></features>", os=ARM),
    "spinlocks of the hypervisor": domain("<features><acpi/><pvspinlock state='off'/></features>"),
    "spinlocks of the hypervisor, on": domain("<features><acpi/><pvspinlock/></features>"),
    "Hyper-V as the host has it": domain("<features><acpi/><hyperv mode='passthrough'><relaxed/></hyperv></features>"),
    "every enlightenment": domain(
        "<features><acpi/><hyperv mode='custom'>"
        + "".join(
            f"<{name} state='on'/>"
            for name in ("relaxed", "vapic", "vpindex", "runtime", "synic", "reset", "frequencies")
        )
        + "<reenlightenment state='on'/><tlbflush state='on'><direct state='on'/><extended state='off'/></tlbflush>"
        "<ipi state='on'/><evmcs state='off'/><spinlocks state='on' retries='4096'/>"
        "<stimer state='on'><direct state='off'/></stimer><vendor_id state='off'/></hyperv></features>"
    ),
    "spinlocks without a number": domain("<features><acpi/><hyperv><spinlocks state='off'/></hyperv></features>"),
    "an enlightenment that KubeVirt lacks": domain("<features><acpi/><hyperv><avic state='on'/></hyperv></features>"),
    "SMM off": domain("<features><acpi/><smm state='off'/></features>"),
}

LIFE = {
    "a clock by UTC": domain("<clock offset='utc'/>"),
    "a clock of a zone": domain("<clock offset='timezone' timezone='Asia/Tokyo'/>"),
    "a clock of UTC moved": domain("<clock offset='utc' adjustment='60'/>"),
    "a clock of UTC that is set again": domain("<clock offset='utc' adjustment='reset'/>"),
    "a clock that varies": domain("<clock offset='variable'/>"),
    "a clock that varies by local time": domain("<clock offset='variable' adjustment='5' basis='localtime'/>"),
    "a clock by local time, moved": domain("<clock offset='localtime' adjustment='5'/>"),
    "a clock without an offset": domain("<clock><timer name='pit' tickpolicy='delay' track='wall'/></clock>"),
    "KubeVirt's clock without an offset": kubevirts("<clock><timer name='pit' tickpolicy='delay'/></clock>"),
    "KubeVirt's clock of the TSC": kubevirts("<clock><timer name='tsc' frequency='2000000000'/></clock>"),
    "KubeVirt's clock of nothing": kubevirts("<clock/>"),
    "every timer": domain(
        "<clock offset='utc'><timer name='rtc' track='wall'/><timer name='pit' present='no'/><timer name='kvmclock'/>"
        "<timer name='hpet' present='yes' tickpolicy='merge'/><timer name='hypervclock' present='yes'/></clock>"
    ),
    "destroyed at a reboot": domain("<on_reboot>destroy</on_reboot>"),
    "started at a reboot": domain("<on_reboot>restart</on_reboot>"),
    "kept at a reboot": domain("<on_reboot>preserve</on_reboot>"),
    "KubeVirt's, started at a reboot": kubevirts("<on_reboot>restart</on_reboot>"),
    "KubeVirt's, destroyed at a reboot": kubevirts("<on_reboot>destroy</on_reboot>"),
    "KubeVirt's Ignition": kubevirts(
        "<q:commandline xmlns:q='http://libvirt.org/schemas/domain/qemu/1.0'><q:arg value='-fw_cfg'/>"
        "<q:arg value='name=opt/com.coreos/config,file=/x'/></q:commandline>"
    ),
    "KubeVirt's other argument": kubevirts(
        "<q:commandline xmlns:q='http://libvirt.org/schemas/domain/qemu/1.0'><q:arg value='-d'/></q:commandline>"
    ),
    "others' Ignition": domain(
        "<q:commandline xmlns:q='http://libvirt.org/schemas/domain/qemu/1.0'>"
        "<q:arg value='name=opt/com.coreos/config,file=/x'/></q:commandline>"
    ),
    "a description": domain("<description>of no\nmatter</description>"),
    "an empty description": domain("<description/>"),
    "KubeVirt's description": kubevirts("<description>of matter</description>"),
}
SECURITY = {
    "SEV": domain("<launchSecurity type='sev'><policy>0x0001</policy></launchSecurity>", os=UEFI),
    "SEV-ES": domain(
        "<launchSecurity type='sev'><policy>0x0007</policy>"
        "<dhCert>AAAA</dhCert><session>BBBB</session></launchSecurity>",
        os=UEFI,
    ),
    "SEV without a policy": domain("<launchSecurity type='sev'/>", os=UEFI),
    "SEV-SNP": domain("<launchSecurity type='sev-snp'><policy>0x00030000</policy></launchSecurity>", os=UEFI),
    "TDX": domain("<launchSecurity type='tdx'/>", os=UEFI),
    "Secure Execution": domain("<launchSecurity type='s390-pv'/>", os=S390X),
    "KubeVirt's Secure Execution": kubevirts(
        devices="<rng model='virtio'><driver iommu='on'/><backend model='random'>/dev/urandom</backend></rng>", os=S390X
    ),
    "KubeVirt's devices that are not protected": kubevirts(
        devices="<rng model='virtio'><driver iommu='off'/><backend model='random'>/dev/urandom</backend></rng>",
        os=S390X,
    ),
    "KubeVirt's protected devices after others": kubevirts(
        devices="<rng model='virtio'><driver iommu='off'/></rng>"
        "<memballoon model='virtio'><driver iommu='on'/></memballoon>",
        os=S390X,
    ),
    "KubeVirt's SEV of x86": kubevirts(
        "<launchSecurity type='sev'><policy>0x1</policy></launchSecurity>",
        "<rng model='virtio'><driver iommu='on'/><backend model='random'>/dev/urandom</backend></rng>",
        os="<os><type>hvm</type><loader type='pflash' readonly='yes'>/usr/share/OVMF/OVMF_CODE.cc.fd</loader></os>",
    ),
    "KubeVirt's SNP with Secure Boot": kubevirts(
        "<launchSecurity type='sev-snp'><policy>0x30000</policy></launchSecurity>",
        os="<os><type>hvm</type><loader type='rom'>/usr/share/OVMF/OVMF.amdsev.secboot.fd</loader></os>",
    ),
    "Secure Boot of no guest that is protected": kubevirts(
        os="<os><type>hvm</type><loader type='rom'>/usr/share/OVMF/OVMF.amdsev.secboot.fd</loader></os>",
    ),
    "others' protected devices": domain(
        devices="<rng model='virtio'><driver iommu='on'/><backend model='random'>/dev/urandom</backend></rng>", os=S390X
    ),
}

DISKS = {
    "an NVMe device of the host": domain(
        devices="<disk type='nvme' device='disk'><source type='pci' namespace='1'><address bus='1'/></source>"
        "<target dev='vda' bus='virtio'/></disk>"
    ),
    "one without a source": domain(devices=disk(source="")),
    "one on no bus": domain(devices=disk(target="dev='vda'")),
    "one on USB": domain(devices=disk(target="dev='sda' bus='usb'")),
    "one on NVMe": domain(devices=disk(target="dev='nvme0n1' bus='nvme'")),
    "two of one name": domain(devices=disk(target="dev='vd_a' bus='virtio'") + disk(target="dev='vd-a' bus='virtio'")),
    "one with an alias": domain(devices=disk(named("ua-root"))),
    "a drive that can be written": domain(devices=disk(target="dev='sda' bus='sata'", kind="cdrom")),
    "a drive with its tray open": domain(
        devices=disk("<readonly/>", target="dev='sda' bus='sata' tray='open'", kind="cdrom")
    ),
    "a drive with a serial number": domain(
        devices=disk("<readonly/><serial>S</serial>", target="dev='sda' bus='sata'", kind="cdrom")
    ),
    "a floppy": domain(devices=disk(target="dev='fda'", kind="floppy")),
    "a LUN": domain(
        devices="<disk type='block' device='lun'><source dev='/dev/sdx'><reservations managed='yes'/></source>"
        "<target dev='sda' bus='scsi'/><readonly/></disk>"
    ),
    "a LUN without reservations": domain(
        devices=disk(source="dev='/dev/sdx'", target="dev='sda' bus='scsi'", kind="lun")
    ),
    "a disk without reservations": domain(
        devices="<disk type='block' device='disk'><source dev='/dev/sdx'><reservations managed='yes'/></source>"
        "<target dev='sda' bus='scsi'/></disk>"
    ),
    "one of no kind": domain(
        devices="<disk type='file'><source file='/x'/><target dev='vda' bus='virtio'/><serial>S</serial></disk>"
    ),
    "a LUN on SATA that is read-only": domain(
        devices=disk("<readonly/>", source="dev='/dev/sdx'", target="dev='sda' bus='sata'", kind="lun")
    ),
    "a drive at an address": domain(devices=disk(slot(), target="dev='sda' bus='sata'", kind="cdrom")),
    "one with a mirror and a chain": domain(
        devices=disk(
            "<driver name='qemu' type='qcow2'/><mirror type='file'><source file='/m'/></mirror>" + backing("/base"),
        )
    ),
    "one with every option": domain(
        devices=disk(
            "<driver name='qemu' cache='none' io='native' error_policy='report'/><serial>S</serial><shareable/>"
            "<boot order='1'/>"
        )
    ),
    "every block size": domain(
        devices=disk("<blockio logical_block_size='4096' physical_block_size='8192' discard_granularity='16384'/>")
    ),
    "a physical block size": domain(devices=disk("<blockio physical_block_size='4096'/>")),
    "a logical block size": domain(devices=disk("<blockio logical_block_size='4096'/>")),
    "a granularity": domain(devices=disk("<blockio discard_granularity='4096'/>")),
    "no errors, no queues": domain(devices=disk("<driver name='qemu' error_policy='stop' queues='4'/>")),
    "an empty serial number": domain(devices=disk("<serial/>")),
    "KubeVirt's cache none": kubevirts(devices=disk("<driver name='qemu' cache='none'/>")),
    "KubeVirt's cache writethrough": kubevirts(devices=disk("<driver name='qemu' cache='writethrough'/>")),
    "KubeVirt's empty drive": kubevirts(devices=disk(named("ua-cd"), "", "dev='sda' bus='sata'", "cdrom")),
    "KubeVirt's other alias": kubevirts(devices=disk(named("virtio-disk0"))),
}
DISKS |= {
    f"read-only on {bus}": domain(devices=disk("<readonly/>", target=f"dev='sda' bus='{bus}'"))
    for bus in ("sata", "ide", "virtio", "scsi")
}
DISKS |= {
    f"cache {cache}": domain(devices=disk(f"<driver name='qemu' cache='{cache}'/>"))
    for cache in ("writethrough", "writeback", "directsync", "unsafe")
}
DISKS |= {
    f"address {' '.join(f'{name}={number}' for name, number in address.items())}": domain(devices=disk(slot(**address)))
    for address in (
        {"domain": "0xFFFF", "bus": "0xFF", "slot": "0x1F", "function": "0x7"},
        {"domain": "65535", "bus": "255", "slot": "31", "function": "7"},
        {"domain": "0X10000"},
        {"domain": "65536"},
        {"bus": "256"},
        {"bus": "0x100"},
        {"slot": "32"},
        {"function": "8"},
        {"function": "f"},
        {"bus": "010"},
        {"type": "ccw"},
    )
}
BOOT = "<os><type arch='x86_64' machine='q35'>hvm</type>{}</os>"
DISKS |= {
    "booted from each": domain(
        devices=disk() + disk(target="dev='sda' bus='sata'", kind="cdrom") + card(),
        os=BOOT.format("<boot dev='network'/><boot dev='cdrom'/><boot dev='hd'/>"),
    ),
    "booted from one twice": domain(devices=disk(), os=BOOT.format("<boot dev='hd'/><boot dev='hd'/>")),
    "booted from none": domain(os=BOOT.format("<boot dev='fd'/><boot dev='hd'/><boot dev='network'/>")),
    "booted by its own order": domain(devices=disk("<boot order='3'/>"), os=BOOT.format("<boot dev='hd'/>")),
}
TWO = (disk("{}"), disk("{}", target="dev='vdb' bus='virtio'"))
THREADS = {
    "threads that no disk has": domain("<iothreads>2</iothreads>", disk()),
    "no threads": domain("<iothreads>0</iothreads>", disk("<driver name='qemu' iothread='1'/>")),
    "one thread for all": domain(
        "<iothreads>1</iothreads>", "".join(TWO).format(*["<driver name='qemu' iothread='1'/>"] * 2)
    ),
    "one thread for one disk": domain("<iothreads>1</iothreads>", disk("<driver name='qemu' iothread='1'/>")),
    "KubeVirt's one thread for one disk": kubevirts(
        "<iothreads>1</iothreads>", disk("<driver name='qemu' iothread='1'/>")
    ),
    "KubeVirt's threads, one of which a disk has": kubevirts(
        "<iothreads>3</iothreads>", "".join(TWO).format("<driver name='qemu' iothread='1'/>", "")
    ),
    "a thread for each": domain(
        "<iothreads>2</iothreads>", "".join(TWO).format(*[f"<driver name='qemu' iothread='{n}'/>" for n in (1, 2)])
    ),
    "more threads than disks": domain(
        "<iothreads>3</iothreads>", "".join(TWO).format(*[f"<driver name='qemu' iothread='{n}'/>" for n in (1, 2)])
    ),
    "a thread for one of two": domain(
        "<iothreads>2</iothreads>", "".join(TWO).format("<driver name='qemu' iothread='1'/>", "")
    ),
    "a thread for one of three": domain(
        "<iothreads>2</iothreads>",
        "".join(TWO).format(*["<driver name='qemu' iothread='1'/>"] * 2)
        + disk("<driver name='qemu' iothread='2'/>", target="dev='vdc' bus='virtio'"),
    ),
    "a pool": domain(
        "<iothreads>2</iothreads>", disk("<driver name='qemu'><iothreads><iothread id='1'/></iothreads></driver>")
    ),
    "KubeVirt's pool": kubevirts("<iothreads>2</iothreads>", disk()),
    "KubeVirt's only thread": kubevirts("<iothreads>1</iothreads>", disk()),
    "KubeVirt's thread for each": kubevirts(
        "<iothreads>2</iothreads>", "".join(TWO).format(*[f"<driver name='qemu' iothread='{n}'/>" for n in (1, 2)])
    ),
}

SHARE = "<filesystem type='mount'><driver type='virtiofs'/><source dir='/srv'/><target dir='{}'/></filesystem>"
VOLUMES = {
    "a share": domain(devices=SHARE.format("data")),
    "KubeVirt's share": kubevirts(devices=SHARE.format("data")),
    "KubeVirt's share beside a disk": kubevirts(
        devices=SHARE.format("data") + own("/var/run/libvirt/empty-disks/d.qcow2")
    ),
    "container disks in their places": kubevirts(devices=container_disk("b", "1") + container_disk("a", "0")),
    "a container disk behind a claim": kubevirts(
        devices=container_disk("b", "1")
        + own(f"{OWN}/vmi-disks/d/disk.img", "<filesystemOverhead>0.055</filesystemOverhead>")
    ),
    "a container disk at no place": kubevirts(devices=container_disk("b", "12") + container_disk("c", "0000")),
    "a container disk at a place of three digits": kubevirts(
        devices=container_disk("b", "12") + container_disk("c", "000")
    ),
    "two container disks at one place": kubevirts(devices=container_disk("b", "0") + container_disk("c", "0")),
    "an ephemeral claim": kubevirts(devices=overlay("e", f"{OWN}/vmi-disks/e/disk.img")),
    "an ephemeral block device": kubevirts(devices=overlay("e", "/dev/e", "dev")),
    "cloud-init as NoCloud": kubevirts(devices=own(f"{EPHEMERAL}/cloud-init-data/prod/db/noCloud.iso")),
    "cloud-init as a config drive": kubevirts(devices=own(f"{EPHEMERAL}/cloud-init-data/prod/db/configdrive.iso")),
    "a block device": kubevirts(devices=disk(named("ua-d"), "dev='/dev/d'")),
    "a block device of another name": kubevirts(devices=disk(named("ua-d"), "dev='/dev/e'")),
    "a host disk": kubevirts(devices=own(f"{OWN}/vmi-disks/d/my.img")),
    "a host disk of the usual name": kubevirts(devices=own(f"{OWN}/vmi-disks/d/disk.img")),
    "a claim": kubevirts(
        devices=own(
            f"{OWN}/vmi-disks/d/disk.img",
            "<capacity>21474836480</capacity><filesystemOverhead>0.055</filesystemOverhead>"
            "<driver name='qemu' discard='unmap'/>",
        )
    ),
    "a claim that is preallocated": kubevirts(
        devices=own(
            f"{OWN}/vmi-disks/d/disk.img", "<capacity>20Gi</capacity><filesystemOverhead>0</filesystemOverhead>"
        )
    ),
    "a claim of a drive": kubevirts(devices=own(f"{OWN}/vmi-disks/d/disk.img", kind="cdrom")),
    "a hotplugged claim": kubevirts(devices=own("/var/run/kubevirt/hotplug-disks/d.img")),
    "a hotplugged block device": kubevirts(
        devices="<disk type='block' device='disk'><source dev='/var/run/kubevirt/hotplug-disks/d'/>"
        f"<target dev='sda' bus='scsi'/>{named('ua-d')}</disk>"
    ),
    "an empty disk": kubevirts(devices=own("/var/run/libvirt/empty-disks/d.qcow2")),
    "metrics": kubevirts(devices=own(f"{OWN}/downwardapi-disks/vhostmd0")),
    "a path of somebody else's": kubevirts(devices=own("/srv/d.img")),
    "a claim of no namespace": domain(MARK, disk(named("ua-d"), "dev='/dev/d'"), name="<name>_db</name>"),
}
VOLUMES |= {
    f"a volume of {kind}": kubevirts(devices=own(f"{OWN}/{kind}-disk{plural}/d"))
    for kind, plural in [
        ("config-map", "s"),
        ("secret", "s"),
        ("sysprep", "s"),
        ("downwardapi", "s"),
        ("service-account", ""),
    ]
}

CARDS = {
    f"a card of model {model}": domain(devices=card(f"<model type='{model}'/>"))
    for model in ("e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139", "virtio-non-transitional", "vmxnet3")
} | {
    "a link that is down": domain(devices=card("<link state='down'/>")),
    "a link that is up": domain(devices=card("<link state='up'/>")),
    "a card to boot from": domain(devices=card("<boot order='2'/>")),
    "a card with an index": domain(devices=card("<acpi index='7'/>")),
    "a card with queues": domain(devices=card("<driver name='vhost' queues='4'/>")),
    "a card at an address": domain(devices=card(slot())),
    "a card at an address of libvirt's": domain(
        devices=card(slot()) + "<controller type='pci' index='0' model='pcie-root'/>"
    ),
    "a card with a MAC address": domain(devices=card("<mac address='52:54:00:AA:00:01'/>")),
    "a card without a MAC address": domain(devices=card("<mac/>")),
    "two cards on one network": domain(devices=card(source="network='lan'") + card(source="network='lan'")),
    "cards without names": domain(devices=card(source="") + card(source="") + "<interface type='user'/>"),
    "a virtual function and a card": domain(
        devices=f"<interface type='hostdev'><source>{slot()}</source></interface>" + card()
    ),
    "KubeVirt's card": kubevirts(devices=card(f"{named('ua-lan')}<target dev='tap0'/>", "")),
    "KubeVirt's card of a binding": kubevirts(devices=card(f"{named('ua-lan')}<target dev='eth0'/>", "")),
    "KubeVirt's card of Multus": kubevirts(devices=card(f"{named('ua-lan')}<target dev='tap1'/>", "")),
    "KubeVirt's card by passt": kubevirts(devices=card(named("ua-lan"), "type='unix'", "vhostuser")),
    "KubeVirt's two cards": kubevirts(devices=card(named("ua-lan"), "") + card(named("ua-wan"), "")),
    "KubeVirt's card without a name": kubevirts(devices=card("", "")),
    "KubeVirt's virtual function": kubevirts(
        devices=device(f"<source>{slot()}</source>{named('ua-sriov-fast')}") + card(named("ua-lan"), "")
    ),
}

HOST = f"<source>{slot('0x41')}</source>"
MEDIATED = f"<source><address uuid='{UUID}'/></source>"
HOST_DEVICES = {
    "a device of no address": domain(devices=device("<source/>", "usb")),
    "a PCI device of no address": domain(devices=device("<source/>")),
    "KubeVirt's PCI device of no address": kubevirts(devices=device("<source/>" + named("ua-gpu-g"))),
    "KubeVirt's mediated device of no address": kubevirts(devices=device("<source/>" + named("ua-gpu-g"), "mdev")),
    "a mediated device": domain(devices=device(MEDIATED, "mdev")),
    "KubeVirt's GPU": kubevirts(devices=device(HOST + named("ua-gpu-g"))),
    "KubeVirt's host device": kubevirts(devices=device(HOST + named("ua-hostdevice-h"))),
    "KubeVirt's USB device": kubevirts(
        devices=device("<source><address bus='1' device='2'/></source>" + named("ua-usb-host-u"), "usb")
    ),
    "KubeVirt's other device": kubevirts(devices=device(HOST + named("ua-other-h"))),
    "others' GPU": domain(devices=device(HOST + named("ua-gpu-g"))),
    "two of one name": kubevirts(devices=device(HOST + named("ua-gpu-g")) + device(HOST + named("ua-gpu-g"))),
}

DEVICES = {
    "a graphics card": domain(devices="<video><model type='virtio'/></video>"),
    "the usual graphics card": domain(devices="<video><model type='vga' vram='16384'/></video>"),
    "the usual graphics card of UEFI": domain(
        devices="<video><model type='bochs'/></video>",
        os="<os><type>hvm</type><loader type='pflash'>/x.fd</loader></os>",
    ),
    "the usual graphics card of ARM": domain(devices="<video><model type='virtio'/></video>", os=ARM),
    "no graphics card": domain(devices="<graphics type='vnc'/><video><model type='none'/></video>"),
    "a graphics card of no type": domain(devices="<video><model/></video>"),
    "two graphics cards": domain(devices="<video><model type='vga'/></video><video><model type='qxl'/></video>"),
    "KubeVirt's card that is chosen": kubevirts(devices="<video><model type='virtio' vram='16384'/></video>", os=ARM),
    "KubeVirt's card that is given": kubevirts(devices="<video><model type='virtio'/></video>", os=ARM),
    "KubeVirt's VGA": kubevirts(devices="<video><model type='vga' vram='16384'/></video>"),
    "SPICE": domain(devices="<graphics type='spice' autoport='yes'/>"),
    "a tablet on virtio": domain(devices="<input type='tablet' bus='virtio'/>"),
    "a tablet on no bus": domain(devices="<input type='tablet'/>"),
    "a tablet on PS/2": domain(devices="<input type='tablet' bus='ps2'/>"),
    "a keyboard on USB": domain(devices="<input type='keyboard' bus='usb'/>"),
    "a keyboard on no bus": domain(devices="<input type='keyboard'/>"),
    "a mouse with an alias and an address": domain(
        devices=f"<input type='mouse' bus='ps2'>{named('input0')}{slot()}</input>"
    ),
    "others' named tablet": domain(devices=f"<input type='tablet' bus='usb'>{named('ua-pen')}</input>"),
    "KubeVirt's two tablets of one name": kubevirts(
        devices=2 * f"<input type='tablet' bus='usb'>{named('ua-pen')}</input>"
    ),
    "a keyboard on PS/2": domain(devices="<input type='keyboard' bus='ps2'/>"),
    "two tablets": domain(devices="<input type='tablet' bus='usb'/><input type='tablet' bus='virtio'/>"),
    "KubeVirt's tablet": kubevirts(devices=f"<input type='tablet' bus='usb'>{named('ua-pen')}</input>"),
    "KubeVirt's tablet of ARM": kubevirts(devices="<input type='tablet' bus='usb'/>", os=ARM),
    "KubeVirt's named tablet of ARM": kubevirts(
        devices=f"<input type='tablet' bus='usb'>{named('ua-pen')}</input>", os=ARM
    ),
    "others' tablet of ARM": domain(devices="<input type='tablet' bus='usb'/>", os=ARM),
    "KubeVirt's keyboard": kubevirts(devices="<input type='keyboard' bus='usb'/>"),
    "the channel of the agent": domain(
        devices="<channel type='unix'><target type='virtio' name='org.qemu.guest_agent.0'/></channel>"
    ),
    "the channel of metrics": domain(
        devices="<channel type='unix'><target type='virtio' name='org.github.vhostmd.1'/></channel>"
    ),
    "the channel of SPICE": domain(
        devices="<channel type='spicevmc'><target type='virtio' name='com.redhat.spice.0'/></channel>"
    ),
    "a console": domain(devices="<console type='pty'/>"),
    "KubeVirt's console without a log": kubevirts(devices="<serial type='unix'/>"),
    "KubeVirt's console with a log": kubevirts(devices="<serial type='unix'><log file='/x'/></serial>"),
    "others' console without a log": domain(devices="<serial type='unix'/>"),
    "KubeVirt's two consoles, the first with a log": kubevirts(
        devices="<serial type='unix'><log file='/x'/></serial><serial type='pty'/>"
    ),
    "KubeVirt's two consoles, the second with a log": kubevirts(
        devices="<serial type='pty'/><serial type='unix'><log file='/x'/></serial>"
    ),
    "two of what a guest has one of": domain(
        devices="<rng model='virtio'/><rng model='virtio-transitional'/><sound model='ac97'/><sound model='ich9'/>"
        "<tpm model='tpm-tis'><backend type='passthrough'/></tpm><tpm model='tpm-crb'><backend type='emulator'/></tpm>"
        "<vsock model='virtio'/><vsock/>"
    ),
    "a balloon": domain(devices="<memballoon model='virtio'><stats period='10'/></memballoon>"),
    "a TPM of the host": domain(devices="<tpm model='tpm-tis'><backend type='passthrough'/></tpm>"),
    "a TPM without a backend": domain(devices="<tpm model='tpm-tis'/>"),
    "KubeVirt's TPM": kubevirts(devices="<tpm model='tpm-tis'><backend type='emulator' version='2.0'/></tpm>"),
    "KubeVirt's TPM that keeps its state": kubevirts(
        devices="<tpm model='tpm-crb'><backend type='emulator' version='2.0' persistent_state='yes'/></tpm>"
    ),
    "sound by ICH6": domain(devices="<sound model='ich6'/>"),
    "sound by AC97": domain(devices="<sound model='ac97'/>"),
    "sound by USB": domain(devices="<sound model='usb'/>"),
    "others' named sound": domain(devices=f"<sound model='ich9'>{named('ua-bell')}</sound>"),
    "KubeVirt's sound": kubevirts(devices=f"<sound model='ich9'>{named('ua-bell')}</sound>"),
    "KubeVirt's sound without a name": kubevirts(devices="<sound model='ich9'/>"),
    "a watchdog": domain(devices=f"<watchdog model='i6300esb' action='poweroff'>{named('ua-dog')}</watchdog>"),
    "a watchdog of no action": domain(devices="<watchdog model='i6300esb'/>"),
    "a watchdog of IBM Z": domain(devices="<watchdog model='diag288' action='reset'/>", os=S390X),
    "a watchdog of the chipset": domain(devices="<watchdog model='itco' action='reset'/>"),
    "a watchdog of the chipset that says no action": domain(devices="<watchdog model='itco'/>"),
    "a watchdog of the chipset that powers off": domain(devices="<watchdog model='itco' action='poweroff'/>"),
    "KubeVirt's watchdog": kubevirts(devices=f"<watchdog model='i6300esb' action='reset'>{named('ua-dog')}</watchdog>"),
    "devices for a panic": domain(devices="<panic model='isa'/><panic/>"),
    "sockets of the host": domain(devices="<vsock model='virtio'><cid auto='no' address='3'/></vsock>"),
    "ports for USB": domain(devices="<redirdev bus='usb' type='unix'/><redirdev bus='usb' type='unix'/>"),
    "virtio of old": domain(devices=disk().replace("<disk ", "<disk model='virtio-transitional' ")),
}
CONTROLLERS = {
    f"a controller of {kind} {model}".rstrip(): domain(devices=f"<controller type='{kind}' index='0' model='{model}'/>")
    for kind, model in [
        ("pci", "pcie-root"),
        ("sata", ""),
        ("usb", ""),
        ("usb", "qemu-xhci"),
        ("usb", "nec-xhci"),
        ("usb", "piix3-uhci"),
        ("usb", "none"),
        ("scsi", "virtio-scsi"),
        ("scsi", "lsilogic"),
        ("virtio-serial", ""),
        ("ide", ""),
        ("ccid", ""),
    ]
} | {
    "a hole of PCI": domain(
        devices="<controller type='pci' index='0' model='pcie-root'><pcihole64 unit='KiB'>0</pcihole64></controller>"
    ),
    "a hole of some size": domain(
        devices="<controller type='pci' index='0' model='pcie-root'><pcihole64>1048576</pcihole64></controller>"
    ),
    "a hole of none": domain(devices="<controller type='usb'><pcihole64>0</pcihole64></controller>"),
    "KubeVirt's on the root": kubevirts(
        devices=f"<controller type='virtio-serial' index='0'>{slot('0x00')}</controller>"
        "<controller type='scsi' index='0'/>"
    ),
    "KubeVirt's on a port": kubevirts(devices=f"<controller type='scsi' index='0'>{slot('0x01')}</controller>"),
    "KubeVirt's other one on the root": kubevirts(
        devices=f"<controller type='usb' index='0'>{slot('0x00')}</controller><controller type='scsi' index='0'/>"
    ),
    "KubeVirt's USB": kubevirts(devices="<controller type='usb' index='0' model='none'/>"),
}

GROUPS = {
    "memory": MEMORY,
    "CPUs": CPUS,
    "firmware": FIRMWARE,
    "features": FEATURES,
    "life": LIFE,
    "security": SECURITY,
    "disks": DISKS,
    "threads": THREADS,
    "volumes": VOLUMES,
    "cards": CARDS,
    "host devices": HOST_DEVICES,
    "devices": DEVICES,
    "controllers": CONTROLLERS,
}
USUAL = {"disks": disk(), "threads": disk(), "cards": card()}
"""The devices of the smallest domain of a group."""


def words(imported: Imported) -> list[str]:
    """All that is said of a domain."""
    return [
        *(f"refused: {reason}" for reason in imported.reasons),
        *(f"warned: {warning}" for warning in imported.warnings),
        *(f"to do: {need.field}: {need.message}" for need in imported.needs),
        *(f"assumed: {claim}" for claim in imported.assumed),
        *(
            f"{part.path}: {part.fate}{part.why and ': '}{part.why}"
            for part in imported.parts
            if part.fate != "unproven" and (part.why or part.fate != "carried")
        ),
    ]


@cache
def smallest(devices: str, *, from_kubevirt: bool) -> Imported:
    return bring((kubevirts if from_kubevirt else domain)(devices=devices), objects=plugins())


def shown(imported: Imported, content: bytes, devices: str = "") -> list[str]:
    """What is otherwise than with the smallest domain: of the VM, and of what is said of it."""
    usual = smallest(devices, from_kubevirt=MARK.encode() in content)
    usual_words = {*words(usual)}
    return [
        *(str(difference) for difference in differences(usual.vm, imported.vm)),
        *(line for line in words(imported) if line not in usual_words),
    ]


@pytest.mark.parametrize(("group", "case"), [(group, case) for group, cases in GROUPS.items() for case in cases])
def test_each_has_its_own_in_the_vm_and_in_words(group: str, case: str, snapshot: SnapshotAssertion) -> None:
    content = GROUPS[group][case]
    assert shown(bring(content, objects=plugins()), content, USUAL.get(group, "")) == snapshot


RULES = Rules(
    disks=tuple(map(disk_rule, ["*/src*=claim:by-path", "src*=claim:by-file", "vdb=drop", "vdc=clone:gold/vdc"])),
    networks=tuple(
        NameRule(pattern, network)
        for pattern, network in [
            ("net", "vlans/net"),
            ("br", "vlans/br"),
            ("dev", "vlans/dev"),
            ("group", "vlans/group"),
            ("52:54:00:00:00:0?", "vlans/mac"),
            ("lan", "vlans/alias"),
        ]
    ),
    devices=tuple(map(device_rule, [f"{UUID}=example.org/mdev", "0000:41:*=example.org/pci", "h=example.org/alias"])),
)
RULED = {
    **{
        f"a disk at a {name}": domain(devices=disk(source=f"{name}='/a/src.img'"))
        for name in ("file", "dev", "name", "dir", "volume")
    },
    "a disk at a file of no folder": domain(devices=disk(source="name='src'")),
    "a disk at a device before a name": domain(devices=disk(source="name='/a/x' dev='/a/src'")),
    "a disk that is left out": domain(devices=disk(target="dev='vdb' bus='virtio'")),
    "a disk that is cloned": domain(devices=disk(target="dev='vdc' bus='virtio'")),
    **{
        f"a card at a {name}": domain(devices=card(source=f"{name}='{value}'"))
        for name, value in [("network", "net"), ("bridge", "br"), ("dev", "dev"), ("portgroup", "group")]
    },
    "a card of an address": domain(devices=card("<mac address='52:54:00:00:00:01'/>", "")),
    "a card of an alias": domain(devices=card(named("ua-lan"), "")),
    "KubeVirt's card of an alias": kubevirts(devices=card(named("ua-lan"), "")),
    "a mediated device": domain(devices=device(MEDIATED, "mdev")),
    "a device at an address": domain(devices=device(HOST)),
    "a device of an alias": domain(devices=device("<source/>" + named("ua-h"), "usb")),
    "the second of two devices": domain(devices=device("<source/>", "usb") + device(HOST)),
    "KubeVirt's GPU": kubevirts(devices=device(HOST + named("ua-gpu-g"))),
}


@pytest.mark.parametrize("case", RULED)
def test_rules_name_what_is_behind_devices(case: str, snapshot: SnapshotAssertion) -> None:
    assert shown(bring(RULED[case], RULES, objects=plugins()), RULED[case]) == snapshot


@pytest.mark.parametrize("kinds", [["pci"], ["mdev"], ["pci", "pci"], ["mdev", "pci"]], ids=" ".join)
@pytest.mark.parametrize("of", ["pci", "mdev"])
def test_a_cluster_may_have_one_resource_for_a_device(of: str, kinds: list[str], snapshot: SnapshotAssertion) -> None:
    content = kubevirts(devices=device((HOST if of == "pci" else MEDIATED) + named("ua-gpu-g"), of))
    assert shown(bring(content, objects=plugins(*kinds)), content) == snapshot


@pytest.mark.parametrize("options", ["display='on' ramfb='on'", "display='on'", "display='off'"])
@pytest.mark.parametrize("family", ["gpu", "hostdevice"])
def test_mediated_gpus_have_a_display(family: str, options: str, snapshot: SnapshotAssertion) -> None:
    content = kubevirts(devices=device(MEDIATED + named(f"ua-{family}-g"), "mdev", options))
    assert shown(bring(content, objects=plugins("mdev")), content) == snapshot


def drafted(content: bytes) -> Draft:
    """A domain's VM, as it is before KubeVirt has seen it."""
    draft = Draft(read_xml(content, "db.xml"), "db.xml")
    machine(draft)
    devices(draft, Rules(), {})
    disks(draft, Rules())
    return draft


def scalars(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all values that have no parts, by index in lists."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    yield from [below for step, item in parts for below in scalars(item, (*path, step))] or [path]


def origins(content: bytes) -> Iterator[str]:
    """The parts of a domain that are lost with each field of the VM, if KubeVirt refuses that."""
    draft = drafted(content)
    for path in scalars(draft.spec):
        field = field_path(path)
        draft.drop(path, field)
        parts = [
            f"{element.path}/@{attribute}" if attribute else element.path
            for (element, attribute), verdict in draft.verdicts.items()
            if verdict.why == field
        ]
        if parts:
            yield f"{field}: {' '.join(parts)}"


@pytest.mark.parametrize("group", GROUPS)
def test_each_field_is_known_by_the_parts_that_it_comes_from(group: str, snapshot: SnapshotAssertion) -> None:
    usual = {*origins(domain(devices=disk() + card())), *origins(kubevirts(devices=disk() + card()))}
    lines = dict.fromkeys(line for content in GROUPS[group].values() for line in origins(content))
    assert [line for line in lines if line not in usual] == snapshot


REFUSED = {
    "a share": VOLUMES["a share"],
    "a share beside a disk": domain(devices=SHARE.format("data") + disk()),
    "KubeVirt's share": VOLUMES["KubeVirt's share"],
    "KubeVirt's share beside a disk": VOLUMES["KubeVirt's share beside a disk"],
    "sockets of the host": DEVICES["sockets of the host"],
    "KubeVirt's Ignition": LIFE["KubeVirt's Ignition"],
    "TDX": SECURITY["TDX"],
    "a host disk": VOLUMES["a host disk"],
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_cluster_without_gates_refuses_goes_where_that_helps(case: str, snapshot: SnapshotAssertion) -> None:
    assert shown(bring(REFUSED[case]), REFUSED[case]) == snapshot


@pytest.mark.parametrize(
    "content", [domain(devices=disk() + card()), kubevirts(devices=own("/srv/d.img"))], ids=["others'", "KubeVirt's"]
)
def test_what_only_the_vms_domain_has_is_named_once_with_all_that_is_in_it(
    content: bytes, snapshot: SnapshotAssertion
) -> None:
    assert bring(content).added == snapshot


def test_a_part_is_told_without_what_is_in_it_and_has_the_same_fate_for_the_same_reason() -> None:
    imported = bring(
        domain(
            "<cputune><shares>1</shares></cputune><title>t</title>",
            "<shmem name='x'><model type='ivshmem'/><size unit='M'>4</size></shmem>" + disk(named("a") + slot()),
        )
    )
    assert [part.path for part in imported.outermost("lost")] == ["cputune", "title", "devices/shmem"]
    paths = ["devices/disk/@type", "devices/disk/source", "devices/disk/alias/@name"]
    assert [part.path for part in imported.outermost("host")] == paths
    assert [part.path for part in imported.lost] == [part.path for part in imported.parts if part.fate == "lost"]


WHOLE = {
    "the smallest": (domain(), {}),
    "the smallest that runs": (domain(), {"run_strategy": "Always"}),
    "with a description and a disk": (domain("<description>of matter</description>", disk()), {}),
    "with disks that are filled": (
        domain(devices=disk() + disk(target="dev='vdb' bus='scsi'")),
        {"rules": Rules(disks=(disk_rule("vda=blank:1Gi"), disk_rule("*=http:https://example.org/x,2Gi")))},
    ),
    "KubeVirt's of no namespace": (domain(MARK, name="<name>_db</name>"), {}),
    "KubeVirt's with annotations": (kubevirts("<memoryBacking><hugepages/></memoryBacking>", disk(source="")), {}),
}


@pytest.mark.parametrize("case", WHOLE)
def test_the_whole_vm(case: str, snapshot: SnapshotAssertion) -> None:
    content, options = WHOLE[case]
    assert dump(bring(content, **options).vm).splitlines() == snapshot
