"""Manifests written as a cluster stores them, and every other byte as it was."""

from __future__ import annotations

from textwrap import indent

import pytest

from gitops.vms import text, vm
from virtcatalog.gitops.fixing import Fixed, fix, respelled
from virtcatalog.releases import DEFAULT

MISSPELLED = text("memory: {guest: 1024Mi}  # as much as it needs\n     ")
STORED = text("memory: {guest: 1Gi}  # as much as it needs\n     ")


def fixed(content: str, kustomizations: dict[str, str] | None = None, name: str = "vms/web.yaml") -> list[Fixed]:
    others = {path: text.encode() for path, text in (kustomizations or {}).items()}
    return fix({name: content.encode()}, others, DEFAULT)


@pytest.mark.parametrize(
    ("domain", "template", "expected", "number"),
    [
        ("memory: {guest: 1Gi}", "", ("memory: {guest: 1Gi}", ""), 0),
        ("memory: {guest: 1024Mi}, cpu: {cores: 2}", "", ("memory: {guest: 1Gi}, cpu: {cores: 2}", ""), 1),
        ("resources: {limits: {cpu: 2, memory: 2048Mi}}", "", ('resources: {limits: {cpu: "2", memory: 2Gi}}', ""), 2),
        ("machine: {type: ''}", "", ("machine: {}", ""), 1),
        ("", "nodeSelector: {}, affinity: {}", ("", "affinity: {}"), 1),
        ("", "tolerations: [], hostname: ''", ("", ""), 2),
        # A null stays.
        ("cpu: {cores: null}", "nodeSelector: null", ("cpu: {cores: null}", "nodeSelector: null"), 0),
        # So does all of an object that has a fault.
        ("memory: {guest: 1024Mi}, typo: 1", "", ("memory: {guest: 1024Mi}, typo: 1", ""), 0),
        ("memory: {guest: 1024Mi}", "volumes: a", ("memory: {guest: 1024Mi}", "volumes: a"), 0),
    ],
)
def test_a_vm_as_it_is_spelled_when_it_is_stored(domain, template, expected, number):
    assert respelled(vm(domain, template), DEFAULT) == (vm(*expected), number)


def test_null_timestamps_go_where_they_are_compared():
    manifest = vm("memory: {guest: 1Gi}")
    manifest["metadata"]["creationTimestamp"] = None
    manifest["spec"]["template"]["metadata"] = {"creationTimestamp": None, "labels": {}, "annotations": {"a": None}}
    new, number = respelled(manifest, DEFAULT)
    assert new["metadata"] == {"name": "web", "namespace": "shop", "creationTimestamp": None}
    assert new["spec"]["template"]["metadata"] == {"annotations": {"a": None}}
    assert number == 2


def test_fields_in_items_of_lists_are_written_where_they_are():
    disks = "dataVolumeTemplates: [%s, %s]"
    storage = "storage: {resources: {requests: {storage: %s}}}, source: {blank: {}}"
    disk = f"{{metadata: {{name: %s, labels: {{%s}}}}, spec: {{{storage}}}}}"
    manifest = vm(spec=disks % (disk % ("a", "a: b", "1Gi"), disk % ("b", "", "1024Mi")))
    expected = vm(spec=disks % (disk % ("a", "a: b", "1Gi"), disk % ("b", "", "1Gi")))
    del expected["spec"]["dataVolumeTemplates"][1]["metadata"]["labels"]
    assert respelled(manifest, DEFAULT) == (expected, 2)


def test_empty_labels_of_any_object_go():
    disk = {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataVolume",
        "metadata": {"name": "data", "labels": {}, "annotations": {}},
        "spec": {"storage": {"resources": {"requests": {"storage": "1024Mi"}}}, "source": {"blank": {}}},
    }
    assert respelled(disk, DEFAULT) == ({**disk, "metadata": {"name": "data"}}, 2)
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "labels": {}}}
    assert respelled(secret, DEFAULT) == (secret, 0)


def test_only_the_value_changes_in_its_file():
    assert fixed(MISSPELLED) == [Fixed("vms/web.yaml", MISSPELLED, STORED, 1)]
    assert fixed(STORED) == []


def test_every_document_and_every_item_of_a_list_is_written():
    parts = (indent(part, "  ").removeprefix("  ") for part in (MISSPELLED, STORED, MISSPELLED))
    items = "".join(f"- {part}" for part in parts)
    both = f"apiVersion: v1\nkind: List\nitems:\n{items}---\n{MISSPELLED}---\na: 1\n---\n- 2\n"
    (file,) = fixed(both)
    assert file == Fixed("vms/web.yaml", both, both.replace("1024Mi", "1Gi"), 3)


@pytest.mark.parametrize("content", ["a: [", f"{MISSPELLED}---\na: [\n", "just text\n", "- 1\n", ""])
def test_what_is_no_manifest_stays(content):
    assert fixed(content) == []


def test_a_file_that_cannot_be_written_is_told_with_why():
    shared = text("resources: {requests: {cpu: &two 2}}, cpu: {cores: *two}")
    (file,) = fixed(shared)
    why = "what must change is shared through YAML anchors, aliases or <<: write it out first"
    assert file == Fixed("vms/web.yaml", shared, shared, 1, why)


@pytest.mark.parametrize(
    "kustomization",
    [
        "patches: [{path: web.yaml}]",
        "patches: [{path: ./web.yaml, target: {kind: VirtualMachine}}]",
        "patchesStrategicMerge: [web.yaml]",
        "patchesStrategicMerge: [other.yaml, ../vms/web.yaml]",
        "patchesJson6902: [{path: web.yaml}]",
        "patches: [{target: {}}, 7, {path: web.yaml}]",
        "resources: []\n---\npatches: [{path: web.yaml}]",
    ],
)
def test_a_patch_of_a_kustomization_is_no_manifest(kustomization):
    assert fixed(MISSPELLED, {"vms/kustomization.yaml": kustomization}) == []
    assert fixed(MISSPELLED, {"vms/kustomization.yaml": kustomization}, "./vms/web.yaml") == []


@pytest.mark.parametrize(
    "kustomization",
    [
        "resources: [web.yaml]",
        "patches: web.yaml",
        'patchesStrategicMerge: ["web.yaml\\n"]',
        "[patches]",
        "patches: [7]",
    ],
)
def test_what_no_kustomization_patches_with_is_one(kustomization):
    assert [file.fields for file in fixed(MISSPELLED, {"vms/kustomization.yaml": kustomization})] == [1]


def test_a_kustomization_of_another_folder_names_other_files():
    assert len(fixed(MISSPELLED, {"lab/kustomization.yaml": "patches: [{path: web.yaml}]"})) == 1
