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
_OF_NAMES: Final = b"-0123456789abcdefghijklmnopqrstuvwxyz"
_ANY_NAME: Final = _ORDINARY.pattern.encode()
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
        parts[1::2] = [values[int(part)] for part in parts[1::2]]
        return b"".join(parts)


class _Metadata(msgspec.Struct):
    name: str
    namespace: str | msgspec.UnsetType = msgspec.UNSET


class _Head(msgspec.Struct):
    metadata: _Metadata


_HEAD: Final = msgspec.json.Decoder(_Head)


def compact(text: bytes) -> bytes | None:
    """Return JSON without white space between its parts; None for what is none."""
    try:
        return msgspec.json.format(text, indent=-1)
    except (ValueError, RecursionError):
        return None


def blank(text: bytes) -> Blank | None:
    """Return a VM's manifest in compact JSON with its blanks; None where its name may mean more than a name."""
    try:
        metadata = _HEAD.decode(text).metadata
    except (ValueError, RecursionError):
        return None
    name, namespace = metadata.name, "default" if metadata.namespace is msgspec.UNSET else metadata.namespace
    if not _ORDINARY.fullmatch(name) or not _ORDINARY.fullmatch(namespace):
        return None
    return _Blanks(name.encode(), namespace.encode()).put_into(text)


class _Blanks:
    """Takes out of a VM's text what is its own."""

    def __init__(self, name: bytes, namespace: bytes) -> None:
        self._kinds = NAME + NAMESPACE
        self._values = [name, namespace]
        self._seen: dict[bytes, bytes] = {}

    def put_into(self, text: bytes) -> Blank:
        """Return the text with blanks."""
        name, namespace = self._values
        text = self._texts(text).replace(name, b"\0000\0").replace(b'"%s"' % namespace, b'"\0001\0"')
        for pattern in _NUMBERED:
            text = pattern.sub(self._number, text)
        for between in _BETWEEN:
            text = self._own(text, between)
        return Blank(text, self._kinds, tuple(self._values))

    def _texts(self, text: bytes) -> bytes:
        """Take out the user data, but for such of which the length may matter."""
        at = text.find(_TEXT)
        while at >= 0:
            start = at + len(_TEXT)
            match = _STRING.match(text, start)
            end = match.end() if match else start
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
        self._kinds += kind
        self._values.append(value)
        return b"\0%d\0" % (len(self._values) - 1)


def _longest(name: bytes) -> int:
    return min(_LONGEST_NAME, -(-len(name) // _STEP) * _STEP)


class Known:
    """The text of VMs that are alike, by which others of them are known: as fast as they are compared.

    Few are not known by it, such as one whose name is that of its disk, too: these have to be given their blanks.
    """

    def __init__(self, own: Blank) -> None:
        self.own = own
        parts = own.text.split(b"\0")
        self._literals, numbers = tuple(parts[::2]), [int(part) for part in parts[1::2]]
        self._texts = slice(2, 2 + own.kinds.count(TEXT))
        #: What a name may be taken to begin with where it stands, and what it may stand in elsewhere.
        befores = (part for part, number in zip(parts[::2], numbers, strict=False) if number == 0)
        self._runs = {each[len(each.rstrip(_OF_NAMES)) :] for each in befores}
        self._words = b"\0".join({word for literal in self._literals for word in re.findall(rb"[-a-z0-9]+", literal)})
        self._strings = {string for literal in self._literals for string in re.findall(rb'"([-a-z0-9]+)(?=")', literal)}
        self._has_space = _HEAD.decode(own.filled(own.values)).metadata.namespace is not msgspec.UNSET
        space = _ANY_NAME if self._has_space else re.escape(own.values[1])
        blanks = [_ANY_NAME, space, *(_PATTERNS[kind] for kind in own.kinds[2:])]
        whole, seen = b"", set[int]()
        for index, number in enumerate(numbers):
            again = b"(?P=b%d)" % number
            first = b"(?P<b%d>%s)(?=%s)" % (number, blanks[number], re.escape(self._literals[index + 1][:_STEP]))
            whole += b"(?P<l%d>.{%d})%s" % (index, len(self._literals[index]), again if number in seen else first)
            seen.add(number)
        self._pattern = re.compile(b"%s(?P<l%d>.{%d})" % (whole, len(numbers), len(self._literals[-1])), re.DOTALL)
        groups = self._pattern.groupindex
        self._of_literals = [groups[f"l{index}"] for index in range(len(self._literals))]
        self._of_values = [groups[f"b{number}"] for number in sorted(seen)]
        #: A namespace that is nowhere by itself is not known from here.
        self._is_usable = 1 in seen or not self._has_space

    @property
    def maps(self) -> int:
        """Return what `maps` says of VMs that are alike."""
        return maps(self.own.filled(self.own.values))

    def blank(self, text: bytes) -> Blank | None:
        """Return a VM with all its blanks, just as `blank` does; None if it is not alike."""
        match = self._pattern.fullmatch(text) if self._is_usable else None
        if match is None or match.group(*self._of_literals) != self._literals:
            return None
        _, *values = match.group(0, *self._of_values)
        if len(values) < len(self.own.kinds):
            values.insert(1, self.own.values[1])
        name, space, texts, others = values[0], values[1], values[self._texts], values[self._texts.stop :]
        # What stands in two blanks here does so there, too, and the names are nowhere else.
        if (
            len(set(others)) != len(others)
            or any(len(text) > _LONGEST_TEXT for text in texts)
            or (name in self._words or name in space or name in b"\0".join(others))
            or (space in self._strings or space in texts)
            or any((run + name).find(name) < len(run) for run in self._runs)
        ):
            return None
        return Blank(self.own.text, self.own.kinds, tuple(values))


def maps(text: bytes) -> int:
    """Return how many maps within maps a compact text has, which are as many for all VMs that are alike."""
    return text.count(b'":{"')


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
_PATTERNS: Final = {
    TEXT: rb'(?!")[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*',
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
