"""The cases of command lines: virtctl's arguments, and what virtctl makes of them.

`commands.jsonl.xz` holds a case a line, as JSON:

stage, name, group  what is run: createvm; identity; what the case is about
args                the arguments, of virtctl and of virtcatalog alike
files, stdin        file name → text, in the folder of the run; the text on standard input
refused, objects    whether virtctl ends with an error; what it prints, as data: several where its own answer varies

Made by `take.py`. What virtctl draws at random stands as `{{rand5}}`.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import re
import tempfile
import traceback
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import otheryaml
from conformance import views
from virtcatalog.cli import main

FILE = Path(__file__).with_name("commands.jsonl.xz")
STAGES = ("createvm",)
_DRAWN = re.compile(r"\b(vm|imported-volume)-[bcdfghjklmnpqrstvwxz2456789]{5}\b")


@dataclass(frozen=True)
class Command:
    """What virtctl makes of one command line."""

    stage: str
    name: str
    group: str
    args: list[str]
    files: dict[str, str]
    stdin: str | None
    refused: bool
    objects: list[Any]

    def __str__(self) -> str:
        return self.name


@cache
def commands() -> tuple[Command, ...]:
    """Every case, by stage and name."""
    with lzma.open(FILE, "rt", encoding="utf-8") as lines:
        return tuple(Command(**json.loads(line)) for line in lines)


def check(command: Command) -> list[str]:
    """What differs, a line each."""
    try:
        status, printed = _run(command)
    except Exception:
        return [f"raised {traceback.format_exc().strip().splitlines()[-1]}"]
    if status:
        return [] if command.refused else [f"exit status {status}, and virtctl prints an object"]
    if not command.objects:
        return ["exit status 0, and virtctl refuses it"] if command.refused else []
    got = otheryaml.load(_DRAWN.sub(r"\1-{{rand5}}", printed))
    return min((list(views.differences(each, got)) for each in command.objects), key=len)


def _run(command: Command) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in command.files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        result = CliRunner().invoke(main, command.args, input=command.stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout
