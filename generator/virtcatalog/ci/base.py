"""Print the commit that a change is compared with, and fetch it where a shallow clone lacks it.

    python -I -m virtcatalog.ci.base REVISION

REVISION is a commit, or what the remote `origin` calls one.
"""

from __future__ import annotations

import sys
from pathlib import Path

from virtcatalog import escaping
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.git import Repository


def main(revision: str) -> int:
    """Print the id of the commit; exit status 2 when there is none."""
    try:
        commit = Repository(Path()).fetched(revision)
    except VirtcatalogError as error:
        print(escaping.log(f"error: {error}"), file=sys.stderr)
        return 2
    print(commit)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
