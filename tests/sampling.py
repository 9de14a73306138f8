"""How much of what takes long is tested: a sample by `make test`, all of it by `make test TESTS=all`, as CI does.

Cases with snapshots are marked `thorough`, not left out: a snapshot that no test asks for is a fault.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

T = TypeVar("T")

ALL = os.environ.get("TESTS") == "all"

#: A test whose subject has quicker ones, too.
thorough = pytest.mark.skipif(not ALL, reason="make test TESTS=all")


def sample(items: Sequence[T], every: int) -> Sequence[T]:
    """Return the items whose index is a multiple of `every`, or all of them."""
    return items if ALL else items[::every]


def examples(number: int) -> int:
    """Return how many examples Hypothesis draws for a test: a third of them, or all."""
    return number if ALL else number // 3
