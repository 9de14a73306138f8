"""Where KubeVirt's own answers are at hand: we agree with at least the recorded share of them."""

import importlib.util
from pathlib import Path

import pytest

from virtcatalog import expand

HERE = Path(__file__).parent
CASES = HERE.parent.parent / "shared" / "conformance"

pytestmark = pytest.mark.skipif(not (CASES / "compare.py").exists(), reason="no conformance cases beside the checkout")


@pytest.fixture(scope="module")
def compare():
    spec = importlib.util.spec_from_file_location("compare", CASES / "compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cases(compare):
    return [case for path in sorted(CASES.glob("cases-*.jsonl.gz")) for case in compare.read(path)]


@pytest.fixture(scope="module")
def catalog(compare):
    return compare.read(CASES / "common-instancetypes.json.gz")


def test_the_share_does_not_fall(compare, cases, catalog):
    recorded = float((HERE / "conformance-share.txt").read_text())
    found = {case["name"]: compare.check(case, catalog if case["useCatalog"] else []) for case in cases}
    differing = sorted(name for name, stages in found.items() if any(stages.values()))
    assert 100 * (len(cases) - len(differing)) / len(cases) >= recorded, differing


def test_every_expanded_vm_expands_to_itself(compare, cases, catalog):
    """Of one case of each group, as the whole would take long."""
    for case in {case["group"]: case for case in cases}.values():
        cluster = compare.cluster_of(case, catalog if case["useCatalog"] else [])
        first = expand(case["vm"], cluster)
        if first.vm is not None:
            again = expand(first.vm, cluster)
            assert (again.vm, again.vmi, again.domain_xml) == (first.vm, first.vmi, first.domain_xml), case["name"]
