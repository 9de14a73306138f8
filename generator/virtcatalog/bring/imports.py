"""What all imports share: names for what they make, and the fates of what they read."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from virtcatalog.api.names import dns_label_problems

Fate = Literal["carried", "host", "lost", "unproven"]
"""`host`: the node, the cluster or KubeVirt itself decides. `unproven`: there is no domain to compare with."""
FATES: tuple[Fate, ...] = ("carried", "host", "lost", "unproven")


class Verdict(NamedTuple):
    """What becomes of a part or property, and where it is now, or why it is not."""

    fate: Fate
    why: str


def carried(where: str) -> Verdict:
    """Return the verdict of what the new object has."""
    return Verdict("carried", where)


def host(why: str) -> Verdict:
    """Return the verdict of what is not the new object's to decide."""
    return Verdict("host", why)


def lost(why: str) -> Verdict:
    """Return the verdict of what the new object does not have."""
    return Verdict("lost", why)


_LONGEST_LABEL, _LONGEST_NAME = 63, 253


def label(text: str, otherwise: str) -> str:
    """Return a text as the name of a volume, network or VM (a DNS label); `otherwise` if nothing of it can be used."""
    name = _label(re.sub("[^a-z0-9]+", "-", text.lower()))
    return name if name and not dns_label_problems(name) else otherwise


def free_label(name: str, used_names: set[str], longest: int = _LONGEST_LABEL) -> str:
    """Return a free label like `name`, of so many characters at most, and add it to `used_names`."""
    return _free(name[:longest].rstrip("-"), used_names, longest)


def free_name(text: str, used_names: set[str]) -> str:
    """Return a text as the free name of an object (a DNS subdomain), and add it to `used_names`."""
    labels = map(_label, re.sub("[^a-z0-9.-]+", "-", text.lower()).split("."))
    return _free(".".join(filter(None, labels))[:250].strip(".-") or "unnamed", used_names, _LONGEST_NAME)


def _label(text: str) -> str:
    return text.strip("-")[:_LONGEST_LABEL].strip("-")


def _free(name: str, used_names: set[str], longest: int) -> str:
    number, free = 1, name
    while free in used_names:
        number += 1
        free = f"{name[: longest - 1 - len(str(number))]}-{number}"
    used_names.add(free)
    return free
