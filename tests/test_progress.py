"""Whoever asks is told how far work is, and nobody else."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from virtcatalog.progress import reporting_to, tracked


def test_work_that_nobody_asks_about_is_as_it_was() -> None:
    items = [1, 2]
    assert tracked(items, 2, "VMs") is items


def test_who_asked_last_is_told() -> None:
    reported: list[tuple[str, Any, int | None, str]] = []

    def reporter(name: str) -> Any:
        def report(items: Iterable[Any], number: int | None, noun: str) -> Iterable[Any]:
            for item in items:
                yield item
                reported.append((name, item, number, noun))

        return report

    with reporting_to(reporter("first")):
        with suppress(KeyboardInterrupt), reporting_to(reporter("second")):
            list(tracked("a", 1, "VMs"))
            raise KeyboardInterrupt
        list(tracked("b", None, "files"))
    list(tracked("c", 1, "VMs"))
    assert reported == [("second", "a", 1, "VMs"), ("first", "b", None, "files")]
