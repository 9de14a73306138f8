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


MANY = "it takes more than 1000 expressions or 65536 characters to fill it"
BACKWARDS = "runs backwards: small letters come first, then capitals, then digits"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("[a-z]{0}", "{0} is no number of characters from 1 to 255"),
        ("[a-z]{256}", "{256} is no number of characters from 1 to 255"),
        ("[a-z]{x}", "{x} is no number of characters from 1 to 255"),
        ("[a-z]{99999999999999999999}", "{99999999999999999999} is no number of characters from 1 to 255"),
        ("[z-a]{2}", f"the range z-a {BACKWARDS}"),
        ("[A-z]{2}", f"the range A-z {BACKWARDS}"),
        ("[0-z]{2}", f"the range 0-z {BACKWARDS}"),
        (r"[a-\]{2}", "the range a-\\ has an end that is no letter or digit: \\"),
        (r"[\-a]{2}", "the range \\-a has an end that is no letter or digit: \\"),
        ("[--a]{2}", "the range --a has an end that is no letter or digit: -"),
        ("[-]{2}", r"[-] names no characters: write ranges such as a-z, or \w, \d, \a, \A"),
        ("[a]{1}" * 1001, MANY),
        ("x" * 2**16 + "[a]{1}", MANY),
    ],
)
def test_what_cannot_be_made(expression, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        generate(expression, Random(1))
    assert str(error.value) == message


@pytest.mark.parametrize("expression", ["[a]{1}" * 999, "x" * (2**16 - 1) + "[a]{1}"])
def test_as_much_as_can_be_made(expression):
    assert generate(expression, Random(1)) == expression.replace("[a]{1}", "a")
