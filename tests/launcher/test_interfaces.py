"""`<interface>`: what virt-launcher attaches to networks itself."""

import pytest

from virtcatalog.releases import find_release

NETWORK = "networks: [{name: n, pod: {}}]"


def nic(text):
    return f"interfaces: [{{name: n, {text}}}]"


@pytest.mark.parametrize("binding", ["bridge: {}", "masquerade: {}"])
def test_bridge_and_masquerade_are_tap_devices(built, xml, binding):
    assert built("interface", nic(binding), NETWORK) == xml("""
        <interface type="ethernet">
          <source/>
          <model type="virtio-non-transitional"/>
          <rom enabled="no"/>
          <alias name="ua-n"/>
        </interface>
    """)


@pytest.mark.parametrize("binding", ["sriov: {}", "binding: {name: plugin}", "bridge: {}, state: absent"])
def test_other_devices_and_absent_interfaces_are_left_out(built, binding):
    assert built("interface", nic(binding), NETWORK, sriov_addresses={"n": "0000:81:01.3"}) == ""


@pytest.mark.parametrize(("attachment", "tap"), [("tap", True), ("managedTap", True), ("other", False)])
def test_plugins_say_how_they_attach(built, attachment, tap):
    shown = built("interface", nic("binding: {name: p}"), NETWORK, binding_attachments={"p": attachment})
    assert ('type="ethernet"' in shown) is tap


@pytest.mark.parametrize(
    ("text", "element"),
    [
        ("model: e1000e", '<model type="e1000e"/>'),
        ("model: virtio", '<model type="virtio-non-transitional"/>'),
        ("macAddress: '02:00:00:00:00:01'", '<mac address="02:00:00:00:00:01"/>'),
        ("acpiIndex: 7", '<acpi index="7"/>'),
        ("acpiIndex: 1", '<acpi index="1"/>'),
        ("state: down", '<link state="down"/>'),
        ("bootOrder: 2", '<boot order="2"/>'),
        (
            "pciAddress: '0000:81:01.0'",
            '<address type="pci" domain="0x0000" bus="0x81" slot="0x01" function="0x0"/>',
        ),
    ],
)
def test_what_the_vmi_says(built, xml, text, element):
    assert xml(element) in built("interface", nic("bridge: {}, " + text), NETWORK)


def test_a_link_that_is_up_is_not_mentioned(built):
    assert "link" not in built("interface", nic("bridge: {}, state: up"), NETWORK)


@pytest.mark.parametrize(
    ("release", "nic_text", "security", "shown", "absent"),
    [
        ("v1.7.4", "macAddress: '02:00:00:00:00:01', bridge: {}", "", [], ["<mac"]),
        ("v1.7.4", "state: down, passtBinding: {}", "", ["<link"], []),
        ("v1.9.0", "state: down, passtBinding: {}", "", [], ["<link"]),
        ("v1.7.4", "passtBinding: {}", "{sev: {}}", ["<rom"], []),
        ("v1.9.0", "passtBinding: {}", "{sev: {}}", [], ["<rom"]),
        ("v1.9.0", "passtBinding: {}, bootOrder: 1", "{}", [], ["<boot", "<rom"]),
    ],
)
def test_what_is_said_of_a_card_by_release_and_binding(built, release, nic_text, security, shown, absent):
    spec = f"{NETWORK}\ndomain.launchSecurity: {security or '{}'}"
    card = built("interface", nic(nic_text), spec, release=find_release(release))
    assert [tag for tag in (*shown, *absent) if tag in card] == shown


@pytest.mark.parametrize(
    ("text", "security", "architecture", "rom"),
    [
        ("bridge: {}", "", "amd64", True),
        ("bridge: {}, bootOrder: 1", "", "amd64", False),
        ("bridge: {}, bootOrder: 1", "domain.launchSecurity: {sev: {}}", "amd64", True),
        ("bridge: {}", "", "arm64", True),
        ("bridge: {}", "", "s390x", False),
    ],
)
def test_boot_roms_are_off_unless_booted_from(built, text, security, architecture, rom):
    shown = built("interface", nic(text), f"{NETWORK}\n{security}", architecture=architecture)
    assert ('<rom enabled="no">' in shown) is rom


@pytest.mark.parametrize(
    ("options", "cpus", "driver"),
    [
        ("", 4, ""),
        ("networkInterfaceMultiqueue: true", 4, '<driver name="vhost" queues="4"/>'),
        ("networkInterfaceMultiqueue: true", 300, '<driver name="vhost" queues="256"/>'),
        ("networkInterfaceMultiqueue: false", 4, ""),
    ],
)
def test_multi_queue_gives_a_queue_a_vcpu_up_to_256(built, xml, options, cpus, driver):
    shown = built("interface", nic("bridge: {}") + "\n" + options, f"{NETWORK}\ndomain.cpu: {{cores: {cpus}}}")
    assert ("driver" in shown) is bool(driver)
    assert xml(driver) in shown


def test_only_virtio_has_queues(built):
    devices = nic("bridge: {}, model: e1000") + "\nnetworkInterfaceMultiqueue: true"
    assert "driver" not in built("interface", devices, NETWORK)


def test_confidential_guests_reach_virtio_through_an_iommu(built, xml):
    shown = built("interface", nic("bridge: {}"), f"{NETWORK}\ndomain.launchSecurity: {{sev: {{}}}}")
    assert xml('<driver name="vhost" iommu="on"/>') in shown


def test_passt_takes_the_pods_interface(built, xml):
    assert built("interface", nic("passtBinding: {}"), NETWORK) == xml("""
        <interface type="vhostuser">
          <source dev="eth0"/>
          <backend type="passt" logFile="/var/run/kubevirt/passt.log"/>
          <portForward proto="tcp"/>
          <portForward proto="udp"/>
          <model type="virtio-non-transitional"/>
          <alias name="ua-n"/>
        </interface>
    """)


@pytest.mark.parametrize(
    ("ports", "forwards"),
    [
        ("[{port: 80}]", '<portForward proto="tcp"><range start="80"/></portForward>'),
        ("[{port: 53, protocol: UDP}]", '<portForward proto="udp"><range start="53"/></portForward>'),
        (
            "[{port: 53, protocol: udp}, {port: 80, protocol: TCP}]",
            (
                '<portForward proto="tcp"><range start="80"/></portForward>'
                '<portForward proto="udp"><range start="53"/></portForward>'
            ),
        ),
        ("[{port: 0}, {port: -1}]", '<portForward proto="tcp"><range start="0"/></portForward>'),
        ("[{port: 9, protocol: SCTP}]", '<portForward proto="tcp"/><portForward proto="udp"/>'),
    ],
)
def test_passt_forwards_the_listed_ports(built, xml, ports, forwards):
    shown = built("interface", nic(f"passtBinding: {{}}, ports: {ports}"), NETWORK)
    assert xml(forwards) + "<model" in shown
    assert shown.count("<portForward") == forwards.count("<portForward")


def test_passt_leaves_istios_ports_to_istio(built, xml):
    shown = built("interface", nic("passtBinding: {}"), NETWORK, annotations={"sidecar.istio.io/inject": "True"})
    ports = (15000, 15001, 15004, 15006, 15008, 15009, 15020, 15021, 15053)
    ranges = "".join(f'<range start="{port}" exclude="yes"/>' for port in ports)
    assert xml(f'<portForward proto="tcp">{ranges}</portForward>') in shown
    assert "udp" not in shown
