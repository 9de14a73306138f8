"""What an overlay deploys, as kustomize makes it of the rendered tree."""

from __future__ import annotations

from virtcatalog.catalog.model import NAMESPACED_KINDS, Catalog, Manifest, Overlay
from virtcatalog.manifests.merge import merge


def deployed(catalog: Catalog, environment: str = "") -> list[Manifest]:
    """Return the objects that the overlay of that name deploys; all objects when no overlay has the name."""
    overlay = next((each for each in catalog.overlays if each.name == environment), None)
    if overlay is None:
        return catalog.objects()
    return [_changed(each, overlay) for each in catalog.objects() if overlay.includes(each)]


def _changed(manifest: Manifest, overlay: Overlay) -> Manifest:
    """The object after the overlay's patches, its namespace, labels and annotations, in kustomize's order."""
    manifest = merge(manifest, *overlay.patches_for(manifest))
    metadata = manifest["metadata"]
    if overlay.namespace and manifest["kind"] in NAMESPACED_KINDS:
        metadata["namespace"] = overlay.namespace
    for part, additions in (("labels", overlay.labels), ("annotations", overlay.annotations)):
        if additions:
            metadata[part] = {**metadata.get(part, {}), **additions}
    return manifest
