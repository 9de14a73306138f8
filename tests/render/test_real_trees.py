"""The trees of this repository's catalogs: kustomize makes of them exactly the objects of their bundles."""

from __future__ import annotations

from pathlib import Path

import pytest

import otheryaml
from kustomizing import by_identity, kustomize
from sampling import thorough
from virtcatalog.catalog.load import load_catalog
from virtcatalog.render.output import render
from virtcatalog.render.tree import replace

ROOT = Path(__file__).resolve().parents[2]
CATALOGS = ("catalog", "examples/common-instancetypes", "examples/downstream")


@thorough
@pytest.mark.parametrize("path", CATALOGS)
def test_the_base_holds_the_objects_of_the_bundles_and_no_others(tmp_path, path):
    catalog = load_catalog(ROOT / path)
    replace(tmp_path / "output", render(catalog))
    bundles = sorted((tmp_path / "output/bundles").glob("*-bundle.yaml"))
    held = {bundle.name: otheryaml.load_all(bundle.read_text()) for bundle in bundles}
    whole = by_identity(held.pop(f"{catalog.name}-instancetypes-all-bundle.yaml"))
    templates = held.pop(f"{catalog.name}-virtualmachinetemplates-bundle.yaml", [])
    assert by_identity(templates) == by_identity(catalog.template_objects())
    if templates:
        assert by_identity(kustomize(tmp_path / "output/base/VirtualMachineTemplate")) == by_identity(templates)
    assert by_identity([obj for objects in held.values() for obj in objects]) == whole
    assert by_identity(kustomize(tmp_path / "output")) == whole == by_identity(kustomize(tmp_path / "output/base"))


@thorough
def test_every_overlay_of_ours_deploys_what_is_said_of_it():
    catalog = load_catalog(ROOT / "catalog")
    assert [overlay.name for overlay in catalog.overlays] == ["production", "lab"]
    for overlay in catalog.overlays:
        ours = by_identity(kustomize(ROOT / "output/overlays" / overlay.name))
        deployed = [*catalog.objects(overlay.name), *catalog.template_objects(overlay.name)]
        assert ours == by_identity(deployed)
