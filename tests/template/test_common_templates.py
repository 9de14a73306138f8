"""Templates of kubevirt/common-templates, where KubeVirt's answers lie beside the checkout."""

import gzip
import json
from pathlib import Path

import pytest

from sampling import thorough
from virtcatalog import Cluster, admit, expand, process
from virtcatalog.api.golang import unmarshal
from virtcatalog.api.template import OpenShiftTemplate
from virtcatalog.kubevirt.template.process import convert_template
from virtcatalog.manifests.loose import LooseText

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "conformance"
CASES = sorted(BESIDE.glob("convert-*.jsonl.gz"))


@thorough
@pytest.mark.skipif(not CASES, reason="the release bundles of common-templates are not beside this checkout")
def test_all_are_converted_admitted_and_expanded():
    cluster, number = Cluster([]), 0
    for file in CASES:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            cases = [case for case in map(json.loads, lines) if case["family"].startswith("common-templates")]
        for case in cases:
            (text,) = case["files"].values()
            reading = next(LooseText(text, case["id"]).readings())
            template = convert_template(unmarshal(reading.data, OpenShiftTemplate, of_yaml=reading.of_yaml))
            assert admit(template, cluster) == [], case["id"]
            result = expand(process(template, seed=1).vm, cluster)
            assert (result.admitted, bool(result.domain_xml)) == (True, True), case["id"]
            number += 1
    assert number >= 200
