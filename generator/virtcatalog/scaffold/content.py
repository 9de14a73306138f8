"""What a new repository holds: the files of `files/`, filled in, and what the catalog among them renders to."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog
from virtcatalog.environments import rendered
from virtcatalog.escaping import shell
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.manifests.emit import dump, join
from virtcatalog.render.gitops import Destination, Origin, application_set, flux
from virtcatalog.render.output import render
from virtcatalog.render.ownership import with_ownership
from virtcatalog.scaffold.requirements import pinned

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
    named = dump({"name": name})
    values = {
        "NAME": name,
        "NAMED": named,
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
    with TemporaryDirectory() as folder:
        for path, text in files.items():
            if path.startswith("catalog/"):
                place = Path(folder, path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
        catalog = load_catalog(Path(folder, "catalog"))
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
