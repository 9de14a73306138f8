"""What is no domain is told, with its place."""

from __future__ import annotations

import pytest
from importing import bring, domain

from virtcatalog.errors import ManifestError


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"<domain>", "db.xml:1:9: is not XML: Premature end of data in tag domain line 1"),
        (b"<network/>", "db.xml:1:1: network: <network> is no <domain>: give what `virsh dumpxml` prints"),
        (domain(name=""), "db.xml:1:1: domain: <name> is missing: every domain has it"),
        (domain(name="<name/>"), "db.xml:2:1: name: a domain has a name"),
        (domain(memory=""), "db.xml:1:1: domain: <memory> is missing: every domain has it"),
        (domain(memory="<memory>much</memory>"), "db.xml:3:1: memory: 'much' is no whole number"),
        (domain(memory="<memory>-1</memory>"), "db.xml:3:1: memory: '-1' is no whole number"),
        (domain(memory=f"<memory>{'9' * 5000}</memory>"), f"db.xml:3:1: memory: '{'9' * 60}…' is no whole number"),
        (domain(memory="<memory unit='ells'>1</memory>"), "db.xml:3:1: memory/@unit: 'ells' is no unit of memory"),
        (domain(memory="<memory>0</memory>"), "db.xml:3:1: memory: a domain has some memory"),
        (domain(vcpu=""), "db.xml:1:1: domain: <vcpu> is missing: every domain has it"),
        (domain(vcpu="<vcpu>0</vcpu>"), "db.xml:4:1: vcpu: a domain has at least one vCPU"),
        (domain(os="<os/>"), "db.xml:1:1: domain: <os><type> is missing: every domain has it"),
        (
            domain(os="<os><type arch='mips'>hvm</type></os>"),
            "db.xml:5:5: os/type/@arch: KubeVirt has no machines of architecture 'mips'; it has x86_64, aarch64, s390x",
        ),
        (
            domain(os="<os><type>exe</type></os>"),
            "db.xml:5:5: os/type: KubeVirt has fully virtualized machines (hvm) alone, not 'exe'",
        ),
        (
            domain("<cpu><topology sockets='3' cores='1' threads='1'/></cpu>"),
            "db.xml:6:6: cpu/topology: these are 3 vCPUs, and <vcpu> says 2",
        ),
        (domain("<cpu><feature policy='require'/></cpu>"), "db.xml:6:6: cpu/feature/@name: a feature has a name"),
        (
            domain("<clock offset='utc' adjustment='soon'/>"),
            "db.xml:6:1: clock/@adjustment: 'soon' is no number of seconds",
        ),
        (
            domain("<features><acpi/><smm state='maybe'/></features>"),
            "db.xml:6:18: features/smm/@state: 'maybe' is none of yes, on, no, off",
        ),
        (
            domain(devices="<disk type='file'><source file='/x'/></disk>"),
            "db.xml:8:1: devices/disk: <target dev=…> is missing: every disk has it",
        ),
        (
            domain(devices="<disk><target dev='vda' bus='virtio'/><boot order='first'/></disk>"),
            "db.xml:8:39: devices/disk/boot/@order: 'first' is no whole number",
        ),
        (
            domain(devices="<hostdev type='pci'><source><address bus='0x999'/></source></hostdev>"),
            "db.xml:8:29: devices/hostdev/source/address: this is no address on PCI",
        ),
    ],
)
def test_broken_and_missing_things_have_a_place(content, told):
    with pytest.raises(ManifestError) as raised:
        bring(content)
    assert str(raised.value) == told
