"""The comments of a change, as the REST APIs of GitHub and GitLab serve them."""

from __future__ import annotations

import json
import re
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import serving

BOT = {"login": "github-actions[bot]", "type": "Bot"}


class _Forge:
    """A server on the loopback address, until it is closed."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._served = serving.served(handler)
        self.url = f"http://{self._served.__enter__()}"

    def close(self) -> None:
        self._served.__exit__(None, None, None)


class GitHub(_Forge):
    """The comments of pull request 5 of `o/r`; `status`, `headers` and `body` are those of every answer, if set."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body: bytes | None = None
        self.login: Any = {"data": {"viewer": {"login": "github-actions"}}}
        self.tokens: set[str] = set()
        self.last_headers: dict[str, str] = {}
        github = self

        class Handler(serving.Handler):
            def do_GET(self) -> None:
                page = int(re.search(r"[?&]page=(\d+)", self.path)[1])
                assert "per_page=100" in self.path
                self.answer(200, github.comments[(page - 1) * 100 : page * 100])

            def do_POST(self) -> None:
                if self.path == "/graphql":
                    assert json.loads(self.content()) == {"query": "{viewer{login}}"}
                    self.answer(200, github.login)
                    return
                assert self.path == "/repos/o/r/issues/5/comments"
                own = {"id": len(github.comments), "html_url": f"https://x/{len(github.comments)}", "user": BOT}
                github.comments.append(own | json.loads(self.content()))
                self.answer(201, github.comments[-1])

            def do_PATCH(self) -> None:
                comment = github.comments[int(self.path.rpartition("/")[2])]
                comment.update(json.loads(self.content()))
                self.answer(200, comment)

            def answer(self, status: int, data: Any) -> None:
                assert self.path == "/graphql" or self.path.startswith("/repos/o/r/issues/")
                github.tokens.add(self.headers["Authorization"])
                github.last_headers = dict(self.headers)
                self.respond(github.status or status, data if github.body is None else github.body, github.headers)

        super().__init__(Handler)


class GitLab(_Forge):
    """The notes of merge request 5 of project 3; whoever asks is sent on if they `moved_to` elsewhere."""

    def __init__(self) -> None:
        self.notes: list[dict[str, object]] = []
        self.moved_to = ""
        self.paths: list[str] = []
        gitlab = self

        class Handler(serving.Handler):
            def do_GET(self) -> None:
                if self.path == "/user":
                    self.answer({"id": 42})
                    return
                query = parse_qs(urlsplit(self.path).query)
                size, page = (int(query[name][0]) for name in ("per_page", "page"))
                assert (size, query["sort"]) == (100, ["asc"])
                self.answer(gitlab.notes[(page - 1) * size : page * size])

            def do_POST(self) -> None:
                body = json.loads(self.content())["body"]
                gitlab.notes.append({"id": len(gitlab.notes), "author": {"id": 42}, "body": body})
                self.answer(gitlab.notes[-1])

            def do_PUT(self) -> None:
                gitlab.notes[int(self.path.rpartition("/")[2])]["body"] = json.loads(self.content())["body"]
                self.answer({})

            def answer(self, data: object) -> None:
                gitlab.paths.append(self.path)
                right = self.path == "/user" or self.path.startswith("/projects/3/merge_requests/5/notes")
                status = 200 if right and self.headers["PRIVATE-TOKEN"] == "secret" else 401
                headers = {"Location": f"{gitlab.moved_to}{self.path}"} if gitlab.moved_to else {}
                self.respond(302 if gitlab.moved_to else status, data, headers)

        super().__init__(Handler)
