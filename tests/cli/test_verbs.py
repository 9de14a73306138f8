"""Every command over a whole repository, as a terminal of 80 and of 160 columns shows it: read it as a user would.

`pytest --snapshot-update` writes what has changed; look at that diff.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import house
import pytest
from click.testing import CliRunner

from virtcatalog.cli import COMMANDS, main, table

RUNS = (
    "init new --name new",
    "build",
    "build --check",
    "build broken",
    "check",
    "check broken",
    "check -f refused.yaml -f preset.yaml",
    "check -f refused.yaml -o github",
    "check --pairs",
    "diff",
    "diff -o markdown",
    "diff main change -f inline.yaml",
    "diff -c catalog --kubevirt v1.8.4 v1.9.0",
    "expand -e lab",
    "expand -f catalog/vms -o vmi -e production",
    "expand -f catalog/vms -o explain -e production",
    "expand -f catalog/vms -o disks -e production",
    "expand -f catalog/vms -o diff -e production",
    "expand -f catalog/vms -o pod -e production",
    "expand -f refused.yaml -f preset.yaml",
    "expand -f nowhere.yaml",
    "explain -f catalog/vms -e production --xml //vcpu",
    "explain -f catalog/vms -e production --field memory.guest",
    "explain -f refused.yaml --field spec.template.spec.domain.memory.guest",
    "list",
    "list --min-memory 8Gi -o csv",
    "list --class x",
    "list preferences -o yaml",
    "list preferences nonsense",
    "list templates",
    "list environments -o json",
    "show m.large",
    "show house.windows",
    "show production -o yaml",
    "show house.linux -o yaml",
    "compare m.small m.large",
    "compare m.large house.linux",
    "impact m.large fast-disks",
    "impact nonsense",
    "adopt -f inline.yaml",
    "adopt -f inline.yaml -o diff",
    "adopt -f refused.yaml",
    "drift --live live.yaml -e production",
    "drift --live live.yaml -e production web",
    "drift --live live.yaml",
    "dump --live live.yaml",
    "verify --live live.yaml",
    "capacity -f nodes.yaml -f inline.yaml",
    "rightsize -f inline.yaml --metrics usage.csv",
    "convert -f preset.yaml",
    "create vm --name web --instancetype m.large --preference house.linux --run-strategy Halted",
    "create vm --name web --instancetype m.lrage",
    "template process -f template.yaml -p NAME=web",
    "template process -f template.yaml",
    "release v1.0.0 --date 2026-01-02",
    "release 1",
    "gitops flux --repo-url https://git.example.org/house.git",
    "gitops argocd --repo-url https://git.example.org/house.git",
    "hosts",
    "schema components",
    "completion bash",
    "build --fresh",
    "bild",
)
#: Commands whose whole runs are elsewhere, with where.
ELSEWHERE = {
    "import": "test_import_libvirt.py",
    "man": "test_man.py",
    "pull": "../oci",
    "push": "../oci",
    "site": "../site",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("house") / "house"
    root.mkdir()
    house.build(root)
    return root


@pytest.fixture
def repository(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(built, tmp_path / "house")
    monkeypatch.chdir(tmp_path / "house")


def run(arguments: str, width: int) -> str:
    result = CliRunner().invoke(main, shlex.split(arguments), terminal_width=width, prog_name="virtcatalog")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return f"$ virtcatalog {arguments}\n{result.stdout}--- stderr\n{result.stderr}--- exit status {result.exit_code}\n"


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("arguments", RUNS)
def test_whole_runs(arguments, width, snapshot, monkeypatch):
    monkeypatch.setattr(table, "columns_of_terminal", lambda: width)
    assert run(arguments, width) == snapshot(name=f"{width} columns: {arguments}")


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("command", COMMANDS)
def test_help(command, width, snapshot):
    assert run(f"{command} --help", width) == snapshot(name=f"{width} columns: {command} --help")


def test_no_command_is_left_out():
    assert {run.split()[0] for run in RUNS} | set(ELSEWHERE) >= set(COMMANDS)
    assert not set(ELSEWHERE) - set(COMMANDS)
    assert all(Path(__file__).parent.joinpath(file).exists() for file in ELSEWHERE.values())
