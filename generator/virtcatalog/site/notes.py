"""Which lines of a domain come from the instance type, which from the preference, and which from KubeVirt itself.

As everywhere here, a line comes from what it is missing or different without: the same VM is expanded without its
preference, and with two other instance types in place of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from virtcatalog.site.probes import HOLE, Block, blocks

#: Letters of sources, and what a page calls them.
KUBEVIRT, TYPE, PREFERENCE, BOTH, VM, UNKNOWN = "ktpbv-"
SOURCES: Final = {
    TYPE: "type",
    PREFERENCE: "preference",
    BOTH: "type + preference",
    VM: "this VM",
    KUBEVIRT: "KubeVirt",
    UNKNOWN: "not told",
}
_NONE: Final[frozenset[str]] = frozenset()
_HEAD: Final = re.compile(r" *</?[^ />]+")
_PARTS: Final = ("    <disk ", "    <interface ")


class Unit(NamedTuple):
    """Lines of a domain that stand together, and a letter for each of them; one letter when it is the same for all."""

    text: str
    sources: str


class Lines:
    """The lines of domains, found by the element in which they stand."""

    def __init__(self, domains: Iterable[str]) -> None:
        self._blocks = {block for domain in domains for block in blocks(domain)}
        self._lines = {(_head(block), line) for block in self._blocks for line in block.split("\n")}

    def missing(self, block: Block) -> frozenset[str]:
        """Return the lines of a block that are nowhere here in such an element."""
        if block in self._blocks:
            return _NONE
        head = _head(block)
        return frozenset(line for line in block.split("\n") if (head, line) not in self._lines)


class Notes:
    """Tells the sources of one pair's lines; None stands for domains that nobody makes."""

    def __init__(self, without_preference: Lines | None, with_other_types: Sequence[Lines] | None) -> None:
        self._without, self._others = without_preference, with_other_types

    def unit(self, block: Block, template: Block | None = None) -> Unit:
        """Return a block with the sources of its lines; `template` is what is shown of it, line by line."""
        if self._without is None or self._others is None:
            return Unit(template or block, UNKNOWN)
        of_preference = self._without.missing(block)
        of_type = _NONE.union(*(each.missing(block) for each in self._others))
        return _unit(block, template or block, of_preference, of_type)


@lru_cache(maxsize=16384)
def _unit(block: Block, template: Block, of_preference: frozenset[str], of_type: frozenset[str]) -> Unit:
    own = VM if block.startswith(_PARTS) else KUBEVIRT
    letters: list[str] = []
    openers: dict[int, str] = {}
    for line in block.split("\n"):
        depth = len(line) - len(line.lstrip(" "))
        if line.startswith("</", depth):
            letters.append(openers.get(depth, own))
            continue
        if line in of_type:
            letter = BOTH if line in of_preference else TYPE
        else:
            letter = PREFERENCE if line in of_preference else VM if HOLE in line else own
        openers[depth] = letter
        letters.append(letter)
    return Unit(template, letters[0] if len(set(letters)) == 1 else "".join(letters))


def _head(block: Block) -> str:
    """The element's indent and tag."""
    head = _HEAD.match(block)
    assert head is not None
    return str(head[0])
