"""Which lines of a domain come from the instance type, which from the preference, and which from KubeVirt itself.

A line comes from the object without which it is missing or different: the same VM is expanded without its
preference, and with two other instance types in place of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

#: Letters of sources, and what a page calls them.
KUBEVIRT, TYPE, PREFERENCE, BOTH, VM, UNKNOWN = "ktpbv-"
SOURCES: Final = {
    TYPE: "type",
    PREFERENCE: "preference",
    BOTH: "type + preference",
    VM: "this VM",
    KUBEVIRT: "KubeVirt",
    UNKNOWN: "not known",
}
_NONE: Final[frozenset[str]] = frozenset()
_CHILDREN, _DEVICES = (re.compile(rf"\n(?={indent}<[a-z!])") for indent in ("  ", "    "))
_OPENING: Final = re.compile(r" *</?[^ />]+")
_OF_VM: Final = ("    <disk ", "    <interface ")


class Block(NamedTuple):
    """Lines of a domain that stand together, and their sources: a letter a line, or one letter for all lines."""

    text: str
    sources: str


def blocks(xml: str) -> list[str]:
    """Split a domain: the children of `<devices>` one by one, those of `<domain>`, and the tags of both."""
    head, _, rest = xml.rstrip("\n").partition("\n  <devices>\n")
    devices, _, tail = rest.partition("\n  </devices>\n")
    around = [_CHILDREN.split(head), _CHILDREN.split(tail)]
    return [*around[0], "  <devices>", *_DEVICES.split(devices), "  </devices>", *around[1]]


class Lines:
    """The lines of a domain, by the element in which they stand."""

    def __init__(self, xml: str) -> None:
        self._blocks = set(blocks(xml))
        self._lines = {(_opening(block), line) for block in self._blocks for line in block.split("\n")}

    def missing(self, block: str) -> frozenset[str]:
        """Return the lines of a block that are nowhere here in such an element."""
        if block in self._blocks:
            return _NONE
        opening = _opening(block)
        return frozenset(line for line in block.split("\n") if (opening, line) not in self._lines)


class Sources:
    """Finds the sources of one pair's lines."""

    def __init__(
        self, without_preference: Lines | None, with_other_types: Sequence[Lines] | None, names: tuple[str, ...] = ()
    ) -> None:
        """None stands for a missing domain; `names` are the texts that follow from the VM's name."""
        self._without, self._others, self._names = without_preference, with_other_types, names

    def block(self, text: str) -> Block:
        """Return a block with the sources of its lines."""
        if self._without is None or self._others is None:
            return Block(text, UNKNOWN)
        of_preference = self._without.missing(text)
        of_type = _NONE.union(*(lines.missing(text) for lines in self._others))
        return _block(text, of_preference, of_type, self._names)


@lru_cache(maxsize=16384)
def _block(text: str, of_preference: frozenset[str], of_type: frozenset[str], names: tuple[str, ...]) -> Block:
    own = VM if text.startswith(_OF_VM) else KUBEVIRT
    letters: list[str] = []
    opened: dict[int, str] = {}
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(" "))
        if line.startswith("</", depth):
            letters.append(opened.get(depth, own))
            continue
        if line in of_type:
            letter = BOTH if line in of_preference else TYPE
        elif line in of_preference:
            letter = PREFERENCE
        else:
            letter = VM if any(text in line for text in names) else own
        opened[depth] = letter
        letters.append(letter)
    return Block(text, letters[0] if len(set(letters)) == 1 else "".join(letters))


def _opening(block: str) -> str:
    """The indent and the tag of the block's element."""
    opening = _OPENING.match(block)
    assert opening is not None
    return str(opening[0])
