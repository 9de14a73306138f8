"""`virtcatalog expand -o disks`: the disks of a VM as nova's disk_info has them."""

import pytest
from click.testing import CliRunner

from virtcatalog.ask.disks import DiskInfo, disks_of
from virtcatalog.cli import main
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import expand

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        memory: {guest: 1Gi}
        devices:
          disks:
            - {name: root, disk: {bus: virtio}, bootOrder: 1, cache: none, io: native, serial: R1}
            - {name: iso, cdrom: {bus: sata}}
            - {name: tray, cdrom: {bus: sata}}
      volumes:
        - {name: root, persistentVolumeClaim: {claimName: root}}
        - {name: iso, containerDisk: {image: registry.example.org/iso:1}}
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "vm.yaml").write_text(VM)
    return str(tmp_path / "vm.yaml")


def test_what_a_disk_is_told_of():
    import otheryaml

    result = expand(otheryaml.load(VM), Cluster([]))
    assert disks_of(result.domain_xml, result.vmi_object) == [
        DiskInfo(
            name="root",
            volume="persistentVolumeClaim",
            path="/var/run/kubevirt-private/vmi-disks/root/disk.img",
            bus="virtio",
            dev="vda",
            type="disk",
            format="raw",
            boot=1,
            cache="none",
            io="native",
            serial="R1",
        ),
        DiskInfo(
            name="iso",
            volume="containerDisk",
            path="/var/run/kubevirt-ephemeral-disks/disk-data/iso/disk.qcow2",
            bus="sata",
            dev="sda",
            type="cdrom",
            format="qcow2",
            cache="none",
        ),
        DiskInfo(name="tray", bus="sata", dev="sdb", type="cdrom", format="raw"),
    ]


def test_disks_are_printed_in_columns(file):
    result = CliRunner().invoke(main, ["expand", "-f", file, "-o", "disks"])
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["NAME", "VOLUME", "TYPE", "BUS", "DEV", "FORMAT", "BOOT", "CACHE", "IO", "SERIAL", "PATH"],
        [
            *("root", "persistentVolumeClaim", "disk", "virtio", "vda", "raw", "1", "none", "native", "R1"),
            "/var/run/kubevirt-private/vmi-disks/root/disk.img",
        ],
        [
            *("iso", "containerDisk", "cdrom", "sata", "sda", "qcow2", "-", "none", "-", "-"),
            "/var/run/kubevirt-ephemeral-disks/disk-data/iso/disk.qcow2",
        ],
        ["tray", "-", "cdrom", "sata", "sdb", "raw", "-", "-", "-", "-", "-"],
    ]
