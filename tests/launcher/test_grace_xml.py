"""GPUs of NVIDIA Grace machines."""

from xml.etree.ElementTree import XML

import pytest
from fragments import TWO_NODES, make_context, make_vmi, xml

from virtcatalog.kubevirt.hosts import HostPCIDevice
from virtcatalog.kubevirt.launcher.builder import convert
from virtcatalog.kubevirt.launcher.context import DeviceResource
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.grace import _root_controller, configure_grace, refuse_grace
from virtcatalog.kubevirt.launcher.launch.sync import launch
from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.pinning import Pinning
from virtcatalog.kubevirt.launcher.xml import write

CELLS = (GuestCell(0, (0,), "0", 2**30, "b", 0), GuestCell(1, (1,), "1", 2**30, "b", 1))


CELLS_OF_NO_NODE = (GuestCell(0, (0, 1), "0-1", 2**30, "b"),)


def gpu(bar_bytes=96 * 2**30, device="0x2342", initiators=(), vendor="0x10de"):
    """What the host tells about the device at 41:00.0."""
    fact = HostPCIDevice(
        address="0000:41:00.0", vendor_id=vendor, device_id=device, bar_bytes=bar_bytes, initiator_nodes=initiators
    )
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
    ("bar_bytes", "kib"),
    [
        (1, 2**30),
        (600 * 2**30, 2**30),
        (1023 * 2**30, 2**30),
        (1023 * 2**30 + 1, 2**31),
        (1024 * 2**30, 2**31),
        (8 * 2**40, 2**34),
    ],
)
def test_the_pci_hole_is_a_power_of_two_with_room_to_spare(bar_bytes, kib):
    domain = configured(**gpu(bar_bytes, "2941"))
    assert domain.find("devices/controller/pcihole64").text == str(kib)


PASSTHROUGH = "spec.domain.cpu.numa: Grace GPUs need the node's NUMA nodes passed through"


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"smmuv3": False}, "Grace GPUs need SMMUv3 on the node"),
        ({"cells": ()}, PASSTHROUGH),
        ({"cells": CELLS_OF_NO_NODE}, PASSTHROUGH),
        ({"devices": ""}, "no PCI device was assigned for the Grace GPU gpu-a"),
        (
            {"devices": '<hostdev type="mdev"><source/><alias name="ua-gpu-a"/></hostdev>'},
            "no PCI device was assigned for the Grace GPU gpu-a",
        ),
        (
            {"devices": '<hostdev type="pci"><source/><alias name="ua-gpu-a"/></hostdev>'},
            "no PCI device was assigned for the Grace GPU gpu-a",
        ),
        (
            {"devices": hostdev("a", "0x41", '<address type="pci" domain="0x0000"/>')},
            "the Grace GPU gpu-a cannot have a guest address of its own",
        ),
        ({"grace_devices": {}}, "gpu-a at 0000:41:00.0 is not a Grace GPU"),
        (gpu(device="1EB8"), "gpu-a at 0000:41:00.0 is not a Grace GPU"),
        (gpu(vendor="8086"), "gpu-a at 0000:41:00.0 is not a Grace GPU"),
        (gpu(bar_bytes=0), "Grace GPU 0000:41:00.0 has no 64-bit prefetchable BAR"),
        (gpu(bar_bytes=2**44), "a 64-bit PCI hole of 34359738368 KiB is too large"),
        (gpu(initiators=(2,)), "each Grace GPU needs 8 Generic Initiator NUMA nodes of its own"),
        (
            gpu(initiators=(2, 3, 4, 5, 6, 7, 8, 8)),
            "each Grace GPU needs 8 Generic Initiator NUMA nodes of its own",
        ),
        (
            {"grace_initiator_nodes": tuple(range(2, 9))},
            "each Grace GPU needs 8 Generic Initiator NUMA nodes of the host",
        ),
        (
            {"pci_numa_nodes": {"0000:41:00.0": 7}},
            "Grace GPU 0000:41:00.0 is on host NUMA node 7, which no guest cell maps to",
        ),
        ({"numa_distances": {}}, "the distance between host NUMA nodes 0 and 0 is unknown"),
        ({"numa_distances": {0: {0: 10}}}, "the distance between host NUMA nodes 0 and 1 is unknown"),
        (beside("pci-root"), "PCI controller 0 is not the PCI Express root"),
        (beside("pcie-root", index=3), "the PCI Express root needs index 0"),
        (beside("pcie-root", hole="<pcihole64>0</pcihole64>"), "Grace GPUs need the 64-bit PCI hole"),
        (beside("pcie-root-port", index=254), "there are too few PCI bus numbers for all host devices"),
    ],
)
def test_what_the_host_or_the_vmi_cannot_give_is_refused(changes, refusal):
    with pytest.raises(DomainError) as error:
        configured(**changes)
    assert str(error.value).removeprefix("spec.domain.devices: ") == refusal


def test_the_cluster_and_the_vmi_allow_grace_gpus():
    refuse_grace({}, make_vmi(DEDICATED, "arm64").spec.domain.cpu, make_context("arm64", **READY))


@pytest.mark.parametrize(
    ("text", "annotations", "architecture", "changes", "need"),
    [
        (DEDICATED, {}, "arm64", {"grace_io_virtualization": False}, "the feature gate GraceIOVirtualization"),
        (DEDICATED, {}, "arm64", {"pci_numa_aware_topology": False}, "the feature gate PCINUMAAwareTopology"),
        (DEDICATED, {}, "arm64", {"iommufd": False}, "a file descriptor for IOMMUFD in the pod"),
        ("", {}, "arm64", {}, "dedicated CPUs"),
        ("domain.cpu: {cores: 2}", {}, "arm64", {}, "dedicated CPUs"),
        (DEDICATED, {}, "s390x", {}, "an architecture with PCI Express"),
        (DEDICATED, {"kubevirt.io/disablePCIHole64": "true"}, "arm64", {}, "the 64-bit PCI hole"),
        (
            DEDICATED,
            {"kubevirt.io/placePCIDevicesOnRootComplex": "true"},
            "arm64",
            {},
            "PCI devices off the root complex",
        ),
    ],
)
def test_or_they_do_not(text, annotations, architecture, changes, need):
    cpu = make_vmi(text, architecture).spec.domain.cpu
    with pytest.raises(DomainError) as error:
        refuse_grace(annotations, cpu, make_context(architecture, **{**READY, **changes}))
    assert str(error.value) == f"spec.domain.devices: Grace GPUs need {need}"


def test_annotations_that_say_no_are_none():
    annotations = {"kubevirt.io/disablePCIHole64": "false", "kubevirt.io/placePCIDevicesOnRootComplex": "false"}
    refuse_grace(annotations, make_vmi(DEDICATED, "arm64").spec.domain.cpu, make_context("arm64", **READY))


TWO_GPUS = {
    "grace_host_device_aliases": ("gpu-b", "", "gpu-a"),
    "grace_devices": {
        "0000:41:00.0": HostPCIDevice(
            address="0000:41:00.0", vendor_id=" 10DE ", device_id="2348", bar_bytes=512 * 2**30 + 1
        ),
        "0000:42:00.0": HostPCIDevice(
            address="0000:42:00.0", vendor_id="0X10DE", device_id="0x2941", bar_bytes=96 * 2**30
        ),
    },
    "pci_numa_nodes": {"0000:41:00.0": 1, "0000:42:00.0": 0, "0000:43:00.0": 1},
}


def numa_of(nodes):
    return {node: {other: 10 if node == other else 20 + node + other for other in nodes} for node in nodes}


def test_two_gpus_take_the_hosts_initiators_in_turn():
    devices = hostdev("b", "0x42") + hostdev("c", "0x43") + hostdev("a", "0x41")
    domain = configured(
        devices, **TWO_GPUS, grace_initiator_nodes=tuple(range(4, 20)), numa_distances=numa_of([0, 1, *range(4, 20)])
    )
    assert [node.get("nodeset") for node in domain.iterfind("devices/hostdev/acpi")] == ["10-17", "2-9"]
    buses = [(bus.get("busNr"), bus.findtext("node")) for bus in domain.iterfind("devices/controller/target")]
    assert buses == [("254", "0"), ("252", "1"), ("250", "1")], "the last is that of the device which is no GPU"
    assert [place.get("bus") for place in domain.iterfind("devices/hostdev/address")] == ["2", "6", "4"]
    assert [driver.get("pciBus") for driver in domain.iterfind("devices/iommu/driver")] == ["1", "3"]
    assert domain.findtext("devices/controller/pcihole64") == str(2**31), "more than a TiB takes two"
    distances = {
        cell.get("id"): [(one.get("id"), one.get("value")) for one in cell.iterfind("distances/sibling")]
        for cell in domain.iterfind("cpu/numa/cell")
    }
    assert list(distances) == [str(number) for number in range(18)]
    assert distances["2"][:4] == [("0", "24"), ("1", "25"), ("2", "10"), ("3", "29")], "of the nodes 0, 1, 4 and 5"
    assert distances["17"][-2:] == [("16", "57"), ("17", "10")], "of the nodes 18 and 19"


def test_a_pci_hole_that_is_there_is_widened():
    domain = configured(**beside("pcie-root", hole='<pcihole64 unit="MiB">5</pcihole64>'))
    assert xml(domain.find("devices/controller/pcihole64")) == xml('<pcihole64 unit="KiB">1073741824</pcihole64>')


@pytest.mark.parametrize(("bars", "kib"), [((1, 1), 2**31), ((1535 * 2**30, 1), 2**31), ((1536 * 2**30, 1), 2**32)])
def test_the_pci_hole_has_room_for_each_gpu_at_least_512_gib(bars, kib):
    facts = {
        f"0000:{bus}:00.0": HostPCIDevice(address=f"0000:{bus}:00.0", vendor_id="10de", device_id="2342", bar_bytes=bar)
        for bus, bar in zip(("41", "42"), bars, strict=True)
    }
    domain = configured(
        hostdev("a", "0x41") + hostdev("b", "0x42"),
        **{**TWO_GPUS, "grace_devices": facts},
        grace_initiator_nodes=tuple(range(4, 20)),
        numa_distances=numa_of([0, 1, *range(4, 20)]),
    )
    assert domain.findtext("devices/controller/pcihole64") == str(kib)


def test_two_gpus_need_initiators_for_both_and_none_in_common():
    devices = hostdev("a", "0x41") + hostdev("b", "0x42")
    with pytest.raises(DomainError, match="needs 8 Generic Initiator NUMA nodes of the host"):
        configured(devices, **TWO_GPUS, grace_initiator_nodes=tuple(range(2, 17)))
    own = {
        address: HostPCIDevice(
            address=address, vendor_id="10de", device_id="2342", bar_bytes=1, initiator_nodes=tuple(nodes)
        )
        for address, nodes in (("0000:41:00.0", range(2, 10)), ("0000:42:00.0", range(9, 17)))
    }
    with pytest.raises(DomainError, match="needs 8 Generic Initiator NUMA nodes of its own"):
        configured(devices, **{**TWO_GPUS, "grace_devices": own})


def test_the_guests_cells_have_the_hosts_distances_in_place_of_their_own():
    plain = '<distances><sibling id="0" value="10"/></distances>'
    domain = XML(
        f'<domain><cpu><numa><cell id="0">{plain}</cell><cell id="1"/><cell id="5"/></numa></cpu>'
        f"<devices>{hostdev('a', '0x41')}</devices></domain>"
    )
    configure_grace(domain, CELLS, Pinning((0, 8)), make_context("arm64", **READY))
    cells = {cell.get("id"): cell.findall("distances") for cell in domain.iterfind("cpu/numa/cell")}
    assert list(cells) == ["0", "1", "5", *(str(number) for number in range(6, 14))], "new cells follow the last one"
    assert cells["5"] == [], "of a cell that no host node is behind, nothing is known"
    assert [[one.get("value") for one in distances.iterfind("sibling")] for distances in cells["0"]] == [
        ["10", *["20"] * 9]
    ]


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
    resources = {"d": DeviceResource("pci", ("0000:41:00.0",))}
    context = make_context("arm64", **{**READY, "cpu_set": (0, 8), "device_resources": resources})
    first, domain = convert(vmi, context), convert(vmi, context)
    assert write(first.element) == write(domain.element), "what domains share stays as it was"
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
