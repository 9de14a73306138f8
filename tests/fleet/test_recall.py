"""An answer counts as long as all objects that it asked for are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from virtcatalog.fleet.cache import Cache, key_of
from virtcatalog.fleet.recall import entry, recall

KEY = key_of(b"one")
ONE, OTHER = ("Kind", "", "one"), ("Kind", "team", "other")


def answer_of(
    folder: Path, before: dict[Any, bytes], now: dict[Any, bytes], decode: Any = msgspec.msgpack.decode
) -> Any:
    """What is recalled of an answer that was made of some objects, where other ones are now."""
    cache = Cache(str(folder))
    content = entry({"a": 1}, before, before.__getitem__)
    assert content is not None
    cache.put(KEY, content)
    return recall(cache, KEY, lambda which: now.get(which, b""), decode)


@pytest.mark.parametrize(
    ("before", "now", "counts"),
    [
        ({}, {ONE: b"1"}, True),
        ({ONE: b"1", OTHER: b"2"}, {OTHER: b"2", ONE: b"1"}, True),
        ({ONE: b"1", OTHER: b"2"}, {ONE: b"1", OTHER: b"3"}, False),
        ({ONE: b"1"}, {}, False),
        ({ONE: b""}, {}, True),
        ({ONE: b""}, {ONE: b"1"}, False),
    ],
)
def test_an_answer_counts_while_what_it_was_made_of_is_there(
    tmp_path: Path, before: dict[Any, bytes], now: dict[Any, bytes], counts: bool
) -> None:
    assert answer_of(tmp_path, before, now) == ({"a": 1} if counts else None)


def test_an_answer_in_another_form_counts_as_none(tmp_path: Path) -> None:
    assert answer_of(tmp_path, {}, {}, msgspec.msgpack.Decoder(int).decode) is None


def test_what_is_no_entry_counts_as_none(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    cache.put(KEY, b"x")
    assert recall(cache, KEY, lambda which: b"", msgspec.msgpack.decode) is None
    assert recall(cache, key_of(b"other"), lambda which: b"", msgspec.msgpack.decode) is None


@pytest.mark.parametrize("answer", [2**70, "\ud800"])
def test_what_cannot_be_written_is_not_kept(answer: Any) -> None:
    assert entry(answer, [], lambda which: b"") is None
