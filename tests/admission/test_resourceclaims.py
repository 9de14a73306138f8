"""Resource claims (DRA) and the devices that come from them."""

import pytest

from virtcatalog.kubevirt.admission.resourceclaims import validate_resource_claims
from virtcatalog.releases import RELEASES

GATES = ["GPUsWithDRA", "HostDevicesWithDRA", "NetworkDevicesWithDRA"]
DEVICES = "spec.domain.devices"
CLAIM = "{name: c, resourceClaimName: x}"


@pytest.mark.parametrize(
    ("claims", "fields"),
    [
        (CLAIM, []),
        ("{name: c, resourceClaimTemplateName: x.y}", []),
        ("{name: '', resourceClaimName: x}", ["Required [0].name"]),
        ("{name: C, resourceClaimName: x}", ["Invalid [0].name"]),
        (f"{CLAIM}, {CLAIM}", ["Duplicate [1].name"]),
        ("{name: c}", ["Invalid [0]"]),
        ("{name: c, resourceClaimName: x, resourceClaimTemplateName: y}", ["Invalid [0]"]),
        ("{name: c, resourceClaimName: X}", ["Invalid [0].resourceClaimName"]),
        ("{name: c, resourceClaimTemplateName: ''}", ["Invalid [0].resourceClaimTemplateName"]),
    ],
)
def test_claims(causes_of, claims, fields):
    expected = [field.replace("[", "spec.resourceClaims[") for field in fields]
    assert causes_of(validate_resource_claims, f"resourceClaims: [{claims}]") == expected


@pytest.mark.parametrize(
    ("claims", "fields"),
    [
        ("{name: C}, {name: ''}", []),
        (f"{CLAIM}, {{name: d}}, {CLAIM}, {CLAIM}", ["Duplicate [2].name", "Duplicate [3].name"]),
    ],
)
def test_older_releases_take_each_name_once(causes_of, claims, fields):
    expected = [field.replace("[", "spec.resourceClaims[") for field in fields]
    seen = causes_of(validate_resource_claims, f"resourceClaims: [{claims}]", gates=GATES, release=RELEASES["v1.8.4"])
    assert seen == expected


@pytest.mark.parametrize("kind", ["gpus", "hostDevices"])
@pytest.mark.parametrize(
    ("devices", "fields"),
    [
        ("{name: a, deviceName: d}", []),
        ("{name: a, claimName: c, requestName: r}", []),
        ("{name: a}", ["Required "]),
        ("{name: a, deviceName: d, claimName: c}", ["Invalid "]),
        ("{name: a, claimName: c}", ["Required [0].requestName"]),
        ("{name: a, requestName: r}", ["Required [0].claimName"]),
        ("{name: a, claimName: c, requestName: r}, {name: b, claimName: c, requestName: r}", ["Duplicate [1]"]),
        ("{name: a, claimName: c, requestName: r}, {name: b, claimName: c, requestName: s}", []),
    ],
)
def test_devices(causes_of, kind, devices, fields):
    spec = f"resourceClaims: [{CLAIM}]\ndomain.devices.{kind}: [{devices}]"
    expected = [field.replace(" ", f" {DEVICES}.{kind}") for field in fields]
    assert causes_of(validate_resource_claims, spec, gates=GATES) == expected


def test_claimed_devices_need_their_gates(causes_of):
    spec = "domain.devices.%s: [{name: a, claimName: c, requestName: r}]"
    off = f"developerConfiguration.disabledFeatureGates: [{', '.join(GATES)}]"
    for kind in ("gpus", "hostDevices"):
        assert causes_of(validate_resource_claims, spec % kind, off) == [f"Invalid {DEVICES}.{kind}"]


def test_gpus_are_not_mixed_and_host_devices_may_be(causes_of):
    devices = "[{name: a, deviceName: d}, {name: b, claimName: c, requestName: r}]"
    for kind, expected in (("gpus", [f"Invalid {DEVICES}.gpus"]), ("hostDevices", [])):
        spec = f"resourceClaims: [{CLAIM}]\ndomain.devices.{kind}: {devices}"
        assert causes_of(validate_resource_claims, spec, gates=GATES) == expected


def test_a_request_is_used_once_and_its_claim_is_listed(causes_of):
    seen = causes_of(
        validate_resource_claims,
        """
        domain.devices:
          gpus: [{name: a, claimName: c, requestName: r}]
          hostDevices: [{name: b, claimName: c, requestName: r}]
        networks:
        - {name: n, resourceClaim: {claimName: c, requestName: r}}
        - {name: m, resourceClaim: {claimName: c, requestName: r}}
        """,
        gates=GATES,
    )
    assert seen == [f"Duplicate {DEVICES}.hostDevices[0]", "Duplicate spec.networks[0]", "Invalid spec.resourceClaims"]


@pytest.mark.parametrize(
    ("devices", "expected"),
    [
        ("gpus: [{name: a, deviceName: d}]", []),
        ("gpus: [{name: a, claimName: c, requestName: r}]", []),
        ("gpus: [{name: a, deviceName: d}, {name: b, claimName: c, requestName: r}]", []),
        ("gpus: [{name: a}]", ["Invalid spec.spec.domain.devices.gpus"]),
        ("gpus: [{name: a, deviceName: d, claimName: c}]", ["Invalid spec.spec.domain.devices.gpus"]),
        ("gpus: [{name: a, deviceName: d, requestName: r}]", ["Invalid spec.spec.domain.devices.gpus"]),
        ("gpus: [{name: a, claimName: z, requestName: r}]", ["Invalid spec.resourceClaims"]),
        ("hostDevices: [{name: a}]", []),
    ],
)
def test_the_oldest_release_looks_at_gpus_alone(causes_of, devices, expected):
    spec = f"resourceClaims: [{CLAIM}]\ndomain.devices: {{{devices}}}"
    assert causes_of(validate_resource_claims, spec, gates=GATES, release=RELEASES["v1.7.4"]) == expected


def test_gpus_from_claims_need_their_gate_in_the_oldest_release_too(causes_of):
    spec = "resourceClaims: [%s]\ndomain.devices.gpus: [{name: a, %s}]"
    for gpu, expected in (
        ("claimName: c, requestName: r", ["Invalid spec.spec.domain.devices.gpus"]),
        ("deviceName: d", []),
    ):
        assert causes_of(validate_resource_claims, spec % (CLAIM, gpu), release=RELEASES["v1.7.4"]) == expected


def test_the_oldest_release_crashes_on_a_request_of_no_claim(messages):
    spec = "domain.devices.gpus: [{name: a, requestName: r}, {name: b, claimName: c, requestName: r}]"
    field = "spec.spec.domain.devices.gpus"
    sentences = messages(validate_resource_claims, spec, gates=GATES, release=RELEASES["v1.7.4"])
    assert sentences == [f"{field}: 'a' has no claimName, on which KubeVirt fails"]
