"""`<cpu>`: model, features, topology and NUMA cells of the guest's CPUs."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.vcpu import domain_topology
from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf

HOST_MODES = ("host-model", "host-passthrough")


def cpu(vmi: VirtualMachineInstance, context: Context, cells: Sequence[GuestCell]) -> Element:
    """`<cpu>`; `cells` are all NUMA cells of the guest.

    Source: pkg/virt-launcher/virtwrap/converter/compute/cpu.go (CPUDomainConfigurator).
    """
    requested = vmi.spec.domain.cpu
    name = requested.model if requested is not None and requested.model else "host-model"
    if name in HOST_MODES and not context.emulates_other_architecture:
        element = Element("cpu", mode=name)
    else:
        element = Element("cpu", mode="custom")
        SubElement(element, "model").text = "max" if name in HOST_MODES else name
    topology = domain_topology(vmi, context)
    shape = {"sockets": topology.sockets, "cores": topology.cores, "threads": topology.threads}
    element.append(leaf("topology", **{key: str(value) for key, value in shape.items() if value}))
    if requested is not None:
        for feature in requested.features:
            policy = {"policy": feature.policy} if feature.policy else {}
            element.append(leaf("feature", name=feature.name, **policy))
        if _disables_mpx(vmi, context):
            element.append(leaf("feature", name="mpx", policy="disable"))
    if cells:
        numa = SubElement(element, "numa")
        for cell in cells:
            SubElement(numa, "cell", id=str(cell.id), cpus=cell.cpus, memory=str(cell.memory), unit=cell.unit)
    return element


def _disables_mpx(vmi: VirtualMachineInstance, context: Context) -> bool:
    """Named models may list mpx, which newer CPUs and libvirt no longer offer."""
    requested = vmi.spec.domain.cpu
    return (
        context.architecture.mpx_feature
        and requested is not None
        and requested.model not in HOST_MODES
        and all(feature.name != "mpx" for feature in requested.features)
    )
