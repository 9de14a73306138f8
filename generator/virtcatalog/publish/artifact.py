"""A catalog as an artifact: its output tree at the top, and its declarations in a folder.

    base/ overlays/ bundles/ …     what `virtcatalog build` writes: Argo CD and Flux sync overlays/NAME
    declarations/catalog/          the catalog itself, for those who extend it
    declarations/…                 catalogs beside it that it extends

The same commit gives the same bytes: times are the commit's, and nothing else is of the machine that it is made on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from virtcatalog.catalog.load import load_catalog, open_catalog
from virtcatalog.catalog.model import Catalog
from virtcatalog.errors import VirtcatalogError, counted
from virtcatalog.limits import ARTIFACT_UNPACKED_BYTES, MIB
from virtcatalog.manifests import layout
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import Folder, Parts, Recorded, SourceError
from virtcatalog.manifests.git import Repository
from virtcatalog.manifests.gitprocess import GitError, NoRepositoryError
from virtcatalog.manifests.sources import shipped
from virtcatalog.oci import SCHEME
from virtcatalog.oci.image import CATALOG, CREATED, REVISION, SOURCE, Image, image_of
from virtcatalog.oci.reference import OciError, parse
from virtcatalog.oci.store import Artifact
from virtcatalog.render.output import render
from virtcatalog.render.ownership import is_ours, owner_in, with_ownership

_HOME: Final = "catalog"
_VMS: Final = (("vms",), (layout.VMS,))
_TITLE: Final = "org.opencontainers.image.title"
_VERSION: Final = "org.opencontainers.image.version"
_DESCRIPTION: Final = "org.opencontainers.image.description"


class Origin(msgspec.Struct, frozen=True):
    """Where an artifact is from, as its annotations say it: a URL, `sha1:COMMIT` and a time; "" for what is unknown."""

    source: str = ""
    revision: str = ""
    created: str = ""


class Declared(msgspec.Struct, frozen=True):
    """A catalog with the files that its objects are of, those of catalogs beside it too, from the folder around it.

    VM templates are not among them: who extends a catalog does not get them, and they may hold what nobody is to read.
    """

    catalog: Catalog
    at: Parts
    files: Mapping[Parts, bytes]

    @property
    def extends(self) -> list[tuple[str, str]]:
        """The catalogs that it extends and that its files do not hold: their names, with the digests of artifacts."""
        names = []
        for path, content in sorted(self.files.items()):
            if path[-1] == layout.CATALOG:
                [(_, declared)] = Text(content, "/".join(path)).documents()
                extends = str(declared.get("extends") or "")
                if extends.startswith(SCHEME):
                    names.append((extends, parse(extends).digest))
                elif extends in shipped():
                    names.append((extends, ""))
        return names


def read(path: str) -> Declared:
    """Read the catalog in a folder; raises CatalogError."""
    folder = Recorded(open_catalog(path))
    catalog = load_catalog(path, folder)
    own = len(folder.at)
    files = {path: content for path, content in folder.contents.items() if path[own : own + 1] not in _VMS}
    return Declared(catalog, folder.at, files)


def origin(declared: Declared, path: str) -> Origin:
    """Return where the catalog is from, by git: nowhere that is known where there is no repository.

    VirtcatalogError where the commit has other files: what is published under its name would not be of it.
    """
    try:
        repository = Repository(Path(path))
    except NoRepositoryError:
        return Origin()
    if not repository.has("HEAD"):
        return Origin()
    commit = repository.commit("HEAD")
    other = _uncommitted(declared, repository, commit)
    if other:
        more = f" and {counted(len(other) - 1, 'file')} more" if len(other) > 1 else ""
        raise VirtcatalogError(
            f"{os.path.normpath(Path(path, other[0]))}{more}: not as in the commit {commit[:12]}; commit it first, or "
            "name what you push by --revision"
        )
    created = datetime.fromtimestamp(repository.time_of(commit), UTC)
    scheme = "sha256" if len(commit) == 64 else "sha1"
    return Origin(public(repository.remote()), f"{scheme}:{commit}", stamp(created))


def stamp(time: datetime) -> str:
    """Return a time as annotations have it."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def public(url: str) -> str:
    """Return the URL of a repository without a user's name and password for it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https"):
        return url
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _uncommitted(declared: Declared, repository: Repository, commit: str) -> list[str]:
    """The files, from the catalog's folder, of which a commit has none or another."""
    other, folders = [], dict[str, Folder | None]()
    for path, content in sorted(declared.files.items()):
        local = os.path.relpath("/".join(path), "/".join(declared.at) or ".")
        # A folder gives nothing of what is beside it.
        around = ".." if local.startswith("../") else "."
        try:
            if around not in folders:
                folders[around] = repository.folder(commit, around)
            folder = folders[around]
            same = folder is not None and folder.read(local.removeprefix("../")) == content
        except (SourceError, GitError):
            same = False
        if not same:
            other.append(local)
    return other


def artifact(declared: Declared, origin: Origin) -> Image:
    """Return a catalog as an artifact; OciError for one that is too large, or has a file that is no text."""
    catalog, home = declared.catalog, _home(declared)
    tree = render(catalog)
    for path, content in declared.files.items():
        below = path[len(declared.at) :] if path[: len(declared.at)] == declared.at else None
        place = "/".join((layout.DECLARATIONS, *((home, *below) if below is not None else path)))
        try:
            tree[place] = content.decode()
        except UnicodeDecodeError:
            raise OciError(f"{'/'.join(path)}: is no UTF-8, and an artifact holds texts alone") from None
        if not is_ours(place):
            raise OciError(f"{place!r}: a line feed in the name of a file cannot be published")
    files = {path: text.encode() for path, text in with_ownership(tree, catalog.name).items()}
    if sum(map(len, files.values())) > ARTIFACT_UNPACKED_BYTES // 2:
        raise OciError(f"{catalog.path}: has more than {ARTIFACT_UNPACKED_BYTES // 2 // MIB} MiB as an artifact")
    annotations = {
        _TITLE: catalog.name,
        _VERSION: catalog.version,
        _DESCRIPTION: catalog.description,
        SOURCE: origin.source,
        REVISION: origin.revision,
        CREATED: origin.created,
        CATALOG: f"{layout.DECLARATIONS}/{home}",
    }
    return image_of(files, {key: value for key, value in annotations.items() if value})


def _home(declared: Declared) -> str:
    """The catalog's folder in the artifact: always the same, as a checkout may be called anything."""
    depth = len(declared.at)
    beside = {path[depth - 1] for path in declared.files if depth and path[:depth] != declared.at}
    return declared.at[-1] if _HOME in beside else _HOME


def tree_of(artifact: Artifact) -> tuple[str, dict[str, str]]:
    """Return the name of the catalog that an artifact has, and its tree; OciError for what is none of a catalog."""
    reference = artifact.reference
    if layout.OWNED not in artifact.files:
        raise OciError(f"{reference}: is no catalog: it lacks {layout.OWNED}, which `virtcatalog push` writes")
    tree = {}
    for path, content in artifact.files.items():
        if path != layout.OWNED and not is_ours(path):
            raise OciError(f"{reference}: holds {path!r}, which no artifact of a catalog has")
        try:
            tree[path] = content.decode()
        except UnicodeDecodeError:
            raise OciError(f"{reference}: {path}: is no UTF-8") from None
    owner = owner_in(tree.pop(layout.OWNED))
    if with_ownership(tree, owner)[layout.OWNED].encode() != artifact.files[layout.OWNED]:
        raise OciError(f"{reference}: {layout.OWNED} lists other files than there are")
    return owner, tree
