"""What virt-controller, virt-handler and the device plugins tell virt-launcher of a VMI: the domain's Context.

Source: pkg/virt-handler/options.go, pkg/virt-handler/vm.go and generateConverterContext of
pkg/virt-launcher/virtwrap/manager.go.
"""

from __future__ import annotations

import posixpath
from operator import attrgetter
from typing import Any

import msgspec

from virtcatalog.api.govalues import integer
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.names import EVEN_PARITY, NON_ROOT, namespace_or_default
from virtcatalog.kubevirt.claims import backing_volumes
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.deviceplugins import claimed_devices, device_resources, resource_kinds, sriov_addresses
from virtcatalog.kubevirt.hosts import HostProfile, topology
from virtcatalog.kubevirt.launcher.architecture import architecture_of
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.clock import needs_tsc_frequency
from virtcatalog.kubevirt.launcher.elements.iothreads import declared_pool, supplemental_pool
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.selectors import label_selector, selects
from virtcatalog.releases import Release

_NO_FREE_PAGE_REPORTING = "kubevirt.io/free-page-reporting-disabled"
_LOG_VERBOSITY = "logVerbosity"
_sriov = attrgetter("sriov")
_GRACE_GPUS = frozenset({("10DE", "2342"), ("10DE", "2348"), ("10DE", "2941")})


def build_context(vmi: VirtualMachineInstance, cluster: Cluster, vm: VirtualMachine | None = None) -> Context:
    """Gather what the domain of a VMI takes from the cluster and from its host profile.

    `vm`, when there is one, tells of data volume templates and is what changed block tracking goes by. DomainError
    where the node cannot give what the VMI asks of it.
    """
    facts = cluster.computed(_ClusterFacts)
    base = facts.context(vmi.spec.architecture)
    changes: dict[str, Any] = {}
    _gather_machine(vmi, cluster.configuration, facts, base, changes)
    _gather_devices(vmi, facts, changes)
    volumes = backing_volumes(vmi, cluster, vm)
    if volumes:
        changes["volumes"] = volumes
    if vm is not None and facts.tracks_changed_blocks and tracks_changed_blocks(vm, cluster):
        changes["changed_block_tracking"] = True
    return msgspec.structs.replace(base, **changes) if changes else base


class _ClusterFacts:
    """What is the same for all VMIs of a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self.host = cluster.host
        self.topology = topology(self.host)
        self.cpus = tuple(sorted(cpu.id for cell in self.topology.cells for cpu in cell.cpus))
        self.kinds = resource_kinds(cluster.configuration)
        self.grace_resources = _grace_resources(cluster.configuration)
        self.tracks_changed_blocks = cluster.configuration.feature_gate("IncrementalBackup")
        self._configuration = cluster.configuration
        self._contexts: dict[str, Context] = {}

    def context(self, architecture: str) -> Context:
        """The context of a VMI of an architecture that asks for nothing special."""
        context = self._contexts.get(architecture)
        if context is None:
            context = self._contexts[architecture] = self._make(architecture)
        return context

    def _make(self, architecture: str) -> Context:
        config, host = self._configuration, self.host
        directory = _cleaned(config.ovmf_path(architecture))
        return Context(
            architecture=architecture_of(architecture),
            release=config.release,
            hypervisor=config.hypervisor,
            hypervisor_available=config.hypervisor in host.hypervisors,
            allow_emulation=config.allow_emulation,
            host_architecture=host.architecture if config.feature_gate("CrossArchitectureVirtualization") else "",
            launcher_log_verbosity=config.virt_launcher_verbosity,
            non_root=not config.feature_gate("Root"),
            smbios=config.smbios,
            firmware_directory=directory,
            firmware_files=_firmware_files(host, config.release, directory),
            firmware_auto_selection=config.feature_gate("FirmwareAutoSelection"),
            topology=self.topology,
            pci_numa_aware_topology=config.feature_gate("PCINUMAAwareTopology"),
            pci_numa_nodes={d.address: d.numa_node for d in host.pci_devices if d.numa_node is not None},
            iommufd=host.iommufd and config.feature_gate("IOMMUFD"),
            grace_io_virtualization=config.feature_gate("GraceIOVirtualization"),
            grace_devices={device.address: device for device in host.pci_devices if device.vendor_id},
            grace_initiator_nodes=host.initiator_nodes,
            smmuv3=host.smmuv3,
            numa_distances={node.id: dict(enumerate(node.distances)) for node in host.numa_nodes},
            mem_balloon_stats_period=config.mem_balloon_stats_period,
            free_page_reporting=not config.free_page_reporting_disabled,
            expand_disks=config.release.traits.expand_disks_gate and config.feature_gate("ExpandDisks"),
            bochs_for_efi_guests=not config.vga_display_for_efi_guests,
            serial_console_log=not config.serial_console_log_disabled,
            container_disk_format=host.storage.container_disk_format,
            filesystem_block_size=host.storage.filesystem_block_size,
            block_device=host.storage.block_device,
            direct_io=host.storage.direct_io,
            claims_allocated=host.storage.preallocation,
            binding_attachments={
                name: plugin.domain_attachment_type
                for name, plugin in config.network_bindings.items()
                if plugin.domain_attachment_type
            },
            pod_interface=host.pod_interface,
            pod_links=host.pod_links,
        )


def _gather_machine(
    vmi: VirtualMachineInstance, config: Configuration, facts: _ClusterFacts, base: Context, changes: dict[str, Any]
) -> None:
    domain, metadata = vmi.spec.domain, vmi.metadata
    cpu, devices = domain.cpu, domain.devices
    dedicated = cpu is not None and cpu.dedicated_cpu_placement
    if dedicated:
        changes["cpu_set"] = _cpu_set(vmi, facts)
    if vmi.spec.architecture == "amd64" and needs_tsc_frequency(cpu, domain.features):
        changes["tsc_frequency"] = _tsc_frequency(vmi, config, facts.host)
    if base.free_page_reporting and (
        dedicated
        or devices.autoattach_mem_balloon is False
        or (cpu is not None and cpu.realtime is not None)
        or (domain.memory is not None and domain.memory.hugepages is not None)
        or metadata.annotations.get(_NO_FREE_PAGE_REPORTING) == "true"
    ):
        changes["free_page_reporting"] = False
    if devices.log_serial_console is not None:
        changes["serial_console_log"] = devices.log_serial_console
    if devices.autoattach_vsock:
        changes["vsock_cid"] = facts.host.vsock_cid
    if _LOG_VERBOSITY in metadata.labels:
        changes["launcher_log_verbosity"] = _verbosity(metadata.labels[_LOG_VERBOSITY])
    if not base.non_root and NON_ROOT in metadata.annotations:
        changes["non_root"] = True


def _verbosity(label: str) -> int:
    number = integer(label)
    if number is None:
        raise DomainError(f"metadata.labels[{_LOG_VERBOSITY}]", f"{label!r} is not a number")
    return number


def _cpu_set(vmi: VirtualMachineInstance, facts: _ClusterFacts) -> tuple[int, ...]:
    """The first CPUs of the host, as many as the pod asks for (pkg/virt-controller/services/renderresources.go)."""
    domain = vmi.spec.domain
    cpu = domain.cpu
    assert cpu is not None
    wanted = cpu.vcpus
    if not wanted:
        amount = domain.resources.limits.get("cpu", domain.resources.requests.get("cpu"))
        wanted = 0 if amount is None else amount.value
    wanted += declared_pool(domain)
    if cpu.isolate_emulator_thread:
        even = EVEN_PARITY in vmi.metadata.annotations and (wanted + supplemental_pool(domain)) % 2 == 0
        wanted += 2 if even else 1
    if wanted > len(facts.cpus):
        raise DomainError("spec.domain.cpu", f"the pod asks for {wanted} CPUs, and the node has {len(facts.cpus)}")
    return facts.cpus[:wanted]


def _tsc_frequency(vmi: VirtualMachineInstance, config: Configuration, host: HostProfile) -> int | None:
    """The lowest frequency of the cluster; a VMI with invtsc waits for one that makes sense."""
    frequency = cluster_tsc_frequency(config, host)
    cpu = vmi.spec.domain.cpu
    if frequency is None and cpu is not None and any(feature.name == "invtsc" for feature in cpu.features):
        minimum = config.minimum_cluster_tsc_frequency
        message = f"the cluster's minimumClusterTSCFrequency is {minimum}; a VMI with invtsc needs a positive one"
        raise DomainError("spec.domain.cpu.features", message)
    return frequency


def cluster_tsc_frequency(config: Configuration, host: HostProfile) -> int | None:
    """The lowest TSC frequency in Hz that the cluster has, 0 when no node tells one; None: a configured one is bad.

    Source: pkg/virt-controller/watch/topology/hinter.go (LowestTSCFrequencyOnCluster).
    """
    minimum = config.minimum_cluster_tsc_frequency
    if minimum is None:
        return host.tsc.frequency
    return minimum if minimum > 0 else None


def _gather_devices(vmi: VirtualMachineInstance, facts: _ClusterFacts, changes: dict[str, Any]) -> None:
    devices, host = vmi.spec.domain.devices, facts.host
    if devices.gpus or devices.host_devices:
        resources = changes["device_resources"] = device_resources(vmi, host, facts.kinds)
        changes["claimed_devices"] = claimed_devices(vmi, host, len(resources))
        if facts.grace_resources:
            device_names = [(f"gpu-{gpu.name}", gpu.device_name) for gpu in devices.gpus]
            device_names += [(f"hostdevice-{device.name}", device.device_name) for device in devices.host_devices]
            aliases = (alias for alias, resource in device_names if resource in facts.grace_resources)
            changes["grace_host_device_aliases"] = tuple(sorted(aliases))
    if any(map(_sriov, devices.interfaces)):
        changes["sriov_addresses"] = sriov_addresses(vmi, host)


def _grace_resources(config: Configuration) -> frozenset[str]:
    permitted = config.permitted_host_devices
    if permitted is None or not config.feature_gate("GraceIOVirtualization"):
        return frozenset()
    names = set()
    for device in permitted.pci_host_devices:
        parts = [part.strip().upper().removeprefix("0X") for part in device.pci_vendor_selector.split(":")]
        if tuple(parts) in _GRACE_GPUS:
            names.add(device.resource_name)
    return frozenset(names - {""})


def _firmware_files(host: HostProfile, release: Release, directory: str) -> frozenset[str]:
    """What the launcher's image has in a directory: the profile's word counts over the release's own image."""
    if host.firmware is None:
        return frozenset(release.firmware.get(directory, ()))
    return frozenset(file for entry in host.firmware if _cleaned(entry.path) == directory for file in entry.files)


def _cleaned(path: str) -> str:
    """A path without what makes no difference, as virt-launcher writes it: double slashes, `.`, `..`, a last slash."""
    cleaned = posixpath.normpath(path)
    return f"/{cleaned.lstrip('/')}" if path.startswith("/") else cleaned


def tracks_changed_blocks(vm: VirtualMachine, cluster: Cluster) -> bool:
    """Whether the cluster's label selectors choose the VM or its namespace (pkg/storage/cbt/cbt.go)."""
    selectors = cluster.configuration.values.changed_block_tracking_label_selectors
    if selectors is None:
        return False
    choices = (
        (selectors.virtual_machine_label_selector, vm.metadata.labels),
        (selectors.namespace_label_selector, cluster.namespace_labels(namespace_or_default(vm.metadata.namespace))),
    )
    return any(
        selector is not None and not any(label_selector(selector, "")) and selects(selector, labels)
        for selector, labels in choices
    )
