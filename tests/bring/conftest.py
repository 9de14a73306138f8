"""What imports say, in words."""

from __future__ import annotations

from collections.abc import Iterator

import importing
import pytest
import vmwares
from syrupy.assertion import SnapshotAssertion


@pytest.fixture
def in_words(monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion) -> Iterator[None]:
    """All that is said of what a test brings, but for the parts of the smallest domain, as a user reads it."""
    sentences: list[str] = []
    for module in (importing, vmwares):
        monkeypatch.setattr(module, "sentences", sentences)
    importing.bring(importing.domain())
    usual = {*sentences}
    sentences.clear()
    yield
    if new := [text for text in dict.fromkeys(sentences) if text not in usual]:
        assert new == snapshot
