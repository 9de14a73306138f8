"""VMs made of the pairs of a published catalog find them again.

`benchmarks/adopt.py` does this for all 3,265 pairs; here is a sample of them.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from conformance.cases import catalog
from virtcatalog.adopt.candidates import Candidates
from virtcatalog.adopt.fleet import adopt
from virtcatalog.kubevirt.pipeline import create_vmi, expand

ROOT = Path(__file__).parents[2]
EVERY = 61


@pytest.fixture(scope="module")
def candidates():
    return Candidates(catalog())


@pytest.fixture(scope="module")
def benchmark():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        return importlib.import_module("adopt")


def names(candidates, groups):
    return sorted(m.name for group in groups for m in group.members if not m.namespaced)


@pytest.fixture(scope="module")
def inline_vms(benchmark, candidates):
    pairs = importlib.import_module("pairs")
    instancetypes = names(candidates, candidates.instancetypes)
    preferences = names(candidates, candidates.preferences)
    vms = [pairs.vm(one, other) for one in instancetypes for other in preferences][::EVERY]
    return list(benchmark.inlined(vms, candidates.cluster))


def test_a_pair_is_found_that_makes_the_same_domain_and_no_larger_manifest_than_the_one_it_was_made_from(
    inline_vms, benchmark, candidates
):
    assert len(inline_vms) > 40
    for vm, inline in inline_vms:
        adoption = adopt(inline, candidates)
        assert adoption.outcome == "adopted", vm["metadata"]["name"]
        shrunk = adoption.shrunk
        assert expand(shrunk.manifest, candidates.cluster).domain_xml == expand(inline, candidates.cluster).domain_xml
        own = benchmark.with_own_pair(vm, inline, candidates)
        assert own is not None
        assert shrunk.size <= own.size, (vm["metadata"]["name"], shrunk.names)


def test_it_is_the_pair_itself_unless_another_is_as_small(inline_vms, benchmark, candidates):
    for vm, inline in inline_vms:
        shrunk = adopt(inline, candidates).shrunk
        own = benchmark.with_own_pair(vm, inline, candidates)
        if shrunk.names != own.names:
            assert shrunk.size <= own.size
            assert shrunk.domain == own.domain == []


def test_nothing_of_the_vmi_is_lost_that_the_domain_does_not_show(inline_vms, candidates):
    """The grace period, annotations and requests that a VM states are kept or said by its objects."""
    for vm, inline in inline_vms:
        shrunk = adopt(inline, candidates).shrunk
        lost = [change.field for change in shrunk.outside if change.old is not None and change.new is None]
        assert lost == [], vm["metadata"]["name"]
        assert create_vmi(shrunk.manifest, candidates.cluster).admitted
