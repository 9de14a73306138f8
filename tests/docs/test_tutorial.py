"""The tutorial is what happens: its commands are run, in order, and say what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\[exit (\d+)\]")


def steps(page: Path) -> list[tuple[str, list[str]]]:
    """The commands of a page, each with the lines that it prints."""
    found: list[tuple[str, list[str]]] = []
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def says(expected: list[str], printed: str) -> bool:
    """Whether a text is what is expected: `…` stands for any text, on a line of its own for any lines."""
    pattern = ""
    for line in expected:
        if line == "…":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("…")) + "\n"
    return re.fullmatch(pattern, printed) is not None


def test_the_tutorial_runs_from_its_own_text(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "VIRTCATALOG"))}
    environment |= {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]]),
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{who}_{what}": "tutorial@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        },
    }
    folder, run = tmp_path, steps(DOCS / "tutorial.md")
    assert len(run) > 15
    for command, expected in run:
        if command.startswith("cd "):
            folder = folder / command[3:]
            continue
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        ends = _EXIT.fullmatch(expected[-1]) if expected else None
        wanted = expected[:-1] if ends else expected
        assert done.returncode == int(ends[1] if ends else 0), f"$ {command}\n{done.stdout}"
        assert says(wanted, done.stdout), f"$ {command}\n{done.stdout}"


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        (["a", "…", "c"], "a\nb\nb\nc\n", True),
        (["a", "…"], "a\n", True),
        (["a…c"], "abc\n", True),
        (["a"], "a\nb\n", False),
        (["…b"], "a\n", False),
    ],
)
def test_dots_stand_for_anything(expected: list[str], printed: str, same: bool) -> None:
    assert says(expected, printed) is same
