"""An artifact as bytes: one layer, its config and manifest; the same files and annotations give the same bytes.

Flux extracts the first layer, whatever its media type is, unless a layerSelector names one (source-controller 1.9,
internal/controller/ocirepository_controller.go, selectLayer). Argo CD takes exactly one layer whose type ends with
`tar` or `tar+gzip`, and of these by default only application/vnd.oci.image.layer.v1.tar, that with +gzip, and a Helm
chart's (argo-cd 3.1 on, util/oci/client.go, extract; cmd/argocd-repo-server, --oci-layer-media-types): Flux' own
application/vnd.cncf.flux.content.v1.tar+gzip it refuses. So the layer has the type that both take. The config has
Flux' type, by which registries and `flux list artifacts` know such artifacts (fluxcd/pkg, oci/push.go).

The tar file, whose digest the config has, depends on nothing but files; how it is packed depends on zlib, too: zlib-ng,
which some systems have in the place of zlib, finds other repetitions.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any, Final

import msgspec

from virtcatalog.oci.reference import DIGEST, OciError

MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
INDEX: Final = "application/vnd.oci.image.index.v1+json"
LAYER: Final = "application/vnd.oci.image.layer.v1.tar+gzip"
IMAGE_CONFIG: Final = "application/vnd.oci.image.config.v1+json"
EMPTY: Final = "application/vnd.oci.empty.v1+json"
FLUX_CONFIG: Final = "application/vnd.cncf.flux.config.v1+json"
FLUX_LAYER: Final = "application/vnd.cncf.flux.content.v1.tar+gzip"

SOURCE: Final = "org.opencontainers.image.source"
REVISION: Final = "org.opencontainers.image.revision"
CREATED: Final = "org.opencontainers.image.created"
CATALOG: Final = "virtcatalog.dev/catalog"
"""The annotation that says in which folder of the artifact the catalog is."""

_DIGEST_CHARACTERS: Final = 71
_GZIP_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"  # no name, no time, packed well, no system


class Descriptor(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What a manifest says of a blob, or of another manifest."""

    media_type: str
    digest: str
    size: int
    annotations: dict[str, str] = {}
    artifact_type: str = ""


class Manifest(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A manifest of one image or artifact; `subject` is the one that it is about."""

    schema_version: int
    config: Descriptor
    layers: list[Descriptor]
    media_type: str = ""
    artifact_type: str = ""
    annotations: dict[str, str] = {}
    subject: Descriptor | None = None


class Blob(msgspec.Struct, frozen=True):
    """Bytes that a registry holds by their digest."""

    media_type: str
    content: bytes

    def descriptor(self, annotations: Mapping[str, str] | None = None) -> Descriptor:
        """Return what a manifest says of it."""
        return Descriptor(self.media_type, digest_of(self.content), len(self.content), dict(annotations or {}))


class Image(msgspec.Struct, frozen=True):
    """A manifest, and the blobs that it names."""

    manifest: bytes
    blobs: tuple[Blob, ...]
    artifact_type: str = ""
    annotations: dict[str, str] = {}

    @property
    def descriptor(self) -> Descriptor:
        """What another manifest says of it."""
        return Descriptor(MANIFEST, digest_of(self.manifest), len(self.manifest), self.annotations, self.artifact_type)


def digest_of(content: bytes) -> str:
    """Return the digest of bytes, as references have it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def image_of(files: Mapping[str, bytes], annotations: Mapping[str, str]) -> Image:
    """Return files, by their paths, as an artifact."""
    tar = packed(files)
    layer = Blob(LAYER, gzipped(tar))
    created = {"created": annotations[CREATED]} if CREATED in annotations else {}
    config = {
        "architecture": "",
        **created,
        "os": "",
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": [digest_of(tar)]},
        "history": [created],
    }
    return composed(Blob(FLUX_CONFIG, as_json(config)), [(layer, {})], annotations)


def referrer(
    subject: Descriptor, artifact_type: str, content: bytes, annotations: Mapping[str, str] | None = None
) -> Image:
    """Return an artifact of one blob that is about another one (its `subject`)."""
    layers: list[tuple[Blob, dict[str, str]]] = [(Blob(artifact_type, content), {})]
    return composed(Blob(EMPTY, b"{}"), layers, annotations or {}, artifact_type, subject)


def composed(
    config: Blob,
    layers: list[tuple[Blob, dict[str, str]]],
    annotations: Mapping[str, str],
    artifact_type: str = "",
    subject: Descriptor | None = None,
) -> Image:
    """Return an artifact of its blobs; each layer has annotations of its own."""
    about = None if subject is None else Descriptor(subject.media_type, subject.digest, subject.size)
    manifest = Manifest(
        schema_version=2,
        media_type=MANIFEST,
        artifact_type=artifact_type,
        config=config.descriptor(),
        layers=[layer.descriptor(own) for layer, own in layers],
        annotations=dict(sorted(annotations.items())),
        subject=about,
    )
    blobs = (config, *(layer for layer, _ in layers))
    return Image(msgspec.json.encode(manifest), blobs, artifact_type, manifest.annotations)


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return files as a tar file, sorted by path: no owner, no time, all of them readable."""
    tar = BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted(files.items()):
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(content), 0o644
            archive.addfile(member, BytesIO(content))
    return tar.getvalue()


def gzipped(content: bytes) -> bytes:
    """Return bytes as gzip packs them, without the time at which it did."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    tail = zlib.crc32(content).to_bytes(4, "little") + (len(content) % 2**32).to_bytes(4, "little")
    return _GZIP_HEAD + pack.compress(content) + pack.flush() + tail


def as_json(value: Any) -> bytes:
    """Return plain data as JSON, the same each time."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def read_manifest(content: bytes) -> Manifest:
    """Return what a manifest says; OciError for what is none of one artifact."""
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OciError(f"its manifest is none of one artifact: {error}") from None
    for descriptor in (manifest.config, *manifest.layers):
        if not DIGEST.fullmatch(descriptor.digest):
            raise OciError(f"its manifest names {descriptor.digest[:_DIGEST_CHARACTERS]!r}, which is no sha256 digest")
        if descriptor.size < 0:
            raise OciError(f"its manifest says that {descriptor.digest} has {descriptor.size} bytes")
    return manifest


def content_layer(manifest: Manifest) -> Descriptor:
    """Return the layer that has the files; OciError where that is not the one layer that there is."""
    if len(manifest.layers) != 1 or manifest.layers[0].media_type not in (LAYER, FLUX_LAYER):
        types = ", ".join(layer.media_type[:100] for layer in manifest.layers[:3]) or "none"
        raise OciError(f"it has to have one layer of {LAYER}, and has {len(manifest.layers)} ({types})")
    return manifest.layers[0]
