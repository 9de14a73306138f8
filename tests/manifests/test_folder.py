"""Folders that are at hand, changed or remembered, and the paths of files."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from virtcatalog.manifests.folder import (
    LinkOutError,
    Parts,
    Recorded,
    SourceError,
    TooLargeError,
    TooManyError,
    alone,
    held,
    held_at,
    is_text,
    parts_of,
    shown,
)


@pytest.mark.parametrize(
    ("path", "at", "parts"),
    [
        ("", (), ()),
        ("a/b", (), ("a", "b")),
        ("./a//b/.", ("x",), ("x", "a", "b")),
        ("../a", ("x", "y"), ("x", "a")),
        ("a/../../b", ("x",), ("b",)),
        ("/a", ("x",), ("x", "a")),
    ],
)
def test_a_path_has_parts(path: str, at: Parts, parts: Parts) -> None:
    assert parts_of(path, at) == parts


@pytest.mark.parametrize(("path", "at"), [("..", ()), ("a/../..", ()), ("../../a", ("x",))])
def test_a_path_leads_out_of_nothing(path: str, at: Parts) -> None:
    with pytest.raises(LinkOutError) as caught:
        parts_of(path, at)
    assert str(caught.value) == "is a symbolic link that leads out of the folder"


def test_names_may_be_no_text() -> None:
    name = os.fsdecode(b"a\xff")
    assert (is_text("ä"), is_text(name), shown(["x", name]), shown("ab")) == (True, False, "x/a\\xff", "a/b")


def test_faults_name_their_path() -> None:
    assert [(str(error), error.message, error.path) for error in (SourceError("no"), SourceError("no", "a/b"))] == [
        ("no", "no", ""),
        ("a/b: no", "no", "a/b"),
    ]
    assert str(TooLargeError(3 * 2**20, "a")) == "a: is larger than 3 MiB"
    assert str(TooManyError()) == "holds more than 50000 files"


def fault(read: Callable[[], object]) -> str:
    with pytest.raises(SourceError) as caught:
        read()
    return caught.value.message


FILES = {"b.yaml": b"b", "a/c.yaml": b"cc", ".d": b"d", "a/.e/f": b"f", "../side/g": b"g"}


def test_files_at_hand_are_a_folder() -> None:
    folder = held(FILES)
    assert (folder.at, folder.listing()) == (("catalog",), (("a/c.yaml", "b.yaml"), ()))
    assert (folder.read("a/c.yaml", 2), folder.read(".d"), folder.read("../side/g")) == (b"cc", b"d", b"g")
    assert [folder.has(path) for path in ("b.yaml", "a", "a/.e/f", "../side/g", "x")] == [
        True,
        False,
        True,
        True,
        False,
    ]
    assert fault(lambda: folder.read("a/c.yaml", 1)) == "is larger than 0 MiB"
    assert fault(lambda: folder.read("x")) == "there is no such file or folder"
    inner, side = folder.folder("a"), folder.folder("../side")
    assert inner is not None
    assert side is not None
    assert (inner.at, inner.listing().files, side.at, side.listing().files) == (
        ("catalog", "a"),
        ("c.yaml",),
        ("side",),
        ("g",),
    )
    assert (folder.folder("b.yaml"), folder.folder("x")) == (None, None)
    assert held({"a": b""}, "other").at == ("other",)
    assert held_at({("x", "y"): b"z"}, ("x",)).read("y") == b"z"


def test_a_file_alone_has_no_path() -> None:
    assert (alone(b"x").at, alone(b"x").listing(), alone(b"x").read("")) == ((), (("",), ()), b"x")


def test_changes_count_in_the_folders_below_and_beside() -> None:
    changed = held(FILES).changed({"a/c.yaml": None, "a/new.yaml": b"n", "../side/g": b"G", "b.yaml": b"B"})
    assert (changed.at, changed.listing().files) == (("catalog",), ("a/new.yaml", "b.yaml"))
    inner, side = changed.folder("a"), changed.folder("../side")
    assert inner is not None
    assert side is not None
    assert (inner.listing().files, inner.read("new.yaml"), side.read("g")) == (("new.yaml",), b"n", b"G")
    assert fault(lambda: inner.read("c.yaml")) == "there is no such file or folder"
    assert [changed.has(path) for path in ("a/c.yaml", "a/new.yaml", "b.yaml", "x")] == [False, True, True, False]
    assert changed.folder("none") is None


def test_what_is_read_is_remembered_by_its_whole_path() -> None:
    recorded = Recorded(held(FILES))
    inner = recorded.folder("a")
    assert inner is not None
    assert (recorded.at, recorded.listing().files, recorded.has("b.yaml")) == (
        ("catalog",),
        ("a/c.yaml", "b.yaml"),
        True,
    )
    assert (inner.read("c.yaml"), recorded.read("b.yaml", 1), recorded.folder("x")) == (b"cc", b"b", None)
    assert fault(lambda: recorded.read("b.yaml", 0)) == "is larger than 0 MiB"
    assert recorded.contents == {("catalog", "a", "c.yaml"): b"cc", ("catalog", "b.yaml"): b"b"}
