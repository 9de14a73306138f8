"""The files of a commit are listed once, and read together with their neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from virtcatalog.manifests import commit
from virtcatalog.manifests.commit import LACKING, NO_FILE, Entry, in_commit
from virtcatalog.manifests.folder import Folder, Parts, SourceError

Sizes = dict[str, int]


class Objects:
    """Files of such sizes, by their paths; what was asked for is remembered."""

    def __init__(self, files: Sizes, links: dict[str, str] | None = None) -> None:
        self.files, self.links = files, links or {}
        self.listed: list[Parts] = []
        self.read: list[list[str]] = []

    def entries(self, commit: str, at: Parts) -> Iterator[Entry]:
        self.listed.append(at)
        for path in sorted([*self.files, *self.links], key=lambda path: path.split("/")):
            parts = tuple(path.split("/"))
            size = self.files[path] if path in self.files else len(self.links[path])
            if parts[: len(at)] == at:
                yield Entry(parts, path in self.links, path, size)

    def contents(self, entries: Sequence[Entry]) -> Iterator[bytes]:
        if entries and not entries[0].is_link:
            self.read.append([entry.blob for entry in entries])
        for entry in entries:
            yield self.links[entry.blob].encode() if entry.is_link else b"x" * max(entry.size, 0)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "SOURCE_BLOCK_BYTES", 8)
    monkeypatch.setattr(commit, "_KEPT_BYTES", 16)


def fault(folder: Folder, path: str, most: int = 100) -> str:
    with pytest.raises(SourceError) as caught:
        folder.read(path, most)
    return caught.value.message


def test_files_are_read_together_until_they_fill_a_block() -> None:
    objects = Objects({"a": 4, "b": 4, "c": 1, "d": 9, "e": 0, "f": 8})
    folder = in_commit(objects, "c", ())
    assert [len(folder.read(path)) for path in "abcdef"] == [4, 4, 1, 9, 0, 8]
    assert objects.read == [["a", "b"], ["c"], ["d"], ["e", "f"]]
    assert objects.listed == [()]


def test_what_was_read_is_kept_while_it_is_little() -> None:
    objects = Objects({"a": 8, "b": 8, "c": 8})
    folder = in_commit(objects, "c", ())
    for path in "aabbab":
        folder.read(path)
    assert objects.read == [["a"], ["b"]]
    folder.read("c")  # which is one too many: the oldest goes
    folder.read("b")
    folder.read("a")
    assert objects.read == [["a"], ["b"], ["c"], ["a"]]


def test_what_the_repository_lacks_is_asked_for_alone() -> None:
    objects = Objects({"a": 1, "b": LACKING, "c": 1, "d": LACKING})
    folder = in_commit(objects, "c", ())
    for path in "abcd":
        folder.read(path)
    assert objects.read == [["a", "c"], ["b"], ["d"]]


def test_links_stand_for_files_within_the_folder() -> None:
    links = {"in/l": "f", "in/m": "l", "in/out": "../a", "in/root": "/a", "in/n": "none", "in/d": "sub", "in/o": "p"}
    links |= {"in/p": "o", "in/away": "../../x", "in/long": "f" * 5000}
    objects = Objects({"a": 1, "in/f": 3, "in/sub/g": 2, "in/module": NO_FILE}, links)
    folder = in_commit(objects, "c", ("in",))
    assert folder.listing() == (
        ("f", "l", "m", "sub/g"),
        (
            ("away", "is a symbolic link that leads out of the folder"),
            ("d", "is a symbolic link to a folder"),
            ("long", "is a symbolic link to nothing"),
            ("module", "is a submodule, a repository of its own"),
            ("n", "there is no such file or folder"),
            ("o", "there is no such file or folder"),
            ("out", "is a symbolic link that leads out of the folder"),
            ("p", "there is no such file or folder"),
            ("root", "is a symbolic link that leads out of the folder"),
        ),
    )
    assert folder.read("m") == b"xxx"
    assert [folder.has(path) for path in ("f", "l", "out", "none", "sub")] == [True, True, True, False, False]
    assert fault(folder, "out") == "is a symbolic link that leads out of the folder"
    assert fault(folder, "none") == "there is no such file or folder"
    assert fault(folder, "f", 2) == "is larger than 0 MiB"
    assert folder.read("f", 3) == b"xxx"


def test_a_link_is_as_long_as_a_path_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "SOURCE_LINK_BYTES", 2)
    folder = in_commit(Objects({"ab": 1, "abc": 1}, {"l": "ab", "m": "abc"}), "c", ())
    assert folder.listing() == (("ab", "abc", "l"), (("m", "is a symbolic link to nothing"),))


def test_what_is_hidden_is_not_listed_but_read() -> None:
    folder = in_commit(Objects({".a": 1, "b/.c/d": 1, "b/e": 1}), "c", ())
    assert folder.listing().files == ("b/e",)
    assert folder.read(".a") == b"x"


def test_a_folder_below_is_not_listed_again_and_one_beside_is() -> None:
    objects = Objects({"a/b/c": 1, "a/d": 2, "e/f": 3})
    folder = in_commit(objects, "c", ("a",))
    below, beside = folder.folder("b"), folder.folder("../e")
    assert (below.at, below.listing().files, below.read("c")) == (("a", "b"), ("c",), b"x")
    assert (beside.at, beside.listing().files) == (("e",), ("f",))
    assert folder.folder("none") is None
    assert objects.listed == [("a",), ("e",)]
