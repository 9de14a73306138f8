"""The golden domains show every element and every attribute that the domain's modules can emit."""

from pathlib import Path

from emitted import emitted
from lxml import etree

GOLDEN = Path(__file__).parent / "golden"

NOT_SHOWN = {
    ("emulator", ""): "a node that emulates another architecture is no host profile; tests/domain has the element",
    # features.py sets a value on one enlightenment alone; reading its source does not tell which.
    **{
        (name, "value"): "only vendor_id has a value"
        for name in (
            *("evmcs", "frequencies", "ipi", "reenlightenment", "reset"),
            *("runtime", "stimer", "synic", "tlbflush", "vpindex"),
        )
    },
}


def shown() -> set[tuple[str, str]]:
    """Every (tag, attribute) of the golden domains, attribute "" for the element."""
    found = set()
    for file in GOLDEN.glob("*/*.xml"):
        for element in etree.parse(file).iter(etree.Element):
            name = etree.QName(element).localname
            tag = f"{element.prefix}:{name}" if element.prefix else name
            for attribute in ("", *element.attrib):
                found |= {(tag, attribute), ("*", attribute)}
    return found


def test_every_element_and_attribute_is_in_a_golden_domain():
    sources = {pair: place for pair, place in emitted().items() if not pair[1].startswith("xmlns")}
    missing = sources.keys() - shown() - NOT_SHOWN.keys()
    assert not missing, "\n".join(
        f"{sources[tag, attribute]}: no golden domain has <{tag}{attribute and f' {attribute}='}>"
        for tag, attribute in sorted(missing)
    )


def test_nothing_is_in_a_golden_domain_that_the_sources_are_not_seen_to_emit():
    assert {pair for pair in shown() if pair[0] != "*"} <= emitted().keys()


def test_what_is_excused_is_emitted_and_not_shown():
    assert NOT_SHOWN.keys() <= emitted().keys() - shown()
