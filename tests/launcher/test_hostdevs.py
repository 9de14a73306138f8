"""`<hostdev>`: devices of the host, and SR-IOV interfaces."""

import pytest

from virtcatalog.kubevirt.hosts import ClaimedDevice
from virtcatalog.kubevirt.launcher.context import DeviceResource
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.releases import find_release

RESOURCES = {
    "v/card": DeviceResource("pci", ("0000:41:00.0", "0000:41:00.1")),
    "v/slice": DeviceResource("mdev", ("11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222")),
    "v/stick": DeviceResource("usb", ("3:1",)),
}


@pytest.fixture
def shown(built):
    return lambda devices: built("hostdev", devices, device_resources=RESOURCES)


@pytest.mark.parametrize(("family", "alias"), [("gpus", "gpu"), ("hostDevices", "hostdevice")])
def test_pci_devices_are_passed_through(shown, xml, family, alias):
    assert shown(f"{family}: [{{name: a, deviceName: v/card}}]") == xml(f"""
        <hostdev type="pci" managed="no">
          <source><address type="pci" domain="0x0000" bus="0x41" slot="0x00" function="0x0"/></source>
          <alias name="ua-{alias}-a"/>
        </hostdev>
    """)


def test_mediated_host_devices_have_no_display(shown, xml):
    assert shown("hostDevices: [{name: a, deviceName: v/slice}]") == xml("""
        <hostdev type="mdev" mode="subsystem" model="vfio-pci">
          <source><address uuid="11111111-1111-1111-1111-111111111111"/></source>
          <alias name="ua-hostdevice-a"/>
        </hostdev>
    """)


def test_usb_devices(shown, xml):
    assert shown("hostDevices: [{name: a, deviceName: v/stick}]") == xml("""
        <hostdev type="usb" mode="subsystem">
          <source><address bus="3" device="1"/></source>
          <alias name="ua-usb-host-a"/>
        </hostdev>
    """)


def test_the_first_mediated_gpu_is_the_display(shown):
    devices = shown("gpus: [{name: a, deviceName: v/slice}, {name: b, deviceName: v/slice}]").split("</hostdev>")
    assert 'display="on"' in devices[0]
    assert 'ramfb="on"' in devices[0]
    assert "display" not in devices[1]


@pytest.mark.parametrize(
    ("resource", "display", "attributes"),
    [
        ("v/slice", "{}", ["display", "ramfb"]),
        ("v/slice", "{enabled: true}", ["display", "ramfb"]),
        ("v/slice", "{enabled: false}", []),
        ("v/slice", "{ramFB: {enabled: false}}", ["display"]),
        ("v/slice", "{ramFB: {enabled: true}}", ["display", "ramfb"]),
        ("v/card", "{}", []),
        ("v/card", "{enabled: true}", ["display"]),
        ("v/card", "{enabled: true, ramFB: {enabled: true}}", ["display", "ramfb"]),
        ("v/card", "{ramFB: {enabled: true}}", []),
    ],
)
def test_a_whole_gpu_is_a_display_only_when_it_is_asked_to(shown, resource, display, attributes):
    device = shown(f"gpus: [{{name: a, deviceName: {resource}, virtualGPUOptions: {{display: {display}}}}}]")
    assert [name for name in ("display", "ramfb") if f'{name}="on"' in device] == attributes


def test_what_one_gpu_says_of_displays_counts_for_all(shown):
    plain, silent = "{name: a, deviceName: v/slice}", "virtualGPUOptions: {display: {enabled: false}}"
    assert "display" not in shown(f"gpus: [{plain}, {{name: b, deviceName: v/slice, {silent}}}]")


def test_host_devices_come_before_gpus_and_kind_by_kind(shown):
    devices = """
        gpus: [{name: g, deviceName: v/card}]
        hostDevices:
        - {name: u, deviceName: v/stick}
        - {name: m, deviceName: v/slice}
        - {name: p, deviceName: v/card}
    """
    aliases = [part.split('"')[0] for part in shown(devices).split('alias name="ua-')[1:]]
    assert aliases == ["hostdevice-p", "hostdevice-m", "usb-host-u", "gpu-g"]


def test_each_device_takes_the_next_address_of_its_resource(shown):
    devices = shown("hostDevices: [{name: a, deviceName: v/card}, {name: b, deviceName: v/card}]")
    assert devices.index('function="0x0"') < devices.index('function="0x1"')


@pytest.mark.parametrize(
    "devices",
    [
        "hostDevices: [{name: a, deviceName: v/unknown}]",
        "hostDevices: [{name: a, deviceName: v/stick}, {name: b, deviceName: v/stick}]",
        "gpus: [{name: a, deviceName: v/stick}]",
    ],
)
def test_a_device_that_the_node_does_not_give_is_refused(shown, devices):
    with pytest.raises(DomainError, match=r"spec.domain.devices.(gpus|hostDevices)"):
        shown(devices)


UUID = "33333333-3333-3333-3333-333333333333"
CARD = ClaimedDevice(claim="x", request="card", pci_address="0000:61:00.0")
SLICE = ClaimedDevice(claim="x", request="slice", mdev_uuid=UUID)
BOTH = ClaimedDevice(claim="x", request="both", mdev_uuid=UUID, pci_address="0000:62:00.0")
NEITHER = ClaimedDevice(claim="x", request="neither")


@pytest.fixture
def claimed(built):
    """The XML of devices of the claim `c`, by the names of its requests."""
    allocated = {("c", device.request): device for device in (CARD, SLICE, BOTH, NEITHER)}

    def show(family, *devices, **changes):
        text = ", ".join(
            f"{{name: {request}, claimName: c, requestName: {request}{rest}}}" for request, rest in devices
        )
        return built("hostdev", f"{family}: [{text}]", claimed_devices=allocated, device_resources=RESOURCES, **changes)

    return show


@pytest.mark.parametrize(("family", "alias"), [("gpus", "dra-gpu"), ("hostDevices", "dra-hostdevice")])
def test_a_claim_gives_a_pci_device(claimed, xml, family, alias):
    assert claimed(family, ("card", "")) == xml(f"""
        <hostdev type="pci" managed="no">
          <source><address type="pci" domain="0x0000" bus="0x61" slot="0x00" function="0x0"/></source>
          <alias name="ua-{alias}-card"/>
        </hostdev>
    """)


@pytest.mark.parametrize("request_name", ["slice", "both"])
def test_a_claim_gives_a_mediated_device_whatever_address_its_parent_has(claimed, xml, request_name):
    assert claimed("hostDevices", (request_name, "")) == xml(f"""
        <hostdev type="mdev" mode="subsystem" model="vfio-pci">
          <source><address uuid="{UUID}"/></source>
          <alias name="ua-dra-hostdevice-{request_name}"/>
        </hostdev>
    """)


def test_in_older_releases_the_pci_address_wins_and_pci_devices_come_first(claimed):
    shown = claimed("gpus", ("slice", ""), ("both", ""), release=find_release("v1.7.4"))
    assert [part.split('"')[0] for part in shown.split('alias name="ua-')[1:]] == ["dra-gpu-both", "dra-gpu-slice"]
    assert shown.count('type="pci" managed="no"') + shown.count('managed="no" type="pci"') == 1


def test_mediated_host_devices_of_s390x_are_crypto_adapters(claimed):
    assert 'model="vfio-ap"' in claimed("hostDevices", ("slice", ""), architecture="s390x")
    assert 'model="vfio-pci"' in claimed("gpus", ("slice", ""), architecture="s390x")
    older = find_release("v1.7.4")
    assert 'model="vfio-pci"' in claimed("hostDevices", ("slice", ""), architecture="s390x", release=older)


@pytest.mark.parametrize(
    ("rest", "attributes"),
    [
        ("", ["display", "ramfb"]),
        (", virtualGPUOptions: {display: {}}", ["display", "ramfb"]),
        (", virtualGPUOptions: {display: {enabled: false}}", []),
        (", virtualGPUOptions: {display: {ramFB: {enabled: false}}}", ["display"]),
    ],
)
def test_a_mediated_gpu_of_a_claim_is_a_display(claimed, rest, attributes):
    device = claimed("gpus", ("slice", rest))
    assert [name for name in ("display", "ramfb") if f'{name}="on"' in device] == attributes


def test_a_pci_gpu_of_a_claim_is_none(claimed):
    assert "display" not in claimed("gpus", ("card", ", virtualGPUOptions: {display: {enabled: true}}"))


@pytest.mark.parametrize("request_name", ["neither", "unknown"])
@pytest.mark.parametrize("family", ["gpus", "hostDevices"])
def test_a_request_that_gets_nothing_is_refused(claimed, family, request_name):
    with pytest.raises(DomainError, match=rf"spec.domain.devices.{family}\[1\].claimName"):
        claimed(family, ("card", ""), (request_name, ""))


def test_devices_of_plugins_come_before_those_of_claims(built):
    devices = "hostDevices: [{name: a, claimName: c, requestName: card}, {name: b, deviceName: v/stick}]"
    shown = built("hostdev", devices, claimed_devices={("c", "card"): CARD}, device_resources=RESOURCES)
    aliases = [part.split('"')[0] for part in shown.split('alias name="ua-')[1:]]
    assert aliases == ["usb-host-b", "dra-hostdevice-a"]


def test_sriov_interfaces_of_claims_come_last(built):
    devices = "interfaces: [{name: a, sriov: {}}, {name: b, sriov: {}}]"
    networks = (
        "networks: [{name: a, resourceClaim: {claimName: c, requestName: r}}, {name: b, multus: {networkName: x}}]"
    )
    addresses = {"a": "0000:81:01.0", "b": "0000:81:01.1"}
    shown = built("hostdev", devices, networks, sriov_addresses=addresses)
    assert [part.split('"')[0] for part in shown.split('alias name="ua-')[1:]] == ["sriov-b", "sriov-a"]


def test_sriov_interfaces(built, xml):
    devices = "interfaces: [{name: n, sriov: {}, bootOrder: 1, pciAddress: '0000:05:00.0'}]"
    networks = "networks: [{name: n, multus: {networkName: x}}]"
    assert built("hostdev", devices, networks, sriov_addresses={"n": "0000:81:01.3"}) == xml("""
        <hostdev type="pci" managed="no">
          <source><address type="pci" domain="0x0000" bus="0x81" slot="0x01" function="0x3"/></source>
          <alias name="ua-sriov-n"/>
          <boot order="1"/>
          <address type="pci" domain="0x0000" bus="0x05" slot="0x00" function="0x0"/>
        </hostdev>
    """)
