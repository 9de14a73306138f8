"""The output tree, whole: every path and its text, as a pure function of the catalog.

    README.md, catalog.json         the index, for people and for consoles
    kustomization.yaml              the base
    base/KIND/NAME.yaml             one object a file
    overlays/NAME/                  the environments
    bundles/                        all objects in five files, with checksums

Tools sync `base/` or an overlay; nothing but manifests lies there.
"""

from __future__ import annotations

from virtcatalog.api.emit import dump
from virtcatalog.catalog.model import KINDS, Catalog
from virtcatalog.render.bundle import bundles
from virtcatalog.render.index import catalog_json, readme
from virtcatalog.render.kustomize import kustomization, overlay_kustomization

Tree = dict[str, str]


def render(catalog: Catalog) -> Tree:
    """Return {path relative to the output folder: text}, sorted by path."""
    tree: Tree = {}
    texts: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for kind in KINDS:
        names = []
        for manifest in catalog.objects_of(kind):
            name = manifest["metadata"]["name"]
            text = dump(manifest)
            tree[f"base/{kind}/{name}.yaml"] = text
            texts[kind].append(text)
            names.append(f"{name}.yaml")
        tree[f"base/{kind}/kustomization.yaml"] = kustomization(names)
    tree["base/kustomization.yaml"] = kustomization(KINDS)
    tree["kustomization.yaml"] = kustomization(["base"])
    for overlay in catalog.overlays:
        tree[f"overlays/{overlay.name}/kustomization.yaml"] = overlay_kustomization(overlay, catalog.objects())
    for name, text in bundles(catalog.name, texts).items():
        tree[f"bundles/{name}"] = text
    tree["catalog.json"] = catalog_json(catalog)
    tree["README.md"] = readme(catalog)
    return dict(sorted(tree.items()))
