"""The report of a pull request as its one comment: whose it is, and what GitHub may answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from forges import BOT, GitHub
from mains import run_as_program
from virtcatalog.ci import forge
from virtcatalog.ci.forge import Api, ForgeError
from virtcatalog.ci.github import main

MARKER = "<!-- virtcatalog: ./catalog -->\n"
Write = Callable[..., int]


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    server = GitHub()
    monkeypatch.setenv("GITHUB_API_URL", server.url)
    monkeypatch.setenv("GITHUB_REPOSITORY", "o/r")
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    monkeypatch.delenv("GITHUB_GRAPHQL_URL", raising=False)
    yield server
    server.close()


@pytest.fixture(name="write")
def write_report(tmp_path: Path) -> Write:
    """Write a report of a catalog into pull request 5."""

    def write(text: str, catalog: str = "./catalog") -> int:
        file = tmp_path / "report.md"
        file.write_text(text, encoding="utf-8")
        return main("5", catalog, str(file))

    return write


def test_a_report_becomes_a_comment_and_the_next_one_takes_its_place(github, write, capsys):
    assert write("\none é\n\n") == 0
    assert [comment["body"] for comment in github.comments] == [f"{MARKER}one é\n"]
    assert write("two") == 0
    assert write("") == 0
    assert [comment["body"] for comment in github.comments] == [f"{MARKER}virtcatalog: nothing to report.\n"]
    assert capsys.readouterr().out == "https://x/0\n" * 3
    assert github.tokens == {"Bearer secret"}


def test_a_request_says_which_form_and_version_of_the_api_it_is_for(github, write):
    write("text")
    headers = {name: github.last_headers[name] for name in ("Accept", "Content-Type", "X-Github-Api-Version")}
    assert headers == {
        "Accept": "application/vnd.github+json",
        "Content-Type": "application/json",
        "X-Github-Api-Version": "2022-11-28",
    }


def test_it_is_run_as_a_module_with_its_arguments(github, tmp_path):
    (tmp_path / "report.md").write_text("text")
    assert run_as_program("virtcatalog.ci.github", "5", "./catalog", str(tmp_path / "report.md")) == 0
    assert [comment["body"] for comment in github.comments] == [f"{MARKER}text\n"]


def test_nothing_to_report_is_no_comment(github, write, capsys):
    assert write(" \n") == 0
    assert github.comments == []
    assert capsys.readouterr().out == "\n"


def test_every_catalog_has_a_comment_of_its_own(github, write):
    for catalog in ("a", "b--c", "a"):
        write("text", catalog)
    assert [comment["body"] for comment in github.comments] == [
        "<!-- virtcatalog: a -->\ntext\n",
        "<!-- virtcatalog: b- -c -->\ntext\n",
    ]


def test_a_comment_holds_no_more_than_github_takes(github, write):
    write("x" * 70_000)
    assert github.comments[0]["body"] == (MARKER + "x" * 70_000)[:65_536]


@pytest.mark.parametrize(
    "author",
    [
        {"login": "mallory", "type": "User"},
        {"login": "x[bot]", "type": "Bot"},
        {"login": "github-actions[bot]", "type": "User"},
        None,
    ],
)
def test_a_comment_of_anybody_else_is_not_replaced_although_it_begins_like_ours(github, write, author):
    github.comments = [{"id": 0, "body": f"{MARKER}old", "user": author}]
    assert write("new") == 0
    assert [comment["body"] for comment in github.comments] == [f"{MARKER}old", f"{MARKER}new\n"]


@pytest.mark.parametrize("author", [BOT, {"login": "github-actions", "type": "Bot"}, {"login": "github-actions"}])
@pytest.mark.parametrize("before", [99, 100, 150])
def test_our_comment_is_found_on_every_page(github, write, before, author):
    github.comments = [{"id": number, "body": "hello", "user": BOT} for number in range(before)]
    github.comments.append({"id": before, "body": f"{MARKER}old", "user": author, "html_url": ""})
    assert write("new") == 0
    assert len(github.comments) == before + 1
    assert github.comments[before]["body"] == f"{MARKER}new\n"


SUMMARY_ONLY = "::notice::the report is in the summary only: GitHub does not take the request: {} {}\n"
LIMITED = "::error::GitHub takes no more requests for now ({}): its rate limit is reached\n"
TOO_DEEP = "maximum recursion depth exceeded"
FAULTS = {
    "a token that is none": (401, {}, b"{}", SUMMARY_ONLY.format(401, "Unauthorized")),
    "a token that may not write": (403, {}, b"{}", SUMMARY_ONLY.format(403, "Forbidden")),
    "a repository that it does not show": (404, {}, b"{}", SUMMARY_ONLY.format(404, "Not Found")),
    "a fault of its own": (500, {}, b"", "::error::GitHub does not take the request: 500 Internal Server Error\n"),
    "too many requests": (429, {}, b"", LIMITED.format("429 Too Many Requests")),
    "none left": (403, {"X-RateLimit-Remaining": "0"}, b"", LIMITED.format("403 Forbidden")),
    "some left": (403, {"X-RateLimit-Remaining": "1"}, b"", SUMMARY_ONLY.format(403, "Forbidden")),
    "wait": (403, {"Retry-After": "60"}, b"", LIMITED.format("403 Forbidden")),
    "a secondary limit": (403, {}, b'{"message": "You exceed a Rate Limit"}', LIMITED.format("403 Forbidden")),
    "a limit that is said at the end of what is read": (
        403,
        {},
        b" " * (2**16 - 10) + b"rate limit",
        LIMITED.format("403 Forbidden"),
    ),
    "one that is said behind it": (403, {}, b" " * (2**16 - 9) + b"rate limit", SUMMARY_ONLY.format(403, "Forbidden")),
    "a limit that is said among bytes that are no text": (403, {}, b"\xff rate limit", LIMITED.format("403 Forbidden")),
    "an answer that ends early": (
        403,
        {"Transfer-Encoding": "chunked"},
        b"no number",
        SUMMARY_ONLY.format(403, "Forbidden"),
    ),
    "a success that ends early": (
        200,
        {"Transfer-Encoding": "chunked"},
        b"no number",
        "::error::GitHub cannot be reached: IncompleteRead(0 bytes read)\n",
    ),
    "a request that is wrong": (400, {}, b"", "::error::GitHub does not take the request: 400 Bad Request\n"),
    "the first of the redirections": (
        300,
        {},
        b"",
        "::error::GitHub redirects to elsewhere (300 Multiple Choices), which would get the token: not followed\n",
    ),
    "the last of them": (
        399,
        {},
        b"",
        "::error::GitHub redirects to elsewhere (399 ), which would get the token: not followed\n",
    ),
    "a limit of another sort": (404, {}, b"rate limit", SUMMARY_ONLY.format(404, "Not Found")),
    "a redirection to nowhere": (
        301,
        {},
        b"",
        "::error::GitHub redirects to elsewhere (301 Moved Permanently), which would get the token: not followed\n",
    ),
    "a page of a proxy": (
        200,
        {},
        b"<html>",
        "::error::GitHub answers what is no JSON: Expecting value: line 1 column 1 (char 0)\n",
    ),
    "a page that is nested too deep": (
        200,
        {},
        b"[" * 100_000,
        f"::error::GitHub answers what is no JSON: {TOO_DEEP} while decoding a JSON array from a unicode string\n",
    ),
}


@pytest.mark.parametrize(("status", "headers", "body", "message"), FAULTS.values(), ids=FAULTS)
def test_what_github_does_not_take_is_said_and_fails_unless_the_token_may_not_write(
    github, write, capsys, status, headers, body, message
):
    github.status, github.headers, github.body = status, headers, body
    assert write("report") == int(message.startswith("::error::"))
    assert capsys.readouterr().out == message


def test_the_token_goes_nowhere_else(github, write, capsys):
    other = GitHub()
    github.status, github.headers = 307, {"Location": f"{other.url}/graphql"}
    assert write("report") == 1
    other.close()
    redirect = f"GitHub redirects to {other.url}/graphql (307 Temporary Redirect)"
    assert capsys.readouterr().out == f"::error::{redirect}, which would get the token: not followed\n"
    assert other.tokens == set()


@pytest.mark.parametrize("login", [{"errors": []}, [], {"data": None}])
def test_a_token_of_nobody_writes_nothing(github, write, capsys, login):
    github.login = login
    assert write("report") == 1
    assert capsys.readouterr().out == (
        "::error::GitHub does not say whose the token is, maybe since its rate limit is reached\n"
    )


def test_comments_that_are_no_list_are_a_fault(github, write, capsys):
    github.body = b'{"data": {"viewer": {"login": "github-actions"}}}'
    assert write("report") == 1
    assert capsys.readouterr().out == "::error::a list of comments was asked for, and the answer is none\n"


def test_a_server_of_its_own_is_asked_for_the_login(github, write, monkeypatch):
    monkeypatch.setenv("GITHUB_GRAPHQL_URL", f"{github.url}/graphql")
    monkeypatch.setenv("GITHUB_API_URL", f"{github.url}")
    assert write("report") == 0
    monkeypatch.setenv("GITHUB_GRAPHQL_URL", "http://127.0.0.1:9/graphql")
    assert write("report") == 1


def test_a_server_that_does_not_answer_is_a_fault(write, github, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")
    assert write("report") == 1
    assert capsys.readouterr().out.startswith("::error::GitHub cannot be reached: <urlopen error ")


def test_a_server_is_waited_for_half_a_minute(monkeypatch):
    waited = []

    class Opener:
        def open(self, request, timeout):
            waited.append((request.full_url, timeout))
            raise TimeoutError("timed out")

    monkeypatch.setattr(forge, "build_opener", lambda *handlers: Opener())
    with pytest.raises(ForgeError) as caught:
        Api("GitHub", {})("GET", "https://forge.example/")
    assert (str(caught.value), caught.value.forbidden) == ("GitHub cannot be reached: timed out", False)
    assert waited == [("https://forge.example/", 30)]
