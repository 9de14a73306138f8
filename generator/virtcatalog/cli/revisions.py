"""Catalogs, output trees and folders of manifests as they are in a git revision."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from virtcatalog.errors import ManifestError, VirtcatalogError
from virtcatalog.manifests.layout import CATALOG

if TYPE_CHECKING:
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.manifests.folder import Folder


class Revision:
    """A git revision of the repository around the working directory; nothing of it is checked out."""

    def __init__(self, name: str) -> None:
        from virtcatalog.manifests.git import Repository

        self._name = name
        self._repository = Repository(Path())
        self._commit = self._repository.commit(name)

    def catalog(self, path: str) -> Catalog | None:
        """Return the catalog at a path; None for what is no catalog, such as an output tree."""
        from virtcatalog.catalog.load import load_catalog

        folder = self._folder(path)
        return load_catalog(self._label(path), folder) if folder.has(CATALOG) else None

    def objects(self, path: str) -> list[dict[str, Any]]:
        """Return the manifests of an output tree or a folder at a path."""
        from virtcatalog.review.read import read_side

        side = read_side(self._folder(path), self._label(path))
        if side.problems:
            raise ManifestError(*side.problems)
        return [*side.objects_in("")]

    def _label(self, path: str) -> str:
        return f"{self._name}:{path}"

    def _folder(self, path: str) -> Folder:
        folder = self._repository.folder(self._commit, path)
        if folder is None:
            raise VirtcatalogError(f"{self._label(path)}: there is nothing in this revision")
        return folder
