"""Environments that run different KubeVirt releases, and releases that are asked about."""

from datetime import date

import pytest

from loading import read_manifests
from virtcatalog.catalog.load import load_catalog
from virtcatalog.check.inventory import take
from virtcatalog.check.rules import check
from virtcatalog.errors import CatalogError
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.releases import find_release

NEWEST = {"catalog.yaml": "name: test\nkubevirt: v1.9.0\n", "overlays.yaml": None}
CATALOG = {
    "catalog.yaml": "name: test\nvendor: example.org\nkubevirt: v1.8.4\n",
    "overlays.yaml": "old: {kubevirt: v1.8.4}\nnew: {kubevirt: v1.9.0}\nany: {}\n",
}
#: Off unless it is named before v1.9.0, on unless it is disabled since.
PASST = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: one}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        memory: {guest: 1Gi}
        devices:
          interfaces: [{name: default, passtBinding: {}}]
      networks: [{name: default, pod: {}}]
"""
ACCOUNT = PASST.replace("passtBinding", "masquerade").replace(
    "      domain:", "      serviceAccountName: app\n      domain:"
)


def rendered_for(*environments):
    declared = ", ".join(f"{environment}: {{}}" for environment in environments)
    return {"vms.yaml": f"one.yaml.j2: {{environments: {{{declared}}}}}\n"}


def test_the_vms_of_an_environment_are_judged_by_the_release_that_it_runs(bench):
    findings = bench(CATALOG | rendered_for("old", "new", "any") | {"vms/one.yaml.j2": PASST})
    assert len(findings) == 1
    assert "spec.template.spec.domain.devices.interfaces[0]" in findings[0]
    assert findings[0].endswith("(in old) [error: vm-refused]")


def test_a_template_may_use_the_fields_of_the_release_that_its_environment_runs(bench):
    files = CATALOG | {"vms/one.yaml.j2": ACCOUNT}
    assert bench(files | rendered_for("new")) == []
    for environments in (["new", "old"], ["any"]):
        with pytest.raises(CatalogError) as raised:
            bench(files | rendered_for(*environments))
        assert "vms/one.yaml.j2:8:7: spec.template.spec.serviceAccountName:" in str(raised.value)
        assert len(raised.value.problems) == 1


def findings_for(bench, release, files, manifests=""):
    bench.write(files)
    conditions = Conditions(release=find_release(release))
    beside = read_manifests(manifests, "beside.yaml") if manifests else []
    findings = check(take(load_catalog(bench.root), beside, today=date(2026, 1, 1), conditions=conditions))
    return [str(finding).replace(f"{bench.root}/", "") for finding in findings]


def test_what_is_asked_for_counts_in_every_environment(bench):
    files = CATALOG | rendered_for("old", "new") | {"vms/one.yaml.j2": PASST}
    (finding,) = findings_for(bench, "v1.8.4", files)
    assert finding.endswith("(in old and new) [error: vm-refused]")
    assert findings_for(bench, "v1.9.0", files) == []


def test_fields_that_the_release_asked_about_does_not_know(bench):
    files = NEWEST | {"preferences/two.yaml": "preferences: {two: {spec: {devices: {preferredVideoType: vga}}}}"}
    (finding,) = findings_for(bench, "v1.8.4", files)
    assert finding.startswith("preferences/two.yaml:1:")
    assert "'preferredVideoType' needs KubeVirt v1.9, and what is asked about is v1.8.4" in finding
    assert finding.endswith("[error: newer-than-release]")
    assert findings_for(bench, "v1.9.0", files) == []


def test_a_field_of_a_preference_is_told_once_however_many_vms_use_it(bench):
    preference = {"preferences/two.yaml": "preferences: {two: {spec: {devices: {preferredVideoType: vga}}}}"}
    vms = {
        f"vms/{name}.yaml": ACCOUNT.replace("  serviceAccountName: app\n    ", "")
        .replace("name: one", f"name: {name}")
        .replace("  template:", "  preference: {name: two}\n  template:")
        for name in ("a", "b")
    }
    (finding,) = findings_for(bench, "v1.8.4", NEWEST | preference | vms)
    assert finding.startswith("preferences/two.yaml:1:")


@pytest.mark.parametrize(
    ("files", "whose"),
    [(CATALOG, "the catalog must work with v1.8.4"), (NEWEST, "what is asked about is v1.8.4")],
)
def test_fields_of_vms_beside_it_are_found_once(bench, files, whose):
    (finding,) = findings_for(bench, "v1.8.4", files, ACCOUNT)
    assert f"'serviceAccountName' needs KubeVirt v1.9, and {whose}" in finding


def test_an_environment_and_its_cluster_should_run_the_same_release(bench):
    kubevirt = """\
        apiVersion: kubevirt.io/v1
        kind: KubeVirt
        metadata: {name: kubevirt, namespace: kubevirt}
        status: {observedKubeVirtVersion: v1.8.2}
        """
    (finding,) = bench(CATALOG, manifests=kubevirt)
    assert finding.startswith(
        "overlays.yaml:2:1: new.kubevirt: KubeVirt v1.9.0 counts, though KubeVirt/kubevirt/kubevirt"
    )
    assert finding.endswith("[warning: contradicting-release]")


def test_a_preview_is_called_one(bench):
    files = CATALOG | {"overlays.yaml": "next: {kubevirt: main}\n"}
    (finding,) = bench(files)
    assert finding.startswith("overlays.yaml:1:1: next.kubevirt: KubeVirt main is a preview: ")
    assert finding.endswith("[note: preview-release]")
    (finding,) = findings_for(bench, "main", files)
    assert finding.startswith("KubeVirt main is a preview: ")
