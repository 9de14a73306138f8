"""What tells Argo CD and Flux to sync a tree, and that they can: nothing but manifests lies where they look."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

import otheryaml
from checkouts import unpack
from kustomizing import kustomize
from sampling import thorough
from virtcatalog.api.kinds import CATALOG_KINDS
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.environment import Overlay, Patch, Selection
from virtcatalog.catalog.labels import FLUX_SUBSTITUTE, SYNC_OPTIONS, SYNC_WAVE
from virtcatalog.catalog.model import Catalog, Instancetype, Preference
from virtcatalog.catalog.places import Source
from virtcatalog.render.gitops import (
    Destination,
    GitopsError,
    Origin,
    application_set,
    applications,
    flux,
    rivals,
)
from virtcatalog.render.output import render
from virtcatalog.render.tree import replace

HERE = Source(file="catalog.yaml")
GIT = "https://git.example.org/catalog.git"
PRODUCTION = Overlay(name="production", source=HERE)
LAB = Overlay(name="lab", scope="namespaced", namespace="virt-lab", source=HERE)


def git(**changes: str) -> Origin:
    return Origin(**{"name": "house", "url": GIT, "tree": "output", **changes})


def catalog(*overlays: Overlay) -> Catalog:
    spec = {"cpu": {"guest": 1}, "memory": {"guest": "4Gi"}}
    types = [
        Instancetype(
            name=f"m.{size}",
            series="m",
            size=size,
            vcpus=1,
            memory=Quantity.parse("4Gi"),
            spec=spec,
            labels={},
            annotations={},
            source=HERE,
        )
        for size in ("small", "small2", "large")
    ]
    linux = Preference(name="linux.a", base="linux.a", spec={}, labels={}, annotations={}, source=HERE)
    return Catalog(
        path="catalog",
        name="house",
        kubevirt="v1.7.0",
        instancetypes=tuple(types),
        preferences=(linux,),
        overlays=overlays,
    )


def synced(tmp_path: Path) -> Path:
    folder = tmp_path / "output"
    replace(folder, render(catalog(PRODUCTION, LAB)))
    return folder


@pytest.mark.parametrize("part", ["base", "overlays"])
def test_every_file_below_a_synced_path_is_one_manifest(tmp_path, part):
    files = [file for file in (synced(tmp_path) / part).rglob("*") if not file.is_dir()]
    assert files
    for file in files:
        (document,) = otheryaml.load_all(file.read_text())
        if file.name == "kustomization.yaml":
            assert document["kind"] == "Kustomization"
        else:
            assert document["kind"] in CATALOG_KINDS
            assert file.name == f"{document['metadata']['name']}.yaml"
            assert file.parent.name == document["kind"]


def test_an_environment_never_has_a_namespace_object(tmp_path):
    assert {manifest["kind"] for manifest in kustomize(synced(tmp_path) / "overlays/lab")} == {
        "VirtualMachineInstancetype",
        "VirtualMachinePreference",
    }


@thorough
def test_a_tar_of_the_tree_is_as_good_as_the_tree(tmp_path):
    folder = synced(tmp_path)
    artifact = tmp_path / "artifact.tar.gz"
    with tarfile.open(artifact, "w:gz") as archive:
        archive.add(folder, arcname=".")
    unpacked = tmp_path / "unpacked"
    with tarfile.open(artifact) as archive:
        assert all(member.isfile() or member.isdir() for member in archive)
        unpack(archive, unpacked)
    for path in ("overlays/production", "overlays/lab", "base", "."):
        assert kustomize(unpacked / path) == kustomize(folder / path)


def test_annotations_of_an_environment_reach_its_objects(tmp_path):
    literal = Patch(
        Selection(names=("m.small",), kinds=("VirtualMachineClusterInstancetype",)),
        {"metadata": {"annotations": {FLUX_SUBSTITUTE: "disabled"}}},
    )
    overlay = Overlay(
        name="x", annotations={SYNC_WAVE: "-1", SYNC_OPTIONS: "Prune=false"}, patches=(literal,), source=HERE
    )
    replace(tmp_path / "output", render(catalog(overlay)))
    objects = kustomize(tmp_path / "output/overlays/x")
    assert len(objects) == 4
    for obj in objects:
        annotations = obj["metadata"]["annotations"]
        assert annotations[SYNC_WAVE] == "-1"
        assert annotations[SYNC_OPTIONS] == "Prune=false"
        assert (FLUX_SUBSTITUTE in annotations) == (obj["metadata"]["name"] == "m.small")


def test_an_application_syncs_one_environment():
    (application,) = applications(git(), [Destination(PRODUCTION)])
    assert application["metadata"]["name"] == "house-production"
    assert application["metadata"]["namespace"] == "argocd"
    assert application["metadata"]["annotations"] == {"argocd.argoproj.io/manifest-generate-paths": "/output"}
    assert application["spec"] == {
        "project": "default",
        "source": {"repoURL": GIT, "targetRevision": "main", "path": "output/overlays/production"},
        "destination": {"name": "in-cluster"},
        "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
    }


def test_deleting_an_application_leaves_the_objects_in_the_cluster():
    (application,) = applications(git(), [Destination(PRODUCTION)])
    assert "finalizers" not in application["metadata"]
    generated = application_set(git(), [Destination(PRODUCTION)])
    assert generated["spec"]["syncPolicy"] == {"preserveResourcesOnDeletion": True}


def test_argo_cd_creates_the_namespace_of_an_environment():
    (application,) = applications(git(), [Destination(LAB, "lab-1")])
    assert application["spec"]["destination"] == {"name": "lab-1", "namespace": "virt-lab"}
    assert application["spec"]["syncPolicy"]["syncOptions"] == ["CreateNamespace=true"]


def test_an_application_set_makes_an_application_for_each_environment():
    generated = application_set(git(), [Destination(PRODUCTION, "prod-1"), Destination(LAB)])
    (generator,) = generated["spec"]["generators"]
    elements = generator["list"]["elements"]
    of_set = [otheryaml.load(evaluated(otheryaml.dump(generated["spec"]["template"]), element)) for element in elements]
    alone = applications(git(), [Destination(PRODUCTION, "prod-1"), Destination(LAB)])
    assert [application["metadata"]["name"] for application in of_set] == ["house-production", "house-lab"]
    specs = [application["spec"] for application in of_set]
    assert [spec["source"] for spec in specs] == [application["spec"]["source"] for application in alone]
    assert [spec["destination"] for spec in specs] == [
        {"name": "prod-1", "namespace": ""},
        {"name": "in-cluster", "namespace": "virt-lab"},
    ]
    assert [spec["syncPolicy"]["syncOptions"] for spec in specs] == [
        ["CreateNamespace=false"],
        ["CreateNamespace=true"],
    ]


def evaluated(template: str, element: dict[str, str]) -> str:
    for key, value in element.items():
        template = template.replace(f"{{{{ .{key} }}}}", value)
    assert "{{" not in template
    return template


def test_environments_with_common_objects_are_rivals_in_one_cluster():
    one, two = Overlay(name="one", source=HERE), Overlay(name="two", scope="both", namespace="virt-lab", source=HERE)
    house = catalog(one, two, LAB)
    assert rivals(house, [Destination(one), Destination(LAB)]) == []
    assert rivals(house, [Destination(one), Destination(two)]) == [["one", "two"]]
    assert rivals(house, [Destination(one), Destination(two), Destination(LAB)]) == [["one", "two"], ["two", "lab"]]
    assert rivals(house, [Destination(one, "a"), Destination(two, "b")]) == []


def test_environments_that_share_no_object_are_no_rivals():
    types = Overlay(name="types", select=Selection(names=("m*",)), source=HERE)
    preferences = Overlay(name="preferences", select=Selection(names=("linux.*",)), source=HERE)
    assert rivals(catalog(types, preferences), [Destination(types), Destination(preferences)]) == []


def test_flux_gets_a_source_and_a_kustomization_for_each_environment():
    source, namespace, production, lab = flux(git(), [PRODUCTION, LAB])
    assert source["kind"] == "GitRepository"
    assert source["spec"] == {"interval": "5m", "url": GIT, "ref": {"branch": "main"}, "ignore": "/*\n!/output\n"}
    assert namespace["kind"] == "Namespace"
    assert namespace["metadata"] == {
        "name": "virt-lab",
        "annotations": {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
    }
    assert [application["metadata"] for application in (production, lab)] == [
        {"name": "house-production", "namespace": "flux-system"},
        {"name": "house-lab", "namespace": "flux-system"},
    ]
    assert lab["spec"]["sourceRef"] == {"kind": "GitRepository", "name": "house"}
    assert lab["spec"]["path"] == "./output/overlays/lab"
    assert lab["spec"]["deletionPolicy"] == "Orphan"


@pytest.mark.parametrize(
    ("revision", "reference"),
    [
        ("", {"branch": "main"}),
        ("stable", {"branch": "stable"}),
        ("refs/tags/v1.2.0", {"name": "refs/tags/v1.2.0"}),
        ("a" * 40, {"commit": "a" * 40}),
        ("a" * 39, {"branch": "a" * 39}),
    ],
)
def test_which_revision_of_a_repository_flux_takes(revision, reference):
    source = flux(git(revision=revision), [PRODUCTION])[0]
    assert source["spec"]["ref"] == reference


@pytest.mark.parametrize(
    ("revision", "reference"),
    [
        ("", {"tag": "latest"}),
        ("v1.2.0", {"tag": "v1.2.0"}),
        (">=1.0.0 <2.0.0", {"semver": ">=1.0.0 <2.0.0"}),
        ("1||3", {"semver": "1||3"}),
        ("1.x", {"semver": "1.x"}),
        ("v1.2.X", {"semver": "v1.2.X"}),
        ("1.xenial", {"tag": "1.xenial"}),
        ("release-1.x", {"tag": "release-1.x"}),
        ("sha256:" + "a" * 64, {"digest": "sha256:" + "a" * 64}),
    ],
)
def test_which_version_of_an_artifact_flux_takes(revision, reference):
    source, production = flux(git(url="oci://registry.example.org/house", revision=revision, tree=""), [PRODUCTION])
    assert source["kind"] == "OCIRepository"
    assert source["spec"] == {"interval": "5m", "url": "oci://registry.example.org/house", "ref": reference}
    assert production["spec"]["path"] == "./overlays/production"
    assert production["spec"]["sourceRef"]["kind"] == "OCIRepository"


def test_argo_cd_takes_an_artifact_whose_top_is_the_tree():
    (application,) = applications(git(url="oci://registry.example.org/house", tree=""), [Destination(PRODUCTION)])
    assert application["spec"]["source"] == {
        "repoURL": "oci://registry.example.org/house",
        "targetRevision": "latest",
        "path": "overlays/production",
    }
    assert "annotations" not in application["metadata"]


def test_a_tree_in_a_folder_of_a_folder_is_not_cut_out_of_the_repository():
    assert "ignore" not in flux(git(tree="virt/output"), [PRODUCTION])[0]["spec"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("git@git.example.org:a/b.git", "Flux takes URLs only; this one is ssh://git@git.example.org/a/b.git"),
        ("ftp://git.example.org/a", "Flux takes https://, http://, ssh:// and oci:// URLs"),
        ("git.example.org/a", "Flux takes https://, http://, ssh:// and oci:// URLs"),
    ],
)
def test_what_flux_does_not_take(url, message):
    with pytest.raises(GitopsError) as caught:
        flux(git(url=url), [PRODUCTION])
    assert str(caught.value) == f"{url}: {message}"
