"""The golden domains show every element and every attribute that domains are seen to have."""

from pathlib import Path

from lxml import etree

from conformance.cases import DEFAULT_RELEASE, cases
from sampling import sample
from virtcatalog import expand

GOLDEN = Path(__file__).parent / "golden"


def pairs(domain):
    """Every (tag, attribute) of a domain, attribute "" for the element."""
    return {
        (etree.QName(element).localname, etree.QName(attribute).localname if attribute else "")
        for element in domain.iter(etree.Element)
        for attribute in ("", *element.attrib)
    }


def emitted():
    """What the domains of the conformance cases have: {(tag, attribute): a case}."""
    case_of = {}
    for case in sample([case for case in cases() if case.release == DEFAULT_RELEASE and "xml" in case.expected], 4):
        xml = expand(case.vm, case.cluster()).domain_xml
        for pair in pairs(etree.fromstring(xml)) if xml else ():
            case_of.setdefault(pair, case.name)
    return case_of


def shown():
    return {pair for file in GOLDEN.glob("*/*.xml") for pair in pairs(etree.parse(file))}


def test_every_element_and_attribute_is_in_a_golden_domain():
    of_cases, of_golden = emitted(), shown()
    assert not {pair: case for pair, case in of_cases.items() if pair not in of_golden}
