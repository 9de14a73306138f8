"""The VMI webhook's rules, in KubeVirt's order.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go. Every rule runs,
whatever the others find. `path` is where the VMI's spec stands: "spec", or "spec.template.spec" in a VM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import attrgetter

from virtcatalog.api.domainspec import CPU, Firmware, Memory
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.accesscredentials import validate_access_credentials
from virtcatalog.kubevirt.admission.affinity import validate_affinity, validate_topology_spread
from virtcatalog.kubevirt.admission.architecture import validate_architecture, validate_foreign_architecture
from virtcatalog.kubevirt.admission.bindings import validate_discontinued_bindings, validate_discontinued_feature_gates
from virtcatalog.kubevirt.admission.containerdisk import validate_container_disks
from virtcatalog.kubevirt.admission.cpu import (
    validate_cpu_features,
    validate_dedicated_cpus,
    validate_emulator_thread,
    validate_max_sockets,
)
from virtcatalog.kubevirt.admission.disks import validate_disks
from virtcatalog.kubevirt.admission.diskvolumes import validate_disk_volumes, validate_volume_disks
from virtcatalog.kubevirt.admission.dns import validate_dns
from virtcatalog.kubevirt.admission.downwardmetrics import validate_downward_metrics
from virtcatalog.kubevirt.admission.filesystems import validate_filesystems
from virtcatalog.kubevirt.admission.firmware import validate_acpi_tables, validate_firmware
from virtcatalog.kubevirt.admission.gpus import validate_gpus
from virtcatalog.kubevirt.admission.grace import validate_grace, validate_grace_annotations
from virtcatalog.kubevirt.admission.hostdevices import validate_host_devices
from virtcatalog.kubevirt.admission.hostname import validate_hostname, validate_subdomain
from virtcatalog.kubevirt.admission.hugepages import validate_hugepages
from virtcatalog.kubevirt.admission.hyperv import validate_hyperv
from virtcatalog.kubevirt.admission.inputs import validate_inputs
from virtcatalog.kubevirt.admission.interfaces import validate_interfaces
from virtcatalog.kubevirt.admission.iothreads import validate_io_threads_policy
from virtcatalog.kubevirt.admission.launchsecurity import validate_launch_security
from virtcatalog.kubevirt.admission.lifecycle import (
    validate_eviction_strategy,
    validate_reboot_policy,
    validate_start_strategy,
)
from virtcatalog.kubevirt.admission.machine import validate_machine
from virtcatalog.kubevirt.admission.memory import (
    validate_guest_memory,
    validate_memory_is_set,
    validate_reserved_overhead,
)
from virtcatalog.kubevirt.admission.metadata import validate_annotations, validate_metadata
from virtcatalog.kubevirt.admission.networks import validate_networks
from virtcatalog.kubevirt.admission.numa import validate_numa
from virtcatalog.kubevirt.admission.panic import validate_panic_devices
from virtcatalog.kubevirt.admission.probes import validate_probes
from virtcatalog.kubevirt.admission.realtime import validate_realtime
from virtcatalog.kubevirt.admission.reservations import validate_persistent_reservations
from virtcatalog.kubevirt.admission.resourceclaims import validate_resource_claims
from virtcatalog.kubevirt.admission.resources import (
    validate_cpu_limits,
    validate_cpu_requests,
    validate_memory_limits,
    validate_memory_requests,
)
from virtcatalog.kubevirt.admission.serviceaccount import validate_service_account
from virtcatalog.kubevirt.admission.sound import validate_sound
from virtcatalog.kubevirt.admission.utilityvolumes import validate_utility_volumes
from virtcatalog.kubevirt.admission.video import validate_video
from virtcatalog.kubevirt.admission.volumes import validate_volumes
from virtcatalog.kubevirt.admission.vsock import validate_vsock
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.configuration import Configuration

Rule = Callable[[VirtualMachineInstanceSpec, str, Configuration], Iterable[Cause]]

_downward_metrics = attrgetter("downward_metrics")
_NO_CPU, _NO_MEMORY, _NO_FIRMWARE = CPU(), Memory(), Firmware()
_RULES_BEFORE: tuple[Rule, ...] = (validate_discontinued_feature_gates, validate_discontinued_bindings)
_RULES_AFTER: tuple[Rule, ...] = (validate_volume_disks, validate_memory_is_set)


def validate_vmi_spec(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    """Everything wrong with a VMI's spec, as a VM's template or on its own (ValidateVirtualMachineInstanceSpec)."""
    return _run(_asked(spec), spec, path, config)


def validate_vmi(
    vmi: VirtualMachineInstance,
    cluster: Cluster,
    template: VirtualMachineInstanceSpec | None = None,
    *,
    of_user: bool = False,
) -> list[Cause]:
    """What the VMI webhook refuses in a VMI: one that virt-controller makes, or a user's own.

    Only virt-controller may set the labels that KubeVirt keeps for itself. Of a VMI made of what the VM's webhook has
    admitted of a `template`, only what has changed since is looked at.
    """
    spec, metadata, config = vmi.spec, vmi.metadata, cluster.configuration
    of_metadata = validate_metadata if of_user else validate_annotations
    asked = chain(_RULES_BEFORE, _asked(spec)) if template is None else _asked_again(spec, template)
    steps = (
        _run(chain(asked, _RULES_AFTER), spec, "spec", config),
        of_metadata(metadata, "metadata", config),
        validate_grace_annotations(spec, metadata, "metadata", config),
        validate_hyperv(spec, "spec", config) if spec.domain.features is not None else (),
        validate_architecture(spec, "spec", config),
    )
    return [cause for step in steps for cause in step]


def _asked(spec: VirtualMachineInstanceSpec) -> Iterator[Rule]:
    """The rules that hold for a VMI's spec and for a VM's template alike, without those that have nothing to look at.

    Most of what a VM can say is rarely said: a rule is not asked about a field that is not set.
    """
    domain = spec.domain
    devices, requests, limits = domain.devices, domain.resources.requests, domain.resources.limits
    cpu, memory, firmware = domain.cpu or _NO_CPU, domain.memory or _NO_MEMORY, domain.firmware or _NO_FIRMWARE
    passed_through = devices.gpus or devices.host_devices
    first = (
        validate_hostname if spec.hostname else None,
        validate_subdomain if spec.subdomain else None,
        validate_memory_requests if requests else None,
        validate_memory_limits if limits else None,
        validate_hugepages if memory.hugepages is not None else None,
        validate_guest_memory if limits else None,
        validate_machine,
        validate_acpi_tables if firmware.acpi is not None else None,
        validate_cpu_requests if requests else None,
        validate_cpu_limits if limits else None,
        validate_dedicated_cpus if cpu.dedicated_cpu_placement else None,
        validate_numa if cpu.numa is not None else None,
        validate_emulator_thread if cpu.isolate_emulator_thread else None,
        validate_cpu_features if cpu.features else None,
        validate_max_sockets if cpu.max_sockets else None,
        validate_start_strategy if spec.start_strategy is not None else None,
        validate_realtime if cpu.realtime is not None else None,
        validate_affinity if spec.affinity is not None else None,
        validate_topology_spread if spec.topology_spread_constraints else None,
        validate_foreign_architecture,
    )
    then = (
        validate_networks,
        validate_resource_claims if passed_through or spec.resource_claims else None,
        validate_disk_volumes,
        validate_inputs if devices.inputs else None,
        validate_io_threads_policy if domain.io_threads_policy is not None else None,
        validate_probes if spec.readiness_probe or spec.liveness_probe else None,
        validate_disks if devices.disks else None,
        validate_firmware if firmware.bootloader or firmware.kernel_boot else None,
        validate_volumes if spec.volumes else None,
        validate_container_disks if spec.volumes else None,
        validate_utility_volumes if spec.utility_volumes else None,
        validate_access_credentials if spec.access_credentials else None,
        validate_dns if spec.dns_policy or spec.dns_config else None,
        validate_eviction_strategy,
        validate_gpus if devices.gpus else None,
        validate_host_devices if devices.host_devices else None,
        validate_grace if passed_through else None,
        validate_sound if devices.sound is not None else None,
        validate_launch_security if domain.launch_security is not None else None,
        validate_vsock if devices.autoattach_vsock else None,
        validate_persistent_reservations if devices.disks else None,
        validate_downward_metrics if devices.downward_metrics is not None else None,
        validate_filesystems if devices.filesystems else None,
        validate_video if devices.video is not None else None,
        validate_panic_devices if devices.panic_devices else None,
        validate_reboot_policy if domain.reboot_policy is not None else None,
        validate_reserved_overhead if memory.reserved_overhead is not None else None,
        validate_service_account if spec.service_account_name else None,
    )
    return filter(None, first + then)  # Python makes so long a tuple in one item by item, by way of a list


def _asked_again(spec: VirtualMachineInstanceSpec, template: VirtualMachineInstanceSpec) -> Iterator[Rule]:
    """The rules of `_asked` about what a VMI has got since the VM's webhook admitted it, in their order.

    That is what the preference says of disks, an interface and an input device that defaults have added, and what the
    VMI's own defaults set: the limit of sockets, buses of disks and inputs, states that are on when they are named.
    """
    cpu, devices = spec.domain.cpu, spec.domain.devices
    asked = (
        validate_max_sockets if cpu is not None and cpu.max_sockets else None,
        validate_interfaces if spec.networks is not template.networks else None,
        validate_disk_volumes if any(map(_downward_metrics, spec.volumes)) else None,
        validate_inputs if devices.inputs else None,
        validate_disks if devices.disks else None,
        validate_gpus if devices.gpus else None,
    )
    return filter(None, asked)


def _run(rules: Iterable[Rule], spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    return [cause for rule in rules for cause in rule(spec, path, config)]
