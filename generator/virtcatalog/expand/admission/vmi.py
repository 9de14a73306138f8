"""The VMI webhook's rules, in KubeVirt's order.

Source: KubeVirt v1.9.0, pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go. Every rule runs,
whatever the others find. `path` is where the VMI's spec stands: "spec", or "spec.template.spec" in a VM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.expand.admission.accesscredentials import validate_access_credentials
from virtcatalog.expand.admission.affinity import validate_affinity, validate_topology_spread
from virtcatalog.expand.admission.architecture import validate_architecture
from virtcatalog.expand.admission.bindings import validate_discontinued_bindings, validate_discontinued_feature_gates
from virtcatalog.expand.admission.containerdisk import validate_container_disks
from virtcatalog.expand.admission.cpu import (
    validate_cpu_features,
    validate_dedicated_cpus,
    validate_emulator_thread,
    validate_max_sockets,
)
from virtcatalog.expand.admission.disks import validate_disks
from virtcatalog.expand.admission.diskvolumes import validate_disk_volumes, validate_volume_disks
from virtcatalog.expand.admission.dns import validate_dns
from virtcatalog.expand.admission.downwardmetrics import validate_downward_metrics
from virtcatalog.expand.admission.filesystems import validate_filesystems
from virtcatalog.expand.admission.firmware import validate_acpi_tables, validate_firmware
from virtcatalog.expand.admission.gpus import validate_gpus
from virtcatalog.expand.admission.grace import validate_grace, validate_grace_annotations
from virtcatalog.expand.admission.hostdevices import validate_host_devices
from virtcatalog.expand.admission.hostname import validate_hostname, validate_subdomain
from virtcatalog.expand.admission.hugepages import validate_hugepages
from virtcatalog.expand.admission.hyperv import validate_hyperv
from virtcatalog.expand.admission.inputs import validate_inputs
from virtcatalog.expand.admission.iothreads import validate_io_threads_policy
from virtcatalog.expand.admission.launchsecurity import validate_launch_security
from virtcatalog.expand.admission.lifecycle import (
    validate_eviction_strategy,
    validate_reboot_policy,
    validate_start_strategy,
)
from virtcatalog.expand.admission.machine import validate_machine
from virtcatalog.expand.admission.memory import (
    validate_guest_memory,
    validate_memory_is_set,
    validate_reserved_overhead,
)
from virtcatalog.expand.admission.metadata import validate_annotations
from virtcatalog.expand.admission.networks import validate_networks
from virtcatalog.expand.admission.numa import validate_numa
from virtcatalog.expand.admission.panic import validate_panic_devices
from virtcatalog.expand.admission.probes import validate_probes
from virtcatalog.expand.admission.realtime import validate_realtime
from virtcatalog.expand.admission.reservations import validate_persistent_reservations
from virtcatalog.expand.admission.resourceclaims import validate_resource_claims
from virtcatalog.expand.admission.resources import (
    validate_cpu_limits,
    validate_cpu_requests,
    validate_memory_limits,
    validate_memory_requests,
)
from virtcatalog.expand.admission.serviceaccount import validate_service_account
from virtcatalog.expand.admission.sound import validate_sound
from virtcatalog.expand.admission.utilityvolumes import validate_utility_volumes
from virtcatalog.expand.admission.video import validate_video
from virtcatalog.expand.admission.volumes import validate_volumes
from virtcatalog.expand.admission.vsock import validate_vsock
from virtcatalog.expand.cluster import Cluster
from virtcatalog.expand.configuration import Configuration

Rule = Callable[[VirtualMachineInstanceSpec, str, Configuration], Iterator[Cause]]

SPEC_RULES: tuple[Rule, ...] = (
    validate_hostname,
    validate_subdomain,
    validate_memory_requests,
    validate_memory_limits,
    validate_hugepages,
    validate_guest_memory,
    validate_machine,
    validate_acpi_tables,
    validate_cpu_requests,
    validate_cpu_limits,
    validate_dedicated_cpus,
    validate_numa,
    validate_emulator_thread,
    validate_cpu_features,
    validate_max_sockets,
    validate_start_strategy,
    validate_realtime,
    validate_affinity,
    validate_topology_spread,
    validate_networks,
    validate_resource_claims,
    validate_disk_volumes,
    validate_inputs,
    validate_io_threads_policy,
    validate_probes,
    validate_disks,
    validate_firmware,
    validate_volumes,
    validate_container_disks,
    validate_utility_volumes,
    validate_access_credentials,
    validate_dns,
    validate_eviction_strategy,
    validate_gpus,
    validate_host_devices,
    validate_grace,
    validate_sound,
    validate_launch_security,
    validate_vsock,
    validate_persistent_reservations,
    validate_downward_metrics,
    validate_filesystems,
    validate_video,
    validate_panic_devices,
    validate_reboot_policy,
    validate_reserved_overhead,
    validate_service_account,
)
"""What holds for a VMI's spec and for a VM's template alike."""

_RULES_BEFORE: tuple[Rule, ...] = (validate_discontinued_feature_gates, validate_discontinued_bindings)
_RULES_AFTER: tuple[Rule, ...] = (validate_volume_disks, validate_memory_is_set)
_RULES_LAST: tuple[Rule, ...] = (validate_hyperv, validate_architecture)


def validate_vmi_spec(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    """Everything wrong with a VMI's spec, as a VM's template or on its own."""
    return _run(SPEC_RULES, spec, path, config)


def validate_vmi(vmi: VirtualMachineInstance, cluster: Cluster) -> list[Cause]:
    """What the VMI webhook refuses in a VMI that virt-controller makes from a VM.

    Labels that KubeVirt keeps for itself are no matter here: virt-controller may set them.
    """
    spec, metadata, config = vmi.spec, vmi.metadata, cluster.configuration
    return [
        *_run(_RULES_BEFORE, spec, "spec", config),
        *_run(SPEC_RULES, spec, "spec", config),
        *_run(_RULES_AFTER, spec, "spec", config),
        *validate_annotations(metadata, "metadata", config),
        *validate_grace_annotations(spec, metadata, "metadata", config),
        *_run(_RULES_LAST, spec, "spec", config),
    ]


def _run(rules: tuple[Rule, ...], spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    return [cause for rule in rules for cause in rule(spec, path, config)]
