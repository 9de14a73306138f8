"""What flavors and images become: the specs of an instance type and a preference, filled in property by property."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from virtcatalog.adopt.data import get, put

Fate = Literal["carried", "host", "lost"]


class Said(NamedTuple):
    """What becomes of a property, and where it is now or why it is not."""

    fate: Fate
    why: str


class ValueFault(Exception):  # noqa: N818 - it is data of a problem, worded at the edge
    """A property has a value that OpenStack would not take, or that means nothing."""


class Sheet:
    """The two specs. `vcpus` are those of the flavor, 0 for an image; `resources` name the devices of aliases."""

    def __init__(self, vcpus: int = 0, resources: Mapping[str, str] | None = None) -> None:
        self.vcpus, self.resources = vcpus, resources or {}
        self.instancetype: dict[str, Any] = {}
        self.preference: dict[str, Any] = {}
        self.needs: list[str] = []

    def type(self, field: str, value: Any) -> Said:
        """Put a value into the instance type."""
        self.instancetype = put(self.instancetype, tuple(field.split(".")), value)
        return Said("carried", f"instance type: {field}")

    def prefer(self, field: str, value: Any) -> Said:
        """Put a value into the preference."""
        self.preference = put(self.preference, tuple(field.split(".")), value)
        return Said("carried", f"preference: {field}")

    def has(self, field: str) -> Any:
        """Return what the instance type says, None for nothing."""
        return get(self.instancetype, tuple(field.split(".")))


Handler = Callable[[Sheet, str, str], Said]
"""Takes the property `key` with its value; ValueFault for a value that is none."""

_TRUE, _FALSE = ("true", "yes", "1", "on", "t", "y"), ("false", "no", "0", "off", "f", "n")


def truth(value: str) -> bool:
    """Read a truth as OpenStack does."""
    lower = value.lower()
    if lower in _TRUE or lower in _FALSE:
        return lower in _TRUE
    raise ValueFault("is neither true nor false")


def number(value: str, least: int = 1) -> int:
    """Read a whole number."""
    if not value.isascii() or not value.isdecimal() or len(value) > 9 or int(value) < least:
        raise ValueFault(f"is no whole number from {least} on")
    return int(value)


def choice(value: str, *known: str) -> str:
    """Read one of some words."""
    if value not in known:
        raise ValueFault(f"is none of {', '.join(known)}")
    return value
