"""Domains that others wrote: every part of them is accounted for.

foreign/ holds what `virt-install --print-xml` wrote for eleven kinds of guest, and what nova's libvirt driver made of
instances with twelve kinds of flavors and images.
"""

from __future__ import annotations

from collections import Counter

import pytest
from importing import FOREIGN, bring

from virtcatalog.manifests.xml import read_xml


def test_there_are_enough_of_them():
    assert len(FOREIGN) >= 20


@pytest.mark.parametrize("file", FOREIGN, ids=lambda file: file.stem)
class TestForeign:
    def test_every_element_and_attribute_has_a_fate(self, file):
        imported = bring(file.read_bytes())
        root = read_xml(file.read_bytes(), file.name)
        elements = [node for node in root.walk() if node is not root]
        parts = Counter(part.path for part in imported.parts)
        assert set(parts.values()) == {1}
        assert {part.path for part in imported.parts if "@" not in part.path} == {element.path for element in elements}
        attributes = sum(len(node.attributes) for node in root.walk())
        assert sum("@" in path for path in parts) == attributes
        assert all(part.why for part in imported.parts if part.fate != "carried")

    def test_the_vm_runs_and_what_is_lost_is_named(self, file, snapshot):
        imported = bring(file.read_bytes())
        assert imported.reasons == ()
        counts = Counter(part.fate for part in imported.parts)
        lost = [
            f"{part.line}:{part.column} {part.path} = {part.value}: {part.why}" for part in imported.outermost("lost")
        ]
        assert [f"{fate}: {counts[fate]}" for fate in ("carried", "host", "lost")] + lost == snapshot
