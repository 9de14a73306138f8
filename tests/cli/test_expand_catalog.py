"""`virtcatalog expand` of a catalog's VM templates."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from click.testing import CliRunner, Result
from expanding import Run, documents, vm

from checkouts import write
from virtcatalog.cli import main

CATALOG = {
    "catalog.yaml": "name: shop\nkubevirt: v1.9.0\n",
    "instancetypes/m.yaml": "class: m\nsizes: {small: {vcpus: 1, memory: 1Gi}}\nname: '{{ class }}.{{ size }}'\n",
    "preferences/linux.yaml": "preferences: {shop.linux: {spec: {devices: {preferredDiskBus: scsi}}}}\n",
    "overlays.yaml": (
        "lab:\n  scope: namespaced\n  namespace: lab\n"
        "  patches: [{select: {names: [m.small]}, spec: {memory: {guest: 3Gi}}}]\n"
        "live: {scope: cluster}\n"
    ),
    "vms.yaml": "web.yaml.j2: {environments: {lab: {}, live: {}}}\n",
    "vms/db.yaml": vm("db"),
    "vms/web.yaml.j2": vm(
        "web",
        "runStrategy: Always\n          instancetype: {kind: '{{ instancetypeKind }}', name: m.small}",
        domain="",
    ).replace("{name: web}", "{name: web, namespace: '{{ namespace }}'}"),
}


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    write(tmp_path / "catalog", CATALOG)
    return "catalog"


#: A template that names no environment is for each.
DB = ("db", "1Gi")


def guests(result: Result) -> list[tuple[str, str]]:
    vmis = documents(result)
    return [(vmi["metadata"]["name"], vmi["spec"]["domain"]["memory"]["guest"]) for vmi in vmis]


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], [DB, DB, ("web", "3Gi"), ("web", "1Gi")]),
        (["-f", "catalog"], [DB, DB, ("web", "3Gi"), ("web", "1Gi")]),
        (["-f", "catalog/vms"], [DB, DB, ("web", "3Gi"), ("web", "1Gi")]),
        (["-f", "catalog/vms/db.yaml"], [DB, DB]),
        (["-f", "catalog/vms/db.yaml", "-e", "live"], [DB]),
        (["-f", "catalog/vms", "-e", "live"], [DB, ("web", "1Gi")]),
        (["-f", "lab=catalog/vms"], [DB, ("web", "3Gi")]),
        (["-f", "lab=catalog/vms/db.yaml", "-f", "live=catalog/vms/web.yaml.j2"], [DB, ("web", "1Gi")]),
        (["-f", "catalog/vms/web.yaml.j2"], [("web", "3Gi"), ("web", "1Gi")]),
        (
            ["-f", "catalog/vms/db.yaml", "-f", "catalog/vms/web.yaml.j2"],
            [DB, DB, ("web", "3Gi"), ("web", "1Gi")],
        ),
    ],
)
def test_vm_templates_meet_what_their_environment_deploys(
    run: Run, arguments: list[str], expected: list[tuple[str, str]]
) -> None:
    assert guests(run("-o", "vmi", *arguments)) == expected


@pytest.mark.usefixtures("catalog")
def test_a_refused_template_is_placed_in_the_template(run: Run, tmp_path: Path) -> None:
    Path("catalog/vms/db.yaml").write_text(vm("db", "runStrategy: Never"))
    assert run("-f", "catalog/vms/db.yaml").stderr.startswith("catalog/vms/db.yaml:5:3: VirtualMachine/db: spec.runSt")


@pytest.mark.usefixtures("catalog")
def test_a_kubevirt_cr_beside_a_catalog_counts_for_its_templates(run: Run) -> None:
    cr = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt}
spec: {configuration: {evictionStrategy: External}}
"""
    vmi, *_ = documents(run("-o", "vmi", "-f", "catalog/vms/db.yaml", "-f", "cr.yaml", cr_yaml=cr))
    assert vmi["spec"]["evictionStrategy"] == "External"


@pytest.mark.usefixtures("catalog")
def test_other_vms_meet_the_catalogs_objects(run: Run) -> None:
    text = vm("x", "runStrategy: Always\n          instancetype: {name: m.small}", domain="")
    assert guests(run("-o", "vmi", "-f", "x.yaml", "--catalog", "catalog", x_yaml=text)) == [("x", "1Gi")]
    assert guests(run("-o", "vmi", "-f", "x.yaml")) == [("x", "1Gi")]


OTHER = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachine{scope}Instancetype
metadata: {{name: m.small{namespace}}}
spec: {{cpu: {{guest: 1}}, memory: {{guest: {guest}}}}}
"""


@pytest.mark.usefixtures("catalog")
def test_naming_their_own_catalog_changes_nothing_for_templates(run: Run) -> None:
    deployed = [DB, DB, ("web", "3Gi"), ("web", "1Gi")]
    assert guests(run("-o", "vmi", "--catalog", "catalog")) == deployed
    assert guests(run("-o", "vmi", "-f", "catalog/vms", "--catalog", "catalog")) == deployed


@pytest.mark.usefixtures("catalog")
def test_a_catalog_that_is_named_need_not_be_called_catalog(run: Run) -> None:
    Path("catalog").rename("shop")
    assert guests(run("-o", "vmi", "--catalog", "shop")) == [DB, DB, ("web", "3Gi"), ("web", "1Gi")]


@pytest.mark.usefixtures("catalog")
def test_templates_meet_manifests_that_are_named_in_place_of_their_catalogs_objects(run: Run) -> None:
    objects = OTHER.format(scope="", namespace=", namespace: lab", guest="5Gi")
    objects += "---\n" + OTHER.format(scope="Cluster", namespace="", guest="7Gi")
    arguments = ["-o", "vmi", "-f", "catalog/vms/web.yaml.j2", "--catalog", "objects.yaml"]
    assert guests(run(*arguments, objects_yaml=objects)) == [("web", "5Gi"), ("web", "7Gi")]


@pytest.mark.usefixtures("catalog")
def test_templates_meet_what_another_catalog_deploys_to_the_environment_of_that_name(run: Run) -> None:
    copytree("catalog", "other")
    Path("other/instancetypes/m.yaml").write_text(CATALOG["instancetypes/m.yaml"].replace("1Gi", "2Gi"))
    Path("other/overlays.yaml").write_text(CATALOG["overlays.yaml"].replace("3Gi", "6Gi"))
    arguments = ["-o", "vmi", "-f", "catalog/vms/web.yaml.j2", "--catalog", "other"]
    assert guests(run(*arguments)) == [("web", "6Gi"), ("web", "2Gi")]


@pytest.mark.usefixtures("catalog")
def test_a_template_that_is_not_there(run: Run) -> None:
    result = run("-f", "catalog/vms/missing.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("catalog/vms/missing.yaml: there is no such file or folder")


@pytest.mark.usefixtures("catalog")
def test_other_vms_meet_the_objects_of_every_environment_that_they_can_be_in(run: Run) -> None:
    named = "runStrategy: Always\n          instancetype: {kind: VirtualMachineInstancetype, name: m.small}"
    there = vm("x", named, domain="").replace("{name: x}", "{name: x, namespace: lab}")
    assert guests(run("-o", "vmi", "-f", "x.yaml", x_yaml=there)) == [("x", "3Gi")]
    elsewhere = vm("x", "runStrategy: Always\n          instancetype: {name: m.small}", domain="")
    assert guests(run("-o", "vmi", "-f", "x.yaml", x_yaml=elsewhere)) == [("x", "1Gi")]


@pytest.mark.usefixtures("catalog")
def test_what_is_said_of_a_vm_names_its_environment(run: Run) -> None:
    refused = vm("x", "runStrategy: Always\n          instancetype: {name: m.smal}", domain="")
    result = run("-f", "live=x.yaml", "-o", "json", x_yaml=refused)
    assert result.exit_code == 1
    assert "x.yaml:6:18: VirtualMachine/x: spec.instancetype.name: there is no" in result.stderr
    assert "(refused by virt-controller) (in live)" in result.stderr
    assert '"environment": "live"' in result.stdout


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-e", "liv"], "there is no environment 'liv' in catalog; did you mean 'live'?"),
        (["-f", "liv=catalog/vms"], "there is no environment or cluster 'liv' in catalog; did you mean 'live'?"),
        (["-f", "x.yaml", "-e", "live", "--catalog", "x.yaml"], "there is no environment 'live' in x.yaml"),
    ],
)
def test_an_environment_that_is_not_there(run: Run, arguments: list[str], problem: str) -> None:
    result = run(*arguments, x_yaml=vm("x"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{problem}\n" in result.stderr


def test_an_output_tree_is_as_good_as_its_objects(run: Run, catalog: str, tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["build", catalog, "--output-dir", str(tmp_path / "tree")]).exit_code == 0
    (tmp_path / "vm.yaml").write_text(CATALOG["vms/db.yaml"])
    result = run("-f", "vm.yaml", "-f", "tree")
    assert (result.exit_code, result.stderr) == (0, "")
