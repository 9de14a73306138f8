"""The descriptor of an OVA: a tar archive, of which only the headers and that one file are read.

The format is POSIX's ustar, with the long names of GNU tar and pax. Nothing is unpacked: what else is in the archive is
stepped over, whatever it says of itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from virtcatalog.errors import ManifestError, Problem
from virtcatalog.limits import ARCHIVE_MEMBERS, XML_BYTES

Read = Callable[[int, int], bytes]
"""Returns the bytes from a place to another one; fewer where the archive ends."""

_BLOCK: Final = 512
_LONG_NAME, _PAX, _PAX_OF_ALL = b"L", b"x", b"g"
_FILES: Final = (b"0", b"\0", b"7")
_LONGEST_HEADER: Final = 64 * 1024
_PAX_PATH = re.compile(rb"(?:^|\n)\d+ path=([^\n]*)\n")


class _Member(NamedTuple):
    name: str
    start: int
    size: int


def read_ova(read: Read, file: str) -> bytes:
    """Return the OVF descriptor of an archive; ManifestError for an archive that has none."""
    for member in _members(read, file):
        if member.name.lower().endswith(".ovf"):
            if member.size > XML_BYTES:
                raise _fault(file, f"{member.name} is larger than {XML_BYTES // 2**10} KiB")
            content = read(member.start, member.start + member.size)
            if len(content) < member.size:
                raise _fault(file, "ends within its descriptor")
            return content
    raise _fault(file, "has no .ovf file in it")


def is_tar(beginning: bytes) -> bool:
    """Whether bytes are how a tar archive begins."""
    return len(beginning) >= _BLOCK and _checksum(beginning[:_BLOCK]) == _octal(beginning[148:156])


def _members(read: Read, file: str) -> Iterator[_Member]:
    at, name = 0, ""
    for _ in range(ARCHIVE_MEMBERS):
        header = read(at, at + _BLOCK)
        if not header.strip(b"\0"):
            return
        if not is_tar(header):
            raise _fault(file, "is no tar archive" if not at else "is no tar archive from one of its files on")
        size, kind = _octal(header[124:136]), header[156:157]
        if size is None:
            raise _fault(file, "has a file whose size cannot be read")
        start = at + _BLOCK
        if kind in (_LONG_NAME, _PAX):
            name = _long_name(read(start, start + min(size, _LONGEST_HEADER)), kind)
        elif kind != _PAX_OF_ALL:
            if kind in _FILES:
                yield _Member(name or _text(header[:100]), start, size)
            name = ""
        at = start + -(-size // _BLOCK) * _BLOCK
    raise _fault(file, f"has more than {ARCHIVE_MEMBERS:,} files in it")


def _long_name(content: bytes, kind: bytes) -> str:
    if kind == _LONG_NAME:
        return _text(content)
    match = _PAX_PATH.search(content)
    return _text(match[1]) if match else ""


def _text(data: bytes) -> str:
    return data.split(b"\0", 1)[0].decode("utf-8", "replace")


def _octal(field: bytes) -> int | None:
    """A number of a header: octal, or binary where its first bit is set."""
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b"\0 ")
    return int(digits, 8) if re.fullmatch(rb"[0-7]+", digits) else None


def _checksum(header: bytes) -> int:
    return sum(header[:148]) + 8 * 32 + sum(header[156:])


def _fault(file: str, message: str) -> ManifestError:
    return ManifestError(Problem(file, message=message))
