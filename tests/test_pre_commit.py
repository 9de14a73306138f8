"""The pre-commit hooks, run as pre-commit runs them: the entry at the top of the repository, without file names."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import otheryaml
from checkouts import write
from virtcatalog.scaffold.content import contents

HOOKS = {
    hook["id"]: hook for hook in otheryaml.load((Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text())
}

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")


@pytest.fixture(autouse=True)
def _installed(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    write(tmp_path, contents("house"))
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def passes(hook: str, repository: Path) -> bool:
    """Whether the hook ends well and leaves the files that Git knows as they were, which pre-commit asks for."""
    assert HOOKS[hook]["pass_filenames"] is False
    program, *arguments = shlex.split(HOOKS[hook]["entry"])
    before = git(repository, "diff")
    done = subprocess.run([program, *arguments], cwd=repository, check=False, capture_output=True)
    return done.returncode == 0 and git(repository, "diff") == before


def change(repository: Path, file: str, old: str, new: str) -> None:
    path = repository / "catalog" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    git(repository, "add", "--all")


@pytest.mark.parametrize("hook", HOOKS)
def test_a_fresh_and_sound_repository_passes(hook, repository):
    assert passes(hook, repository)


@pytest.mark.parametrize("hook", ["virtcatalog-build", "virtcatalog-fresh"])
def test_a_stale_tree_fails(hook, repository):
    change(repository, "instancetypes/std.yaml", "medium: {vcpus: 2}", "medium: {vcpus: 3}")
    assert not passes(hook, repository)


def test_a_new_object_changes_files_that_git_knows(repository):
    change(repository, "instancetypes/std.yaml", "  small: {vcpus: 1}", "  small: {vcpus: 1}\n  huge: {vcpus: 64}")
    assert not passes("virtcatalog-build", repository)


def test_once_built_it_passes(repository):
    change(repository, "instancetypes/std.yaml", "medium: {vcpus: 2}", "medium: {vcpus: 3}")
    assert not passes("virtcatalog-build", repository)
    git(repository, "add", "--all")
    assert all(passes(hook, repository) for hook in HOOKS)


def test_the_check_that_writes_nothing(repository):
    change(repository, "instancetypes/std.yaml", "medium: {vcpus: 2}", "medium: {vcpus: 3}")
    assert not passes("virtcatalog-fresh", repository)
    assert git(repository, "diff") == ""


def test_a_finding_fails(repository):
    change(repository, "vms/web-server.yaml", "std.medium", "std.none")
    assert not passes("virtcatalog-check", repository)


@pytest.mark.parametrize("hook", HOOKS)
def test_hooks_run_for_changes_of_the_catalog(hook):
    files = re.compile(HOOKS[hook]["files"])
    assert files.search("catalog/instancetypes/std.yaml")
    assert not files.search("docs/catalog/readme.md")
