"""The elements of a libvirt domain in their order, each made of what it reads.

What a function is not given here it cannot read: whoever adds a line that reads one thing more adds a parameter, and
passes it here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.names import EVEN_PARITY, NON_ROOT, QGS_SOCKET
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.domain import Domain
from virtcatalog.kubevirt.launcher.efi import FirmwareImages, keeps_variables, select_efi
from virtcatalog.kubevirt.launcher.elements.clock import clock, needs_tsc_frequency
from virtcatalog.kubevirt.launcher.elements.cpu import cpu, cputune, numatune
from virtcatalog.kubevirt.launcher.elements.devices import devices
from virtcatalog.kubevirt.launcher.elements.features import features
from virtcatalog.kubevirt.launcher.elements.hypervisor import domain_type
from virtcatalog.kubevirt.launcher.elements.iothreads import iothread_counts, iothreads
from virtcatalog.kubevirt.launcher.elements.launchsecurity import launchsecurity, uses_tdx
from virtcatalog.kubevirt.launcher.elements.memory import guest_memory, memory
from virtcatalog.kubevirt.launcher.elements.memorybacking import memorybacking, needs_memfd, needs_sharing
from virtcatalog.kubevirt.launcher.elements.os import nvram_file, on_reboot, os, sysinfo
from virtcatalog.kubevirt.launcher.elements.peripherals import iommufd
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE as QEMU
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE_ATTRIBUTE, VERBOSE, commandline, ignition_file
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology, domain_topology, max_sockets, requested_topology
from virtcatalog.kubevirt.launcher.elements.vcpu import vcpu as vcpus
from virtcatalog.kubevirt.launcher.numa import GuestCell, memfd_cell, passthrough_cells
from virtcatalog.kubevirt.launcher.pciplacement import place
from virtcatalog.kubevirt.launcher.pinning import Pinning, has_numa_passthrough, pin
from virtcatalog.kubevirt.launcher.xml import Element, leaf, shared, write


class Machine(NamedTuple):
    """The domain's type and the elements before `<devices>`, with what devices need to know of these.

    `topology` are the CPUs that the guest boots with, `cells` its NUMA cells, `pinning` where its threads run.
    """

    type: str
    elements: list[Element]
    topology: CPUTopology
    cells: tuple[GuestCell, ...]
    pinning: Pinning | None


def build_domain(vmi: VirtualMachineInstance, context: Context) -> Element:
    """The `<domain>` of `convert`."""
    return convert(vmi, context).element


def convert(vmi: VirtualMachineInstance, context: Context) -> Domain:
    """The domain that virt-launcher's converter makes.

    Raises DomainError where virt-launcher refuses the VMI. The VMI is read, never changed.
    Source: pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_VirtualMachineInstance_To_api_Domain).
    """
    annotations, release = vmi.metadata.annotations, context.release
    machine = _machine(vmi, context)
    element = Element("domain", {"type": machine.type, NAMESPACE_ATTRIBUTE: QEMU})
    element.extend(machine.elements)
    devices_element, sources = devices(vmi, context, machine.topology.vcpus)
    behind = (
        launchsecurity(
            vmi.spec.domain.launch_security,
            context.architecture.name,
            tdx_quotes=release.traits.tdx_quotes,
            quote_socket=annotations.get(QGS_SOCKET, ""),
        ),
        commandline(
            ignition_file(annotations, vmi.metadata.namespace, vmi.metadata.name),
            firmware_log=context.architecture.verbose_firmware_log and context.launcher_log_verbosity > VERBOSE,
        ),
    )
    element.append(devices_element)
    element.extend(_present(behind))
    domain = Domain(element, sources)
    place(domain, vmi, context, machine.cells, machine.pinning)
    return domain


def machine_text(vmi: VirtualMachineInstance, context: Context) -> str | None:
    """The part of a domain before `<devices>` as text: where it is another one, so is the domain.

    It takes a quarter of the time. None where devices change it; DomainError as in `convert`.
    """
    if context.grace_host_device_aliases:
        return None
    machine = _machine(vmi, context)
    element = Element("domain", type=machine.type)
    element.extend(machine.elements)
    return write(element)


def _machine(vmi: VirtualMachineInstance, context: Context) -> Machine:
    domain, annotations, architecture = vmi.spec.domain, vmi.metadata.annotations, context.architecture
    release, emulated = context.release, context.emulates_other_architecture
    firmware, security = domain.firmware, domain.launch_security
    hugepages = domain.memory.hugepages if domain.memory is not None else None
    realtime = domain.cpu is not None and domain.cpu.realtime is not None
    requested = requested_topology(domain.cpu, domain.resources)
    sockets = max_sockets(domain.cpu, hotplug=architecture.cpu_hotplug)
    topology = domain_topology(requested, sockets)
    guest = guest_memory(domain.memory, domain.resources)
    shares = needs_sharing(domain.devices)
    memfd = needs_memfd(hugepages, annotations, shares_memory=shares)
    memfd = memfd and (release.traits.s390x_has_memfd or architecture.name != "s390x")

    parity = EVEN_PARITY in annotations
    pinning = pin(domain, context.cpu_set, context.topology, architecture, release, even_parity=parity)
    bound: tuple[GuestCell, ...] = ()
    if pinning is not None and has_numa_passthrough(domain.cpu):
        distances = context.numa_distances if release.traits.passes_numa_distances else {}
        bound = passthrough_cells(hugepages, guest, context.topology, pinning, distances)
    numa = domain.cpu.numa if domain.cpu is not None else None
    has_cell = memfd and (numa is None or release.traits.numa_field_gets_memfd_cell)
    cells = bound or ((memfd_cell(topology, guest),) if has_cell else ())
    kind = domain_type(
        context.hypervisor,
        available=context.hypervisor_available,
        emulation_allowed=context.allow_emulation,
        other_architecture=emulated,
    )
    elements = (
        name_of_domain(vmi.metadata.namespace, vmi.metadata.name),
        METADATA,
        *memory(domain.memory, domain.resources),
        memorybacking(hugepages, bound, shares_memory=shares, memfd=memfd, realtime=realtime),
        *vcpus(requested, sockets),
        iothreads(iothread_counts(domain)[0]),
        cputune(pinning),
        numatune(bound),
        sysinfo(firmware, context.smbios, domain.chassis),
        _os(vmi, context),
        iommufd(context.iommufd),
        features(
            domain.features,
            release,
            dedicated_cpus=pinning is not None and vmi.spec.architecture == "amd64",
            realtime=pinning is not None and realtime,
            tdx=uses_tdx(security),
            vmport=architecture.vmport,
        ),
        cpu(
            domain.cpu,
            topology,
            cells,
            other_architecture=emulated,
            may_list_mpx=architecture.mpx_feature,
            empty_cells_tell_memory=release.traits.empty_cells_tell_memory,
        ),
        clock(domain.clock, context.tsc_frequency if needs_tsc_frequency(domain.cpu, domain.features) else None),
        on_reboot(domain.reboot_policy),
    )
    return Machine(kind, _present(elements), requested, cells, pinning)


def _os(vmi: VirtualMachineInstance, context: Context) -> Element:
    spec, domain, architecture = vmi.spec, vmi.spec.domain, context.architecture
    images = FirmwareImages(context.firmware_directory, context.firmware_files)
    efi = select_efi(
        domain.firmware,
        domain.launch_security,
        architecture.name,
        images,
        auto_selection=context.firmware_auto_selection,
        traits=context.release.traits,
    )
    nvram = ""
    if efi is not None and keeps_variables(efi, architecture.name):
        nvram = nvram_file(vmi.metadata.name, non_root=context.non_root or NON_ROOT in vmi.metadata.annotations)
    paused = spec.start_strategy == "Paused"
    return os(domain.machine, domain.firmware, architecture, efi, nvram, spec.volumes, starts_paused=paused)


def _present(elements: Iterable[Element | None]) -> list[Element]:
    return [element for element in elements if element is not None]


def name_of_domain(namespace: str, name: str) -> Element:
    """`<name>`, namespace and name of the VMI.

    Source: pkg/virt-launcher/virtwrap/converter/metadata/configurator.go (DomainConfigurator).
    """
    element = Element("name")
    element.text = f"{namespace}_{name}"
    return element


METADATA = shared("metadata", shared("kubevirt", leaf("uid"), xmlns="http://kubevirt.io"))
"""`<metadata>`, whose uid virt-launcher fills in later (DomainConfigurator, too)."""
