"""Submodules hold another repository's files: they are named, and alike in a revision and in a checkout of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from repository_cases import manifest

from checkouts import git, write
from virtcatalog.cli import main


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout in which a kustomization builds upon a submodule, and a VM of its own has grown."""
    other, own = tmp_path / "other", tmp_path / "own"
    for folder, files in (
        (other, {"kustomization.yaml": "resources: [db.yaml]\n", "db.yaml": manifest("vm db")}),
        (own, {"k/kustomization.yaml": "resources: [../mods/x.y, web.yaml]\n", "k/web.yaml": manifest("vm web")}),
    ):
        write(folder, files)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "files")
    git(own, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "mods/x.y")
    git(own, "commit", "-q", "-m", "submodule")
    (own / "k/web.yaml").write_text(manifest("vm web cores=4"))
    monkeypatch.chdir(own)
    return own


@pytest.mark.parametrize("sides", [("HEAD^", "HEAD"), ("HEAD^",)])
def test_what_a_submodule_holds_is_named(here: Path, sides: tuple[str, ...]) -> None:
    git(here, "commit", "-q", "-a", "-m", "grown")
    done = CliRunner().invoke(main, ["diff", *sides])
    assert done.exit_code == 1
    assert "~ restart  k: web" in done.stdout
    assert "1 of 1 VM" in done.stdout
    assert "../mods/x.y is elsewhere, and nothing is fetched" in done.stdout
    assert "mods/x.y: is a submodule, a repository of its own" in done.stdout


def test_a_folder_of_checkouts_is_read(here: Path) -> None:
    done = CliRunner().invoke(main, ["expand", "-f", str(here.parent), "-o", "json"])
    assert done.exit_code == 0
    assert '"db"' in done.stdout
