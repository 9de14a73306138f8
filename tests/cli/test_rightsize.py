"""`virtcatalog rightsize`: whole runs over files and repositories."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from checkouts import write
from virtcatalog.cli import main


def instancetype(name: str, cpus: int, memory: str) -> str:
    return (
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
        f"metadata: {{name: {name}}}\nspec: {{cpu: {{guest: {cpus}}}, memory: {{guest: {memory}}}}}\n"
    )


VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}  # ours
spec:
  runStrategy: Always
  instancetype: {name: m.large}
  template:
    spec:
      domain: {devices: {interfaces: [{name: default, masquerade: {}}]}}
      networks: [{name: default, pod: {}}]
"""
PATCH = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {instancetype: {name: m.small}}
"""


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A VM that two environments deploy, one of which patches its type."""
    sizes = instancetype("m.small", 1, "2Gi") + "---\n" + instancetype("m.large", 4, "8Gi")
    files = {
        "types/m.yaml": sizes,
        "git/base/vm.yaml": VM,
        "git/base/kustomization.yaml": "resources: [vm.yaml]\n",
        "git/prod/kustomization.yaml": "namespace: shop\nresources: [../base]\n",
        "git/lab/kustomization.yaml": "namespace: lab\nresources: [../base]\npatches: [{path: type.yaml}]\n",
        "git/lab/type.yaml": PATCH,
        "usage.csv": "namespace,name,cpu,memory\nshop,web,0.5,1000000000\nlab,web,2,3000000000\n",
    }
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)


def run(*arguments: str, status: int = 1) -> Result:
    result = CliRunner().invoke(main, ["rightsize", "-c", "types", "--metrics", "usage.csv", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == status, result.stderr
    return result


def test_vms_of_a_repository_are_judged_as_they_are_deployed() -> None:
    lines = run("-f", "git").stdout.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["VM", "lab/web (in lab)", "shop/web (in prod)"]
    assert ["m.small" in line and "m.large" in line for line in lines[1:]] == [True, True]


def test_an_environment_is_looked_at_alone() -> None:
    result = run("-f", "git", "-e", "prod")
    assert "shop/web" in result.stdout
    assert "lab/web" not in result.stdout
    assert "the metrics name 1 VM that is not given: lab/web" in result.stderr


def test_a_size_is_named_in_the_file_in_which_the_vm_stands() -> None:
    run("-f", "git", "-e", "prod", "-i")
    assert Path("git/base/vm.yaml").read_text() == VM.replace("m.large", "m.small")
    assert Path("git/lab/type.yaml").read_text() == PATCH


def test_a_size_that_a_patch_gives_is_refused_at_its_line() -> None:
    result = run("-f", "git", "-i", status=2)
    assert (
        "git/lab/type.yaml:4:23: VirtualMachine/lab/web: spec.instancetype.name: is written otherwise" in result.stderr
    )
    assert "would not be the same in each environment that deploys it" in result.stderr
    assert Path("git/base/vm.yaml").read_text() == VM


def test_one_that_another_environment_deploys_as_it_is_stays() -> None:
    Path("git/lab/kustomization.yaml").write_text("namespace: lab\nresources: [../base]\n")
    result = run("-f", "git", "-e", "prod", "-i", status=2)
    assert "would change otherwise than it should, so that nothing is written" in result.stderr
    assert Path("git/base/vm.yaml").read_text() == VM


def test_a_file_that_cannot_be_rewritten_keeps_no_other_from_it() -> None:
    shared = VM.replace("{name: web}", "{name: web, namespace: shop, labels: {a: &n m.large}}")
    shared, other = shared.replace("{name: m.large}", "{name: *n}"), VM.replace("{name: web}", "{name: db}")
    write(Path(), {"vms/web.yaml": shared, "vms/db.yaml": other})
    Path("usage.csv").write_text("namespace,name,cpu,memory\nshop,web,0.5,1000000000\ndefault,db,0.5,1000000000\n")
    result = run("-f", "vms", "-i", status=2)
    assert (
        "vms/web.yaml: cannot be rewritten: what must change is shared through YAML anchors, aliases or <<: "
        "write it out first\n"
    ) in result.stderr
    assert Path("vms/web.yaml").read_text() == shared
    assert Path("vms/db.yaml").read_text() == other.replace("m.large", "m.small")


def test_vms_of_one_name_are_not_told_apart_by_metrics() -> None:
    Path("git/lab/kustomization.yaml").write_text("namespace: shop\nresources: [../base]\n")
    result = run("-f", "git", status=2)
    assert "shop/web: is there 2 times: name an environment with -e" in result.stderr
    assert result.stdout.count("unknown") == 2


def test_csv_has_a_row_of_each_vm() -> None:
    Path("vm.yaml").write_text(VM.replace("{name: web}", "{name: web, namespace: shop}"))
    Path("types/m.yaml").write_text(Path("types/m.yaml").read_text().replace("m.large", "m.larger"))
    (row,) = csv.DictReader(io.StringIO(run("-f", "vm.yaml", "-o", "csv", status=2).stdout))
    assert row["name"] == "shop/web"
    assert row["why"].startswith("there is no VirtualMachineClusterInstancetype m.large")
    assert (row["cpu"], row["savesPerMonth"]) == ("0.5", "")


def test_csv_holds_no_formula() -> None:
    Path("vm.yaml").write_text(VM.replace("{name: web}", "{name: web, namespace: shop}").replace("m.large", "=1+2"))
    Path("types/m.yaml").write_text(Path("types/m.yaml").read_text().replace("m.large", "=1+2"))
    (row,) = csv.DictReader(io.StringIO(run("-f", "vm.yaml", "-o", "csv").stdout))
    assert row["instancetype"] == "'=1+2"
