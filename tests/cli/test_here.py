"""`virtcatalog` alone: what is here, and what comes next."""

from __future__ import annotations

import subprocess
from pathlib import Path

import house
import pytest
from click.testing import CliRunner

from virtcatalog.cli import COMMANDS, GROUPS, main

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Always, template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}}}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def first_and_commands() -> tuple[str, list[str]]:
    """What is here, and the commands."""
    result = CliRunner().invoke(main)
    assert result.exit_code == 0, result.output
    first, _, *commands, _, last = result.stdout.splitlines()
    assert last == "virtcatalog --help lists all commands."
    return first, [line.split()[1] for line in commands]


def test_where_nothing_is():
    assert first_and_commands() == ("There is no catalog here.", ["init", "create", "expand"])


def test_in_a_catalogs_repository(folder):
    house.write(folder, house.FIRST)
    first, commands = first_and_commands()
    assert first.startswith("catalog/ is a catalog: ")
    assert commands == ["check", "build", "diff"]


def test_in_a_broken_catalog(folder):
    (folder / "catalog.yaml").write_text("name: x\n")
    assert first_and_commands()[0] == "This folder is a catalog with 1 problem."


def test_in_a_repository_without_a_catalog(folder):
    subprocess.run(["git", "init", "-q"], check=True)
    assert first_and_commands()[0] == "This repository has no catalog, and deploys no VM that is found."
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "vm.yaml").write_text(VM.replace("web", name))
        (folder / name / "kustomization.yaml").write_text("resources: [vm.yaml]\n")
    assert first_and_commands() == (
        "This repository has no catalog, and deploys 2 VMs to 2 environments.",
        ["diff", "expand", "adopt"],
    )


def test_help_lists_the_commands_by_who_uses_them():
    text = CliRunner().invoke(main, ["--help"], terminal_width=80).stdout
    places = [text.index(f"\n{title}:\n") for title in GROUPS]
    assert places == sorted(places)
    assert [line.split()[0] for line in text[places[0] :].splitlines() if line[:2] == "  " and line[2] != " "] == [
        *COMMANDS
    ]


def test_what_comes_next_is_said_in_words(folder, monkeypatch, snapshot):
    """Where nothing is, in a catalog's repository, in its catalog, and in a repository that deploys one VM."""
    texts = [CliRunner().invoke(main).stdout]
    house.write(folder, house.FIRST)
    texts.append(CliRunner().invoke(main).stdout)
    monkeypatch.chdir(folder / "catalog")
    texts.append(CliRunner().invoke(main).stdout)
    other = {"web/vm.yaml": VM, "web/kustomization.yaml": "resources: [vm.yaml]\n", ".git/x": ""}
    house.write(folder / "other", other)
    monkeypatch.chdir(folder / "other")
    texts.append(CliRunner().invoke(main).stdout)
    assert "---\n".join(texts) == snapshot
