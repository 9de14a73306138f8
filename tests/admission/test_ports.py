"""The ports of an interface on the pod network."""

import pytest

from virtcatalog.kubevirt.admission.interfaces import validate_interfaces

FIRST = "spec.domain.devices.interfaces[0]"
POD, MULTUS = "{name: a, pod: {}}", "{name: a, multus: {networkName: n}}"


def spec_of(fields, network=POD):
    return f"domain.devices.interfaces: [{{name: a, {fields}}}]\nnetworks: [{network}]"


@pytest.mark.parametrize(
    ("ports", "fields"),
    [
        ("{port: 80}", []),
        ("{name: http-1, port: 80, protocol: UDP}", []),
        ("{port: 0}", ["Required [0].port"]),
        ("{port: 65536}", ["Invalid [0].port"]),
        ("{port: -1}", ["Invalid [0].port"]),
        ("{port: 80, protocol: SCTP}", ["Invalid [0].protocol"]),
        ("{port: 80, name: 80}", ["Invalid [0].name"]),
        ("{port: 80, name: a--b}", ["Invalid [0].name"]),
        ("{port: 80, name: abcdefghijklmnop}", ["Invalid [0].name"]),
        ("{port: 80, name: w}, {port: 81, name: w}", ["Duplicate [1].name"]),
        ("{port: 80}, {port: 81}", []),
    ],
)
def test_ports(causes_of, ports, fields):
    spec = f"ports: [{ports}]".replace("name: 80", "name: '80'")
    expected = [field.replace("[", f"{FIRST}.ports[") for field in fields]
    assert causes_of(validate_interfaces, spec_of(spec)) == expected
    assert causes_of(validate_interfaces, spec_of(spec, MULTUS)) == []


def test_port_ranges_need_their_gate(causes_of):
    ranges = "masquerade: {}, portRanges: [{protocol: TCP, start: 1, end: 2}]"
    assert causes_of(validate_interfaces, spec_of(ranges)) == [f"Invalid {FIRST}.name"]
    assert causes_of(validate_interfaces, spec_of(ranges), gates=["PortRangesSpec"]) == []


@pytest.mark.parametrize(
    ("ranges", "fields"),
    [
        ("{protocol: TCP, start: 1, end: 5}, {protocol: UDP, start: 1, end: 5}", []),
        ("{protocol: TCP, start: 6, end: 9}, {protocol: TCP, start: 1, end: 5}", []),
        ("{protocol: TCP, start: 5, end: 9}, {protocol: TCP, start: 1, end: 5}", [""]),
        ("{protocol: ICMP, start: 0, end: 0}", ["[0].protocol"]),
        ("{protocol: TCP, start: 0, end: 0}", ["[0].start"]),
        ("{protocol: TCP, start: 1, end: 65536}", ["[0].end"]),
        ("{protocol: TCP, start: 2, end: 1}", ["[0].start"]),
        (", ".join(f"{{protocol: TCP, start: {port}, end: {port}}}" for port in range(1, 12)), [""]),
    ],
)
def test_port_ranges(causes_of, ranges, fields):
    spec = spec_of(f"masquerade: {{}}, portRanges: [{ranges}]")
    expected = [f"Invalid {FIRST}.portRanges{field}" for field in fields]
    assert causes_of(validate_interfaces, spec, gates=["PortRangesSpec"]) == expected


def test_port_ranges_are_for_masquerade_and_instead_of_ports(causes_of):
    spec = "bridge: {}, ports: [{port: 80}], portRanges: [{protocol: TCP, start: 1, end: 2}]"
    seen = causes_of(validate_interfaces, spec_of(spec), gates=["PortRangesSpec"])
    assert seen == [f"Invalid {FIRST}.name", f"Invalid {FIRST}.name"]
    assert causes_of(validate_interfaces, spec_of(spec, MULTUS), gates=["PortRangesSpec"]) == []
