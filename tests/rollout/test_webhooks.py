"""What webhooks refuse of a VMI that virt-controller changes while it runs, and of a VM that its user updates."""

import pytest

import otheryaml
from rollout.conftest import kubevirt
from virtcatalog import Cluster
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceSpec
from virtcatalog.kubevirt.rollout.running import AttachedVolume
from virtcatalog.kubevirt.rollout.webhooks import admit_vmi_update, mutate_update

VOLUMES, DISKS = "spec.template.spec.volumes", "spec.template.spec.domain.devices.disks"
ATTACHED = {"root": AttachedVolume(hotplugged=False), "data": AttachedVolume(hotplugged=True)}


def spec_of(text):
    """A VMI's spec of `{volumes, disks, filesystems}`."""
    read = otheryaml.load(text)
    devices = {key: read.pop(key) for key in ("disks", "filesystems") if key in read}
    return convert({"domain": {"devices": devices}, **read}, VirtualMachineInstanceSpec)


def refused(new, old, attached=ATTACHED, migrated=(), config=None):
    cluster = Cluster([kubevirt(**(config or {}))])
    causes = admit_vmi_update(spec_of(new), spec_of(old), attached, set(migrated), cluster.configuration)
    return [(cause.type, cause.field, cause.message) for cause in causes]


def invalid(field, message):
    return [("FieldValueInvalid", field, message)]


ROOT = "{name: root, containerDisk: {image: a}}"
ROOT_DISK = "{name: root, disk: {bus: virtio}}"
DATA = "{name: data, persistentVolumeClaim: {claimName: a}}"
DATA_DISK = "{name: data, disk: {bus: scsi}}"
BOTH = f"{{volumes: [{ROOT}, {DATA}], disks: [{ROOT_DISK}, {DATA_DISK}]}}"
ALONE = f"{{volumes: [{ROOT}], disks: [{ROOT_DISK}]}}"


def changed(old, new):
    assert old in BOTH
    return BOTH.replace(old, new)


DRIVE = f"{{volumes: [{ROOT}], disks: [{ROOT_DISK}, {{name: empty, cdrom: {{bus: sata}}}}]}}"
FILESYSTEM = f"{{volumes: [{ROOT}, {DATA}], disks: [{ROOT_DISK}], filesystems: [{{name: data, virtiofs: {{}}}}]}}"
DUMP = "{name: dump, memoryDump: {claimName: a}}"


class TestEveryVolumeIsUsedOnce:
    @pytest.mark.parametrize("spec", [BOTH, ALONE, DRIVE, FILESYSTEM, BOTH.replace(DATA, f"{DATA}, {DUMP}")])
    def test_by_a_disk_or_filesystem_but_for_memory_dumps_and_empty_drives(self, spec):
        permanent = dict.fromkeys(("root", "data", "dump"), AttachedVolume(hotplugged=False))
        assert refused(spec, spec, permanent) == []

    @pytest.mark.parametrize(
        ("spec", "config", "message"),
        [
            (f"{{volumes: [{ROOT}], disks: []}}", {}, "1 volumes, and 0 disks and filesystems to use them"),
            (
                f"{{volumes: [{ROOT}], disks: [{ROOT_DISK}, {DATA_DISK}]}}",
                {},
                "1 volumes, and 2 disks and filesystems to use them",
            ),
            (
                FILESYSTEM.replace("disks: [", f"disks: [{DATA_DISK}, "),
                {},
                "2 volumes, and 3 disks and filesystems to use them",
            ),
            (
                DRIVE,
                {"developerConfiguration": {"disabledFeatureGates": ["DeclarativeHotplugVolumes"]}},
                "1 volumes, and 2 disks and filesystems to use them",
            ),
            (
                DRIVE.replace("name: empty", "name: root"),
                {},
                "1 volumes, and 2 disks and filesystems to use them",
            ),
        ],
    )
    def test_others_are_refused(self, spec, config, message):
        assert refused(spec, spec, config=config) == invalid(VOLUMES, message)


class TestWhatTheMachineStartedWith:
    def test_stays(self):
        assert refused(BOTH, BOTH) == []

    def test_a_volume_does_not_go(self):
        gone = f"{{volumes: [{DATA}], disks: [{DATA_DISK}]}}"
        assert refused(gone, BOTH) == invalid(VOLUMES, "a volume that the machine started with cannot go while it runs")

    def test_a_volume_does_not_change(self):
        message = "volume 'root' is one that the machine started with: it cannot change"
        assert refused(changed("image: a", "image: b"), BOTH) == invalid(VOLUMES, message)

    def test_a_disk_does_not_change(self):
        message = "the disk of volume 'root' cannot change while the machine runs"
        assert refused(changed("bus: virtio", "bus: sata"), BOTH) == invalid(DISKS, message)

    def test_a_volume_moves_with_a_migration(self):
        moved = changed("image: a", "image: b").replace("bus: virtio", "bus: sata")
        assert refused(moved, BOTH, migrated=["root"]) == []
        other = changed("claimName: a", "claimName: b")
        permanent = {name: AttachedVolume(hotplugged=False) for name in ATTACHED}
        message = "volume 'data' is one that the machine started with: it cannot change"
        assert refused(other, BOTH, permanent, migrated=["root"]) == invalid(VOLUMES, message)


class TestWhatIsPlugged:
    def test_comes_and_goes(self):
        assert refused(BOTH, ALONE) == refused(ALONE, BOTH) == []

    def test_a_volume_that_is_plugged_in_does_not_change(self):
        other = changed("claimName: a", "claimName: b")
        assert refused(other, BOTH) == invalid(VOLUMES, "volume 'data' is plugged in: it cannot change")
        assert refused(other, BOTH, migrated=["data"]) == []

    @pytest.mark.parametrize(
        "new",
        [
            changed("bus: scsi", "bus: virtio"),
            f"{{volumes: [{ROOT}, {DATA}], disks: [{ROOT_DISK}, {{name: root, disk: {{bus: virtio}}}}]}}",
        ],
    )
    def test_its_disk_does_not_change_or_go(self, new):
        message = "the disk of volume 'data' is plugged in: it cannot change"
        assert refused(new, BOTH) == refused(new, BOTH, migrated=["data"]) == invalid(DISKS, message)

    def test_a_memory_dump_needs_no_disk(self):
        with_dump = BOTH.replace(DATA, f"{DATA}, {DUMP}")
        assert refused(with_dump, BOTH) == refused(with_dump, with_dump) == refused(BOTH, with_dump) == []

    def test_other_kinds_are_not_plugged_in(self):
        other = BOTH.replace("persistentVolumeClaim: {claimName: a}", "emptyDisk: {capacity: 1Gi}")
        message = "volume 'data' is neither a claim nor a DataVolume: it cannot be plugged in"
        assert refused(other, ALONE) == invalid(VOLUMES, message)
        assert refused(BOTH.replace("persistentVolumeClaim: {claimName: a}", "dataVolume: {name: a}"), ALONE) == []

    def test_a_volume_without_a_disk_is_not_plugged_in(self):
        twice = f"{{volumes: [{ROOT}, {DATA}], disks: [{ROOT_DISK}, {ROOT_DISK}]}}"
        assert refused(twice, ALONE) == invalid(DISKS, "volume 'data' has no disk")
        assert refused(FILESYSTEM, ALONE) == invalid(DISKS, "volume 'data' has no disk")

    def test_a_volume_comes_into_a_drive_that_is_there(self):
        drive = "{name: data, cdrom: {bus: sata}}"
        empty = f"{{volumes: [{ROOT}], disks: [{ROOT_DISK}, {drive}]}}"
        assert refused(BOTH.replace(DATA_DISK, drive), empty) == []

    @pytest.mark.parametrize(
        ("disk", "message"),
        [
            ("disk: {bus: scsi}", ""),
            ("disk: {bus: virtio}", ""),
            ("disk: {bus: sata}", "bus 'sata' has no hotplug: use scsi or virtio"),
            ("disk: {}", "bus '' has no hotplug: use scsi or virtio"),
            ("lun: {bus: scsi}", ""),
            ("lun: {bus: virtio}", "bus 'virtio' has no hotplug of a LUN: use scsi"),
            ("cdrom: {bus: sata}", "only a disk or LUN can be plugged in"),
            ("serial: a", "only a disk or LUN can be plugged in"),
            ("disk: {bus: virtio}, dedicatedIOThread: true", ""),
            ("disk: {bus: scsi}, dedicatedIOThread: false", ""),
            ("disk: {bus: scsi}, dedicatedIOThread: true", "an IO thread of its own needs bus virtio"),
            ("disk: {bus: scsi}, bootOrder: 1", ""),
            ("disk: {bus: scsi}, bootOrder: 0", "bootOrder starts at 1"),
        ],
    )
    def test_some_disks_are_not_plugged_in(self, disk, message):
        new = BOTH.replace(DATA_DISK, f"{{name: data, {disk}}}")
        assert refused(new, ALONE) == (invalid(DISKS, f"disk 'data': {message}") if message else [])


@pytest.mark.parametrize("field", ["instancetype", "preference"])
class TestRevisions:
    """A revision belongs to the object that it was made of."""

    def refused(self, field, new, old):
        def vm(matcher):
            spec = {field: matcher} if matcher else {}
            return convert({"metadata": {"name": "a"}, "spec": {"template": {}, **spec}}, VirtualMachine)

        causes = mutate_update(vm(new), vm(old), Cluster([]))
        return [(cause.type, cause.field, cause.message) for cause in causes]

    def test_another_object_has_other_revisions(self, field):
        one, other = {"name": "one", "revisionName": "r"}, {"name": "other", "revisionName": "r"}
        message = "'r' is a revision of 'one': clear it, or name one of 'other'"
        assert self.refused(field, other, one) == invalid(f"spec.{field}.revisionName", message)

    @pytest.mark.parametrize(
        ("new", "old"),
        [
            ({"name": "other", "revisionName": "s"}, {"name": "one", "revisionName": "r"}),
            ({"name": "other", "revisionName": "r"}, {"name": "other", "revisionName": "r"}),
            ({"name": "other", "revisionName": "r"}, None),
        ],
    )
    def test_all_else_is_asked_of_the_type_itself(self, field, new, old):
        assert self.refused(field, new, old) == []
