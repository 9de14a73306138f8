"""Where two domains differ, as data and in words."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from virtcatalog.kubevirt.launcher.difference import differences, name_of, same
from virtcatalog.review.machines import element_words


def domain(devices: str = "", rest: str = "") -> ElementTree.Element:
    return ElementTree.fromstring(f"<domain>{rest}<devices>{devices}</devices></domain>")


def places_of(old: ElementTree.Element, new: ElementTree.Element) -> list[tuple[str, str | None, str | None]]:
    return [(difference.place, difference.old, difference.new) for difference in differences(old, new)]


def words(old: ElementTree.Element, new: ElementTree.Element) -> list[str]:
    return list(element_words(old, new))


DISK = '<disk><driver cache="none"/><alias name="ua-{}"/></disk>'


@pytest.mark.parametrize(
    ("old", "new", "place", "text"),
    [
        ("<vcpu>1</vcpu>", "<vcpu>2</vcpu>", ("vcpu", "1", "2"), "<vcpu>: 1 → 2"),
        ("<vcpu/>", "<vcpu>2</vcpu>", ("vcpu", "", "2"), "<vcpu>: nothing → 2"),
        ("<cpu mode='a'/>", "<cpu mode='b'/>", ("cpu/@mode", "a", "b"), "<cpu> mode: a → b"),
        ("<cpu/>", "<cpu mode='b'/>", ("cpu/@mode", None, "b"), '<cpu> gains mode="b"'),
        ("<cpu mode='a'/>", "<cpu/>", ("cpu/@mode", "a", None), '<cpu> loses mode="a"'),
        ("", "<rng/>", ("rng", None, "<rng/>"), "<domain> gains <rng/>"),
        ("<os><bios/></os>", "<os/>", ("os/bios", "<bios/>", None), "<os> loses <bios/>"),
    ],
)
def test_one_difference(old: str, new: str, place: tuple[str, str | None, str | None], text: str) -> None:
    assert places_of(domain(rest=old), domain(rest=new)) == [place]
    assert words(domain(rest=old), domain(rest=new)) == [text]


def test_devices_are_matched_by_their_alias() -> None:
    a, b = DISK.format("a"), DISK.format("b")
    changed = b.replace("none", "unsafe")
    assert places_of(domain(a + b), domain(changed)) == [
        ("devices/disk[1]", a, None),
        ("devices/disk[2]/driver/@cache", "none", "unsafe"),
    ]
    assert words(domain(a + b), domain(changed))[1] == "<disk b> <driver> cache: none → unsafe"


def test_siblings_without_a_name_are_matched_in_their_order_once_the_same_ones_are_apart() -> None:
    assert places_of(domain("<input type='a'/><input type='b'/>"), domain("<input type='b'/>")) == [
        ("devices/input[1]", '<input type="a"/>', None)
    ]


def test_a_new_sibling_has_its_number_among_the_new_ones() -> None:
    timers = "<timer name='a'/>", "<timer name='b'/>"
    assert places_of(domain(timers[1]), domain("".join(timers))) == [("devices/timer[1]", None, '<timer name="a"/>')]


def test_a_long_element_is_shortened() -> None:
    long = f'<disk x="{"y" * 90}"><source/></disk>'
    assert words(domain(), domain(long)) == [f'<devices> gains <disk x="{"y" * 90}">…</disk>']


def test_order_is_no_difference_and_yet_not_the_same() -> None:
    one, other = domain("<rng/><tpm/>"), domain("<tpm/><rng/>")
    assert places_of(one, other) == []
    assert not same(one, other)
    assert same(one, domain("<rng/><tpm/>"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('<disk><alias name="ua-root"/></disk>', "root"),
        ('<disk><alias name="virtio-disk0"/></disk>', "virtio-disk0"),
        ("<disk><alias/></disk>", ""),
        ('<controller type="usb" index="0"/>', "usb 0"),
        ('<controller type="usb" index="0"><alias name="ua-x"/></controller>', "x"),
        ('<feature name="vmx"/>', "vmx"),
        ('<timer name="rtc"/>', "rtc"),
        ('<cell id="1"/>', "1"),
        ("<cell/>", ""),
        ('<entry name="uuid"/>', ""),
    ],
)
def test_what_tells_an_element_from_its_siblings(text: str, name: str) -> None:
    assert name_of(ElementTree.fromstring(text)) == name


def test_the_text_of_an_element_with_children_is_no_difference() -> None:
    assert places_of(domain(rest="<os>\n<bios/></os>"), domain(rest="<os>  <bios/></os>")) == []


def test_siblings_of_equal_number_are_matched_one_by_one() -> None:
    one, other = "<input type='a'/><input type='b'/>", "<input type='b'/><input type='c'/>"
    assert places_of(domain(one), domain(other)) == [
        ("devices/input[1]/@type", "a", "b"),
        ("devices/input[2]/@type", "b", "c"),
    ]
