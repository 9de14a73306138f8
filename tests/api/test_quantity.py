"""Quantities are Kubernetes' to the letter."""

from __future__ import annotations

import copy
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from virtcatalog.api.quantity import Quantity

CANONICAL = {
    "1500Mi": "1500Mi",
    "0.5Gi": "512Mi",
    "1.5Gi": "1536Mi",
    "1024Mi": "1Gi",
    "1000Ki": "1000Ki",
    "8Ki": "8Ki",
    "0.5Ki": "512",
    "1000": "1k",
    "1024": "1024",
    "1500": "1500",
    "1.5": "1500m",
    "0.1n": "1n",
    "0.0001Ki": "102400u",
    "1e9": "1e9",
    "1E9": "1E9",
    "100e1": "1e3",
    "12e6": "12e6",
    "1e-3": "1e-3",
    "0": "0",
    "0Gi": "0",
    "-0.5": "-500m",
    "-1.5Gi": "-1536Mi",
}
KEPT = ["+5", "5.", "1.500", "0100", "1.Ki", "+3Ki", "1e0"]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL.items())
def test_a_quantity_is_written_in_its_canonical_form(text: str, canonical: str) -> None:
    assert str(Quantity.parse(text)) == canonical


def go_says(name: str) -> list[list[str]]:
    """What Kubernetes' own code makes of quantities, a list a line: `go run .` in their folder writes them."""
    text = (Path(__file__).parent / "quantities" / name).read_text()
    return [line.split("\t") for line in text.splitlines()[1:]]


def both(quantity: Quantity) -> str:
    return f"{quantity}={quantity.value}"


def test_alone_they_are_what_go_makes_of_them() -> None:
    for row in go_says("alone.tsv"):
        quantity = Quantity.parse(row[0])
        int64 = "" if quantity.int64 is None else quantity.int64
        multiples = map(quantity.__mul__, (0, 1, -1, 2, 3, 1000, 1 << 40))
        products = " ".join(f"{both(product)}={product.milli_value}" for product in multiples)
        amounts = quantity.value, quantity.milli_value, quantity.kilo_value, int64
        is_itself = str(quantity.is_written_as(Quantity.parse(row[0]))).lower()
        ours = [row[0], quantity, quantity.notation, *amounts, is_itself, both(-quantity), products]
        assert list(map(str, ours)) == row


def test_added_and_compared_they_are_what_go_makes_of_them() -> None:
    for row in go_says("sums.tsv"):
        left, right = map(Quantity.parse, row[:2])
        results = left + right, left - right
        order = (left >= right) - (left <= right)
        is_back = str((left + right - right).is_written_as(left)).lower()
        ours = [*row[:2], *(f"{both(result)} {result.notation}" for result in results), str(order), is_back]
        assert ours == row
        assert (left > right) - (left < right) == order


@pytest.mark.parametrize("text", KEPT)
def test_what_looks_canonical_to_go_stays_as_written_until_it_changes(text: str) -> None:
    quantity = Quantity.parse(text)
    assert str(quantity) == text
    assert str(quantity + Quantity()) == str(quantity * 1)
    assert "+" not in str(quantity + Quantity())


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1ki",
        "1KI",
        "1K",
        "1e",
        "1.e",
        "1 Gi",
        "abc",
        "1e1.5",
        "1m5",
        "--1",
        "1,5",
        "0x10",
        "1Ki\n",
        "٣",
        "1_0",
    ],
)
def test_other_texts_are_no_quantities(text: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        Quantity.parse(text)


@pytest.mark.parametrize("text", ["+", ".", "-", "Ki", "m", "e5", "-."])
def test_no_digits_are_zero(text: str) -> None:
    assert Quantity.parse(text).value == 0


@pytest.mark.parametrize("text", ["1e257", "1e-999999999999", "9" * 300])
def test_amounts_without_end_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="out of the range"):
        Quantity.parse(text)


@pytest.mark.parametrize(
    "text", ["1" * 40_000, "1" * 40_000 + "x", 10**40_000], ids=["digits", "no quantity", "number"]
)
def test_very_long_texts_are_refused_and_not_repeated(text: str | int) -> None:
    with pytest.raises(ValueError, match="out of the range of quantities") as caught:
        Quantity.parse(text)
    assert len(str(caught.value)) < 150


def test_what_is_no_quantity_is_found_without_trying_every_way_to_read_it() -> None:
    """Which would not end for so many digits."""
    with pytest.raises(ValueError, match="is not a quantity"):
        Quantity.parse("1" * 240 + "x")


def test_spaces_around_do_not_count() -> None:
    assert str(Quantity.parse(" 1Gi ")) == "1Gi"


@pytest.mark.parametrize(("number", "text"), [(2, "2"), (1.5, "1500m"), (2.0, "2"), (1e16, "10P"), (0, "0")])
def test_a_number_is_a_quantity_too(number: float, text: str) -> None:
    assert str(Quantity.parse(number)) == text


@pytest.mark.parametrize(("number", "text"), [(2.0**63, "9223372036854776k"), (2.0**53, "9007199254740992")])
def test_large_floats_have_the_digits_of_gos_json(number: float, text: str) -> None:
    assert str(Quantity.parse(number)) == text


@pytest.mark.parametrize("value", [True, None, [], {}, float("nan"), float("inf")])
def test_other_things_are_not_quantities(value: object) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        Quantity.parse(value)


@pytest.mark.parametrize(
    ("text", "value", "milli"),
    [
        ("1Gi", 2**30, 1000 * 2**30),
        ("1.5", 2, 1500),
        ("-1.5", -2, -1500),
        ("1n", 1, 1),
        ("-1n", -1, -1),
        ("0.1", 1, 100),
        ("16Ei", 2**63 - 1, -1000),
        ("10E", 0, 0),
    ],
)
def test_whole_units_and_thousandths_round_away_from_zero_and_overflow_as_in_go(
    text: str, value: int, milli: int
) -> None:
    assert (Quantity.parse(text).value, Quantity.parse(text).milli_value) == (value, milli)


@pytest.mark.parametrize(
    ("text", "value", "milli", "kilo", "int64"),
    [
        ("718834393590046398", 718834393590046398, -588625284626115024, 718834393590047, 718834393590046398),
        ("72057594037927935k", -1729382256910271464, 4611686018426387904, 72057594037927935, None),
        ("10000000000000.500G", 1864712049923024128, 1590898478359414784, -8446744073709051616, None),
        ("9223372036854775807.5", -(2**63), -500, 9223372036854776, None),
        ("-1073741825Mi", -2883352336, -2883352337516, -2883351, None),
        ("1000000m", 1000, 1000000, 1, None),
        ("9.000", 9, 9000, 1, None),
        ("5k", 5000, 5000000, 5, 5000),
        ("100Ti", 100 * 2**40, 100 * 2**40 * 1000, -(-100 * 2**40 // 1000), None),
        ("99Ti", 99 * 2**40, 99 * 2**40 * 1000, -(-99 * 2**40 // 1000), 99 * 2**40),
    ],
)
def test_large_amounts_overflow_as_in_go_by_how_it_keeps_them(
    text: str, value: int, milli: int, kilo: int, int64: int | None
) -> None:
    """What goes into 64 bits with a power of ten is kept so, and other amounts as decimals."""
    quantity = Quantity.parse(text)
    assert (quantity.value, quantity.milli_value, quantity.kilo_value, quantity.int64) == (value, milli, kilo, int64)


@pytest.mark.parametrize(
    ("text", "int64"), [("1.5Gi", 1536 * 2**20), ("1000000m", 1000), ("1.5", None), ("100Ti", None)]
)
def test_what_is_stored_is_read_from_its_canonical_form(text: str, int64: int | None) -> None:
    assert Quantity.stored(text).int64 == int64
    assert str(Quantity.stored(text)) == str(Quantity.parse(text))


@pytest.mark.parametrize("text", ["Ei", "-Ei", "+e-12", ".Pi", "e-10"])
def test_amounts_that_need_a_decimal_need_a_digit(text: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        Quantity.parse(text)


def test_sums_that_leave_64_bits_go_on_as_decimals() -> None:
    most = Quantity.of(2**63 - 1)
    total = most + Quantity.of(1)
    assert (total.is_decimal, total.value) == (True, -(2**63))
    assert Quantity.total([most, Quantity.of(1), Quantity.of(-1)]).value == 2**63 - 1
    assert (most * 2).value == -2


@pytest.mark.parametrize(
    ("text", "factor", "product", "is_decimal"),
    [
        ("0.3", 1, "300m", True),
        ("0.5", 2, "1", False),
        ("0.5", 3, "1500m", True),
        ("1.25", 4, "5", False),
        ("1.25", 2, "2500m", True),
        ("5k", 2, "10k", False),
        ("9E", 1, "9E", False),
        ("9E", 2, "18E", True),
        ("-9E", 1, "-9E", False),
        ("7", 0, "0", False),
        ("500000000000000007", 10, "5000000000000000070", False),
        ("500000000000000007", 20, "10000000000000000140", True),
    ],
)
def test_a_product_is_a_decimal_where_it_has_places_or_leaves_64_bits(
    text: str, factor: int, product: str, is_decimal: bool
) -> None:
    multiple = Quantity.parse(text) * factor
    assert (str(multiple), multiple.is_decimal) == (product, is_decimal)


@pytest.mark.parametrize("power", range(1, 12))
def test_what_overflows_by_some_powers_of_ten_wraps_and_by_others_is_zero(power: int) -> None:
    wrapped = (999_999_999_999_999_999 * 10**power + 2**63) % 2**64 - 2**63
    assert Quantity.parse(f"{'9' * 18}e{power}").value == (wrapped if power in (1, 2, 3, 6, 9) else 0)


def test_zero_may_have_any_number_of_places() -> None:
    zero = Quantity.parse("0.00000000000")
    assert [str(amount) for amount in (zero, zero + Quantity.parse("1.5"), Quantity.parse("1n") + zero)] == [
        *("0", "1500m", "1n"),
    ]


def test_binary_amounts_are_capped() -> None:
    assert str(Quantity.parse("9Ei")) == str(2**63 - 1)
    assert str(Quantity.parse("9E")) == "9E"


@pytest.mark.parametrize(
    ("left", "right", "total"),
    [
        ("1Gi", "1G", "2073741824"),
        ("1G", "1Gi", "2073741824"),
        ("0", "1Gi", "1Gi"),
        ("1Gi", "1Gi", "2Gi"),
        ("1", "1Ki", "1025"),
    ],
)
def test_a_sum_keeps_the_left_notation_and_zero_takes_the_others(left: str, right: str, total: str) -> None:
    amount = Quantity.parse(left) + Quantity.parse(right)
    assert str(amount) == total
    assert amount.notation == (Quantity.parse(left) or Quantity.parse(right)).notation


def test_making_and_scaling() -> None:
    assert str(Quantity.of(3 * 2**30)) == "3Gi"
    assert str(Quantity.parse("512Mi") * 4) == "2Gi"
    assert str(Quantity.parse("2Gi") - Quantity.parse("512Mi")) == "1536Mi"


@pytest.mark.parametrize(("units", "text"), [(1023, "1023"), (1024, "1Ki"), (-1024, "-1Ki"), (1025, "1025"), (0, "0")])
def test_binary_suffixes_begin_at_1024(units: int, text: str) -> None:
    assert str(Quantity.of(units)) == text


def test_it_shows_itself_to_developers() -> None:
    assert repr(Quantity.parse("1024Mi")) == "Quantity('1Gi')"


def test_an_amount_is_no_number() -> None:
    assert Quantity.of(1) != 1


def test_ten_to_the_minus_ninth_is_the_unit() -> None:
    assert [str(Quantity(number)) for number in (1, 10**9, 1_500_000_000)] == ["1n", "1", "1500m"]


def test_copies_are_the_same_object() -> None:
    quantity = Quantity.parse("1Gi")
    assert copy.copy(quantity) is quantity
    assert copy.deepcopy([quantity])[0] is quantity


numbers = st.one_of(
    st.integers(0, 10**15).map(str),
    st.decimals(0, 10**9, places=6).map("{:f}".format),
    st.from_regex(r"\A[0-9]{1,6}\.[0-9]{0,9}\Z"),
)
suffixes = st.sampled_from(["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "e3", "E2", "e-2", "e+1"])
texts = st.builds("{}{}{}".format, st.sampled_from(["", "-", "+"]), numbers, suffixes)
quantities = texts.map(Quantity.parse)


def exact(text: str) -> Fraction:
    """What a quantity says, in units of 10^-9 rounded up as Kubernetes does."""
    body = text.lstrip("+-")
    digits = len(body) - len(body.lstrip("0123456789."))
    number, suffix = body[:digits], body[digits:]
    factors = {"": 1, "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "k": 10**3, "M": 10**6}
    factors |= {"G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
    factor = factors.get(suffix) or Fraction(10) ** int(suffix[1:])
    nano = Fraction(number.rstrip(".") or 0) * factor * 10**9
    nano = min(
        Fraction(-(-nano.numerator // nano.denominator)), Fraction((2**63 - 1) * 10**9) if "i" in suffix else nano + 1
    )
    return -nano if text.startswith("-") else nano


@given(texts, texts)
def test_order_is_that_of_the_amounts(left: str, right: str) -> None:
    a, b = Quantity.parse(left), Quantity.parse(right)
    assert (a < b, a == b, a > b, a <= b) == (
        exact(left) < exact(right),
        exact(left) == exact(right),
        exact(left) > exact(right),
        exact(left) <= exact(right),
    )


@given(quantities)
def test_text_means_the_same_amount(quantity: Quantity) -> None:
    # 1000E is written as 1: for what is beyond exa Go has no suffix.
    assume(quantity.notation == "DecimalExponent" or not quantity or quantity._nano % 10**30)
    again = Quantity.parse(str(quantity))
    assert again == quantity
    assert hash(again) == hash(quantity)


@given(quantities)
def test_canonical_form_is_final(quantity: Quantity) -> None:
    canonical = str(quantity + Quantity())
    assert str(Quantity.parse(canonical) + Quantity()) == canonical


@given(quantities, quantities)
def test_sums_are_exact(left: Quantity, right: Quantity) -> None:
    assert left + right == right + left
    assert left + right - right == left
    assert (left + right < left) == (right < Quantity())


@given(st.integers(0, 2**62), st.sampled_from(["DecimalSI", "BinarySI", "DecimalExponent"]))
def test_whole_units_come_back(units: int, notation: str) -> None:
    quantity = Quantity.of(units, notation)
    assert quantity.value == units
    assert Quantity.parse(str(quantity)).value == units


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1" * 257, f"'{'1' * 20}…' is out of the range of quantities: it has 257 characters, and 256 is the most"),
        ("1e257", "'1e257' is out of the range of quantities"),
        ("1e-257", "'1e-257' is out of the range of quantities"),
        ("", "'' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9"),
        ("1,5 gb", "'1,5 gb' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9; did you mean 1.5Gi?"),
        ("4GB", "'4GB' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9; did you mean 4Gi?"),
        ("4GB!", "'4GB!' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9"),
        ("2 tib", "'2 tib' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9; did you mean 2Ti?"),
    ],
)
def test_what_is_no_quantity_is_told(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its whole message is compared
        Quantity.parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["1" * 256, "1e256", "1e-256"])
def test_the_longest_quantity_and_the_largest_exponents_are_taken(text: str) -> None:
    assert Quantity.parse(text) > Quantity()


@pytest.mark.parametrize(
    ("text", "rounded"),
    [
        ("250u", "1m"),
        ("1.0001", "1001m"),
        ("1500m", "1500m"),
        ("1n", "1m"),
        ("0", "0"),
        ("1Gi", "1Gi"),
        ("1.500", "1.500"),
    ],
)
def test_in_thousandths_amounts_are_rounded_up(text: str, rounded: str) -> None:
    assert str(Quantity.parse(text).in_thousandths) == rounded
