"""The fates of what an import reads: parts of a domain, properties of a flavor or image."""

from __future__ import annotations

from typing import Literal, NamedTuple

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
