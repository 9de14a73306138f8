"""Command lines as virtctl reads them, for the commands that take its arguments: the rules of Go's pflag.

A switch takes its value behind `=` alone, a shorthand may have one there, numbers and switches have Go's spellings.
Source: github.com/spf13/pflag (flag.go, string_slice.go, string_to_string.go), strconv (atob.go, atoi.go) and
encoding/csv (reader.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from virtcatalog.api.govalues import integer_literal
from virtcatalog.cli.defaults import is_given

if TYPE_CHECKING:
    _Type = click.ParamType[Any]
else:  # click 8.1 has no parameter for it
    _Type = click.ParamType

_SPELLINGS = {"true": ("1", "t", "T", "TRUE", "true", "True"), "false": ("0", "f", "F", "FALSE", "false", "False")}
_FIELD = re.compile(r'"((?:[^"]|"")*)"(?=,|\n|\Z)|([^",\n]*)(?=,|\n|\Z)')


class Integer(_Type):
    """A whole number of some bits; `0x10` and `010` are numbers of other bases, `1_000` is one thousand."""

    name = "integer"

    def __init__(self, bits: int, *, signed: bool) -> None:
        self._bits, self._signed = bits, signed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text."""
        if isinstance(value, int):
            return value
        number = integer_literal(value)
        if number is None or (value[0] in "+-" and not self._signed):
            self.fail(f"{value!r} is not a whole number{'' if self._signed else ' without a sign'}", param, ctx)
        most = 2 ** (self._bits - self._signed)
        if not (-most if self._signed else 0) <= number < most:
            self.fail(f"{value[:40]} does not fit in {self._bits} bits", param, ctx)
        return number


class Switch(_Type):
    """A switch that is on when it is named, and may have its value behind `=`."""

    name = "switch"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        """Read the text."""
        if isinstance(value, bool):
            return value
        for word, spellings in _SPELLINGS.items():
            if value in spellings:
                return word == "true"
        return bool(self.fail(f"{value!r} is neither true nor false", param, ctx))


#: What makes an option a switch; see `Switch`.
SWITCH: Final[dict[str, Any]] = {"type": Switch(), "metavar": "[=true|false]"}


class Items(_Type):
    """A list of texts, separated by commas; those that hold commas or quotes stand in double quotes."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Read the text."""
        if isinstance(value, tuple):
            return value
        try:
            return tuple(record(value)) if value else ()
        except ValueError as error:
            return tuple(self.fail(str(error), param, ctx))


def record(text: str) -> list[str]:
    """Return the fields of the first record of a text of comma-separated values; ValueError for a text without one."""
    text = text.replace("\r\n", "\n").removesuffix("\r").lstrip("\n")
    if not text:
        raise ValueError("there is nothing but ends of lines")
    fields, position = [], 0
    while True:
        match = _FIELD.match(text, position)
        if match is None:
            raise ValueError(f"a double quote in {text!r} neither begins nor ends an item; write it twice, in quotes")
        quoted, plain = match.groups()
        fields.append(plain if quoted is None else quoted.replace('""', '"'))
        position = match.end()
        if text[position : position + 1] != ",":
            return fields
        position += 1


def pairs(_context: click.Context, _option: click.Parameter, values: Iterable[str]) -> dict[str, str]:
    """Read `KEY=VALUE`, as the callback of an option that may be repeated; with several `=`, a record of pairs."""
    read: dict[str, str] = {}
    for text in values:
        try:
            parts = record(text) if text.count("=") > 1 else [text.strip('"')]
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        for pair in parts:
            key, equals, value = pair.partition("=")
            if not equals:
                raise click.BadParameter(f"{pair!r} is not written KEY=VALUE")
            read[key] = value
    return read


def exclude(*pairs: tuple[str, str]) -> None:
    """Refuse options that exclude each other, named as parameters; one counts that was given, whatever its value."""
    for one, other in pairs:
        if is_given(one) and is_given(other):
            names = " and ".join(f"--{parameter.replace('_', '-')}" for parameter in (one, other))
            raise click.UsageError(f"{names} exclude each other: give one")


class Command(click.Command):
    """A command whose arguments pflag would read; each is put as `--flag=value` before click sees it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, the values of numbers and switches too, in the order in which they stand."""
        for arg in args:
            if not _is_utf8(arg):
                raise click.UsageError(f"the argument {arg!r} is not UTF-8", ctx)
        return super().parse_args(ctx, list(self._canonical(ctx, args)))

    def _canonical(self, ctx: click.Context, args: list[str]) -> Iterator[str]:
        options = {
            name: param for param in self.get_params(ctx) if isinstance(param, click.Option) for name in param.opts
        }
        remaining = iter(args)
        for argument in remaining:
            if argument == "--":
                yield argument
                yield from remaining
                return
            name, equals, value = argument.partition("=")
            if argument.startswith("-") and not argument.startswith("--"):
                # -nteam, -n=team and -n team are the same.
                name, value = argument[:2], argument[2:]
                equals, value = value, value[1:] if len(value) > 1 and value.startswith("=") else value
            option = options.get(name)
            if option is None or option.is_flag:
                if option is None or not equals or Switch().convert(value, option, ctx):
                    yield name if option else argument
                continue
            following = value if equals else "true" if isinstance(option.type, Switch) else next(remaining, None)
            if following is None and ctx.resilient_parsing:
                yield argument
                return
            if following is None:
                raise click.UsageError(f"Option '{argument}' requires an argument.", ctx)
            if not ctx.resilient_parsing:
                option.type.convert(following, option, ctx)
            yield f"{next(opt for opt in option.opts if opt.startswith('--'))}={following}"


def _is_utf8(text: str) -> bool:
    from virtcatalog.manifests.folder import is_text

    return is_text(text)
