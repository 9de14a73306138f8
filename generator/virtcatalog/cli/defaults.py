"""What `virtcatalog.toml` sets: it counts where the command line says nothing, and reports name it.

Whoever changes the repository may have written it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from virtcatalog.errors import Problem
    from virtcatalog.repository import Defaults, FieldPath, Settings

_SETTINGS = "virtcatalog.settings"

#: Keys and the parameters whose defaults they are; one without any always counts.
_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "catalog": ("catalog", "argument"),
    "environments": ("environments",),
    "kubevirt": ("kubevirt",),
    "arch": ("arch",),
    "host": ("host",),
    "cluster": (),
}
#: Keys that commands have of their own, each with its parameter and what its level leaves out.
_LEVELS: Final = {
    "fail-on": ("fail_on", "what is less grave than {!r} has no exit status 1"),
    "comment-on": ("comment_on", "a report with nothing as grave as {!r} is left out, but for this"),
}


def is_given(parameter: str) -> bool:
    """Whether the command line has an option or argument, by the name of its parameter, whatever its value."""
    return click.get_current_context().get_parameter_source(parameter) is click.core.ParameterSource.COMMANDLINE


def settings() -> Settings:
    """Return what `virtcatalog.toml` says, which is read once for a command line; raises ManifestError.

    What it says wrong does not matter while the shell completes a word.
    """
    return _defaults().settings


def _defaults() -> Defaults:
    from virtcatalog.errors import ManifestError
    from virtcatalog.repository import Defaults, Settings, defaults

    context = click.get_current_context()
    meta = context.meta
    if _SETTINGS not in meta:
        try:
            meta[_SETTINGS] = defaults()
        except ManifestError:
            if not context.resilient_parsing:
                raise
            meta[_SETTINGS] = Defaults(Settings())
    settings: Defaults = meta[_SETTINGS]
    return settings


def in_effect(environments: Iterable[str]) -> tuple[Problem, ...]:
    """Return what the repository's defaults leave out or choose in this run, each where it is written.

    `environments` are all that there are to look at. What an option says counts before them, and is not among these.
    """
    from msgspec.structs import replace

    places = _defaults().places
    return tuple(
        replace(places[path], message=message)
        for path, message in _messages(settings(), tuple(dict.fromkeys(environments)))
        if path in places
    )


def _messages(settings: Settings, environments: tuple[str, ...]) -> Iterable[tuple[FieldPath, str]]:
    from virtcatalog.errors import listed

    command = click.get_current_context().command.name or ""
    for key, parameters in _PARAMETERS.items():
        if any(map(is_given, parameters)):
            continue
        value = getattr(settings, key)
        if key != "environments":
            yield (key,), f"{listed(value) if isinstance(value, tuple) else value} counts in this report"
        elif omitted := [name for name in environments if name not in value]:
            yield (key,), f"leaves out {listed(omitted)}"
    own = {"check": settings.check, "diff": settings.diff}.get(command)
    for key, (parameter, message) in _LEVELS.items():
        level = getattr(own, parameter, None)
        if level is not None and not is_given(parameter):
            yield (command, key), message.format(level)
