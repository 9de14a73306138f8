"""What a change is compared with, and whether its repository has a catalog."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from checkouts import git, write
from mains import run_as_program
from virtcatalog.ci import base, kind

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")


@pytest.fixture
def commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The base of a change in the current folder: it had a catalog, which is gone."""
    write(tmp_path, {"catalog/catalog.yaml": "name: a\n", "readme": ""})
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "base")
    shutil.rmtree(tmp_path / "catalog")
    monkeypatch.chdir(tmp_path)
    return git(tmp_path, "rev-parse", "HEAD")


def test_the_base_is_printed_as_a_commit(commit, capsys):
    assert base.main("HEAD") == 0
    assert capsys.readouterr().out == f"{commit}\n"


def test_a_base_that_cannot_be_had_is_said(commit, capsys):
    assert base.main("none") == 2
    assert capsys.readouterr() == ("", "error: git fetch: 'origin' does not appear to be a git repository\n")


@pytest.mark.parametrize(
    ("folder", "revision", "word"),
    [
        ("catalog", "", "repository"),
        ("catalog", "HEAD", "catalog"),  # who takes it away does not pass its checks
        ("elsewhere", "", "catalog"),  # a place that somebody names is meant
    ],
)
def test_a_repository_has_a_catalog_before_the_change_or_after_it(commit, capsys, folder, revision, word):
    assert kind.main(folder, revision) == 0
    assert capsys.readouterr().out == f"{word}\n"


def test_a_catalog_that_is_there_needs_no_revision(commit, capsys):
    write(".", {"catalog/catalog.yaml": "name: a\n"})
    assert kind.main("catalog", "none") == 0
    assert capsys.readouterr().out == "catalog\n"


def test_a_base_without_a_catalog_is_that_of_a_repository(commit, capsys):
    git(".", "rm", "--quiet", "-r", "--cached", "catalog")
    git(".", "commit", "--quiet", "--message", "gone")
    assert kind.main("catalog", "HEAD") == 0
    write(".", {"catalog/readme": ""})
    git(".", "add", "--all")
    git(".", "commit", "--quiet", "--message", "a folder")
    assert kind.main("catalog", "HEAD") == 0
    assert capsys.readouterr().out == "repository\n" * 2


def test_a_revision_that_cannot_be_had_is_said(commit, capsys):
    assert kind.main("catalog", "none") == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_without_a_revision_the_files_decide(commit, capsys):
    assert kind.main("catalog") == 0
    assert capsys.readouterr().out == "repository\n"


@pytest.mark.parametrize(
    ("module", "arguments", "word"), [("base", ["HEAD"], None), ("kind", ["catalog", "HEAD"], "catalog")]
)
def test_it_is_run_as_a_module_with_its_arguments(commit, capsys, module, arguments, word):
    assert run_as_program(f"virtcatalog.ci.{module}", *arguments) == 0
    assert capsys.readouterr().out == f"{word or commit}\n"
