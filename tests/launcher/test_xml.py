"""The writer of elements."""

from xml.etree.ElementTree import XML

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.kubevirt.launcher.xml import Element, SubElement, write


def test_the_layout():
    root = Element("a", {"x": "1"})
    inner = SubElement(root, "b", y="2", z="3")
    SubElement(inner, "c").text = "text"
    SubElement(root, "d")
    assert write(root) == '<a x="1">\n  <b y="2" z="3">\n    <c>text</c>\n  </b>\n  <d/>\n</a>\n'


def test_a_comment_is_the_first_line_within():
    root = Element("a")
    SubElement(root, "b")
    assert write(root, "about -- this") == "<a>\n  <!-- about - - this -->\n  <b/>\n</a>\n"


@pytest.mark.parametrize(
    ("text", "written"), [("a&b", "a&amp;b"), ("<>", "&lt;&gt;"), ('"', "&quot;"), ("\t\n\r", "&#9;&#10;&#13;")]
)
def test_markup_is_escaped(text, written):
    root = Element("a", x=text)
    root.text = text
    assert write(root) == f'<a x="{written}">{written}</a>\n'


@pytest.mark.parametrize("char", ["\0", "\x1f", "\ud800", "\ufffe"])
def test_what_xml_cannot_hold_is_replaced(char):
    root = Element("a", x=f"1{char}2")
    assert write(root) == '<a x="1\N{REPLACEMENT CHARACTER}2"/>\n'


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")))
def test_any_text_comes_back_as_it_went(text):
    root = Element("a", x=text)
    root.text = text
    read = XML(write(root))
    assert (read.get("x"), read.text or "") == (text, text)
