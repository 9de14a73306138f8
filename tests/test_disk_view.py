"""`virtcatalog expand -o disks`: the disks of a VM as nova's disk_info has them."""

import json

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

import otheryaml
from virtcatalog.api.quantity import Quantity
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
            - {name: scratch, disk: {bus: sata}}
      volumes:
        - {name: root, persistentVolumeClaim: {claimName: root}}
        - {name: iso, containerDisk: {image: "registry.example.org/iso:1"}}
        - {name: scratch, emptyDisk: {capacity: 2Gi}}
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where no catalog is
    (tmp_path / "vm.yaml").write_text(VM)
    return str(tmp_path / "vm.yaml")


def claim(name, **spec):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}


def of(text, *objects):
    cluster = Cluster(list(objects))
    return disks_of(expand(otheryaml.load(text), cluster), cluster)


def test_what_a_disk_is_told_of():
    assert of(VM, claim("root", resources={"requests": {"storage": "30Gi"}})) == [
        DiskInfo(
            name="root",
            volume="persistentVolumeClaim",
            path="/var/run/kubevirt-private/vmi-disks/root/disk.img",
            size=30 * 2**30,
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
            backing_file="/var/run/kubevirt/container-disks/disk_1.img",
            bus="sata",
            dev="sda",
            type="cdrom",
            format="qcow2",
            cache="none",
        ),
        DiskInfo(name="tray", bus="sata", dev="sdb", type="cdrom", format="raw"),
        DiskInfo(
            name="scratch",
            volume="emptyDisk",
            path="/var/run/libvirt/empty-disks/scratch.qcow2",
            size=2 * 2**30,
            bus="sata",
            dev="sdc",
            type="disk",
            format="qcow2",
            cache="none",
        ),
    ]


def test_each_vm_has_its_own_disks_where_domains_are_alike():
    """The disks of one cluster's VMs are as those of a VM that is alone in one, and as a domain's text tells them."""
    seed = VM.replace("{name: scratch, emptyDisk: {capacity: 2Gi}}", "{name: scratch, cloudInitNoCloud: {userData: x}}")
    cluster, sizes = Cluster([claim("root", resources={"requests": {"storage": "30Gi"}})]), []
    for text in (seed, seed.replace("name: web", "name: db"), seed.replace("name: web", "name: web, namespace: shop")):
        result = expand(otheryaml.load(text), cluster)
        disks = disks_of(result, cluster)
        sizes.append(disks[0].size)
        read_again = replace(result, raw_domain=result.domain_xml)
        assert disks == disks_of(read_again, cluster)
        metadata = result.vmi["metadata"]
        directory = f"cloud-init-data/{metadata['namespace']}/{metadata['name']}"
        assert disks[3].path == f"/var/run/kubevirt-ephemeral-disks/{directory}/noCloud.iso"
        assert disks[3].volume == "cloudInitNoCloud"
    assert sizes == [30 * 2**30, 30 * 2**30, 0]


def test_a_refused_vm_has_no_disks():
    assert of(VM.replace("bus: virtio", "bus: ide")) == []


class TestSizes:
    @pytest.mark.parametrize(
        ("spec", "status", "size"),
        [
            ({"resources": {"requests": {"storage": "30Gi"}}}, None, "30Gi"),
            ({"resources": {"requests": {"storage": "30Gi"}}}, {"capacity": {"storage": "20Gi"}}, "20Gi"),
            ({"resources": {"requests": {"storage": "30Gi"}}}, {"capacity": {"storage": "40Gi"}}, "30Gi"),
            ({"volumeMode": "Block", "resources": {"requests": {"storage": "1G"}}}, None, "1G"),
        ],
    )
    def test_of_a_claim_it_is_what_it_has_and_is_asked_for(self, spec, status, size):
        root = claim("root", **spec) | ({"status": status} if status else {})
        assert of(VM, root)[0].size == Quantity.parse(size).value

    def test_of_a_claim_that_nobody_knows_nothing_is_said(self):
        assert of(VM)[0].size == 0

    @pytest.mark.parametrize(("requests", "size"), [({"storage": "5Gi"}, 5 * 2**30), ({}, 0)])
    def test_a_data_volume_template_may_tell_it(self, requests, size):
        blank = {"source": {"blank": {}}, "storage": {"resources": {"requests": requests}}}
        assert self.size({"dataVolume": {"name": "d"}}, blank) == size

    def test_what_lies_over_a_claim_has_the_claims(self):
        lower = claim("d", resources={"requests": {"storage": "5Gi"}})
        assert self.size({"ephemeral": {"persistentVolumeClaim": {"claimName": "d"}}}, None, lower) == 5 * 2**30

    def test_a_disk_on_the_host_has_its_own(self):
        gate = {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"}}
        gate["spec"] = {"configuration": {"developerConfiguration": {"featureGates": ["HostDisk"]}}}
        volume = {"hostDisk": {"path": "/d.img", "type": "DiskOrCreate", "capacity": "3Gi"}}
        assert self.size(volume, None, gate) == 3 * 2**30

    def size(self, volume, data_volume, *objects):
        vm = otheryaml.load(VM)
        vm["spec"]["dataVolumeTemplates"] = [{"metadata": {"name": "d"}, "spec": data_volume}] if data_volume else []
        vm["spec"]["template"]["spec"]["domain"]["devices"] = {}
        vm["spec"]["template"]["spec"]["volumes"] = [{"name": "v", **volume}]
        (disk,) = of(otheryaml.dump(vm), *objects)
        return disk.size


def test_disks_are_printed_in_columns(file):
    result = CliRunner().invoke(main, ["expand", "-f", file, "-o", "disks"])
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["NAME", "VOLUME", "TYPE", "BUS", "DEV", "FORMAT", "SIZE", "BOOT", "CACHE", "IO", "SERIAL", "PATH", "BACKING"],
        [
            *("root", "persistentVolumeClaim", "disk", "virtio", "vda", "raw", "-", "1", "none", "native", "R1"),
            "/var/run/kubevirt-private/vmi-disks/root/disk.img",
            "-",
        ],
        [
            *("iso", "containerDisk", "cdrom", "sata", "sda", "qcow2", "-", "-", "none", "-", "-"),
            "/var/run/kubevirt-ephemeral-disks/disk-data/iso/disk.qcow2",
            "/var/run/kubevirt/container-disks/disk_1.img",
        ],
        ["tray", "-", "cdrom", "sata", "sdb", "raw", *"-------"],
        [
            *("scratch", "emptyDisk", "disk", "sata", "sdc", "qcow2", "2Gi", "-", "none", "-", "-"),
            "/var/run/libvirt/empty-disks/scratch.qcow2",
            "-",
        ],
    ]


def test_machines_get_bytes(file):
    result = CliRunner().invoke(main, ["expand", "-f", file, "-o", "json"])
    disks = json.loads(result.stdout)["disks"]
    assert [disk["name"] for disk in disks] == ["root", "iso", "tray", "scratch"]
    assert disks[1]["backingFile"] == "/var/run/kubevirt/container-disks/disk_1.img"
    assert disks[3]["size"] == 2 * 2**30


def test_of_a_disk_only_what_is_known_is_told():
    disk = DiskInfo(name="root")
    assert msgspec.to_builtins(disk) == {"name": "root"}
    texts = ("volume", "path", "backing_file", "bus", "dev", "type", "format", "cache", "io", "serial")
    assert msgspec.structs.asdict(disk) == {"name": "root", "size": 0, "boot": 0, **dict.fromkeys(texts, "")}
