"""Write a report into a pull request: one comment a catalog, which every run replaces.

    comment.py NUMBER CATALOG REPORT

Where and with what comes from the environment of a GitHub runner: GITHUB_API_URL, GITHUB_GRAPHQL_URL,
GITHUB_REPOSITORY, GITHUB_TOKEN.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

#: GitHub refuses longer comments.
MOST = 65_536
PAGE = 100


def main(number: str, catalog: str, report: str) -> int:
    """Write the comment; exit status 1 when GitHub does not take it."""
    marker = f"<!-- virtcatalog: {catalog.replace('--', '- -')} -->\n"
    text = Path(report).read_text(encoding="utf-8")
    body = (marker + (text.strip() or "virtcatalog: nothing to report.") + "\n")[:MOST]
    thread = f"issues/{number}/comments"
    try:
        mine = login()
        own = next((each for each in comments(thread) if is_own(each, mine, marker.strip())), None)
        if own is None and not text.strip():
            return 0
        written = call("PATCH", f"issues/comments/{own['id']}", body) if own else call("POST", thread, body)
    except HTTPError as error:
        if error.code in (401, 403, 404):
            # A pull request of a fork gets a token that may not write; the summary has the report all the same.
            print(f"::notice::the report is in the summary only: no permission to comment ({error.code})")
            return 0
        print(f"::error::GitHub did not take the comment: {error.code} {error.reason}")
        return 1
    except OSError as error:
        print(f"::error::GitHub cannot be reached: {error}")
        return 1
    print(written["html_url"])
    return 0


def login() -> str:
    """Return who the token's comments are by."""
    url = os.environ.get("GITHUB_GRAPHQL_URL") or f"{os.environ['GITHUB_API_URL']}/graphql"
    answer = request("POST", url, {"query": "{viewer{login}}"})
    return str(answer["data"]["viewer"]["login"])


def is_own(comment: dict[str, Any], mine: str, marker: str) -> bool:
    """Whether a comment is ours: anybody can begin one with the marker, so its author counts."""
    author = comment.get("user") or {}
    names = [mine, f"{mine}[bot]"] if author.get("type") == "Bot" else [mine]
    return author.get("login") in names and str(comment["body"]).startswith(marker)


def comments(thread: str) -> Iterator[dict[str, Any]]:
    """Yield the comments of a pull request, page by page."""
    page = 1
    while True:
        found = call("GET", f"{thread}?per_page={PAGE}&page={page}")
        yield from found
        if len(found) < PAGE:
            return
        page += 1


def call(method: str, path: str, body: str | None = None) -> Any:
    """Call GitHub's REST API for the repository."""
    url = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}"
    return request(method, url, None if body is None else {"body": body})


def request(method: str, url: str, content: dict[str, str] | None) -> Any:
    """Send JSON to GitHub, and return what it answers."""
    data = None if content is None else json.dumps(content).encode()
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
        "Content-Type": "application/json",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    with urlopen(Request(url, data, headers, method=method), timeout=30) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
