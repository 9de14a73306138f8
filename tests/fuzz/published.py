"""What is fuzzed of artifacts: a manifest and a layer as a registry may give them, and the catalog in them."""

from __future__ import annotations

import json
import tarfile
from functools import cache
from io import BytesIO

from choices import Choices

from virtcatalog import load_catalog
from virtcatalog.catalog.artifacts import catalog_in
from virtcatalog.errors import VirtcatalogError
from virtcatalog.oci.image import CATALOG, Image, gzipped, image_of
from virtcatalog.oci.reference import Reference, parse
from virtcatalog.oci.store import artifact_of, layer_of
from virtcatalog.publish.artifact import tree_of
from virtcatalog.render.ownership import with_ownership

_REFERENCE = Reference("registry.example.com", "a/b", "v1", "sha256:" + "0" * 64)
_NAMES = (
    "a",
    "a/b",
    "../a",
    "/a",
    ".",
    "",
    "declarations/catalog/a",
    "base/x",
    "ä\x1b",
    "a" * 300,
    "a\nb",
    "a/../../b",
)
_KINDS = (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, b"x", b"S", b"7")


def artifacts(data: bytes) -> None:
    choices = Choices(data)
    image = _image()
    fields = json.loads(image.manifest)
    manifest = json.dumps(choices.edited(fields) if choices.number(2) == 0 else fields).encode("utf-8", "surrogatepass")
    layer = choices.one((image.blobs[1].content, _layer(choices)))
    if choices.number(3) == 0:
        layer = choices.mangled(layer)
    try:
        parse(choices.text())
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")
    try:
        layer_of(_REFERENCE, manifest)
        artifact = artifact_of(_REFERENCE, manifest, layer)
        folder, home = catalog_in(artifact)
        load_catalog(home, folder)
        tree_of(artifact)
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


@cache
def _image() -> Image:
    home = "declarations/catalog"
    tree = {
        f"{home}/catalog.yaml": "name: a\nkubevirt: v1.9.0\n",
        f"{home}/instancetypes/m.yaml": "class: m\nsizes: {small: {vcpus: 1, memory: 1Gi}}\n",
    }
    return image_of({path: text.encode() for path, text in with_ownership(tree, "a").items()}, {CATALOG: home})


def _layer(choices: Choices) -> bytes:
    """Return a layer of members of any kind and name."""
    content = BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=choices.one((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))) as tar:
        for _ in range(choices.number(5)):
            member = tarfile.TarInfo(choices.one((*_NAMES, choices.text())).replace("\0", ""))
            member.type, member.linkname = choices.one(_KINDS), choices.one(_NAMES)
            text = choices.text().encode("utf-8", "surrogateescape")
            member.size = len(text) if member.type == tarfile.REGTYPE else 0
            tar.addfile(member, BytesIO(text))
    return gzipped(content.getvalue())


TARGETS = {"artifacts": artifacts}
