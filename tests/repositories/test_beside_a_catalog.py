"""A repository with a catalog of ours, and a chart and a HelmRelease with a VM beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from repository_cases import HELM_RELEASE, REMOTE_CHART, lines, report

from checkouts import git, write
from virtcatalog.cli import main
from virtcatalog.scaffold.content import contents

_VALUES = """\
  values:
    resources:
      - apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: web}
        spec:
          runStrategy: Always
          instancetype: {name: std.small}
          template: {spec: {domain: {devices: {}}}}
"""
_RELEASE = HELM_RELEASE + REMOTE_CHART + _VALUES
_CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: vm\nversion: 0.1.0\n",
    "chart/templates/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n",
}


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository, with a commit that gives the VM of the HelmRelease a larger type of the catalog."""
    monkeypatch.chdir(tmp_path)
    _commit({**contents("house"), **_CHART, "apps/vms.yaml": _RELEASE})
    _commit({"apps/vms.yaml": _RELEASE.replace("std.small", "std.medium")})
    return tmp_path


def _commit(files: dict[str, str]) -> None:
    write(".", files)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a"]):
        git(".", *arguments)


def test_what_is_named_nowhere_is_the_catalog_and_what_differs_beside_it_is_said() -> None:
    plan, status = report("HEAD^", "HEAD")
    (problem,) = plan["notRendered"]
    assert (lines(plan), problem["file"], status) == ([], "apps/vms.yaml", 0)
    assert problem["message"] == "differs, and the catalog alone is compared: VMs beside it are with `--catalog .`"
    assert report("HEAD", "HEAD")[0]["notRendered"] == []
    assert CliRunner().invoke(main, ["check"]).exit_code == 0


def test_what_is_not_committed_yet_differs_too_and_a_dump_that_lies_there_does_not() -> None:
    write(".", {"dump.yaml": _RELEASE})
    assert report("HEAD")[0]["notRendered"] == []
    write(".", {"apps/vms.yaml": _RELEASE.replace("std.small", "std.large")})
    (problem,) = report("HEAD")[0]["notRendered"]
    assert problem["file"] == "apps/vms.yaml"


def test_a_link_that_leads_out_beside_the_catalog_is_named(repository: Path) -> None:
    link = repository / "apps" / "more.yaml"
    link.symlink_to("/etc/hostname")
    _commit({})
    for arguments in (("HEAD^", "HEAD"), ("HEAD^",), ("HEAD", "HEAD^")):
        (problem,) = report(*arguments)[0]["notRendered"]
        assert problem["file"] == "apps/more.yaml"
    assert report("HEAD", "HEAD")[0]["notRendered"] == []
    assert report("HEAD")[0]["notRendered"] == []
    link.unlink()
    link.write_text("a: b\n")
    (problem,) = report("HEAD")[0]["notRendered"]
    assert problem["file"] == "apps/more.yaml"
    git(".", "checkout", "-q", "apps")
    file = repository / "apps" / "vms.yaml"
    file.unlink()
    file.symlink_to("/etc/hostname")
    (problem,) = report("HEAD")[0]["notRendered"]
    assert (problem["file"], problem["message"].partition(",")[0]) == ("apps/vms.yaml", "differs")


def test_the_folder_is_the_repository_with_the_types_that_the_catalog_built() -> None:
    plan, status = report("-c", ".", "HEAD^", "HEAD")
    assert lines(plan) == ["vms: shop/web restart/changed apps/vms.yaml:13"]
    assert [problem["file"] for problem in plan["notRendered"]] == ["HEAD:apps/vms.yaml"]
    assert status == 1
