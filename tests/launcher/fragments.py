"""VMIs from a fragment of YAML, and XML that compares whatever its layout."""

from __future__ import annotations

from xml.etree.ElementTree import canonicalize

import msgspec

import otheryaml
from virtcatalog.api.configuration import SMBiosConfiguration
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.hosts import BlockLimits, DirectIO, HostCell, HostCPU, HostTopology, PodLinks
from virtcatalog.kubevirt.launcher.architecture import AMD64, architecture_of
from virtcatalog.kubevirt.launcher.builder import build_domain
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import write
from virtcatalog.releases import DEFAULT

TWO_NODES = HostTopology(
    tuple(
        HostCell(node, tuple(HostCPU(cpu, (cpu & ~1, cpu | 1)) for cpu in range(8 * node, 8 * node + 8)))
        for node in range(2)
    )
)
"""Two NUMA nodes of four cores with two threads each: CPUs 0-7 and 8-15."""


def make_vmi(text="", architecture="amd64", annotations=None):
    """Make the VMI default/vm of the YAML of its spec, whose keys may be dotted; `domain.devices` may be left out."""
    spec = {"architecture": architecture, "domain": {"devices": {}}}
    for key, value in (otheryaml.load(text) or {}).items():
        *parents, last = key.split(".")
        place = spec
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    metadata = {"name": "vm", "namespace": "default", "uid": "u", "annotations": annotations or {}}
    return convert({"metadata": metadata, "spec": spec}, VirtualMachineInstance)


NODE = Context(
    architecture=AMD64,
    release=DEFAULT,
    hypervisor="kvm",
    hypervisor_available=True,
    allow_emulation=False,
    host_architecture="",
    launcher_log_verbosity=2,
    non_root=True,
    smbios=SMBiosConfiguration(),
    firmware_directory="/usr/share/edk2/ovmf",
    firmware_files=frozenset(),
    firmware_auto_selection=False,
    topology=HostTopology(),
    pci_numa_aware_topology=False,
    pci_numa_nodes={},
    iommufd=False,
    grace_io_virtualization=False,
    grace_devices={},
    grace_initiator_nodes=(),
    smmuv3=False,
    numa_distances={},
    mem_balloon_stats_period=10,
    free_page_reporting=True,
    bochs_for_efi_guests=True,
    serial_console_log=True,
    expand_disks=False,
    container_disk_format="qcow2",
    filesystem_block_size=4096,
    block_device=BlockLimits(),
    direct_io=DirectIO(),
    claims_allocated=False,
    binding_attachments={},
    pod_interface="eth0",
    pod_links=PodLinks(),
)
"""A plain node of a plain cluster."""


def make_context(architecture="amd64", **changes):
    """Make the context of a VMI of an architecture."""
    return msgspec.structs.replace(NODE, architecture=architecture_of(architecture), **changes)


def xml(parts):
    """Give elements or XML text in a form that compares: order of attributes and white space do not count."""
    if parts is None:
        return ""
    text = (
        parts if isinstance(parts, str) else "".join(map(write, parts if isinstance(parts, list | tuple) else [parts]))
    )
    return canonicalize(f"<_>{text}</_>", strip_text=True)[3:-4]


def parts(tags, vmi, context=None):
    """Give the elements with these tags, in `<domain>` or in `<devices>`, of the domain of a VMI."""
    domain = build_domain(vmi, context or make_context(vmi.spec.architecture))
    return [element for element in (*domain, *domain.find("devices")) if element.tag in tags.split()]


def part(tag, vmi, context=None):
    """Give the element with a tag of the domain of a VMI, None where there is none."""
    return next(iter(parts(tag, vmi, context)), None)
