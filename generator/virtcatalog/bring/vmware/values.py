"""Values as sources write them: addresses, UUIDs, truths and amounts."""

from __future__ import annotations

import re

_MAC = re.compile(r"[0-9a-f]{12}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_LONGEST_NUMBER = 15
_GROUPED = re.compile("[0-9]{1,3}(?P<mark>[,.'\u2019 \u00a0\u202f])(?:[0-9]{2,3}(?P=mark))*[0-9]{3}")


def mac_of(text: str) -> str:
    """Return a MAC address as KubeVirt has it, "" for what is none."""
    digits = re.sub("[:.-]", "", text.strip().lower())
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2)) if _MAC.fullmatch(digits) else ""


def uuid_of(text: str) -> str:
    """Return a UUID as KubeVirt has it, "" for what is none."""
    uuid = text.strip().lower()
    return uuid if _UUID.fullmatch(uuid) else ""


def truth_of(text: str) -> bool | None:
    """Return what a text such as `True` says, None for what says neither."""
    return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(text.strip().lower())


def number_of(text: str) -> int | None:
    """Return a whole number that is written as `16384`, `16,384`, `1,02,400` or `16384.0`; None for what is none.

    Between its digits is what Windows puts there in some country: comma, dot, apostrophe or blank.
    """
    digits = text.strip()
    if match := _GROUPED.fullmatch(digits):
        digits = digits.replace(match["mark"], "")
    integer, _, fraction = digits.partition(".")
    if not integer.isascii() or not integer.isdecimal() or len(integer) > _LONGEST_NUMBER or fraction.strip("0"):
        return None
    return int(integer)
