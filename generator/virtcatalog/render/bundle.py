"""Bundles: all objects in one file, and a file a kind, named as common-instancetypes names its releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from virtcatalog.catalog.kinds import (
    CLUSTER_INSTANCETYPE,
    CLUSTER_PREFERENCE,
    INSTANCETYPE,
    KINDS,
    PREFERENCE,
    TEMPLATE,
)
from virtcatalog.limits import MIB
from virtcatalog.manifests.emit import join

CHECKSUMS = "CHECKSUMS.sha256"

#: The part of a bundle's name between the catalog's and `-bundle.yaml`, and the kinds it holds.
BUNDLES = {
    "instancetypes-all": KINDS,
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
