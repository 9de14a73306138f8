"""Values that are made of expressions."""

import re
from random import Random

import pytest

from virtcatalog.kubevirt.template.substitute import alphabet_of, generate

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"


class First:
    """Draws the first of everything, and notes what it drew from."""

    def __init__(self):
        self.drawn = []

    def choice(self, characters):
        self.drawn.append(characters)
        return characters[0]


@pytest.mark.parametrize(
    ("ranges", "alphabet"),
    [
        ("a-c", "abc"),
        ("abc-e", "abce"),
        ("xa-c", "acx"),
        ("a-cx", "abcx"),
        ("9-9", "9"),
        ("x-C", "ABCxyz"),
        ("Y-1", "01YZ"),
        (r"\d", "0123456789"),
        (r"\w", f"0123456789{LETTERS[0]}_{LETTERS[1]}"),
        (r"\a", f"0123456789{LETTERS[0]}{LETTERS[1]}"),
        (r"\A", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
        (r"\s", "s"),
        (r"\d\da", "0123456789a"),
    ],
)
def test_what_stands_for_which_characters(ranges, alphabet):
    assert alphabet_of(ranges) == alphabet


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("vm-[a-c]{3}", "vm-aaa"),
        ("[a-c]{1}-[0-9]{2}.[a-c]{1}", "a-00.a"),
        ("[a-c]{08}", "aaaaaaaa"),
        ("[x-z]{255}", "x" * 255),
        ("plain", "plain"),
        ("", ""),
        ("[a-z]", "[a-z]"),
        ("[]{3}", "[]{3}"),
        ("[^a]{3}", "[^a]{3}"),
        ("[a_b]{3}", "[a_b]{3}"),
        ("[a-z]{3,5}", "[a-z]{3,5}"),
        ("[[a]{2}]", "[aa]"),
    ],
)
def test_expressions_are_replaced_and_the_rest_stays(expression, value):
    assert generate(expression, First()) == value


def test_every_character_is_drawn_from_the_whole_alphabet():
    chance = First()
    generate("x[b-d]{2}[01]{1}", chance)
    assert chance.drawn == ["bcd", "bcd", "01"]


def test_a_seed_repeats_and_drawings_differ():
    assert generate("[a-z]{20}", Random(1)) == generate("[a-z]{20}", Random(1))
    assert len({generate("[a-z]{20}", Random(seed)) for seed in range(20)}) == 20


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("[a-z]{0}", "{0}: from 1 to 255 characters can be made"),
        ("[a-z]{256}", "{256}: from 1 to 255 characters can be made"),
        ("[a-z]{x}", "{x} is no number of characters"),
        ("[a-z]{99999999999999999999}", "{99999999999999999999} is no number of characters"),
        ("[z-a]{2}", "the range z-a runs backwards"),
        ("[A-z]{2}", "the range A-z runs backwards"),
        ("[0-z]{2}", "the range 0-z runs backwards"),
        (r"[a-\]{2}", "an end that is no letter or digit: \\"),
        ("[--a]{2}", "an end that is no letter or digit: -"),
        ("[-]{2}", "[-] names no characters"),
        ("[a]{1}" * 1001, "more than 1000 expressions"),
        ("x" * 2**16 + "[a]{1}", "or 65536 characters"),
    ],
)
def test_what_cannot_be_made(expression, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        generate(expression, Random(1))
