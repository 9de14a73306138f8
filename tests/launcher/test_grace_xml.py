"""GPUs of NVIDIA Grace machines."""

from xml.etree.ElementTree import XML

import pytest
from fragments import TWO_NODES, make_context, make_vmi, xml

from virtcatalog.kubevirt.launcher.builder import convert
from virtcatalog.kubevirt.launcher.context import DeviceResource, GraceDevice
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.grace import _root_controller, configure_grace, refuse_grace
from virtcatalog.kubevirt.launcher.launch.sync import launch
from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.pinning import Pinning

CELLS = (GuestCell(0, (0,), "0", 2**30, "b", 0), GuestCell(1, (1,), "1", 2**30, "b", 1))


def gpu(bar_bytes=96 * 2**30, device="0x2342", initiators=()):
    """What the host tells about the device at 41:00.0."""
    fact = GraceDevice(vendor_id="0x10de", device_id=device, bar_bytes=bar_bytes, initiator_nodes=initiators)
    return {"grace_devices": {"0000:41:00.0": fact}}


DEDICATED = "domain.cpu: {dedicatedCpuPlacement: true}"
READY = {
    "grace_host_device_aliases": ("gpu-a",),
    "grace_io_virtualization": True,
    "pci_numa_aware_topology": True,
    "iommufd": True,
    "smmuv3": True,
    "topology": TWO_NODES,
    "pci_numa_nodes": {"0000:41:00.0": 1, "0000:42:00.0": 1},
    **gpu(),
    "grace_initiator_nodes": tuple(range(2, 10)),
    "numa_distances": {node: {other: 10 if node == other else 20 for other in range(10)} for node in range(10)},
}


def hostdev(name, bus, rest=""):
    source = f'<source><address type="pci" domain="0x0000" bus="{bus}" slot="0x00" function="0x0"/></source>'
    return f'<hostdev type="pci">{source}<alias name="ua-gpu-{name}"/>{rest}</hostdev>'


def beside(model, index=0, hole=""):
    """Put a PCI controller beside the GPU."""
    return {
        "devices": f'<controller type="pci" index="{index}" model="{model}">{hole}</controller>{hostdev("a", "0x41")}'
    }


def configured(devices=None, cells=CELLS, **changes):
    devices = hostdev("a", "0x41") if devices is None else devices
    listed = "".join(f'<cell id="{cell.id}" cpus="{cell.cpus}" memory="1" unit="b"/>' for cell in cells)
    domain = XML(f"<domain><cpu><numa>{listed}</numa></cpu><devices>{devices}</devices></domain>")
    configure_grace(domain, cells, Pinning((0, 8)), make_context("arm64", **{**READY, **changes}))
    return domain


def test_a_gpu_gets_a_bus_and_an_iommu_of_its_own():
    assert xml(configured().find("devices")) == xml(
        """<devices>
             <controller type="pci" index="0" model="pcie-root">
               <pcihole64 unit="KiB">1073741824</pcihole64>
             </controller>
             <controller type="pci" index="1" model="pcie-expander-bus">
               <target busNr="254"><node>1</node></target>
             </controller>
             <controller type="pci" index="2" model="pcie-root-port">
               <address type="pci" domain="0x0000" bus="1" slot="0x00" function="0x0"/>
             </controller>
             <hostdev type="pci">
               <source><address type="pci" domain="0x0000" bus="0x41" slot="0x00" function="0x0"/></source>
               <alias name="ua-gpu-a"/>
               <driver iommufd="yes"/>
               <acpi nodeset="2-9"/>
               <address type="pci" domain="0x0000" bus="2" slot="0x00" function="0x0"/>
             </hostdev>
             <iommu model="smmuv3">
               <driver pciBus="1" accel="on" ats="on" ril="off" ssidSize="20" oas="48"/>
             </iommu>
           </devices>"""
    )


def test_other_devices_share_a_bus_without_iommu():
    domain = configured(hostdev("a", "0x41") + hostdev("b", "0x42"))
    assert [bus.get("busNr") for bus in domain.iterfind("devices/controller/target")] == ["254", "252"]
    assert len(domain.findall("devices/iommu")) == 1


def test_initiators_that_the_host_relates_to_the_gpu_count_before_the_others():
    related = configured(
        **gpu(initiators=range(20, 28)),
        numa_distances={node: dict.fromkeys((*range(10), *range(20, 28)), 10) for node in (*range(10), *range(20, 28))},
    )
    assert len(related.findall("cpu/numa/cell")) == len(configured().findall("cpu/numa/cell"))


def test_eight_cells_without_cpus_stand_for_its_initiators():
    cells = configured().findall("cpu/numa/cell")
    assert [cell.get("id") for cell in cells] == [str(number) for number in range(10)]
    assert all((cell.get("memory"), cell.get("unit"), cell.get("cpus")) == ("0", "KiB", None) for cell in cells[2:])


def test_distances_are_the_hosts_and_only_a_cell_itself_is_local():
    flat = {node: dict.fromkeys(range(10), 10) for node in range(10)}
    siblings = configured(numa_distances=flat).findall("cpu/numa/cell[@id='3']/distances/sibling")
    assert [sibling.get("value") for sibling in siblings] == ["11", "11", "11", "10", *["11"] * 6]


@pytest.mark.parametrize(
    ("bar_bytes", "kib"), [(1, 2**30), (600 * 2**30, 2**30), (1024 * 2**30, 2**31), (8 * 2**40, 2**34)]
)
def test_the_pci_hole_is_a_power_of_two_with_room_to_spare(bar_bytes, kib):
    domain = configured(**gpu(bar_bytes, "2941"))
    assert domain.find("devices/controller/pcihole64").text == str(kib)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"smmuv3": False}, id="no SMMUv3"),
        pytest.param({"cells": ()}, id="no NUMA passthrough"),
        pytest.param({"devices": ""}, id="no device"),
        pytest.param({"devices": hostdev("a", "0x41", '<address type="pci" domain="0x0000"/>')}, id="a guest address"),
        pytest.param({"grace_devices": {}}, id="an unknown device"),
        pytest.param(gpu(device="1EB8"), id="another GPU"),
        pytest.param(gpu(bar_bytes=0), id="no BARs"),
        pytest.param(gpu(bar_bytes=2**45), id="too large"),
        pytest.param(gpu(initiators=(2,)), id="too few initiators of its own"),
        pytest.param(gpu(initiators=(2, 3, 4, 5, 6, 7, 8, 8)), id="an initiator twice"),
        pytest.param({"grace_initiator_nodes": (2, 3)}, id="too few initiators"),
        pytest.param({"pci_numa_nodes": {"0000:41:00.0": 7}}, id="a node that the guest lacks"),
        pytest.param({"numa_distances": {}}, id="no distances"),
        pytest.param(beside("pci-root"), id="another root"),
        pytest.param(beside("pcie-root", index=3), id="a root elsewhere"),
        pytest.param(beside("pcie-root", hole="<pcihole64>0</pcihole64>"), id="no PCI hole"),
    ],
)
def test_what_the_host_or_the_vmi_cannot_give_is_refused(changes):
    with pytest.raises(DomainError):
        configured(**changes)


def test_the_cluster_and_the_vmi_allow_grace_gpus():
    refuse_grace({}, make_vmi(DEDICATED, "arm64").spec.domain.cpu, make_context("arm64", **READY))


@pytest.mark.parametrize(
    ("text", "annotations", "architecture", "changes"),
    [
        (DEDICATED, {}, "arm64", {"grace_io_virtualization": False}),
        (DEDICATED, {}, "arm64", {"pci_numa_aware_topology": False}),
        (DEDICATED, {}, "arm64", {"iommufd": False}),
        ("", {}, "arm64", {}),
        (DEDICATED, {}, "s390x", {}),
        (DEDICATED, {"kubevirt.io/disablePCIHole64": "true"}, "arm64", {}),
        (DEDICATED, {"kubevirt.io/placePCIDevicesOnRootComplex": "true"}, "arm64", {}),
    ],
)
def test_or_they_do_not(text, annotations, architecture, changes):
    cpu = make_vmi(text, architecture).spec.domain.cpu
    with pytest.raises(DomainError):
        refuse_grace(annotations, cpu, make_context(architecture, **{**READY, **changes}))


def test_nothing_is_lost_of_a_domain_with_such_a_gpu():
    vmi = make_vmi(
        """
        domain.cpu: {cores: 2, dedicatedCpuPlacement: true, numa: {guestMappingPassthrough: {}}}
        domain.memory: {guest: 1Gi, hugepages: {pageSize: 2Mi}}
        domain.devices.gpus: [{name: a, deviceName: d}]
        domain.devices.disks: [{name: root, disk: {bus: virtio}}]
        domain.devices.interfaces: [{name: n, bridge: {}}]
        networks: [{name: n, pod: {}}]
        volumes: [{name: root, containerDisk: {image: i}}]
        """,
        "arm64",
    )
    given = {"d": DeviceResource("pci", ("0000:41:00.0",))}
    context = make_context("arm64", **{**READY, "cpu_set": (0, 8), "device_resources": given})
    domain = convert(vmi, context)
    launch(domain, vmi, context)
    element = domain.element
    assert element.find("devices/hostdev/driver").get("iommufd") == "yes"
    assert element.findtext("name") == "default_vm"
    assert element.find("devices/disk/driver").get("cache") == "none"
    assert element.find("devices/interface/target").get("dev") == "tap0"
    assert len(element.findall("cpu/numa/cell")) == 2 + 8


ROOT = '<controller type="pci" index="0" model="pcie-root"/>'


@pytest.mark.parametrize("controllers", ["", ROOT, '<controller type="usb" index="0"/>'])
def test_buses_hang_on_the_pci_express_root_which_is_there_or_added(controllers):
    devices = XML(f"<devices>{controllers}</devices>")
    assert _root_controller(devices).attrib == XML(ROOT).attrib
    assert len(devices.findall("controller[@type='pci']")) == 1


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        (ROOT.replace("0", "1"), "the PCI Express root needs index 0"),
        (ROOT.replace("pcie-root", "pci-root"), "PCI controller 0 is not the PCI Express root"),
    ],
)
def test_there_is_no_other_root(controller, message):
    with pytest.raises(DomainError, match=message):
        _root_controller(XML(f"<devices>{controller}</devices>"))
