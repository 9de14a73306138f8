"""What git is started with: a repository is only read, and nothing that the environment says leads elsewhere."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from virtcatalog.manifests.gitprocess import Git, GitError

#: A git that notes what it is started with.
PROGRAM = """\
#!/bin/sh
[ "$1" != version ] || { echo git version 2.50.1; exit; }
{ echo "$@"; env | grep -E "^(GIT_|LC_ALL=|HOME=)" | sort; echo; } >> "$NOTES"
"""
OPTIONS = (
    "--no-pager --literal-pathspecs -c safe.bareRepository=explicit -c core.hooksPath=/dev/null -c core.fsmonitor=false"
)
SAFE = [
    "GIT_ALLOW_PROTOCOL=",
    "GIT_ATTR_NOSYSTEM=1",
    "GIT_CONFIG_GLOBAL=/dev/null",
    "GIT_CONFIG_NOSYSTEM=1",
    "GIT_NO_LAZY_FETCH=1",
    "GIT_NO_REPLACE_OBJECTS=1",
    "GIT_OPTIONAL_LOCKS=0",
    "GIT_TERMINAL_PROMPT=0",
]
ELSEWHERE = (
    *("DIR", "WORK_TREE", "COMMON_DIR", "INDEX_FILE", "PREFIX", "NAMESPACE", "CONFIG", "SHALLOW_FILE"),
    *("OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES", "QUARANTINE_PATH", "REPLACE_REF_BASE", "GRAFT_FILE"),
)
PASSED_ON = ("CEILING_DIRECTORIES", "DISCOVERY_ACROSS_FILESYSTEM", "EXEC_PATH")
OTHERS = ("SSH_COMMAND", "CONFIG_COUNT", "EXTERNAL_DIFF", "ASKPASS")


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program, notes = tmp_path / "bin" / "git", tmp_path / "notes"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("NOTES", str(notes))
    monkeypatch.setenv("HOME", "/home/me")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name in (*ELSEWHERE, *PASSED_ON, *OTHERS):
        monkeypatch.setenv(f"GIT_{name}", "mine")
    return notes


def started(notes: Path) -> tuple[str, list[str]]:
    """What git was started with last: its words, and the environment."""
    words, *environment = notes.read_text().rstrip().split("\n\n")[-1].splitlines()
    return words, environment


def test_what_only_reads_gets_no_settings_but_the_repositorys_own(notes: Path, tmp_path: Path) -> None:
    git = Git(tmp_path)
    passed_on = [f"GIT_{name}=mine" for name in PASSED_ON]
    assert started(notes) == (
        f"{OPTIONS} -C {tmp_path} rev-parse --show-prefix",
        sorted([*SAFE, *passed_on, "HOME=/home/me", "LC_ALL=C"]),
    )
    git.run("ls-tree", "HEAD")
    assert started(notes)[0] == f"{OPTIONS} -C {tmp_path} ls-tree HEAD"


def test_what_fetches_has_the_users_settings_and_is_led_to_no_other_repository(notes: Path, tmp_path: Path) -> None:
    git = Git(tmp_path)
    with suppress(GitError):
        git.fetch("topic")
    words, environment = started(notes)
    passed_on = [f"GIT_{name}=mine" for name in (*PASSED_ON, *OTHERS)]
    assert environment == sorted([*passed_on, "GIT_TERMINAL_PROMPT=0", "HOME=/home/me", "LC_ALL=C"])
    quiet = "--quiet --no-tags --no-recurse-submodules --no-auto-maintenance"
    assert words == f"{OPTIONS} -C {tmp_path} fetch {quiet} -- origin topic"
