"""Values as sources write them."""

from __future__ import annotations

import pytest

from virtcatalog.bring.vmware.machine import mac_of, number_of, truth_of, uuid_of


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("00:50:56:9a:00:01", "00:50:56:9a:00:01"),
        (" 00-50-56-9A-00-0F ", "00:50:56:9a:00:0f"),
        ("0050.569a.0001", "00:50:56:9a:00:01"),
        ("0050569a0001", "00:50:56:9a:00:01"),
        ("0050569a000", ""),
        ("0050569a00011", ""),
        ("0050569a000g", ""),
        ("00 50 56 9a 00 01", ""),
        ("", ""),
    ],
)
def test_an_address_of_a_network_card(text, address):
    assert mac_of(text) == address


@pytest.mark.parametrize(
    ("text", "uuid"),
    [
        ("421e3f5b-8a00-4b1c-9d2e-0123456789ab", "421e3f5b-8a00-4b1c-9d2e-0123456789ab"),
        (" 421E3F5B-8A00-4B1C-9D2E-0123456789AB\n", "421e3f5b-8a00-4b1c-9d2e-0123456789ab"),
        ("{421e3f5b-8a00-4b1c-9d2e-0123456789ab}", ""),
        ("421e3f5b8a004b1c9d2e0123456789ab", ""),
        ("421e3f5b-8a00-4b1c-9d2e-0123456789a", ""),
        ("421e3f5b-8a00-4b1c-9d2e-0123456789abc", ""),
        ("", ""),
    ],
)
def test_a_uuid(text, uuid):
    assert uuid_of(text) == uuid


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        *((text, True) for text in ("True", "true", " TRUE ", "1", "yes", "Yes")),
        *((text, False) for text in ("False", "false", "0", "no", "NO ")),
        *((text, None) for text in ("", "2", "on", "y", "none")),
    ],
)
def test_a_truth(text, truth):
    assert truth_of(text) is truth


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        (" 16384 ", 16384),
        ("16,384", 16384),
        ("16.384", 16384),
        ("16'384", 16384),
        ("16\u2019384", 16384),
        ("16 384", 16384),
        ("16\u00a0384", 16384),
        ("16\u202f384", 16384),
        ("1,02,400", 102400),
        ("1,024,000", 1024000),
        ("1.024.000", 1024000),
        ("16384.0", 16384),
        ("16384.", 16384),
        ("16384.00", 16384),
        ("007", 7),
        ("9" * 15, 10**15 - 1),
        ("9" * 16, None),
        ("16384.5", None),
        ("16384.05", None),
        ("1024,5", None),
        ("1,024.000", None),
        ("1024,000", None),
        ("1,02", None),
        ("1,0240", None),
        ("-1", None),
        ("+1", None),
        ("1e3", None),
        ("\u0661", None),
        ("", None),
        (".0", None),
    ],
)
def test_a_whole_number(text, number):
    assert number_of(text) == number
