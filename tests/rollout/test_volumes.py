"""Which volumes of a running VMI are plugged, which move, and why some do not."""

import pytest

import otheryaml
from virtcatalog import Cluster
from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.rollout.running import AttachedVolume, MigratedVolume, Restart, Running, SyncError
from virtcatalog.kubevirt.rollout.volumes import (
    can_be_hotplugged,
    claim_of,
    is_hotplugged,
    is_plugged_by_declaration,
    migrate_volumes,
    plug_volumes,
    unmovable,
)

CLAIM = "persistentVolumeClaim: {claimName: c}"


@pytest.mark.parametrize(
    ("source", "claim", "pluggable", "declared", "plugged"),
    [
        (CLAIM, "c", True, False, False),
        ("persistentVolumeClaim: {claimName: c, hotpluggable: true}", "c", True, True, True),
        ("dataVolume: {name: d}", "d", True, False, False),
        ("dataVolume: {name: d, hotpluggable: true}", "d", True, True, True),
        ("memoryDump: {claimName: m}", "m", True, False, False),
        ("memoryDump: {claimName: m, hotpluggable: true}", "m", True, False, True),
        ("containerDisk: {image: i}", "", False, False, False),
    ],
)
def test_kinds_of_volumes(source, claim, pluggable, declared, plugged):
    volume = convert(otheryaml.load(f"{{name: v, {source}}}"), Volume)
    facts = claim_of(volume), can_be_hotplugged(volume), is_plugged_by_declaration(volume), is_hotplugged(volume)
    assert facts == (claim, pluggable, declared, plugged)


def spec(text, kind=VirtualMachineInstanceSpec):
    """A VMI's spec of `{volumes, disks, filesystems}`."""
    read = otheryaml.load(text)
    devices = {key: read.pop(key) for key in ("disks", "filesystems") if key in read}
    return convert({"domain": {"devices": devices}, **read}, kind)


def plugged(wanted, vmi, attached=()):
    """The names of volumes and disks that a VMI has then, with what is in them."""
    manifest = to_manifest(plug_volumes(spec(wanted), spec(vmi), attached))
    volumes = [
        next(iter(value.values())) if isinstance(value, dict) else value
        for volume in manifest.get("volumes", [])
        for key, value in sorted(volume.items())
        if key != "name"
    ]
    names = [volume["name"] for volume in manifest.get("volumes", [])]
    disks = [disk["name"] for disk in manifest["domain"]["devices"].get("disks", [])]
    return list(zip(names, volumes, strict=True)), disks


HOT, OTHER, FIXED = (
    "{name: a, dataVolume: {name: x, hotpluggable: true}}",
    "{name: a, dataVolume: {name: y, hotpluggable: true}}",
    "{name: a, dataVolume: {name: z}}",
)
DISK, DRIVE = "{name: a, disk: {bus: scsi}}", "{name: a, cdrom: {bus: sata}}"


def of(volume="", disk=""):
    return f"{{volumes: [{volume}], disks: [{disk}]}}"


@pytest.mark.parametrize(
    ("wanted", "vmi", "attached", "expected"),
    [
        (of(HOT, DISK), of(), (), ([("a", "x")], ["a"])),
        (of(HOT, DISK), of(), ("a",), ([], [])),
        (of(FIXED, DISK), of(), (), ([], [])),
        (of(HOT), of(), (), ([("a", "x")], [])),
        (of(), of(HOT, DISK), ("a",), ([], [])),
        (of(), of(FIXED, DISK), ("a",), ([("a", "z")], ["a"])),
        (of(HOT, DISK), of(HOT, DISK), ("a",), ([("a", "x")], ["a"])),
        (of(OTHER, DISK), of(HOT, DISK), ("a",), ([], [])),
        (of(FIXED, DISK), of(HOT, DISK), ("a",), ([("a", "x")], ["a"])),
        (of(HOT, DRIVE), of("", DRIVE), (), ([("a", "x")], ["a"])),
        (of("", DRIVE), of(HOT, DRIVE), ("a",), ([], ["a"])),
        (of(OTHER, DRIVE), of(HOT, DRIVE), ("a",), ([], ["a"])),
        (of(OTHER, DISK), of(HOT, DRIVE), ("a",), ([], [])),
        (of(OTHER, DRIVE), of(HOT, DISK), ("a",), ([], [])),
        (of("", DISK), of("", DRIVE), (), ([], ["a"])),
        (of(), of("", DRIVE), (), ([], [])),
    ],
)
def test_volumes_come_and_go_with_their_disks(wanted, vmi, attached, expected):
    assert plugged(wanted, vmi, attached) == expected


LIVE = {"StorageLiveMigratable": True}


def running(vmi, *objects, conditions=LIVE, moved=(), **attached):
    cluster = Cluster([otheryaml.load(text) for text in objects])
    vm = convert({"metadata": {"namespace": "shop"}, "spec": {"template": {}}}, VirtualMachine)
    running_vm = Running(cluster, vm, vmi=VirtualMachineInstance(spec=spec(vmi)))
    running_vm.conditions, running_vm.migrated_volumes = dict(conditions), moved
    running_vm.volumes = {name: AttachedVolume(False, *values) for name, values in attached.items()}
    return running_vm


def wanted(text, strategy="Migration"):
    template = {"spec": to_manifest(spec(text))}
    strategies = {} if strategy is None else {"updateVolumesStrategy": strategy}
    return convert({"spec": {"template": template, **strategies}}, VirtualMachine).spec


def volume(claim, name="a"):
    return f"{{name: {name}, persistentVolumeClaim: {{claimName: {claim}}}}}"


OLD, NEW = f"{{volumes: [{volume('x')}], disks: [{DISK}]}}", f"{{volumes: [{volume('y')}], disks: [{DISK}]}}"
MOVED = (MigratedVolume("a", "x", "y"),)


class TestMigration:
    def test_is_noted_first_and_brings_the_claims_then(self):
        machine = running(OLD, conditions={**LIVE, "VolumesChange": False})
        assert migrate_volumes(machine, wanted(NEW)) is None
        assert (machine.migrated_volumes, machine.conditions) == (MOVED, LIVE)
        assert str(MOVED[0]) == "a:x>y"
        assert migrate_volumes(machine, wanted(NEW)) == spec(NEW)

    def test_what_does_not_move_stays_as_it_is(self):
        two = f"{{volumes: [{volume('x')}, {volume('u', 'b')}], disks: []}}"
        changed = f"{{volumes: [{volume('y')}, {volume('v', 'c')}], disks: []}}"
        machine = running(two, moved=MOVED)
        after = f"{{volumes: [{volume('y')}, {volume('u', 'b')}], disks: []}}"
        assert migrate_volumes(machine, wanted(changed)) == spec(after)

    @pytest.mark.parametrize("strategy", [None, "Replacement"])
    def test_is_asked_for_by_its_strategy(self, strategy):
        machine = running(OLD)
        assert migrate_volumes(machine, wanted(NEW, strategy)) is None
        assert machine.migrated_volumes == ()

    @pytest.mark.parametrize(
        "changed", [OLD, "{volumes: [], disks: []}", "{volumes: [{name: a, emptyDisk: {capacity: 1}}], disks: []}"]
    )
    def test_is_of_claims_that_become_others(self, changed):
        machine = running(OLD)
        assert migrate_volumes(machine, wanted(changed)) is None
        assert machine.migrated_volumes == ()

    def test_other_strategies_are_refused(self):
        with pytest.raises(SyncError) as error:
            migrate_volumes(running(OLD), wanted(NEW, "Sometimes"))
        (cause,) = error.value.causes
        assert (cause.type, cause.field, cause.message) == (
            "FieldValueNotSupported",
            "spec.updateVolumesStrategy",
            "'Sometimes' is no strategy: use Migration or Replacement",
        )

    @pytest.mark.parametrize("strategy", [None, "Migration"])
    def test_has_to_end_before_the_next_one(self, strategy):
        machine = running(NEW, conditions={**LIVE, "VolumesChange": True}, moved=MOVED)
        with pytest.raises(SyncError) as error:
            migrate_volumes(machine, wanted(NEW.replace("claimName: y", "claimName: z"), strategy))
        (cause,) = error.value.causes
        assert (cause.type, cause.field, cause.message) == (
            "FieldValueInvalid",
            "spec.template.spec.volumes",
            "while volumes are to be migrated, only the claims of before can be asked for",
        )
        assert migrate_volumes(machine, wanted(NEW, strategy)) is None

    def test_of_another_volume_does_not_matter(self):
        machine = running(OLD, conditions={**LIVE, "VolumesChange": True}, moved=(MigratedVolume("b", "x", "y"),))
        assert migrate_volumes(machine, wanted(NEW)) == spec(OLD)

    @pytest.mark.parametrize(
        ("vmi", "message"),
        [
            (
                OLD.replace("disk: {bus: scsi}", "disk: {bus: scsi}, shareable: true"),
                "disk 'a' is shareable: no migration moves it",
            ),
            (OLD.replace("disk: {bus: scsi}", "lun: {bus: scsi}"), "disk 'a' is a LUN: no migration moves it"),
            (
                f"{{volumes: [{volume('x')}], disks: [], filesystems: [{{name: a, virtiofs: {{}}}}]}}",
                "volume 'a' is a filesystem, which no migration moves",
            ),
        ],
    )
    def test_some_volumes_never_move(self, vmi, message):
        machine = running(vmi)
        assert migrate_volumes(machine, wanted(NEW)) == Restart("volumes", message)
        assert machine.migrated_volumes == ()

    def test_a_volume_without_a_disk_moves(self):
        first = f"{{volumes: [{volume('x')}, {volume('u', 'b')}], disks: [{{name: b, lun: {{}}}}]}}"
        changed = f"{{volumes: [{volume('y')}, {volume('v', 'b')}], disks: []}}"
        assert migrate_volumes(running(first), wanted(changed)).message == "disk 'b' is a LUN: no migration moves it"

    @pytest.mark.parametrize(
        ("status", "claim", "moves"),
        [
            (None, "", True),
            ("{}", "", True),
            ("{phase: Succeeded}", "", True),
            ("{phase: ImportInProgress}", "", False),
            ("{phase: ImportInProgress}", "{}", False),
            ("{phase: ImportInProgress}", "{dataSourceRef: {kind: VolumeImportSource, name: p}}", True),
        ],
    )
    def test_a_data_volume_has_its_data_or_gets_it_by_a_populator(self, status, claim, moves):
        metadata = "metadata: {name: y, namespace: shop}"
        objects = []
        if status is not None:
            of = f"{{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, {metadata}, spec: {{}}, status: {status}}}"
            objects.append(of)
        if claim:
            objects.append(f"{{apiVersion: v1, kind: PersistentVolumeClaim, {metadata}, spec: {claim}}}")
        machine = running(OLD, *objects)
        outcome = migrate_volumes(
            machine, wanted(NEW.replace("persistentVolumeClaim: {claimName: y}", "dataVolume: {name: y}"))
        )
        message = "DataVolume 'y' has not succeeded, and no volume populator fills it"
        assert outcome == (None if moves else Restart("volumes", message))


STAYS = "volume 'b' is of one node alone (ReadWriteOnce) and does not move along"


@pytest.mark.parametrize(
    ("moved", "conditions", "attached", "why"),
    [
        ((), {"StorageLiveMigratable": False}, {}, ""),
        (MOVED, {}, {}, ""),
        (MOVED, {"StorageLiveMigratable": False}, {}, "volumes move with a live migration, which the VM cannot do"),
        (MOVED, LIVE, {"a": ("x", ("ReadWriteOnce",)), "b": ("", ())}, ""),
        (MOVED, LIVE, {"b": ("c", ("ReadWriteOnce",))}, STAYS),
        (MOVED, LIVE, {"b": ("c", ())}, STAYS),
        (MOVED, LIVE, {"b": ("c", ("ReadWriteOnce", "ReadWriteMany"))}, ""),
        (MOVED, LIVE, {"b": ("c", ("ReadOnlyMany",))}, ""),
    ],
)
def test_what_keeps_volumes_from_moving(moved, conditions, attached, why):
    assert unmovable(running(OLD, conditions=conditions, **attached), moved) == why
