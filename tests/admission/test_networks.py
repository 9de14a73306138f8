"""Networks, and how they pair with interfaces."""

import pytest

from virtcatalog.kubevirt.admission.networks import validate_networks

IFACES = "spec.domain.devices.interfaces"
POD = "{name: p, pod: {}}"
MULTUS = "{name: m, multus: {networkName: n}}"
DEFAULT = "{name: d, multus: {networkName: n, default: true}}"


def spec_of(*networks, binding="sriov", **more):
    """Write a spec with these networks and an interface, of this binding, for each."""
    names = [network.split("name: ")[1].split(",")[0].rstrip("}") for network in networks]
    interfaces = ", ".join(f"{{name: {name}, {binding}: {{}}}}" for name in dict.fromkeys(names))
    lines = [f"{key}: {value}" for key, value in more.items()]
    return "\n".join([f"networks: [{', '.join(networks)}]", f"domain.devices.interfaces: [{interfaces}]", *lines])


@pytest.mark.parametrize(
    ("networks", "expected"),
    [
        ([POD], []),
        ([POD, MULTUS], []),
        ([DEFAULT, MULTUS], []),
        ([POD, "{name: q, pod: {}}"], ["Duplicate spec.interfaces"]),
        ([DEFAULT, "{name: e, multus: {networkName: n, default: true}}"], ["Invalid spec.networks"]),
        ([POD, DEFAULT], ["Invalid spec.networks"]),
        (["{name: a}"], ["Required spec.networks[0]"]),
        (["{name: a, pod: {}, multus: {networkName: n}}"], ["Required spec.networks[0]"]),
        (
            [POD, "{name: a, multus: {networkName: ''}}", "{name: b, multus: {networkName: ''}}"],
            ["Required spec.networks[1]"],
        ),
        (
            ["{name: a, multus: {networkName: ''}}", "{name: b, multus: {networkName: ''}}"],
            ["Required spec.networks[0]"],
        ),
        ([MULTUS, MULTUS], ["Duplicate spec.networks[1].name"]),
    ],
)
def test_sources(causes_of, networks, expected):
    assert causes_of(validate_networks, spec_of(*networks)) == expected


def test_every_network_has_an_interface_and_every_interface_a_network(causes_of):
    seen = causes_of(
        validate_networks,
        """
        networks: [{name: a, pod: {}}, {name: b, multus: {networkName: n}}]
        domain.devices.interfaces: [{name: c, sriov: {}}, {name: a, bridge: {}}, {name: a, bridge: {}}]
        """,
    )
    assert seen == ["Required spec.networks[1].name", f"Duplicate {IFACES}[2].name", f"Invalid {IFACES}[0].name"]


def test_resource_claim_networks_need_their_gate(causes_of):
    spec = spec_of("{name: a, resourceClaim: {claimName: c, requestName: r}}")
    off = "developerConfiguration.disabledFeatureGates: [NetworkDevicesWithDRA]"
    assert causes_of(validate_networks, spec, off) == ["Invalid spec.networks"]


@pytest.mark.parametrize(
    ("networks", "binding", "expected"),
    [
        (["{name: a, resourceClaim: {claimName: c, requestName: r}}"], "sriov", []),
        (["{name: a, resourceClaim: {claimName: c, requestName: r}}"], "bridge", [f"Invalid {IFACES}"]),
        (["{name: a, resourceClaim: {claimName: c, requestName: r}}", MULTUS], "sriov", ["Invalid spec.networks"]),
        (
            ["{name: a, resourceClaim: {}}"],
            "sriov",
            [
                "Required spec.networks[0].resourceClaim.claimName",
                "Required spec.networks[0].resourceClaim.requestName",
            ],
        ),
        (
            ["{name: a, resourceClaim: {claimName: other, requestName: r}}"],
            "sriov",
            ["NotFound spec.networks[0].resourceClaim.claimName"],
        ),
        (
            [
                "{name: a, resourceClaim: {claimName: c, requestName: r}}",
                "{name: b, resourceClaim: {claimName: c, requestName: r}}",
            ],
            "sriov",
            ["Duplicate spec.networks[1]"],
        ),
        (
            [POD, "{name: a, resourceClaim: {claimName: other, requestName: r}}"],
            "sriov",
            ["NotFound spec.networks[1].resourceClaim.claimName"],
        ),
    ],
)
def test_resource_claim_networks(causes_of, networks, binding, expected):
    spec = spec_of(*networks, binding=binding, resourceClaims="[{name: c, resourceClaimName: x}]")
    assert causes_of(validate_networks, spec, gates=["NetworkDevicesWithDRA"]) == expected
