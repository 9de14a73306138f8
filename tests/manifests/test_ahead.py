"""What other processes find in a text ahead of its reader is what the reader would find, or it is left alone."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from virtcatalog.manifests import ahead, stored, window
from virtcatalog.manifests.ahead import Ahead, look_ahead
from virtcatalog.manifests.jsonpieces import Seam, look_through, seam_of
from virtcatalog.manifests.stream import Stream
from virtcatalog.pool import Processes

KINDS = ("VirtualMachine", "VirtualMachine", "Namespace")


def item(number: int, **more: Any) -> dict[str, Any]:
    kind = KINDS[number % len(KINDS)]
    version = "kubevirt.io/v1" if kind == "VirtualMachine" else "v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": f"n{number}"}, **more}


def listed(items: list[Any], **more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "items": items, **more}


ITEMS = [*map(item, range(24))]
NESTED = listed([listed(ITEMS[start : start + 6]) for start in range(0, 24, 6)])
COMPACT = json.JSONEncoder(separators=(",", ":")).encode

TEXTS = {
    "a list of several lines": json.dumps(listed(ITEMS), indent=4),
    "a list on a line": json.dumps(listed(ITEMS)),
    "a compact list": COMPACT(listed(ITEMS)),
    "a list behind other characters": json.dumps(listed(ITEMS, about="ä😀\u2028"), ensure_ascii=False, sort_keys=True),
    "other characters": json.dumps(listed([item(n, x="ü\u2028é😀") for n in range(24)]), indent=4, ensure_ascii=False),
    "carriage returns": json.dumps(listed(ITEMS), indent=4).replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + json.dumps(listed(ITEMS), indent=4),
    "lists within a list": json.dumps(NESTED, indent=4),
    "lists within a compact list": COMPACT(NESTED),
    "lists in items, which look like what is around": COMPACT(listed([item(n, items=ITEMS[:5]) for n in range(12)])),
    "text that looks like items": json.dumps(listed([item(n, x=COMPACT(ITEMS[:4])) for n in range(12)])),
    "lists behind each other": json.dumps(listed(ITEMS), indent=4) + "\n" + json.dumps(listed(ITEMS[:9]), indent=4),
    "an odd item": json.dumps(listed([*ITEMS, [], *ITEMS]), indent=4),
    "a list that ends early": json.dumps(listed(ITEMS), indent=4)[:-90],
    "a comma too many": json.dumps(listed(ITEMS), indent=4).replace("\n    ]", ",\n    ]"),
    "a control character": json.dumps(listed([*ITEMS, item(9, x="!"), *ITEMS]), indent=4).replace("!", "\x07"),
    "what JSON takes and YAML does not": json.dumps(listed([*ITEMS, item(9, x="\x7f")]), indent=4),
    "lines with a control character": "\n".join(map(json.dumps, ITEMS)).replace('"n20"', '"\x07"'),
    "lines with a control character between them": "\n".join(map(json.dumps, ITEMS)).replace("}\n{", "}\n\x7f{", 20),
    "lines": "\n".join(map(json.dumps, ITEMS)),
    "compact lines": "\n".join(map(COMPACT, ITEMS)) + "\n\n\n",
    "documents without lines": "".join(map(COMPACT, ITEMS)),
    "documents of several lines": "\n".join(json.dumps(each, indent=2) for each in ITEMS),
    "lines, and a list": "\n".join(map(json.dumps, [*ITEMS[:12], listed(ITEMS), *ITEMS[12:]])),
    "a bad line": "\n".join([*map(json.dumps, ITEMS[:20]), '{"a":', json.dumps(ITEMS[20])]),
    "lines that end early": "\n".join(map(json.dumps, ITEMS))[:-9],
}


class Here(NamedTuple):
    """Processes that are this one, for so many parts."""

    at_once: int

    def each(self, function: Callable[..., Any], items: Iterable[Any], *given: Any) -> Iterator[Any]:
        return (function(each, *given) for each in items)


def opened(path: Path) -> stored.Stored:
    descriptor = os.open(path, os.O_RDONLY)
    return stored.Stored(partial(os.read, descriptor), stored.Aside(), descriptor)


def found(stream: Stream) -> tuple[Any, ...]:
    """All that a stream is made of."""
    others = [(each.data, each.place(), each.place("metadata.name")) for each in stream.others]
    return [*stream._pieces], others, [*map(str, stream.problems)], stream.number, stream._kept


@pytest.mark.parametrize("chunk", [7, 100, 1 << 18])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_with_others_a_text_has_the_same_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, chunk: int
) -> None:
    monkeypatch.setattr(window, "_CHUNK", chunk)
    path = tmp_path / "text"
    path.write_bytes(text.encode())
    seam = seam_of(text.encode()[: len(text) // 2])
    alone = found(Stream(opened(path), "f"))
    for number in (1, 2, 3, 7, 40) if seam else ():
        file = opened(path)
        assert found(Stream(file, "f", Ahead(file, Here(number), seam))) == alone


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_read_at_a_time_makes_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    path = tmp_path / "text"
    path.write_bytes(text.encode())
    pieces = []
    for chunk in (7, 100, 1 << 18):
        monkeypatch.setattr(window, "_CHUNK", chunk)
        pieces.append(found(Stream(opened(path), "f")))
    assert pieces[0] == pieces[1] == pieces[2]


@given(
    st.sampled_from([*TEXTS.values()]),
    st.integers(1, 30),
    st.sampled_from(["}, {", "},{", "}\n{", "},\n        {\n", "}", '}, {"apiVersion"', "},\n                {"]),
    st.booleans(),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_seam_that_was_guessed_wrongly_does_no_harm(
    tmp_path: Path, text: str, number: int, between: str, listed: bool
) -> None:
    path = tmp_path / "text"
    path.write_bytes(text.encode())
    file, seam = opened(path), Seam(between.encode(), max(0, between.find("{") - 1), listed=listed)
    stream = Stream(file, "f", Ahead(file, Here(number), seam))
    assert found(stream) == found(Stream(opened(path), "f"))


def test_most_of_a_list_is_found_by_others(tmp_path: Path) -> None:
    """Whoever reads it looks at the first item of all, and at none of the others."""
    content = TEXTS["a list of several lines"].encode()
    path = tmp_path / "text"
    path.write_bytes(content)
    seam = seam_of(content[:2000])
    assert seam == Seam(b'},\n        {\n            "apiVersion": "', 10, listed=True)
    bounds = [len(content) * each // 5 for each in range(6)]
    parts = [look_through(part, opened(path).reader, seam) for part in pairwise(bounds)]
    assert sum(len(each.pieces) for each in parts if each) == len(ITEMS) - 1
    assert [one.end for one in parts[:-1]] == [other.start for other in parts[1:]]


@pytest.mark.parametrize(
    ("text", "seam"),
    [
        (TEXTS["compact lines"], Seam(b'}\n{"apiVersion":"', 1, listed=False)),
        (TEXTS["a compact list"][:1000], Seam(b'},{"apiVersion":"', 1, listed=True)),
        (json.dumps(listed(ITEMS[:4]), indent=4), None),
        ("\n".join(map(json.dumps, ITEMS[:3])) + "\n" + "\n\n".join(map(json.dumps, ITEMS)), None),
        ("[]", None),
        ("", None),
    ],
)
def test_what_is_between_pieces_is_seen_from_how_a_text_begins(text: str, seam: Seam | None) -> None:
    assert seam_of(text.encode()) == seam


def test_a_part_may_have_no_seam(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"x" * 300_000 + b"},{")
    read = opened(tmp_path / "text").reader
    assert look_through((0, 300_000), read, Seam(b"},{", 1, listed=True)) is None
    assert look_through((0, 100), read, Seam(b"}\n{", 1, listed=True)) is None
    (tmp_path / "text").write_bytes(b"x" * 300_000 + b"},{}]")
    assert look_through((300_000, 300_005), read, Seam(b"},{", 1, listed=True)) is not None


def test_processes_look_through_long_files_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_WORTH_IT", 1000)
    monkeypatch.setattr(stored, "_SMALL", 100)
    path = tmp_path / "list.json"
    path.write_text(TEXTS["a list of several lines"])
    (tmp_path / "short.json").write_text(json.dumps(listed([])))
    (tmp_path / "long.yaml").write_text("a: 1\n" * 1000)
    other = [str(tmp_path / name) for name in ("short.json", "long.yaml", "", "none")]
    assert look_ahead(other, Processes(2)) == {}
    assert look_ahead([str(path)], Processes(1)) == {}
    assert look_ahead([str(path)], Processes(2, "spawn")) == {}
    for part in (1 << 26, 500):
        monkeypatch.setattr(ahead, "_PART", part)
        others = look_ahead([*other, str(path)], Processes(2)).pop(str(path))
        assert found(Stream(others.stored, "f", others)) == found(Stream(opened(path), "f"))


def test_a_file_that_gets_shorter_meanwhile_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "list.json"
    path.write_text(TEXTS["a list of several lines"])
    file, seam = opened(path), seam_of(path.read_bytes()[:2000])
    assert seam is not None
    parts = [look_through(part, file.reader, seam) for part in ((0, 1000), (1000, 3000))]
    monkeypatch.setattr(Here, "each", lambda *_: iter(parts))
    os.truncate(path, 1500)
    stream = Stream(file, "f", Ahead(file, Here(2), seam))
    assert [str(each)[:22] for each in stream.problems] == ["f:132:1: is not YAML: "]
    assert stream.number == 0
