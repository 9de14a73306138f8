"""Write a report into a pull request: one comment a catalog, which every run replaces.

    python -I -m virtcatalog.ci.github NUMBER CATALOG REPORT

Where and with what comes from the environment of a GitHub runner: GITHUB_API_URL, GITHUB_GRAPHQL_URL,
GITHUB_REPOSITORY, GITHUB_TOKEN.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

from virtcatalog import escaping
from virtcatalog.ci.forge import PAGE, Api, ForgeError, pages

#: GitHub refuses longer comments.
MOST: Final = 65_536


def main(number: str, catalog: str, report: str) -> int:
    """Write the comment; exit status 1 when GitHub does not take it."""
    try:
        print(escaping.log(_write(number, catalog, Path(report).read_text(encoding="utf-8"))))
    except ForgeError as error:
        # A pull request of a fork gets a token that may not write; the summary has the report all the same.
        level, where = ("notice", "the report is in the summary only: ") if error.forbidden else ("error", "")
        print(escaping.github(level, f"{where}{error}", {}), end="")
        return int(not error.forbidden)
    return 0


def _write(number: str, catalog: str, text: str) -> str:
    """Write the comment, and return where it is; "" when there is no report and no older comment."""
    api = Api(
        "GitHub",
        {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    issues = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    thread = f"{issues}/{number}/comments"
    marker = f"<!-- virtcatalog: {catalog.replace('--', '- -')} -->"
    mine = _login(api)
    comments = pages(lambda page: api("GET", f"{thread}?per_page={PAGE}&page={page}"))
    own = next((comment for comment in comments if is_own(comment, mine, marker)), None)
    if own is None and not text.strip():
        return ""
    body = {"body": f"{marker}\n{text.strip() or 'virtcatalog: nothing to report.'}\n"[:MOST]}
    written = api("PATCH", f"{issues}/comments/{own['id']}", body) if own else api("POST", thread, body)
    return str(written["html_url"])


def _login(api: Api) -> str:
    """Return who the token's comments are by."""
    url = os.environ.get("GITHUB_GRAPHQL_URL") or f"{os.environ['GITHUB_API_URL']}/graphql"
    answer = api("POST", url, {"query": "{viewer{login}}"})
    try:
        return str(answer["data"]["viewer"]["login"])
    except (KeyError, TypeError):
        raise ForgeError("GitHub does not say whose the token is, maybe since its rate limit is reached") from None


def is_own(comment: dict[str, Any], mine: str, marker: str) -> bool:
    """Whether a comment is ours: anybody can begin one with the marker, so its author counts."""
    author = comment.get("user") or {}
    names = [mine, f"{mine}[bot]"] if author.get("type") == "Bot" else [mine]
    return author.get("login") in names and str(comment.get("body")).startswith(marker)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
