"""A repository with a catalog of ours, and a chart and a HelmRelease with a VM beside it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from repository_cases import lines, report

from virtcatalog.cli import main
from virtcatalog.scaffold.content import contents

_RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: vms, namespace: prod}
spec:
  chart: {spec: {chart: raw, sourceRef: {kind: HelmRepository, name: elsewhere}}}
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
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True)


def test_what_is_named_nowhere_is_the_catalog_and_what_differs_beside_it_is_said() -> None:
    plan, status = report("HEAD^", "HEAD")
    (problem,) = plan["notRendered"]
    assert (lines(plan), problem["file"], status) == ([], "apps/vms.yaml", 0)
    assert problem["message"] == "differs, and the catalog alone is compared: VMs beside it are with `--catalog .`"
    assert report("HEAD", "HEAD")[0]["notRendered"] == []
    assert CliRunner().invoke(main, ["check"]).exit_code == 0


def test_the_folder_is_the_repository_with_the_types_that_the_catalog_built() -> None:
    plan, status = report("-c", ".", "HEAD^", "HEAD")
    assert lines(plan) == ["vms: prod/web restart/changed apps/vms.yaml:13"]
    assert [problem["file"] for problem in plan["notRendered"]] == ["HEAD:apps/vms.yaml"]
    assert status == 1
