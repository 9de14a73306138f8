"""The order in which people expect names: rhel7 before rhel10."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(\d+)")


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key that compares the numbers within names as numbers."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in _NUMBER.split(name))
