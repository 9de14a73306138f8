"""A new repository: its files, filled in; its requirements; and how it is written, all of its files or none."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from virtcatalog._version import __version__
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog
from virtcatalog.checkouts import mode_of
from virtcatalog.environments import rendered
from virtcatalog.errors import some
from virtcatalog.escaping import shell
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.manifests.emit import dump, join
from virtcatalog.render.gitops import Destination, Origin, application_set, flux
from virtcatalog.render.output import render
from virtcatalog.render.ownership import with_ownership
from virtcatalog.writing import WriteError, no_message, write_files

Tool = Literal["argocd", "flux", "none"]

REPO_URL = "https://git.example.com/platform/{name}.git"

_ANNOTATIONS = {
    "argocd": """\
# Before the VMs, which are in wave 0; what is no longer rendered stays in the cluster: VMs may still name it.
gitops: {argocd: {syncWave: -10, prune: false}}
""",
    "flux": """\
# What is no longer rendered stays in the cluster: VMs may still name it.
gitops: {flux: {prune: false}}
""",
    "none": "",
}
_DELIVERY = """
## Delivery

`kubectl apply -f gitops/{tool}.yaml` once, where {title} runs; from then on it syncs `output/`. The file was made by

    virtcatalog gitops {tool} --repo-url {url}

Instance types and preferences that are removed from the catalog stay in the clusters until somebody deletes them there:
`gitops` in `catalog/catalog.yaml` says so.
"""
_BY_HAND = """
## Delivery

`kubectl apply -k output/overlays/production`, or let Argo CD or Flux sync that path: `virtcatalog gitops --help`.
"""
_TITLES = {"argocd": "Argo CD", "flux": "Flux"}


def contents(name: str, tool: Tool = "none", repo_url: str = "", package: str = "") -> dict[str, str]:
    """Return {path: text} of the repository of a catalog of this name; `tool` is what delivers it from `repo_url`.

    `package` is the source of virtcatalog there: a file, a URL or an index's name for it; "" for this version.
    """
    url = repo_url or REPO_URL.format(name=name)
    delivery = _BY_HAND if tool == "none" else _DELIVERY.format(tool=tool, title=_TITLES[tool], url=shell(url))
    values = {
        "NAME": name,
        "NAMED": dump({"name": name}),
        "GITOPS": _ANNOTATIONS[tool],
        "DELIVERY": delivery,
        "REQUIREMENTS": pinned(package),
    }
    files = {}
    for path, text in _templates(resources.files("virtcatalog.scaffold") / "files"):
        for key, value in values.items():
            if value.endswith("\n") or not value:
                text = text.replace(f"@{key}@\n", value)
            text = text.replace(f"@{key}@", value)
        files[path] = text
    sources = {path: text.encode() for path, text in files.items() if path.startswith("catalog/")}
    catalog = load_catalog("catalog", {path.removeprefix("catalog/"): text for path, text in sources.items()})
    files |= {f"output/{path}": text for path, text in with_ownership(render(catalog), catalog.name).items()}
    files |= {f"tests/golden/catalog/{key}.xml": text for key, text in _domains(catalog)}
    if tool != "none":
        files[f"gitops/{tool}.yaml"] = _gitops(catalog, tool, url)
    return dict(sorted(files.items()))


def _templates(folder: Traversable, above: str = "") -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        path = above + (f".{entry.name.removeprefix('dot-')}" if entry.name.startswith("dot-") else entry.name)
        if entry.is_dir():
            yield from _templates(entry, f"{path}/")
        else:
            yield path, entry.read_text(encoding="utf-8")


def _domains(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Yield the golden domains, as the pytest plugin takes them."""
    for template, environment in rendered(catalog):
        cluster = Cluster([*catalog.objects(environment), *template.companions])
        yield template.key, expand(template.manifest, cluster).domain_xml or ""


def _gitops(catalog: Catalog, tool: Tool, url: str) -> str:
    origin = Origin(name=catalog.name, url=url, tree="" if url.startswith("oci://") else "output")
    if tool == "flux":
        objects = flux(origin, catalog.overlays)
    else:
        objects = [application_set(origin, [Destination(overlay) for overlay in catalog.overlays])]
    return join(dump(manifest) for manifest in objects)


_NAME = re.compile(r"[A-Za-z0-9._-]+")
_TESTS = ("pytest", "syrupy")


def pinned(package: str = "") -> str:
    """Return the lines of a requirements file; `package` is what virtcatalog itself is installed from."""
    versions: dict[str, str] = {}
    for name in (*_needs("virtcatalog"), *_TESTS):
        _collect(name, versions)
    lines = [f"{name}=={version}" for name, version in sorted(versions.items())]
    lines += (name for name in _TESTS if name not in versions)
    return "\n".join([_of_package(package) if package else _installed(), *lines])


def _of_package(package: str) -> str:
    """The line of the package that the caller names: a URL (`git+https://…`), a file, a folder, or a name."""
    if "://" in package:
        return _of_url(package)
    if Path(package).exists():
        return _of_url(Path(package).resolve().as_uri())
    return re.sub(r"^([A-Za-z0-9._-]+)(?!\[)(?=[^A-Za-z0-9._\-\[]|$)", r"\1[pytest]", package)


def _installed() -> str:
    """The line of the source of this virtcatalog, by its installer's record (PEP 610), else its version in an index."""
    noted = json.loads(distribution("virtcatalog").read_text("direct_url.json") or "{}")
    url, vcs = noted.get("url"), noted.get("vcs_info")
    if not url:
        return f"virtcatalog[pytest]=={__version__}"
    return _of_url(f"{vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else url)


def _of_url(url: str) -> str:
    """The line of a URL. pip takes one without a host only alone; what the tests need has its own lines."""
    return url if url.startswith("git+file:///") else f"virtcatalog[pytest] @ {url}"


def installs_a_file(files: Mapping[str, str]) -> bool:
    """Whether the repository's requirements name a file, which is on one machine only."""
    return "file:/" in files["requirements.txt"]


def _collect(name: str, versions: dict[str, str]) -> None:
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in versions:
        return
    try:
        versions[key] = distribution(name).version
    except PackageNotFoundError:
        # Needed on other systems, or for tests that are not run here: pip chooses.
        return
    for need in _needs(name):
        _collect(need, versions)


def _needs(name: str) -> Iterator[str]:
    """Yield the names of what a package needs, without its extras."""
    for requirement in distribution(name).requires or ():
        match = _NAME.match(requirement)
        if match and not re.search(r"\bextra\s*==", requirement):
            yield match.group()


def write(folder: Path, files: Mapping[str, str], say: Callable[[str], object] = no_message) -> list[str]:
    """Write the files that `folder` does not have yet, and return their paths.

    A file that is there already must have the same text: WriteError otherwise.
    """
    if mode_of(folder) is not None and not folder.is_dir():
        raise WriteError(f"{folder} is no folder; name another one for the repository")
    taken = sorted(path for path, text in files.items() if _taken(folder, path, text))
    if taken:
        raise WriteError(f"{folder} has files of its own in these places: {some(taken, 5)}")
    missing = {path: text for path, text in files.items() if mode_of(folder / path) is None}
    if missing:
        write_files(folder, missing, say)
    return [*missing]


def _taken(folder: Path, path: str, text: str) -> bool:
    """Whether something else is in the place of a file, or of a folder above it."""
    place = folder / path
    for parent in place.parents[: len(Path(path).parts) - 1]:
        if parent.is_symlink() or (parent.exists() and not parent.is_dir()):
            return True
    if mode_of(place) is None:
        return False
    return place.is_symlink() or not place.is_file() or place.read_bytes() != text.encode()
