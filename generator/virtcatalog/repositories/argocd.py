"""What an Argo CD Application deploys: folders of the repository, built by kustomize or helm or taken as they stand.

Source: github.com/argoproj/argo-cd, pkg/apis/application/v1alpha1/types.go, reposerver/repository/repository.go,
util/kustomize/kustomize.go, util/app/discovery/discovery.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Final

from virtcatalog.api.findings import Path, field_path
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem, some
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import merge
from virtcatalog.manifests.read import Manifest
from virtcatalog.repositories.buildenvironment import expanded
from virtcatalog.repositories.building import Built, collected, in_namespace, kustomized, plain
from virtcatalog.repositories.clusters import IN_CLUSTER
from virtcatalog.repositories.deployers import Deployer, alike
from virtcatalog.repositories.documents import Opaque, digest_of
from virtcatalog.repositories.helm import Charts
from virtcatalog.repositories.kustomize.origins import has_field
from virtcatalog.repositories.kustomizeedits import Edits
from virtcatalog.repositories.model import Resource
from virtcatalog.repositories.plainfiles import faults_of, taken
from virtcatalog.repositories.releases import argo_release
from virtcatalog.repositories.tree import Tree, joined, parents

_IN_CLUSTER: Final = (IN_CLUSTER, "in-cluster")
_TYPES: Final = ("kustomize", "helm", "directory", "plugin")
"""Fields of a source of which one at most may say how it is rendered."""
_SHOWN: Final = 3
_STAYS: Final = ("chart", "path", "repoURL", "targetRevision")
"""Fields of a source that no file of its folder changes."""


class Origin:
    """Which repositories Applications name, and which of these is this one: one whose paths are here."""

    def __init__(self, deployers: Iterable[Deployer], tree: Tree) -> None:
        self._urls: dict[str, bool] = {}
        for deployer in deployers:
            for url, path in _repository_urls(deployer.resource.data.get("spec")):
                at = joined("", path)
                self._urls[alike(url)] = self._urls.get(alike(url), False) or bool(at and tree.is_folder(at))

    def is_here(self, url: str, at: str) -> bool:
        """Whether a folder of a repository may be one of this one; any has a root."""
        local_urls = [url for url, counts in self._urls.items() if counts]
        return bool(at) or alike(url) in (local_urls or [*self._urls][:1])


def _repository_urls(spec: Any) -> Iterator[tuple[str, str]]:
    """Yield the repositories that something names, each with a path of it."""
    pending = [spec]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict):
            pending += value.values()
            url, path = value.get("repoURL"), value.get("path")
            if isinstance(url, str) and not value.get("chart"):
                yield url, path if isinstance(path, str) and "{{" not in path else ""


def cluster_of(deployer: Deployer) -> str:
    """Return where an Application lands, "" where it does not say that."""
    name = deployer.text("destination", "name") or deployer.text("destination", "server")
    return "" if "{{" in name else _IN_CLUSTER[1] if name in _IN_CLUSTER else name


class Application:
    """What one Application deploys."""

    def __init__(self, deployer: Deployer, tree: Tree, origin: Origin, charts: Charts) -> None:
        self._deployer, self._tree, self._origin, self._charts = deployer, tree, origin, charts
        several = [("sources", index) for index, _ in enumerate(deployer.items("sources"))]
        hydrated = deployer.get("sourceHydrator", "drySource", of=dict) is not None
        self._sources: list[Path] = [*several] or [("sourceHydrator", "drySource") if hydrated else ("source",)]

    def built(self) -> Built:
        """Return what it deploys."""
        namespace = self._deployer.text("destination", "namespace")
        return in_namespace(collected(self._source(source) for source in self._sources), namespace)

    def _source(self, source: Path) -> Built:
        text = partial(self._deployer.text, *source)
        url, chart = text("repoURL"), text("chart")
        if self._deployer.get(*source, "ref") and not text("path") and not chart:
            return Built()
        at = joined("", text("path"))
        if chart or url.startswith("oci://"):
            return self._chart(source, None)
        if at is None or not self._tree.is_folder(at) or not self._origin.is_here(url, at):
            return self._unrendered(source, f"{text('path') or '.'} of {url} is not in this repository")
        deployer, problems = _overridden(self._deployer, source, self._tree, at)
        built = Application(deployer, self._tree, self._origin, self._charts).folder(source, at)
        return built._replace(problems=(*problems, *built.problems), failed=built.failed or bool(problems))

    def folder(self, source: Path, at: str) -> Built:
        """Return what a source deploys that is a folder of this repository."""
        get = partial(self._deployer.get, *source)
        declared = [kind for kind in _TYPES if _is_declared(get(kind, of=dict), source)]
        if len(declared) > 1:
            return self._fault(source, f"has {' and '.join(declared)}: Argo CD takes one of them")
        kind = declared[0] if declared else self._discovered(at)
        if kind == "plugin":
            return self._of_plugin(self._unrendered(source, f"{at or '.'} is rendered by a plugin"), at, get(kind))
        if kind == "helm":
            return self._chart(source, at)
        if kind == "kustomize":
            if at not in self._tree.kustomizations:
                return self._fault((*source, kind), f"is there, and no kustomization in {at or '.'}")
            return kustomized(self._tree, at, self._edits(source, at))
        options = get("directory", of=dict) or {}
        files = [*taken(self._tree, at, options, self._tree.files)]
        faults = tuple(fault for file in files for fault in faults_of(self._tree, file))
        built = plain(self._tree, files)
        problems = tuple(dict.fromkeys((*built.problems, *faults)))
        built = built._replace(problems=problems, failed=bool(faults))
        others = (file for file in self._tree.root.listing().files if file.endswith(".jsonnet"))
        jsonnet = [*taken(self._tree, at, options, others)]
        if jsonnet:
            evaluated = self._unrendered(source, f"{some(jsonnet, _SHOWN)}, which Argo CD evaluates")
            evaluated = self._of_jsonnet(evaluated, jsonnet)
            unrendered, opaque = (*built.unrendered, *evaluated.unrendered), (*built.opaque, *evaluated.opaque)
            built = built._replace(unrendered=unrendered, opaque=opaque)
        return built

    def _edits(self, source: Path, at: str) -> Edits:
        """What the options of an Application change in a kustomization."""
        return Edits(
            self._deployer.get(*source, "kustomize", of=dict) or {},
            expand=lambda text: expanded(text, self._deployer, source),
            source=partial(self._place, source),
            has=lambda component: self._tree.has(joined(at, component)),
        )

    def _discovered(self, at: str) -> str:
        """What a folder is rendered by where its source does not say that."""
        if at in self._tree.kustomizations:
            return "kustomize"
        return "helm" if at in self._tree.charts else "directory"

    def _fault(self, source: Path, message: str) -> Built:
        return Built(problems=(self._deployer.problem(field_path(("spec", *source)), message),), failed=True)

    def _of_plugin(self, built: Built, at: str, options: Data) -> Built:
        """What a plugin renders of a folder with VMs is unknown: a digest of what it reads says when that changes."""
        files = [file for file in self._tree.root.listing().files if at in ("", *parents(file))]
        if not self._tree.holds_ours(files):
            return built
        no_manifests = {*files} - {*self._tree.files}
        return _opaque(built, digest_of([options, *((file, self._tree.lines(file)) for file in sorted(no_manifests))]))

    def _of_jsonnet(self, built: Built, jsonnet: Iterable[str]) -> Built:
        """What Jsonnet makes of VMs is unknown: a digest of it, and of all that it may import, says when it changes."""
        imported = (file for file in self._tree.root.listing().files if file.endswith(".libsonnet"))
        files = (*jsonnet, *imported)
        if not self._tree.holds_ours(files):
            return built
        return _opaque(built, digest_of([(file, self._tree.lines(file)) for file in files]))

    def _place(self, source: Path, path: Path) -> Source:
        """Where an option of kustomize stands."""
        return self._deployer.resource.field(field_path(("spec", *source, "kustomize", *path)))

    def _unrendered(self, source: Path, message: str) -> Built:
        return Built(unrendered=(self._deployer.problem(field_path(("spec", *source)), f"is not rendered: {message}"),))

    def _chart(self, source: Path, at: str | None) -> Built:
        namespace = self._deployer.text("destination", "namespace")
        return argo_release(self._deployer, source, self._tree, self._charts, at, namespace)


def _opaque(built: Built, digest: bytes) -> Built:
    return built._replace(opaque=tuple(Opaque(problem, digest) for problem in built.unrendered))


def _is_declared(options: Data | None, source: Path) -> bool:
    """Whether a field says how a source is rendered: of the one `source`, those that say nothing are taken away.

    Source: util/argo/argo.go (NormalizeApplicationSpec).
    """
    if options is None:
        return False
    return any(options.values()) or source[0] == "sources"


def _overridden(deployer: Deployer, source: Path, tree: Tree, at: str) -> tuple[Deployer, list[Problem]]:
    """Return an Application with what files of a folder change in its source, and what is wrong with these files."""
    problems: list[Problem] = []
    for name in (".argocd-source.yaml", f".argocd-source-{deployer.name}.yaml"):
        path = f"{at}/{name}".lstrip("/")
        if not tree.root.has(path):
            continue
        manifest = tree.first(path)
        if manifest is None or not isinstance(manifest.data, dict):
            problems.append(Problem(tree.label_of(path), message="must be a map of fields of an Application's source"))
            continue
        data = _laid_over(deployer.resource.data, ("spec", *source), manifest.data)
        deployer = Deployer(Resource(data, partial(_place, deployer.resource, source, manifest)))
    return deployer, problems


def _laid_over(data: Any, path: Path, override: Data) -> Any:
    """The data with a merge patch applied to the map at a path."""
    if not path:
        return {**merge(data, override), **{key: data[key] for key in _STAYS if key in data}}
    changed = data.copy()
    changed[path[0]] = _laid_over(data[path[0]], path[1:], override)
    return changed


def _place(declared: Resource, source: Path, override: Manifest, field: str) -> Source:
    """Where a field stands: in the file if that has it."""
    within = field.removeprefix(field_path(("spec", *source))).lstrip(".")
    if within and within != field and has_field(override.data, within):
        return Source(override.file, *override.place(within))
    return declared.field(field)
