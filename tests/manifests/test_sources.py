"""The door: what of a folder is read, and that nothing outside of it is."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from checkouts import git
from sampling import thorough
from virtcatalog.manifests import commit, disk, folder
from virtcatalog.manifests import git as revisions
from virtcatalog.manifests.folder import Folder, LinkOutError, SourceError, alone, held, manifest_files
from virtcatalog.manifests.git import Repository
from virtcatalog.manifests.gitprocess import GitError, NoRepositoryError
from virtcatalog.manifests.sources import open_folder, open_source, opened, read_file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder `top` with one beside it."""
    for path, text in {"top/a.yaml": "a", "top/in/b.yaml": "b", "top/.c.yaml": "c", "side/d.yaml": "d"}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def fault(read: Callable[[], object]) -> str:
    with pytest.raises(SourceError) as caught:
        read()
    return caught.value.message


def test_a_folder_is_listed_without_hidden_files(root: Path) -> None:
    top = open_folder(f"{root}/top")
    assert top.listing() == (("a.yaml", "in/b.yaml"), ())
    assert (top.read("a.yaml"), top.read("in/../in/b.yaml"), top.read(".c.yaml")) == (b"a", b"b", b"c")
    assert (top.has("a.yaml"), top.has("in"), top.has("x.yaml"), top.has("x/y")) == (True, False, False, False)


def test_what_lies_beside_it_is_a_folder_of_its_own(root: Path) -> None:
    side = open_folder(f"{root}/top").folder("../side")
    assert side is not None
    assert (side.at, side.read("d.yaml")) == (("side",), b"d")
    assert open_folder(f"{root}/top").folder("../none") is None
    assert open_folder(f"{root}/top").folder("../side/d.yaml") is None
    with pytest.raises(LinkOutError):
        open_folder(f"{root}/top").folder("../../side")


@pytest.mark.parametrize(
    ("link", "target", "expected"),
    [
        ("x.yaml", "a.yaml", b"a"),
        ("x.yaml", "in/../a.yaml", b"a"),
        ("in/x.yaml", "../a.yaml", b"a"),
        ("x.yaml", "{root}/top/in/b.yaml", b"b"),
        ("x.yaml", "../side/d.yaml", "is a symbolic link that leads out of the folder"),
        ("x.yaml", "../top/a.yaml", b"a"),
        ("x.yaml", "/etc/passwd", "is a symbolic link that leads out of the folder"),
        ("x.yaml", "{root}/top/../side/d.yaml", "is a symbolic link that leads out of the folder"),
        ("x.yaml", "{root}/topmost", "is a symbolic link that leads out of the folder"),
        ("x.yaml", "../../../../../../../../etc/passwd", "is a symbolic link that leads out of the folder"),
        ("x.yaml", "nothing", "there is no such file or folder"),
        ("x.yaml", "x.yaml", "leads through more than 16 symbolic links"),
        ("x.yaml", "in", "is a folder"),
    ],
)
def test_links_are_followed_within_the_folder(root: Path, link: str, target: str, expected: bytes | str) -> None:
    (root / "top" / link).symlink_to(target.format(root=root))
    top = open_folder(f"{root}/top")
    if isinstance(expected, bytes):
        assert top.read(link) == expected
        assert link in top.listing().files
    else:
        assert fault(lambda: top.read(link)) == expected


def test_a_link_among_the_folders_of_a_path_is_no_way_out(root: Path) -> None:
    (root / "top/out").symlink_to("../side")
    (root / "top/round").symlink_to("in")
    top = open_folder(f"{root}/top")
    assert fault(lambda: top.read("out/d.yaml")) == "is a symbolic link that leads out of the folder"
    assert top.read("round/b.yaml") == b"b"
    assert top.listing().faults == (
        ("out", "is a symbolic link that leads out of the folder"),
        ("round", "is a symbolic link to a folder"),
    )


def test_a_folder_that_becomes_a_link_is_no_way_out(root: Path) -> None:
    top = open_folder(f"{root}/top")
    assert "in/b.yaml" in top.listing().files
    (root / "top/in").rename(root / "top/was")
    (root / "top/in").symlink_to("../side")
    assert fault(lambda: top.read("in/d.yaml")) == "is a symbolic link that leads out of the folder"


@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_only_regular_files_are_read(root: Path, kind: str) -> None:
    if kind == "fifo":
        os.mkfifo(root / "top/x.yaml")
        assert fault(lambda: open_folder(f"{root}/top").read("x.yaml")) == "is no regular file"
        assert fault(lambda: read_file(f"{root}/top/x.yaml")) == "is no regular file"
    else:
        assert fault(lambda: read_file("/dev/zero")) == "is no regular file"


def test_a_standard_input_that_is_closed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert fault(lambda: read_file("-")) == "standard input is closed"


def test_a_pipe_of_the_shell_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"kind: List\n")
    os.close(writing)
    assert read_file(f"/dev/fd/{reading}") == b"kind: List\n"
    os.close(reading)


def test_a_pipe_of_the_shell_is_waited_for() -> None:
    reading, writing = os.pipe()
    descriptor = opened(f"/dev/fd/{reading}")
    assert os.get_blocking(descriptor)
    for fd in (descriptor, reading, writing):
        os.close(fd)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("{root}/none.yaml", "there is no such file or folder"),
        ("{root}/" + "x" * 5000, "File name too long"),
        ("{root}/top", "is a folder"),
        ("a\0b", "is no path: it has a character that no path has"),
        ("", "'' is no path: name a file or folder"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(root: Path, path: str, message: str) -> None:
    assert fault(lambda: read_file(path.format(root=root))) == message


def test_a_file_that_stands_for_a_folder_is_named() -> None:
    with pytest.raises(SourceError) as caught:
        open_source("/dev/null")
    assert str(caught.value) == "/dev/null: is no regular file"


def test_names_that_are_no_text_are_faults(root: Path) -> None:
    (root / "top" / os.fsdecode(b"\xff.yaml")).write_text("")
    assert open_folder(f"{root}/top").listing().faults == (("\\xff.yaml", "has a name that is not UTF-8"),)


def test_files_and_bytes_are_counted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "SOURCE_FILES", 2)
    monkeypatch.setattr(disk, "SOURCE_FILES", 2)
    monkeypatch.setattr(disk, "SOURCE_BYTES", 5)
    top = open_folder(f"{root}/top")
    assert [top.read("a.yaml") for _ in range(5)] == [b"a"] * 5
    assert fault(lambda: top.read("a.yaml")) == "together with what was read before is more than 0 MiB"
    (root / "top/e.yaml").write_text("")
    assert fault(top.listing) == "holds more than 2 files"
    assert fault(lambda: open_folder(f"{root}/top").read("a.yaml", 0)) == "is larger than 0 MiB"


def test_what_is_as_large_as_may_be_is_read(root: Path) -> None:
    top = open_folder(f"{root}/top")
    assert (top.read("a.yaml", 1), read_file(f"{root}/top/a.yaml", 1)) == (b"a", b"a")
    chunks = [b"ab", b"c", b""]
    assert disk.limited(lambda size: chunks.pop(0), 3) == b"abc"
    chunks = [b"ab", b"c", b""]
    assert fault(lambda: disk.limited(lambda size: chunks.pop(0), 2)) == "is larger than 0 MiB"


def test_the_files_of_one_folder_are_counted_while_they_are_listed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("1.txt", "2.txt", ".3"):
        (root / "side" / name).write_text("")
    monkeypatch.setattr(disk, "SOURCE_FILES", 3)
    assert open_folder(f"{root}/side").listing().files == ("1.txt", "2.txt", "d.yaml")
    (root / "side/4.txt").write_text("")
    assert fault(open_folder(f"{root}/side").listing) == "holds more than 50000 files"
    assert fault(open_folder(f"{root}").listing) == "holds more than 50000 files"


@pytest.mark.parametrize("kind", ["file", "fault", "folder"])
def test_what_is_in_several_folders_is_counted_together(root: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Neither has more than may be; folders count until they are looked into."""
    monkeypatch.setattr(disk, "SOURCE_FILES", 3)
    (root / "top/in/c.yaml").write_text("")
    assert open_folder(f"{root}/top").listing().files == ("a.yaml", "in/b.yaml", "in/c.yaml")
    if kind == "file":
        (root / "top/in/d.yaml").write_text("")
    elif kind == "fault":
        (root / "top/in/d.yaml").symlink_to("/etc/passwd")
    else:
        (root / "top/in/d").mkdir()
    assert fault(open_folder(f"{root}/top").listing) == "holds more than 50000 files"


@pytest.mark.parametrize("path", ["a\0b", "in/a\0b.yaml"])
def test_a_path_with_a_character_that_none_has_is_told(root: Path, path: str) -> None:
    top = open_folder(f"{root}/top")
    assert fault(lambda: top.read(path)) == "is no path: it has a character that no path has"
    assert (top.has(path), top.folder(path)) == (False, None)


def test_a_link_is_something_wherever_it_leads(root: Path) -> None:
    for link, target in {"file": "a.yaml", "folder": "in", "gone": "nothing"}.items():
        (root / "top" / link).symlink_to(target)
    top = open_folder(f"{root}/top")
    assert [top.has(name) for name in ("file", "folder", "gone", "folder/b.yaml")] == [True, True, True, True]


def test_faults_of_what_holds_no_manifests_do_not_matter(root: Path) -> None:
    links = {"x.yaml": "/etc/x", "notes.txt": "/etc/x", "chart": "/etc/x", "in/v1.2": "/etc/x", "o": "p", "p": "o"}
    for link, target in links.items():
        (root / "top" / link).symlink_to(target)
    (root / "top/in.yaml").write_text("")
    manifest_paths = manifest_files(revision(root, "top"))
    out = "is a symbolic link that leads out of the folder"
    assert manifest_paths == (("a.yaml", "in/b.yaml", "in.yaml"), (("chart", out), ("x.yaml", out)))


def test_folders_within_folders_are_counted(root: Path) -> None:
    (root / "top" / "/".join("d" * 33)).mkdir(parents=True)
    assert open_folder(f"{root}/top").listing().faults == (("/".join("d" * 33), "is more than 32 folders deep"),)


@pytest.mark.parametrize("kind", ["values", "revision"])
def test_values_and_revisions_are_folders_like_those_on_disk(root: Path, kind: str) -> None:
    top: Folder | None = held({"a.yaml": b"a", "in/b.yaml": b"b", ".c.yaml": b"c", "../side/d.yaml": b"d"})
    if kind == "revision":
        top = revision(root, "top")
    assert top is not None
    assert top.listing() == (("a.yaml", "in/b.yaml"), ())
    assert (top.read("in/b.yaml"), top.has("in"), top.has(".c.yaml")) == (b"b", False, True)
    side = top.folder("../side")
    assert side is not None
    assert side.read("d.yaml") == b"d"
    assert top.folder("../none") is None
    assert fault(lambda: top.read("../side/../top/x.yaml")) == "there is no such file or folder"


def test_files_can_be_left_out_and_replaced(root: Path) -> None:
    top = open_folder(f"{root}/top").changed({"a.yaml": None, "in/b.yaml": b"B", "new.yaml": b"n"})
    assert top.listing().files == ("in/b.yaml", "new.yaml")
    assert (top.read("in/b.yaml"), top.read("new.yaml"), top.has("a.yaml")) == (b"B", b"n", False)
    assert fault(lambda: top.read("a.yaml")) == "there is no such file or folder"


def test_a_file_that_could_not_be_read_can_be_replaced(root: Path) -> None:
    (root / "top/out.yaml").symlink_to("../side/d.yaml")
    (root / "top/away.yaml").symlink_to("../side/d.yaml")
    top = open_folder(f"{root}/top")
    faults = [(name, "is a symbolic link that leads out of the folder") for name in ("away.yaml", "out.yaml")]
    assert sorted(top.listing().faults) == faults
    changed = top.changed({"out.yaml": b"o"})
    assert changed.listing().faults == (faults[0],)
    assert "out.yaml" in changed.listing().files


def test_one_file_is_a_folder_too() -> None:
    assert (alone(b"x").listing().files, alone(b"x").read(""), alone(b"x").has("catalog.yaml")) == (("",), b"x", False)


def revision(root: Path, path: str) -> Folder:
    """A folder of a commit of all that there is."""
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    folder = Repository(root).folder(git(root, "rev-parse", "HEAD"), path)
    assert folder is not None
    return folder


def test_a_folder_without_a_repository_is_named_with_the_command_that_looked_for_one(root: Path) -> None:
    with pytest.raises(NoRepositoryError, match=r"^git rev-parse: not a git repository"):
        Repository(root)


def test_links_of_a_revision_stay_within_the_folder(root: Path) -> None:
    links = {"x": "in/b.yaml", "y": "../side/d.yaml", "z": "/etc/passwd", "f": "in", "o": "p.yaml", "p": "o.yaml"}
    for link, target in links.items():
        (root / "top" / f"{link}.yaml").symlink_to(target)
    top = revision(root, "top")
    assert top.read("x.yaml") == b"b"
    assert dict(top.listing().faults) == {
        "y.yaml": "is a symbolic link that leads out of the folder",
        "z.yaml": "is a symbolic link that leads out of the folder",
        "f.yaml": "is a symbolic link to a folder",
        **dict.fromkeys(("o.yaml", "p.yaml"), "there is no such file or folder"),
    }
    assert fault(lambda: top.read("y.yaml")) == "is a symbolic link that leads out of the folder"
    with pytest.raises(GitError, match=r"^[0-9a-f]{12}:top/x\.yaml is a symbolic link$"):
        Repository(root).folder(git(root, "rev-parse", "HEAD"), "top/x.yaml")


@thorough
def test_a_repository_that_lists_without_an_end_is_left_in_time(root: Path) -> None:
    """Each of its trees holds the one before ten times: a few kilobytes stand for 10¹² files."""
    git(root, "init", "-q")
    sha = git(root, "hash-object", "-w", "--stdin", stdin=b"x")
    kind = "100644 blob"
    for _ in range(12):
        sha = git(root, "mktree", stdin="".join(f"{kind} {sha}\t{name}\n" for name in "abcdefghij").encode())
        kind = "040000 tree"
    commit = git(root, "commit-tree", "-m", "bomb", sha)
    with pytest.raises(GitError, match=r"^[0-9a-f]{12}:a holds more than 50000 files and folders$"):
        Repository(root).folder(commit, "a").listing()


def nested(root: Path, levels: int, width: int, leaf: str = "") -> str:
    """A tree of folders within each other, of which each holds the next `width` times; the innermost is empty."""
    sha, kind = leaf or git(root, "mktree"), "100644 blob" if leaf else "040000 tree"
    for _ in range(levels):
        names = (chr(ord("a") + number) for number in range(width))
        sha = git(root, "mktree", stdin="".join(f"{kind} {sha}\t{name}\n" for name in names).encode())
        kind = "040000 tree"
    return sha


def test_folders_without_a_file_in_them_end_too(root: Path) -> None:
    """They are 10¹² folders, and git has nothing to print of them."""
    git(root, "init", "-q")
    commit = git(root, "commit-tree", "-m", "bomb", nested(root, 12, 10))
    with pytest.raises(GitError, match=r"^[0-9a-f]{12}:a holds more than 50000 files and folders$"):
        Repository(root).folder(commit, "a").listing()


def test_a_revision_has_as_many_levels_as_a_folder_on_disk(root: Path) -> None:
    git(root, "init", "-q")
    leaf = git(root, "hash-object", "-w", "--stdin", stdin=b"x")
    commit = git(root, "commit-tree", "-m", "deep", nested(root, 60, 1, leaf))
    with pytest.raises(GitError, match=r"^[0-9a-f]{12}: is more than 32 folders deep$"):
        Repository(root).folder(commit, ".").listing()


@thorough
def test_a_file_of_a_revision_is_read_when_it_is_asked_for_and_alone_if_it_is_large(root: Path) -> None:
    for name in "xyz":
        (root / f"top/{name}.yaml").write_bytes(bytes(40 * 2**20))
    top = revision(root, "top")
    tracemalloc.start()
    assert top.read("a.yaml") == b"a"
    small = tracemalloc.get_traced_memory()[1]
    assert [len(top.read(f"{name}.yaml")) for name in "xyz"] == [40 * 2**20] * 3
    large = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert small < 2**20
    assert large < 90 * 2**20


@pytest.mark.parametrize("turned", [False, True])
def test_small_files_of_a_revision_are_read_together_in_whatever_order(
    root: Path, turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        (root / f"top/{number:02}.yaml").write_text(str(number) * 50)
    monkeypatch.setattr(commit, "SOURCE_BLOCK_BYTES", 1000)
    top = revision(root, "top")
    blocks: list[int] = []
    contents = Repository.contents
    monkeypatch.setattr(
        Repository, "contents", lambda *arguments: (blocks.append(len(arguments[1])), contents(*arguments))[1]
    )
    names = sorted((f"{number:02}.yaml" for number in range(40)), reverse=turned)
    assert [top.read(name) for name in names] == [(str(int(name[:2])) * 50).encode() for name in names]
    assert (len(blocks), sum(blocks)) == (5, 43)


def test_what_is_larger_than_is_wanted_is_not_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = revision(root, "top")
    assert fault(lambda: top.read("in/b.yaml", 0)) == "is larger than 0 MiB"
    monkeypatch.setattr(revisions, "SOURCE_FILE_BYTES", 0)
    assert fault(lambda: revision_again(root, "top/a.yaml")) == "is larger than 0 MiB"


def revision_again(root: Path, path: str) -> Folder | None:
    return Repository(root).folder(git(root, "rev-parse", "HEAD"), path)


def test_a_link_in_a_revision_is_as_long_as_a_path(root: Path) -> None:
    git(root, "init", "-q")
    target = git(root, "hash-object", "-w", "--stdin", stdin=b"a.yaml".rjust(2**20, b"/"))
    tree = git(root, "mktree", stdin=f"120000 blob {target}\tx.yaml\n".encode())
    folder = Repository(root).folder(git(root, "commit-tree", "-m", "link", tree), ".")
    assert folder is not None
    assert folder.listing().faults == (("x.yaml", "is a symbolic link to nothing"),)


LACKING = "^top/a.yaml: the repository lacks the object {}; it is damaged, or a partial clone: fetch without a filter$"


@pytest.mark.parametrize("path", ["top", "top/a.yaml"])
def test_an_object_that_the_clone_lacks_is_named(root: Path, path: str) -> None:
    revision(root, "top")
    blob = git(root, "rev-parse", "HEAD:top/a.yaml")
    (root / f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    with pytest.raises(GitError, match=LACKING.format(blob)):
        Repository(root).folder(git(root, "rev-parse", "HEAD"), path).read("a.yaml" if path == "top" else "")


def test_an_object_that_nobody_reads_may_be_lacking(root: Path) -> None:
    revision(root, "top")
    (root / "top/large.xlsx").write_bytes(b"large")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "large")
    blob = git(root, "rev-parse", "HEAD:top/large.xlsx")
    (root / f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    folder = Repository(root).folder(git(root, "rev-parse", "HEAD"), "top")
    assert folder is not None
    assert "large.xlsx" in folder.listing().files
    assert folder.read("a.yaml") == (root / "top/a.yaml").read_bytes()


def test_a_folder_that_the_clone_lacks_is_an_error(root: Path) -> None:
    revision(root, "top")
    tree = git(root, "rev-parse", "HEAD:top")
    (root / f".git/objects/{tree[:2]}/{tree[2:]}").unlink()
    with pytest.raises(GitError, match="git ls-tree: "):
        Repository(root).folder(git(root, "rev-parse", "HEAD"), "top").listing()


def test_a_name_that_is_no_utf_8_is_a_fault(root: Path) -> None:
    git(root, "init", "-q")
    blob = git(root, "hash-object", "-w", "--stdin", stdin=b"x")
    tree = git(root, "mktree", stdin=f"100644 blob {blob}\tx\n".encode().replace(b"\tx", b"\tx\xff.yaml"))
    above = git(root, "mktree", stdin=f"040000 tree {tree}\tin\n".encode())
    folder = Repository(root).folder(git(root, "commit-tree", "-m", "name", above), "in")
    assert folder is not None
    assert folder.listing() == ((), (("x\\xff.yaml", "has a name that is not UTF-8"),))


def test_the_size_of_a_revision_is_counted_before_it_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "SOURCE_BYTES", 1)
    monkeypatch.setattr(Repository, "contents", lambda *_: pytest.fail("it is read"))
    with pytest.raises(GitError, match=r"^[0-9a-f]{12}:top holds more than 0 MiB$"):
        revision(root, "top").listing()
