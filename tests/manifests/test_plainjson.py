"""JSON that is read at once, and what is left to others."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from virtcatalog.manifests.plainjson import (
    CONTROL_CHARACTERS,
    JSON_DECODER,
    UNWRITABLE,
    canonical_json,
    has_unwritable,
    is_too_deep,
    plain_json,
)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"a": 1, "b": [true, null, "x"]}', {"a": 1, "b": [True, None, "x"]}),
        (b'{"a":\n"\xc3\xa4"}', {"a": "\u00e4"}),
        ('{"a": 1.5}', {"a": 1.5}),
        ('{"a": "\u00e4"}', None),
        (' {"a": 1}', None),
        ("[1]", None),
        ('{"a": 1} ', {"a": 1}),
        ('{"a": 1, "a": 2}', None),
        ('{"a": "\\u0041"}', None),
        ('{"a": 1.0}', None),
        ('{"a": 1e3}', None),
        ('{"a": NaN}', None),
        ('{"a": 1} {"b": 2}', None),
        (b'{"a": "\x7f"}', None),
        (b'{"a": "\xc2\x80"}', None),
        (b'{"a": "\xef\xbf\xbf"}', None),
        (b'{"a": "\xc2\x85"}', {"a": "\x85"}),
        (b'{"a": "\xff"}', None),
        ('{"a":' * 5000, None),
    ],
)
def test_json_as_kubectl_prints_it_is_read_at_once(text: str | bytes, data: Any) -> None:
    assert plain_json(text) == data


@pytest.mark.parametrize(
    ("text", "data"),
    [(b'[{"a": 1}]', [{"a": 1}]), (b'"\x7f"', "\x7f"), (b"1", 1), (b"01", None), (b"", None), (b'{"b":1,"b":1}', None)],
)
def test_other_json_is_read_if_nothing_is_lost(text: bytes, data: Any) -> None:
    assert canonical_json(text) == data


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a\\"": ', b"}"), (b'[1, {"a": ', b"}]")])
def test_json_nests_as_deep_as_yaml_may(opening: bytes, closing: bytes) -> None:
    each = opening.count(b"[") + opening.count(b"{")
    around = b"[" * (201 % each), b"]" * (201 % each)
    deepest = around[0] + opening * (201 // each) + b'"[{"' + closing * (201 // each) + around[1]
    assert not is_too_deep(deepest)
    assert is_too_deep(deepest.replace(b'"[{"', b"[]"))
    assert is_too_deep(deepest.replace(b'"[{"', b"{}"))


def test_many_brackets_beside_each_other_are_not_deep() -> None:
    assert not is_too_deep(b"[" + b"[[]], " * 500 + b'"' + b"[" * 500 + b'"]')


def test_long_lists_in_deep_ones_take_no_more_memory_than_their_text() -> None:
    text = b"[" * 201 + b'1,"\\"[",' * 100_000 + b"1" + b"]" * 201
    tracemalloc.start()
    try:
        assert not is_too_deep(text)
        assert tracemalloc.get_traced_memory()[1] < len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("depth", [300, 100_000])
def test_json_that_is_too_deep_is_not_read_at_once(depth: int) -> None:
    text = b'{"a":' * depth + b"1" + b"}" * depth
    assert is_too_deep(text)
    assert canonical_json(text) is None


def test_characters_that_no_yaml_has_are_known_in_text_and_in_utf_8() -> None:
    for code in (*range(0x300), *range(0x2000, 0x2100), *range(0xFF00, 0x10010)):
        character = chr(code)
        is_bad = code in (0xFFFE, 0xFFFF, *range(9), 11, 12, *range(14, 32), *range(0x7F, 0x85), *range(0x86, 0xA0))
        assert (UNWRITABLE.search(character) is not None) == is_bad, hex(code)
        if code < 0x80:
            assert (character in CONTROL_CHARACTERS) == is_bad, hex(code)
        else:
            assert has_unwritable(b"a" + character.encode()) == is_bad, hex(code)
    assert UNWRITABLE.search("\ud800") is not None
    assert not has_unwritable(b"a\x7f")


@pytest.mark.parametrize(("text", "data"), [('{"a": 1.0, "b": 1.5}', {"a": 1, "b": 1.5}), ("[1E2]", [100])])
def test_numbers_are_whole_if_they_can(text: str, data: Any) -> None:
    assert repr(JSON_DECODER.decode(text)) == repr(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 1}', "a key is here twice"),
        ("NaN", "NaN is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
    ],
)
def test_what_only_python_takes_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its whole message is compared
        JSON_DECODER.decode(text)
    assert str(caught.value) == message
