"""A domain as it was defined and as libvirt prints it once it runs: what both come to when they are written alike."""

from __future__ import annotations

from xml.etree.ElementTree import TreeBuilder, XMLParser, fromstring, tostring

import pytest

from virtcatalog.live.dumpxml import in_one_form


def alike(defined: str, running: str = "<domain/>") -> tuple[str, str]:
    """The inner XML of both domains in one form."""
    parsers = (XMLParser(target=TreeBuilder(insert_comments=True)) for _ in range(2))
    both = in_one_form(*(fromstring(text, parser) for text, parser in zip((defined, running), parsers, strict=True)))
    defined, running = (tostring(domain, encoding="unicode").replace(" />", "/>") for domain in both)
    return defined, running


def of(inner: str) -> str:
    """What a domain with this in it is in that form."""
    return alike(f"<domain>{inner}</domain>")[0].removeprefix("<domain>").removesuffix("</domain>")


@pytest.mark.parametrize(
    ("unit", "amount", "kib"),
    [
        # virScaleInteger of libvirt: without `iB` or with it a unit is one of 1024, with `B` alone one of 1000.
        ("b", 1, 1),
        ("b", 1024, 1),
        ("b", 1025, 2),
        ("b", 1073741824, 1048576),
        ("bytes", 2048, 2),
        ("KB", 1024, 1000),
        ("MB", 128, 125000),
        ("GB", 16, 15625000),
        ("TB", 2, 1953125000),
        ("k", 7, 7),
        ("KiB", 7, 7),
        ("M", 3, 3072),
        ("MiB", 3, 3072),
        ("G", 3, 3145728),
        ("GiB", 3, 3145728),
        ("T", 3, 3221225472),
        ("TiB", 3, 3221225472),
    ],
)
def test_amounts_of_memory_are_whole_kibibytes_rounded_up(unit: str, amount: int, kib: int) -> None:
    assert of(f'<memory unit="{unit}"> {amount} </memory>') == f'<memory unit="KiB">{kib}</memory>'
    assert of(f'<page size="{amount}" unit="{unit}"/>') == f'<page size="{kib}" unit="KiB"/>'
    assert (
        of(f'<cell memory="{amount}" unit="{unit}" id="{amount}"/>')
        == f'<cell memory="{kib}" unit="KiB" id="{amount}"/>'
    )


@pytest.mark.parametrize(
    ("defined", "form"),
    [
        # What is no amount of a known unit stays.
        ('<memory unit="pages">4</memory>', '<memory unit="pages">4</memory>'),
        ('<memory unit="b">much</memory>', '<memory unit="KiB">much</memory>'),
        ('<memory unit="b"/>', '<memory unit="KiB"/>'),
        ('<memory size="4">4</memory>', '<memory size="4">4</memory>'),
        ('<maxMemory slots="0" unit="KiB">4</maxMemory>', '<maxMemory unit="KiB">4</maxMemory>'),
        ('<maxMemory slots="16" unit="KiB">4</maxMemory>', '<maxMemory slots="16" unit="KiB">4</maxMemory>'),
        # Attributes that libvirt leaves out, or that the guest changes.
        ('<blockio discard_granularity="0"/>', "<blockio/>"),
        ('<blockio discard_granularity="512"/>', '<blockio discard_granularity="512"/>'),
        ('<target dev="sda" tray="open"/>', '<target dev="sda"/>'),
        # The name of a volume of the node; a network has one, too.
        ('<source file="/disk.img" name="root"/>', '<source file="/disk.img"/>'),
        ('<source dev="/dev/root" name="root"/>', '<source dev="/dev/root"/>'),
        ('<source protocol="nbd" name="root"/>', '<source protocol="nbd" name="root"/>'),
        ('<target file="/disk.img" name="root"/>', '<target file="/disk.img" name="root"/>'),
        # Sets of CPUs.
        ('<vcpupin cpuset="9,3,1,2,2,7,8,12"/>', '<vcpupin cpuset="1-3,7-9,12"/>'),
        ('<cell cpus="0,1"/>', '<cell cpus="0-1"/>'),
        ('<memnode nodeset="0"/>', '<memnode nodeset="0"/>'),
        ('<vcpusched vcpus="0,2,4"/>', '<vcpusched vcpus="0,2,4"/>'),
        ('<vcpupin cpuset="0-3,^1"/>', '<vcpupin cpuset="0-3,^1"/>'),
        ('<vcpupin cpuset="1000000,1000001"/>', '<vcpupin cpuset="1000000,1000001"/>'),
        ('<vcpupin cpuset="999998,999999"/>', '<vcpupin cpuset="999998-999999"/>'),
        ('<vcpupin vcpu="1,0"/>', '<vcpupin vcpu="1,0"/>'),
        # Numbers of addresses.
        (
            '<address type="pci" domain="0x0000" bus="0x0a" slot="010" function="0x0" multifunction="on"/>',
            '<address type="pci" domain="0" bus="10" slot="10" function="0" multifunction="on"/>',
        ),
        ('<address base="0xAB"/>', '<address base="0xAB"/>'),
        ('<source slot="0x0a"/>', '<source slot="0x0a"/>'),
        # Aliases but those of users, and what virt-launcher notes of a disk.
        ('<rng><alias name="rng0"/><alias/></rng>', "<rng/>"),
        ('<rng><alias name="ua-rng"/></rng>', '<rng><alias name="ua-rng"/></rng>'),
        (
            '<disk><source file="/a"/><capacity>1</capacity><filesystemOverhead>0</filesystemOverhead></disk>',
            '<disk><source file="/a"/></disk>',
        ),
        ("<rng><capacity>1</capacity></rng>", "<rng><capacity>1</capacity></rng>"),
        # A drive without a medium is of no type.
        (
            '<disk type="block" device="cdrom"><source/><driver name="qemu" type="raw"/><target dev="sda"/></disk>',
            '<disk device="cdrom"><driver name="qemu"/><target dev="sda"/></disk>',
        ),
        ('<disk type="file" device="cdrom"/>', '<disk device="cdrom"/>'),
        (
            '<disk type="block"><source dev="/dev/a"/><driver name="qemu" type="raw"/></disk>',
            '<disk type="block"><source dev="/dev/a"/><driver name="qemu" type="raw"/></disk>',
        ),
        ('<hostdev type="block"><source/></hostdev>', '<hostdev type="block"><source/></hostdev>'),
        # A controller that is not there is nowhere.
        ('<controller model="none"><address type="pci"/></controller>', '<controller model="none"/>'),
        (
            '<controller model="qemu-xhci"><address type="pci"/></controller>',
            '<controller model="qemu-xhci"><address type="pci"/></controller>',
        ),
        ('<rng model="none"><address type="pci"/></rng>', '<rng model="none"><address type="pci"/></rng>'),
        # The console that is the first serial port.
        (
            '<devices><serial/><console type="pty"><target type="serial"/></console></devices>',
            "<devices><serial/></devices>",
        ),
        (
            '<devices><console type="pty"><target type="serial"/></console></devices>',
            '<devices><console type="pty"><target type="serial"/></console></devices>',
        ),
        (
            '<devices><serial/><console type="pty"><target type="virtio"/></console></devices>',
            '<devices><serial/><console type="pty"><target type="virtio"/></console></devices>',
        ),
        # Sections of SMBIOS that say nothing, entries of a section by their names.
        ("<sysinfo><bios/><system> </system></sysinfo>", "<sysinfo/>"),
        (
            '<system><entry name="uuid">b</entry><entry name="sku"/><entry name="serial">a</entry></system>',
            '<system><entry name="serial">a</entry><entry name="uuid">b</entry></system>',
        ),
        (
            '<oemStrings><entry name="b">b</entry><entry name="a">a</entry></oemStrings>',
            '<oemStrings><entry name="b">b</entry><entry name="a">a</entry></oemStrings>',
        ),
        # Frames of nothing.
        ("<interface><driver/></interface>", "<interface/>"),
        ('<interface><driver name="vhost"/></interface>', '<interface><driver name="vhost"/></interface>'),
        ("<a/><features/>", "<a/>"),
        ("<features><acpi/></features>", "<features><acpi/></features>"),
        ("<devices/>", "<devices/>"),
        ("<!-- a host profile --><devices/>", "<devices/>"),
    ],
)
def test_what_libvirt_writes_otherwise_is_written_alike(defined: str, form: str) -> None:
    assert of(defined) == form


UTC = '<clock offset="utc"/>'


@pytest.mark.parametrize(
    ("defined", "running", "form"),
    [
        # A machine's alias is what it stood for.
        (
            '<os><type machine="q35"/></os>',
            '<os><type machine="pc-q35-9.2"/></os>',
            '<os><type machine="pc-q35-9.2"/></os>',
        ),
        (
            '<os><type machine="virt"/></os>',
            '<os><type machine="virt-9.2"/></os>',
            '<os><type machine="virt-9.2"/></os>',
        ),
        ('<os><type machine="virt"/></os>', '<os><type machine="pc-q35-9.2"/></os>', '<os><type machine="virt"/></os>'),
        ('<os><type machine="q"/></os>', '<os><type machine="pc-q35-9.2"/></os>', '<os><type machine="q"/></os>'),
        ("<os><type/></os>", '<os><type machine="None-9.2"/></os>', "<os><type/></os>"),
        ('<os><type machine="None"/></os>', "<os><type/></os>", '<os><type machine="None"/></os>'),
        # The model of the host is one that libvirt names.
        ('<cpu mode="host-model"/>', '<cpu mode="custom"/>', '<cpu mode="custom"/>'),
        ('<cpu mode="host-passthrough"/>', '<cpu mode="custom"/>', '<cpu mode="host-passthrough"/>'),
        ('<cpu mode="host-model"/>', '<cpu mode="maximum"/>', '<cpu mode="host-model"/>'),
        # A clock that follows UTC is so many seconds off it.
        (UTC, '<clock offset="variable" basis="utc"/>', '<clock offset="variable"/>'),
        (UTC, '<clock basis="utc"/>', '<clock offset=""/>'),
        (UTC, '<clock offset="variable" basis="localtime"/>', UTC),
        ('<clock offset="localtime"/>', '<clock offset="variable" basis="utc"/>', '<clock offset="localtime"/>'),
        # What only one of the two has.
        ('<os><type machine="q35"/></os><cpu mode="host-model"/>' + UTC, "", None),
        ("", '<os><type machine="q35"/></os><cpu mode="custom"/><clock basis="utc"/>', None),
    ],
)
def test_what_a_running_machine_has_become_is_what_was_defined(defined: str, running: str, form: str | None) -> None:
    assert alike(f"<domain>{defined}</domain>", f"<domain>{running}</domain>") == tuple(
        f"<domain>{inner}</domain>" if inner else "<domain/>" for inner in (defined if form is None else form, running)
    )
