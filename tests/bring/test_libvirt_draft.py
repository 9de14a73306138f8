"""A VM that is being made of a domain: fields that KubeVirt refuses go, with a verdict on the parts they are from."""

from __future__ import annotations

import pytest
from importing import domain

from virtcatalog.bring.libvirt.draft import Draft
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
