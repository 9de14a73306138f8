"""Catalogs that come with the program: by name wherever a catalog is named, and for VMs of which none is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from virtcatalog.api.names import RESERVED_INSTANCETYPES, RESERVED_PREFERENCES
from virtcatalog.catalog.load import load_catalog
from virtcatalog.cli import main
from virtcatalog.errors import CatalogError
from virtcatalog.manifests.sources import shipped

NAME = "common-instancetypes@v1.7.0"
COUNTS = f"no catalog is named: {NAME} counts, as KubeVirt's operator deploys it\n"
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  instancetype: {name: u1.medium}
  preference: {name: fedora}
  template: {spec: {domain: {devices: {}}, volumes: [{name: root, containerDisk: {image: "registry.example/x:1"}}]}}
"""
TYPE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: u1.medium}
spec: {cpu: {guest: 1}, memory: {guest: 3Gi}}
"""
CR = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt}
spec: {configuration: {commonInstancetypesDeployment: {enabled: false}}}
"""
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: root, labels: {instancetype.kubevirt.io/default-instancetype: u1.large}}
spec: {resources: {requests: {storage: 10Gi}}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vm.yaml").write_text(VM)
    return tmp_path


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def house(**files: str) -> None:
    for name, text in files.items():
        path = Path("house", name.replace("__", "/") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def memory(result: Result) -> str:
    return result.stdout.partition('<memory unit="b">')[2].partition("</memory>")[0]


def test_what_the_newest_release_deploys_is_shipped_exactly() -> None:
    catalog = load_catalog(NAME)
    assert {instancetype.name for instancetype in catalog.instancetypes} == RESERVED_INSTANCETYPES
    assert {preference.name for preference in catalog.preferences} == RESERVED_PREFERENCES
    by_name = {preference.name: preference.spec for preference in catalog.preferences}
    for name in ("windows.10", "windows.11.virtio"):
        assert by_name[name]["cpu"] == {"preferredCPUTopology": "sockets"}


class TestWithoutACatalog:
    def test_a_vm_finds_what_the_operator_deploys(self) -> None:
        result = run("expand", "-f", "vm.yaml")
        assert (result.exit_code, memory(result), result.stderr) == (0, str(4 * 2**30), COUNTS)
        assert run("explain", "-f", "vm.yaml", "--field", "spec.domain.memory.guest").exit_code == 0
        created = run("create", "vm", "--name=x", "--instancetype=u1.medium", "--preference=fedora")
        assert (created.exit_code, created.stderr) == (0, f"{COUNTS}default/x: admitted\n")

    def test_so_does_a_claim_that_names_it(self) -> None:
        Path("claim.yaml").write_text(CLAIM)
        inferring = VM.replace("name: u1.medium", "inferFromVolume: root")
        image, claim = 'containerDisk: {image: "registry.example/x:1"}', "persistentVolumeClaim: {claimName: root}"
        inferring = inferring.replace(image, claim)
        Path("vm.yaml").write_text(inferring.replace("  preference: {name: fedora}\n", ""))
        result = run("expand", "-f", "vm.yaml", "-f", "claim.yaml")
        assert (result.exit_code, memory(result), result.stderr) == (0, str(8 * 2**30), COUNTS)

    def test_objects_that_are_given_come_first(self) -> None:
        Path("type.yaml").write_text(TYPE)
        assert memory(run("expand", "-f", "vm.yaml", "-f", "type.yaml")) == str(3 * 2**30)

    def test_nothing_is_added_that_nobody_names(self) -> None:
        Path("type.yaml").write_text(TYPE)
        Path("vm.yaml").write_text(VM.replace("  preference: {name: fedora}\n", ""))
        result = run("expand", "-f", "vm.yaml", "-f", "type.yaml")
        assert (result.exit_code, result.stderr) == (0, "")

    @pytest.mark.parametrize(("release", "name"), [("v1.7.4", "v1.5.1"), ("v1.8.4", "v1.6.0"), ("v1.9.0", "v1.7.0")])
    def test_each_release_of_kubevirt_deploys_its_own(self, release: str, name: str) -> None:
        result = run("expand", "-f", "vm.yaml", "--kubevirt", release)
        assert (result.exit_code, memory(result)) == (0, str(4 * 2**30))
        assert result.stderr == COUNTS.replace(NAME, f"common-instancetypes@{name}")

    def test_the_series_d1_came_later(self) -> None:
        Path("vm.yaml").write_text(VM.replace("u1.medium", "d1.medium"))
        assert run("expand", "-f", "vm.yaml", "--kubevirt", "v1.8.4").exit_code == 0
        result = run("expand", "-f", "vm.yaml", "--kubevirt", "v1.7.4")
        assert result.exit_code == 1
        assert "no VirtualMachineClusterInstancetype 'd1.medium'; did you mean" in result.stderr

    def test_an_operator_that_deploys_none_has_none(self) -> None:
        Path("cr.yaml").write_text(CR)
        result = run("expand", "-f", "vm.yaml", "-f", "cr.yaml")
        assert result.exit_code == 1
        assert "counts" not in result.stderr

    def test_a_catalog_that_is_at_hand_is_one_that_is_named(self) -> None:
        house(catalog="name: house\nkubevirt: v1.7.0\n")
        Path("house").rename("catalog")
        for arguments in ((), ("-c", "catalog")):
            result = run("expand", "-f", "vm.yaml", *arguments)
            assert result.exit_code == 1
            sentence = f"'u1.medium'; {NAME}, which KubeVirt's operator deploys, has it: name that with -c, or give its"
            assert f"{sentence} objects (refused by virt-controller)\n" in result.stderr


class TestNames:
    @pytest.mark.parametrize("name", ["common-instancetypes", NAME])
    def test_stand_for_a_catalog_in_every_command(self, name: str) -> None:
        assert memory(run("expand", "-f", "vm.yaml", "-c", name)) == str(4 * 2**30)
        assert run("check", name).exit_code == 0
        assert run("build", name, "--output-dir", "tree").exit_code == 0
        listed = json.loads(Path("tree/catalog.json").read_text())
        assert listed

    def test_two_are_compared(self) -> None:
        result = run("diff", NAME, "common-instancetypes", "-o", "json")
        assert result.exit_code == 1
        assert "windows.11" in result.stdout

    def test_a_folder_of_that_name_is_meant_first(self) -> None:
        house(catalog="name: house\nkubevirt: v1.7.0\n")
        Path("house").rename("common-instancetypes")
        result = run("expand", "-f", "vm.yaml", "-c", "common-instancetypes")
        assert (result.exit_code, result.stdout) == (1, "")

    def test_others_are_told_which_there_are(self) -> None:
        result = run("expand", "-f", "vm.yaml", "-c", "common-instancetypes@v9")
        assert result.exit_code == 2
        assert f"virtcatalog comes with {', '.join(shipped())}" in result.stderr


class TestExtends:
    def test_a_catalog_takes_it_over_by_name(self) -> None:
        house(
            catalog=f"name: house\nextends: {NAME}\nselect: {{instancetypes: ['u1.*'], preferences: [fedora]}}\n",
            instancetypes__u="sizes:\n  medium: {memory: 5Gi}\n",
        )
        catalog = load_catalog("house")
        assert {preference.name for preference in catalog.preferences} == {"fedora"}
        by_name = {instancetype.name: instancetype for instancetype in catalog.instancetypes}
        assert by_name["u1.medium"].spec["memory"]["guest"] == "5Gi"
        assert "u1.large" in by_name
        assert by_name["u1.large"].source.file == "common-instancetypes/instancetypes/u.yaml"

    def test_from_files_at_hand_too(self) -> None:
        files = {"catalog.yaml": f"name: house\nextends: {NAME}\n".encode()}
        assert len(load_catalog("house", files).instancetypes) == len(RESERVED_INSTANCETYPES)

    @pytest.mark.parametrize("name", ["common-instancetypes", "deep/common-instancetypes"])
    def test_whatever_the_catalog_itself_is_called(self, name: str) -> None:
        house(catalog=f"name: house\nextends: {NAME}\n")
        Path(name).parent.mkdir(exist_ok=True)
        Path("house").rename(name)
        assert len(load_catalog(f"./{name}").instancetypes) == len(RESERVED_INSTANCETYPES)

    def test_one_that_there_is_not_is_told_at_its_place(self) -> None:
        house(catalog="name: house\nextends: common-instancetypes@v9\n")
        with pytest.raises(
            CatalogError, match=r"yaml:2:1: extends: 'common-instancetypes@v9' is no catalog; virtcatalog"
        ):
            load_catalog("house")


@pytest.mark.parametrize("command", ["check", "capacity"])
def test_check_and_capacity_go_by_it_as_expand_does(folder: Path, command: str) -> None:
    (folder / "nodes.yaml").write_text("nodes: [{name: one, count: 1, allocatable: {cpu: 8, memory: 32Gi}}]\n")
    question = (command, "-f", "vm.yaml", *(("--nodes", "nodes.yaml") if command == "capacity" else ()))
    result = run(*question)
    assert (result.exit_code, COUNTS in result.stderr) == (0, True)
    (folder / "vm.yaml").write_text(VM.replace("u1.medium", "u1.medum"))
    result = run(*question)
    assert (result.exit_code, COUNTS in result.stderr) == (1, True)
    assert "did you mean 'u1.medium'?" in result.output
    (folder / "vm.yaml").write_text(f"{VM}---\n{CR}")
    result = run(*question)
    assert (result.exit_code, COUNTS in result.stderr) == (1, False)
    assert "there is no VirtualMachineClusterInstancetype 'u1.medium'" in result.output


def test_the_type_of_that_name_among_the_manifests_counts_before_it(folder: Path) -> None:
    (folder / "vm.yaml").write_text(f"{VM}---\n{TYPE}".replace("guest: 3Gi", "guest: 40Gi"))
    (folder / "nodes.yaml").write_text("nodes: [{name: one, count: 1, allocatable: {cpu: 8, memory: 32Gi}}]\n")
    assert "1 VM fits no node" in run("capacity", "-f", "vm.yaml", "--nodes", "nodes.yaml").output
