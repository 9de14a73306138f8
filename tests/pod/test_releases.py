"""What the Pod is under older releases, where no other test says it."""

import pytest
from podding import expanded, resources, spec

OLD, MIDDLE, NEW = "v1.7.4", "v1.8.4", "v1.9.0"
GPUS = """
domain: {memory: {guest: 1Gi}, devices: {gpus: [%s]}}
resourceClaims: [{name: c, resourceClaimName: c}]
"""
TDX = """
domain: {memory: {guest: 1Gi}, launchSecurity: {tdx: {}}, firmware: {bootloader: {efi: {secureBoot: false}}}}
"""
PERMITTED = "permittedHostDevices: {pciHostDevices: [{pciVendorSelector: '1:2', resourceName: x/y}]}"
REQUESTS = "{name: a, claimName: c, requestName: r}, {name: b, claimName: c, requestName: s}"


@pytest.mark.parametrize(("release", "requests"), [(OLD, ["r"]), (MIDDLE, ["r", "s"]), (NEW, ["r", "s"])])
def test_requests_to_one_claim(release, requests):
    claims = resources(GPUS % REQUESTS, release=release, gates=["GPUsWithDRA"])["claims"]
    assert [claim["request"] for claim in claims] == requests


@pytest.mark.parametrize(("release", "device"), [(MIDDLE, False), (NEW, True)])
def test_the_device_of_tdx(release, device):
    pod_spec = spec(TDX, release=release, gates=["WorkloadEncryptionTDX"])
    assert ("devices.kubevirt.io/tdx" in pod_spec["containers"][0]["resources"]["limits"]) is device
    assert pod_spec["nodeSelector"]["kubevirt.io/tdx"] == "true"


@pytest.mark.parametrize(("release", "permitted"), [(MIDDLE, True), (NEW, False)])
def test_the_gate_for_claimed_gpus_spares_all_before(release, permitted):
    result = expanded(GPUS % "{name: a, deviceName: other}", release=release, gates=["GPUsWithDRA"], config=PERMITTED)
    assert (result.pod_error is None) is permitted


def test_images_are_the_releases():
    assert spec(release=OLD)["containers"][0]["image"] == "quay.io/kubevirt/virt-launcher:v1.7.4"


def test_networks_are_read_where_the_gate_is_not_on():
    template = """
domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: f, sriov: {}}]}}
networks: [{name: f, multus: {networkName: fast}}]
"""
    objects = """
- apiVersion: k8s.cni.cncf.io/v1
  kind: NetworkAttachmentDefinition
  metadata: {name: fast, namespace: ns, annotations: {k8s.v1.cni.cncf.io/resourceName: vendor/vf}}
"""
    for release, named in ((OLD, True), (MIDDLE, True), (NEW, False)):
        assert ("vendor/vf" in resources(template, release=release, objects=objects)["limits"]) is named


def test_a_claim_in_part():
    error = expanded(GPUS % "{name: a, claimName: c}", release=OLD, gates=["GPUsWithDRA"]).pod_error
    assert "crashes" in error.message


@pytest.mark.parametrize(
    ("device", "claims"),
    [
        ("claimName: c", None),
        ("requestName: r", None),
        ("claimName: c, requestName: r", [{"name": "c", "request": "r"}]),
    ],
)
def test_a_host_device_that_names_a_claim_in_part_claims_nothing(device, claims):
    devices = GPUS.replace("gpus", "hostDevices") % f"{{name: a, {device}}}"
    assert resources(devices, release=OLD, gates=["HostDevices", "HostDevicesWithDRA"]).get("claims") == claims
