"""How much is tested: a sample by `make test`; all of it by `make test TESTS=all`, as CI does, and by pytest itself.

A sample has the first case of each test, none of those that are marked `thorough`, and fewer examples, seeds and rounds
where a test draws them itself.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

T = TypeVar("T")

ALL = os.environ.get("TESTS") != "sample"

#: A test that takes seconds, and whose subject has quicker ones, too.
thorough = pytest.mark.skipif(not ALL, reason="make test TESTS=all")


def sample(items: Sequence[T], every: int) -> Sequence[T]:
    """Return the items whose index is a multiple of `every`, or all of them."""
    return items if ALL else items[::every]


def examples(number: int) -> int:
    """Return how many examples Hypothesis draws for a test: a sixth of them, or all."""
    return number if ALL else number // 6
