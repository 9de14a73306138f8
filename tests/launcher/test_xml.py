"""The writer of elements."""

from xml.etree.ElementTree import XML

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.kubevirt.launcher.xml import Element, Form, Shared, SubElement, make_own, make_whole, write


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


TEXTS = st.text(st.characters(codec="utf-8"), max_size=5) | st.sampled_from(["", "%s", "%", "\ue000", "\ue001", "&<>"])


def of_two(first, second):
    """Elements with both texts, the second before the first and twice."""
    element = Element("a", {"x": "100%", "y": f"{second}/1"})
    SubElement(element, "b").text = first
    SubElement(element, "c", {"z": f"\ue001{second}"})
    return [element, Shared("e")]


def wholly(root):
    """Make an element whole, and return the text that it has before and behind, which is the same."""
    text = write(root)
    make_whole(root)
    assert write(root) == text
    return text


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_elements_of_a_form_are_written_as_if_they_were_whole(texts):
    form, root = Form(of_two, 2), Element("root")
    for first, second in texts:
        assert write(form.filled(first, second)) == "".join(map(write, of_two(first, second)))
        root.extend([form.filled(first, second), Shared("d")])
    wholly(root)
    assert [each.findtext("b") for each in root.findall("a")] == [first for first, _ in texts]
    assert [each.tag for each in root] == ["a", "e", "d"] * len(texts)


@given(TEXTS, TEXTS)
def test_a_form_need_not_take_all_texts(first, second):
    form, root = Form(lambda _, used: of_two(used, "%s"), 2), Element("root")
    root.extend([form.filled(first, second)] * 3)
    assert wholly(root).count(write(of_two(second, "%s")[0]).splitlines()[1]) == 3


def test_a_form_may_take_none():
    root = Element("root")
    root.extend([Form(lambda: of_two("%", "%s")).filled(), Form(list).filled(), Form(lambda _: [], 1).filled("a")])
    wholly(root)
    assert [each.tag for each in root] == ["a", "e"]


def test_what_is_computed_of_a_form_is_computed_once_and_anew_when_it_holds_other_elements():
    seen = []

    def tags(form):
        seen.append(form)
        return [part.tag for part in form.elements]

    form = Form(lambda: [Element("a")])
    write(form.filled())
    assert form.computed(tags) == form.computed(tags) == ["a"]
    other = form.holding([Element("b")])
    assert other.computed(tags) == ["b"]
    assert write(other.filled()) == "<b/>\n"
    assert seen == [form, other]


def test_elements_of_a_form_below_others_become_whole_too():
    root = Element("root")
    SubElement(root, "inner").append(Form(of_two, 2).filled("1", "2"))
    make_whole(root)
    assert root.findtext("inner/a/b") == "1"


def test_own_children_share_nothing_and_are_whole():
    shared = Shared("d")
    SubElement(shared, "e")
    root = Element("root")
    root.extend([Form(of_two, 2).filled("1", "2"), shared])
    text = write(root)
    make_own(root)
    assert write(root) == text
    assert root.findtext("a/b") == "1"
    root[2][0].set("changed", "yes")
    assert shared[0].get("changed") is None
