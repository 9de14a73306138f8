"""The output tree: every path and its text, as a pure function of the catalog.

    README.md, catalog.json         the index, for people and for consoles
    kustomization.yaml              the base
    base/KIND/NAME.yaml             one object a file
    overlays/NAME/                  the environments
    bundles/                        all objects in five files, with checksums

Tools sync `base/` or an overlay; nothing but manifests lies there.
"""

from __future__ import annotations

from virtcatalog.api.kinds import (
    CATALOG_API_VERSION,
    CATALOG_KINDS,
    INSTANCETYPE_KINDS,
    PREFERENCE_KINDS,
    TEMPLATE,
    TEMPLATES_SINCE,
)
from virtcatalog.api.shape import parse_release
from virtcatalog.catalog.model import Catalog
from virtcatalog.errors import CatalogError, Problem
from virtcatalog.limits import MIB, RENDERED_BYTES
from virtcatalog.manifests.emit import dump
from virtcatalog.progress import tracked
from virtcatalog.render.index import catalog_json, readme
from virtcatalog.render.kustomize import bundles, kustomization, overlay_kustomization, version_label

Tree = dict[str, str]


def _templates(catalog: Catalog, texts: dict[str, list[str]]) -> Tree:
    """VirtualMachineTemplates, if there are any: in a base of their own, as not every KubeVirt knows them."""
    if not catalog.templates:
        return {}
    tree = {}
    for template in catalog.templates:
        tree[f"base/{TEMPLATE}/{template.name}.yaml"] = dump(template.manifest())
    texts[TEMPLATE] = list(tree.values())
    listed = kustomization(f"{template.name}.yaml" for template in catalog.templates)
    return tree | {f"base/{TEMPLATE}/kustomization.yaml": listed}


def render(catalog: Catalog) -> Tree:
    """Return {path relative to the output folder: text}, sorted by path."""
    tree: Tree = {}
    texts: dict[str, list[str]] = {kind: [] for kind in CATALOG_KINDS}
    size = 0
    for entries, kinds, noun in (
        (catalog.instancetypes, INSTANCETYPE_KINDS, "instance types"),
        (catalog.preferences, PREFERENCE_KINDS, "preferences"),
    ):
        for entry in tracked(entries, len(entries), noun):
            # Both scopes hold the same, so it is written out once.
            metadata = entry.metadata()
            body = bundled = dump({"metadata": metadata, "spec": entry.spec})
            if catalog.version:
                # Like common-instancetypes' own, bundles alone carry the version, lest a release change every file.
                labels = metadata.get("labels", {}) | {version_label(catalog.name): catalog.version}
                metadata["labels"] = dict(sorted(labels.items()))
                bundled = dump({"metadata": metadata, "spec": entry.spec})
            for kind in kinds:
                head = f"apiVersion: {CATALOG_API_VERSION}\nkind: {kind}\n"
                text = tree[f"base/{kind}/{entry.name}.yaml"] = head + body
                size += len(text)
                texts[kind].append(head + bundled if bundled is not body else text)
            if size > RENDERED_BYTES:
                place = entry.source
                message = f"with this, the manifests of the catalog have more than {RENDERED_BYTES // MIB} MiB"
                raise CatalogError(Problem(place.file, place.line, place.column, entry.name, "", message))
        for kind in kinds:
            tree[f"base/{kind}/kustomization.yaml"] = kustomization(f"{entry.name}.yaml" for entry in entries)
    tree |= _templates(catalog, texts)
    served = [TEMPLATE] if catalog.templates and parse_release(catalog.kubevirt) >= TEMPLATES_SINCE else []
    tree["base/kustomization.yaml"] = kustomization([*CATALOG_KINDS, *served])
    tree["kustomization.yaml"] = kustomization(["base"])
    objects = catalog.objects() if catalog.overlays else []
    for overlay in catalog.overlays:
        tree[f"overlays/{overlay.name}/kustomization.yaml"] = overlay_kustomization(overlay, objects, catalog.templates)
    # The index takes memory while it is rendered, the bundles from then on: so the index comes first.
    tree["catalog.json"] = catalog_json(catalog)
    tree["README.md"] = readme(catalog)
    for name, text in bundles(catalog.name, texts).items():
        tree[f"bundles/{name}"] = text
    return dict(sorted(tree.items()))
