"""The report of a merge request as its one note: whose it is, and what GitLab may answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from forges import GitLab
from mains import run_as_program
from virtcatalog.ci.gitlab import main

MARKER = "<!-- virtcatalog diff -->"


@pytest.fixture
def gitlab(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitLab]:
    server = GitLab()
    monkeypatch.setenv("CI_API_V4_URL", server.url)
    monkeypatch.setenv("CI_MERGE_REQUEST_PROJECT_ID", "3")
    monkeypatch.setenv("CI_MERGE_REQUEST_IID", "5")
    monkeypatch.setenv("VIRTCATALOG_TOKEN", "secret")
    yield server
    server.close()


@pytest.fixture(name="write")
def write_report(tmp_path: Path) -> Callable[[str], int]:
    def write(text: str) -> int:
        file = tmp_path / "report.md"
        file.write_text(text, encoding="utf-8")
        return main(str(file))

    return write


def test_a_report_becomes_a_note_and_the_next_one_takes_its_place(gitlab, write):
    assert write(f"{MARKER}\none é\n") == 0
    assert write(f"{MARKER}\ntwo\n") == 0
    assert [note["body"] for note in gitlab.notes] == [f"{MARKER}\ntwo\n"]


def test_it_is_run_as_a_module_with_its_argument(gitlab, tmp_path):
    (tmp_path / "report.md").write_text("text")
    assert run_as_program("virtcatalog.ci.gitlab", str(tmp_path / "report.md")) == 0
    assert [note["body"] for note in gitlab.notes] == ["text"]


@pytest.mark.parametrize("before", [99, 100, 120])
def test_our_note_is_found_behind_others(gitlab, write, before):
    gitlab.notes = [{"id": number, "author": {"id": 42}, "body": "hello"} for number in range(before)]
    gitlab.notes.append({"id": before, "author": {"id": 42}, "body": f"{MARKER}\nold"})
    assert write("new") == 0
    assert [note["body"] for note in gitlab.notes[before:]] == ["new"]


@pytest.mark.parametrize("author", [{"id": 7}, {}, None])
def test_a_note_of_anybody_else_is_not_replaced_although_it_begins_like_ours(gitlab, write, author):
    gitlab.notes = [{"id": 0, "author": author, "body": f"{MARKER}\nold"}]
    assert write("new") == 0
    assert [note["body"] for note in gitlab.notes] == [f"{MARKER}\nold", "new"]


def test_a_wrong_token_fails(gitlab, write, monkeypatch, capsys):
    monkeypatch.setenv("VIRTCATALOG_TOKEN", "wrong")
    assert write("report") == 1
    assert capsys.readouterr().err == "error: GitLab does not take the request: 401 Unauthorized\n"


def test_the_token_goes_nowhere_else(gitlab, write, capsys):
    other = GitLab()
    gitlab.moved_to = other.url
    assert write("report") == 1
    other.close()
    message = f"error: GitLab redirects to {other.url}/user (302 Found), which would get the token: not followed\n"
    assert capsys.readouterr().err == message
    assert other.paths == []


def test_a_server_that_does_not_answer_is_said(write, gitlab, monkeypatch, capsys):
    monkeypatch.setenv("CI_API_V4_URL", "http://127.0.0.1:9")
    assert write("report") == 1
    assert capsys.readouterr() == (
        "",
        "error: GitLab cannot be reached: <urlopen error [Errno 111] Connection refused>\n",
    )
