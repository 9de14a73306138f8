"""Where libvirt puts devices on the PCI bus."""

from xml.etree.ElementTree import XML

import pytest
from fragments import make_vmi

from virtcatalog.kubevirt.launcher.launch.places import pci_places

PLACEHOLDERS = {"kubevirt.io/pci-interface-slot-count": "0"}


def places(text, machine="q35", architecture="amd64", nics=0, annotations=PLACEHOLDERS):
    listed = ", ".join(f"{{name: x{number}, bridge: {{}}}}" for number in range(nics))
    vmi = make_vmi(
        f"domain.devices: {{interfaces: [{listed}]}}\ndomain.machine: {{type: {machine}}}", architecture, annotations
    )
    return pci_places(XML(f"<devices>{text}</devices>"), vmi)


def address(bus="", slot="0x00", function="0x0", kind="pci"):
    return f'<address type="{kind}" domain="0x0000" bus="{bus}" slot="{slot}" function="{function}"/>'


def nic(name, model="virtio-non-transitional", rest=""):
    return f'<interface><model type="{model}"/><alias name="ua-{name}"/>{rest}</interface>'


def disk(name, bus="virtio", rest="", model="virtio-non-transitional"):
    return f'<disk model="{model}"><target bus="{bus}"/><alias name="ua-{name}"/>{rest}</disk>'


def hostdev(name, kind="pci", rest=""):
    return f'<hostdev type="{kind}"><source/><alias name="ua-{name}"/>{rest}</hostdev>'


def test_on_pcie_each_has_a_root_port_nics_before_disks_before_host_devices():
    text = hostdev("gpu") + disk("root") + nic("a") + disk("data") + nic("b")
    assert places(text) == {"a": 1, "b": 2, "root": 3, "data": 4, "gpu": 5}


@pytest.mark.parametrize(
    ("before", "port"),
    [
        ("<filesystem/>", 2),
        ('<controller type="scsi" model="virtio-non-transitional"/>', 2),
        ('<controller type="usb" model="qemu-xhci"/>', 2),
        ('<controller type="virtio-serial" model="virtio"/>', 2),
        ('<controller type="usb" model="none"/>', 1),
        ('<controller type="pci" model="pcie-root-port"/>', 1),
        ('<controller type="sata"/>', 1),
        ('<controller type="ide"/>', 1),
        ('<sound model="ich9"/>', 1),
        ('<sound model="ac97"/>', 2),
        ("<rng/>", 1),
        ("<memballoon/>", 1),
        ('<disk><target bus="sata"/></disk>', 1),
    ],
)
def test_what_has_a_place_before_a_disk(before, port):
    assert places(before + disk("root"))["root"] == port


@pytest.mark.parametrize(("device", "place"), [(hostdev("d", "mdev"), {"d": 1}), (hostdev("d", "usb"), {})])
def test_mediated_devices_have_a_place_and_usb_devices_none(device, place):
    assert places(device) == place


def test_a_virtual_function_is_known_by_its_interface():
    assert places(hostdev("sriov-blue")) == {"blue": 1}


def test_what_has_no_name_takes_a_place_all_the_same():
    assert places(f'<disk><target bus="virtio"/></disk>{disk("root")}') == {"root": 2}


def test_ports_that_are_free_for_more_nics_are_behind_those_that_there_are():
    text = nic("x0") + '<sound model="ac97"/>' + disk("root")
    assert places(text, nics=1, annotations={}) == {"x0": 1, "root": 6}
    assert places(text, nics=3, annotations={}) == {"x0": 1, "root": 4}
    slots = {"kubevirt.io/pci-interface-slot-count": "3"}
    assert places(text, nics=1, annotations=slots) == {"x0": 1, "root": 5}


def test_an_address_is_kept_and_its_bus_is_taken():
    text = nic("a", rest=address("0x02", "0x01", "0x3")) + nic("b") + disk("root")
    assert places(text) == {"a": "0000:02:01.3", "b": 1, "root": 3}


@pytest.mark.parametrize(
    ("rest", "place"),
    [
        (address("0x01", kind="drive"), {}),
        (address(""), {"a": 1}),
        ('<address type="pci"/>', {"a": 1}),
        ('<address type="pci" bus="0x05"/>', {"a": "0000:05:00.0"}),
    ],
)
def test_an_address_of_another_kind_is_elsewhere_and_one_without_a_bus_is_none(rest, place):
    assert places(nic("a", rest=rest)) == place


@pytest.mark.parametrize("model", ["virtio-transitional", "e1000", "rtl8139", "ne2k_pci", "pcnet"])
def test_conventional_devices_share_a_bridge_behind_one_port(model):
    text = nic("a") + nic("b", model) + nic("c") + disk("root", model="virtio-transitional") + disk("data")
    assert places(text) == {"a": 1, "b": "slot 1 of a bridge", "c": 3, "root": "slot 2 of a bridge", "data": 4}


def test_an_ac97_sound_card_is_conventional_too():
    text = '<sound model="ac97"/>' + disk("root", model="virtio-transitional")
    assert places(text) == {"root": "slot 2 of a bridge"}


def test_the_one_bus_of_i440fx_has_slots_from_3_on():
    text = disk("root") + nic("a") + nic("b", rest=address("0x00", "0x04")) + nic("c", rest=address("0x01", "0x03"))
    assert places(text, "pc-i440fx-9.2", nics=1, annotations={}) == {
        "a": "0000:00:03.0",
        "b": "0000:00:04.0",
        "c": "0000:01:03.0",
        "root": "0000:00:05.0",
    }


def test_slots_are_hexadecimal():
    of = places("".join(nic(f"n{number}") for number in range(14)), "pc-i440fx-9.2")
    assert (of["n6"], of["n7"], of["n13"]) == ("0000:00:09.0", "0000:00:0a.0", "0000:00:10.0")


def test_arm64_is_pcie_and_s390x_has_no_pci():
    assert places(nic("a") + disk("root"), "virt", "arm64") == {"a": 1, "root": 2}
    assert places(nic("a") + disk("root"), "s390-ccw-virtio", "s390x") == {}
