"""Answers kept from one run to the next in a SQLite database of the user's, each by a digest of all that it depends on.

It may be deleted at any time, by another run too. A damaged one is deleted, and a damaged answer counts as a missing
one. A disk that is full, a folder that cannot be written, or another run that writes for too long, costs the next run
its time and nothing else.

What is in it is believed: see `cachefolder`.
"""

from __future__ import annotations

import os
import re
import stat
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

try:
    import sqlite3
except ImportError:  # a Python that was built without it keeps nothing
    sqlite3 = None  # type: ignore[assignment]

T = TypeVar("T")

_FILE: Final = "answers.sqlite3"
_DAY: Final = 24 * 3600
_WAIT: Final = 5
"""How many seconds another run may take to write."""
_TOGETHER: Final = 1000
"""How many answers are written at a time."""
_SIZE: Final = 16
_ANSWER: Final = "SELECT CAST(answer AS BLOB), CAST(used AS INTEGER) FROM answers WHERE key = ?"
_TABLE: Final = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer BLOB NOT NULL, used INTEGER NOT NULL)"
_TOO_MUCH: Final = """
DELETE FROM answers WHERE key IN (
    SELECT key FROM (SELECT key, SUM(LENGTH(answer)) OVER (ORDER BY used DESC, rowid DESC) AS size FROM answers)
    WHERE size > ?
)
"""
_OLD_LAYOUT: Final = re.compile("[0-9a-f]{2}"), re.compile("[0-9a-f]{62}")
"""What version 1.0.0 made in the folder: a folder for each first byte of a key, and a file for each answer."""


class Cache:
    """Answers by the digests of what they depend on, no more than `most` bytes of them; the oldest are dropped."""

    def __init__(self, folder: str, most: int = CACHE_BYTES) -> None:
        """CacheError when somebody else owns the folder or may write into it, or when a checkout may reach it.

        One that is not there is made.
        """
        check_outside(folder)
        self._folder, self._path, self._most = folder, f"{folder}/{_FILE}", most
        self._connections: dict[int, sqlite3.Connection] = {}
        """By the process: a connection cannot be used in a forked one, not even to close it."""
        self._new: dict[str, bytes] = {}
        self._used_again: set[str] = set()
        self._is_lost = sqlite3 is None
        if os.path.exists(folder):  # noqa: PTH110 - as the rest, without pathlib's cost
            check(folder)

    def get(self, key: str) -> bytes | None:
        """Return the bytes stored under a key; None when there are none, or they are damaged."""
        content = self._new.get(key)
        if content is None and not self._is_lost:
            try:
                content = self._find(key)
            except (OSError, CacheError, sqlite3.Error) as error:
                self._lose(error)
        return content

    def recall(self, key: str, decode: Callable[[bytes], T]) -> T | None:
        """Return the answer stored under a key; None when there is none that `decode`, of msgspec, can read."""
        content = self.get(key)
        try:
            return None if content is None else decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None

    def put(self, key: str, content: bytes) -> None:
        """Store bytes under a key, with others or once all are saved."""
        if not self._is_lost and len(content) <= CACHE_ENTRY_BYTES:
            self._new[key] = content
            if len(self._new) >= _TOGETHER:
                self.save()

    def save(self) -> None:
        """Write what is new, all of it or nothing, and drop the oldest of what is too much."""
        try:
            if not self._is_lost and (self._new or self._used_again):
                self._write(self._open_or_create())
        except (OSError, CacheError, sqlite3.Error) as error:
            self._lose(error)
        self._new.clear()
        self._used_again.clear()
        database = self._connections.pop(os.getpid(), None)
        if database is not None:
            database.close()

    def _find(self, key: str) -> bytes | None:
        database = self._database()
        row = database.execute(_ANSWER, (key,)).fetchone() if database is not None else None
        if row is None:
            return None
        sealed, used = row
        if used < _today():
            self._used_again.add(key)
        content: bytes = sealed[_SIZE:]
        return content if sealed[:_SIZE] == _seal(key, content) else None

    def _write(self, database: sqlite3.Connection) -> None:
        today = _today()
        rows = [(key, _seal(key, content) + content, today) for key, content in self._new.items()]
        with database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)
            database.executemany(
                "UPDATE answers SET used = ? WHERE key = ?", ((today, key) for key in self._used_again)
            )
            pages, free, size = (
                database.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("page_count", "freelist_count", "page_size")
            )
            if (pages - free) * size > self._most:
                database.execute(_TOO_MUCH, (self._most * 3 // 4,))

    def _open_or_create(self) -> sqlite3.Connection:
        """The database, made if it is not there."""
        database = self._database()
        if database is None:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)  # noqa: PTH103
            check(self._folder)
            _drop_old_layout(self._folder)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            database = self._database()
            assert database is not None
        return database

    def _database(self) -> sqlite3.Connection | None:
        """The database, None where there is none."""
        database = self._connections.get(os.getpid())
        if database is None and _is_file(self._path):
            database = sqlite3.connect(self._path, timeout=_WAIT, isolation_level=None)
            self._connections[os.getpid()] = database
            database.execute("PRAGMA synchronous = OFF")  # what the system loses is found anew
            database.execute(_TABLE)
        return database

    def _lose(self, error: Exception) -> None:
        """Do without in this run; what cannot be read is no more in the next one's way."""
        self._is_lost = True
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            with suppress(OSError):
                os.unlink(self._path)  # noqa: PTH108


def _today() -> int:
    return int(time.time() // _DAY)


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _drop_old_layout(folder: str) -> None:
    share, name = _OLD_LAYOUT
    with os.scandir(folder) as entries:
        shares = [
            entry.path for entry in entries if share.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
        ]
    for path in shares:
        with suppress(OSError):
            for file in os.listdir(path):  # noqa: PTH208
                if name.fullmatch(file) or file.startswith(".new-"):
                    os.unlink(f"{path}/{file}")  # noqa: PTH108
            os.rmdir(path)  # noqa: PTH106


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
