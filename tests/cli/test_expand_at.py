"""`virtcatalog expand --at`: VMs with the catalog of a git revision."""

from __future__ import annotations

from pathlib import Path

import pytest
from expanding import Run, vm

from checkouts import git

CATALOG = "name: house\nkubevirt: v1.7.0\n"
SIZES = "class: m\nsizes:\n  large: {{vcpus: 2, memory: {}}}\n"
VM = vm("web", spec="instancetype: {name: m.large}\n          runStrategy: Always", domain="resources: {}")
OBJECT = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: m.large}
spec: {cpu: {guest: 2}, memory: {guest: 3Gi}}
"""


@pytest.fixture(autouse=True)
def house(run: Run) -> Path:
    """A repository whose tag v1 has a type of 4Gi and a VM template, and whose working tree has one of 8Gi."""
    house = Path("catalog")
    (house / "instancetypes").mkdir(parents=True)
    (house / "vms").mkdir()
    (house / "catalog.yaml").write_text(CATALOG)
    (house / "instancetypes" / "m.yaml").write_text(SIZES.format("4Gi"))
    (house / "vms" / "old.yaml").write_text(VM.replace("name: web", "name: old"))
    Path("tree").mkdir()
    Path("tree/m.yaml").write_text(OBJECT)
    git(".", "init", "-q")
    git(".", "add", ".")
    git(".", "commit", "-q", "-m", "one")
    git(".", "tag", "v1")
    (house / "instancetypes" / "m.yaml").write_text(SIZES.format("8Gi"))
    (house / "vms" / "old.yaml").unlink()
    (house / "vms" / "new.yaml").write_text(VM.replace("name: web", "name: new"))
    Path("tree/m.yaml").unlink()
    Path("vm.yaml").write_text(VM)
    return house


def memory(text: str) -> str:
    return text.partition('<memory unit="b">')[2].partition("</memory>")[0]


def test_a_vm_meets_the_catalog_as_it_was(run: Run) -> None:
    now, then = run("-f", "vm.yaml"), run("-f", "vm.yaml", "--at", "v1")
    assert (now.exit_code, then.exit_code, then.stderr) == (0, 0, "")
    assert (memory(now.stdout), memory(then.stdout)) == (str(8 * 2**30), str(4 * 2**30))


def test_without_a_vm_those_of_the_revision_are_expanded(run: Run) -> None:
    result = run("--at", "v1")
    assert result.exit_code == 0
    assert "<name>default_old</name>" in result.stdout
    assert memory(result.stdout) == str(4 * 2**30)


def test_a_vm_template_of_the_working_tree_meets_the_revision_s_catalog(run: Run) -> None:
    result = run("-f", "catalog/vms/new.yaml", "--at", "v1")
    assert "<name>default_new</name>" in result.stdout
    assert memory(result.stdout) == str(4 * 2**30)


def test_a_folder_of_manifests_is_taken_from_the_revision_too(run: Run) -> None:
    result = run("-f", "vm.yaml", "-c", "tree", "--at", "v1")
    assert memory(result.stdout) == str(3 * 2**30)


def test_the_working_tree_stays_as_it_is(run: Run) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in Path().rglob("*") if path.is_file())
    run("-f", "vm.yaml", "--at", "v1")
    assert sorted((path, path.stat().st_mtime_ns) for path in Path().rglob("*") if path.is_file()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-f", "vm.yaml", "--at", "v9"), "'v9' is no git revision"),
        (("-f", "vm.yaml", "--at", "--exec=x"), "'--exec=x' is no git revision"),
        (("-f", "vm.yaml", "--at", ""), "'' is no git revision"),
        (("-f", "vm.yaml", "-c", "other", "--at", "v1"), "v1:other: there is nothing in this revision"),
        (("-c", "tree", "--at", "v1"), "tree is no catalog that holds VM templates in this revision"),
    ],
)
def test_what_is_not_there(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {message}")


def test_what_is_wrong_in_the_revision_is_named_there(run: Run) -> None:
    Path("catalog/catalog.yaml").write_text("name: [\n")
    Path("tree").mkdir(exist_ok=True)
    Path("tree/m.yaml").write_text(OBJECT.replace("guest: 2", "guest: x"))
    git(".", "add", ".")
    git(".", "commit", "-q", "-m", "broken")
    result = run("-f", "vm.yaml", "--at", "HEAD")
    assert result.exit_code == 2
    assert result.stderr.startswith("HEAD:catalog/catalog.yaml:")
    result = run("-f", "vm.yaml", "-c", "tree", "--at", "HEAD")
    assert result.exit_code == 2
    assert result.stderr.startswith("HEAD:tree/m.yaml:4:")
