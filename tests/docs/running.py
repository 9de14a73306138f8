"""The pages of the documentation as scripts: what they show is run, in order, and compared with what they say.

A page runs from top to bottom in a folder of its own, that of a reader who does what it says:

- ```` ```console ````: each `$ command`, a backslash at a line's end carries it on; what follows is what it prints, on
  stdout and stderr. `…` stands for any text, on a line of its own for any lines; `[exit 1]` at the end for its exit
  status. A block that shows no output says nothing about it: the next block, when nothing stands between them and it is
  a diff, XML, YAML or text, is what its last command prints.
- ```` ```python ```` is run, too.
- YAML, TOML and the like are to be read; any other block would say something that nobody has tried, and is a mistake.
- `<!-- set-up … -->` is what is there before, as the reader's repository would be: a script, with what setup.sh has.
- `<!-- file NAME -->` before a block puts its text into that file.
- `<!-- exit 1 -->` before a block is the exit status of its last command, where the page has no use for telling it.
- `<!-- not run: REASON -->` before a block leaves it out. test_pages.py counts these.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = {
    page.relative_to(ROOT).as_posix(): page
    for page in (
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
        *sorted((ROOT / "docs").glob("*.md")),
    )
}
_PART = re.compile(
    r"^<!-- (?P<word>set-up|file|exit|not run:)(?P<note>(?:\s.*?)?)-->$|^```(?P<kind>[a-z]*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_SETUP = Path(__file__).parent / "setup.sh"
_EXIT = re.compile(r"\[exit (\d+)\]")
#: What may be the output of the block before it.
_SHOWN = frozenset(("diff", "xml", "yaml", "json", "text"))
#: What is to be read, and shows neither a command nor what one prints.
_READ = frozenset(("yaml", "toml", "make", "json"))


class Step(NamedTuple):
    """Something that happens: `kind` is run, python, set-up or file; `expected` is None where nothing is shown."""

    line: int
    kind: str
    text: str
    expected: tuple[str, ...] | None = None
    status: int = 0
    left_out: str = ""


def steps(page: str) -> list[Step]:
    """Everything that a page has happen, in order, and what it leaves out."""
    steps: list[Step] = []
    notes: dict[str, str] = {}
    last: re.Match[str] | None = None
    for part in _PART.finditer(page):
        line = page.count("\n", 0, part.start()) + 1
        if part["word"] == "set-up":
            steps.append(Step(line, "set-up", part["note"].strip("\n") + "\n"))
        elif part["word"]:
            assert part["word"] not in notes, f"{line}: written twice: {part['word']}"
            notes[part["word"]] = part["note"].strip()
        else:
            adjacent = last is not None and not page[last.end() : part.start()].strip()
            if part["kind"] in _SHOWN and adjacent and not notes and steps[-1].kind == "run" and not _shows(last):
                steps[-1] = steps[-1]._replace(expected=tuple(part["text"].splitlines()))
            else:
                steps += _block(part, line, notes)
            notes, last = {}, part if part["kind"] == "console" else None
    assert not notes, f"nothing follows {notes}"
    return steps


def _shows(block: re.Match[str] | None) -> bool:
    return block is not None and any(output for _, _, output in _commands(block["text"]))


def _commands(block: str) -> list[tuple[int, str, list[str]]]:
    """The commands of a block, each with its line and what it prints."""
    commands: list[tuple[int, str, list[str]]] = []
    goes_on = False
    for number, line in enumerate(block.splitlines()):
        if goes_on:
            commands[-1] = (commands[-1][0], f"{commands[-1][1]}\n{line}", [])
        elif line.startswith("$ "):
            commands.append((number, line[2:], []))
        else:
            assert commands, f"no command prints {line!r}"
            commands[-1][2].append(line)
            continue
        goes_on = line.endswith("\\")
    return commands


def _block(part: re.Match[str], line: int, notes: dict[str, str]) -> Iterator[Step]:
    """What a fenced block has happen; one that is only to be read has nothing happen."""
    left_out, status = notes.get("not run:", ""), int(notes.get("exit", 0))
    if "file" in notes:
        yield Step(line, "file", f"{notes['file']}\n{part['text']}")
    elif part["kind"] == "python":
        yield Step(line, "python", part["text"], left_out=left_out, status=status)
    elif part["kind"] == "console":
        commands = _commands(part["text"])
        shows = any(output for _, _, output in commands)
        for place, (number, command, output) in enumerate(commands):
            ends = _EXIT.fullmatch(output[-1]) if output else None
            yield Step(
                line + 1 + number,
                "run",
                command,
                tuple(output[: len(output) - bool(ends)]) if shows else None,
                int(ends[1]) if ends else status if place == len(commands) - 1 else 0,
                left_out,
            )
    else:
        assert not notes, f"{line}: {notes} before a block that has nothing happen"
        assert part["kind"] in _READ, f"{line}: nothing tells whether this is so; a block of commands is `console`"


def says(expected: tuple[str, ...], printed: str) -> bool:
    """Whether a text is what is expected: `…` stands for any text, on a line of its own for any lines."""
    pattern = ""
    for line in expected:
        if line.strip() in ("…", "..."):
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*?".join(
                re.escape(part.rstrip() if not part.strip() else part) for part in line.split("…")
            )
            pattern += "[ ]*\n"
    return re.fullmatch(pattern, printed) is not None


class Reader:
    """Somebody who does what a page says, in a home of their own; `programs` go before those that are installed."""

    def __init__(self, home: Path, programs: Path | None = None) -> None:
        home.mkdir(exist_ok=True)
        self._folder = home / "work"
        self._folder.mkdir(exist_ok=True)
        (home / "bin").mkdir(exist_ok=True)
        self._where = home / ".where"
        self._where.write_text(str(self._folder), encoding="utf-8")
        environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("GIT_", "VIRTCATALOG", "MAKE", "PYTEST", "XDG_"))
        }
        commits = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "You"), ("EMAIL", "you@example.com"), ("DATE", "2026-01-05T09:00:00Z"))
        }
        path = [home / "bin", *filter(None, [programs]), Path(sys.executable).parent, environment["PATH"]]
        self._environment = {
            **environment,
            **commits,
            "PATH": os.pathsep.join(map(str, path)),
            "HOME": str(home),
            "COMMANDS": str(home / "bin"),
            "REPOSITORY": str(ROOT),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LANG": "C.UTF-8",
            "COLUMNS": "160",
            "PYTHONUNBUFFERED": "1",
        }

    def follow(self, page: str) -> None:
        """Do everything that a page says, and find that it says what happens."""
        for step in steps(page):
            if not step.left_out:
                self.do(step)

    def do(self, step: Step) -> None:
        """Do one thing that a page says, and find that what it says happens."""
        if step.kind == "file":
            name, _, text = step.text.partition("\n")
            (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_text(text, encoding="utf-8")
            return
        if step.kind == "python":
            status, printed = self._run([sys.executable, "-c", step.text])
        else:
            before = f"set -e; . {shlex.quote(str(_SETUP))}\n" if step.kind == "set-up" else ""
            status, printed = self.ask(f"{before}{step.text}")
        ran = f"line {step.line}: {step.text}\n{printed}[exit {status}]"
        assert status == step.status, ran
        assert step.expected is None or says(step.expected, printed), ran

    def ask(self, command: str) -> tuple[int, str]:
        """Run a command in the folder where the last one ended; return its exit status, and what it printed."""
        after = f"\nstatus=$?; pwd > {shlex.quote(str(self._where))}; exit $status"
        answer = self._run(["bash", "-c", command + after])
        self._folder = Path(self._where.read_text(encoding="utf-8").strip())
        return answer

    def _run(self, command: list[str]) -> tuple[int, str]:
        done = subprocess.run(
            command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        return done.returncode, done.stdout
