"""Amounts as people read them."""

import pytest

from virtcatalog.units import count, mebibytes, memory

MIB, GIB = 2**20, 2**30


@pytest.mark.parametrize(
    ("amount", "text"), [(4531 * MIB, "4,531 MiB"), (MIB // 8, "0.125 MiB"), (0, "0 MiB"), (-25 * MIB, "-25 MiB")]
)
def test_mebibytes_are_grouped_and_have_their_fraction(amount, text):
    assert mebibytes(amount) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (8 * GIB, "8 GiB"),
        (GIB * 4.43, "4.4 GiB"),
        (268 * MIB, "268 MiB"),
        (GIB - 2**17, "1,023.9 MiB"),
        (GIB, "1 GiB"),
        (2500 * GIB, "2,500 GiB"),
        (-2 * GIB, "-2 GiB"),
    ],
)
def test_memory_is_in_gibibytes_from_the_first_on(amount, text):
    assert memory(amount) == text


@pytest.mark.parametrize(("amount", "text"), [(1200, "1,200"), (0.1, "0.1"), (7 / 3, "2.333"), (0, "0")])
def test_counts_are_grouped_and_rounded_to_thousandths(amount, text):
    assert count(amount) == text
