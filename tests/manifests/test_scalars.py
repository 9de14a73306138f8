"""What bare scalars of YAML mean to Go."""

from __future__ import annotations

import math

import pytest

from virtcatalog.manifests.scalars import number, resolve


@pytest.mark.parametrize("word", ["y", "yes", "true", "on", "n", "no", "false", "off"])
def test_words_are_booleans_in_three_ways_of_writing(word: str) -> None:
    is_true = word in ("y", "yes", "true", "on")
    assert [resolve(form) for form in (word, word.capitalize(), word.upper())] == [is_true] * 3
    assert resolve(word.swapcase() + "x") == word.swapcase() + "x"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, None) for text in ("", "~", "null", "Null", "NULL")),
        *((text, math.inf) for text in (".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF")),
        *((text, -math.inf) for text in ("-.inf", "-.Inf", "-.INF")),
        *(("0", 0), ("-0", 0), ("+1", 1), ("-1", -1), ("1_000", 1000), ("1_", 1), ("-1__0", -10)),
        *(
            ("0b11", 3),
            ("-0B11", -3),
            ("0x1f", 31),
            ("-0X1F", -31),
            ("0o17", 15),
            ("0O17", 15),
            ("017", 15),
            ("-07", -7),
        ),
        *(("08", 8), ("-09", -9), ("08.5", 8.5)),
        *((str(value), value) for value in (2**64 - 1, -(2**63), 2**63)),
        (f"+{2**63 - 1}", 2**63 - 1),
        (f"0x{'f' * 16}", 2**64 - 1),
        (f"0b{'1' * 64}", 2**64 - 1),
        (f"-0b1{'0' * 63}", -(2**63)),
        (f"0{'0' * 60}17", 15),
        *(
            ("1e3", 1000),
            ("1E-1", 0.1),
            ("+1.5e+2", 150),
            ("1.", 1),
            (".5", 0.5),
            ("-.5", -0.5),
            ("1_0.5", 10.5),
            (".4_8e1_0", 4800000000),
            (".4_8", 0.48),
        ),
        *(("1e20", 10**20), ("-0.0", 0), ("2.0", 2), (".0", 0)),
        (str(2**64), 18446744073709552000),
        ("317810375266185334.8", 317810375266185340),
        ("9007199254740993.0", 9007199254740992),
    ],
)
def test_numbers_are_whole_if_they_can(text: str, value: float | None) -> None:
    assert (resolve(text), type(resolve(text))) == (value, type(value))


@pytest.mark.parametrize(("text", "value"), [("1e21", 1e21), ("-1e21", -1e21), (str(10**21), 1e21)])
def test_large_numbers_are_floats(text: str, value: float) -> None:
    assert (resolve(text), type(resolve(text))) == (value, float)


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_what_is_no_number_is_a_float(text: str) -> None:
    assert math.isnan(resolve(text))


@pytest.mark.parametrize(
    "text",
    [
        *("a", "tRue", "nULL", "yEs", ".iNF", "-.nan", "=", "<<", "4Gi", "_1", "1a"),
        *(
            "+",
            "-",
            ".",
            "..5",
            "1.2.3",
            "._4",
            ".4_",
            ".4__8",
            "1e",
            "1e+",
            "e1",
            "--1",
            "0x",
            "0b",
            "0b2",
            "0o8",
            "0xg",
            "1e400",
            "-1e400",
        ),
        *("12:30", "2027-06-01", "2027-6-1", "2027-06-01T10:00:00Z", "2027-06-01 10:00", "2027-06-01t1"),
        *("\u0661", f"0x1{'0' * 16}", f"-0x8{'0' * 14}1", f"+0x8{'0' * 15}", f"0b{'1' * 65}"),
    ],
)
def test_anything_else_is_text(text: str) -> None:
    assert resolve(text) == text


def test_a_number_may_be_read_by_itself() -> None:
    assert [number(digits, "x") for digits in ("1.5", "2.0", "1e3", "-1e-3", "1e400", "0x1", "a")] == [
        *(1.5, 2, 1000, -0.001, "x", "x", "x"),
    ]
