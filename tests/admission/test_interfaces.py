"""The fields of an interface."""

import pytest

from virtcatalog.kubevirt.admission.interfaces import validate_interface_states, validate_interfaces
from virtcatalog.releases import RELEASES

FIRST = "spec.domain.devices.interfaces[0]"
POD, MULTUS = "{name: a, pod: {}}", "{name: a, multus: {networkName: n}}"


def spec_of(fields, network=POD, name="a"):
    return f"domain.devices.interfaces: [{{name: '{name}', {fields}}}]\nnetworks: [{network}]"


@pytest.mark.parametrize(("name", "right"), [("eth-0_X", True), ("", False), ("a.b", False), ("ä", False)])
def test_name(causes_of, name, right):
    assert causes_of(validate_interfaces, spec_of("", name=name)) == ([] if right else [f"Invalid {FIRST}.name"])


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("model: e1000e", []),
        ("model: vmxnet3", [f"NotSupported {FIRST}.model"]),
        ("macAddress: de:ad:00:00:BE:af", []),
        ("macAddress: DE-AD-00-00-BE-AF", []),
        ("macAddress: dead.0000.beaf", []),
        ("macAddress: dead0000BEaf", []),
        ("macAddress: dead0000BEa", [f"Invalid {FIRST}.macAddress"]),
        ("macAddress: de:ad:00:00:be", [f"Invalid {FIRST}.macAddress"]),
        ("macAddress: de:ad-00:00:be:af", [f"Invalid {FIRST}.macAddress"]),
        ("macAddress: de:ad:00:00:be:af:00:00", [f"Invalid {FIRST}.macAddress"]),
        ("pciAddress: '0000:81:01.0'", []),
        ("pciAddress: '81:01.0'", [f"Invalid {FIRST}.pciAddress"]),
        ("dhcpOptions: {ntpServers: [10.0.0.1, '::ffff:10.0.0.1']}", []),
        ("dhcpOptions: {ntpServers: [10.0.0.1, fd00::1]}", [f"Invalid {FIRST}.dhcpOptions.ntpServers[1]"]),
        ("dhcpOptions: {ntpServers: [10.0.0.01]}", [f"Invalid {FIRST}.dhcpOptions.ntpServers[0]"]),
        ("dhcpOptions: {privateOptions: [{option: 224, value: a}, {option: 254, value: b}]}", []),
        ("dhcpOptions: {privateOptions: [{option: 255, value: a}]}", ["Invalid spec"]),
        ("dhcpOptions: {privateOptions: [{option: 240, value: a}, {option: 240, value: b}]}", ["Invalid spec"]),
    ],
)
def test_fields(causes_of, fields, expected):
    assert causes_of(validate_interfaces, spec_of(fields)) == expected


@pytest.mark.parametrize("release", ["v1.7.4", "v1.8.4"])
def test_older_releases_want_separators_in_a_mac_address(causes_of, release):
    causes = causes_of(validate_interfaces, spec_of("macAddress: dead0000beaf"), release=RELEASES[release])
    assert causes == [f"Invalid {FIRST}.macAddress"]


@pytest.mark.parametrize(
    ("fields", "network", "expected"),
    [
        ("bridge: {}, state: up", POD, []),
        ("bridge: {}, state: absent", MULTUS, []),
        ("bridge: {}, state: gone", POD, [f"Invalid {FIRST}.state"]),
        ("sriov: {}, state: down", MULTUS, [f"Invalid {FIRST}.state"]),
        ("masquerade: {}, state: absent", POD, [f"Invalid {FIRST}.state", f"Invalid {FIRST}.state"]),
        ("bridge: {}, state: absent", POD, [f"Invalid {FIRST}.state"]),
        ("bridge: {}, state: absent", "{name: a, multus: {networkName: n, default: true}}", [f"Invalid {FIRST}.state"]),
        ("sriov: {}, state: absent", MULTUS, [f"Invalid {FIRST}.state"]),
    ],
)
def test_state(causes_of, fields, network, expected):
    assert causes_of(validate_interface_states, spec_of(fields, network)) == expected
