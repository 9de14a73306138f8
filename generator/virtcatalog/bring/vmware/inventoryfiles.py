"""Files of forklift's inventory: the objects in them, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.places import Mark, mark_behind

_AROUND: Final = re.compile(rb'(?:[\s,\[\]{}]|"(?:[^"\\]|\\.)*"\s*:)*')
"""What may stand around the items of lists: brackets, and the lists' names."""


class Part(NamedTuple):
    """An object in a file, and where it begins."""

    file: str
    content: bytes
    mark: Mark

    def text(self) -> Text:
        """Return its text, which finds places."""
        return Text(self.content, self.file, self.mark.line, self.mark.column)

    def fault(self, message: str) -> ManifestError:
        """Return the error of what is no object of an inventory, with its place."""
        return ManifestError(Problem(self.file, self.mark.line + 1, self.mark.column + 1, message=message))


def parts_of(content: bytes, file: str) -> Iterator[Part]:
    """Yield the objects of a file."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        top = msgspec.json.decode(content, type=list[msgspec.Raw] | dict[str, msgspec.Raw])
        if isinstance(top, dict):
            lists = [bytes(value).lstrip() for value in top.values()]
            if not lists or "id" in top or not all(value.startswith(b"[") for value in lists):
                start = len(content) - len(content.lstrip())
                yield Part(file, content.strip(), mark_behind(content[:start].decode("utf-8", "replace")))
                return
            items = [item for value in lists for item in msgspec.json.decode(value, type=list[msgspec.Raw])]
        else:
            items = top
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ManifestError(Problem(file, 1, 1, message=f"is no inventory in JSON: {error}")) from None
    yield from _placed(content, file, items)


def _placed(content: bytes, file: str, items: list[msgspec.Raw]) -> Iterator[Part]:
    """Yield the items of a file's lists with their places; ManifestError where there are more, as in a key's first."""
    at, mark = 0, Mark(0, 0)
    for item in items:
        raw = bytes(item)
        start = content.index(raw, at)
        mark = mark.then(_behind(content[at:start], file, mark))
        yield Part(file, raw, mark)
        at, mark = start + len(raw), mark.then(mark_behind(raw.decode("utf-8", "replace")))
    _behind(content[at:], file, mark)


def _behind(separator: bytes, file: str, mark: Mark) -> Mark:
    """Return the place behind what stands around items."""
    if not _AROUND.fullmatch(separator):
        raise ManifestError(Problem(file, mark.line + 1, mark.column + 1, message="a key is here twice, or no list"))
    return mark_behind(separator.decode("utf-8", "replace"))


def data_of(part: Part) -> tuple[dict[str, Any], Text]:
    """Return an object as data, and its text; raises ManifestError."""
    text = part.text()
    documents = [data for _, data in text.documents()]
    if text.problems:
        raise ManifestError(*text.problems)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise part.fault("is no object of forklift's inventory: that is a map")
    return documents[0], text
