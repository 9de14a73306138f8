"""`<devices>`: which families there are, and their order."""

from xml.etree.ElementTree import fromstring

import pytest

from virtcatalog.kubevirt.launcher.errors import DomainError

EVERYTHING = """
    disks: [{name: cd, cdrom: {bus: sata}}]
    filesystems: [{name: f, virtiofs: {}}]
    interfaces: [{name: n, bridge: {}}, {name: s, sriov: {}}]
    inputs: [{name: t, type: tablet}]
    tpm: {}
    sound: {name: a}
    clientPassthrough: {}
    watchdog: {name: w, i6300esb: {action: reset}}
    rng: {}
    panicDevices: [{}]
"""
NETWORKS = "networks: [{name: n, pod: {}}, {name: s, multus: {networkName: m}}]"


@pytest.fixture
def families(built):
    """Return the tags of a VMI's devices, each run of one tag once."""

    def find(*text, **options):
        tags = [child.tag for child in fromstring(built("devices", *text, **options))]
        return [tag for tag, before in zip(tags, ["", *tags], strict=False) if tag != before]

    return find


def test_the_least_that_a_machine_has(families):
    assert families() == ["controller", "serial", "console", "channel", "graphics", "video", "memballoon"]


def test_everything_in_the_order_that_libvirt_documents(families):
    assert families(EVERYTHING, NETWORKS, sriov_addresses={"s": "0000:81:01.0"}, vsock_cid=3) == [
        *("disk", "controller", "filesystem", "interface", "serial", "console", "channel", "input", "tpm"),
        *("graphics", "sound", "video", "hostdev", "redirdev", "watchdog", "memballoon", "rng", "panic", "vsock"),
    ]


def test_the_emulator_is_named_for_guests_of_another_architecture(families):
    shown = families(architecture="arm64", host_architecture="amd64")
    assert shown[0] == "emulator"
    assert "graphics" not in shown


def test_a_device_that_cannot_be_refuses_the_machine(built):
    with pytest.raises(DomainError):
        built("devices", "sound: {name: a, model: sb16}")
