"""Network phase 2: what interfaces learn of the pod's links."""

import re

import pytest
from fragments import make_context, make_vmi, parts

from virtcatalog.errors import Warning
from virtcatalog.kubevirt.hosts import PodLinks
from virtcatalog.kubevirt.launcher.builder import convert
from virtcatalog.kubevirt.launcher.errors import LauncherCrashError
from virtcatalog.kubevirt.launcher.launch.network import network_faults
from virtcatalog.kubevirt.launcher.launch.sync import launch, launch_warnings
from virtcatalog.releases import find_release


@pytest.fixture
def attached(xml):
    """The XML of a VMI's interfaces after network phase 2."""

    def attach(nics, networks, **changes):
        vmi = make_vmi(f"domain.devices: {{interfaces: [{nics}]}}\nnetworks: [{networks}]")
        context = make_context(**changes)
        domain = convert(vmi, context)
        launch(domain, vmi, context)
        return xml(domain.devices.findall("interface"))

    return attach


@pytest.mark.parametrize("binding", ["bridge", "masquerade"])
def test_a_tap_interface_gets_the_pods_tap_and_the_mac_and_mtu_of_its_link(attached, xml, binding):
    assert attached(f"{{name: n, {binding}: {{}}}}", "{name: n, pod: {}}") == xml("""
        <interface type="ethernet">
          <mac address="02:00:00:00:00:01"/>
          <source/>
          <target dev="tap0" managed="no"/>
          <model type="virtio-non-transitional"/>
          <mtu size="1500"/>
          <rom enabled="no"/>
          <alias name="ua-n"/>
        </interface>
    """)


def test_what_the_converter_wrote_stays_around_it(attached, xml):
    shown = attached("{name: n, bridge: {}, state: down, bootOrder: 1, model: e1000e}", "{name: n, pod: {}}")
    assert shown == xml("""
        <interface type="ethernet">
          <mac address="02:00:00:00:00:01"/>
          <source/>
          <target dev="tap0" managed="no"/>
          <model type="e1000e"/>
          <link state="down"/>
          <mtu size="1500"/>
          <boot order="1"/>
          <alias name="ua-n"/>
        </interface>
    """)


@pytest.mark.parametrize("mac", ["02:00:5E:10:00:0A", "02-00-5e-10-00-0a", "0200.5e10.000a"])
def test_the_vmis_own_mac_is_printed_as_linux_prints_it(attached, mac):
    shown = attached(f"{{name: n, bridge: {{}}, macAddress: '{mac}'}}", "{name: n, pod: {}}")
    assert '<mac address="02:00:5e:10:00:0a">' in shown
    assert shown.count("<mac ") == 1


def test_the_mac_of_an_interface_without_a_tap_stays_as_it_is_written(attached):
    shown = attached("{name: n, passtBinding: {}, macAddress: '02-00-5E-10-00-0A'}", "{name: n, pod: {}}")
    assert '<mac address="02-00-5E-10-00-0A">' in shown


def test_links_are_numbered_as_the_networks_are(attached):
    shown = attached(
        "{name: b, bridge: {}}, {name: a, bridge: {}}",
        "{name: a, pod: {}}, {name: unused, pod: {}}, {name: b, multus: {networkName: net}}",
    )
    b, a = shown.split("</interface>")[:2]
    assert "02:00:00:00:00:03" in b
    assert "02:00:00:00:00:01" in a


def test_the_host_profile_tells_mac_and_mtu(attached):
    networks = ", ".join(f"{{name: n{number}, multus: {{networkName: x}}}}" for number in range(1, 301))
    shown = attached("{name: n300, bridge: {}}", networks, pod_links=PodLinks(mac_prefix="0a:58:0a:f4", mtu=8900))
    assert '<mac address="0a:58:0a:f4:01:2c">' in shown
    assert '<mtu size="8900">' in shown


@pytest.mark.parametrize(
    ("network", "attachment", "target"),
    [
        ("pod: {}", "managedTap", "tap0"),
        ("multus: {networkName: x, default: true}", "managedTap", "tap0"),
        ("multus: {networkName: x}", "managedTap", "tap1b16b1df538"),
        ("pod: {}", "tap", "eth0"),
        ("multus: {networkName: x, default: true}", "tap", "eth0"),
        ("multus: {networkName: x}", "tap", "pod1b16b1df538"),
    ],
)
def test_the_target_is_the_tap_or_where_a_plugin_made_the_link_one_the_link(attached, network, attachment, target):
    shown = attached("{name: n, binding: {name: p}}", f"{{name: n, {network}}}", binding_attachments={"p": attachment})
    assert f'<target dev="{target}" managed="no">' in shown


@pytest.mark.parametrize("nics", ["{name: n, passtBinding: {}}", "{name: n, bridge: {}, state: absent}"])
def test_interfaces_without_a_tap_stay_as_they_are(attached, xml, nics):
    vmi = make_vmi(f"domain.devices: {{interfaces: [{nics}]}}\nnetworks: [{{name: n, pod: {{}}}}]")
    assert attached(nics, "{name: n, pod: {}}") == xml(parts("interface", vmi))


@pytest.mark.parametrize("release", ["v1.7.4", "v1.8.4"])
def test_an_interface_without_a_binding_crashes_older_releases(attached, release):
    networks = "{name: a, pod: {}}, {name: n, multus: {networkName: x}}"
    with pytest.raises(LauncherCrashError, match=re.escape("spec.domain.devices.interfaces[1]")):
        attached("{name: a, bridge: {}}, {name: n}", networks, release=find_release(release))
    attached("{name: a, bridge: {}}, {name: n}", networks)


@pytest.mark.parametrize(
    "rest", ["state: absent", "sriov: {}", "passtBinding: {}", "binding: {name: p}", "masquerade: {}"]
)
def test_other_interfaces_do_not(attached, rest):
    addresses = {"n": "0000:81:01.0"}
    attached(f"{{name: n, {rest}}}", "{name: n, pod: {}}", release=find_release("v1.8.4"), sriov_addresses=addresses)


def _spec(nic, pod):
    return f"domain.devices: {{interfaces: [{{name: n, {nic}}}]}}\nnetworks: [{{name: n, pod: {{{pod}}}}}]"


@pytest.mark.parametrize(
    ("pod", "field", "wrong"),
    [
        ("vmNetworkCIDR: 10.1.0.0/31", "vmNetworkCIDR", "'10.1.0.0/31' has fewer than four addresses"),
        ("vmNetworkCIDR: 10.1.0.0", "vmNetworkCIDR", "'10.1.0.0' is no network, such as 10.0.2.0/24"),
        ("vmIPv6NetworkCIDR: 'fd10::/127'", "vmIPv6NetworkCIDR", "'fd10::/127' has fewer than four addresses"),
    ],
)
def test_a_network_of_masquerade_without_room_for_gateway_and_guest_is_warned_of(pod, field, wrong):
    vmi = make_vmi(_spec("masquerade: {}", pod))
    condition = ", in a cluster with IPv6" if "v6" in field else ""
    message = f"{wrong}: virt-handler cannot set up the pod's network, and the machine never starts{condition}"
    assert launch_warnings(vmi, convert(vmi, make_context())) == [
        Warning("Refused", f"spec.template.spec.networks[0].pod.{field}", message)
    ]


@pytest.mark.parametrize(
    ("nic", "pod"),
    [
        ("masquerade: {}", ""),
        ("masquerade: {}", "vmNetworkCIDR: 10.1.0.0/30, vmIPv6NetworkCIDR: 'fd10::/126'"),
        ("bridge: {}", "vmNetworkCIDR: 10.1.0.0/32"),
    ],
)
def test_other_networks_are_not(nic, pod):
    spec = make_vmi(_spec(nic, pod)).spec
    assert list(network_faults(spec.domain.devices.interfaces, spec.networks)) == []
