"""Answers kept from one run to the next in a folder of the user's: a file each, named by all that it depends on.

It may be deleted at any time, by another run too. A damaged file counts as a missing one. A disk that is full, or a
folder that cannot be written, costs the next run its time and nothing else.

What is in it is believed: see `cachefolder`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from virtcatalog._version import __version__
from virtcatalog.cachefolder import CacheError, check, check_outside, default_folder
from virtcatalog.limits import CACHE_BYTES, CACHE_ENTRY_BYTES
from virtcatalog.writing import write_new

T = TypeVar("T")

_SHARES: Final = 256
_BLOCK: Final = 4096
_TOUCHED_AGAIN: Final = 24 * 3600
_LEFT_BEHIND: Final = 3600
_SIZE: Final = 16
_UNFINISHED: Final = ".new-"


class Cache:
    """Answers by the digests of what they depend on, no more than `most` bytes of them; the oldest are dropped."""

    def __init__(self, folder: str, most: int = CACHE_BYTES) -> None:
        """CacheError when somebody else owns the folder or may write into it, or when a checkout may reach it.

        One that is not there is made.
        """
        check_outside(folder)
        self._folder, self._most = folder, most
        self._full = False
        self._grown: set[str] = set()
        self._there = os.path.exists(folder)  # noqa: PTH110 - as the rest, without pathlib's cost
        if self._there:
            check(folder)

    def get(self, key: str) -> bytes | None:
        """Return the bytes stored under a key; None when there are none, or the file is damaged."""
        if not self._there:
            return None
        try:
            descriptor = os.open(self._path(key), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            content = os.read(descriptor, CACHE_ENTRY_BYTES + _SIZE + 1)
            if time.time() - os.fstat(descriptor).st_mtime > _TOUCHED_AGAIN:
                os.utime(descriptor)
        except OSError:
            return None
        finally:
            os.close(descriptor)
        return content[_SIZE:] if content[:_SIZE] == _seal(key, content[_SIZE:]) else None

    def recall(self, key: str, decode: Callable[[bytes], T]) -> T | None:
        """Return the answer stored under a key; None when there is none that `decode`, of msgspec, can read."""
        content = self.get(key)
        try:
            return None if content is None else decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None

    def put(self, key: str, content: bytes) -> None:
        """Store bytes under a key: all of them or nothing."""
        if self._full or len(content) > CACHE_ENTRY_BYTES:
            return
        path = self._path(key)
        share = os.path.dirname(path)  # noqa: PTH120
        new = f"{share}/{_UNFINISHED}{os.getpid()}-{key[2:18]}"
        try:
            if not self._there:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)  # noqa: PTH103
                check(self._folder)
                self._there = True
            if share not in self._grown:
                with suppress(FileExistsError):
                    os.mkdir(share, 0o700)  # noqa: PTH102
            write_new(new, _seal(key, content) + content, 0o600)
            os.replace(new, path)  # noqa: PTH105
        except (OSError, CacheError):
            self._full = True
            with suppress(OSError):
                os.unlink(new)  # noqa: PTH108
        else:
            self._grown.add(share)

    def trim(self) -> None:
        """Drop the oldest of what is too much, where something was added."""
        for share in sorted(self._grown):
            with suppress(OSError):
                _trim(share, self._most // _SHARES)
        self._grown.clear()

    def _path(self, key: str) -> str:
        return f"{self._folder}/{key[:2]}/{key[2:]}"


def _trim(share: str, most: int) -> None:
    now, total = time.time(), 0
    stored = []
    with os.scandir(share) as entries:
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            if entry.name.startswith(_UNFINISHED) and now - status.st_mtime < _LEFT_BEHIND:
                continue
            age = float("inf") if entry.name.startswith(_UNFINISHED) else now - status.st_mtime
            stored.append((age, -(-status.st_size // _BLOCK) * _BLOCK, entry.path))
    for age, size, path in sorted(stored):
        total += size
        if total > most or age == float("inf"):
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108


def _seal(key: str, content: bytes) -> bytes:
    return blake2b(key.encode() + content, digest_size=_SIZE).digest()


def users_cache() -> Cache | None:
    """The cache that the environment names, else the user's; None for VIRTCATALOG_NO_CACHE, or where there is none.

    CacheError where the environment names a folder that is not the user's own.
    """
    if os.environ.get("VIRTCATALOG_NO_CACHE", "").lower() not in ("", "0", "false", "no", "off"):
        return None
    place = os.environ.get("VIRTCATALOG_CACHE")
    folder = place or default_folder()
    try:
        return Cache(folder) if folder else None
    except CacheError:
        if place:
            raise
        return None


def digest(*parts: bytes) -> bytes:
    """Return a digest of some parts, each of which counts by itself."""
    hashed = blake2b(digest_size=32)
    for part in parts:
        hashed.update(len(part).to_bytes(8, "big"))
        hashed.update(part)
    return hashed.digest()


@cache
def program() -> bytes:
    """Return a digest of what answers: this program's files, Python, and what it reads with.

    What is installed as a package says of its files what they hold; those of a checkout are known by size and times.
    """
    package = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    parts = [part.encode() for part in (__version__, sys.version, msgspec.__version__)]
    try:
        record = Path(f"{package}/../virtcatalog-{__version__}.dist-info/RECORD").read_bytes()
    except OSError:
        return digest(*parts, *_files(package))
    return digest(*parts, record)


def _files(folder: str) -> Iterator[bytes]:
    with os.scandir(folder) as entries:
        children = sorted(entries, key=lambda entry: entry.name)
    for child in children:
        if child.is_dir():
            yield from _files(child.path) if child.name != "__pycache__" else ()
        else:
            status = child.stat()
            yield os.fsencode(f"{child.path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}")


def key_of(*parts: bytes) -> str:
    """Return the key of an answer that depends on the program and on these parts."""
    return digest(program(), *parts).hex()
