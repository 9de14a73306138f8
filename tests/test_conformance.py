"""Where KubeVirt's own answers are at hand: at each release and stage, at least as many agree as are recorded."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

from virtcatalog import expand

HERE = Path(__file__).parent
CASES = HERE.parent.parent / "shared" / "conformance"

pytestmark = pytest.mark.skipif(not (CASES / "compare.py").exists(), reason="no conformance cases beside the checkout")


@pytest.fixture(scope="module")
def compare():
    sys.path.append(str(CASES))  # it imports its neighbour pods.py when it needs it
    spec = importlib.util.spec_from_file_location("compare", CASES / "compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cases(compare):
    return [case for path in sorted(CASES.glob("cases-*.jsonl.gz")) for case in compare.gather(path)]


@pytest.fixture(scope="module")
def catalog(compare):
    return compare.read(CASES / "common-instancetypes.json.gz")


def recorded() -> Counter:
    """{(release, stage): cases that agree}, of lines `RELEASE STAGE COUNT`."""
    rows = (line.split() for line in (HERE / "conformance-share.txt").read_text().splitlines())
    return Counter({(release, stage): int(count) for release, stage, count in rows})


def test_no_release_and_no_stage_falls(compare, cases, catalog):
    reached: Counter = Counter()
    differing = []
    for case in cases:
        found = compare.check(case, catalog if case["useCatalog"] else [])
        for stage, lines in found.items():
            reached[compare.release_of(case), stage] += not lines
            if lines:
                differing.append((compare.release_of(case), case["name"], stage))
    fallen = {key: (count, reached[key]) for key, count in recorded().items() if reached[key] < count}
    assert not fallen, [name for name in differing if (name[0], name[2]) in fallen][:50]


def test_every_expanded_vm_expands_to_itself(compare, cases, catalog):
    """Of one case of each group, as the whole would take long."""
    for case in {case["group"]: case for case in cases if compare.release_of(case) == "v1.9.0"}.values():
        cluster = compare.cluster_of(case, catalog if case["useCatalog"] else [])
        first = expand(case["vm"], cluster)
        if first.vm is not None:
            again = expand(first.vm, cluster)
            assert (again.vm, again.vmi, again.domain_xml) == (first.vm, first.vmi, first.domain_xml), case["name"]
