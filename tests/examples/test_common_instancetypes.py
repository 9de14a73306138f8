"""examples/common-instancetypes renders what kubevirt/common-instancetypes publishes.

`published.txt` holds digests of that, as its branch main was on 2026-08-21; `deployed.txt` those of what differs in the
releases that KubeVirt's operator deploys, each against the next newer one (`-`: it is not there yet). The label that
names upstream's release is left out.
"""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from virtcatalog.catalog.load import load_catalog
from virtcatalog.releases import RELEASES
from virtcatalog.render.output import render

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/common-instancetypes"
HERE = Path(__file__).parent
#: Annotations that hold prose, which is our own.
PROSE = ("instancetype.kubevirt.io/description", "openshift.io/documentation-url", "openshift.io/support-url")


@pytest.fixture(scope="module")
def catalog():
    return load_catalog(EXAMPLE)


def identity(manifest):
    return f"{manifest['kind']}/{manifest['metadata']['name']}"


def without_prose(manifest):
    metadata = manifest["metadata"]
    annotations = {key: value for key, value in metadata.get("annotations", {}).items() if key not in PROSE}
    return {**manifest, "metadata": {**metadata, "annotations": annotations}}


@pytest.fixture(scope="module")
def published():
    """{what: its digest}: of every object without its prose, `Kind/name`, and of each line of its descriptions."""
    lines = [line.split() for line in (HERE / "published.txt").read_text().splitlines()]
    return {kind: {name: digest for of, name, digest in lines if of == kind} for kind, _, _ in lines}


def test_objects_are_the_published_ones(catalog, published):
    ours = {identity(obj): digest(without_prose(obj)) for obj in catalog.objects()}
    assert ours == published["object"]


def test_main_is_what_upstream_has_and_no_operator_deploys_yet(published):
    catalog = load_catalog("common-instancetypes@main")
    assert {identity(obj): digest(without_prose(obj)) for obj in catalog.objects()} == published["object"]
    assert "preview" in catalog.description
    newest = load_catalog("common-instancetypes@v1.7.0")
    assert {identity(obj) for obj in catalog.objects()} > {identity(obj) for obj in newest.objects()}


@pytest.mark.parametrize("release", RELEASES)
def test_what_an_operator_deploys_is_the_published_release(published, release):
    expected = {name: checksum for name, checksum in published["object"].items() if "Cluster" in name}
    for line in (HERE / "deployed.txt").read_text().splitlines():
        of, name, checksum = line.split()
        if f"common-instancetypes@{of}" >= RELEASES[release].common_instancetypes:
            expected[name] = checksum
    catalog = load_catalog(RELEASES[release].common_instancetypes)
    ours = {identity(obj): digest(without_prose(obj)) for obj in catalog.objects() if "Cluster" in obj["kind"]}
    assert ours == {name: checksum for name, checksum in expected.items() if checksum != "-"}
    assert catalog.kubevirt.rpartition(".")[0] == release.rpartition(".")[0]


def test_descriptions_are_our_own(catalog, published):
    ours = {digest(line) for obj in catalog.objects() for line in prose(obj)}
    assert ours
    assert not ours & set(published["description"].values())


def prose(manifest):
    description = manifest["metadata"].get("annotations", {}).get("instancetype.kubevirt.io/description", "")
    return {line.strip() for line in description.splitlines() if line.strip()}


def test_there_are_65_instancetypes_and_57_preferences(catalog):
    assert (len(catalog.instancetypes), len(catalog.preferences)) == (65, 57)
    assert len(catalog.objects()) == 244


def digest(value):
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def test_bundles_are_named_as_published(catalog):
    assert sorted(path.removeprefix("bundles/") for path in render(catalog) if path.startswith("bundles/")) == [
        "CHECKSUMS.sha256",
        "common-clusterinstancetypes-bundle.yaml",
        "common-clusterpreferences-bundle.yaml",
        "common-instancetypes-all-bundle.yaml",
        "common-instancetypes-bundle.yaml",
        "common-preferences-bundle.yaml",
    ]


def test_the_declarations_are_short():
    lines = [line.strip() for path in EXAMPLE.rglob("*.yaml") for line in path.read_text().splitlines()]
    assert sum(bool(line) and not line.startswith("#") for line in lines) <= 400
