"""kustomization.yaml files, and bundles: all objects in one file and a file a kind.

The base lists its files explicitly; overlays are real kustomize over it. Bundles are named as common-instancetypes
names its releases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from virtcatalog.api.kinds import (
    CATALOG_API_VERSION,
    CATALOG_KINDS,
    CLUSTER_INSTANCETYPE,
    CLUSTER_PREFERENCE,
    INSTANCETYPE,
    NAMESPACED_KINDS,
    PREFERENCE,
    TEMPLATE,
)
from virtcatalog.api.names import DEPRECATED_LABEL
from virtcatalog.catalog.environment import Overlay, Selection
from virtcatalog.catalog.model import Template
from virtcatalog.limits import MIB
from virtcatalog.manifests.emit import dump, join
from virtcatalog.manifests.fields import pointer_step
from virtcatalog.manifests.identity import Data

_HEAD = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}


def kustomization(resources: Iterable[str]) -> str:
    """Return a kustomization that does nothing but list its resources."""
    return dump({**_HEAD, "resources": list(resources)})


def overlay_kustomization(overlay: Overlay, objects: Sequence[Data], templates: Sequence[Template]) -> str:
    """Return the overlay over `../../base`: the kinds it takes, what it leaves out, and what it changes."""
    taken = {kind: [manifest for manifest in objects if manifest["kind"] == kind] for kind in overlay.kinds}
    left_out = {
        kind: [manifest for manifest in taken[kind] if not overlay.includes(manifest)] for kind in overlay.kinds
    }
    kinds = [kind for kind in overlay.kinds if len(left_out[kind]) < len(taken[kind])]
    document: dict[str, Any] = {**_HEAD, "resources": [f"../../base/{kind}" for kind in kinds]}
    patches = [patch for kind in kinds for patch in _deletions(overlay, left_out[kind])]
    offered = [template for template in templates if overlay.name in template.environments]
    if offered:
        document["resources"].append(f"../../base/{TEMPLATE}")
        missing = [template.manifest() for template in templates if template not in offered]
        patches += [_delete(target) for target in _targets(missing)]
    if not overlay.deprecated:
        patches.insert(0, _delete({"labelSelector": f"{DEPRECATED_LABEL}=true"}))
    included = [manifest for kind in kinds for manifest in taken[kind] if overlay.includes(manifest)]
    for patch in overlay.patches:
        patches += _merges(patch.target, patch.patch, included)
    if overlay.namespace and overlay.scope == "namespaced":
        document["namespace"] = overlay.namespace
        patches += _own_kinds(offered)
    elif overlay.namespace:
        # kustomize does not know which custom kinds are cluster-wide, and would give those a namespace too.
        patches += [_move(kind, overlay.namespace) for kind in kinds if kind in NAMESPACED_KINDS]
    if offered and overlay.scope != "namespaced":
        patches.append(_move(TEMPLATE, overlay.template_namespace))
    if overlay.labels:
        document["labels"] = [{"pairs": dict(sorted(overlay.labels.items()))}]
    if overlay.annotations:
        document["commonAnnotations"] = dict(sorted(overlay.annotations.items()))
    if patches:
        document["patches"] = patches
    return dump(document)


def _deletions(overlay: Overlay, left_out: Sequence[Data]) -> list[dict[str, Any]]:
    """One patch for what the overlay's selection leaves out of a kind, beside deprecated objects."""
    rest = [
        manifest
        for manifest in left_out
        if overlay.deprecated or (manifest["metadata"].get("labels") or {}).get(DEPRECATED_LABEL) != "true"
    ]
    return [_delete(target) for target in _targets(rest)]


def _delete(target: dict[str, str]) -> dict[str, Any]:
    return {"target": target, "patch": dump({**_identity(), "$patch": "delete"})}


def _merges(target: Selection, patch: dict[str, Any], included: Sequence[Data]) -> list[dict[str, Any]]:
    """The merge patch, once per kind in which it selects objects."""
    selected = [manifest for manifest in included if target.matches(manifest)]
    metadata = patch.get("metadata", {})
    remaining = {
        part: {key: value for key, value in values.items() if value is not None} for part, values in metadata.items()
    }
    patches = []
    if patch.get("spec") or any(remaining.values()):
        body = dump({**_identity(), **patch, "metadata": {**remaining, "name": "any"}})
        patches += [{"target": where, "patch": body} for where in _targets(selected)]
    # kustomize writes "null" for a label that a merge patch removes; a JSON patch does remove it.
    for part, values in metadata.items():
        for key, value in values.items():
            if value is None:
                having = [manifest for manifest in selected if key in manifest["metadata"].get(part, {})]
                path = f"/metadata/{part}/{pointer_step(key)}"
                removal = dump([{"op": "remove", "path": path}])
                patches += [{"target": where, "patch": removal} for where in _targets(having)]
    return patches


def _targets(objects: Sequence[Data]) -> list[dict[str, str]]:
    """kustomize targets that select exactly these objects: one a kind."""
    names: dict[str, list[str]] = {}
    for manifest in objects:
        names.setdefault(manifest["kind"], []).append(manifest["metadata"]["name"])
    return [{"kind": kind, "name": "|".join(map(re.escape, members))} for kind, members in names.items()]


def _own_kinds(templates: Sequence[Template]) -> Iterator[dict[str, Any]]:
    """Patches that have the templates' VMs name the namespace's own types and preferences."""
    for part in ("instancetype", "preference"):
        having = [template.manifest() for template in templates if part in template.referring]
        path = f"/spec/virtualMachine/spec/{part}/kind"
        operation = {"op": "replace", "path": path, "value": f"VirtualMachine{part.capitalize()}"}
        yield from ({"target": target, "patch": dump([operation])} for target in _targets(having))


def _move(kind: str, namespace: str) -> dict[str, Any]:
    operation = {"op": "add", "path": "/metadata/namespace", "value": namespace}
    return {"target": {"kind": kind}, "patch": dump([operation])}


def _identity() -> dict[str, Any]:
    # With a target, kustomize wants these in a patch and ignores their values.
    return {"apiVersion": CATALOG_API_VERSION, "kind": "any", "metadata": {"name": "any"}}


CHECKSUMS = "CHECKSUMS.sha256"

#: The part of a bundle's name between the catalog's and `-bundle.yaml`, and the kinds it holds.
BUNDLES = {
    "instancetypes-all": CATALOG_KINDS,
    "instancetypes": (INSTANCETYPE,),
    "clusterinstancetypes": (CLUSTER_INSTANCETYPE,),
    "preferences": (PREFERENCE,),
    "clusterpreferences": (CLUSTER_PREFERENCE,),
}


def version_label(catalog_name: str) -> str:
    """Return the label of a bundle's objects that says which version of the catalog they are.

    That of kubevirt/common-instancetypes (docs/labels.md there), whose bundles are named in the same way.
    """
    return f"instancetype.kubevirt.io/{catalog_name}-instancetypes-version"


def bundles(catalog_name: str, texts: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return {file name: text} for the five bundles, another one of templates, and their checksums.

    `texts` holds the YAML documents by kind."""
    held = {**BUNDLES, "virtualmachinetemplates": (TEMPLATE,)} if TEMPLATE in texts else BUNDLES
    files = {
        f"{catalog_name}-{part}-bundle.yaml": join(text for kind in kinds for text in texts[kind])
        for part, kinds in held.items()
    }
    # The format of sha256sum, so that `sha256sum --check` reads it.
    digests = {name: _digest(text) for name, text in files.items()}
    files[CHECKSUMS] = "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    return files


def _digest(text: str) -> str:
    """The SHA-256, encoded in pieces: a bundle may have many megabytes."""
    digest = sha256()
    for start in range(0, len(text), MIB):
        digest.update(text[start : start + MIB].encode())
    return digest.hexdigest()
