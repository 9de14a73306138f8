"""Rules by which readers look up what a column or field says: by its name, and by its text where that tells more."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from virtcatalog.bring.imports import Verdict
from virtcatalog.bring.vmware import settings

Says = str | Verdict
Rule = Callable[[str], Says]
"""Returns what a text says: the subject of it, or its fate."""


def always(says: Says) -> Rule:
    """Return the rule of what says the same whatever its text is."""
    return lambda _text: says


def when_set(verdict: Verdict, *defaults: str) -> Rule:
    """Return the rule of what has a fate when it is set, unless it is what vSphere sets by itself."""
    return lambda text: settings.unless_off(text, verdict, *defaults)


def setting(key: str) -> Rule:
    """Return the rule of a setting of vSphere's API."""
    return partial(settings.setting, key)


def of_all(says: Says, *names: str) -> dict[str, Rule]:
    """Return the rules of several names that say the same."""
    return dict.fromkeys(names, always(says))
