"""Which parts of two domains are the same part, and when it says the same."""

from __future__ import annotations

import pytest

from virtcatalog.bring.libvirt.account import _keyed, _same_attribute, _same_text
from virtcatalog.bring.libvirt.domain import _equal_elements
from virtcatalog.manifests.xml import XMLElement, read_xml


def parsed(text: str) -> XMLElement:
    return read_xml(text.encode(), "d.xml")


@pytest.mark.parametrize(
    ("child", "key"),
    [
        ("<controller type='usb' index='1'/>", "usb 1"),
        ("<controller type='usb'/>", "usb 0"),
        ("<entry name='uuid'/>", "uuid"),
        ("<feature name='vmx'/>", "vmx"),
        ("<timer name='hpet'/>", "hpet"),
        ("<vcpu id='1'/>", "1"),
        ("<cell id='1'/>", "1"),
        ("<vcpupin vcpu='3'/>", "3"),
        ("<iothreadpin iothread='2'/>", "2"),
        ("<memnode cellid='1'/>", "1"),
        ("<channel><target name='org.qemu.guest_agent.0'/></channel>", "org.qemu.guest_agent.0"),
        ("<filesystem><target dir='data'/></filesystem>", "data"),
        ("<disk><alias name='ua-root'/></disk>", "root"),
        ("<hostdev><alias name='gpu-a'/></hostdev>", "a"),
        ("<hostdev><alias name='hostdevice-b'/></hostdev>", "b"),
        ("<hostdev><alias name='usb-host-c'/></hostdev>", "c"),
        ("<interface><alias name='sriov-d'/></interface>", "d"),
        ("<channel/>", "#1"),
        ("<filesystem/>", "#1"),
        ("<disk/>", "#1"),
    ],
)
def test_an_element_is_known_by_what_names_it_else_by_its_number(child: str, key: str) -> None:
    ((key_of_child, element),) = _keyed(parsed(f"<a>{child}</a>"), {})
    assert key_of_child == (element.tag, key)


def test_elements_without_a_name_are_counted_by_tag() -> None:
    keys = [key for key, _ in _keyed(parsed("<a><disk/><input/><disk/><disk><alias name='ua-x'/></disk></a>"), {})]
    assert keys == [("disk", "#1"), ("input", "#1"), ("disk", "#2"), ("disk", "x")]


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("<memory unit='GiB'>1</memory>", "<memory unit='b'>1073741824</memory>", True),
        ("<memory unit='GiB'>1</memory>", "<memory unit='b'>1073741825</memory>", False),
        ("<memory>1048576</memory>", "<memory unit='GiB'>1</memory>", True),
        ("<maxMemory unit='MiB'>1</maxMemory>", "<maxMemory>1024</maxMemory>", True),
        ("<currentMemory unit='MiB'>1</currentMemory>", "<currentMemory>1024</currentMemory>", True),
        ("<title unit='MiB'>1</title>", "<title>1024</title>", False),
        ("<uuid>AB</uuid>", "<uuid>ab</uuid>", True),
        ("<policy>0x0001</policy>", "<policy>0x1</policy>", True),
        ("<policy>0x0000</policy>", "<policy>0x0</policy>", True),
        ("<policy>0x0010</policy>", "<policy>0x1</policy>", False),
        ("<name>AB</name>", "<name>ab</name>", False),
        ("<name>ab</name>", "<name>ab</name>", True),
    ],
)
def test_texts_are_compared_as_what_they_mean(old: str, new: str, same: bool) -> None:
    assert _same_text(parsed(old), parsed(new)) is same


@pytest.mark.parametrize(
    ("old", "new", "attribute", "same"),
    [
        ("<cell memory='1' unit='GiB'/>", "<cell memory='1048576'/>", "memory", True),
        ("<cell memory='2' unit='GiB'/>", "<cell memory='1048576'/>", "memory", False),
        ("<cell memory='2'/>", "<cell/>", "memory", False),
        ("<cell memory='1'/>", "<cell/>", "memory", False),
        ("<cell memory='1048576' unit='ells'/>", "<cell memory='1024'/>", "memory", False),
        ("<cell memory='much'/>", "<cell memory='much'/>", "memory", True),
        ("<page memory='2' unit='GiB'/>", "<page memory='2097152'/>", "memory", True),
        ("<memory size='2' unit='GiB'/>", "<memory size='2097152'/>", "size", False),
        ("<page size='2048'/>", "<page size='2' unit='MiB'/>", "size", True),
        ("<page size='2048'/>", "<page size='1' unit='MiB'/>", "size", False),
        ("<page size='2048'/>", "<page/>", "size", True),
        ("<cell memory='1' unit='GiB'/>", "<cell/>", "unit", True),
        ("<smm state='on'/>", "<smm/>", "state", True),
        ("<apic state='on'/>", "<apic/>", "state", True),
        ("<acpi state='on'/>", "<acpi/>", "state", True),
        ("<smm state='off'/>", "<smm/>", "state", False),
        ("<hidden state='on'/>", "<hidden/>", "state", False),
        ("<model type='virtio'/>", "<model type='virtio-non-transitional'/>", "type", True),
        ("<disk model='virtio-scsi'/>", "<disk model='virtio-transitional'/>", "model", True),
        ("<model type='virtio'/>", "<model type='e1000'/>", "type", False),
        ("<target bus='virtio'/>", "<target bus='virtio-scsi'/>", "bus", False),
        ("<mac address='AA:BB'/>", "<mac address='aa:bb'/>", "address", True),
        ("<mac name='AA'/>", "<mac name='aa'/>", "name", False),
        ("<a b='c'/>", "<a b='c'/>", "b", True),
    ],
)
def test_attributes_are_compared_as_what_they_mean(old: str, new: str, attribute: str, same: bool) -> None:
    assert _same_attribute(parsed(old), parsed(new), attribute) is same


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("<a b='1'>t<c/><d e='2'/></a>", True),
        ("<x b='1'>t<c/><d e='2'/></x>", False),
        ("<a b='2'>t<c/><d e='2'/></a>", False),
        ("<a>t<c/><d e='2'/></a>", False),
        ("<a b='1'>u<c/><d e='2'/></a>", False),
        ("<a b='1'>t<c/></a>", False),
        ("<a b='1'>t<c/><d e='2'/><f/></a>", False),
        ("<a b='1'>t<c/><d e='3'/></a>", False),
        ("<a b='1'>t<d e='2'/><c/></a>", False),
    ],
)
def test_elements_are_equal_with_all_that_is_in_them(other: str, same: bool) -> None:
    assert _equal_elements(parsed("<a b='1'>t<c/><d e='2'/></a>"), parsed(other)) is same
