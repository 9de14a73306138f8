"""Archives as folders: tar files, packed by gzip or not, as `git archive` writes them. Nothing is written to disk."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Final

from virtcatalog.limits import SOURCE_BYTES, SOURCE_FILES, SOURCE_FOLDER_LEVELS
from virtcatalog.manifests.commit import Entry, in_commit
from virtcatalog.manifests.folder import (
    Folder,
    LinkOutError,
    Parts,
    SourceError,
    TooLargeError,
    TooManyError,
    parts_of,
    shown,
)

_GZIP: Final = 31  # zlib's number for a stream with gzip's header


def open_archive(content: bytes) -> Folder:
    """Return what an archive holds; links are followed within it only. Raises SourceError."""
    try:
        members = dict(_members(unpacked(content, SOURCE_BYTES) if content[:2] == b"\x1f\x8b" else content))
    except (tarfile.TarError, zlib.error, ValueError, EOFError) as error:
        raise SourceError(f"is no archive that can be read: {error}") from None
    return in_commit(_Archive(members), "", ())


def unpacked(content: bytes, most: int) -> bytes:
    """Return what gzip has packed; raises TooLargeError for more bytes than `most`, and zlib.error."""
    unpack = zlib.decompressobj(_GZIP)
    plain = unpack.decompress(content, most + 1)
    if len(plain) > most or unpack.unconsumed_tail:
        raise TooLargeError(most)
    return plain


def _members(content: bytes) -> Iterator[tuple[Parts, tuple[bool, bytes]]]:
    """Yield the files by their paths: whether one is a link, and its bytes or where it leads."""
    left = SOURCE_BYTES
    with tarfile.open(fileobj=BytesIO(content), mode="r:") as archive:
        for number, member in enumerate(archive):
            if number >= SOURCE_FILES:
                raise TooManyError
            try:
                path = parts_of(member.name)
            except LinkOutError:
                raise SourceError(f"holds {shown([member.name])}, which leads out of it") from None
            if len(path) > SOURCE_FOLDER_LEVELS:
                raise SourceError(f"is more than {SOURCE_FOLDER_LEVELS} folders deep")
            if member.isdir():
                continue
            left -= member.size
            if left < 0:
                raise SourceError(f"holds more than {SOURCE_BYTES // 2**20} MiB")
            if member.issym():
                yield path, (True, member.linkname.encode(errors="surrogateescape"))
                continue
            file = archive.extractfile(member) if member.isreg() and not member.issparse() else None
            if file is None:
                raise SourceError(f"holds {shown(path)}, which is no regular file")
            yield path, (False, file.read())


class _Archive:
    """The files of an archive, as those of a commit are read."""

    def __init__(self, members: dict[Parts, tuple[bool, bytes]]) -> None:
        self._members = members

    def entries(self, commit: str, at: Parts) -> Iterator[Entry]:
        """Yield every file below a folder."""
        for path in sorted(self._members):
            is_link, content = self._members[path]
            if path[: len(at)] == at:
                yield Entry(path, is_link, "", len(content))

    def contents(self, entries: Sequence[Entry]) -> Iterator[bytes]:
        """Yield the bytes of files."""
        yield from (self._members[entry.path][1] for entry in entries)
