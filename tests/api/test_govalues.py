"""Values as Go reads and writes them, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from virtcatalog.api.govalues import GoError, as_quantity, as_time, refuse_not_finite, yaml_text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
        ("2026-01-31T12:00:00.999+02:00", "2026-01-31T10:00:00Z"),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:01Z", "0001-01-01T00:00:01Z"),
    ],
)
def test_times_are_written_in_utc_and_whole_seconds(text: str, written: str | None) -> None:
    assert as_time(text, ()) == written


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (False, "false"), (7, "7"), (0.5, "0.5"), (1e5, "100000"), (1e39, "+Inf"), (-1e39, "-Inf")],
)
def test_bare_numbers_become_text(value: float, text: str) -> None:
    assert yaml_text(value) == text


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        *(
            (as_time, value, f"must be a time such as 2026-01-31T12:00:00Z, not the string '{value}'")
            for value in ("soon", "2026-02-30T12:00:00Z")
        ),
        (as_time, 5, "must be a time such as 2026-01-31T12:00:00Z, not the number 5"),
        (as_quantity, True, "must be a quantity such as 2, 500m or 1Gi, not the boolean true"),
        (as_quantity, "x", "'x' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9"),
        (refuse_not_finite, float("inf"), "+Inf is not a number that JSON can hold; quote it if it is text"),
    ],
)
def test_what_go_refuses_is_told(read: Callable[[Any, Any], object], value: Any, message: str) -> None:
    with pytest.raises(GoError) as caught:
        read(value, ("a",))
    assert (caught.value.path, caught.value.message) == (("a",), message)


def test_numbers_that_json_cannot_hold_have_their_path() -> None:
    with pytest.raises(GoError) as caught:
        refuse_not_finite({"a": [1.5, {"b": float("nan")}]}, ("x",))
    assert caught.value.path == ("x", "a", 1, "b")
