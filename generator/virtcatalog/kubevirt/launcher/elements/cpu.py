"""`<cpu>`: model, features, topology and NUMA cells of the guest's CPUs."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.domainspec import CPU
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.vcpu import domain_topology
from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

HOST_MODES = ("host-model", "host-passthrough")


def cpu(vmi: VirtualMachineInstance, context: Context, cells: Sequence[GuestCell]) -> Element:
    """`<cpu>`; `cells` are all NUMA cells of the guest.

    Source: pkg/virt-launcher/virtwrap/converter/compute/cpu.go (CPUDomainConfigurator).
    """
    requested = vmi.spec.domain.cpu
    name = requested.model if requested is not None and requested.model else "host-model"
    mode, model = (name, "") if name in HOST_MODES else ("custom", name)
    if not model and context.emulates_other_architecture:
        mode, model = "custom", "max"
    named: tuple[tuple[str, str], ...] = ()
    if requested is not None:
        if requested.features:
            named = tuple([(feature.name, feature.policy) for feature in requested.features])
        if _disables_mpx(requested, context):
            named = (*named, ("mpx", "disable"))
    element, topology = Element("cpu", {"mode": mode}), domain_topology(vmi, context)
    if model:
        SubElement(element, "model").text = model
    shape = {"sockets": topology.sockets, "cores": topology.cores, "threads": topology.threads}
    SubElement(element, "topology", {key: str(value) for key, value in shape.items() if value})
    for feature, policy in named:
        SubElement(element, "feature", {"name": feature, **({"policy": policy} if policy else {})})
    if cells:
        numa = SubElement(element, "numa")
        for cell in cells:
            SubElement(numa, "cell", id=str(cell.id), cpus=cell.cpus, memory=str(cell.memory), unit=cell.unit)
    return element


def _disables_mpx(requested: CPU, context: Context) -> bool:
    """Named models may list mpx, which newer CPUs and libvirt no longer offer."""
    return (
        context.architecture.mpx_feature
        and requested.model not in HOST_MODES
        and all(feature.name != "mpx" for feature in requested.features)
    )
