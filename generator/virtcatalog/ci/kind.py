"""Print what a repository is: `catalog` if it has one, before a change or after it, else `repository`.

    python -I -m virtcatalog.ci.kind FOLDER [REVISION]

FOLDER is where the catalog is; one that is elsewhere than by default is meant to be there. REVISION is what the change
is compared with, a commit or what the remote `origin` calls one: who takes the catalog away does not pass its checks.
"""

from __future__ import annotations

import sys
from pathlib import Path

from virtcatalog import escaping
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.git import Repository
from virtcatalog.manifests.layout import CATALOG
from virtcatalog.manifests.sources import is_catalog

_DEFAULT = "catalog"


def main(folder: str, revision: str = "") -> int:
    """Print the word; exit status 2 when the revision cannot be had."""
    try:
        has_catalog = folder != _DEFAULT or is_catalog(folder) or bool(revision and _had_catalog(folder, revision))
    except VirtcatalogError as error:
        print(escaping.log(f"error: {error}"), file=sys.stderr)
        return 2
    print("catalog" if has_catalog else "repository")
    return 0


def _had_catalog(folder: str, revision: str) -> bool:
    repository = Repository(Path())
    tree = repository.folder(repository.fetched(revision), folder)
    return tree is not None and tree.has(CATALOG)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
