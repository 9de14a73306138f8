"""What a Flux Kustomization deploys: a folder of the repository, with its own patches, components and variables.

Source: github.com/fluxcd/pkg, kustomize/kustomize_generator.go and kustomize_varsub.go; fluxcd/kustomize-controller.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from posixpath import normpath
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path, field_path
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.repositories.building import LISTS, Built, kustomized, with_metadata
from virtcatalog.repositories.deployers import Deployer, alike
from virtcatalog.repositories.documents import Opaque
from virtcatalog.repositories.envsubst import SubstitutionError, substituted
from virtcatalog.repositories.fluxpatches import faults_of_patches, patches_at
from virtcatalog.repositories.kustomize.declared import Added
from virtcatalog.repositories.model import Resource
from virtcatalog.repositories.placeholders import fill
from virtcatalog.repositories.settings import NOT_BASE64, find_setting, not_base64, texts_of
from virtcatalog.repositories.texts import Texts
from virtcatalog.repositories.tree import Tree, joined

BOOTSTRAPPED: Final = "flux-system"
"""The name of the GitRepository and of the Kustomization that Flux is set up with."""
_SUBSTITUTE: Final = "kustomize.toolkit.fluxcd.io/substitute"
"""The label or annotation of objects whose variables stay, when it says `disabled`."""
_YAML: Final = (".yaml", ".yml")
_ELSEWHERE: Final = re.compile(r"(git::|gh:|ssh://|https?://|git@|github\.com[:/]).|(file://)?/", re.IGNORECASE)
"""How a component begins that Flux refuses."""
_VARIABLE: Final = re.compile(r"[_A-Za-z][_A-Za-z0-9]*", re.ASCII)


class Sources(NamedTuple):
    """The GitRepositories of a repository, by namespace and name, with their URLs; `own` is the one of these files."""

    urls: Mapping[tuple[str, str], str]
    own: str = ""

    def is_here(self, deployer: Deployer, *path: str) -> bool:
        """Whether an object deploys this repository, as far as that can be known from its files.

        What it deploys is named at a path of its spec. Of a GitRepository that is not in these files it does.
        """
        reference = deployer.get(*path, "sourceRef", of=dict) or {}
        if reference.get("kind") != "GitRepository":
            return False
        url = self._url(reference, deployer)
        return url is None or reference.get("name") == BOOTSTRAPPED or alike(url) == self.own

    def is_own(self, manifest: Data) -> bool:
        """Whether an object is a GitRepository that stands for these files."""
        key = identity(manifest)[1:]
        return manifest.get("kind") == "GitRepository" and key in self.urls and alike(self.urls[key]) == self.own

    def _url(self, reference: Data, deployer: Deployer) -> str | None:
        return self.urls.get((str(reference.get("namespace") or deployer.namespace), str(reference.get("name"))))

    def with_own(self, deployers: Iterable[Deployer], tree: Tree) -> Sources:
        """Return them with the one of these files: the one that Flux was set up with, else the one of which most paths
        are here, or the only one.
        """
        if url := next((url for (_, name), url in self.urls.items() if name == BOOTSTRAPPED), None):
            return self._replace(own=alike(url))
        folders: Counter[str] = Counter()
        for deployer in deployers:
            url = self._url(deployer.get("sourceRef", of=dict) or {}, deployer)
            at = folder_of(deployer)
            if url is not None and at and tree.is_folder(at):
                folders[alike(url)] += 1
        urls = {alike(url) for url in self.urls.values()}
        return self._replace(
            own=max(folders, key=folders.__getitem__) if folders else urls.pop() if len(urls) == 1 else ""
        )


def sources_in(resources: Iterable[Resource], deployers: Iterable[Deployer], tree: Tree) -> Sources:
    """Return the GitRepositories among objects; `deployers` are Flux' Kustomizations."""
    urls: dict[tuple[str, str], str] = {}
    for resource in resources:
        spec = resource.data.get("spec")
        if resource.data.get("kind") == "GitRepository" and isinstance(spec, dict) and isinstance(spec.get("url"), str):
            urls.setdefault(identity(resource.data)[1:], spec["url"])
    return Sources(urls).with_own(deployers, tree)


def folder_of(deployer: Deployer) -> str | None:
    """Return the folder that a Kustomization deploys; None for what is no path: none leads out of the repository."""
    return joined("", normpath(f"/{deployer.text('path').lstrip('/')}"))


def built(deployer: Deployer, tree: Tree, settings: Sequence[Resource], encrypted: Mapping[Identity, bytes]) -> Built:
    """Return what a Kustomization deploys of a folder of the repository, which is there.

    `encrypted` are the ConfigMaps and Secrets of which no value is known, each with a digest.
    """
    at = folder_of(deployer)
    assert at is not None
    faults = list(_faults(deployer))
    if faults:
        return Built(problems=tuple(faults), failed=True, folders=(at,))
    added = dict(_added(deployer, tree, at))
    files: list[str] = []
    if at not in tree.kustomizations:
        files += _generated(tree, at)
        added["resources"] = [f"./{path.removeprefix(f'{at}/') if at else path}" for path in files]
    more = Added(added, LISTS, partial(_source, deployer)) if added else None
    result = kustomized(tree, at, more, is_flux=True)._replace(files=tuple(files))
    result = _with_metadata(_substituted(result, deployer, settings, tree.texts), deployer)
    return result._replace(opaque=(*result.opaque, *_unknown(result, deployer, encrypted)))


def _unknown(result: Built, deployer: Deployer, encrypted: Mapping[Identity, bytes]) -> Iterator[Opaque]:
    """Yield the encrypted objects that give variables, if fields of VMs depend on variables."""
    if not any("$" in json.dumps(resource.data) and fill(resource.data)[1] for resource in result.vms):
        return
    for index, reference in enumerate(map(map_at, deployer.items("postBuild", "substituteFrom"))):
        kind, name = reference.get("kind"), reference.get("name")
        for namespace in (deployer.namespace or "default", ""):
            if (kind, namespace, name) in encrypted:
                problem = deployer.problem(
                    f"spec.postBuild.substituteFrom[{index}]", f"takes values of {kind} {name}, which is encrypted"
                )
                yield Opaque(problem, encrypted[str(kind), namespace, str(name)])
                break


def _source(deployer: Deployer, path: Path) -> Source:
    """Where a field stands that is added: where the Kustomization has it."""
    field = "targetNamespace" if path[0] == "namespace" else path[0]
    return deployer.resource.field(field_path(("spec", field, *path[1:])))


def _faults(deployer: Deployer) -> Iterator[Problem]:
    """Yield what Flux builds nothing for, whatever there is in the folder."""
    for index, component in enumerate(deployer.items("components")):
        if _ELSEWHERE.match(str(component)):
            yield deployer.problem(f"spec.components[{index}]", f"{component} must be a relative path")
    yield from faults_of_patches(deployer)


def _added(deployer: Deployer, tree: Tree, at: str) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a kustomization that a Kustomization sets."""
    components = [component for component in deployer.items("components") if _is_taken(component, deployer, tree, at)]
    if components:
        yield "components", components
    for field, own in (("namespace", "targetNamespace"), ("namePrefix", "namePrefix"), ("nameSuffix", "nameSuffix")):
        if text := deployer.text(own):
            yield field, text
    yield from patches_at(deployer).items()


def _is_taken(component: Any, deployer: Deployer, tree: Tree, at: str) -> bool:
    """Whether a component counts: one that is not there may be passed over."""
    return deployer.get("ignoreMissingComponents") is not True or tree.has(joined(at, str(component)))


def _generated(tree: Tree, at: str) -> Iterator[str]:
    """Yield what Flux makes resources of in a folder without a kustomization: all files, and kustomizations below.

    A file that holds no object of Kubernetes is one, too: Flux fails on it.
    """
    skipped: list[str] = []
    for folder in sorted(tree.kustomizations):
        inside = folder.startswith(f"{at}/") if at else folder != ""
        if inside and not any(folder.startswith(f"{above}/") for above in skipped):
            skipped.append(folder)
            yield folder
    for path in tree.below(at):
        if path.endswith(_YAML) and not any(path.startswith(f"{folder}/") for folder in skipped):
            yield path


def _with_metadata(result: Built, deployer: Deployer) -> Built:
    common = deployer.get("commonMetadata", of=dict)
    if common is None:
        return result
    resources = (with_metadata(_with_texts(resource), common) for resource in result.resources)
    return result._replace(resources=tuple(resources))


def _with_texts(resource: Resource) -> Resource:
    """An object whose labels and annotations are texts: where one is none, Flux loses all of them.

    Source: github.com/fluxcd/pkg, ssa/utils/meta.go (SetCommonMetadata).
    """
    metadata = dict(resource.data.get("metadata") or {})
    for key in ("labels", "annotations"):
        pairs = {name: "" if text is None else text for name, text in map_at(metadata, key).items()}
        if pairs:
            metadata[key] = pairs if all(isinstance(text, str) for text in pairs.values()) else {}
    return resource._replace(
        data={**resource.data, "metadata": {name: own for name, own in metadata.items() if own != {}}}
    )


def _substituted(result: Built, deployer: Deployer, settings: Sequence[Resource], texts: Texts) -> Built:
    """Fill in the variables; those that only the cluster knows stay as they stand."""
    references = deployer.items("postBuild", "substituteFrom")
    sources = [find_setting(settings, reference, deployer.namespace) for reference in references]
    values, is_open = _variables(deployer, sources), None in sources
    if not values and not is_open:
        return result
    wrong = next((name for name in values if not _VARIABLE.fullmatch(name)), None)
    if wrong is not None and not all(map(_keeps_variables, result.resources)):
        field = "substitute" if wrong in (deployer.get("postBuild", "substitute", of=dict) or {}) else "substituteFrom"
        message = f"has the variable {wrong!r}: a name has letters, digits and _, and no digit comes first"
        problem = deployer.problem(f"spec.postBuild.{field}", message)
        return result._replace(resources=(), problems=(*result.problems, problem), failed=True)
    secret_fields = ((setting, not_base64(setting.data)) for setting in sources if setting is not None)
    faults = [setting.problem(field, NOT_BASE64) for setting, field in secret_fields if field is not None]
    if faults:
        return result._replace(resources=(), problems=(*result.problems, *faults), failed=True)
    resources, problems = [], list(result.problems)
    for resource in result.resources:
        try:
            resources.append(_filled(resource, values, texts, is_open=is_open))
        except SubstitutionError as error:
            name = "/".join(filter(None, identity(resource.data)))
            source = resource.place
            problems.append(Problem(source.file, source.line, source.column, name, message=str(error)))
    return result._replace(resources=tuple(resources), problems=tuple(problems))


def _variables(deployer: Deployer, sources: Sequence[Resource | None]) -> dict[str, str]:
    """The values of variables: those of ConfigMaps and Secrets, None for one that is not here, and its own."""
    values: dict[str, Any] = {}
    for setting in sources:
        values |= texts_of(setting.data) if setting is not None else {}
    values |= deployer.get("postBuild", "substitute", of=dict) or {}
    return {key: str(value).replace("\n", "") for key, value in values.items()}


def _filled(resource: Resource, values: Mapping[str, str], texts: Texts, *, is_open: bool) -> Resource:
    """The object read again from its YAML with the variables' values in it, as Flux does: text can become a number."""
    if _keeps_variables(resource) or "$" not in json.dumps(resource.data):  # which is much faster than YAML
        return resource
    filled = substituted(dump(resource.data), values, is_open=is_open)
    text, documents = texts.parsed(filled.encode(errors="surrogatepass"), resource.place.file)
    if text.problems or len(documents) != 1 or not isinstance(documents[0][1], dict):
        message = text.problems[0].message if text.problems else "is no object"
        raise SubstitutionError(f"with the variables filled in: {message}")
    return resource._replace(data={**documents[0][1]})  # another unit may have a text that is the same


def _keeps_variables(resource: Resource) -> bool:
    pairs = (map_at(resource.data, "metadata", key) for key in ("labels", "annotations"))
    return any(labels.get(_SUBSTITUTE) == "disabled" for labels in pairs)
