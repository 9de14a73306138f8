"""Flags that hold parameters: `src:quay.io/containerdisks/fedora:43,name:root,bootorder:1`.

Source: pkg/virtctl/create/params/params.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from virtcatalog.api.quantity import Quantity
from virtcatalog.create.options import FlagError
from virtcatalog.errors import nearest_or_all

#: How parameters are written, for messages.
SHAPE = "it takes parameters, name:value and more of them behind commas"
_DIGITS = re.compile("[0-9]+")
_MOST_COUNT = 2**32 - 1


def split(flag: str, text: str) -> dict[str, str]:
    """Return the parameters by name; of one that is repeated, the last."""
    if not text:
        raise FlagError(flag, f"is empty; {SHAPE}")
    parameters = {}
    for part in text.split(","):
        name, colon, value = part.partition(":")
        if not colon:
            raise FlagError(flag, f"{part!r} has no colon; {SHAPE}")
        parameters[name] = value
    return parameters


def read(flag: str, text: str, readers: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
    """Return the values of the parameters in a text, each read by its function; FlagError for unknown ones."""
    parameters = split(flag, text)
    values = {}
    for name, reader in readers.items():
        if name in parameters:
            try:
                values[name] = reader(parameters[name])
            except ValueError as error:
                raise FlagError(flag, f"{name}: {error}") from None
    for name in sorted(parameters.keys() - readers.keys()):
        raise FlagError(flag, f"there is no parameter {name!r}{nearest_or_all(name, readers)}")
    return values


def count(text: str) -> int:
    """Read a whole number of 32 bits, decimal and without a sign."""
    if not _DIGITS.fullmatch(text):
        raise ValueError(f"{text!r} is not a whole number")
    if len(text.lstrip("0")) > len(str(_MOST_COUNT)) or int(text) > _MOST_COUNT:
        raise ValueError(f"{text[:40]} is more than {_MOST_COUNT}")
    return int(text)


def amount(text: str) -> str:
    """Read a quantity, and return it as Kubernetes writes it."""
    if text != text.strip(" "):
        raise ValueError(f"{text!r} begins or ends with a blank")
    return str(Quantity.parse(text))


def memory(text: str) -> str:
    """Read the quantity of the flag `--memory`, which instance types and VMs have."""
    try:
        return amount(text)
    except ValueError as error:
        raise FlagError("memory", str(error)) from None


def texts(text: str) -> list[str]:
    """Read a list, whose items are separated by semicolons."""
    return text.split(";")


def prefixed(flag: str, text: str) -> tuple[str, str]:
    """Split `prefix/name` or `name`; the prefix is "" when there is none, and when nothing is before the slash.

    Source: SplitPrefixedName.
    """
    prefix, _, name = text.rpartition("/")
    if "/" in prefix:
        raise FlagError(flag, f"{text!r} has {text.count('/')} slashes, and at most one may be before the name")
    if not name:
        raise FlagError(flag, f"{text!r} has no name")
    return prefix, name
