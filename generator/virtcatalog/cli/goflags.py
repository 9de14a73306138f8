"""Flags as virtctl reads them, where that is not how click does: `--flag=false`, and `key=value` pairs.

Source: github.com/spf13/pflag, bool.go and string_to_string.go; Go's encoding/csv.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

T = TypeVar("T", bound=Callable[..., Any])

_BOOLEANS = dict.fromkeys(["1", "t", "T", "TRUE", "true", "True"], True)
_BOOLEANS |= dict.fromkeys(["0", "f", "F", "FALSE", "false", "False"], False)
_QUOTED = re.compile(r'"((?:[^"]|"")*)"(?=,|\n|$)|([^",\n]*)(?=,|\n|$)')


class GoBool(click.ParamType):  # type: ignore[type-arg]  # only some releases of click have an argument
    """A flag that is true when it is there, and may be given a value after `=`."""

    name = "bool"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        """Read what Go's ParseBool takes."""
        if isinstance(value, bool):
            return value
        if value not in _BOOLEANS:
            self.fail(f"{value!r} is neither true nor false.", param, ctx)
        return _BOOLEANS[value]


class GoCommand(click.Command):
    """A command whose options of type GoBool may stand without a value, and never take the next word for one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give every flag that stands alone its value."""
        flags = {name for each in self.params if isinstance(each.type, GoBool) for name in each.opts}
        end = args.index("--") if "--" in args else len(args)
        named = [f"{each}=true" if each in flags else each for each in args[:end]]
        return super().parse_args(ctx, named + args[end:])


def flag(name: str, text: str) -> Callable[[T], T]:
    """Give a GoCommand a flag."""
    return click.option(name, type=GoBool(), default=False, metavar="", show_default=False, help=text)


def exclusive(context: click.Context, *groups: tuple[str, str]) -> None:
    """Refuse options that exclude each other; an option counts that was given, whatever its value."""
    for group in groups:
        given = [each for each in group if _is_given(context, each)]
        if len(given) > 1:
            raise click.UsageError(f"--{given[0]} and --{given[1]} exclude each other: give one", context)


def _is_given(context: click.Context, name: str) -> bool:
    source = context.get_parameter_source(name.replace("-", "_"))
    return source is click.core.ParameterSource.COMMANDLINE


def pairs(_context: click.Context, _option: click.Parameter, values: Iterable[str]) -> dict[str, str]:
    """Read `KEY=VALUE`, as a callback of an option that may be repeated; with several `=`, a CSV record of pairs."""
    read: dict[str, str] = {}
    for text in values:
        records = [text.strip('"')] if text.count("=") < 2 else csv_record(text)
        for pair in records:
            key, equals, value = pair.partition("=")
            if not equals:
                raise click.BadParameter(f"{pair!r} is not written KEY=VALUE.")
            read[key] = value
    return read


def csv_record(text: str) -> list[str]:
    """Read the first line of CSV that is not empty; quotes stand around a whole field, and twice within it."""
    text = text.replace("\r\n", "\n").lstrip("\n")
    fields: list[str] = []
    position = 0
    while True:
        match = _QUOTED.match(text, position)
        if match is None:
            raise click.BadParameter(f"{text[position:][:60]!r} has a quote where none can stand.")
        fields.append(match[2] if match[1] is None else match[1].replace('""', '"'))
        position = match.end()
        if text[position : position + 1] != ",":
            return fields
        position += 1
