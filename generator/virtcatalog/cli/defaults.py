"""Options that `virtcatalog.toml` sets: reports name them, as whoever changes the repository may have written it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import click
from msgspec.structs import replace

from virtcatalog.cli import options
from virtcatalog.errors import Problem, listed
from virtcatalog.repository import FieldPath, Settings

#: Keys and the parameters whose defaults they are; one without any always counts.
_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "catalog": ("catalog", "argument"),
    "environments": ("environments",),
    "kubevirt": ("kubevirt",),
    "arch": ("arch",),
    "host": ("host",),
    "cluster": (),
}
_OF_COMMAND: Final = {"fail-on": "fail_on", "comment-on": "comment_on"}


def in_effect(environments: Iterable[str]) -> tuple[Problem, ...]:
    """Return what the repository's defaults leave out or choose in this run, each where it is written.

    `environments` are all that there are to look at. What an option says counts before them, and is not among these.
    """
    return tuple(
        replace(options.places()[path], message=message)
        for path, message in _messages(options.settings(), tuple(dict.fromkeys(environments)))
        if path in options.places()
    )


def _messages(settings: Settings, environments: tuple[str, ...]) -> Iterable[tuple[FieldPath, str]]:
    command = click.get_current_context().command.name or ""
    for key, parameters in _PARAMETERS.items():
        if any(map(options.is_given, parameters)):
            continue
        if key != "environments":
            yield (key,), f"{_value_text(getattr(settings, key))} counts in this report"
        elif omitted := [name for name in environments if name not in settings.environments]:
            yield (key,), f"leaves out {listed(omitted)}"
    own = {"check": settings.check, "diff": settings.diff}.get(command)
    for key, parameter in _OF_COMMAND.items():
        level = getattr(own, parameter, None)
        if level is not None and not options.is_given(parameter):
            yield (command, key), _OF_LEVEL[key].format(level)


_OF_LEVEL: Final = {
    "fail-on": "what is less grave than {!r} has no exit status 1",
    "comment-on": "a report with nothing as grave as {!r} is left out, but for this",
}


def _value_text(value: Any) -> str:
    return listed(list(value)) if isinstance(value, tuple) else str(value)
