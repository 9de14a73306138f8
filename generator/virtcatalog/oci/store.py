"""Artifacts in a folder of the user's, each blob a file named by its digest: what `extends: oci://…` reads, offline.

`virtcatalog pull` fills it. Nothing in it is believed: what is read is held against the digest that names it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import msgspec

from virtcatalog.cachefolder import check, check_outside, default_folder
from virtcatalog.escaping import shell
from virtcatalog.limits import ARTIFACT_BYTES, ARTIFACT_MANIFEST_BYTES, ARTIFACT_UNPACKED_BYTES, MIB
from virtcatalog.manifests.archive import plain_files
from virtcatalog.manifests.disk import content_of
from virtcatalog.manifests.folder import SourceError
from virtcatalog.oci.image import Descriptor, content_layer, digest_of, read_manifest
from virtcatalog.oci.reference import OciError, Reference
from virtcatalog.writing import write_new

_FOLDER: Final = "oci"


class Artifact(msgspec.Struct, frozen=True):
    """The files of an artifact, by their paths, and what its manifest says of it."""

    reference: Reference
    files: Mapping[str, bytes]
    annotations: Mapping[str, str]


class Store:
    """Blobs by their digests."""

    def __init__(self, folder: str | None = None) -> None:
        """Open the user's, or that of VIRTCATALOG_CACHE; CacheError for one that is not the user's own."""
        home = folder or os.environ.get("VIRTCATALOG_CACHE") or default_folder()
        if not home:
            raise OciError("there is no folder to keep artifacts in: name one in VIRTCATALOG_CACHE")
        check_outside(home)
        if os.path.exists(home):  # noqa: PTH110 - paths of the cache are texts
            check(home)
        self._folder = f"{home}/{_FOLDER}"

    def get(self, digest: str, most: int) -> bytes | None:
        """Return a blob of `most` bytes; None when it is not there, or damaged."""
        try:
            descriptor = os.open(self._path(digest), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            content = content_of(descriptor, most)
        except SourceError:
            return None
        return content if digest_of(content) == digest else None

    def put(self, content: bytes) -> None:
        """Store a blob: all of it or nothing; OciError when that cannot be done."""
        path = self._path(digest_of(content))
        new = f"{path}.new-{os.getpid()}"
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)  # noqa: PTH103
            check(self._folder)
            write_new(new, content, 0o600)
            os.replace(new, path)  # noqa: PTH105
        except OSError as error:
            with suppress(OSError):
                os.unlink(new)  # noqa: PTH108
            raise OciError(f"{self._folder}: {error.strerror or error}: artifacts cannot be kept there") from error

    def artifact(self, reference: Reference) -> Artifact:
        """Return the artifact of a reference with a digest; OciError where it is not here, or cannot be used."""
        manifest = self.get(reference.digest, ARTIFACT_MANIFEST_BYTES)
        layer = None if manifest is None else self.get(layer_of(reference, manifest).digest, ARTIFACT_BYTES)
        if manifest is None or layer is None:
            raise OciError(f"{reference} is not in the cache; fetch it: virtcatalog pull {shell(str(reference))}")
        return artifact_of(reference, manifest, layer)

    def _path(self, digest: str) -> str:
        return f"{self._folder}/{digest.replace(':', '-')}"


def layer_of(reference: Reference, manifest: bytes) -> Descriptor:
    """Return the layer with the files of an artifact; OciError where it is too large, or no artifact of files."""
    try:
        layer = content_layer(read_manifest(manifest))
    except OciError as error:
        raise OciError(f"{reference}: {error}") from None
    if layer.size > ARTIFACT_BYTES:
        raise OciError(f"{reference}: its layer has {layer.size:,} bytes, more than {ARTIFACT_BYTES // MIB} MiB")
    return layer


def artifact_of(reference: Reference, manifest: bytes, layer: bytes) -> Artifact:
    """Return what a manifest and its layer hold; OciError for an archive that is not read."""
    try:
        files = plain_files(layer, ARTIFACT_UNPACKED_BYTES)
    except SourceError as error:
        raise OciError(f"{reference}: its layer {error.message}") from None
    return Artifact(reference, files, read_manifest(manifest).annotations)
