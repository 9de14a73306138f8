"""Interface bindings and the networks that they work on."""

import pytest

from virtcatalog.kubevirt.admission.bindings import (
    validate_bindings,
    validate_discontinued_bindings,
    validate_discontinued_feature_gates,
)
from virtcatalog.releases import RELEASES

FIRST = "spec.domain.devices.interfaces[0]"
POD, MULTUS = "{name: a, pod: {}}", "{name: a, multus: {networkName: n}}"


def spec_of(interface, network=POD):
    return f"domain.devices.interfaces: [{{name: a, {interface}}}]\nnetworks: [{network}]"


@pytest.mark.parametrize(
    ("interface", "network", "expected"),
    [
        ("bridge: {}", POD, []),
        ("masquerade: {}", POD, []),
        ("sriov: {}", MULTUS, []),
        ("binding: {name: plugin}", MULTUS, []),
        ("", POD, [f"Invalid {FIRST}"]),
        ("slirp: {}", POD, [f"Invalid {FIRST}"]),
        ("bridge: {}, masquerade: {}", POD, [f"Invalid {FIRST}"]),
        ("bridge: {}, sriov: {}", MULTUS, [f"Invalid {FIRST}"]),
        ("bridge: {}, passtBinding: {}", POD, [f"Invalid {FIRST}"]),
        ("bridge: {}, binding: {name: plugin}", POD, [f"Invalid {FIRST}"]),
        ("masquerade: {}", MULTUS, [f"Invalid {FIRST}.name"]),
        ("masquerade: {}, macAddress: '02:00:00:00:00:00'", POD, [f"Invalid {FIRST}.macAddress"]),
        ("bridge: {}, macAddress: '02:00:00:00:00:00'", POD, []),
    ],
)
def test_binding(causes_of, interface, network, expected):
    assert causes_of(validate_bindings, spec_of(interface, network)) == expected


@pytest.mark.parametrize("release", ["v1.7.4", "v1.8.4"])
@pytest.mark.parametrize(
    ("interface", "expected"),
    [
        ("", []),
        ("bridge: {}", []),
        ("binding: {name: plugin}", []),
        ("bridge: {}, binding: {name: plugin}", [f"Invalid {FIRST}.binding"]),
    ],
)
def test_older_releases_refuse_a_plugin_beside_a_method_alone(causes_of, release, interface, expected):
    assert causes_of(validate_bindings, spec_of(interface), release=RELEASES[release]) == expected


def test_the_cluster_can_forbid_bridge_on_the_pod_network(causes_of):
    config = "network: {permitBridgeInterfaceOnPodNetwork: false}"
    assert causes_of(validate_bindings, spec_of("bridge: {}"), config) == [f"Invalid {FIRST}.name"]
    assert causes_of(validate_bindings, spec_of("bridge: {}", MULTUS), config) == []


@pytest.mark.parametrize(
    ("network", "off", "expected"),
    [
        (POD, "[]", []),
        (POD, "[PasstBinding]", [f"Invalid {FIRST}.name"]),
        (MULTUS, "[]", [f"Invalid {FIRST}.name"]),
        (MULTUS, "[PasstBinding]", [f"Invalid {FIRST}.name", f"Invalid {FIRST}.name"]),
    ],
)
def test_passt_is_for_the_pod_network(causes_of, network, off, expected):
    config = f"developerConfiguration: {{disabledFeatureGates: {off}}}"
    assert causes_of(validate_bindings, spec_of("passtBinding: {}", network), config) == expected


@pytest.mark.parametrize("binding", ["slirp", "passt", "macvtap"])
def test_old_bindings_are_gone(causes_of, binding):
    assert causes_of(validate_discontinued_bindings, spec_of(f"{binding}: {{}}")) == [f"Invalid {FIRST}.{binding}"]
    assert causes_of(validate_discontinued_bindings, spec_of("bridge: {}")) == []


@pytest.mark.parametrize(
    ("gates", "expected"), [([], []), (["Macvtap"], ["NotSupported "]), (["Passt"], []), (["Sidecar"], [])]
)
def test_so_are_their_gates(causes_of, gates, expected):
    assert causes_of(validate_discontinued_feature_gates, spec_of("macvtap: {}"), gates=gates) == expected


@pytest.mark.parametrize(
    ("interface", "network", "gates", "count"),
    [
        ("macvtap: {}", MULTUS, ["Macvtap"], 0),
        ("macvtap: {}", POD, ["Macvtap"], 1),
        ("macvtap: {}", "{name: b, multus: {networkName: n}}", ["Macvtap"], 1),
        ("macvtap: {}", POD, ["Passt"], 2),
        ("passt: {}", POD, ["Passt"], 0),
        ("passt: {}", MULTUS, ["Passt"], 1),
        ("passt: {}", MULTUS, ["Macvtap"], 2),
        ("passt: {}", f"{MULTUS}, {POD}", ["Passt"], 0),
    ],
)
def test_the_oldest_release_has_macvtap_and_passt_behind_gates(causes_of, interface, network, gates, count):
    causes = causes_of(validate_bindings, spec_of(interface, network), gates=gates, release=RELEASES["v1.7.4"])
    assert causes == [f"Invalid {FIRST}.name"] * count


@pytest.mark.parametrize("binding", ["slirp", "passt", "macvtap"])
def test_the_oldest_release_counts_old_bindings_beside_a_plugin(causes_of, binding):
    spec = spec_of(f"{binding}: {{}}, binding: {{name: plugin}}", POD if binding == "passt" else MULTUS)
    causes = causes_of(validate_bindings, spec, gates=["Passt", "Macvtap"], release=RELEASES["v1.7.4"])
    assert causes == [f"Invalid {FIRST}.binding"]


@pytest.mark.parametrize(("binding", "causes"), [("slirp", [f"Invalid {FIRST}.slirp"]), ("passt", []), ("macvtap", [])])
def test_the_oldest_release_has_lost_slirp_alone(causes_of, binding, causes):
    spec = spec_of(f"{binding}: {{}}")
    assert causes_of(validate_discontinued_bindings, spec, release=RELEASES["v1.7.4"]) == causes
