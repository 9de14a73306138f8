"""Small catalogs, written as files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from checkouts import write
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog
from virtcatalog.errors import CatalogError

MANY = 50
BASE = {
    "catalog.yaml": "name: test\nvendor: example.org\nkubevirt: v1.9.0\nparameters: {gpu: example.org/gpu}\n",
    "instancetypes/m.yaml": """\
        class: m
        memoryPerVcpu: 4Gi
        sizes:
          small: {vcpus: 1}
          large: {vcpus: 4}
        """,
    "preferences/linux.yaml": """\
        preferences:
          linux.one: {requirements: {vcpus: 2, memory: 1Gi}}
        """,
}


class Workspace:
    """A catalog's folder under test: the base, with some files replaced, added or (None) left out."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.texts: list[str] = []

    def write(self, files: dict[str, str | None]) -> None:
        changed = BASE | files
        write(self.root, {place: text for place, text in changed.items() if text is not None})

    def load(self, files: dict[str, str | None] | None = None) -> Catalog:
        self.write(files or {})
        return load_catalog(self.root)

    def problems(self, files: dict[str, str | None] | None = None) -> list[str]:
        """The problems of the catalog, with paths below it."""
        self.write(files or {})
        with pytest.raises(CatalogError) as caught:
            load_catalog(self.root)
        texts = [str(problem).replace(f"{self.root}/", "") for problem in caught.value.problems]
        self.texts += texts if len(texts) < MANY else []
        return texts

    def entry(self, name: str, files: dict[str, str | None]) -> dict[str, Any]:
        """One object of the catalog, as cluster-wide kind."""
        (only,) = [
            obj for obj in self.load(files).objects() if obj["metadata"]["name"] == name and "Cluster" in obj["kind"]
        ]
        return only


@pytest.fixture
def catalog(tmp_path: Path, snapshot: SnapshotAssertion) -> Iterator[Workspace]:
    """All problems, but for many at once, are held against what a user read before, too; Jinja's words are its own."""
    workspace = Workspace(tmp_path)
    yield workspace
    if workspace.texts:
        texts = [re.sub(r"( has no value: ).*", r"\1…", text) for text in workspace.texts]
        assert list(dict.fromkeys(texts)) == snapshot(name="problems")


@pytest.fixture
def sized(catalog: Workspace) -> Callable[[str], dict[str, Any]]:
    """The instance type that a class file with one size `s` makes."""

    def make(text: str) -> dict[str, Any]:
        return catalog.entry("m.s", {"instancetypes/m.yaml": text})

    return make
