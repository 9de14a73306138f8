"""A VM's text with blanks where it says what is its own, so that VMs which differ in nothing else have the same text.

Blanks are its name, wherever that is part of a text, its namespace, and all that only tells one thing from another:
UUIDs, MAC addresses, times, versions, and the user data of cloud-init.
"""

from __future__ import annotations

import re
from random import Random
from typing import Final, NamedTuple

import msgspec

NAME, NAMESPACE, UUID, MAC, TIME, NUMBER, TEXT = "nsumtvx"
"""What is put into a blank. All VMs have the first two blanks, in this order."""

_ORDINARY: Final = re.compile("[a-z][-a-z0-9]{1,28}[a-z0-9]")
_NUMBERED: Final = (
    re.compile(rb'eneration":([1-9][0-9]{0,14})(?=[,}])'),
    re.compile(rb'"resourceVersion":"([1-9][0-9]{0,14})(?=")'),
)
_STRING: Final = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*')
_TEXT: Final = b'Data":"'
_TEXTS: Final = (b'"user', b'"network')
_LONGEST_TEXT: Final = 2000
_OWN: Final = (
    (UUID, 36, re.compile(rb'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\\?")')),
    (MAC, 17, re.compile(rb'[0-9a-f][02468ace](?::[0-9a-f]{2}){5}(?=\\?")')),
    (TIME, 20, re.compile(rb'20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z(?=\\?")')),
)
#: What stands between a key and a text, also in JSON that is a text itself, as in kubectl's annotation.
_BETWEEN: Final = (b'":"', b'\\":\\"')
_LONGEST_NAME: Final = 30
_STEP: Final = 8
_REMEMBERED: Final = 1 << 16


class Blank(NamedTuple):
    """A VM's text with blanks: what each is for, a letter each, and what this VM has in them, as JSON writes it."""

    text: bytes
    kinds: str
    values: tuple[bytes, ...]

    @property
    def longest(self) -> tuple[int, int]:
        """Return how long names and namespaces may be for which the same is said of their length."""
        return _longest(self.values[0]), _longest(self.values[1])

    @property
    def identity(self) -> bytes:
        """Return what is the same for all VMs that are alike."""
        return b"%s %d %d %s" % (self.kinds.encode(), *self.longest, self.text)

    def filled(self, values: tuple[bytes, ...]) -> bytes:
        """Return the text with other values in the blanks."""
        parts = self.text.split(b"\0")
        parts[1::2] = [values[int(each)] for each in parts[1::2]]
        return b"".join(parts)


class _Metadata(msgspec.Struct):
    name: str
    namespace: str = "default"


class _Head(msgspec.Struct):
    metadata: _Metadata


_HEAD: Final = msgspec.json.Decoder(_Head)


def blank(text: bytes) -> Blank | None:
    """Return a VM's manifest in JSON with its blanks; None where its name may mean more than a name."""
    begun = begin(text)
    return None if begun is None else begun.finish()


def begin(text: bytes) -> Begun | None:
    """Return a VM's manifest in JSON with its first blanks; None where its name may mean more than a name."""
    try:
        text = msgspec.json.format(text, indent=-1)
        metadata = _HEAD.decode(text).metadata
    except (ValueError, RecursionError):
        return None
    if not _ORDINARY.fullmatch(metadata.name) or not _ORDINARY.fullmatch(metadata.namespace):
        return None
    return Begun(text, metadata.name.encode(), metadata.namespace.encode())


class Begun:
    """A VM's text in which names and user data are blanks, and the rest of what is its own will be."""

    def __init__(self, text: bytes, name: bytes, namespace: bytes) -> None:
        self.kinds = NAME + NAMESPACE
        self.values = [name, namespace]
        self._seen: dict[bytes, bytes] = {}
        self.text = self._texts(text).replace(name, b"\0000\0").replace(b'"%s"' % namespace, b'"\0001\0"')

    def finish(self) -> Blank:
        """Return it with all its blanks."""
        text = self.text
        for pattern in _NUMBERED:
            text = pattern.sub(self._number, text)
        for between in _BETWEEN:
            text = self._own(text, between)
        return Blank(text, self.kinds, tuple(self.values))

    def _texts(self, text: bytes) -> bytes:
        """Take out the user data, but for such of which the length may matter."""
        at = text.find(_TEXT)
        while at >= 0:
            start = at + len(_TEXT)
            found = _STRING.match(text, start)
            end = found.end() if found else start
            if 0 < end - start <= _LONGEST_TEXT and text.endswith(_TEXTS, 0, at):
                place = self._put(TEXT, text[start:end])
                text, end = text[:start] + place + text[end:], start + len(place)
            at = text.find(_TEXT, end)
        return text

    def _number(self, found: re.Match[bytes]) -> bytes:
        """Take out a number behind its key."""
        return found[0][: found.start(1) - found.start()] + self._once(NUMBER, found[1])

    def _own(self, text: bytes, between: bytes) -> bytes:
        """Take out what tells one thing from another."""
        parts = text.split(between)
        if len(parts) > 1:
            for index, kind in [(index, kind) for index, part in enumerate(parts) if (kind := _KINDS[part])]:
                part = parts[index]
                parts[index] = self._once(kind[0], part[: kind[1]]) + part[kind[1] :]
        return between.join(parts)

    def _once(self, kind: str, value: bytes) -> bytes:
        """Return the blank of a value, which is the same wherever that stands."""
        place = self._seen.get(value)
        if place is None:
            place = self._seen[value] = self._put(kind, value)
        return place

    def _put(self, kind: str, value: bytes) -> bytes:
        self.kinds += kind
        self.values.append(value)
        return b"\0%d\0" % (len(self.values) - 1)


def _longest(name: bytes) -> int:
    return min(_LONGEST_NAME, -(-len(name) // _STEP) * _STEP)


class Known:
    """The text of VMs that are alike, by which others of them are known: as fast as they are compared."""

    def __init__(self, own: Blank) -> None:
        self.own = own
        self._given = sum(each in _BEGUN for each in own.kinds)
        literals, places, patterns = [b""], list[int](), list[bytes]()
        for index, part in enumerate(own.text.split(b"\0")):
            if index % 2 and int(part) >= self._given:
                places.append(int(part) - self._given)
                patterns.append(b"(.{%d})(%s)" % (len(literals[-1]), _PATTERNS[own.kinds[int(part)]]))
                literals.append(b"")
            else:
                literals[-1] += b"\0%s\0" % part if index % 2 else part
        self._literals, self._places = tuple(literals), tuple(places)
        self._firsts = [places.index(number) for number in range(len(own.kinds) - self._given)]
        self._pattern = re.compile(b"%s(.{%d})" % (b"".join(patterns), len(literals[-1])), re.DOTALL)

    def blank(self, begun: Begun) -> Blank | None:
        """Return a VM with all its blanks, just as `finish` does; None if it is not alike."""
        found = self._pattern.fullmatch(begun.text)
        if found is None:
            return None
        parts = found.groups()
        if parts[::2] != self._literals:
            return None
        given = parts[1::2]
        values = [given[each] for each in self._firsts]
        # What stands in two blanks here, or in one, does so there, too.
        if len(set(values)) != len(values) or any(
            values[of] != each for of, each in zip(self._places, given, strict=True)
        ):
            return None
        return Blank(self.own.text, self.own.kinds, (*begun.values, *values))


class _Kinds(dict[bytes, tuple[str, int] | None]):
    """What kind of a blank a text starts with, and how long that is; remembered, since VMs repeat most texts."""

    def __missing__(self, text: bytes) -> tuple[str, int] | None:
        if len(self) >= _REMEMBERED:
            self.clear()
        kind = next(((kind, length) for kind, length, pattern in _OWN if pattern.match(text)), None)
        if len(text) <= _LONGEST_TEXT:
            self[text] = kind
        return kind


_KINDS: Final = _Kinds()
_BEGUN: Final = (NAME, NAMESPACE, TEXT)
_PATTERNS: Final = {
    NUMBER: rb'[1-9][0-9]{0,14}(?=[,}"])',
    **{kind: pattern.pattern for kind, _, pattern in _OWN},
}


def stand_ins(own: Blank, which: int) -> tuple[bytes, ...]:
    """Return values that stand for a VM's own, and in no text by chance: the first with short names, the second long.

    What is made of a VM with the ones and with the others differs in nothing but these, or there is more to a blank.
    """
    longest = (*own.longest, *[0] * len(own.kinds))
    return tuple(_stand_in(kind, which, index, longest[index]) for index, kind in enumerate(own.kinds))


def _stand_in(kind: str, which: int, index: int, longest: int) -> bytes:
    chance = Random(f"{which} {index}")  # noqa: S311 - nothing has to be secret
    drawn = f"{chance.getrandbits(160):040x}"
    if kind in (NAME, NAMESPACE):
        text = f"zx{kind}j" if which == 0 else f"qk{kind}{drawn}"[:longest]
    elif kind == UUID:
        text = f"{drawn[:8]}-{drawn[8:12]}-4{drawn[13:16]}-a{drawn[17:20]}-{drawn[20:32]}"
    elif kind == MAC:
        text = f"02:{drawn[0:2]}:{drawn[2:4]}:{drawn[4:6]}:{drawn[6:8]}:f{drawn[9]}"
    elif kind == TIME:
        text = f"20{31 + which}-{1 + index % 12:02}-{1 + index // 12 % 28:02}T{index // 336 % 24:02}:17:{13 + which}Z"
    elif kind == NUMBER:
        text = f"{7 + which}{index:03}{chance.randrange(10**8):08}"
    else:
        text = f"#{drawn}"
    return text.encode()
