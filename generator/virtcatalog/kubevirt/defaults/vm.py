"""Defaults of a VirtualMachine.

Source: pkg/defaults/defaults.go (SetVirtualMachineDefaults).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from virtcatalog.api.cdi import DataSource
from virtcatalog.api.domainspec import Machine
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.names import namespace_or_default
from virtcatalog.kubevirt.hosts import ARCHITECTURES

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster

_ARCHITECTURE_LABEL = "template.kubevirt.io/architecture"


def set_vm_defaults(vm: VirtualMachine, cluster: Cluster) -> None:
    """Set the architecture, where possible that of the first disk image that tells its own, and the machine type."""
    spec = vm.spec.template.spec
    if not spec.architecture:
        spec.architecture = _architecture_of_images(vm, cluster) or cluster.configuration.default_architecture
    machine = spec.domain.machine
    if machine is None:
        machine = spec.domain.machine = Machine()
    if not machine.type:
        machine.type = cluster.configuration.machine_type(spec.architecture)


def _architecture_of_images(vm: VirtualMachine, cluster: Cluster) -> str:
    for template in vm.spec.data_volume_templates:
        reference = template.spec.source_ref
        if reference is None or reference.kind.lower() != "datasource":
            continue
        namespace = reference.namespace or namespace_or_default(vm.metadata.namespace)
        source = _resolve(cluster.data_source(namespace, reference.name), cluster)
        architecture = source.metadata.labels.get(_ARCHITECTURE_LABEL, "") if source else ""
        if architecture in ARCHITECTURES:
            return architecture
    return ""


def _resolve(source: DataSource | None, cluster: Cluster) -> DataSource | None:
    pointer = source.spec.source.data_source if source else None
    return cluster.data_source(pointer.namespace, pointer.name) if pointer else source
