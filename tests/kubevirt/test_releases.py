"""The releases that are modelled, and how one of them is chosen."""

import pytest
from reading import read

from virtcatalog import Cluster
from virtcatalog.errors import ManifestError, UnsupportedError
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.releases import DEFAULT, RELEASES, Stage, check_oldest, find_release


def observed(version):
    return read(f"""
        apiVersion: kubevirt.io/v1
        kind: KubeVirt
        metadata: {{name: kubevirt, namespace: kubevirt}}
        status: {{observedKubeVirtVersion: {version}}}
        """)


def test_releases_come_by_name_the_oldest_first():
    assert list(RELEASES) == ["v1.7.4", "v1.8.4", "v1.9.0"]
    assert [release.minor for release in RELEASES.values()] == [(1, 7), (1, 8), (1, 9)]
    assert str(DEFAULT) == "v1.9.0"


@pytest.mark.parametrize("name", ["v1.8.4", "v1.8.2", "v1.8", "v1.8.0-rc.1", "v1.8.2-33-gd8a1b2c3"])
def test_a_patch_release_up_to_the_one_that_is_modelled_is_that_one(name):
    assert find_release(name) is RELEASES["v1.8.4"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("v1.6.0", "KubeVirt 'v1.6.0' is not modelled; known are v1.7.4, v1.8.4, v1.9.0"),
        ("1.8.4", "KubeVirt '1.8.4' is not modelled; known are v1.7.4, v1.8.4, v1.9.0; did you mean v1.8.4?"),
        (
            "v1.8.4.1",
            "KubeVirt 'v1.8.4.1' is not modelled; known are v1.7.4, v1.8.4, v1.9.0; previews are release-1.8, main",
        ),
        ("v1.8.5", "KubeVirt 'v1.8.5' is not modelled; known are v1.7.4, v1.8.4, v1.9.0; did you mean v1.8.4?"),
        ("v1.8.44", "KubeVirt 'v1.8.44' is not modelled; known are v1.7.4, v1.8.4, v1.9.0; did you mean v1.8.4?"),
        ("v2.8.4", "KubeVirt 'v2.8.4' is not modelled; known are v1.7.4, v1.8.4, v1.9.0"),
        (
            "v1.\u0668",
            "KubeVirt 'v1.\u0668' is not modelled; known are v1.7.4, v1.8.4, v1.9.0; previews are release-1.8, main",
        ),
        (
            "v1.8.4\n",
            "KubeVirt 'v1.8.4\\n' is not modelled; known are v1.7.4, v1.8.4, v1.9.0; previews are release-1.8, main",
        ),
        pytest.param(
            "v1." + "8" * 5000,
            f"KubeVirt 'v1.{'8' * 5000}' is not modelled; known are v1.7.4, v1.8.4, v1.9.0; "
            "previews are release-1.8, main",
            id="long",
        ),
        (
            "latest",
            "KubeVirt 'latest' is not modelled; known are v1.7.4, v1.8.4, v1.9.0; previews are release-1.8, main",
        ),
    ],
)
def test_other_names_are_refused_with_the_known_ones(name, message):
    with pytest.raises(UnsupportedError) as raised:
        find_release(name)
    assert (raised.value.field, raised.value.message) == ("release", message)


@pytest.mark.parametrize(
    ("gate", "stages"),
    [
        ("VideoConfig", (Stage.BETA, Stage.BETA, Stage.GA)),
        ("MultiArchitecture", (Stage.ALPHA, Stage.DEPRECATED, Stage.DEPRECATED)),
        ("PasstIPStackMigration", (Stage.ALPHA, Stage.DISCONTINUED, Stage.DISCONTINUED)),
        ("Template", (None, Stage.ALPHA, Stage.BETA)),
        ("IOMMUFD", (None, None, Stage.ALPHA)),
    ],
)
def test_gates_come_of_age(gate, stages):
    assert tuple(release.feature_gates.get(gate) for release in RELEASES.values()) == stages


@pytest.mark.parametrize("name", ["v1.0", "v1.3.0", "v1.6.9", "v1.7", "v1.8.4", "v1.9.0"])
def test_objects_may_have_to_work_with_a_release_before_those_that_are_modelled(name):
    check_oldest(name)


@pytest.mark.parametrize("name", ["v1.8.99", "v1.9.1", "v1.31.0", "v2.0.0", "1.3.0", "latest"])
def test_no_other_release_can_be_their_oldest(name):
    with pytest.raises(UnsupportedError, match=r"is not modelled; known are v1\.7\.4, v1\.8\.4, v1\.9\.0"):
        check_oldest(name)


def test_a_cluster_runs_what_is_asked_for_else_what_its_kubevirt_says_else_the_default():
    assert Cluster([]).release is DEFAULT
    assert Cluster([observed("v1.8.1")]).release.name == "v1.8.4"
    assert Cluster([observed("v1.7.0"), observed("v1.8.1")]).release.name == "v1.8.4"
    assert Cluster([observed("v1.8.1")], release="v1.7.4").release.name == "v1.7.4"
    assert Cluster([], release=RELEASES["v1.7.4"]).release.name == "v1.7.4"
    assert Cluster.under([], Conditions(release=RELEASES["v1.7.4"])).release.name == "v1.7.4"
    assert Cluster([observed("''")]).release is DEFAULT


def test_a_release_that_is_not_known_is_an_error():
    with pytest.raises(UnsupportedError):
        Cluster([], release="v1.6.0")
    with pytest.raises(ManifestError) as raised:
        Cluster([observed("v1.6.0")])
    (problem,) = raised.value.problems
    assert problem.object == "KubeVirt/kubevirt/kubevirt"
    assert problem.field == "status.observedKubeVirtVersion"
    assert problem.message.startswith("KubeVirt 'v1.6.0' is not modelled; known are v1.7.4, v1.8.4, v1.9.0; name")
    assert Cluster([observed("v1.6.0")], release="v1.9.0").release is DEFAULT


def test_a_cluster_does_not_change():
    cluster = Cluster([])
    for name in ("host", "architecture", "release", "configuration", "others"):
        with pytest.raises(AttributeError, match="a Cluster does not change"):
            setattr(cluster, name, getattr(cluster, name))


def test_what_is_computed_of_a_cluster_is_computed_once_and_not_for_its_copies():
    cluster = Cluster([])

    def make(_cluster):
        return object()

    assert cluster.computed(make) is cluster.computed(make)
    for copy in (cluster.without_configuration(), cluster.without_presets("x"), Cluster([])):
        assert copy.computed(make) is not cluster.computed(make)


def test_copies_keep_the_release():
    cluster = Cluster([], release="v1.7.4")
    assert cluster.without_configuration().configuration.release.name == "v1.7.4"
    assert cluster.without_presets("x").release.name == "v1.7.4"


CONFIGURED = """
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec: {configuration: {persistentReservationConfiguration: {enabled: true}, cpuModel: Haswell}}
"""


def test_what_the_release_does_not_know_of_its_objects_is_pruned_and_told():
    old, new = (Cluster([read(CONFIGURED)], release=release) for release in ("v1.8.4", "v1.9.0"))
    assert [(warning.type, warning.object, warning.field) for warning in old.warnings] == [
        ("Pruned", "KubeVirt/kubevirt/kubevirt", "spec.configuration.persistentReservationConfiguration")
    ]
    assert not new.warnings
    assert (old.configuration.persistent_reservation, new.configuration.persistent_reservation) == (False, True)
    assert old.configuration.cpu_model == "Haswell"


def test_what_a_revision_holds_is_pruned_and_told_too():
    revision = read("""
        apiVersion: apps/v1
        kind: ControllerRevision
        metadata: {name: r, namespace: blue}
        revision: 0
        data:
          apiVersion: instancetype.kubevirt.io/v1beta1
          kind: VirtualMachinePreference
          metadata: {name: p}
          spec: {devices: {preferredVideoType: vga}}
        """)
    old, new = (Cluster([revision], release=release) for release in ("v1.8.4", "v1.9.0"))
    assert [(warning.object, warning.field) for warning in old.warnings] == [
        ("ControllerRevision/blue/r", "data.spec.devices.preferredVideoType")
    ]
    assert not new.warnings
