"""The VMI webhook's rules, in KubeVirt's order.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go. Every rule runs, whatever the others
refuse. `path` is the path of the VMI's spec: "spec", or "spec.template.spec" in a VM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.affinity import validate_affinity, validate_topology_spread
from virtcatalog.kubevirt.admission.architecture import validate_architecture, validate_foreign_architecture
from virtcatalog.kubevirt.admission.bindings import validate_discontinued_bindings, validate_discontinued_feature_gates
from virtcatalog.kubevirt.admission.cpu import (
    validate_cpu_features,
    validate_dedicated_cpus,
    validate_emulator_thread,
    validate_io_threads_policy,
    validate_max_sockets,
    validate_numa,
    validate_realtime,
)
from virtcatalog.kubevirt.admission.devices import (
    validate_downward_metrics,
    validate_filesystems,
    validate_gpus,
    validate_host_devices,
    validate_inputs,
    validate_panic_devices,
    validate_sound,
    validate_video,
    validate_vsock,
)
from virtcatalog.kubevirt.admission.disks import (
    validate_disk_volumes,
    validate_disks,
    validate_persistent_reservations,
    validate_volume_disks,
)
from virtcatalog.kubevirt.admission.firmware import (
    validate_acpi_tables,
    validate_firmware,
    validate_hyperv,
    validate_launch_security,
    validate_machine,
)
from virtcatalog.kubevirt.admission.grace import validate_grace, validate_grace_annotations
from virtcatalog.kubevirt.admission.guest import (
    validate_access_credentials,
    validate_dns,
    validate_hostname,
    validate_service_account,
    validate_subdomain,
)
from virtcatalog.kubevirt.admission.lifecycle import (
    validate_annotations,
    validate_eviction_strategy,
    validate_metadata,
    validate_probes,
    validate_reboot_policy,
    validate_start_strategy,
)
from virtcatalog.kubevirt.admission.memory import (
    validate_cpu_limits,
    validate_cpu_requests,
    validate_guest_memory,
    validate_hugepages,
    validate_memory_is_set,
    validate_memory_limits,
    validate_memory_requests,
    validate_reserved_overhead,
)
from virtcatalog.kubevirt.admission.networks import validate_networks
from virtcatalog.kubevirt.admission.resourceclaims import validate_resource_claims
from virtcatalog.kubevirt.admission.volumes import validate_container_disks, validate_utility_volumes, validate_volumes
from virtcatalog.kubevirt.causes import answered
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.configuration import Configuration

Rule = Callable[[VirtualMachineInstanceSpec, str, Configuration], Iterable[Cause]]

#: What a VMI, and a VM's template, may not say.
_SPEC_RULES: tuple[Rule, ...] = (
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
    validate_foreign_architecture,
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
_STORAGE_RULES: tuple[Rule, ...] = (validate_container_disks, validate_utility_volumes, validate_disks)
_FIRST_RULES: tuple[Rule, ...] = (validate_discontinued_feature_gates, validate_discontinued_bindings)
_LAST_RULES: tuple[Rule, ...] = (*_SPEC_RULES, validate_volume_disks, validate_memory_is_set)


def validate_vmi_spec(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    """Return what is wrong with the spec of a VMI or of a VM's template (ValidateVirtualMachineInstanceSpec)."""
    return [cause for rule in _SPEC_RULES for cause in rule(spec, path, config)]


def validate_vmi(vmi: VirtualMachineInstance, cluster: Cluster, *, of_user: bool = False) -> list[Cause]:
    """Return why the webhook of VMIs refuses a new one (VMICreateAdmitter.Admit).

    virt-controller may set the labels that KubeVirt keeps for itself; in a VMI `of_user` they are refused.
    """
    spec, metadata, config = vmi.spec, vmi.metadata, cluster.configuration
    validate_labels = validate_metadata if of_user else validate_annotations
    apart = _STORAGE_RULES if config.release.traits.storage_is_validated_apart else ()
    return answered(
        [
            *(cause for rule in (*_FIRST_RULES, *apart, *_LAST_RULES) for cause in rule(spec, "spec", config)),
            *validate_labels(metadata, "metadata", config),
            *validate_grace_annotations(spec, metadata, "metadata", config),
            *validate_hyperv(spec, "spec", config),
            *validate_architecture(spec, "spec", config),
        ]
    )
