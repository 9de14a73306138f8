"""Archives as folders: tar files, packed by gzip or not, and zip files, as `git archive` writes them.

Nothing is written to disk.
"""

from __future__ import annotations

import stat
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
    is_text,
    parts_of,
    shown,
)

_GZIP: Final = 31  # zlib's number for a stream with gzip's header
_ZIP: Final = b"PK\x03\x04"
_NO_ARCHIVE: Final = "is no archive that can be read"


def open_archive(content: bytes) -> Folder:
    """Return what an archive holds; links are followed within it only. Raises SourceError."""
    if content[:4] == _ZIP:
        return in_commit(_Archive(_zipped(content)), "", ())
    try:
        members = dict(_members(unpacked(content, SOURCE_BYTES) if content[:2] == b"\x1f\x8b" else content))
    except (tarfile.TarError, zlib.error, ValueError, EOFError) as error:
        raise SourceError(f"{_NO_ARCHIVE}: {error}") from None
    return in_commit(_Archive(members), "", ())


def plain_files(content: bytes, most: int) -> dict[str, bytes]:
    """Return the files of a tar file that gzip has packed, no more than `most` bytes with its headers.

    SourceError for what one reader could take otherwise than another: a link, a file that is there twice, in a file or
    behind the end.
    """
    files: dict[str, bytes] = {}
    try:
        plain, at_end = _unpacked(content, most)
        if not at_end:
            raise SourceError(f"{_NO_ARCHIVE}: what gzip has packed ends too early, or is followed by something")
        for path, (is_link, text) in _members(plain, to_the_end=True):
            name = "/".join(path)
            if is_link:
                raise SourceError(f"holds {shown(path)}, which is a link")
            if not path or not is_text(name) or name in files:
                raise SourceError(f"holds {shown(path)} twice" if name in files else f"holds {shown(path)!r}")
            files[name] = text
    except (tarfile.TarError, zlib.error, ValueError, EOFError) as error:
        raise SourceError(f"{_NO_ARCHIVE}: {error}") from None
    for name in files:
        above = name.rpartition("/")[0]
        while above:
            if above in files:
                raise SourceError(f"holds {name}, and {above} is a file")
            above = above.rpartition("/")[0]
    return files


def _zipped(content: bytes) -> dict[Parts, tuple[bool, bytes]]:
    """Return the files of a zip file by their paths: whether one is a link, and its bytes or where it leads."""
    from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

    files: dict[Parts, tuple[bool, bytes]] = {}
    left = SOURCE_BYTES
    try:
        with ZipFile(BytesIO(content)) as archive:
            members = archive.infolist()
            if len(members) > SOURCE_FILES:
                raise TooManyError
            for member in members:
                path = _path(member.filename)
                left -= member.file_size
                if left < 0:
                    raise SourceError(f"holds more than {SOURCE_BYTES // 2**20} MiB")
                if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                    raise SourceError(f"holds {shown(path)}, which is packed otherwise than by deflate")
                if not member.is_dir():
                    kind = stat.S_IFMT(member.external_attr >> 16)
                    if kind not in (0, stat.S_IFREG, stat.S_IFLNK):
                        raise SourceError(f"holds {shown(path)}, which is no regular file")
                    files[path] = kind == stat.S_IFLNK, archive.read(member)
    except (BadZipFile, zlib.error, NotImplementedError, RuntimeError, ValueError, EOFError) as error:
        raise SourceError(f"{_NO_ARCHIVE}: {error}") from None
    return files


def _path(name: str) -> Parts:
    """The parts of a member's path. Raises SourceError for one that leads out, or too deep."""
    try:
        path = parts_of(name)
    except LinkOutError:
        raise SourceError(f"holds {shown([name])}, which leads out of it") from None
    if len(path) > SOURCE_FOLDER_LEVELS:
        raise SourceError(f"is more than {SOURCE_FOLDER_LEVELS} folders deep")
    return path


def unpacked(content: bytes, most: int) -> bytes:
    """Return what gzip has packed; raises TooLargeError for more bytes than `most`, and zlib.error."""
    return _unpacked(content, most)[0]


def _unpacked(content: bytes, most: int) -> tuple[bytes, bool]:
    """Return what gzip has packed first, and whether that is all."""
    unpack = zlib.decompressobj(_GZIP)
    plain = unpack.decompress(content, most + 1)
    if len(plain) > most or unpack.unconsumed_tail:
        raise TooLargeError(most)
    return plain, unpack.eof and not unpack.unused_data


def _members(content: bytes, *, to_the_end: bool = False) -> Iterator[tuple[Parts, tuple[bool, bytes]]]:
    """Yield the files by their paths: whether one is a link, and its bytes or where it leads.

    What follows the last one has to be zeros `to_the_end`; tarfile takes whatever it can't read for the end.
    """
    left = SOURCE_BYTES
    with tarfile.open(fileobj=BytesIO(content), mode="r:") as archive:
        for number, member in enumerate(archive):
            if number >= SOURCE_FILES:
                raise TooManyError
            path = _path(member.name)
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
        if to_the_end and content[archive.offset :].strip(b"\0"):
            raise SourceError(f"{_NO_ARCHIVE}: there is something behind its end")


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
