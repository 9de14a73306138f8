"""Amounts of memory in expressions: exact arithmetic, and what is said of what has no value."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest

from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.amounts import Amount, ExpressionError, as_text
from virtcatalog.catalog.expressions import plain
from virtcatalog.catalog.work import Work


def amount(text: str) -> Amount:
    return Amount(Quantity.parse(text))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (amount("4Gi") + amount("1Gi"), "5Gi"),
        (amount("4Gi") + "512Mi", "4608Mi"),
        ("512Mi" + amount("4Gi"), "4608Mi"),
        (amount("4Gi") - "1Gi", "3Gi"),
        (amount("4Gi") * 3, "12Gi"),
        (1.5 * amount("4Gi"), "6Gi"),
        (amount("4Gi") / 8, "512Mi"),
        (amount("4Gi") / amount("1536Mi"), str(8 / 3)),
        (amount("4Gi") // 3, "1431655765"),
        (amount("4Gi") // amount("1536Mi"), "2"),
        (amount("1Gi") * (2**33 - 1), f"{2**33 - 1}Gi"),
    ],
)
def test_arithmetic_is_exact(value: object, text: str) -> None:
    assert str(value) == repr(value) == text


@pytest.mark.parametrize(
    ("compare", "results"),
    [
        (operator.eq, (False, True, False)),
        (operator.ne, (True, False, True)),
        (operator.lt, (True, False, False)),
        (operator.le, (True, True, False)),
        (operator.gt, (False, False, True)),
        (operator.ge, (False, True, True)),
    ],
)
def test_amounts_are_compared_with_amounts_and_texts(
    compare: Callable[[Any, Any], bool], results: tuple[bool, ...]
) -> None:
    for other in ("1Gi", amount("1Gi")):
        assert tuple(compare(amount(text), other) for text in ("512Mi", "1024Mi", "2Gi")) == results
    assert amount("1Gi") != 2**30
    assert len({amount("1Gi"), amount("1024Mi"), amount("2Gi")}) == 2


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda: amount("1Gi") * "2", "an amount of memory can be multiplied by a number, not by '2'"),
        (lambda: amount("1Gi") * True, "an amount of memory can be multiplied by a number, not by True"),
        (lambda: amount("1Gi") * 2.0**-40, "1Gi x 1/1099511627776 is not a whole number of bytes"),
        (lambda: amount("1Gi") * 2**33, "an amount of memory in the expression is too large"),
        (lambda: amount("-1Gi") * 2**33, "an amount of memory in the expression is too large"),
        (lambda: amount("4Ei") + "4Ei", "an amount of memory in the expression is too large"),
        (lambda: amount("1Gi") * 2**99, "an amount of memory in the expression is too large"),
        (lambda: amount("1Gi") / 3, "1Gi x 1/3 is not a whole number of bytes"),
        *(
            (
                lambda divide=divide, other=other: divide(amount("1Gi"), other),
                f"memory can be divided by a whole number or an amount of memory, not by {other!r}",
            )
            for divide in (operator.truediv, operator.floordiv)
            for other in (0, 0.5, True, "2")
        ),
        (lambda: amount("1Gi") / amount("0"), "division by no memory at all"),
        (lambda: amount("1Gi") // amount("0"), "division by no memory at all"),
        (lambda: amount("1Gi") + 1, "1 is not an amount of memory such as '512Mi'"),
        (lambda: amount("1Gi") < None, "None is not an amount of memory such as '512Mi'"),
        (
            lambda: amount("1Gi") - "1GB",
            "'1GB' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9; did you mean 1Gi?",
        ),
    ],
)
def test_what_has_no_value_is_told(compute: Callable[[], object], message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        compute()
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("value", "text"), [("a", "a"), (1, "1"), (0.5, "0.5"), (True, "True"), (None, ""), (amount("1Gi"), "1Gi")]
)
def test_values_become_text(value: object, text: str) -> None:
    assert as_text(value) == text


@pytest.mark.parametrize(
    ("function", "value", "message"),
    [
        *(
            (as_text, value, "a list or map is no text: use the filter join or tojson")
            for value in ([], (), {}, range(2))
        ),
        (as_text, b"", "the expression gives no plain value, but a bytes"),
        (as_text, "ä\ud800", "the expression gives \\ud800, which is half a character and no text"),
        (plain, {"a": ["\udfff"]}, "the expression gives \\udfff, which is half a character and no text"),
        (plain, {1: 2}, "the expression gives a map with the key 1, and keys are texts"),
        (plain, {1: 2, "x": 1}, "the expression gives a map with the key 1, and keys are texts"),
        (plain, [float("inf")], "the expression gives inf, which is no number that a manifest can have"),
        (plain, (object(),), "the expression gives no plain value, but a object"),
    ],
)
def test_what_no_manifest_can_hold_is_told(function: Callable[[Any], Any], value: Any, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        function(value)
    assert caught.value.message == message


def test_plain_data_has_amounts_as_texts_and_tuples_as_lists() -> None:
    assert plain({"a": (amount("1Gi"), 1, 0.5, None, True)}) == {"a": ["1Gi", 1, 0.5, None, True]}


def test_work_is_never_given_back() -> None:
    work = Work()
    left = work.left
    work.spend(0)
    for units in (-1, float("nan")):
        with pytest.raises(ValueError, match=rf"^{units} units of work cannot be charged$"):
            work.spend(units)  # type: ignore[arg-type]
    assert work.left == left
