"""Artifacts on their way to and from a registry.

A tag is written last, when everything else of an artifact is there: whoever comes by a tag never gets half of one, or
one without its signature. A push that is interrupted is repeated; what has arrived is not sent again.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from virtcatalog.limits import ARTIFACT_BYTES, ARTIFACT_MANIFEST_BYTES
from virtcatalog.oci.image import (
    IMAGE_CONFIG,
    INDEX,
    MANIFEST,
    Blob,
    Descriptor,
    Image,
    Manifest,
    as_json,
    digest_of,
    read_manifest,
)
from virtcatalog.oci.reference import OciError, Reference
from virtcatalog.oci.registry import Registry
from virtcatalog.oci.store import Artifact, Store, artifact_of, layer_of


class _Index(msgspec.Struct, rename="camel"):
    """What is about an artifact, where a registry does not list that itself."""

    schema_version: int
    media_type: str
    manifests: list[Descriptor]


def push(
    registry: Registry,
    image: Image,
    tag: str,
    about: Sequence[Image] = (),
    signature: tuple[Blob, dict[str, str]] | None = None,
) -> None:
    """Store an artifact under a tag, with artifacts that are `about` it, and a signature of cosign 2's."""
    digest = image.descriptor.digest
    _store(registry, image, digest)
    for other in about:
        _attach(registry, digest, other)
    if signature is not None:
        _sign(registry, digest, *signature)
    registry.put_manifest(tag, image.manifest)


def _sign(registry: Registry, subject: str, payload: Blob, annotations: dict[str, str]) -> None:
    """Add a signature to those under the tag of an artifact's signatures, which may be of others."""
    tag = f"{subject.replace(':', '-')}.sig"
    content = registry.manifest(tag)
    signatures = [] if content is None else read_manifest(content).layers
    ours = payload.descriptor(annotations)
    if ours in signatures:
        return
    signatures.append(ours)
    config = Blob(
        IMAGE_CONFIG,
        as_json(
            {
                "architecture": "",
                "os": "",
                "config": {},
                "rootfs": {"type": "layers", "diff_ids": [layer.digest for layer in signatures]},
            }
        ),
    )
    manifest = Manifest(schema_version=2, media_type=MANIFEST, config=config.descriptor(), layers=signatures)
    _store(registry, Image(msgspec.json.encode(manifest), (config, payload)), tag)


def _store(registry: Registry, image: Image, name: str) -> bool:
    for blob in image.blobs:
        registry.put_blob(blob)
    return registry.put_manifest(name, image.manifest)


def _attach(registry: Registry, subject: str, image: Image) -> None:
    """Store an artifact that is about another; a registry of old has the list under a tag (referrers tag schema)."""
    if _store(registry, image, image.descriptor.digest):
        return
    tag = subject.replace(":", "-")
    content = registry.manifest(tag)
    index = _Index(2, INDEX, [])
    if content is not None:
        try:
            index = msgspec.json.decode(content, type=_Index)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise OciError(f"{registry.place}:{tag}: is no list of artifacts: {error}") from None
    if all(listed.digest != image.descriptor.digest for listed in index.manifests):
        index.manifests.append(image.descriptor)
        registry.put_manifest(tag, msgspec.json.encode(index), INDEX)


def pull(registry: Registry, reference: Reference, store: Store) -> Artifact:
    """Return an artifact, and keep it in the store; its reference has the digest then."""
    stored_manifest = store.get(reference.digest, ARTIFACT_MANIFEST_BYTES) if reference.digest else None
    manifest = stored_manifest or registry.manifest(reference.digest or reference.tag or "latest")
    if manifest is None:
        raise OciError(f"{reference}: the registry has no such artifact")
    exact = reference.at(digest_of(manifest))
    layer = layer_of(exact, manifest)
    content = store.get(layer.digest, ARTIFACT_BYTES) or registry.blob(layer.digest, layer.size)
    artifact = artifact_of(exact, manifest, content)
    store.put(content)
    store.put(manifest)
    return artifact
