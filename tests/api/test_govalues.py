"""Values as Go reads and writes them, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pytest

from virtcatalog.api.govalues import (
    GoError,
    as_json,
    as_quantity,
    as_time,
    characters,
    cut,
    float_of,
    in_range,
    json_text,
    refuse_not_finite,
    yaml_key,
    yaml_text,
)
from virtcatalog.api.shape import Leaf


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
        ("2026-01-31T12:00:00.999+02:00", "2026-01-31T10:00:00Z"),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:01Z", "0001-01-01T00:00:01Z"),
        ("2024-01-01T00:00:00+24:00", "2023-12-31T00:00:00Z"),
        ("2024-01-01T00:00:00-23:60", "2024-01-02T00:00:00Z"),
        ("0987-01-01T00:00:00-00:30", "0987-01-01T00:30:00Z"),
        ("2026-01-31T12:00:00,5Z", "2026-01-31T12:00:00Z"),
        ("2024-02-29T23:59:59-23:59", "2024-03-01T23:58:59Z"),
    ],
)
def test_times_are_written_in_utc_and_whole_seconds(text: str, written: str | None) -> None:
    assert as_time(text, ()) == written


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((True, "true"), (False, "false"), (7, "7"), (0.5, "0.5"), (1e5, "100000"), (1e39, "+Inf"), (-1e39, "-Inf")),
        *((999999.0, "999999"), (1e6, "1e+06"), (1e-4, "0.0001"), (1e-5, "1e-05"), (0.1, "0.1"), (float("nan"), "NaN")),
    ],
)
def test_bare_numbers_become_text(value: float, text: str) -> None:
    assert yaml_text(value) == text


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        *(
            (as_time, value, f"must be a time such as 2026-01-31T12:00:00Z, not the string '{value}'")
            for value in (
                *("soon", "2026-02-30T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31 12:00:00Z", "2026-01-31T12:00Z"),
                *("2026-01-31T12:00:00", "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00+0200", "26-01-31T12:00:00Z"),
            )
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


PLAIN, PORT = Leaf((int,)), Leaf((int, str))
COUNT, SIGNED = Leaf((int,), least=0, most=2**32 - 1), Leaf((int,), least=-(2**31), most=2**31 - 1)


@pytest.mark.parametrize(
    ("value", "leaf"),
    [
        *((value, PLAIN) for value in (0, -(2**63), 2**63 - 1, 1e18)),
        *((value, PORT) for value in (-(2**31), 2**31 - 1, 80.0)),
        *((value, COUNT) for value in (0, 2**32 - 1, 7.0)),
    ],
)
def test_integers_of_json_are_whole_and_in_range(value: float, leaf: Leaf) -> None:
    read = in_range(value, leaf, ())
    assert (read, type(read)) == (value, int)


@pytest.mark.parametrize(
    ("value", "leaf", "message"),
    [
        (1.5, PLAIN, "must be an integer, not the number 1.5"),
        (1e21, PLAIN, "must be an integer, not the number 1e+21"),
        (-1e21, PLAIN, "must be an integer, not the number -1e+21"),
        (float("inf"), PLAIN, "must be an integer, not the number inf"),
        (float("nan"), PLAIN, "must be an integer, not the number nan"),
        *(
            (value, leaf, f"the number {value} is out of range: it must be from {least} to {most}")
            for leaf, least, most in (
                (PLAIN, -(2**63), 2**63 - 1),
                (PORT, -(2**31), 2**31 - 1),
                (COUNT, 0, 2**32 - 1),
            )
            for value in (least - 1, most + 1)
        ),
    ],
)
def test_other_integers_of_json_are_refused(value: float, leaf: Leaf, message: str) -> None:
    with pytest.raises(GoError) as caught:
        in_range(value, leaf, ("a",))
    assert (caught.value.path, caught.value.message) == (("a",), message)


@pytest.mark.parametrize(
    ("value", "leaf", "read"),
    [
        *((value, PLAIN, value) for value in (0, 7.0, -(2.0**63), 2**63 - 1)),
        *((value, PLAIN, -(2**63)) for value in (2**63, 2.0**63, -(2**63) - 1, 1e30, -1e30)),
        *((value, COUNT, value) for value in (0, 2**32 - 1)),
        *((2**32, COUNT, 0), (2.0**32 + 5, COUNT, 5), (-1, COUNT, 2**32 - 1), (1e30, COUNT, 0)),
        *((2**31 - 1, SIGNED, 2**31 - 1), (2**31, SIGNED, -(2**31)), (-(2**31) - 1, SIGNED, 2**31 - 1)),
        *((-3, Leaf((int,), least=0), -3), (12, Leaf((int,), most=9), 12)),
    ],
)
def test_the_converter_cuts_integers_to_their_bits(value: float, leaf: Leaf, read: int) -> None:
    number = cut(value, leaf, ())
    assert (number, type(number)) == (read, int)


@pytest.mark.parametrize(("value", "shown"), [(1.5, "1.5"), (float("inf"), "inf")])
def test_the_converter_takes_whole_numbers_only(value: float, shown: str) -> None:
    with pytest.raises(GoError) as caught:
        cut(value, PLAIN, ("a",))
    assert (caught.value.path, caught.value.message) == (("a",), f"must be an integer, not the number {shown}")


def test_data_is_nested_two_hundred_levels_deep() -> None:
    data: Any = 1
    for _ in range(200):
        data = {"a": data}
    assert as_json(data) == data
    with pytest.raises(GoError) as caught:
        as_json({"b": [data]})
    assert (caught.value.path, caught.value.message) == (("b",), "is nested more than 200 levels deep")


def test_dates_and_halves_of_characters_become_texts() -> None:
    data = {"a": date(2026, 1, 31), "b": [datetime(2026, 1, 31, 12)], "c\ud800": 1.5}
    assert as_json(data) == {"a": "2026-01-31", "b": [datetime(2026, 1, 31, 12)], "c\ufffd": 1.5}
    assert [characters(text) for text in ("a", "\xe4", "\U0001f600", "\ud83d\ude00", "a\udc00b")] == [
        *("a", "\xe4", "\U0001f600", "\U0001f600", "a\ufffdb"),
    ]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        *((float("inf"), ".inf"), (float("-inf"), "-.inf"), (float("nan"), ".nan"), (1e39, ".inf")),
        *((1, "1"), (1.5, "1.5"), (True, "true"), (False, "false")),
    ],
)
def test_keys_that_are_no_text_become_it(key: float, text: str) -> None:
    assert yaml_key(key) == text
    assert as_json([{key: [1]}]) == [{text: [1]}]


@pytest.mark.parametrize(("key", "shown"), [(None, "null"), ((1,), "a tuple")])
def test_other_keys_are_refused(key: Any, shown: str) -> None:
    with pytest.raises(GoError) as caught:
        as_json({"a": [{key: 1}]})
    assert (caught.value.path, str(caught.value)) == (("a", 0), f"a[0]: a key must be a string, not {shown}")
    assert str(GoError((), "is empty")) == "is empty"


@pytest.mark.parametrize("value", [1, "inf", True, None, {"a": [1.5, "x"]}, [{"a": None}], {"inf": [False]}], ids=str)
def test_what_json_can_hold_is_left_alone(value: Any) -> None:
    refuse_not_finite(value, ())


@pytest.mark.parametrize(
    ("value", "path", "shown"),
    [
        (float("-inf"), (), "-Inf"),
        ([0, float("nan")], (1,), "NaN"),
        ({"a": {"b": float("inf")}}, ("a", "b"), "+Inf"),
    ],
)
def test_what_json_cannot_hold_is_told(value: Any, path: tuple[str | int, ...], shown: str) -> None:
    with pytest.raises(GoError) as caught:
        refuse_not_finite(value, ())
    message = f"{shown} is not a number that JSON can hold; quote it if it is text"
    assert (caught.value.path, caught.value.message) == (path, message)


@pytest.mark.parametrize(("value", "text"), [("1024Mi", "1Gi"), (2, "2"), (0.5, "500m"), (1024.0, "1024")])
def test_quantities_are_written_back(value: Any, text: str) -> None:
    assert as_quantity(value, ()) == text


@pytest.mark.parametrize(("value", "shown"), [(None, "null"), ([], "a list"), (False, "the boolean false")])
def test_what_is_no_quantity_at_all_is_told(value: Any, shown: str) -> None:
    with pytest.raises(GoError) as caught:
        as_quantity(value, ("a",))
    assert str(caught.value) == f"a: must be a quantity such as 2, 500m or 1Gi, not {shown}"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("1", 1.0), ("1.5e1", 15.0), (".5", 0.5), ("+2.", 2.0), ("Inf", float("inf"))],
        *[("1_0.5", 10.5), ("0x1.8p1", 3.0), ("0X_Ap-1", 5.0)],
        *[(text, None) for text in ("x", "", "_1", "1_", "1__0", " 1", "1e999", "0x1", "0x1p9999", "\u0131nf")],
    ],
)
def test_floats_are_read_as_go_reads_them(text: str, number: float | None) -> None:
    assert float_of(text) == number


def test_json_is_sorted_and_safe_in_html() -> None:
    assert json_text({"b": "<é>&\u2028\u2029", "a": [1, None]}) == (
        r'{"a":[1,null],"b":"\u003cé\u003e\u0026\u2028\u2029"}'
    )
