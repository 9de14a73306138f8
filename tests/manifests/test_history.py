"""What git knows of a folder's past, and what a revision is refused with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from checkouts import git
from virtcatalog.manifests import history
from virtcatalog.manifests.git import Repository
from virtcatalog.manifests.gitprocess import GitError
from virtcatalog.manifests.history import History, history_of


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose folder `in` has a file that comes, changes, becomes a link and goes."""
    root = tmp_path_factory.mktemp("past")
    git(root, "init", "-q")
    file = root / "in/a.yaml"
    file.parent.mkdir()
    for day, text in (("2026-01-01", "one"), ("2026-01-02", "three")):
        file.write_text(text)
        (root / "b.yaml").write_text(text)
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", f"{text} {'x' * 120}", day=day)
    git(root, "tag", "v1")
    file.unlink()
    file.symlink_to("../b.yaml")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "link", day="2026-01-03")
    git(root, "tag", "-a", "v2", "-m", "annotated", day="2026-01-05")
    (root / "b.yaml").write_text("elsewhere")
    git(root, "commit", "-qam", "elsewhere", day="2026-01-04")
    git(root, "checkout", "-q", "--orphan", "other")
    git(root, "commit", "-q", "-m", "other", day="2026-01-06")
    git(root, "tag", "w1")
    git(root, "checkout", "-q", "main")
    return root


@pytest.fixture
def past(root: Path) -> History:
    history = history_of(str(root / "in"))
    assert history is not None
    return history


def test_commits_are_those_that_touch_the_folder_the_newest_first(root: Path, past: History) -> None:
    commits = past.commits(["a.yaml"], 9)
    ids = [git(root, "rev-parse", name) for name in ("HEAD~1", "HEAD~2", "HEAD~3")]
    assert [commit.id for commit in commits] == ids
    assert [commit.parent for commit in commits] == [ids[1], ids[2], ""]
    assert [commit.date for commit in commits] == ["2026-01-03", "2026-01-02", "2026-01-01"]
    assert [commit.subject for commit in commits] == ["link", f"three {'x' * 92}..", f"one {'x' * 94}.."]
    assert past.commits(["a.yaml"], 2) == commits[:2]
    assert past.dated(ids[2]) == "2026-01-01"


@pytest.mark.parametrize("at_once", [1, 300])
def test_files_that_commits_changed_have_their_blobs_and_links_have_none(
    root: Path, past: History, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(history, "_COMMITS", at_once)
    one, three = (git(root, "rev-parse", f"HEAD~{back}:in/a.yaml") for back in (3, 2))
    touched = list(past.touched(past.commits(["a.yaml"], 9), ["."]))
    assert [(file.path, file.old, file.new) for file in touched] == [
        ("a.yaml", three, ""),
        ("a.yaml", one, three),
        ("a.yaml", "", one),
    ]
    assert [file.commit.date for file in touched] == ["2026-01-03", "2026-01-02", "2026-01-01"]


def test_files_that_commits_changed_are_counted_with_their_folders(
    past: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = past.commits(["a.yaml"], 9)
    monkeypatch.setattr(history, "PAST_FILES", 6)
    assert len(list(past.touched(commits, ["."]))) == 3
    monkeypatch.setattr(history, "PAST_FILES", 5)
    with pytest.raises(GitError) as caught:
        list(past.touched(commits, [".", "a.yaml"]))
    assert str(caught.value) == "the commits that touch ., a.yaml hold more than 5 files"


@pytest.mark.parametrize("at_once", [1, 500])
def test_blobs_that_are_too_large_or_lacking_are_left_out(
    root: Path, past: History, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(history, "_BLOBS", at_once)
    one, three = (git(root, "rev-parse", f"HEAD~{back}:in/a.yaml") for back in (3, 2))
    tree = git(root, "rev-parse", "HEAD:in")
    assert past.sizes([one, "0" * 40, three, tree]) == {one: 3, three: 5}
    assert past.sizes([]) == {}
    assert list(past.blobs([three, "0" * 40, one], 5)) == [(three, b"three"), (one, b"one")]
    assert list(past.blobs([three, one], 4)) == [(one, b"one")]


def test_tags_are_those_of_the_past_the_oldest_first(root: Path, past: History) -> None:
    tags = past.tags()
    assert [(name, commit.id, commit.date) for name, commit in tags] == [
        ("v1", git(root, "rev-parse", "HEAD~2"), "2026-01-02"),
        ("v2", git(root, "rev-parse", "HEAD~1"), "2026-01-05"),
    ]


def test_what_a_commit_has_below_the_folder(root: Path, past: History) -> None:
    head = git(root, "rev-parse", "HEAD~2")
    assert past.tree_of(head, "a.yaml") == git(root, "rev-parse", "HEAD~2:in/a.yaml")
    assert past.tree_of(head, "none") == ""


def test_a_folder_without_commits_has_no_history(tmp_path: Path) -> None:
    assert history_of(str(tmp_path)) is None
    git(tmp_path, "init", "-q")
    assert history_of(str(tmp_path)) is None


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda here: here.commit("none"), "'none' is no git revision"),
        (lambda here: here.commit("--all"), "'--all' is no git revision"),
        (lambda here: here.commit("^HEAD"), "'^HEAD' is no git revision"),
        (lambda here: here.commit("a\0b"), "'a\\x00b' is no git revision"),
        (lambda here: here.fetched("-x"), "'-x' is no git revision"),
        (lambda here: here.fetched("a:b"), "'a:b' is no git revision"),
        (lambda here: here.merge_base("main", "other"), "main and other share no commit; name a BASE"),
        (lambda here: here.folder("HEAD", "../../x"), "in/../../x is outside of the repository"),
    ],
)
def test_what_is_no_revision_or_path_of_one_is_told(root: Path, ask: Callable[..., object], message: str) -> None:
    with pytest.raises(GitError) as caught:
        ask(Repository(root / "in"))
    assert str(caught.value) == message


@pytest.mark.parametrize("path", ["/x", "/../x"])
@pytest.mark.parametrize("folder", ["", "in"])
def test_a_path_in_a_revision_is_relative(root: Path, folder: str, path: str) -> None:
    with pytest.raises(GitError) as caught:
        Repository(root / folder).folder("HEAD", path)
    assert str(caught.value) == f"{path} is absolute: in a revision, paths are relative to the repository"


def test_the_main_branch_is_that_of_the_remote_or_one_of_four_names(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "topic")
    for number in (1, 2):
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", str(number))
    here = Repository(tmp_path)
    with pytest.raises(GitError) as caught:
        here.fork_point("HEAD")
    assert str(caught.value) == (
        "there is no main branch to compare with (origin/main, origin/master, main, master): name a BASE"
    )
    first, second = git(tmp_path, "rev-parse", "HEAD~1"), git(tmp_path, "rev-parse", "HEAD")
    for name, commit, main in (("master", first, "master"), ("main", second, "main"), ("x", first, "main")):
        git(tmp_path, "branch", "-q", name, commit)
        assert here.fork_point("HEAD") == (git(tmp_path, "rev-parse", main), main)
    git(tmp_path, "update-ref", "refs/remotes/origin/master", first)
    assert here.fork_point("HEAD") == (first, "origin/master")
    git(tmp_path, "update-ref", "refs/remotes/origin/own", second)
    git(tmp_path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/own")
    assert here.fork_point("HEAD") == (second, "origin/own")
    assert (here.remote(), here.shallow) == ("", False)
    git(tmp_path, "remote", "add", "origin", "https://example.org/x.git")
    assert here.remote() == "https://example.org/x.git"
    assert here.names() == ["main", "master", "topic", "x", "origin/master", "origin/own"]


def test_what_is_not_here_is_fetched_from_the_remote(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "remote", "add", "origin", str(root))
    here = Repository(tmp_path)
    commit, older = git(root, "rev-parse", "other"), git(root, "rev-parse", "main~1")
    assert not here.has(commit)
    assert (here.fetched("other"), here.has(commit)) == (commit, True)
    assert (here.fetched(older), here.fetched("FETCH_HEAD")) == (older, older)
    with pytest.raises(GitError) as caught:
        here.fetched("none")
    assert str(caught.value) == "git fetch: couldn't find remote ref none"


@pytest.mark.parametrize(
    ("tagger", "date"),
    [
        ("", ""),
        ("tagger House <house@example.org> 1767225600 +0000\n", "2026-01-01"),
        ("tagger House <house@example.org> 1767225599 +0000\n", "2025-12-31"),
        ("tagger House <house@example.org> 9999999999999 +0000\n", ""),
    ],
)
def test_a_tag_may_have_no_date_that_anybody_knows(tmp_path: Path, tagger: str, date: str) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
    head = git(tmp_path, "rev-parse", "HEAD")
    text = f"object {head}\ntype commit\ntag v1\n{tagger}\none\n"
    tag = git(tmp_path, "hash-object", "-t", "tag", "-w", "--literally", "--stdin", stdin=text.encode())
    git(tmp_path, "update-ref", "refs/tags/v1", tag)
    past = history_of(str(tmp_path))
    assert past is not None
    assert [(name, commit.id, commit.date) for name, commit in past.tags()] == [("v1", head, date)]
