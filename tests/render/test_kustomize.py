"""Overlays are real kustomize: what `kubectl kustomize` makes of them is what the catalog says."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import otheryaml
from kustomizing import by_identity, kustomize
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.environment import Overlay, Patch, Selection
from virtcatalog.catalog.model import Catalog, Deprecation, Instancetype, Preference
from virtcatalog.catalog.places import Source
from virtcatalog.render.kustomize import overlay_kustomization
from virtcatalog.render.output import render
from virtcatalog.render.tree import replace

HERE = Source(file="catalog.yaml")
DEPRECATED = "instancetype.kubevirt.io/deprecated"


def instancetype(name: str, *, deprecated: bool = False, **labels: str) -> Instancetype:
    return Instancetype(
        name=name,
        series="m",
        size="small",
        vcpus=1,
        memory=Quantity.parse("4Gi"),
        memory_per_vcpu=Quantity.parse("4Gi"),
        spec={"cpu": {"guest": 1}, "memory": {"guest": "4Gi"}},
        labels={"vendor": "example.org", **labels} | ({DEPRECATED: "true"} if deprecated else {}),
        annotations={},
        deprecated=Deprecation(replaced_by="m.small") if deprecated else None,
        source=HERE,
    )


def preference(name: str) -> Preference:
    return Preference(
        name=name, base=name, os_type="linux", spec={}, labels={"vendor": "example.org"}, annotations={}, source=HERE
    )


def catalog(*overlays: Overlay) -> Catalog:
    return Catalog(
        path="catalog",
        name="example",
        kubevirt="v1.3.0",
        instancetypes=(instancetype("m.small"), instancetype("m.small2"), instancetype("m1.small", deprecated=True)),
        preferences=(preference("linux.a"),),
        overlays=overlays,
    )


def built(tmp_path: Path, *overlays: Overlay, path: str = "overlays/x") -> dict[tuple[str, str], dict[str, object]]:
    folder = tmp_path / "output"
    replace(folder, render(catalog(*overlays)))
    manifests = by_identity(kustomize(folder / path))
    if overlays:
        expected = by_identity(catalog(*overlays).objects("x"))
        assert {key: without_empty(manifest) for key, manifest in manifests.items()} == {
            key: without_empty(manifest) for key, manifest in expected.items()
        }
    return manifests


def without_empty(manifest: dict[str, object]) -> dict[str, object]:
    """The manifest with only those of its metadata's maps that hold something."""
    return {**manifest, "metadata": {key: value for key, value in manifest["metadata"].items() if value}}


@pytest.mark.parametrize("path", [".", "base"])
def test_the_base_holds_exactly_the_objects_of_the_bundle_of_all(tmp_path, path):
    manifests = built(tmp_path, path=path)
    bundle = (tmp_path / "output/bundles/example-instancetypes-all-bundle.yaml").read_text()
    expected = by_identity(otheryaml.load_all(bundle))
    assert manifests == expected
    assert len(expected) == 8


def test_a_cluster_overlay_without_deprecated_objects(tmp_path):
    manifests = built(tmp_path, Overlay(name="x", scope="cluster", deprecated=False, source=HERE))
    assert sorted(manifests) == [
        ("VirtualMachineClusterInstancetype", "m.small"),
        ("VirtualMachineClusterInstancetype", "m.small2"),
        ("VirtualMachineClusterPreference", "linux.a"),
    ]


def test_a_namespaced_overlay_with_a_namespace_and_labels_of_its_own(tmp_path):
    overlay = Overlay(
        name="x",
        scope="namespaced",
        namespace="lab",
        labels={"vendor": "lab.example.org"},
        annotations={"note": "lab"},
        source=HERE,
    )
    manifests = built(tmp_path, overlay)
    assert {kind for kind, _ in manifests} == {"VirtualMachineInstancetype", "VirtualMachinePreference"}
    assert len(manifests) == 4
    for manifest in manifests.values():
        assert manifest["metadata"]["namespace"] == "lab"
        assert manifest["metadata"]["labels"]["vendor"] == "lab.example.org"
        assert manifest["metadata"]["annotations"] == {"note": "lab"}


def test_with_both_scopes_only_namespaced_kinds_get_the_namespace(tmp_path):
    manifests = built(tmp_path, Overlay(name="x", scope="both", namespace="lab", source=HERE))
    namespaces = {kind: manifest["metadata"].get("namespace") for (kind, _), manifest in manifests.items()}
    assert namespaces == {
        "VirtualMachineClusterInstancetype": None,
        "VirtualMachineInstancetype": "lab",
        "VirtualMachineClusterPreference": None,
        "VirtualMachinePreference": "lab",
    }


def test_a_selection_by_name_leaves_out_the_rest_and_nothing_that_only_looks_alike(tmp_path):
    manifests = built(tmp_path, Overlay(name="x", select=Selection(names=("m.small2", "linux.*")), source=HERE))
    assert sorted(name for _, name in manifests) == ["linux.a", "m.small2"]


def test_a_kind_of_which_nothing_is_taken_is_not_listed(tmp_path):
    overlay = Overlay(name="x", select=Selection(kinds=("VirtualMachineClusterPreference",)), source=HERE)
    assert sorted(built(tmp_path, overlay)) == [("VirtualMachineClusterPreference", "linux.a")]


def test_a_patch_changes_what_it_targets_and_null_removes(tmp_path):
    patch = Patch(
        target=Selection(names=("m.small",)),
        patch={"spec": {"memory": {"overcommitPercent": 50}}, "metadata": {"labels": {"vendor": None}}},
    )
    manifests = built(tmp_path, Overlay(name="x", patches=(patch,), source=HERE))
    kind = "VirtualMachineClusterInstancetype"
    assert manifests[kind, "m.small"]["spec"]["memory"] == {"guest": "4Gi", "overcommitPercent": 50}
    assert not manifests[kind, "m.small"]["metadata"].get("labels")
    assert manifests[kind, "m.small2"]["spec"]["memory"] == {"guest": "4Gi"}


def test_a_patch_removes_a_part_of_the_spec(tmp_path):
    patch = Patch(target=Selection(names=("m.small",)), patch={"spec": {"memory": None}})
    manifests = built(tmp_path, Overlay(name="x", patches=(patch,), source=HERE))
    assert manifests["VirtualMachineClusterInstancetype", "m.small"]["spec"] == {"cpu": {"guest": 1}}


def template(name: str, *environments: str) -> SimpleNamespace:
    manifest = {"kind": "VirtualMachineTemplate", "metadata": {"name": name}}
    return SimpleNamespace(environments=environments, referring=(), manifest=lambda: manifest)


@pytest.mark.parametrize(
    ("templates", "is_resource", "deleted"),
    [
        ((), False, []),
        ((template("a", "y"),), False, []),
        ((template("a", "x"),), True, []),
        ((template("a", "x"), template("b", "y"), template("c.d", "y"), template("e", "y", "x")), True, [r"b|c\.d"]),
    ],
)
def test_templates_of_other_environments_are_deleted(templates, is_resource, deleted):
    text = overlay_kustomization(Overlay(name="x", scope="cluster", source=HERE), [], templates)
    document = otheryaml.load(text)
    assert ("../../base/VirtualMachineTemplate" in document["resources"]) is is_resource
    deletions = [patch["target"] for patch in document.get("patches", ()) if "$patch: delete" in patch["patch"]]
    assert deletions == [{"kind": "VirtualMachineTemplate", "name": name} for name in deleted]
