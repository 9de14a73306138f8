"""Settings of git that a stranger has written are commands, and none of virtcatalog's own has git run them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from checkouts import git, write
from hostilegit import NOWHERE, make_hostile
from virtcatalog.cli import main
from virtcatalog.cli.complete import Bash
from virtcatalog.manifests import gitprocess
from virtcatalog.scaffold.content import contents

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")

VERBS = (
    ["diff"],
    ["diff", "HEAD"],
    ["diff", "main...HEAD"],
    ["diff", "--base", "HEAD"],
    ["diff", "--base", "main", "--head", NOWHERE],
    ["expand", "--at", "HEAD", "-c", "."],
    ["site", "."],
    ["site", ".", "--revision", "HEAD"],
    ["site", ".", "--tree", "../output"],
    ["build", "."],
    ["check", "."],
    ["list", "-c", "."],
    ["impact", "-c", ".", "std"],
    ["release", "v1.0.0", "."],
    ["import", "objects", "."],
    ["gitops", "flux", ".", "--repo-url", "https://git.example.org/house.git"],
    ["init", "house"],
)
#: Those that ask git, and so can't go on.
ASKING = [arguments for arguments in VERBS if arguments[0] in ("diff", "expand", "site")]
LINES = ("diff ", "diff --base ", "diff main..", "site --revision ", "expand --at ", "list types ")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a catalog, as `init` writes it: made once, and copied for every test."""
    root = tmp_path_factory.mktemp("house")
    write(root, contents("house"))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    git(root, "repack", "-adq")
    return root


@pytest.fixture
def checkout(tmp_path: Path, house: Path) -> Path:
    return shutil.copytree(house, tmp_path / "checkout", symlinks=True)


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """What each of the commands writes into."""
    return tmp_path / "marker"


def ran(marker: Path) -> str:
    return marker.read_text() if marker.exists() else ""


def complete(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_LINE", f"virtcatalog {line}")
    Bash(main, {}, "virtcatalog", "_VIRTCATALOG_COMPLETE").complete()


def test_such_a_folder_runs_commands_when_git_is_simply_started_in_it(tmp_path: Path, marker: Path) -> None:
    """What the others hold would be held by a harmless folder, too."""
    make_hostile(tmp_path / "bare", marker)
    subprocess.run(["git", "rev-parse", "--verify", "HEAD^{commit}"], cwd=tmp_path / "bare", check=False)
    assert "uploadpack" in ran(marker)


@pytest.mark.parametrize("arguments", VERBS, ids=" ".join)
def test_a_committed_folder_that_is_a_bare_repository_runs_nothing(
    checkout: Path, marker: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_hostile(checkout / "catalog", marker)
    monkeypatch.chdir(checkout / "catalog")
    done = CliRunner().invoke(main, arguments)
    assert ran(marker) == ""
    assert done.exit_code in (0, 1, 2), done.output
    if arguments in ASKING:
        assert "cannot use bare repository" in done.stderr
        assert done.exit_code == 2


@pytest.mark.parametrize("line", LINES)
def test_nor_does_the_completion_of_a_line(
    checkout: Path, marker: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_hostile(checkout / "catalog", marker)
    monkeypatch.chdir(checkout / "catalog")
    complete(line, monkeypatch)
    assert ran(marker) == ""


@pytest.mark.parametrize("arguments", [["site"], ["site", "--tree", "elsewhere"], ["diff", "main"]], ids=" ".join)
def test_nor_does_whoever_stands_beside_it(
    checkout: Path, marker: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_hostile(checkout / "catalog", marker)
    make_hostile(checkout / "elsewhere", marker)
    monkeypatch.chdir(checkout)
    CliRunner().invoke(main, arguments)
    assert ran(marker) == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["diff"],
        ["diff", "main"],
        ["diff", "--base", NOWHERE],
        ["diff", "evil..main"],
        ["expand", "--at", "main"],
        ["expand", "--at", "evil"],
        ["site"],
        ["site", "--revision", "main"],
        ["site", "--revision", "evil"],
    ],
    ids=" ".join,
)
def test_settings_of_the_repository_itself_run_nothing_where_it_is_read(
    checkout: Path, marker: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It came as an archive, say: nothing but its objects is asked for."""
    make_hostile(checkout / ".git", marker, bare=False)
    (checkout / ".git/refs/heads/evil").write_text(f"{NOWHERE}\n")
    (checkout / ".gitattributes").write_text("* diff=evil filter=evil\n")
    monkeypatch.chdir(checkout)
    CliRunner().invoke(main, arguments)
    complete("diff ", monkeypatch)
    assert ran(marker) == ""


def test_settings_of_the_user_and_the_machine_do_not_count(
    checkout: Path, tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that a checkout lies in, or that an earlier job has written into."""
    make_hostile(tmp_path / "settings", marker)
    shutil.copy(tmp_path / "settings/config", tmp_path / ".gitconfig")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(tmp_path / ".gitconfig"))
    monkeypatch.chdir(checkout)
    for arguments in (["diff", "main"], ["diff", NOWHERE], ["site"]):
        CliRunner().invoke(main, arguments)
    assert ran(marker) == ""


def test_variables_that_lead_elsewhere_do_not_count(
    checkout: Path, tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks of git's have them: of the repository that was pushed to, or that holds this one."""
    make_hostile(tmp_path / "elsewhere", marker)
    for name in ("GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(tmp_path / "elsewhere/run"))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    monkeypatch.chdir(checkout / "catalog")
    done = CliRunner().invoke(main, ["diff", "main", "--catalog", "."])
    assert (done.exit_code, ran(marker)) == (0, ""), done.output
    assert "2 VM templates: nothing changes; no object changes" in done.stdout
    assert not (tmp_path / "trace").exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
class TestARepositoryOfSomebodyElse:
    """In CI, a container runs as root and the checkout was made by another user."""

    @pytest.fixture(autouse=True)
    def given_away(self, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for path in (checkout, *checkout.rglob("*")):
            os.chown(path, 65534, 65534)
        (tmp_path / "home").mkdir()
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(tmp_path / "system"))
        monkeypatch.chdir(checkout)

    @pytest.mark.parametrize("arguments", [["diff", "main"], ["site"]], ids=" ".join)
    def test_is_not_read(self, arguments: list[str]) -> None:
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 2
        assert "detected dubious ownership" in done.stderr
        assert "safe.directory" in done.stderr

    @pytest.mark.parametrize("scope", ["home/.gitconfig", "system", "variables"])
    def test_unless_the_user_or_the_machine_trusts_it(
        self, checkout: Path, tmp_path: Path, scope: str, marker: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if scope == "variables":
            monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
            monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
            monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(checkout))
        else:
            (tmp_path / scope).write_text(f"[safe]\n\tdirectory = {checkout}\n[core]\n\tfsmonitor = {marker}\n")
        done = CliRunner().invoke(main, ["diff", "main"])
        assert done.exit_code == 0, done.output

    def test_and_not_because_it_says_so_itself(self, checkout: Path) -> None:
        with (checkout / ".git/config").open("a") as config:
            config.write("[safe]\n\tdirectory = *\n\tbareRepository = all\n")
        assert CliRunner().invoke(main, ["diff", "main"]).exit_code == 2


@pytest.mark.parametrize("version", ["git version 2.37.9", "git version 1.8", "nonsense", ""])
def test_an_older_git_is_refused(checkout: Path, tmp_path: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a committed folder for a repository, whatever it is told."""
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.chdir(checkout)
    for arguments in (["diff", "main"], ["site"]):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 2
        assert "revisions need git 2.38 or newer" in done.stderr


@pytest.mark.parametrize("version", ["git version 2.38.0", "git version 2.39.5 (Apple Git-154)", "git version 3.0.rc1"])
def test_a_newer_one_is_not(tmp_path: Path, version: str) -> None:
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    gitprocess._checked(str(program))


def test_without_git_a_site_has_no_past_and_a_comparison_fails(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(checkout)
    assert CliRunner().invoke(main, ["site"]).exit_code == 0
    done = CliRunner().invoke(main, ["diff", "main"])
    assert (done.exit_code, done.stderr) == (2, "error: git is not installed, or not in PATH\n")
