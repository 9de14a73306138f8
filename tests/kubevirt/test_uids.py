"""A VMI's manifest has the uids that it was given, and none that were made up for the domain."""

import otheryaml
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import expand

SPEC = "{domain: {memory: {guest: 1Gi}, devices: {}}}"
TEMPLATE = f"template: {{metadata: {{labels: {{a: b}}}}, spec: {SPEC}}}"
HELD = {
    "VirtualMachine": f"{{runStrategy: Always, {TEMPLATE}}}",
    "VirtualMachineInstance": SPEC,
    "VirtualMachineInstanceReplicaSet": f"{{selector: {{matchLabels: {{a: b}}}}, {TEMPLATE}}}",
}


def result_of(kind, **metadata):
    text = f"apiVersion: kubevirt.io/v1\nkind: {kind}\nmetadata: {{name: web, namespace: team}}\nspec: {HELD[kind]}\n"
    manifest = otheryaml.load(text)
    manifest["metadata"].update(metadata)
    result = expand(manifest, Cluster([]))
    assert result.admitted
    return result


def test_what_was_never_applied_has_none():
    for kind in HELD:
        metadata = result_of(kind).vmi["metadata"]
        assert "uid" not in metadata
        owners = [{**reference} for reference in metadata.get("ownerReferences", [])]
        assert all("uid" not in owner and owner["kind"] == kind and owner["name"] == "web" for owner in owners)
        assert bool(owners) == (kind != "VirtualMachineInstance")


def test_the_cluster_s_stay():
    (owner,) = result_of("VirtualMachine", uid="u-1").vmi["metadata"]["ownerReferences"]
    assert owner["uid"] == "u-1"
    assert result_of("VirtualMachineInstance", uid="u-2").vmi["metadata"]["uid"] == "u-2"


def test_the_domain_has_one_all_the_same():
    result = result_of("VirtualMachine")
    assert result.vmi_object.metadata.uid in result.domain_xml
