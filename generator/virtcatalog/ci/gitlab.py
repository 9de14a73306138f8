"""Write a report into a merge request: one note, which every run replaces.

    python -I -m virtcatalog.ci.gitlab REPORT

Where and with what comes from the environment of a GitLab job: CI_API_V4_URL, CI_MERGE_REQUEST_PROJECT_ID,
CI_MERGE_REQUEST_IID, VIRTCATALOG_TOKEN.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from virtcatalog import escaping
from virtcatalog.ci.forge import PAGE, Api, ForgeError, pages
from virtcatalog.review.markdown import MARKER


def main(report: str) -> int:
    """Write the note; exit status 1 when GitLab does not take it."""
    try:
        _write(Path(report).read_text(encoding="utf-8"))
    except ForgeError as error:
        print(escaping.log(f"error: {error}"), file=sys.stderr)
        return 1
    return 0


def _write(text: str) -> None:
    api = Api("GitLab", {"PRIVATE-TOKEN": os.environ["VIRTCATALOG_TOKEN"]})
    server, project = os.environ["CI_API_V4_URL"], os.environ["CI_MERGE_REQUEST_PROJECT_ID"]
    notes = f"{server}/projects/{project}/merge_requests/{os.environ['CI_MERGE_REQUEST_IID']}/notes"
    mine = api("GET", f"{server}/user").get("id")
    # The note that is replaced is one of our own: anybody can begin one as we do.
    number = next(
        (
            note["id"]
            for note in pages(lambda page: api("GET", f"{notes}?per_page={PAGE}&page={page}&sort=asc"))
            if (note.get("author") or {}).get("id") == mine and str(note.get("body")).startswith(MARKER.strip())
        ),
        None,
    )
    method, url = ("POST", notes) if number is None else ("PUT", f"{notes}/{number}")
    api(method, url, {"body": text})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
