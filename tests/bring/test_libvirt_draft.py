"""A VM that is being made of a domain: fields that KubeVirt refuses go, with a verdict on the parts they are from."""

from __future__ import annotations

import pytest
from importing import domain

from virtcatalog.bring.libvirt.draft import Draft, integers
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.xml import read_xml


@pytest.fixture
def draft() -> Draft:
    """A VM with a CPU model, two fields of a clock and one of firmware, each from an element of its own."""
    root = read_xml(domain("<cpu/><clock/><features/>"), "db.xml")
    draft = Draft(root, "db.xml")
    draft.put(("domain", "memory", "guest"), "4Gi", draft.one("memory"))
    draft.put(("domain", "cpu", "model"), "Haswell", draft.one("cpu"))
    draft.put(("domain", "clock", "utc"), {}, draft.one("clock"))
    draft.put(("domain", "clock", "timer"), {"hpet": {"present": False}}, draft.one("clock"))
    draft.put(("domain", "firmware", "bootloader", "efi"), {"secureBoot": True}, draft.one("os"))
    return draft


@pytest.mark.parametrize(
    ("refused", "gone", "lost"),
    [
        (("domain", "cpu", "model"), ("domain", "cpu", "model"), "cpu"),
        (("domain", "firmware", "bootloader", "efi", "secureBoot"), ("domain", "firmware", "bootloader", "efi"), "os"),
        (("domain", "firmware"), ("domain", "firmware", "bootloader", "efi"), "os"),
    ],
)
def test_the_field_around_or_the_only_one_below_what_is_refused_goes(draft, refused, gone, lost):
    assert draft.drop(refused, "KubeVirt refuses it")
    assert draft.get(*gone) is None
    verdict = draft.verdicts[draft.one(lost), None]
    assert (verdict.fate, verdict.why) == ("lost", "KubeVirt refuses it")
    assert not draft.drop(gone, "again")


@pytest.mark.parametrize("refused", [("domain", "clock"), ("domain", "memory", "guest"), ("domain", "ioThreads"), ()])
def test_nothing_goes_where_several_could_or_none_may(draft, refused):
    before = draft.spec
    assert not draft.drop(refused, "KubeVirt refuses it")
    assert (draft.spec, draft.verdicts) == (before, {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("0", 0), ("7", 7), ("0x10", 16), ("0b11", 3), ("9" * 19, int("9" * 19))),
        *((text, f"{text!r} is no whole number") for text in ("", "x", "-1", "1.5", "010", "9" * 20, "x" * 59)),
        ("x" * 60, f"'{'x' * 60}…' is no whole number"),
        ("y" + "x" * 99, f"'y{'x' * 59}…' is no whole number"),
    ],
)
def test_a_number_is_read_or_told(draft: Draft, text: str, expected: int | str) -> None:
    element = read_xml(f"<a b='{text}'>{text}</a>".encode(), "a.xml")
    for attribute, place in (("", "db.xml:1:1: a"), ("b", "db.xml:1:1: a/@b")):
        if isinstance(expected, int):
            assert draft.number(element, attribute) == draft.number(element, attribute, 3) == expected
            continue
        with pytest.raises(ManifestError) as raised:
            draft.number(element, attribute)
        assert str(raised.value) == f"{place}: {expected}"


def test_a_number_that_is_missing_is_the_usual_one(draft: Draft) -> None:
    element = read_xml(b"<a b=''/>", "a.xml")
    assert (draft.number(element, default=3), draft.number(element, "b", 0), draft.number(element, "c", 4)) == (3, 0, 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", None), ("yes", True), ("on", True), ("no", False), ("off", False), ("true", "'true'"), ("On", "'On'")],
)
def test_a_switch_is_read_or_told(draft: Draft, text: str, expected: bool | str | None) -> None:
    element = read_xml(f"<a state='{text}'/>".encode(), "a.xml")
    if isinstance(expected, str):
        with pytest.raises(ManifestError) as raised:
            draft.truth(element, "state", default=True)
        assert str(raised.value) == f"db.xml:1:1: a/@state: {expected} is none of yes, on, no, off"
        return
    for default in (True, False):
        assert draft.truth(element, "state", default=default) is (default if expected is None else expected)


def test_texts_are_whole_numbers_all_or_none() -> None:
    assert (integers([]), integers(["1", "20"]), integers(["9" * 19])) == ([], [1, 20], [int("9" * 19)])
    assert [integers(texts) for texts in (["1", "x"], ["-1"], [""], ["9" * 20], ["1-2"])] == [None] * 5
