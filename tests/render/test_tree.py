"""The output tree on disk: ownership, replacement in one step, --check's view of it."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from pathlib import Path

import pytest

from sampling import thorough
from virtcatalog.catalog.load import load_catalog
from virtcatalog.limits import OUTPUT_FILE_BYTES
from virtcatalog.render import ownership, tree
from virtcatalog.render.output import render
from virtcatalog.render.ownership import TreeError
from virtcatalog.render.tree import _rename_exchange, compare, replace

FIRST = {"base/a.yaml": "a: 1\n", "README.md": "# first\n"}
SECOND = {"base/b.yaml": "b: 1\n", "README.md": "# second\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "output"


def contents(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def siblings(folder: Path) -> list[str]:
    return [path.name for path in folder.parent.iterdir()]


@pytest.fixture
def refused(snapshot, tmp_path):
    """What is said of a tree that is refused, whole."""

    @contextmanager
    def refuse():
        with pytest.raises(TreeError) as caught:
            yield
        assert str(caught.value).replace(str(tmp_path), "…") == snapshot

    return refuse


def test_a_new_tree_is_written_whole_with_the_list_of_what_is_ours(folder):
    changes = replace(folder, FIRST)
    assert [change.path for change in changes] == [".virtcatalog", "README.md", "base/a.yaml"]
    assert {**FIRST, ".virtcatalog": contents(folder)[".virtcatalog"]} == contents(folder)
    assert contents(folder)[".virtcatalog"].splitlines()[1:] == ["README.md", "base/a.yaml"]


def test_the_same_tree_again_writes_nothing(folder):
    replace(folder, FIRST)
    before = (folder / "base/a.yaml").stat()
    assert replace(folder, FIRST) == []
    after = (folder / "base/a.yaml").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)  # reading moves the access time


def test_files_written_before_and_no_longer_rendered_are_removed_with_their_folder(folder):
    replace(folder, {**FIRST, "overlays/old/x.yaml": "x: 1\n"})
    replace(folder, SECOND)
    assert set(contents(folder)) == {".virtcatalog", "README.md", "base/b.yaml"}
    assert not (folder / "overlays").exists()


def test_files_of_others_are_kept_links_and_empty_folders_too(folder):
    replace(folder, FIRST)
    (folder / "base/theirs.yaml").write_text("theirs: 1\n")
    (folder / "empty").mkdir()
    (folder / "link").symlink_to("README.md")
    replace(folder, SECOND)
    assert (folder / "base/theirs.yaml").read_text() == "theirs: 1\n"
    assert (folder / "empty").is_dir()
    assert (folder / "link").readlink() == Path("README.md")


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o2775])
def test_a_folder_keeps_its_mode(folder, mode):
    replace(folder, FIRST)
    folder.chmod(mode)
    replace(folder, SECOND)
    assert stat.S_IMODE(folder.stat().st_mode) == mode


def test_files_of_others_are_copied_where_they_cannot_be_linked(folder, monkeypatch):
    replace(folder, FIRST)
    theirs = folder / "base/theirs.sh"
    theirs.write_text("#!/bin/sh\n")
    theirs.chmod(0o754)
    os.utime(theirs, (1, 1))
    (folder / "link").symlink_to("nowhere")

    def refuse(*args, **kwargs):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    replace(folder, SECOND)
    assert theirs.read_text() == "#!/bin/sh\n"
    assert (stat.S_IMODE(theirs.stat().st_mode), theirs.stat().st_mtime) == (0o754, 1)
    assert (folder / "link").readlink() == Path("nowhere")


def test_files_of_others_are_linked_where_they_can_be(folder):
    replace(folder, FIRST)
    theirs = folder / "theirs"
    theirs.write_text("theirs\n")
    number = theirs.stat().st_ino
    replace(folder, SECOND)
    assert theirs.stat().st_ino == number


def test_a_file_of_others_in_the_way_is_not_overwritten(folder, refused):
    folder.mkdir()
    (folder / "README.md").write_text("mine\n")
    with refused():
        replace(folder, FIRST)
    assert contents(folder) == {"README.md": "mine\n"}


def test_a_file_of_others_where_a_folder_is_needed_is_not_removed(folder, refused):
    folder.mkdir()
    (folder / "base").write_text("mine\n")
    with refused():
        replace(folder, FIRST)
    assert contents(folder) == {"base": "mine\n"}


def test_a_symlink_in_the_place_of_a_rendered_file_is_refused(folder, tmp_path, refused):
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    (folder / "README.md").symlink_to(secret)
    with refused():
        replace(folder, FIRST)
    assert secret.read_text() == "secret\n"


def test_an_ownership_list_cannot_reach_out_of_the_folder(folder, tmp_path, refused):
    folder.mkdir()
    (tmp_path / "precious").write_text("precious\n")
    (folder / ".virtcatalog").write_text("../precious\n")
    with refused():
        replace(folder, FIRST)
    assert (tmp_path / "precious").read_text() == "precious\n"


def test_a_read_only_folder_is_refused_and_left_as_it_is(folder, refused):
    replace(folder, FIRST)
    folder.chmod(0o555)
    with refused():
        replace(folder, SECOND)
    assert (folder / "README.md").read_text() == "# first\n"
    assert siblings(folder) == ["output"]


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_full_disk_at_any_write_leaves_the_old_tree_and_no_litter(folder, monkeypatch, at, refused):
    replace(folder, FIRST)
    before, writes, write = contents(folder), iter(range(1, 99)), os.write

    def full(descriptor: int, data: bytes) -> int:
        if next(writes) == at:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:2])

    monkeypatch.setattr(os, "write", full)
    with refused():
        replace(folder, SECOND)
    assert contents(folder) == before
    assert siblings(folder) == ["output"]


def test_without_an_atomic_exchange_two_renames_do(folder, monkeypatch):
    monkeypatch.setattr(tree, "_rename_exchange", lambda one, other: False)
    replace(folder, FIRST)
    replace(folder, SECOND)
    assert set(contents(folder)) == {".virtcatalog", "README.md", "base/b.yaml"}
    assert siblings(folder) == ["output"]


def test_a_run_killed_between_the_two_renames_is_undone_by_the_next(folder):
    replace(folder, FIRST)
    folder.rename(folder.with_name(".output.virtcatalog-old"))
    assert [change.path for change in replace(folder, SECOND)] == [
        ".virtcatalog",
        "README.md",
        "base/a.yaml",
        "base/b.yaml",
    ]
    assert siblings(folder) == ["output"]


def test_litter_of_a_killed_run_is_cleared(folder):
    (folder.parent / ".output.virtcatalog-new").mkdir(parents=True)
    (folder.parent / ".output.virtcatalog-new/half.yaml").write_text("half")
    replace(folder, FIRST)
    assert siblings(folder) == ["output"]


def test_compare_writes_nothing_and_shows_new_changed_and_stale_files(folder):
    replace(folder, FIRST)
    before = contents(folder)
    changes = {change.path: change for change in compare(folder, SECOND)}
    assert contents(folder) == before
    assert changes["README.md"].diff() == ("--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# first\n+# second\n")
    assert changes["base/a.yaml"].diff() == "--- a/base/a.yaml\n+++ /dev/null\n@@ -1 +0,0 @@\n-a: 1\n"
    assert changes["base/b.yaml"].diff() == "--- /dev/null\n+++ b/base/b.yaml\n@@ -0,0 +1 @@\n+b: 1\n"


def test_line_endings_changed_by_a_checkout_are_a_difference(folder):
    replace(folder, FIRST)
    (folder / "README.md").write_bytes(b"# first\r\n")
    assert [change.path for change in compare(folder, FIRST)] == ["README.md"]


def test_a_link_in_the_place_of_the_tree_is_not_written_through(folder, tmp_path, refused):
    other = tmp_path / "elsewhere"
    replace(other, FIRST)
    folder.symlink_to(other)
    with refused():
        replace(folder, SECOND)
    assert (other / "README.md").read_text() == "# first\n"


def test_a_file_in_the_place_of_the_tree_is_refused(folder, refused):
    folder.write_text("mine\n")
    with refused():
        replace(folder, FIRST)
    assert folder.read_text() == "mine\n"


@pytest.mark.parametrize("place", [".", "output", "a/b/output"])
def test_a_tree_is_not_written_into_a_catalog(tmp_path, place, refused):
    (tmp_path / "catalog.yaml").write_text("name: x\n")
    with refused():
        replace(tmp_path / place, FIRST)
    assert [path.name for path in tmp_path.iterdir()] == ["catalog.yaml"]


def test_a_tree_does_not_take_the_folder_of_a_catalog_or_of_a_checkout(tmp_path, refused):
    (tmp_path / "virt/catalog").mkdir(parents=True)
    (tmp_path / "virt/catalog/catalog.yaml").write_text("name: x\n")
    for folder in (tmp_path, tmp_path / "virt"):
        with refused():
            replace(folder, FIRST, catalog=str(tmp_path / "virt/catalog"))
    (tmp_path / "checkout/.git").mkdir(parents=True)
    with refused():
        replace(tmp_path / "checkout", FIRST)


def test_the_tree_of_another_catalog_is_replaced_by_force_only(folder, refused):
    replace(folder, FIRST, "one")
    assert (folder / ".virtcatalog").read_text().splitlines()[1] == "# Of the catalog: one"
    with refused():
        replace(folder, SECOND, "two")
    assert (folder / "README.md").read_text() == "# first\n"
    replace(folder, SECOND, "two", force=True)
    replace(folder, FIRST, "two")
    assert (folder / "README.md").read_text() == "# first\n"


def test_a_tree_of_nobody_in_particular_is_taken_over(folder):
    replace(folder, FIRST)
    replace(folder, SECOND, "two")
    assert (folder / "README.md").read_text() == "# second\n"


def test_no_link_among_parents_is_followed_and_what_we_cannot_have_written_stays_unread(folder, tmp_path):
    replace(folder, FIRST)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/environ").write_text("TOKEN=1\n")
    (folder / "zz").symlink_to(tmp_path / "secrets")
    with (folder / ".virtcatalog").open("a") as listing:
        listing.write("zz/environ\n")
    changes = compare(folder, SECOND)
    assert "zz/environ" not in [change.path for change in changes]
    assert not any("TOKEN" in change.diff() for change in changes)
    replace(folder, SECOND)
    assert (folder / "zz").is_symlink()
    assert (tmp_path / "secrets/environ").read_text() == "TOKEN=1\n"


@pytest.mark.parametrize("link", ["base", "base/inner"])
def test_a_link_in_the_place_of_a_folder_of_ours_is_refused(folder, tmp_path, link, refused):
    replace(folder, {**FIRST, "base/inner/environ": "x: 1\n"})
    (tmp_path / "secrets/inner").mkdir(parents=True)
    (tmp_path / "secrets/inner/environ").write_text("TOKEN=1\n")
    (folder / link).rename(tmp_path / "away")
    (folder / link).symlink_to(tmp_path / ("secrets" if link == "base" else "secrets/inner"))
    for wanted in (FIRST, {**FIRST, "base/inner/environ": "x: 1\n"}):
        with refused():
            compare(folder, wanted)
        with refused():
            replace(folder, wanted)


def test_folders_of_others_keep_their_mode(folder):
    replace(folder, FIRST)
    for name, mode in (("theirs", 0o750), ("theirs/closed", 0o500), ("base/theirs", 0o705)):
        (folder / name).mkdir()
        (folder / name / "file").write_text("x\n")
        (folder / name).chmod(mode)
    (folder / "base").chmod(0o711)
    replace(folder, {**SECOND, "base/b.yaml": "b: 2\n"})
    modes = {
        name: (folder / name).stat().st_mode & 0o777 for name in ("theirs", "theirs/closed", "base/theirs", "base")
    }
    assert modes == {"theirs": 0o750, "theirs/closed": 0o500, "base/theirs": 0o705, "base": 0o711}
    assert (folder / "theirs/closed/file").read_text() == "x\n"
    assert siblings(folder) == ["output"]


def _file(place):
    place.write_text("x")


def _link(place):
    place.symlink_to("/etc")


def _closed(place):
    (place / "a/b").mkdir(parents=True)
    (place / "a/b/c").write_text("x")
    (place / "a/b").chmod(0)
    (place / "a").chmod(0o500)


@pytest.mark.parametrize("which", ["new", "old"])
@pytest.mark.parametrize("leave", [_file, _link, _closed])
@pytest.mark.parametrize("exchange", [True, False])
def test_what_a_killed_run_left_is_cleaned_up_whatever_it_is(folder, monkeypatch, which, leave, exchange):
    if not exchange:
        monkeypatch.setattr(tree, "_rename_exchange", lambda one, other: False)
    replace(folder, FIRST)
    for wanted in (FIRST, SECOND):
        leave(folder.with_name(f".output.virtcatalog-{which}"))
        replace(folder, wanted)
        assert siblings(folder) == ["output"]
        assert (folder / "README.md").read_text() == wanted["README.md"]


def test_all_that_is_rendered_is_what_can_be_ours():
    catalog = load_catalog(Path(__file__).parents[2] / "catalog")
    assert [path for path in render(catalog) if not ownership._OURS.fullmatch(path)] == []


def test_of_several_files_of_others_in_the_way_the_first_is_named(folder, refused):
    folder.mkdir()
    for path in ("README.md", "base.yaml", "base/a.yaml"):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text("mine\n")
    with refused():
        replace(folder, FIRST)


@thorough
def test_a_file_larger_than_any_of_ours_is_not_read(folder, refused):
    folder.mkdir()
    (folder / "README.md").touch()
    for size in (OUTPUT_FILE_BYTES, OUTPUT_FILE_BYTES + 1):
        os.truncate(folder / "README.md", size)
        with refused():
            replace(folder, FIRST)


def _no_space(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_after_a_killed_run_a_refusal_says_that_its_tree_is_undone(folder, monkeypatch, refused):
    replace(folder, FIRST)
    folder.rename(folder.with_name(".output.virtcatalog-old"))
    monkeypatch.setattr(tree, "_build", _no_space)
    with refused():
        replace(folder, SECOND)
    assert (folder / "README.md").read_text() == "# first\n"


@pytest.mark.parametrize(("failing", "place"), [(["new"], "output"), (["new", "old"], ".output.virtcatalog-old")])
def test_a_second_rename_that_fails_is_undone_at_once_or_by_the_next_run(folder, monkeypatch, failing, place, refused):
    replace(folder, FIRST)
    rename = Path.rename
    monkeypatch.setattr(tree, "_rename_exchange", lambda one, other: False)
    monkeypatch.setattr(
        *(Path, "rename"),
        lambda path, target: _no_space() if path.name.rpartition("-")[2] in failing else rename(path, target),
    )
    with refused():
        replace(folder, SECOND)
    assert (folder.with_name(place) / "README.md").read_text() == "# first\n"
    monkeypatch.undo()
    replace(folder, SECOND)
    assert (folder / "README.md").read_text() == "# second\n"
    assert siblings(folder) == ["output"]


@pytest.mark.parametrize("lacking", [OSError, AttributeError])
def test_a_system_without_renameat2_swaps_nothing(lacking, monkeypatch, tmp_path):
    class Library:
        def __init__(self, *_, **__):
            if lacking is OSError:
                raise OSError

    monkeypatch.setattr("ctypes.CDLL", Library)
    assert _rename_exchange(tmp_path / "a", tmp_path / "b") is False
