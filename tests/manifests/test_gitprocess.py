"""What a git that fails, or that cannot be kept from harm, is refused with: the message, whole."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from time import monotonic

import pytest

from checkouts import git
from virtcatalog.manifests import gitprocess
from virtcatalog.manifests.gitprocess import Git, GitError, NoRepositoryError

#: A git whose commands do what the environment says: `rev-parse` prints nothing, and ends well.
PROGRAM = """\
#!/bin/sh
[ "$1" != version ] || { echo "$VERSION"; exit; }
case "$*" in
    *" config "*) exit 1;;
    *--is-shallow-repository*) echo "$SHALLOW"; exit 0;;
    *rev-parse*) [ -z "$FAULT" ] || { echo "fatal: $FAULT" >&2; exit 128; }; exit 0;;
    *count-objects*) printf 'size: %s\\nsize-pack: %s\\n' ${SIZES:-0 0}; exit 0;;
esac
eval "$COMMAND"
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "bin" / "git"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")
    monkeypatch.setenv("VERSION", "git version 2.50.1")
    return path


def fault(folder: Path, kind: type[GitError] = GitError) -> str:
    with pytest.raises(GitError) as caught:
        Git(folder)
    assert type(caught.value) is kind
    return str(caught.value)


@pytest.mark.parametrize(
    ("version", "shown"),
    [
        ("git version 2.37.9", "git version 2.37.9"),
        ("git version 1.99", "git version 1.99"),
        ("", "git of no version"),
        ("hello", "hello"),
    ],
)
def test_a_git_that_is_too_old_is_refused(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, shown: str
) -> None:
    monkeypatch.setenv("VERSION", version)
    assert fault(tmp_path) == (
        f"{program} is {shown}: revisions need git 2.38 or newer, which can be kept from running what a folder of "
        "strangers says"
    )


@pytest.mark.parametrize("version", ["git version 2.38.0", "git version 2.39 (Apple)", "git version 3.0"])
def test_the_oldest_git_and_newer_ones_are_taken(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("VERSION", version)
    assert Git(tmp_path).prefix == ""


def test_without_git_there_is_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert fault(tmp_path, NoRepositoryError) == "git is not installed, or not in PATH"


def test_a_git_that_does_not_start_says_why(program: Path, tmp_path: Path) -> None:
    program.write_text("#!/no/such/shell\n")
    assert fault(tmp_path) == "git cannot be run: No such file or directory"


@pytest.mark.parametrize(
    ("stderr", "kind", "message"),
    [
        (
            "not a git repository (or any of the parent directories): .git",
            NoRepositoryError,
            "git rev-parse: not a git repository (or any of the parent directories): .git",
        ),
        (
            "cannot change to 'x': No such file or directory",
            NoRepositoryError,
            "git rev-parse: cannot change to 'x': No such file or directory",
        ),
        (
            "cannot use bare repository 'x' (safe.bareRepository is 'explicit')",
            GitError,
            (
                "git rev-parse: cannot use bare repository 'x' (safe.bareRepository is 'explicit'): its settings can "
                "be commands; use a checkout"
            ),
        ),
        (
            "detected dubious ownership in repository at 'x'\nTo add an exception",
            GitError,
            (
                "git rev-parse: detected dubious ownership in repository at 'x'; git config --global --add "
                "safe.directory FOLDER says that it is yours"
            ),
        ),
        ("bad object", GitError, "git rev-parse: bad object"),
    ],
)
def test_what_git_refuses_is_told_in_one_line(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stderr: str, kind: type[GitError], message: str
) -> None:
    monkeypatch.setenv("FAULT", stderr)
    assert fault(tmp_path, kind) == message


@pytest.mark.parametrize(
    ("sizes", "seconds"),
    [("0 0", 2), ("1023 0", 2), ("1024 0", 3), ("512 512", 3), ("0 28671", 29), ("0 28672", 30), ("0 99999999", 30)],
)
def test_git_may_take_longer_the_more_objects_there_are(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: str, seconds: int
) -> None:
    monkeypatch.setenv("SIZES", sizes)
    assert Git(tmp_path).seconds == seconds


LIMITS = "grep -E '^Max (cpu time|data size) ' /proc/self/limits | tr -s ' '"


def test_git_gets_so_much_cpu_and_memory_and_no_more(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMAND", f"sleep 0.1; {LIMITS}")
    monkeypatch.setenv("SIZES", "2048 0")
    limits = [line.rstrip() for line in Git(tmp_path).output("ls-tree").decode().splitlines()]
    assert limits == ["Max cpu time 4 4 seconds", "Max data size 1073741824 1073741824 bytes"]


def test_what_is_ended_for_that_is_told(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMAND", "kill -9 $$")
    message = "git ls-tree takes more than 2 seconds, or too much memory, for the objects that there are"
    with pytest.raises(GitError) as caught:
        Git(tmp_path).run("ls-tree", "-r")
    assert str(caught.value) == message
    with pytest.raises(GitError) as caught:
        list(Git(tmp_path).records("ls-tree", "-r"))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("echo fatal: no tree >&2; exit 128", "git ls-tree: no tree"),
        ("exit 1", "git ls-tree: failed"),
    ],
)
def test_a_command_that_fails_is_told_by_its_first_line(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, message: str
) -> None:
    monkeypatch.setenv("COMMAND", command)
    for ask in (lambda: Git(tmp_path).output("ls-tree", "-r"), lambda: list(Git(tmp_path).records("ls-tree", "-r"))):
        with pytest.raises(GitError) as caught:
            ask()
        assert str(caught.value) == message


def test_records_are_read_to_their_end_unless_one_is_too_long(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gitprocess, "_CHUNK", 4)
    monkeypatch.setattr(gitprocess, "_LONGEST_RECORD", 8)
    monkeypatch.setenv("COMMAND", "cat")
    names = b"one\x0012345678\0\0three\0"
    assert list(Git(tmp_path).records("ls-tree", "-r", stdin=names)) == [b"one", b"12345678", b"", b"three"]
    with pytest.raises(GitError) as caught:
        list(Git(tmp_path).records("ls-tree", "-r", stdin=b"one\x00123456789abcdef"))
    assert str(caught.value) == "git ls-tree: a path is longer than 8 bytes"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("read name; echo $name ambiguous", "git cat-file: the object a1 cannot be read"),
        ("exec 0<&-; sleep 1", "git cat-file ended too early"),
    ],
)
def test_objects_that_git_does_not_give_are_told(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, message: str
) -> None:
    monkeypatch.setenv("COMMAND", command)
    objects = Git(tmp_path).objects(["a1" * 2**17 if "exec" in command else "a1"])
    with pytest.raises(GitError) as caught:
        list(objects)
    assert str(caught.value) == message


def only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the variables for git that the machine has."""
    for name in os.environ:
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)


@pytest.mark.parametrize(("shallow", "depth"), [("true", ["--depth=1"]), ("false", [])])
def test_a_branch_is_fetched_no_deeper_than_the_clone_is(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shallow: str, depth: list[str]
) -> None:
    monkeypatch.setenv("SHALLOW", shallow)
    monkeypatch.setenv("COMMAND", f'printf "%s\\n" "$@" > {tmp_path}/asked; env > {tmp_path}/environment')
    only_ours(monkeypatch)
    monkeypatch.setenv("GIT_DIR", "elsewhere")
    monkeypatch.setenv("GIT_SSH_COMMAND", "ssh -i key")
    Git(tmp_path).fetch("main")
    assert (tmp_path / "asked").read_text().splitlines() == [
        *("--no-pager", "--literal-pathspecs", "-c", "safe.bareRepository=explicit"),
        *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C", str(tmp_path)),
        *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", *depth),
        *("--", "origin", "main"),
    ]
    lines = (tmp_path / "environment").read_text().splitlines()
    assert sorted(line for line in lines if line.startswith(("GIT_", "LC_ALL"))) == [
        *("GIT_SSH_COMMAND=ssh -i key", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"),
    ]


def test_a_branch_that_cannot_be_fetched_is_told(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMAND", 'echo "fatal: couldn\'t find remote ref x" >&2; exit 128')
    with pytest.raises(GitError) as caught:
        Git(tmp_path).fetch("x")
    assert str(caught.value) == "git fetch: couldn't find remote ref x"


def test_what_only_reads_has_no_settings_but_the_repositorys(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMAND", "env")
    for name in ("GIT_DIR", "GIT_SSH_COMMAND", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES"):
        monkeypatch.setenv(name, "mine")
    monkeypatch.setenv("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")
    lines = Git(tmp_path).output("ls-tree").decode().splitlines()
    assert sorted(line for line in lines if line.startswith(("GIT_", "LC_ALL"))) == [
        "GIT_ALLOW_PROTOCOL=",
        "GIT_ATTR_NOSYSTEM=1",
        "GIT_CEILING_DIRECTORIES=mine",
        "GIT_CONFIG_GLOBAL=/dev/null",
        "GIT_CONFIG_NOSYSTEM=1",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM=1",
        "GIT_EXEC_PATH=mine",
        "GIT_NO_LAZY_FETCH=1",
        "GIT_NO_REPLACE_OBJECTS=1",
        "GIT_OPTIONAL_LOCKS=0",
        "GIT_TERMINAL_PROMPT=0",
        "LC_ALL=C",
    ]


def test_objects_come_in_their_order_and_none_where_one_lacks(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    one, empty = (git(tmp_path, "hash-object", "-w", "--stdin", stdin=text) for text in (b"one\n", b""))
    shas = [one, "0" * 40, empty, one]
    assert list(Git(tmp_path).objects(shas)) == [b"one\n", None, b"", b"one\n"]
    assert list(Git(tmp_path).objects([])) == []


def test_where_the_system_limits_no_process_git_is_ended_when_its_time_is_up(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMAND", "sleep 9")
    here = Git(tmp_path)
    monkeypatch.setattr(gitprocess, "_LIMITED", False)
    monkeypatch.setattr(gitprocess, "GIT_SECONDS", 0)
    begun = monotonic()
    with pytest.raises(GitError) as caught:
        here.run("ls-tree", "-r")
    assert str(caught.value) == (
        "git ls-tree takes more than 0 seconds, or too much memory, for the objects that there are"
    )
    assert monotonic() - begun < 8


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit no process")
def test_where_the_system_limits_a_process_git_may_wait_as_long_as_it_likes(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMAND", "sleep 1.1; echo waited")
    here = Git(tmp_path)
    monkeypatch.setattr(gitprocess, "GIT_SECONDS", 1)  # of work: with 0 any may be too much
    assert here.run("ls-tree").stdout == b"waited\n"


def test_what_cannot_be_started_is_told(program: Path, tmp_path: Path) -> None:
    here = Git(tmp_path)
    for argument, why in (("a\0b", "embedded null byte"), ("a", "No such file or directory")):
        with pytest.raises(GitError) as caught:
            here.run("ls-tree", argument)
        assert str(caught.value) == f"git cannot be run: {why}"
        program.unlink(missing_ok=True)


def test_a_line_is_text_without_its_end(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMAND", r"printf ' a\377b \n'")
    assert Git(tmp_path).line("config") == "a\ufffdb"
