"""Builds a folder as kustomize does; nothing is run and nothing is fetched.

Order and meaning are kustomize's (api/internal/target/kusttarget.go): resources, generators, components, then the
transformers of the folder; at the end hashes, the names that refer to others, and variables. What cannot be built is
named, and its neighbours are built all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from posixpath import join, normpath
from typing import Final, NamedTuple

from virtcatalog.api.values import describe
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.folder import Folder, LinkOutError
from virtcatalog.manifests.layout import KUSTOMIZATIONS
from virtcatalog.manifests.merge import fresh
from virtcatalog.repositories import model
from virtcatalog.repositories.kustomize.budget import BudgetError
from virtcatalog.repositories.kustomize.config import configuration, of_schemas
from virtcatalog.repositories.kustomize.declared import (
    API_VERSIONS,
    FIELDS,
    Addition,
    Declared,
    problem_at,
    read_by_flux,
)
from virtcatalog.repositories.kustomize.defaults import default_config
from virtcatalog.repositories.kustomize.files import Files, Reading, is_elsewhere
from virtcatalog.repositories.kustomize.generators import absorb, add_hashes, generate
from virtcatalog.repositories.kustomize.names import follow_names
from virtcatalog.repositories.kustomize.origins import Spot, sources
from virtcatalog.repositories.kustomize.output import annotate, build_metadata, check_output, finish, transformed
from virtcatalog.repositories.kustomize.plugins import Scope, generator_of, transform
from virtcatalog.repositories.kustomize.resource import Id, Resource, pairs_of, text_of, unfit_problems
from virtcatalog.repositories.kustomize.run import Objects, Run
from virtcatalog.repositories.kustomize.steps import transform_all
from virtcatalog.repositories.kustomize.variables import fill_variables, read_variable

_LOCAL: Final = "config.kubernetes.io/local-config"
_DEEPEST: Final = 30
_EMPTY: Final = "is empty: kustomize refuses a kustomization that says nothing"


class Built(NamedTuple):
    """What a kustomization makes. `unrendered` are the parts that are not built here, `problems` are faults."""

    resources: tuple[model.Resource, ...] = ()
    unrendered: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()


def is_kustomization(folder: Folder) -> bool:
    """Whether a folder is one that kustomize builds."""
    return any(folder.has(name) for name in KUSTOMIZATIONS)


def build(
    folder: Folder,
    name: str,
    added: Addition | None = None,
    reading: Reading | None = None,
    *,
    is_flux: bool = False,
) -> Built:
    """Build a folder, which problems call `name`; with `added` fields it needs no kustomization of its own.

    Builds that share a `reading` share its budget, and what is read. Flux has kustomize read files beside a folder,
    too, and reads the first kustomization itself.
    """
    run = Run(reading or Reading(), is_flux=is_flux)
    try:
        resources = tuple(_finished(folder, name, run, added))
        problems = dict.fromkeys(run.problems)  # of what is read twice, such as `sortOptions`, a fault comes twice
        return Built(resources, tuple(run.unrendered), tuple(problems))
    except ManifestError as error:
        return Built(unrendered=tuple(run.unrendered), problems=(*run.problems, *error.problems))
    except BudgetError as error:
        return Built(unrendered=tuple(run.unrendered), problems=(*run.problems, Problem(name, message=str(error))))


def _finished(folder: Folder, name: str, run: Run, added: Addition | None) -> Iterator[model.Resource]:
    target = _Target(folder, name, (), run, added)
    run.metadata = build_metadata(target.declared)
    objects = target.build(Objects())
    run.unrendered += add_hashes(objects.resources)
    follow_names(
        objects.resources, objects.config, run.budget, lambda fault: run.problems.append(Problem(name, message=fault))
    )
    with run.naming(target.declared):
        fill_variables(objects.variables, objects.resources, objects.config.variables, run.budget)
    resources = finish(target.declared, objects.resources, run)
    ids: set[Id] = set()
    for resource in resources:
        run.problems += unfit_problems(resource)
        current = resource.current
        if current in ids:
            run.problems.append(problem_at(resource.home, f"{resource.title} is there twice in the end"))
        ids.add(current)
        annotations = pairs_of(resource.data, "annotations")
        annotations |= {key: text_of(value) for key, value in annotations.items()}  # kustomize writes all anew
        if annotations.get(_LOCAL, "false") == "false":
            yield model.Resource(resource.data, sources(resource.data, resource.home, resource.changes))


class _Target:
    """One folder that is built."""

    def __init__(
        self,
        folder: Folder,
        name: str,
        parents: tuple[tuple[str, ...], ...],
        run: Run,
        added: Addition | None = None,
        path: str = "",
    ) -> None:
        """`path` leads here from the root."""
        self._folder, self._parents, self._run, self._budget = folder, parents, run, run.budget
        self._files = Files(folder, name, run.reading, reads_beside=run.is_flux)
        self._at, self._file = path, KUSTOMIZATIONS[0]
        self.declared = self._declared(added)

    def _declared(self, added: Addition | None) -> Declared:
        names = [name for name in KUSTOMIZATIONS if self._folder.has(name)]
        file = self._file = names[0] if names else KUSTOMIZATIONS[0]
        label = self._files.called(file)
        if len(names) > 1:
            raise ManifestError(Problem(label, message=f"there is {names[1]} beside it: kustomize takes one of them"))
        documents = self._run.reading.documents(b"{}", label)
        if added is None or names:
            nothing = Declared(None, Spot(documents[0].spot.text))
            documents = self._run.reading.documents(self._files.content(file, nothing), label)
            if self._run.is_flux and not self._parents:
                first = documents[0] if documents else nothing
                documents = [first._replace(data=read_by_flux(first.data))]
        if len(documents) != 1 or not isinstance(documents[0].data, dict):
            is_empty = not any(document.data is not None for document in documents)
            raise ManifestError(Problem(label, message=_EMPTY if is_empty else "must be one map"))
        declared = documents[0]
        if added is not None:
            declared = added.over(declared)
        with self._run.naming(declared):
            check_output(declared.only(*FIELDS))
        kind = declared.text("kind") or "Kustomization"
        if kind not in API_VERSIONS:
            raise declared.fault("must be Kustomization or Component", "kind")
        if declared.text("apiVersion") not in ("", API_VERSIONS[kind]):
            raise declared.fault(f"must be {API_VERSIONS[kind]}", "apiVersion")
        if all(value in (None, "") for key, value in declared.data.items() if key not in ("apiVersion", "kind")):
            raise declared.fault(_EMPTY)
        return declared

    @property
    def is_component(self) -> bool:
        """Whether it is a Component."""
        return self.declared.text("kind") == "Component"

    def build(self, objects: Objects) -> Objects:
        """Return the objects of the folder after its transformers; a Component's are applied to those given, too."""
        declared, run = self.declared, self._run
        for key in ("resources", "bases"):
            for item in run.items(declared, key):
                with run.naming(item):
                    self._resource(item, objects)
        with run.naming(declared):
            objects.configure(default_config(), declared)
        for key, read in (("configurations", configuration), ("crds", partial(of_schemas, budget=self._budget))):
            for item in run.items(declared, key):
                with run.naming(item):
                    for document in self._files.documents(self._path(item), item):
                        objects.configure(read(document), item)
        self._generate(objects)
        for item in run.items(declared, "components"):
            with run.naming(item):
                joined = Objects()
                joined.join(self._below(item, component=True).build(objects), item)
                objects = joined
        note = partial(transformed, objects.resources, run, join(self._at, self._file))
        transform_all(declared, objects.resources, objects.config, self._files, run, note)
        for key in ("transformers", "validators"):
            for item in run.items(declared, key):
                with run.naming(item):
                    for plugin in self._plugins(item):
                        transform(plugin, Scope(objects.resources, self._files, self._budget))
                        run.nameless += [plugin.text("kind")] if key == "transformers" else []
        objects.renamed()
        for item in run.items(declared, "vars"):
            with run.naming(item):
                objects.declare(read_variable(item, objects.resources))
        with run.naming(declared):
            if declared.data.get("openapi"):
                raise declared.unrendered(
                    "merge keys of a schema of your own are not read here: lists of custom resources that patches "
                    "name are replaced, where kustomize would merge them",
                    "openapi",
                )
        return objects

    def _path(self, item: Declared) -> str:
        if not isinstance(item.data, str) or not item.data:
            raise item.fault("must be a path")
        return item.data

    def _resource(self, item: Declared, objects: Objects) -> None:
        path = self._path(item)
        if not self._files.is_file(path):
            objects.join(self._below(item, component=False).build(Objects()), item)
            return
        faults: list[Problem] = []
        for data, spot in self._files.objects(path, item):
            try:
                resource = Resource(fresh(data), spot)
                annotate(resource, self._run, normpath(join(self._at, path)))
                objects.add(resource, item)
            except ManifestError as error:
                faults += error.problems
        if faults:
            raise ManifestError(*faults)

    def _below(self, item: Declared, *, component: bool) -> _Target:
        """Another folder that is built."""
        path = self._path(item)
        self._budget.file()
        try:
            folder = self._folder.folder(path)
        except LinkOutError:
            if not is_elsewhere(path):
                raise item.fault(f"{path} leads out of what may be read") from None
            folder = None
        if folder is None or not is_kustomization(folder):
            if is_elsewhere(path) or self._run.reading.is_in_submodule(self._files.called(path)):
                raise item.unrendered(f"{path} is elsewhere, and nothing is fetched")
            raise item.fault(f"there is no file and no kustomization at {path}")
        parents = (*self._parents, self._folder.at)
        if len(parents) > _DEEPEST or any(parent[: len(folder.at)] == folder.at for parent in parents):
            raise item.fault(f"{path} is built of this folder: they go round in a circle")
        at = normpath(join(self._at, path))
        below = _Target(folder, self._files.called(path), parents, self._run, path=at)
        if component != below.is_component:
            raise item.fault(f"{path} is {'no' if component else 'a'} Component")
        return below

    def _generate(self, objects: Objects) -> None:
        options = self.declared.get("generatorOptions")
        for key, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
            for item in self._run.items(self.declared, key):
                with self._run.naming(item):
                    generated = generate(item, options, kind, self._files.content, self._budget)
                    annotate(generated, self._run, join(self._at, self._file), f"{kind}Generator")
                    self._absorb(generated, item, objects)
        for key in ("helmCharts", "helmChartInflationGenerator"):
            for item in self._run.items(self.declared, key):
                with self._run.naming(item):
                    if not isinstance(item.data, dict):
                        raise item.fault(f"must be a map, not {describe(item.data)}")
                    name = item.data.get("name") or item.data.get("chartName")
                    if not name:
                        raise item.fault("needs a name")
                    raise item.unrendered(f"the Helm chart {name} is not rendered")
        for item in self._run.items(self.declared, "generators"):
            with self._run.naming(item):
                for plugin in self._plugins(item):
                    generated = generator_of(plugin, self._files, self._budget)
                    self._absorb(generated, item, objects)

    def _absorb(self, generated: Resource, item: Declared, objects: Objects) -> None:
        """Add a generated object, or put it in place of the one of its name. Source: appendReplaceOrMerge."""
        self._budget.keys(len(objects.resources))
        current = generated.current
        namesakes = [number for number, resource in enumerate(objects.resources) if current in resource.ids]
        replaces = generated.behaviour in ("replace", "merge")
        if len(namesakes) > 1:
            raise item.fault(f"{generated.title} is the name of {len(namesakes)} objects")
        if replaces and not namesakes:
            raise item.fault(f"there is no {generated.title} to {generated.behaviour}")
        if namesakes and not replaces:
            raise item.fault(f"there is {generated.title} already: say `behavior: merge` or `replace`")
        if namesakes:
            absorb(generated, objects.resources[namesakes[0]])
            objects.resources[namesakes[0]] = generated
        else:
            objects.add(generated, item)

    def _plugins(self, item: Declared) -> list[Declared]:
        """The plugins that an entry names: a text, a file, or a folder that is built."""
        path = self._path(item)
        if "\n" in path or path.lstrip().startswith("{"):
            return self._files.inline(item, objects=True)
        if self._files.is_file(path):
            return self._files.objects(path, item)
        resources = self._below(item, component=False).build(Objects()).resources
        return [Declared(resource.data, resource.home) for resource in resources]
