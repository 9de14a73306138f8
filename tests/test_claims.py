"""The claims behind volumes: PersistentVolumeClaims, DataVolumes, templates, and what a missing one counts as."""

import pytest

import otheryaml
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.claims import Claim, Claims, backing_volumes
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.launcher.context import BackingVolume
from virtcatalog.kubevirt.launcher.errors import DomainError

GIB = 2**30
PVC = "{name: v, persistentVolumeClaim: {claimName: c}}"


def read(text):
    return otheryaml.load(text)


def pvc(spec, rest=""):
    return f"{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: c}}, spec: {spec}{rest}}}"


def data_volume(spec, metadata="{name: c}"):
    return f"{{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, metadata: {metadata}, spec: {spec}}}"


@pytest.fixture
def backing():
    """Return what is behind the volume `v` of a VMI, in a cluster of YAML manifests."""

    def find(volume, *manifests, filesystems="[]", templates=None):
        domain = {"devices": {"filesystems": read(filesystems)}}
        vmi = convert({"spec": {"domain": domain, "volumes": [read(volume)]}}, VirtualMachineInstance)
        vm = None
        if templates is not None:
            spec = {"template": {"spec": {"domain": {"devices": {}}}}, "dataVolumeTemplates": read(templates)}
            vm = convert({"spec": spec}, VirtualMachine)
        return backing_volumes(vmi, Cluster(map(read, manifests)), vm).get("v")

    return find


def claim(**changes):
    values = {"host_disk": True, "capacity": 10 * GIB, "filesystem_overhead": "0.055"} | changes
    return BackingVolume(**values)


def test_volumes_without_a_claim_have_none_behind_them(backing):
    assert backing("{name: v, containerDisk: {image: i}}") is None
    assert backing("{name: v, emptyDisk: {capacity: 1Gi}}") is None


@pytest.mark.parametrize("volume", [PVC, "{name: v, dataVolume: {name: c}}"])
def test_a_missing_claim_counts_as_ten_gibibytes_of_files(backing, volume):
    assert backing(volume) == claim()


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("{resources: {requests: {storage: 5Gi}}}", claim(capacity=5 * GIB)),
        (
            "{resources: {requests: {storage: 5Gi}}, volumeMode: Block}",
            claim(capacity=5 * GIB, block=True, host_disk=False),
        ),
        ("{resources: {requests: {storage: 1.5Gi}}}", claim(capacity=3 * GIB // 2)),
        ("{resources: {requests: {storage: 100Ti}}}", claim(capacity=None)),
    ],
)
def test_a_claim_that_is_there(backing, spec, expected):
    assert backing(PVC, pvc(spec)) == expected


@pytest.mark.parametrize(("capacity", "size"), [("20Gi", 5 * GIB), ("4Gi", 4 * GIB)])
def test_a_disk_is_as_large_as_was_asked_for_and_given(backing, capacity, size):
    status = f", status: {{capacity: {{storage: {capacity}}}}}"
    assert backing(PVC, pvc("{resources: {requests: {storage: 5Gi}}}", status)).capacity == size


TEN = Quantity.parse("10Gi")
SMALL = "claim c is smaller than 1Mi, the least that a disk needs"


@pytest.mark.parametrize(
    ("spec", "status", "message"),
    [
        ("{}", "", "claim c neither requests storage nor has a capacity"),
        ("{resources: {requests: {storage: 1023Ki}}}", "", SMALL),
        ("{resources: {requests: {storage: 1Gi}}}", ", status: {capacity: {storage: 1023Ki}}", SMALL),
        ("{}", ", status: {capacity: {storage: 1023Ki}}", SMALL),
    ],
)
def test_a_claim_must_hold_a_disk(backing, spec, status, message):
    with pytest.raises(DomainError) as error:
        backing(PVC, pvc(spec, status))
    assert (error.value.field, error.value.message) == ("spec.volumes[0]", message)


@pytest.mark.parametrize(
    ("spec", "status", "capacity"),
    [
        ("{resources: {requests: {storage: 1Mi}}}", "", 2**20),
        ("{resources: {requests: {storage: 1Gi}}}", ", status: {capacity: {storage: 1Mi}}", 2**20),
        ("{}", ", status: {capacity: {storage: 1Gi}}", None),
        ("{resources: {requests: {storage: 1Gi}}}", ", status: {}", None),
    ],
)
def test_a_claim_that_holds_one(backing, spec, status, capacity):
    assert backing(PVC, pvc(spec, status)) == claim(capacity=capacity)


def test_a_device_need_not_tell_its_size(backing):
    assert backing(PVC, pvc("{volumeMode: Block}")).capacity is None


@pytest.mark.parametrize("source", ["pvc", "storage"])
def test_a_data_volume_makes_its_claim(backing, source):
    manifest = data_volume(f"{{{source}: {{volumeMode: Block, resources: {{requests: {{storage: 3Gi}}}}}}}}")
    assert backing("{name: v, dataVolume: {name: c}}", manifest) == claim(capacity=3 * GIB, block=True, host_disk=False)


def test_so_does_a_template(backing):
    templates = "[{metadata: {name: c}, spec: {storage: {resources: {requests: {storage: 3Gi}}}}}]"
    assert backing("{name: v, dataVolume: {name: c}}", templates=templates) == claim(capacity=3 * GIB)


def test_a_data_volume_that_names_no_size_counts_as_a_missing_claim(backing):
    assert backing("{name: v, dataVolume: {name: c}}", data_volume("{source: {blank: {}}}")) == claim()


def test_the_claim_itself_wins_over_its_data_volume(backing):
    manifests = (
        data_volume("{storage: {resources: {requests: {storage: 3Gi}}}}"),
        pvc("{resources: {requests: {storage: 4Gi}}}"),
    )
    assert backing("{name: v, dataVolume: {name: c}}", *manifests).capacity == 4 * GIB


def test_a_hotpluggable_claim_is_no_host_disk(backing):
    volume = "{name: v, persistentVolumeClaim: {claimName: c, hotpluggable: true}}"
    assert backing(volume) == claim(hotplug=True, host_disk=False)


def test_neither_is_a_claim_that_the_guest_mounts(backing):
    assert backing(PVC, filesystems="[{name: v, virtiofs: {}}]") == claim(host_disk=False)


def test_of_an_ephemeral_volumes_claim_only_the_mode_counts(backing):
    volume = "{name: v, ephemeral: {persistentVolumeClaim: {claimName: c}}}"
    assert backing(volume, pvc("{volumeMode: Block}")) == BackingVolume(block=True, has_claim=False)


@pytest.mark.parametrize(
    ("annotations", "preallocated"),
    [
        ("{cdi.kubevirt.io/storage.preallocation: 'true'}", True),
        ("{user.custom.annotation/storage.thick-provisioned: 'true'}", True),
        ("{cdi.kubevirt.io/storage.preallocation: 'false'}", False),
        ("{}", False),
    ],
)
def test_preallocated_claims_say_so(backing, annotations, preallocated):
    metadata = f"{{name: c, annotations: {annotations}}}"
    manifest = f"{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {metadata}, spec: {{volumeMode: Block}}}}"
    assert backing(PVC, manifest).preallocated is preallocated


def test_preallocation_of_a_data_volume_is_that_of_its_claim(backing):
    manifest = data_volume("{preallocation: true, storage: {resources: {requests: {storage: 3Gi}}}}")
    assert backing("{name: v, dataVolume: {name: c}}", manifest).preallocated


@pytest.mark.parametrize(
    ("templates", "size"),
    [
        ("[{metadata: {name: c}, spec: {}}]", 10 * GIB),
        (
            (
                "[{metadata: {name: c}, spec: {storage: {resources: {requests: {storage: 3Gi}}}}}, "
                "{metadata: {name: c}, spec: {storage: {resources: {requests: {storage: 4Gi}}}}}]"
            ),
            3 * GIB,
        ),
    ],
)
def test_of_two_templates_of_a_name_the_first_counts(backing, templates, size):
    assert backing("{name: v, dataVolume: {name: c}}", templates=templates).capacity == size


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([], Claim(False, TEN, TEN, assumed=True)),
        (
            [data_volume("{source: {blank: {}}}")],
            Claim(False, TEN, TEN, assumed=True),
        ),
        (
            [data_volume("{storage: {accessModes: [ReadWriteMany]}}")],
            Claim(False, TEN, TEN, access_modes=("ReadWriteMany",), assumed=True),
        ),
        (
            [data_volume("{pvc: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 3Gi}}}}")],
            Claim(False, Quantity.parse("3Gi"), Quantity.parse("3Gi"), access_modes=("ReadWriteOnce",)),
        ),
        (
            [
                pvc("{accessModes: [ReadWriteOnce, ReadOnlyMany], resources: {requests: {storage: 3Gi}}}").replace(
                    "name: c", "name: c, uid: u"
                )
            ],
            Claim(
                False,
                Quantity.parse("3Gi"),
                Quantity.parse("3Gi"),
                access_modes=("ReadWriteOnce", "ReadOnlyMany"),
                uid="u",
            ),
        ),
    ],
)
def test_what_is_known_of_a_claim(objects, expected):
    vmi = convert({"spec": {"domain": {"devices": {}}}}, VirtualMachineInstance)
    assert Claims(vmi, Cluster(map(read, objects)), None).find("c") == expected
