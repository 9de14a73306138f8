"""The output tree on disk: ownership, replacement in one step, --check's view of it."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from virtcatalog.render import tree
from virtcatalog.render.tree import TreeError, compare, replace

FIRST = {"base/a.yaml": "a: 1\n", "README.md": "# first\n"}
SECOND = {"base/b.yaml": "b: 1\n", "README.md": "# second\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "output"


def contents(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def siblings(folder: Path) -> list[str]:
    return [each.name for each in folder.parent.iterdir()]


def test_a_new_tree_is_written_whole_with_the_list_of_what_is_ours(folder):
    changes = replace(folder, FIRST)
    assert [change.path for change in changes] == [".virtcatalog", "README.md", "base/a.yaml"]
    assert {**FIRST, ".virtcatalog": contents(folder)[".virtcatalog"]} == contents(folder)
    assert contents(folder)[".virtcatalog"].splitlines()[1:] == ["README.md", "base/a.yaml"]


def test_the_same_tree_again_writes_nothing(folder):
    replace(folder, FIRST)
    before = (folder / "base/a.yaml").stat()
    assert replace(folder, FIRST) == []
    assert (folder / "base/a.yaml").stat() == before


def test_files_written_before_and_no_longer_rendered_are_removed_with_their_folder(folder):
    replace(folder, {**FIRST, "old/x.yaml": "x: 1\n"})
    replace(folder, SECOND)
    assert set(contents(folder)) == {".virtcatalog", "README.md", "base/b.yaml"}
    assert not (folder / "old").exists()


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


def test_a_file_of_others_in_the_way_is_not_overwritten(folder):
    folder.mkdir()
    (folder / "README.md").write_text("mine\n")
    with pytest.raises(TreeError, match=r"README\.md: virtcatalog did not write this file"):
        replace(folder, FIRST)
    assert contents(folder) == {"README.md": "mine\n"}


def test_a_file_of_others_where_a_folder_is_needed_is_not_removed(folder):
    folder.mkdir()
    (folder / "base").write_text("mine\n")
    with pytest.raises(TreeError, match="base: virtcatalog did not write this"):
        replace(folder, FIRST)
    assert contents(folder) == {"base": "mine\n"}


def test_a_symlink_in_the_place_of_a_rendered_file_is_refused(folder, tmp_path):
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    (folder / "README.md").symlink_to(secret)
    with pytest.raises(TreeError, match="not a regular file"):
        replace(folder, FIRST)
    assert secret.read_text() == "secret\n"


def test_an_ownership_list_cannot_reach_out_of_the_folder(folder, tmp_path):
    folder.mkdir()
    (tmp_path / "precious").write_text("precious\n")
    (folder / ".virtcatalog").write_text("../precious\n")
    with pytest.raises(TreeError, match="outside the output folder"):
        replace(folder, FIRST)
    assert (tmp_path / "precious").read_text() == "precious\n"


def test_a_read_only_folder_is_refused_and_left_as_it_is(folder):
    replace(folder, FIRST)
    folder.chmod(0o555)
    with pytest.raises(TreeError, match="read-only"):
        replace(folder, SECOND)
    assert (folder / "README.md").read_text() == "# first\n"
    assert siblings(folder) == ["output"]


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_full_disk_at_any_write_leaves_the_old_tree_and_no_litter(folder, monkeypatch, at):
    replace(folder, FIRST)
    before, writes, write_text = contents(folder), iter(range(1, 99)), Path.write_text

    def full(path: Path, *args: object, **kwargs: object) -> int:
        if next(writes) == at:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return write_text(path, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(TreeError, match="No space left on device"):
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


def test_output_given_through_a_symlink_replaces_what_it_points_to(folder, tmp_path):
    real = tmp_path / "real"
    replace(real, FIRST)
    folder.symlink_to(real)
    replace(folder, SECOND)
    assert folder.is_symlink()
    assert (real / "README.md").read_text() == "# second\n"
