"""The specs of an instance type and a preference, filled in property by property."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from virtcatalog.bring.imports import Verdict, carried
from virtcatalog.manifests.fields import get, put


class ValueFault(Exception):  # noqa: N818 - it is data of a problem, worded at the edge
    """A property has a value that OpenStack would refuse, or that has no meaning."""


class Sheet:
    """The two specs. `vcpus` are those of the flavor, 0 for an image; `resources` are those of device aliases."""

    def __init__(self, vcpus: int = 0, resources: Mapping[str, str] | None = None) -> None:
        self.vcpus, self.resources = vcpus, resources or {}
        self.instancetype: dict[str, Any] = {}
        self.preference: dict[str, Any] = {}
        self.needs: list[str] = []

    def type(self, field: str, value: Any) -> Verdict:
        """Put a value into the instance type."""
        self.instancetype = put(self.instancetype, tuple(field.split(".")), value)
        return carried(f"instance type: {field}")

    def prefer(self, field: str, value: Any) -> Verdict:
        """Put a value into the preference."""
        self.preference = put(self.preference, tuple(field.split(".")), value)
        return carried(f"preference: {field}")

    def has(self, field: str) -> Any:
        """Return a field of the instance type, None where it is not set."""
        return get(self.instancetype, tuple(field.split(".")))


Handler = Callable[[Sheet, str, str], Verdict]
"""Handles the property `key` with its value; ValueFault for a value that it cannot have."""

_TRUE, _FALSE = ("true", "yes", "1", "on", "t", "y"), ("false", "no", "0", "off", "f", "n")


def truth(value: str) -> bool:
    """Read a boolean as OpenStack does."""
    lower = value.lower()
    if lower in _TRUE or lower in _FALSE:
        return lower in _TRUE
    raise ValueFault("is neither true nor false")


def number(value: str, least: int = 1) -> int:
    """Read a whole number."""
    if not value.isascii() or not value.isdecimal() or len(value) > 9 or int(value) < least:
        raise ValueFault(f"is no whole number from {least} on")
    return int(value)


def choice(value: str, *allowed: str) -> str:
    """Read one of some words."""
    if value not in allowed:
        raise ValueFault(f"is none of {', '.join(allowed)}")
    return value
