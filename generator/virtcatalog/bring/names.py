"""Names for what an import makes."""

from __future__ import annotations

import re

from virtcatalog.api.names import dns_label_problems

_LONGEST_LABEL, _LONGEST_NAME = 63, 253


def label(text: str, otherwise: str) -> str:
    """Return a text as the name of a volume, network or VM (a DNS label); `otherwise` if nothing of it can be used."""
    name = _label(re.sub("[^a-z0-9]+", "-", text.lower()))
    return name if name and not dns_label_problems(name) else otherwise


def free_label(name: str, taken: set[str]) -> str:
    """Return a free label like `name`, and add it to `taken`."""
    return _free(name, taken, _LONGEST_LABEL)


def free_name(text: str, taken: set[str]) -> str:
    """Return a text as the free name of an object (a DNS subdomain), and add it to `taken`."""
    labels = map(_label, re.sub("[^a-z0-9.-]+", "-", text.lower()).split("."))
    return _free(".".join(filter(None, labels))[:250].strip(".-") or "unnamed", taken, _LONGEST_NAME)


def _label(text: str) -> str:
    return text.strip("-")[:_LONGEST_LABEL].strip("-")


def _free(name: str, taken: set[str], longest: int) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name[: longest - 1 - len(str(number))]}-{number}"
    taken.add(free)
    return free
