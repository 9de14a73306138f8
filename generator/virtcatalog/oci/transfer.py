"""Artifacts on their way to and from a registry.

A tag is written last, when everything else of an artifact is there: whoever comes by a tag never gets half of one, or
one without its signature. A push that is interrupted is repeated; what has arrived is not sent again.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from virtcatalog.limits import ARTIFACT_BYTES, ARTIFACT_MANIFEST_BYTES
from virtcatalog.oci.image import INDEX, Descriptor, Image, digest_of
from virtcatalog.oci.reference import OciError, Reference
from virtcatalog.oci.registry import Registry
from virtcatalog.oci.store import Artifact, Store, artifact_of, layer_of


class _Index(msgspec.Struct, rename="camel"):
    """What is about an artifact, where a registry does not list that itself."""

    schema_version: int
    media_type: str
    manifests: list[Descriptor]


def push(
    registry: Registry, image: Image, tag: str, about: Sequence[Image] = (), tagged: Sequence[tuple[str, Image]] = ()
) -> None:
    """Store an artifact under a tag, with artifacts that are `about` it, and others under tags of their own."""
    _store(registry, image, image.descriptor.digest)
    for other in about:
        _attach(registry, image.descriptor.digest, other)
    for name, other in (*tagged, (tag, image)):
        _store(registry, other, name)


def _store(registry: Registry, image: Image, name: str) -> bool:
    for blob in image.blobs:
        registry.put_blob(blob)
    return registry.put_manifest(name, image.manifest)


def _attach(registry: Registry, subject: str, image: Image) -> None:
    """Store an artifact that is about another; a registry of old has the list under a tag (referrers tag schema)."""
    if _store(registry, image, image.descriptor.digest):
        return
    tag = subject.replace(":", "-")
    there = registry.manifest(tag)
    index = _Index(2, INDEX, [])
    if there is not None:
        try:
            index = msgspec.json.decode(there, type=_Index)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise OciError(f"{registry.place}:{tag}: is no list of artifacts: {error}") from None
    if all(listed.digest != image.descriptor.digest for listed in index.manifests):
        index.manifests.append(image.descriptor)
        registry.put_manifest(tag, msgspec.json.encode(index), INDEX)


def pull(registry: Registry, reference: Reference, store: Store) -> Artifact:
    """Return an artifact, and keep it in the store; its reference has the digest then."""
    there = store.get(reference.digest, ARTIFACT_MANIFEST_BYTES) if reference.digest else None
    manifest = there or registry.manifest(reference.digest or reference.tag or "latest")
    if manifest is None:
        raise OciError(f"{reference}: the registry has no such artifact")
    exact = reference.at(digest_of(manifest))
    layer = layer_of(exact, manifest)
    content = store.get(layer.digest, ARTIFACT_BYTES) or registry.blob(layer.digest, layer.size)
    artifact = artifact_of(exact, manifest, content)
    store.put(content)
    store.put(manifest)
    return artifact
