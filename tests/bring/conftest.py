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
    said: list[str] = []
    for module in (importing, vmwares):
        monkeypatch.setattr(module, "said", said)
    importing.bring(importing.domain())
    usual = {*said}
    said.clear()
    yield
    if new := [text for text in dict.fromkeys(said) if text not in usual]:
        assert new == snapshot
