"""Catalogs that extend an artifact: the catalog in it, as the user's store has it."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.catalog.sources import Sources
from virtcatalog.errors import CatalogError, VirtcatalogError
from virtcatalog.escaping import shell
from virtcatalog.limits import EXTENDED_ARTIFACTS
from virtcatalog.manifests.folder import Folder, LinkOutError, held_at, parts_of
from virtcatalog.manifests.layout import CATALOG
from virtcatalog.manifests.sources import open_shipped
from virtcatalog.oci import SCHEME
from virtcatalog.oci.image import CATALOG as CATALOG_FOLDER
from virtcatalog.oci.reference import OciError, Reference, parse
from virtcatalog.oci.store import Artifact, Store


def extend_artifact(sources: Sources, prefixes: Sequence[str], path: str) -> str:
    """Take the catalog of an artifact, named by its digest, from the user's store: nothing is fetched here.

    A commit has to name the bytes that it is about, and whoever changes a catalog must not choose which hosts are
    asked where it is built. Raises ValueError.
    """
    try:
        reference = parse(path)
        if not reference.digest:
            raise ValueError(_without_digest(reference))
        if sum("@sha256:" in prefix for prefix in prefixes) >= EXTENDED_ARTIFACTS:
            raise ValueError(f"catalogs extend more than {EXTENDED_ARTIFACTS} artifacts, each the next")
        folder, home = catalog_in(Store().artifact(reference))
    except VirtcatalogError as error:
        raise ValueError(str(error)) from None
    prefix = f"../@{reference.digest}/{home}/"
    sources.extend(prefix, folder, label=f"{reference.short}/{home}")
    return prefix


def catalog_in(artifact: Artifact) -> tuple[Folder, str]:
    """Return the folder of the catalog that an artifact holds, and its path there; OciError where it holds none."""
    home = artifact.annotations.get(CATALOG_FOLDER, "").strip("/") or "."
    # Below a folder of its own, lest the folders of two artifacts be taken for each other.
    root = (SCHEME, artifact.reference.digest)
    files = {(*root, *parts_of(name)): content for name, content in artifact.files.items()}
    try:
        folder = held_at(files, (*root, *parts_of(home)))
    except LinkOutError:
        raise OciError(f"{artifact.reference}: its manifest names {home!r}, which is outside of it") from None
    if not folder.has(CATALOG):
        raise OciError(f"{artifact.reference} holds no catalog: there is no {CATALOG} in {home!r}")
    return folder, home


def extended(folder: Folder, path: str) -> Reference | None:
    """Return the artifact that the catalog in a folder extends, or a catalog beside it that it extends; else None.

    `path` is what the folder is called. CatalogError for a catalog.yaml that cannot be read, OciError for a name
    without a digest.
    """
    visited = set()
    while folder.at not in visited:
        visited.add(folder.at)
        sources = Sources(folder, path)
        declared = sources.read(CATALOG)
        extends = declared.get("extends") if isinstance(declared, dict) else None
        if declared is None:
            raise CatalogError(*sources.problems)
        if isinstance(extends, str) and extends.startswith(SCHEME):
            reference = parse(extends)
            if not reference.digest:
                raise OciError(f"{path}: {_without_digest(reference)}")
            return reference
        neighbour = (
            folder.folder(extends) if isinstance(extends, str) and extends and open_shipped(extends) is None else None
        )
        if neighbour is None:
            return None
        folder, path = neighbour, f"{path}/{extends}"
    return None


def _without_digest(reference: Reference) -> str:
    """Say what to write; which digest a tag has is for `pull` to ask."""
    pull = f"virtcatalog pull {shell(str(reference))}"
    return f"{reference} may be another artifact tomorrow: write the name with its digest, which this prints: {pull}"
