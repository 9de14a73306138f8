"""How much is tested: a sample by `make test`; all of it by `make test TESTS=all`, as CI does, and by pytest itself.

A sample has the first case of each test and about an eighth of its others, no test that is marked `thorough`, and
fewer examples, seeds and rounds where a test draws them itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar
from zlib import crc32

import pytest

T = TypeVar("T")

ALL = os.environ.get("TESTS") != "sample"

#: A test that takes seconds, and whose subject has quicker ones, too.
thorough = pytest.mark.skipif(not ALL, reason="make test TESTS=all")


def drawn(cases: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield those of a test's cases that are in the sample.

    A case is drawn by its name and its module: the tests of a module that share their cases draw the same ones, and a
    new case changes nothing for the others.
    """
    for index, item in enumerate(cases):
        case = item.nodeid.partition("[")[2]
        if index == 0 or crc32(f"{item.path.name} {case}".encode()) % 8 == 0:
            yield item


def sample(items: Sequence[T], every: int) -> Sequence[T]:
    """Return the items whose index is a multiple of `every`, or all of them."""
    return items if ALL else items[::every]


def examples(number: int) -> int:
    """Return how many examples Hypothesis draws for a test: a sixth of them, or all."""
    return number if ALL else number // 6
