"""Guest PCI addresses that KubeVirt chooses itself."""

from xml.etree.ElementTree import XML

import pytest
from fragments import TWO_NODES, make_context, make_vmi, xml

from virtcatalog.kubevirt.launcher.builder import build_domain
from virtcatalog.kubevirt.launcher.context import DeviceResource
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.pci import place_near_numa_nodes, place_on_root_complex
from virtcatalog.kubevirt.launcher.pinning import Pinning
from virtcatalog.releases import RELEASES

CELLS = (GuestCell(0, (0,), "0", 2**30, "b", 0), GuestCell(1, (1,), "1", 2**30, "b", 1))
PINNING = Pinning((0, 8))
NODES = {"0000:41:00.0": 0, "0000:41:00.1": 1, "0000:42:00.0": 1}


def hostdev(bus="0x41", function="0x0", rest=""):
    source = f'<source><address type="pci" domain="0x0000" bus="{bus}" slot="0x00" function="{function}"/></source>'
    return f'<hostdev type="pci">{source}{rest}</hostdev>'


def address(bus, slot):
    return f'<address type="pci" domain="0x0000" bus="{bus}" slot="{slot}" function="0x0"/>'


def on_root(text):
    devices = XML(f"<devices>{text}</devices>")
    place_on_root_complex(devices)
    return [
        (device.tag, device.find("address").get("slot")) for device in devices if device.find("address") is not None
    ]


@pytest.mark.parametrize(
    ("devices", "slots"),
    [
        ("<rng/><memballoon/><interface/>", [("rng", "0x03"), ("memballoon", "0x04"), ("interface", "0x02")]),
        ('<disk><target bus="virtio"/></disk>', [("disk", "0x02")]),
        ('<disk><target bus="sata"/></disk>', []),
        ("<disk/>", []),
        ('<input bus="virtio"/><input bus="usb"/><watchdog/>', [("input", "0x02"), ("watchdog", "0x03")]),
        ('<controller type="usb" model="none"/>', [("controller", "0x02")]),
        ('<controller model="pcie-root"/><controller model="pcie-expander-bus"/>', []),
        ('<hostdev type="pci"/><hostdev type="mdev"/>', [("hostdev", "0x02")]),
        (f"<interface>{address('0x05', '0x07')}</interface><rng/>", [("interface", "0x07"), ("rng", "0x02")]),
        ("<rng><address/></rng>", [("rng", "0x02")]),
        ('<controller><address type="ccw"/></controller>', [("controller", None)]),
        ("<video/><graphics/><sound/><tpm/>", []),
    ],
)
def test_the_root_complex_takes(devices, slots):
    assert on_root(devices) == slots


def test_an_address_on_the_root_complex():
    devices = XML("<devices><rng/></devices>")
    place_on_root_complex(devices)
    assert xml(devices) == xml(f"<devices><rng>{address('0x00', '0x02')}</rng></devices>")


def test_slots_of_the_chipset_stay_free():
    slots = [int(slot, 16) for _, slot in on_root("<interface/>" * 28)]
    assert slots == [*range(2, 0x1B), 0x1C, 0x1D, 0x1E]


def test_a_full_root_bus_is_refused():
    with pytest.raises(DomainError) as error:
        on_root("<interface/>" * 29)
    assert str(error.value) == "spec.domain.devices: the root PCI bus has no slot left for all devices"


def near(text, *, cells=CELLS, pinning=PINNING, nodes=NODES, strict=True, release="v1.9.0"):
    devices = XML(f"<devices>{text}</devices>")
    context = make_context(topology=TWO_NODES, pci_numa_nodes=nodes, release=RELEASES[release])
    place_near_numa_nodes(devices, cells, pinning, context, strict=strict)
    return devices


def test_a_device_sits_behind_a_port_of_its_numa_cell():
    devices = near(f'<controller type="scsi" index="0"/>{hostdev(function="0x1")}')
    assert xml(devices) == xml(
        f"""<devices>
              <controller type="scsi" index="0"/>
              <controller type="pci" index="1" model="pcie-expander-bus">
                <target busNr="254"><node>1</node></target>
              </controller>
              <controller type="pci" index="2" model="pcie-root-port">{address("1", "0x00")}</controller>
              {hostdev(function="0x1", rest=address("2", "0x00"))}
            </devices>"""
    )


def test_controllers_come_first_where_there_are_none():
    tags = [device.tag for device in near(f"<disk/>{hostdev()}")]
    assert tags == ["controller", "controller", "disk", "hostdev"]


def test_devices_of_one_cell_share_a_bus():
    devices = near(hostdev("0x42") + hostdev("0x41", "0x1") + hostdev())
    controllers = [
        (controller.get("index"), controller.find("target/node") is not None, controller.find("address"))
        for controller in devices.iterfind("controller")
    ]
    assert [(index, bus) for index, bus, _ in controllers] == [
        ("1", True), ("2", False), ("3", True), ("4", False), ("5", False),
    ]  # fmt: skip
    assert [place.get("slot") for _, _, place in controllers if place is not None] == ["0x00", "0x00", "0x01"]
    assert [target.get("busNr") for target in devices.iterfind("controller/target")] == ["254", "251"]
    assert [place.get("bus") for place in devices.iterfind("hostdev/address")] == ["5", "4", "2"]


def test_a_device_is_near_the_first_vcpu_on_its_node():
    whole = (GuestCell(0, (0, 1), "0-1", 2**20, "KiB"),)
    assert near(hostdev(function="0x1"), cells=whole).find("controller/target/node").text == "0"


OWN = "host device 0000:41:00.0 has a guest address of its own"
MANY = "".join(hostdev(f"0x{n:02x}") for n in range(256))
FULL = "there are too few PCI bus numbers for all host devices"


@pytest.mark.parametrize(
    ("text", "changes", "problem"),
    [
        (hostdev("0x50"), {}, "host device 0000:50:00.0 has no known host NUMA node"),
        (hostdev(), {"cells": ()}, "host device 0000:41:00.0 is near no NUMA cell of the guest"),
        (
            hostdev(),
            {"cells": (GuestCell(0, (5,), "5", 1, "KiB"),)},
            "host device 0000:41:00.0 is near no NUMA cell of the guest",
        ),
        ('<hostdev type="pci"><source/></hostdev>', {}, "a host device has no host address"),
        (hostdev(rest=address("0x00", "0x07")), {}, OWN),
        *((hostdev(rest=f'<address {key}="0"/>'), {}, OWN) for key in ("domain", "bus", "slot", "function")),
        (
            hostdev("0x50") + hostdev(rest=address("0x00", "0x07")),
            {},
            f"host device 0000:50:00.0 has no known host NUMA node; {OWN}",
        ),
    ],
)
def test_a_device_that_cannot_be_near_stays_or_is_refused(text, changes, problem):
    assert xml(near(text, strict=False, **changes)) == xml(f"<devices>{text}</devices>")
    with pytest.raises(DomainError) as error:
        near(text, strict=True, **changes)
    assert str(error.value) == f"spec.domain.devices: with NUMA passthrough, {problem}"


def test_devices_without_bus_numbers_stay_together_or_are_refused():
    nodes = {f"0000:{n:02x}:00.0": 0 for n in range(256)}
    assert xml(near(MANY, strict=False, nodes=nodes)) == xml(f"<devices>{MANY}</devices>")
    with pytest.raises(DomainError) as error:
        near(MANY, strict=True, nodes=nodes)
    assert str(error.value) == f"spec.domain.devices: {FULL}"


def with_index(index, text):
    return f'<controller type="pci" index="{index}" model="pcie-root-port"/>{text}'


@pytest.mark.parametrize(("text", "highest"), [(hostdev(), 252), (hostdev() + hostdev(function="0x1"), 249)])
def test_a_controller_never_reaches_the_number_of_the_lowest_bus(text, highest):
    placed = near(with_index(highest, text), strict=True)
    indices = [int(controller.get("index")) for controller in placed.iterfind("controller")]
    assert indices == list(range(highest, highest + len(indices)))
    with pytest.raises(DomainError, match=FULL):
        near(with_index(highest + 1, text), strict=True)


@pytest.mark.parametrize("rest", ['<address type="pci"/>', '<address type="pci" bus="" slot=""/>'])
def test_an_address_without_coordinates_is_none_of_the_guests(rest):
    assert near(hostdev(rest=rest)).find("hostdev/address").get("bus") == "2"


def test_older_releases_move_devices_that_have_a_guest_address():
    text = hostdev(rest=address("0x00", "0x07"))
    assert near(text, release="v1.8.4").find("hostdev/address").get("bus") == "2"


def test_a_device_is_near_no_vcpu_of_another_node():
    """Its node has threads, and none of them is a vCPU's."""
    whole = (GuestCell(0, (0, 1), "0-1", 2**20, "KiB"),)
    with pytest.raises(DomainError, match="is near no NUMA cell"):
        near(hostdev(function="0x1"), cells=whole, pinning=Pinning((0, 1)))


def test_a_device_is_near_the_cell_of_the_vcpu_that_is_pinned_to_its_node():
    cells = (GuestCell(0, (0,), "0", 1, "KiB"), GuestCell(1, (1,), "1", 1, "KiB"))
    assert near(hostdev(), cells=cells, pinning=Pinning((8, 0))).find("controller/target/node").text == "1"


def test_other_devices_need_no_cell():
    assert xml(near('<hostdev type="mdev"/><interface/>')) == xml(
        '<devices><hostdev type="mdev"/><interface/></devices>'
    )


ROOT_COMPLEX = {"kubevirt.io/placePCIDevicesOnRootComplex": "true"}


@pytest.mark.parametrize(
    ("architecture", "annotations", "placed"),
    [
        ("amd64", ROOT_COMPLEX, True),
        ("arm64", ROOT_COMPLEX, True),
        ("s390x", ROOT_COMPLEX, False),
        ("amd64", {"kubevirt.io/placePCIDevicesOnRootComplex": "yes"}, False),
        ("amd64", {}, False),
    ],
)
def test_an_annotation_asks_for_the_root_complex(architecture, annotations, placed):
    domain = build_domain(make_vmi("domain.devices.rng: {}", architecture, annotations), make_context(architecture))
    assert (domain.find("devices/rng/address") is not None) is placed


@pytest.mark.parametrize(
    ("gate", "dedicated", "placed"), [(True, "true", True), (False, "true", False), (True, "false", False)]
)
def test_numa_aware_placement_needs_its_gate_and_dedicated_cpus(gate, dedicated, placed):
    vmi = make_vmi(f"""
        domain.cpu: {{cores: 2, dedicatedCpuPlacement: {dedicated}, numa: {{guestMappingPassthrough: {{}}}}}}
        domain.memory: {{guest: 1Gi, hugepages: {{pageSize: 2Mi}}}}
        domain.devices.gpus: [{{name: g, deviceName: d}}]
    """)
    resources = {"d": DeviceResource("pci", (next(iter(NODES)),))}
    context = make_context(
        topology=TWO_NODES, cpu_set=tuple(range(16)), device_resources=resources, pci_numa_nodes=NODES,
        pci_numa_aware_topology=gate,
    )  # fmt: skip
    domain = build_domain(vmi, context)
    assert (domain.find("devices/hostdev/address") is not None) is placed
