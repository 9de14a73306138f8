"""How git is started: nothing that it finds in a folder is executed. No other module starts git.

Anybody can commit a folder that git takes for a bare repository, with settings that are commands: git looks into none
(safe.bareRepository). What only reads gets no settings but the repository's own, and whatever these may name (hooks,
watchers, remotes that lend missing objects) is switched off.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import GIT_BYTES, GIT_LEAST_SECONDS, GIT_SECONDS

if TYPE_CHECKING:
    from subprocess import CompletedProcess, Popen

#: The first git that knows safe.bareRepository.
OLDEST: Final = (2, 38)

_OPTIONS: Final = (
    *("--no-pager", "--literal-pathspecs", "-c", "safe.bareRepository=explicit"),
    *("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false"),
)
#: Variables that lead git to another repository than the one around the folder: hooks of git's have them.
_ELSEWHERE: Final = frozenset(
    f"GIT_{name}"
    for name in (
        *("DIR", "WORK_TREE", "COMMON_DIR", "INDEX_FILE", "PREFIX", "NAMESPACE", "CONFIG", "SHALLOW_FILE"),
        *("OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES", "QUARANTINE_PATH", "REPLACE_REF_BASE", "GRAFT_FILE"),
    )
)
#: The variables that count where git only reads: where its programs are, and where it stops to look for a repository.
_PASSED_ON: Final = frozenset({"GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"})
_PLAIN: Final = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_READING: Final = _PLAIN | {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # none at all: GIT_NO_LAZY_FETCH is younger than OLDEST
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}
#: Whether the system ends a git that takes too much.
_LIMITED: Final = sys.platform == "linux"
_LONGEST_RECORD: Final = 2**16
_CHUNK: Final = 2**16


class GitError(VirtcatalogError):
    """git cannot give what was asked for."""


class NoRepositoryError(GitError):
    """There is no repository around a folder, or no git."""


class Git:
    """git in a folder, whose repository is only read, but for `fetch`."""

    def __init__(self, folder: Path) -> None:
        self._program = _program()
        self._folder = folder
        self._safe: tuple[str, ...] = ()
        arguments = "rev-parse", "--show-prefix"
        done = self._run(arguments, GIT_LEAST_SECONDS)
        if done.returncode and (safe := _safe_directories(self._program)):
            self._safe = tuple(word for folder in safe for word in ("-c", f"safe.directory={folder}"))
            done = self._run(arguments, GIT_LEAST_SECONDS)
        if done.returncode:
            raise _failed(arguments[0], done.stderr)
        self.prefix = os.fsdecode(done.stdout).removesuffix("\n")
        """Where in the repository the folder is: "" or `path/to/`."""

    @property
    def shallow(self) -> bool:
        """Whether the clone ends before the history does."""
        return self.line("rev-parse", "--is-shallow-repository") == "true"

    @cached_property
    def seconds(self) -> int:
        """How long git may take for an answer: the more objects there are, the longer.

        Some hundred bytes of trees can stand for folders without an end, and no limit by time alone suits both these
        and the history of a large repository.
        """
        done = self._run(("count-objects", "-v"), GIT_LEAST_SECONDS)
        sizes = dict(line.partition(": ")[::2] for line in done.stdout.decode(errors="replace").splitlines())
        kibibytes = int(sizes.get("size", 0)) + int(sizes.get("size-pack", 0))
        return min(GIT_LEAST_SECONDS + kibibytes // 1024, GIT_SECONDS)

    def run(self, *arguments: str, stdin: bytes = b"") -> CompletedProcess[bytes]:
        """Return how a command of git's ends that reads `stdin`, and what it prints."""
        return self._run(arguments, self.seconds, stdin)

    def _run(self, arguments: Sequence[str], seconds: int, stdin: bytes = b"") -> CompletedProcess[bytes]:
        from subprocess import CompletedProcess, TimeoutExpired

        with self._started(arguments, seconds) as process:
            try:
                out, err = process.communicate(stdin, None if _LIMITED else seconds)
            except TimeoutExpired:
                process.kill()
                raise _ended(arguments[0], seconds) from None
        if process.returncode < 0:
            raise _ended(arguments[0], seconds)
        return CompletedProcess(arguments, process.returncode, out, err)

    def output(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what a command prints; GitError when it fails."""
        done = self.run(*arguments, stdin=stdin)
        if done.returncode:
            raise _failed(arguments[0], done.stderr)
        return done.stdout

    def line(self, *arguments: str) -> str:
        """Return what a command prints, as text."""
        return self.output(*arguments).decode(errors="replace").strip()

    def records(self, *arguments: str, stdin: bytes = b"") -> Iterator[bytes]:
        """Yield what a command prints, up to each null byte, as it comes: a small repository can list without an end.

        `stdin` has to fit into a pipe.
        """
        with self._started(arguments, self.seconds) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # it says why it has ended
                process.stdin.write(stdin)
            with suppress(BrokenPipeError):
                process.stdin.close()
            rest = b""
            try:
                while chunk := process.stdout.read(_CHUNK):
                    *records, rest = (rest + chunk).split(b"\0")
                    if len(rest) > _LONGEST_RECORD:
                        raise GitError(f"git {arguments[0]}: a path is longer than {_LONGEST_RECORD} bytes")
                    yield from records
            except BaseException:
                process.kill()
                raise
            message = process.stderr.read() if process.stderr else b""
            if process.wait() < 0:
                raise _ended(arguments[0], self.seconds)
            if process.returncode:
                raise _failed(arguments[0], message)

    def objects(self, names: Sequence[str]) -> Iterator[bytes | None]:
        """Yield the bytes of objects, one after the other; None for one that the repository lacks."""
        if not names:
            return
        with self._started(("cat-file", "--batch"), self.seconds) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            try:
                for name in names:
                    # One is asked for and read before the next: only it is in memory, and no pipe is ever full.
                    process.stdin.write(f"{name}\n".encode())
                    process.stdin.flush()
                    header = process.stdout.readline().split()
                    if header[1:] == [b"missing"]:
                        yield None
                        continue
                    if len(header) != 3:
                        raise GitError(f"git cat-file: the object {name} cannot be read")
                    content = process.stdout.read(int(header[2]))
                    process.stdout.read(1)
                    yield content
            except BrokenPipeError:
                with suppress(BrokenPipeError):
                    process.stdin.close()
                raise GitError("git cat-file ended too early") from None
            finally:
                process.kill()

    def fetch(self, name: str) -> None:
        """Fetch what the remote `origin` has under a name, no deeper than the clone is, as FETCH_HEAD.

        The user's settings count, and the repository's: they say where that is, and with which password.
        """
        depth = ("--depth=1",) if self.shallow else ()
        options = "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"
        arguments = "fetch", *options, *depth, "--", "origin", name
        with self._started(arguments, None, _user_environment()) as process:
            _, err = process.communicate()
        if process.returncode:
            raise _failed("fetch", err)

    def _started(
        self, arguments: Sequence[str], seconds: int | None, environment: Mapping[str, str] | None = None
    ) -> Popen[bytes]:
        from subprocess import PIPE, Popen

        command = [self._program, *_OPTIONS, *self._safe, "-C", str(self._folder), *arguments]
        try:
            process = Popen(  # noqa: S603 - a list, and revisions stand behind --end-of-options
                command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment or _reading_environment()
            )
        except (OSError, ValueError) as error:
            raise GitError(f"git cannot be run: {getattr(error, 'strerror', None) or error}") from error
        if seconds is not None:
            _limit(process.pid, seconds)
        return process


@cache
def _checked(program: str) -> None:
    """Raise GitError for a git that is too old to be kept from what a stranger commits."""
    from subprocess import run

    try:
        done = run([program, "version"], capture_output=True, env=_reading_environment(), check=False)  # noqa: S603
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror or error}") from error
    version = re.match(rb"git version (\d+)\.(\d+)", done.stdout)
    if version is None or (int(version[1]), int(version[2])) < OLDEST:
        version_text = done.stdout.decode(errors="replace").strip() or "git of no version"
        oldest = ".".join(map(str, OLDEST))
        raise GitError(
            f"{program} is {version_text}: revisions need git {oldest} or newer, which can be kept from running what a "
            "folder of strangers says"
        )


def _program() -> str:
    program = shutil.which("git")
    if program is None:
        raise NoRepositoryError("git is not installed, or not in PATH")
    _checked(program)
    return program


def _limit(process: int, seconds: int) -> None:
    """Let git take so much and no more: a few kilobytes of trees can stand for folders without an end."""
    if sys.platform == "linux":  # as _LIMITED, in words that type checkers know
        import resource

        with suppress(OSError, ValueError):  # it has ended already, or may take less anyway
            resource.prlimit(process, resource.RLIMIT_CPU, (seconds, seconds))
            resource.prlimit(process, resource.RLIMIT_DATA, (GIT_BYTES, GIT_BYTES))


def _ended(command: str, seconds: int) -> GitError:
    return GitError(
        f"git {command} takes more than {seconds} seconds, or too much memory, for the objects that there are"
    )


def _reading_environment() -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _PASSED_ON}
    return own | _READING


def _user_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _ELSEWHERE} | _PLAIN


def _safe_directories(program: str) -> list[str]:
    """The folders that the user and the machine trust although somebody else owns them; no repository is asked."""
    from subprocess import run

    environment = _user_environment() | {"GIT_DIR": os.devnull}
    command = [program, "config", "-z", "--get-all", "safe.directory"]
    done = run(command, capture_output=True, env=environment, check=False)  # noqa: S603 - a list of constants
    return os.fsdecode(done.stdout).split("\0")[:-1]


def _failed(command: str, message: bytes) -> GitError:
    text = message.decode(errors="replace").strip().removeprefix("fatal: ")
    first = text.splitlines()[0] if text else "failed"
    if first.startswith(("not a git repository", "cannot change to")):
        return NoRepositoryError(f"git {command}: {first}")
    if first.startswith("cannot use bare repository"):
        return GitError(f"git {command}: {first}: its settings can be commands; use a checkout")
    if first.startswith("detected dubious ownership"):
        return GitError(
            f"git {command}: {first}; git config --global --add safe.directory FOLDER says that it is yours"
        )
    return GitError(f"git {command}: {first}")
