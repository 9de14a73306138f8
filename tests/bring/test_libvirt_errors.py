"""What is no domain is told, with its place."""

from __future__ import annotations

import pytest
from importing import bring, domain

from virtcatalog.errors import ManifestError


@pytest.mark.parametrize(
    ("content", "message"),
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
            domain("<memoryBacking><hugepages><page size='2' unit='ells'/></hugepages></memoryBacking>"),
            "db.xml:6:27: memoryBacking/hugepages/page/@unit: 'ells' is no unit of memory",
        ),
        (
            domain("<memoryBacking><hugepages><page unit='GiB'/></hugepages></memoryBacking>"),
            "db.xml:6:27: memoryBacking/hugepages/page/@size: '' is no whole number",
        ),
        (
            domain("<memoryBacking><hugepages><page size='1'/><page size='all'/></hugepages></memoryBacking>"),
            "db.xml:6:43: memoryBacking/hugepages/page[2]/@size: 'all' is no whole number",
        ),
        (
            domain("<memoryBacking><hugepages><page size='1'/><page size='1' unit='x'/></hugepages></memoryBacking>"),
            "db.xml:6:43: memoryBacking/hugepages/page[2]/@unit: 'x' is no unit of memory",
        ),
        (domain("<maxMemory unit='ells'>1</maxMemory>"), "db.xml:6:1: maxMemory/@unit: 'ells' is no unit of memory"),
        (domain("<currentMemory>all</currentMemory>"), "db.xml:6:1: currentMemory: 'all' is no whole number"),
        (domain(vcpu="<vcpu current='some'>2</vcpu>"), "db.xml:4:1: vcpu/@current: 'some' is no whole number"),
        (
            domain("<cpu><topology sockets='2' cores='one'/></cpu>"),
            "db.xml:6:6: cpu/topology/@cores: 'one' is no whole number",
        ),
        (
            domain("<features><hyperv><spinlocks retries='often'/></hyperv></features>"),
            "db.xml:6:19: features/hyperv/spinlocks/@retries: 'often' is no whole number",
        ),
        (
            domain("<features><kvm><hidden state='well'/></kvm></features>"),
            "db.xml:6:16: features/kvm/hidden/@state: 'well' is none of yes, on, no, off",
        ),
        (
            domain("<clock><timer name='pit' present='there'/></clock>"),
            "db.xml:6:8: clock/timer/@present: 'there' is none of yes, on, no, off",
        ),
        (
            domain("<clock offset='utc' adjustment='1234567890'/>"),
            "db.xml:6:1: clock/@adjustment: '1234567890' is no number of seconds",
        ),
        (
            domain("<launchSecurity type='sev'><policy>strict</policy></launchSecurity>"),
            "db.xml:6:28: launchSecurity/policy: 'strict' is no whole number",
        ),
        (domain("<iothreads>many</iothreads>"), "db.xml:6:1: iothreads: 'many' is no whole number"),
        (
            domain(devices="<interface type='user'><boot order='last'/></interface>"),
            "db.xml:8:24: devices/interface/boot/@order: 'last' is no whole number",
        ),
        (
            domain(devices="<interface type='user'><acpi index='x'/></interface>"),
            "db.xml:8:24: devices/interface/acpi/@index: 'x' is no whole number",
        ),
        (
            domain(devices="<controller type='pci'><pcihole64>wide</pcihole64></controller>"),
            "db.xml:8:24: devices/controller/pcihole64: 'wide' is no whole number",
        ),
        (
            domain(devices="<disk><target dev='vda'/><blockio logical_block_size='large'/></disk>"),
            "db.xml:8:26: devices/disk/blockio/@logical_block_size: 'large' is no whole number",
        ),
        (
            domain(devices="<disk type='file'><target bus='virtio'/></disk>"),
            "db.xml:8:1: devices/disk: <target dev=…> is missing: every disk has it",
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
def test_broken_and_missing_things_have_a_place(content, message):
    with pytest.raises(ManifestError) as raised:
        bring(content)
    assert str(raised.value) == message
