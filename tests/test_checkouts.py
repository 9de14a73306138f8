"""What anybody may have committed: links on the way to a place."""

from __future__ import annotations

import errno
import stat

import pytest

from virtcatalog.checkouts import checkout_of, mode_of, resolved


def test_a_place_has_forty_links_on_its_way_at_most(tmp_path):
    (tmp_path / "0").write_text("")
    for number in range(1, 42):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    place, links = resolved(str(tmp_path / "40"))
    assert place == str(tmp_path / "0")
    assert links == [str(tmp_path / str(number)) for number in range(40, 0, -1)]
    with pytest.raises(OSError, match="Too many levels of symbolic links") as refused:
        resolved(str(tmp_path / "41"))
    assert refused.value.errno == errno.ELOOP


def test_what_a_path_is(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("nowhere")
    modes = [mode_of(tmp_path / name) for name in ("file", "link", ".", "none", "file/below")]
    assert [mode and stat.S_IFMT(mode) for mode in modes] == [stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR, None, None]


def test_a_place_is_told_through_links_and_what_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "up").symlink_to("a/b")
    (tmp_path / "root").symlink_to(tmp_path / "a")
    (tmp_path / "file").write_text("")
    top = str(tmp_path)
    assert resolved("up/../c") == (f"{top}/a/c", [f"{top}/up"])
    assert resolved("./root//b/.") == (f"{top}/a/b", [f"{top}/root"])
    assert resolved("none/x/../y") == (f"{top}/none/y", [])
    assert resolved("file/x") == (f"{top}/file/x", [])
    assert resolved("/..") == ("/", [])


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """The current folder and the home, neither above the other, and no forge."""
    for name in ("here", "home", "repo/a/b"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_checkout_is_a_work_tree_of_git(elsewhere):
    folder = str(elsewhere / "repo/a/b")
    assert checkout_of(folder) is None
    (elsewhere / "repo/.git").mkdir()
    assert checkout_of(folder) == checkout_of(str(elsewhere / "repo")) == str(elsewhere / "repo")
    (elsewhere / "repo/a/.git").write_text("gitdir: x\n")
    assert checkout_of(folder) == str(elsewhere / "repo/a")


def test_the_current_folder_is_one_unless_the_home_is_below_it(elsewhere, monkeypatch):
    (elsewhere / "here/below").mkdir()
    assert checkout_of(str(elsewhere / "here/below")) == str(elsewhere / "here")
    for home in (elsewhere / "here", elsewhere / "here/below"):
        monkeypatch.setenv("HOME", str(home))
        assert checkout_of(str(elsewhere / "here/below")) is None
    monkeypatch.setenv("HOME", str(elsewhere))
    assert checkout_of(str(elsewhere / "here")) == str(elsewhere / "here")
    monkeypatch.setenv("HOME", "relative")
    assert checkout_of(str(elsewhere / "here")) == str(elsewhere / "here")


@pytest.mark.parametrize("name", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_a_forge_says_where_the_checkout_is(elsewhere, monkeypatch, name):
    folder = str(elsewhere / "repo/a/b")
    monkeypatch.setenv(name, str(elsewhere / "repo"))
    assert checkout_of(folder) == str(elsewhere / "repo")
    monkeypatch.setenv(name, "repo")
    assert checkout_of(folder) is None
