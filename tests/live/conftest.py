from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

import fleet


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository, `git`, with its cluster's dump, `lab.json`, beside it."""
    root = tmp_path_factory.mktemp("fleet")
    fleet.write_git(root / "git")
    fleet.write_dump(root / "lab.json")
    return root


@pytest.fixture
def in_words(monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion) -> Iterator[None]:
    """All that is said of the VMs at which a test looks, beside their fields, as a user reads it."""
    sentences: list[str] = []
    monkeypatch.setattr(fleet, "sentences", sentences)
    yield
    if sentences:
        assert sorted({*sentences}) == snapshot(name="words")
