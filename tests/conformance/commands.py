"""The cases of command lines: virtctl's arguments, and what virtctl makes of them.

`commands.jsonl.xz` holds a case a line, as JSON:

stage, name, group  what is run: createvm, process, convert; identity; what the case is about
args                the arguments, of virtctl and of virtcatalog alike
files, stdin        file name → text, in the folder of the run; the text on standard input
refused, objects    whether virtctl ends with an error; what it prints, as data: several where its own answer varies
generated           of templates: each generated parameter's value in `objects`, its expression, and the characters that
                    are possible at each place, with how many places they fill
admission           of templates: whether they are admitted, and the causes' fields, if their webhook refuses them
parameters, made    of converted templates: parameters, and the VM that the template makes with them; None if none

Made by `take.py`. What virtctl draws at random stands as `{{rand5}}`.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import re
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from click.testing import CliRunner

import otheryaml
import virtcatalog
from conformance import views
from virtcatalog.cli import main
from virtcatalog.kubevirt.template.substitute import generate
from virtcatalog.manifests.loose import LooseText

FILE = Path(__file__).with_name("commands.jsonl.xz")
STAGES = ("createvm", "process", "convert")
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
    generated: dict[str, Any] = field(default_factory=dict)
    admission: dict[str, Any] | None = None
    parameters: dict[str, str] | None = None
    made: Any = None

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
        return [*_outcome(command), *_drawn(command), *_admission(command), *_converted(command)]
    except Exception:
        return [f"raised {traceback.format_exc().strip().splitlines()[-1]}"]


def _outcome(command: Command) -> list[str]:
    """What is refused, or printed."""
    status, printed = _run(command)
    if status:
        return [] if command.refused else [f"exit status {status}, and virtctl prints an object"]
    if not command.objects:
        return ["exit status 0, and virtctl refuses it"] if command.refused else []
    if command.generated:
        printed = _run(replace(command, args=[*command.args, *_parameters(command)]))[1]
    got = otheryaml.load(_DRAWN.sub(r"\1-{{rand5}}", printed))
    return min((list(views.differences(expected, got)) for expected in command.objects), key=len)


def _parameters(command: Command) -> Iterator[str]:
    """The generated values as arguments, unless the command line gives one itself."""
    for name, parameter in command.generated.items():
        if not any(argument.startswith(f"{name}=") for argument in command.args):
            pair = f"{name}={parameter['value']}"
            yield "--param"
            yield f'"{pair.replace(chr(34), chr(34) * 2)}"' if pair.count("=") > 1 else pair


def _drawn(command: Command) -> Iterator[str]:
    """Values that are drawn here have the characters that they may have."""
    for name, parameter in command.generated.items():
        value = generate(parameter["from"], Random(command.name))
        places = [characters for characters, number in parameter["sets"] for _ in range(number)]
        if len(value) != len(places) or not all(a in b for a, b in zip(value, places, strict=True)):
            yield f"{name}: {value!r} cannot be drawn from {parameter['from']!r}"


def _admission(command: Command) -> list[str]:
    """What the API server and the webhook say of a template."""
    if command.admission is None:
        return []
    if command.stage == "convert":
        manifest = command.objects[0]
    else:
        named = [command.files[file] for file in command.args if file in command.files]
        text = next(iter(named or command.files.values()), command.stdin)
        assert text is not None
        manifest = next(reading.data for reading in LooseText(text).readings())
    causes = virtcatalog.admit(manifest, virtcatalog.Cluster([]))
    if bool(causes) == command.admission["allowed"]:
        return [f"admission: KubeVirt allows it: {command.admission['allowed']}"]
    fields = command.admission.get("fields")
    return list(views.differences(fields, sorted({cause.field for cause in causes}))) if fields is not None else []


def _converted(command: Command) -> list[str]:
    """What a converted template makes."""
    if command.parameters is None:
        return []
    try:
        vm = virtcatalog.process(command.objects[0], command.parameters).vm
    except virtcatalog.TemplateError:
        vm = None
    return list(views.differences(command.made, vm))


def _run(command: Command) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in command.files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        result = CliRunner().invoke(main, command.args, input=command.stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout
