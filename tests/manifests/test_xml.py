"""XML is read by one parser: elements with their places, and nothing that grows or fetches."""

from __future__ import annotations

import pytest

from virtcatalog import limits
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.xml import problem_at, read_xml


def problem(content: bytes):
    with pytest.raises(ManifestError) as raised:
        read_xml(content, "d.xml")
    (only,) = raised.value.problems
    return only


def test_elements_know_their_text_attributes_path_and_place():
    root = read_xml(b"\xef\xbb\xbf<a>\n <b x='1'/>  <b\n  y='>'> \xc3\xa4<c/></b>\n</a>", "d.xml")
    first, second = root.all("b")
    assert (first.attributes, first.line, first.column, first.path) == ({"x": "1"}, 2, 2, "b[1]")
    assert (second.get("y"), second.text, second.line, second.column) == (">", "ä", 2, 14)
    assert [node.path for node in root.walk()] == ["", "b[1]", "b[2]", "b[2]/c"]
    assert root.first("b", "c") is second.children[0]
    assert root.first("c") is None


def test_comments_and_character_data_move_no_place():
    root = read_xml(b"<?xml version='1.0'?>\n<!-- <x> --><a><!--\n<y> --><![CDATA[<z>]]><b/></a>", "d.xml")
    assert [(node.tag, node.line, node.column) for node in root.walk()] == [("a", 2, 13), ("b", 3, 23)]


def test_comments_and_instructions_part_no_text():
    root = read_xml(b"<a> x<!-- c -->y<?php z?>z <b/>w</a>", "d.xml")
    assert (root.text, len(root.children)) == ("xyz", 1)


def test_a_problem_of_an_element_has_its_place():
    root = read_xml(b"<a>\n  <b x='1'/></a>", "d.xml")
    (b,) = root
    assert (b.get("x"), b.get("y"), b.get("y", "2"), b.parent) == ("1", "", "2", root)
    assert [str(error) for error in (problem_at("f", b, "no"), problem_at("f", b, "no", "x"))] == [
        "f:2:3: b: no",
        "f:2:3: b/@x: no",
    ]
    assert [str(error) for error in (problem_at("f", root, "no"), problem_at("f", root, "no", "x"))] == [
        "f:1:1: a: no",
        "f:1:1: a/@x: no",
    ]


def test_siblings_of_a_name_are_counted_whatever_their_namespace():
    root = read_xml(b"<a xmlns:q='u'><q:b/><b/></a>", "d.xml")
    assert [(element.tag, element.path) for element in root] == [("{u}b", "b[1]"), ("b", "b[2]")]


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (b"", (1, 1), "is empty"),
        (b" \n", (1, 1), "is empty"),
        (b"<a>\n<b></a>", (2, 8), "is not XML: Opening and ending tag mismatch: b line 2 and a"),
        (b"name: x", (1, 1), "is not XML: Start tag expected, '<' not found"),
        (b"<a>&x;</a>", (1, 7), "is not XML: Entity 'x' not defined"),
        (b"<a>\n\xff</a>", (2, 1), "is not UTF-8"),
        (b"\0", (1, 1), "is not XML: Document is empty"),
        (b"<a>\n\0</a>", (2, 1), "is not XML: Invalid character: Char 0x0 out of allowed range"),
        (b"<a b='1' b='2'/>", (1, 15), "is not XML: Attribute b redefined"),
        (b"<a/><b/>", (1, 5), "is not XML: Extra content at the end of the document"),
        (b"<a", (1, 3), "is not XML: Couldn't find end of Start Tag a line 1"),
        ("<a/>".encode("utf-16"), (1, 1), "is not UTF-8"),
    ],
)
def test_what_is_no_xml_is_told_with_its_place(content, place, message):
    fault = problem(content)
    assert ((fault.line, fault.column), fault.message) == (place, message)


BOMB = (
    b"<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY a 'x'>"
    + b"".join(b"<!ENTITY a%d '%s'>" % (number, b"&a;" * 10) for number in range(9))
    + b"]>\n<a>&a8;</a>"
)


@pytest.mark.parametrize(
    "content",
    [BOMB, b"\n<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", b"\n<!DOCTYPE a [<!ENTITY % x SYSTEM 'http://x'>]><a/>"],
)
def test_document_types_and_with_them_entities_are_refused(content):
    fault = problem(content)
    assert (fault.line, fault.column) == (2, 1)
    assert fault.message == ("<!DOCTYPE is not taken: document types and entities have no place in such a file")


def test_an_entity_is_refused_without_a_document_type():
    fault = problem(b"<a>\n <!ENTITY b 'c'></a>")
    assert (fault.line, fault.column) == (2, 2)
    assert fault.message == "<!ENTITY is not taken: document types and entities have no place in such a file"


def test_another_declared_encoding_counts_for_nothing():
    assert read_xml("<?xml version='1.0' encoding='latin-1'?><a>ä</a>".encode(), "d.xml").text == "ä"


class TestLimits:
    def test_bytes(self):
        read_xml(b"<a>" + b" " * (limits.XML_BYTES - 7) + b"</a>", "d.xml")
        assert problem(b"<a>" + b" " * (limits.XML_BYTES - 6) + b"</a>").message == "is larger than 1024 KiB"

    def test_elements(self):
        read_xml(b"<a>" + b"<b/>" * (limits.XML_ELEMENTS - 1) + b"</a>", "d.xml")
        fault = problem(b"<a>" + b"<b/>" * limits.XML_ELEMENTS + b"</a>")
        assert fault.message == "holds more than 20000 elements"
        assert (fault.line, fault.column) == (1, 4 + 4 * (limits.XML_ELEMENTS - 1))

    def test_attributes(self):
        attributes = [b' b%d=""' % number for number in range(limits.XML_ATTRIBUTES + 1)]
        read_xml(b"<a>\n<b%b/></a>" % b"".join(attributes[1:]), "d.xml")
        fault = problem(b"<a>\n<b%b/></a>" % b"".join(attributes))
        assert fault.message == "has more than 1000 attributes"
        assert (fault.line, fault.column) == (2, 1)

    def test_levels(self):
        most = limits.XML_LEVELS
        read_xml(b"<a>" * most + b"</a>" * most, "d.xml")
        fault = problem(b"<a>" * (most + 1) + b"</a>" * (most + 1))
        assert fault.message == "is nested more than 64 levels deep"
        assert (fault.line, fault.column) == (1, 1 + 3 * most)
