"""Why a value does not fit, in whole sentences."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.api.quantity import Quantity
from virtcatalog.api.shape import Leaf, List, Map, Shape, struct_of
from virtcatalog.api.values import QUOTE, describe, leaf_fault, structure_fault, too_new, unknown_field
from virtcatalog.api.volumes import EmptyDiskSource

TEXT, NUMBER, BOTH, FLAG, SHARE = Leaf((str,)), Leaf((int,)), Leaf((int, str)), Leaf((bool,)), Leaf((float,))
QUANTITY, CHOICE = Leaf((Quantity,)), Leaf((str,), choices=("one", "two"))
NAMED = Leaf((str,), pattern="^v[0-9]$", examples=("v1", "v2"))
BARE = "quote it (YAML reads bare yes, no, on, off, true and false as booleans)"


@pytest.mark.parametrize(
    ("value", "leaf"),
    [
        ("x", TEXT),
        ("", TEXT),
        ("x", Leaf((str,), shortest=1)),
        (1, NUMBER),
        (0, Leaf((int,), least=0, most=9)),
        (9, Leaf((int,), least=0, most=9)),
        (3, Leaf((int,), least=3)),
        (1, BOTH),
        ("a", BOTH),
        (True, FLAG),
        (False, FLAG),
        (1.5, SHARE),
        (1, SHARE),
        ("1Gi", QUANTITY),
        (2, QUANTITY),
        (0.5, QUANTITY),
        ("one", CHOICE),
        ("two", CHOICE),
        ("v1", NAMED),
    ],
)
def test_what_fits_has_no_fault(value: Any, leaf: Leaf) -> None:
    assert leaf_fault(value, leaf, QUOTE) == ""


@pytest.mark.parametrize(
    ("value", "leaf", "message"),
    [
        ("", Leaf((str,), shortest=1), "must not be empty"),
        (1, TEXT, "must be a string, not the number 1: quote it"),
        (1.5, TEXT, "must be a string, not the number 1.5: quote it"),
        (True, TEXT, f"must be a string, not the boolean true: {BARE}"),
        (False, TEXT, f"must be a string, not the boolean false: {BARE}"),
        (None, TEXT, "must be a string, not null"),
        ({}, TEXT, "must be a string, not a map"),
        ([], TEXT, "must be a string, not a list"),
        ("1", NUMBER, "must be an integer, not the string '1': leave the quotes out"),
        (" +1 ", NUMBER, "must be an integer, not the string ' +1 ': leave the quotes out"),
        ("-1", NUMBER, "must be an integer, not the string '-1': leave the quotes out"),
        ("!1", NUMBER, "must be an integer, not the string '!1'"),
        ("1.0", NUMBER, "must be an integer, not the string '1.0'"),
        ("yes", NUMBER, "must be an integer, not the string 'yes'"),
        (True, NUMBER, "must be an integer, not the boolean true"),
        (1.0, NUMBER, "must be an integer, not the number 1.0"),
        (True, BOTH, f"must be an integer or a string, not the boolean true: {BARE}"),
        (1.5, BOTH, "must be an integer or a string, not the number 1.5: quote it"),
        (1, FLAG, "must be true or false, not the number 1"),
        *(
            (word, FLAG, f"must be true or false, not the string '{word}': leave the quotes out")
            for word in ("true", "False", "YES", "no", " on", "off ")
        ),
        ("1", FLAG, "must be true or false, not the string '1'"),
        ("much", SHARE, "must be a number, not the string 'much'"),
        (True, SHARE, "must be a number, not the boolean true"),
        (-1, Leaf((int,), least=0, most=9), "-1 is out of range: it must be from 0 to 9"),
        (10, Leaf((int,), least=0, most=9), "10 is out of range: it must be from 0 to 9"),
        (2, Leaf((int,), least=3), "2 is out of range: it must be at least 3"),
        (2**256 - 1, Leaf((int,), least=0, most=9), f"{2**256 - 1} is out of range: it must be from 0 to 9"),
        (2**256, Leaf((int,), least=0, most=9), "of 257 bits is out of range: it must be from 0 to 9"),
        ("x", QUANTITY, "'x' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9"),
        (True, QUANTITY, "must be a quantity such as 2, 500m or 1Gi, not the boolean true"),
        ([], QUANTITY, "must be a quantity such as 2, 500m or 1Gi, not a list"),
        ("tow", CHOICE, "'tow' is none of one, two; did you mean 'two'?"),
        ("x" * 61, CHOICE, f"'{'x' * 60}' is none of one, two"),
        (1, CHOICE, "must be one of one, two, not the number 1"),
        (None, CHOICE, "must be one of one, two, not null"),
        ("w1", NAMED, "must be a string such as v1, not 'w1'"),
        ("w" * 61, NAMED, f"must be a string such as v1, not '{'w' * 60}'"),
        (1, NAMED, "must be a string such as v1, not the number 1"),
    ],
)
def test_what_does_not_fit_is_told(value: Any, leaf: Leaf, message: str) -> None:
    assert leaf_fault(value, leaf, QUOTE) == message


def test_a_reader_may_say_in_another_way_how_text_is_written() -> None:
    assert leaf_fault(1, TEXT, 'write "1"') == 'must be a string, not the number 1: write "1"'
    assert leaf_fault(True, TEXT, 'write "1"') == 'must be a string, not the boolean true: write "1"'


LIST, MAP, STRUCT = List(TEXT), Map(TEXT), struct_of(EmptyDiskSource)


@pytest.mark.parametrize(
    ("value", "shape", "key", "message"),
    [
        ("a", LIST, "", "must be a list, not the string 'a': write [a]"),
        ("v1.2_3-a", LIST, "", "must be a list, not the string 'v1.2_3-a': write [v1.2_3-a]"),
        ("a" * 60, LIST, "", f"must be a list, not the string '{'a' * 60}': write [{'a' * 60}]"),
        ("a" * 61, LIST, "", f"must be a list, not the string '{'a' * 60}'"),
        ("a b", LIST, "", "must be a list, not the string 'a b'"),
        (1, LIST, "", "must be a list, not the number 1"),
        ({}, LIST, "a:{b", "must be a list, not a map"),
        (None, MAP, "", "must be a map, not null"),
        ([], MAP, "", "must be a map, not a list"),
        ([{"a": 1}], MAP, "", "must be a map, not a list: leave out the '-' before each key"),
        ([{"a": 1}, {}], STRUCT, "", "must be a map, not a list: leave out the '-' before each key"),
        ([{"a": 1}, 1], STRUCT, "", "must be a map, not a list"),
        (None, STRUCT, "small:{vcpus", "must be a map, not null; a space is missing behind 'small:'"),
        (None, STRUCT, "small:[vcpus", "must be a map, not null; a space is missing behind 'small:'"),
        (None, STRUCT, f"{'s' * 61}:{{a", f"must be a map, not null; a space is missing behind '{'s' * 60}:'"),
        (None, STRUCT, "small:vcpus", "must be a map, not null"),
        (None, STRUCT, "small{", "must be a map, not null"),
        (None, STRUCT, ":{a", "must be a map, not null"),
        (None, STRUCT, 0, "must be a map, not null"),
    ],
)
def test_what_is_no_map_or_list_is_told(value: Any, shape: Shape, key: object, message: str) -> None:
    assert structure_fault(value, shape, key) == message


@pytest.mark.parametrize(
    ("key", "around", "message"),
    [
        ("cpus", "", "unknown field 'cpus'; did you mean 'cpu'?"),
        ("xyzzy", "", "unknown field 'xyzzy'"),
        ("cores", "cpu", "unknown field 'cores'; it belongs in 'cpu'"),
        ("cpu:{cores", "", "unknown field 'cpu:{cores'; a space is missing behind 'cpu:'"),
        ("x" * 61, "", f"unknown field '{'x' * 60}'"),
        (f"{'m' * 60}y", "", f"unknown field '{'m' * 60}'; did you mean '{'m' * 60}'?"),
        (1, "", "unknown field '1'"),
    ],
)
def test_an_unknown_field_is_told_with_what_was_meant(key: object, around: str, message: str) -> None:
    assert unknown_field(key, ("cpu", "memory", "m" * 60), around) == message


def test_a_field_that_came_later_is_told() -> None:
    assert too_new("a", (1, 8), (1, 7)) == "'a' needs KubeVirt v1.8, and the catalog must work with v1.7"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "a map"),
        ([], "a list"),
        (None, "null"),
        (True, "the boolean true"),
        (False, "the boolean false"),
        ("x" * 61, f"the string '{'x' * 60}'"),
        (1, "the number 1"),
        (-1.5, "the number -1.5"),
        (1 << 256, "the number of 257 bits"),
        ((), "a tuple"),
    ],
)
def test_a_value_has_a_name(value: Any, text: str) -> None:
    assert describe(value) == text
