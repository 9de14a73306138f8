"""A text as one thing: its lines, its places wherever it stands, and files that are one document."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from virtcatalog.api.object import Object
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.declaration import load_document, read_document
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.manifesttext import ManifestText
from virtcatalog.manifests.read import Manifest, Part

JSON = '{"a": {"b": 1}, "list": [[{"c": 1}, {"d": 2}]]}'
BLOCK = "a:\n  b: 1\nlist:\n- - c: 1\n  - d: 2\n"
FLOW = "{a: {b: 1},\n list: [[{c: 1}, {d: 2}]]}\n"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (JSON, [(4, 18), (4, 12), (4, 47), (4, 48), (4, 47)]),
        (BLOCK, [(5, 3), (4, 11), (8, 5), (8, 5), (8, 5)]),
        (FLOW, [(4, 16), (4, 12), (5, 18), (5, 19), (5, 18)]),
    ],
    ids=["JSON", "blocks", "flow"],
)
def test_a_text_within_a_file_has_the_files_places(text: str, places: list[tuple[int, int]]) -> None:
    part = Text(text, line=3, column=10)
    assert len(list(part.documents())) == 1
    for _ in range(2):
        assert [
            part.place(0, "b", ("a",)),
            part.place(0, ("x",), ("a",)),
            part.place(0, (), ("list", 0, 1)),
            part.place(0, "d", ("list", 0, 1)),
            part.place(0, "x", ("list", 0, 1)),
        ] == places
        part = pickle.loads(pickle.dumps(part))  # another process


def test_what_another_process_gets_of_a_text_holds_no_nodes() -> None:
    for text in (JSON, BLOCK, FLOW):
        part = Text(text)
        list(part.documents())
        part.place(0, "a.b")
        part.lines(1, 1)
        assert vars(pickle.loads(pickle.dumps(part))).keys().isdisjoint({"_nodes", "_plain_places", "_split"})


@pytest.mark.parametrize(
    ("first", "number", "lines"),
    [(6, 1, ["a"]), (6, 9, ["a", "b", ""]), (7, 1, ["b"]), (5, 2, []), (0, 9, []), (9, 1, [])],
)
def test_lines_are_those_of_the_file(first: int, number: int, lines: list[str]) -> None:
    assert Text("a\nb\n", line=5).lines(first, number) == lines


def test_a_place_in_no_document_is_unknown() -> None:
    text = Text("{a: 1}\n---\n{b: 1}\n")
    assert [index for index, _ in text.documents()] == [0, 1]
    assert [text.place(index, "b") for index in range(3)] == [(1, 1), (3, 2), (0, 0)]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a: 1\r\nb: \xff", "2:4: is not UTF-8 text"),
        ("a: 1".encode("utf-16"), "1:1: is UTF-16, as Windows writes text: save it as UTF-8"),
        (b"\xfe\xff\0a", "1:1: is UTF-16, as Windows writes text: save it as UTF-8"),
        ("a: \u00e4 \x07\n", "1:6: the character U+0007 cannot stand in YAML"),
        ("a: 1\nb: \x7f", "2:4: the character U+007F cannot stand in YAML"),
        ("\ufeffa: \ufffe", "1:4: the character U+FFFE cannot stand in YAML"),
    ],
)
def test_characters_that_no_text_has_are_told(content: str | bytes, problem: str) -> None:
    text = Text(content)
    assert list(text.documents()) == []
    assert [f"{fault.line}:{fault.column}: {fault.message}" for fault in text.problems] == [problem]


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        (b'\xef\xbb\xbf{"a": 1}', [{"a": 1}]),
        ('\n {"a": 1.0}\n', [{"a": 1}]),
        ('{"a": "\\ud83d\\ude00"}{"b": [1e2]}', [{"a": "\U0001f600"}, {"b": [100]}]),
        ('{"a": "\\ud800"}', []),
        ('{"a": NaN}', [{"a": "NaN"}]),
        ('{"a": "\\/"}', [{"a": "/"}]),
        ("{'a': 1e400}", [{"a": "1e400"}]),
        ('{"a": 1,}', [{"a": 1}]),
        ('[{"a": 1}]', [[{"a": 1}]]),
        ("{a: 1}", [{"a": 1}]),
    ],
)
def test_json_is_read_as_yaml_where_it_is_none(text: str | bytes, documents: list[Any]) -> None:
    assert [data for _, data in Text(text).documents()] == documents


def test_a_number_that_no_reader_of_json_takes_is_told() -> None:
    text = Text('{"a": 1,\n "b": [1e400]}')
    assert list(text.documents()) == []
    assert [f"{problem.line}:{problem.column}: {problem.message}" for problem in text.problems] == [
        "2:8: the number 1e400 is too large for JSON; quote it if it is text"
    ]


def manifests(text: str) -> tuple[list[Any], list[str]]:
    source = ManifestText(text)
    documents = [data for _, data in source.documents()]
    return documents, [f"{problem.line}:{problem.column}: {problem.message}" for problem in source.problems]


IN_SEPARATOR = "in a line that begins with --- kubectl, Argo CD and Flux take nothing but a comment behind it"
BEHIND_END = "is behind the end of a document, where kubectl, Argo CD and Flux read nothing: begin it with ---"
EMPTY_END = "ends a document in which is nothing, which kubectl, Argo CD and Flux refuse: leave the line out"
DIRECTIVE = "kubectl, Argo CD and Flux take no directives such as %YAML: leave the line out"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\n--- {b: 1}\n", f"2:1: {IN_SEPARATOR}"),
        ("--- !!map\na: 1\n", f"1:1: {IN_SEPARATOR}"),
        ("a: 1\n---b\n", f"2:1: {IN_SEPARATOR}"),
        ("~\n---# b\n~\n", f"2:1: {IN_SEPARATOR}"),
        ("a: 1\n--- |\n b\n", f"2:1: {IN_SEPARATOR}"),
        ("%YAML 1.1\n---\na: {b: 1}\n", f"1:1: {DIRECTIVE}"),
        ("# ours\n\n%YAML 1.1\na: {b: 1}\n", f"3:1: {DIRECTIVE}"),
        ("a: {b: 1}\r---\rc: 1\r", f"3:1: {BEHIND_END}"),
        ("a: [b]\n---\n...\n---\nc: 1\n", f"3:1: {EMPTY_END}"),
        ("a: [b]\n--- # ours\n\n  # ours\n... # ours", f"5:1: {EMPTY_END}"),
        ("\n---\n...\n", f"3:1: {EMPTY_END}"),
    ],
)
def test_what_kubectl_would_not_read_of_manifests_is_refused(text: str, problem: str) -> None:
    assert manifests(text)[1] == [problem]
    assert not Text(text).problems


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("a: {b: 1}\n--- # ours\nc: 1\n---\t\n\n--- \r\nd: 1\n...\n", [{"a": {"b": 1}}, {"c": 1}, {"d": 1}]),
        ("a: {b: 1}\n...\n%YAML 1.1\n---\nc: 1\n", [{"a": {"b": 1}}, {"c": 1}]),
        ("---\n...\n---\nc: [1]", [{"c": [1]}]),
        ("a: [b]\n---\n# ours\n---\n---\nc: 1", [{"a": ["b"]}, {"c": 1}]),
        ("a: [b]\n---\n...x\n", [{"a": ["b"]}, "...x"]),
        ("a: |\n  --- b\n  %c\n", [{"a": "--- b\n%c\n"}]),
        ('a: "b\n%c"\n', [{"a": "b %c"}]),
        ("a: |\n  b", [{"a": "b\n"}]),
        ('{"a": 1}\nnull\n{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('\ufeff{"a": 1.0}', [{"a": 1}]),
        ("a: |+\n  b", [{"a": "b\n"}]),
        ("a: >-\n  b", [{"a": "b"}]),
        ("a: 'b\r\r\n c'\n", [{"a": "b c"}]),
    ],
)
def test_manifests_are_taken_apart_as_kubectl_does(text: str, documents: list[Any]) -> None:
    assert manifests(text)[0] == documents


def test_behind_a_byte_order_mark_there_is_one_document_of_json() -> None:
    assert len(list(Text('\ufeff{"a": 1}{"b": 2}').documents())) == 2
    assert manifests('\ufeff{"a": 1}{"b": 2}')[1] != []


class Thing(Object):
    """What a file holds."""

    name: str
    size: int = 0


def message_of(read: Any) -> list[str]:
    with pytest.raises(ManifestError) as caught:
        read()
    return [str(problem) for problem in caught.value.problems]


def test_a_file_is_one_document_of_a_type(tmp_path: Path) -> None:
    file = tmp_path / "thing.yaml"
    file.write_text("# ours\nname: a\nsize: 2.0\n")
    assert load_document(str(file), Thing) == Thing(name="a", size=2)
    assert read_document("name: b", "f", Thing, lambda data: [] if data == {"name": "b"} else [((), "no")]) == Thing(
        name="b"
    )
    assert message_of(lambda: load_document(str(tmp_path / "none"), Thing)) == [
        f"{tmp_path}/none: there is no such file or folder"
    ]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("name: a\n---\nname: b\n", ["f:1:1: holds 2 documents, and one is wanted"]),
        ("", ["f:1:1: holds 0 documents, and one is wanted"]),
        ("name: [\n", ["f:2:1: is not YAML: the text ends where a value is wanted"]),
        (
            "---\nnmae: a\nsize: x\n",
            [
                "f:2:1: nmae: unknown field 'nmae'; did you mean 'name'?",
                "f:3:1: size: must be an integer, not the string 'x'",
            ],
        ),
        ("name: a\nsize: 1\n", ["f:2:1: size: is too small"]),
    ],
)
def test_what_is_wrong_with_such_a_file_is_told(text: str, problems: list[str]) -> None:
    assert message_of(lambda: read_document(text, "f", Thing, lambda data: [(("size",), "is too small")])) == problems


def parts(text: str, path: tuple[str | int, ...]) -> list[Part] | None:
    source = Text(text, "f", line=10)
    ((index, data),) = source.documents()
    value = data
    for step in path:
        value = value[step]
    return Manifest(data, source, index).parts(path, value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: |\n  b: 1\n  c: 2\n", [Part("  b: 1\n  c: 2", "f", 11)]),
        ("a: |-\n  b: 1\n  --- # next\n\n  c: 2\n", [Part("  b: 1", "f", 11), Part("\n  c: 2", "f", 13)]),
        ("a: |\n  ---\n  b: 1\n  ---\n  ---\n", [Part("  b: 1", "f", 12)]),
        ("a: |\n  b: 1\n  ----\n", [Part("  b: 1\n  ----", "f", 11)]),
        ('a: "b: 1\\nc: 2"\n', None),
        ("a: >\n  b: 1\n  c: 2\n", None),
        ("a: b\n", None),
    ],
)
def test_documents_of_a_text_in_a_field_are_lines_of_the_file(text: str, expected: list[Part] | None) -> None:
    assert parts(text, ("a",)) == expected
