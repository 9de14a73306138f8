"""A text gone through piece by piece holds the same manifests, at the same places, as one that is read as a whole."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from virtcatalog.api.kinds import holds_vm
from virtcatalog.errors import ManifestError
from virtcatalog.manifests import jsonsplit, spool
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.pieces import Pieces
from virtcatalog.manifests.plainjson import UNWRITABLE
from virtcatalog.manifests.read import Manifest, read_apart, read_part, vms_of
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream

FIELDS = ("", "metadata.name", "spec.template.spec.volumes[0].name", "spec.nope.x", ("metadata", "labels", "a.b/c"))


def vm(name: str, **spec: Any) -> dict[str, Any]:
    template = {"spec": {"domain": {"devices": {}}, "volumes": [{"name": "root", "emptyDisk": {"capacity": "1Gi"}}]}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "labels": {"a.b/c": "x"}},
        "spec": {"runStrategy": "Always", "template": template, **spec},
    }


VMS = [vm("a"), vm("b", running=3), vm("c", instancetype={"name": "u1.small", "kind": "virtualmachineinstancetype"})]
TYPE = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterInstancetype",
    "metadata": {"name": "small"},
    "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}},
}
OWNED = vm("o") | {"metadata": {"name": "o", "ownerReferences": [{"apiVersion": "v1", "kind": "X", "uid": "u"}] * 9}}
MIXED = [VMS[0], TYPE, *VMS[1:], {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}]


def listed(items: list[Any], kind: str = "List") -> dict[str, Any]:
    return {"apiVersion": "v1", "items": items, "kind": kind, "metadata": {"resourceVersion": ""}}


def typed(items: list[dict[str, Any]]) -> dict[str, Any]:
    bare = [{key: value for key, value in item.items() if key not in ("apiVersion", "kind")} for item in items]
    return {**listed(bare, "VirtualMachineList"), "apiVersion": "kubevirt.io/v1"}


def header_last(document: dict[str, Any]) -> str:
    """A list as kubectl writes it, whose items are indented."""
    items = "".join(dump([item]) for item in document["items"])
    return f"apiVersion: v1\nkind: {document['kind']}\nitems:\n{indent(items, '  ')}"


TEXTS = {
    "a VM": json.dumps(VMS[0]),
    "a VM of several lines": json.dumps(VMS[0], indent=2),
    "a list of several lines": json.dumps(listed(MIXED), indent=4),
    "a list on a line": json.dumps(listed(MIXED)),
    "a compact list": json.dumps(listed(MIXED), separators=(",", ":")),
    "an empty list": json.dumps(listed([])),
    "a list of one kind": json.dumps(typed(VMS), indent=4),
    "a compact list of one kind": json.dumps(typed(VMS), separators=(",", ":")),
    "a list whose kind comes first": json.dumps({"kind": "List", "apiVersion": "v1", "items": MIXED}),
    "a list within a list": json.dumps(listed([VMS[0], listed(VMS[1:])]), indent=4),
    "an odd indent": json.dumps(listed(MIXED), indent=4).replace("\n        {", "\n {", 2),
    "what is no object": json.dumps(listed([1, "x", None, [], VMS[0], {}, True]), indent=4),
    "items that start as what is in them does": json.dumps(listed([OWNED] * 6 + MIXED), separators=(",", ":")),
    "items that start as ever and then in another way": json.dumps(listed([*MIXED, {"kind": "X", **TYPE}, *VMS])),
    "no list at all": json.dumps({**listed(MIXED), "kind": "Lists"}),
    "other characters": json.dumps(listed([vm("ä\u2028ö", x="\U0001f600"), *VMS]), ensure_ascii=False),
    "carriage returns": json.dumps(listed(MIXED), indent=4).replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + json.dumps(listed(MIXED), indent=4),
    "a key twice": json.dumps(VMS[0]).replace('"name": "a"', '"name": "a", "name": "b"'),
    "what JSON takes and YAML does not": json.dumps(listed([*VMS, vm("d", x="\x7f")]), indent=4),
    "the same behind the items": json.dumps({**listed(VMS), "x": "\x7f"}),
    "a control character in JSON": json.dumps(listed([*VMS, vm("d", x="!")]), indent=4).replace("!", "\x07"),
    "half a character": json.dumps(VMS[0]).replace('"name": "a"', '"name": "\\ud800"'),
    "JSON that only YAML takes": json.dumps(listed(MIXED), indent=4).replace("\n    ],", ",\n    ],"),
    "comments in JSON": json.dumps(listed(MIXED), indent=4).replace("\n", " # so\n"),
    "deep JSON": '{"a": ' + "[" * 5000 + "]" * 5000 + "}",
    "JSON that ends early": json.dumps(listed(MIXED), indent=4)[:-300],
    "JSON that ends early in a first VM": json.dumps(VMS[0], indent=4)[:-30],
    "a list that ends behind an item": json.dumps(listed(VMS), indent=4).rpartition("}\n    ]")[0] + "}",
    "YAML": dump(VMS[0]),
    "YAML documents": "---\n".join(map(dump, MIXED)),
    "YAML documents with empty ones": "---\n# none\n---\n" + "---\n---\n".join(map(dump, MIXED)) + "---\n",
    "a YAML list": dump(listed(MIXED)),
    "an indented YAML list": header_last(listed(MIXED)),
    "a YAML list of one kind": dump(typed(VMS)),
    "an empty YAML list": "apiVersion: v1\nkind: List\nitems: []\n",
    "YAML lists and documents": "---\n".join(map(dump, [listed(VMS), TYPE, listed(MIXED), VMS[0]])),
    "YAML with comments": "# a\n"
    + dump(listed(MIXED)).replace("\n- ", "\n# between\n\n- ").replace("items:", "items: # 4"),
    "no YAML list": dump({**listed(MIXED), "kind": "Lists"}),
    "quoted kinds": dump(listed(MIXED)).replace("kind: VirtualMachine\n", 'kind: "VirtualMachine"\n'),
    "an anchor": dump(listed(MIXED))
    .replace("capacity: 1Gi", "capacity: &c 1Gi", 1)
    .replace("capacity: 1Gi", "capacity: *c"),
    "an anchor within an item": dump(listed(MIXED)).replace("name: root", "name: &n root\n          serial: *n", 1),
    "a text with stars": dump(listed([vm("a", text="#!/bin/sh\ncat *.log &\n"), *VMS])),
    "a directive": "%YAML 1.1\n---\n" + dump(VMS[0]),
    "an end": dump(VMS[0]) + "...\n---\n" + dump(VMS[1]),
    "something behind dashes": "--- # first\n" + dump(VMS[0]) + "--- {apiVersion: v1, kind: List, items: []}\n",
    "other ends of lines": dump(listed(MIXED)).replace("\n", "\r\n"),
    "JSON among YAML": f"---\n{json.dumps(VMS[0])}\n---\n{dump(VMS[1])}",
    "a control character": dump(VMS[0]) + "x: \x07\n",
    "a fault behind the items": dump(listed(MIXED)) + "x: [\n",
    "a fault before the items": "x: *y\n" + dump(listed(MIXED)),
    "a document that begins within a list": dump(listed(MIXED)).replace("\nkind: List", "\n--- \nkind: List"),
    "a key of a JSON list twice": json.dumps(listed(MIXED)).replace('"kind": "List"', '"kind": "List", "kind": "List"'),
    "a number as a key of a JSON list": json.dumps(listed(MIXED)).replace('"kind": "List"', '"kind": "List", 1: 2'),
    "JSON lines of which some are no objects": "\n".join(map(json.dumps, (VMS[0], [1], 2, "x", None, VMS[1], True))),
    "a number before a VM": "1\n" + json.dumps(VMS[0]),
    "lists as documents": json.dumps([VMS[0]]) + "\n" + json.dumps(VMS[1]),
    "a VM whose kind is no text": json.dumps({**VMS[0], "kind": ["VirtualMachine"]}),
    "half a character in a key of a list": json.dumps(listed(VMS)).replace('"metadata": {"res', '"\ud800": {"res'),
    "half a character in a kind": json.dumps(VMS[0]).replace('"VirtualMachine"', '"VirtualMachine\\ud800"'),
    "another list before the items": json.dumps({"kind": "List", "x": VMS, **listed(MIXED)}),
    "items that are no list": json.dumps({**listed([]), "items": {"a": VMS[0]}}),
    "items twice": dump(listed(VMS)) + "items: []\n",
    "an item that is a list": json.dumps(listed([VMS])),
    "an item that is a VM behind a tab": dump(listed(VMS)).replace("- apiVersion", "-\tapiVersion", 1),
    "nothing": "",
    "nothing but comments": "# nothing\n---\n",
}
#: Here a fault no longer hides what else is in the text.
FAULTS = {
    "JSON lines": "\n".join(map(json.dumps, MIXED)),
    "a bad line": "\n".join(map(json.dumps, MIXED)) + '\n{"apiVersion": ',
    "JSON lines after each other": "".join(map(json.dumps, MIXED)),
    "a fault in an item": dump(listed(MIXED)).replace("name: b", "name: [b"),
}


@pytest.fixture(params=[7, 100, 1 << 20])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """So much of a text is in memory at a time."""
    monkeypatch.setattr(spool, "_BLOCK", request.param)
    return int(request.param)


def stream_of(content: bytes) -> Stream:
    return Stream(Spool().copy(content), "f")


def gone_through(stream: Stream) -> tuple[list[Manifest], list[str]]:
    """All that a stream has, in its two parts, and what is wrong with the text."""
    vms, problems = [], [*stream.problems]
    for part in stream.vms():
        manifests, faults = read_part(part)
        vms += [manifest for manifest in manifests if holds_vm(manifest.data)]
        problems += faults
    return vms, [str(problem) for problem in problems]


def facts_of(manifest: Manifest) -> tuple[Any, ...]:
    return manifest.data, [str(problem) for problem in manifest.problems], [manifest.place(field) for field in FIELDS]


@pytest.mark.parametrize(("version", "vms"), [("kubevirt.io/v1", 3), ("example.org/v1", 0)])
def test_items_without_a_kind_are_vms_by_that_of_their_list(version: str, vms: int) -> None:
    stream = stream_of(json.dumps({**typed(VMS), "apiVersion": version}, indent=4).encode())
    assert (len(list(stream.vms())), len(stream.others)) == (vms, 3 - vms)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_read_in_pieces_is_what_is_read_at_once(text: str, block: int) -> None:
    content = text.encode("utf-8", "surrogatepass")
    manifests, problems = read_apart(content, "f")
    stream = stream_of(content)
    vms, faults = gone_through(stream)
    held = [manifest for manifest in manifests if holds_vm(manifest.data)]
    others = [manifest for manifest in manifests if manifest not in held]
    assert [*map(facts_of, vms)] == [*map(facts_of, held)]
    assert [*map(facts_of, stream.others)] == [*map(facts_of, others)]
    assert faults == [str(problem) for problem in problems]
    assert stream.number == len(held) or faults


def test_a_mark_refuses_what_a_text_does() -> None:
    for character in map(chr, (*range(0x300), *range(0x2000, 0x2100), *range(0xFEF0, 0x10010), 0x1F600)):
        content = f"a{character}b\n".encode("utf-8", "surrogatepass")
        opened = spool.Window(Spool().copy(content))
        if UNWRITABLE.search(character):
            with pytest.raises(spool.IndivisibleError):
                opened.mark(len(content))
        else:
            assert opened.mark(len(content)).line >= 1, hex(ord(character))


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("bad", [b"\x07", b"\x7f", "\x80".encode(), "\ufffe".encode(), b"\xff", b"\xed\xa0\x80"])
@pytest.mark.parametrize("good", ["", "ab", "a\u20ac", "\u20ac\U0001f600\u00e4"])
def test_a_place_before_a_bad_character_is_counted(
    monkeypatch: pytest.MonkeyPatch, size: int, bad: bytes, good: str
) -> None:
    monkeypatch.setattr(spool, "_BLOCK", size)
    opened = spool.Window(Spool().copy(b"# " + good.encode() + bad + b"more"))
    end = 2 + len(good.encode())
    assert opened.mark(end) == (0, 2 + len(good))
    assert opened.search(re.compile(b"m"), 0, 1) == (end + len(bad), b"m")
    with pytest.raises(spool.IndivisibleError):
        opened.mark(end + len(bad))


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_a_pattern_is_found_wherever_a_block_ends(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(spool, "_BLOCK", size)
    opened = spool.Window(Spool().copy(b"aaab--- bbb---"))
    pattern = re.compile(b"--- ?")
    assert opened.search(pattern, 0, 4) == (4, b"--- ")
    assert opened.search(pattern, 5, 4) == (11, b"---")
    assert opened.search(pattern, 12, 4) is None


def test_msgspec_says_where_a_value_ends() -> None:
    """Without that every text of JSON is read as one."""
    texts = {'{"a": [1, "}"]} ,{': 16, '"x":1': 3, "12]": 2, "true}": 4, '{"b":{}}\n\n{': 10, "[]\x00": 2}
    for text, behind in texts.items():
        opened = spool.Window(Spool().copy(text.encode()))
        value = jsonsplit._Splitter(opened, Pieces())._value(0, 100)
        assert value == (text[:behind].strip(" ").strip("\n").encode(), behind)


def test_lines_of_json_are_documents_with_places_of_their_own(block: int) -> None:
    stream = stream_of(FAULTS["JSON lines"].encode())
    vms, problems = gone_through(stream)
    assert [vm.place("metadata.name") for vm in vms] == [(1, 73), (3, 73), (4, 73)]
    assert [other.place() for other in stream.others] == [(2, 1), (5, 1)]
    assert problems == []


def test_a_bad_line_of_json_is_told_and_nothing_else_is_lost(block: int) -> None:
    stream = stream_of(FAULTS["a bad line"].encode())
    vms, problems = gone_through(stream)
    assert len(vms) == 3
    assert problems == ["f:7:1: is not YAML: the text ends where a value is wanted"]


def test_half_a_character_in_an_item_is_told_there_and_the_others_are_read(block: int) -> None:
    content = json.dumps(listed([VMS[0], vm("b", x="\ud800"), VMS[2]]))
    vms, problems = gone_through(stream_of(content.encode()))
    assert [vm.data["metadata"]["name"] for vm in vms] == ["a", "c"]
    assert problems == ["f:1:566: is not YAML: this escape means no character: it is half of a pair, or too large"]


def test_what_only_yaml_takes_in_an_item_is_read(block: int) -> None:
    vms, problems = gone_through(stream_of(json.dumps(listed([VMS[0], vm("b", x=float("nan")), VMS[2]])).encode()))
    assert [vm.data["metadata"]["name"] for vm in vms] == ["a", "b", "c"]
    assert problems == []
    assert vms[1].data["spec"]["x"] == "NaN"


def test_a_fault_of_syntax_in_an_item_is_told_there_and_the_others_are_read(
    block: int, snapshot: SnapshotAssertion
) -> None:
    vms, problems = gone_through(stream_of(FAULTS["a fault in an item"].encode()))
    assert [vm.data["metadata"]["name"] for vm in vms] == ["a", "c"]
    assert len(problems) == 1
    assert problems[0].startswith("f:")
    assert problems == snapshot


@given(st.lists(st.sampled_from([*MIXED, 1, {}]), max_size=6), st.sampled_from([None, 0, 1, 4]), st.integers(1, 300))
def test_however_a_list_is_cut_it_has_the_same_items(items: list[Any], spaces: int | None, size: int) -> None:
    content = json.dumps(listed(items), indent=spaces).encode()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(spool, "_BLOCK", size)
        stream = stream_of(content)
    vms, _ = gone_through(stream)
    manifests, _ = read_apart(content, "f")
    facts = [facts_of(manifest) for manifest in manifests]
    assert sorted(map(str, [*map(facts_of, vms), *map(facts_of, stream.others)])) == sorted(map(str, facts))


HEAD = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"a: '\n{HEAD}'\n", "1:1"),
        (f"{dump(TYPE)}---\na: '\n{HEAD}'\n", "11:1"),
        ("apiVersion: v1\nkind: List\nitems:\n- a: '\n" + indent(HEAD, "  ") + "   '\n", "4:1"),
    ],
)
def test_what_looks_like_a_vm_and_is_none_is_told(text: str, place: str) -> None:
    (part,) = stream_of(text.encode()).vms()
    with pytest.raises(ManifestError) as caught:
        vms_of(part)
    assert [str(problem) for problem in caught.value.problems] == [
        f"f:{place}: looks like a VM at first, and is none: write its apiVersion and kind once, in plain style"
    ]


def test_copies_stay_what_they_are_in_memory_and_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_SMALL", 10)
    copies = Spool()
    first, second = copies.copy(b"0123456"), copies.copy(b"789abcdef")
    assert (first.size, second.size) == (7, 9)
    assert (first.read(2, 5), second.read(0, 9), second.read(3, 4), second.read(8, 99)) == (
        b"234",
        b"789abcdef",
        b"a",
        b"f",
    )


def test_a_text_that_cannot_be_split_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "SOURCE_FILE_BYTES", 10)
    with pytest.raises(SourceError, match=r"^is larger than 0 MiB$"):
        stream_of(b"a: 1\n...\nb: 22222222222\n")


def test_a_stream_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(spool, "STREAM_BYTES", 10)
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 22222222222\n")
    for small in (2**20, 5):
        monkeypatch.setattr(spool, "_SMALL", small)
        with pytest.raises(SourceError, match=r"^is larger than 0 MiB$"):
            Spool().open(str(path))


def test_each_copy_is_limited_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "STREAM_BYTES", 10)
    copies = Spool()
    assert [copies.copy(b"0123456789").read(0, 99) for _ in range(2)] == [b"0123456789"] * 2
    with pytest.raises(SourceError, match=r"^is larger than 0 MiB$"):
        copies.copy(b"0123456789a")


def test_so_much_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    content = Spool().copy(b"0123456789")
    monkeypatch.setattr(spool, "SOURCE_FILE_BYTES", 4)
    assert (content.read(3, 7), content.read(8, 99)) == (b"3456", b"89")
    with pytest.raises(SourceError, match=r"^is larger than 0 MiB$"):
        content.read(3, 8)


@pytest.mark.parametrize("small", [5, 100])
def test_a_file_is_read_where_it_is_or_copied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small: int) -> None:
    monkeypatch.setattr(spool, "_SMALL", small)
    monkeypatch.setattr(spool, "STREAM_BYTES", 10)
    path = tmp_path / "a.yaml"
    path.write_bytes(b"0123456789")
    content = Spool().open(str(path))
    monkeypatch.setattr(os, "pread", lambda file, size, at, pread=os.pread: pread(file, min(size, 3), at))
    assert (content.size, content.read(0, 10), content.read(2, 9)) == (10, b"0123456789", b"2345678")
    path.write_bytes(b"012345")
    if small == 100:
        assert content.read(0, 10) == b"0123456789"
    else:
        with pytest.raises(SourceError, match=r"^has been changed while it was read$"):
            content.read(0, 10)


def test_a_text_is_seen_through_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_BLOCK", 4)
    window = spool.Window(Spool().copy(b"\xef\xbb\xbf0123456789"))
    assert (window.start, window.size) == (3, 13)
    assert (window.cut(3, 5), window.cut(11, 99), window.cut(4, 6)) == (b"01", b"89", b"12")
    assert (bytes(window.view(5, 6)), bytes(window.view(12, 3))) == (b"234567", b"9")
    assert window.search(re.compile(b"[89]"), 3, 1) == (11, b"8")
    assert [window.mark(offset) for offset in (3, 6, 13)] == [(0, 0), (0, 3), (0, 10)]


def test_a_file_that_was_copied_is_closed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 1\n")
    closed: list[int] = []
    monkeypatch.setattr(os, "close", lambda file, close=os.close: (closed.append(file), close(file))[1])
    assert Spool().open(str(path)).read(0, 99) == b"a: 1\n"
    assert len(closed) == 1
