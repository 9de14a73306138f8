"""The guest's CPU, and where it runs: `<cpu>` with topology and NUMA cells, `<cputune>`, `<numatune>`."""

from __future__ import annotations

from virtcatalog.api.domainspec import CPU
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology
from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.pinning import Pinning
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement
from virtcatalog.kubevirt.memo import memo

HOST_MODES = ("host-model", "host-passthrough")


def cpu(
    requested: CPU | None,
    topology: CPUTopology,
    cells: tuple[GuestCell, ...],
    *,
    other_architecture: bool,
    may_list_mpx: bool,
    empty_cells_tell_memory: bool,
) -> Element:
    """`<cpu>`; `cells` are all NUMA cells of the guest, which may tell that they have no memory.

    Named models may list mpx, which newer CPUs and libvirt no longer offer: `may_list_mpx` is the architecture's.
    Source: pkg/virt-launcher/virtwrap/converter/compute/cpu.go (CPUDomainConfigurator).
    """
    name = requested.model if requested is not None and requested.model else "host-model"
    mode, model = (name, "") if name in HOST_MODES else ("custom", name)
    if not model and other_architecture:
        mode, model = "custom", "max"
    features: tuple[tuple[str, str], ...] = ()
    if requested is not None:
        features = tuple([(feature.name, feature.policy) for feature in requested.features])
        named_model = requested.model not in HOST_MODES
        if may_list_mpx and named_model and all(feature != "mpx" for feature, _ in features):
            features = (*features, ("mpx", "disable"))
    return _cpu(mode, model, features, topology, cells, empty_cells_tell_memory=empty_cells_tell_memory)


@memo
def _cpu(
    mode: str,
    model: str,
    features: tuple[tuple[str, str], ...],
    topology: CPUTopology,
    cells: tuple[GuestCell, ...],
    *,
    empty_cells_tell_memory: bool,
) -> Element:
    """`features` are names with policies, "" for none."""
    element = Shared("cpu", {"mode": mode})
    if model:
        SubElement(element, "model").text = model
    shape = {"sockets": topology.sockets, "cores": topology.cores, "threads": topology.threads}
    SubElement(element, "topology", {key: str(value) for key, value in shape.items() if value})
    for feature, policy in features:
        SubElement(element, "feature", {"name": feature, **({"policy": policy} if policy else {})})
    if cells:
        numa = SubElement(element, "numa")
        for cell in cells:
            attributes = {"id": str(cell.id), "cpus": cell.cpus, "memory": str(cell.memory), "unit": cell.unit}
            if not cell.memory and not empty_cells_tell_memory:
                del attributes["memory"]
            part = SubElement(numa, "cell", attributes)
            if cell.distances:
                distances = SubElement(part, "distances")
                for number, distance in cell.distances:
                    SubElement(distances, "sibling", id=str(number), value=str(distance))
    return element


@memo
def cputune(pinning: Pinning | None) -> Element | None:
    """`<cputune>`, absent without dedicated CPUs."""
    if pinning is None:
        return None
    element = Shared("cputune")
    for vcpu, thread in enumerate(pinning.vcpus):
        SubElement(element, "vcpupin", vcpu=str(vcpu), cpuset=str(thread))
    if pinning.emulator is not None:
        SubElement(element, "emulatorpin", cpuset=pinning.emulator)
    for number, cpus in pinning.iothreads:
        SubElement(element, "iothreadpin", iothread=str(number), cpuset=cpus)
    return element


@memo
def numatune(cells: tuple[GuestCell, ...]) -> Element | None:
    """`<numatune>`, absent unless NUMA nodes are passed through."""
    if not cells:
        return None
    element = Shared("numatune")
    SubElement(element, "memory", mode="strict", nodeset=",".join(str(cell.host_node) for cell in cells))
    for cell in cells:
        SubElement(element, "memnode", cellid=str(cell.id), mode="strict", nodeset=str(cell.host_node))
    return element
