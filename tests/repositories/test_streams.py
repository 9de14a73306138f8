"""What other tools render is compared as it is: a file for each side, or both on standard input."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from repository_cases import manifest

from virtcatalog.cli import main

GROWN = "1 of 1 VM: web needs a restart by hand; no other object changes"
CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: vm\nversion: 0.1.0\n",
    "chart/values.yaml": "cores: 2\n",
    "chart/templates/vm.yaml": manifest("vm web cores=CORES").replace("CORES", "{{ .Values.cores }}"),
}


def diff(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, ["diff", *arguments, "--stat"], input=stdin)


def rendered(tool: str, *arguments: str) -> str:
    """What a tool prints, which may not be there."""
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool}")
    return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chart and a kustomization of one VM."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chart/templates").mkdir(parents=True)
    (tmp_path / "apps").mkdir()
    for path, text in CHART.items():
        (tmp_path / path).write_text(text)
    (tmp_path / "apps/kustomization.yaml").write_text("resources: [web.yaml]\nnamespace: prod\n")
    return tmp_path


def test_helm_template(here: Path) -> None:
    for file, cores in (("base.yaml", 2), ("head.yaml", 4)):
        (here / file).write_text(rendered("helm", "template", "web", "chart", "--set", f"cores={cores}"))
    done = diff("base.yaml", "head.yaml")
    assert (done.exit_code, done.stdout.strip()) == (1, GROWN)


def test_kubectl_kustomize(here: Path) -> None:
    sides = []
    for cores in (2, 4):
        (here / "apps/web.yaml").write_text(manifest(f"vm web cores={cores}"))
        sides.append(rendered("kubectl", "kustomize", "apps"))
    done = diff("-", stdin="=======\n".join(sides))
    assert (done.exit_code, done.stdout.strip()) == (1, GROWN.replace("web", "prod/web"))


@pytest.mark.parametrize("text", ["--- base\n+++ head\n@@ -1 +1 @@\n-  cores: 2\n+  cores: 4\n", "all is well\n"])
def test_what_only_prints_a_difference_is_no_manifest(here: Path, text: str) -> None:
    done = diff("-", stdin=f"{text}=======\n{text}")
    assert done.exit_code == 2
    assert "standard input: there is no manifest" in done.stderr


@pytest.mark.parametrize(
    "frame",
    [
        "---\n{vm}---\n",
        "---\n# Source: vm/templates/vm.yaml\n{vm}",
        "{vm}---\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n",
        "apiVersion: v1\nkind: List\nitems:\n- {item}",
    ],
)
def test_how_renderers_frame_objects(here: Path, frame: str) -> None:
    sides = []
    for number, cores in enumerate((2, 4)):
        # flux-local numbers objects, and numbers change with their neighbours.
        named = f"metadata:\n  annotations: {{config.kubernetes.io/index: '{number}'}}\n"
        vm = manifest(f"vm web cores={cores}").replace("metadata:\n", named)
        sides.append(frame.format(vm=vm, item=vm.replace("\n", "\n  ").rstrip(" ")))
    done = diff("-", stdin="=======\n".join(sides))
    assert (done.exit_code, done.stdout.strip()) == (1, GROWN)


def test_an_empty_side_is_refused(here: Path) -> None:
    (here / "base.yaml").write_text(manifest("vm web"))
    (here / "head.yaml").write_text("---\n")
    done = diff("base.yaml", "head.yaml")
    assert done.exit_code == 2
    assert "head.yaml: there is no catalog.yaml, and no manifest" in done.stderr
