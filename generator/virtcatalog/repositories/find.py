"""What a repository deploys: its environments, in the order in which they are looked for.

First what objects of Flux and Argo CD deploy, then the kustomizations that nothing builds upon, then what is left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from virtcatalog.catalog.places import Source
from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import REPOSITORY_FILE_BYTES, REPOSITORY_LEVELS, REPOSITORY_UNITS
from virtcatalog.manifests.folder import Folder, SourceError, manifest_files
from virtcatalog.manifests.identity import identity
from virtcatalog.manifests.layout import CATALOG, KUSTOMIZATIONS, OWNED
from virtcatalog.repositories.building import kustomized
from virtcatalog.repositories.charts import CHART
from virtcatalog.repositories.deployers import GROUPS, Deployer, deploys
from virtcatalog.repositories.deploying import Context, Unit, units_of
from virtcatalog.repositories.flux import BOOTSTRAPPED
from virtcatalog.repositories.helm import Renderer
from virtcatalog.repositories.ignored import ignored
from virtcatalog.repositories.leftovers import with_leftovers
from virtcatalog.repositories.model import Repository, Resource, resource
from virtcatalog.repositories.settings import named_settings
from virtcatalog.repositories.tree import Tree, parents

#: What is passed over, as it is counted.
_LEFT_OUT = "file that Flux ignores"
_OF_ARGO_CD = frozenset({"Application", "ApplicationSet"})


def find(folder: Folder, label: str, renderer: Renderer | None = None) -> Repository:
    """Return what a folder deploys; `label` is what the folder is called in places and problems.

    Without a `renderer` no chart is rendered.
    """
    renderer = renderer or Renderer()
    tree = Tree(folder, label, renderer.texts)
    objects = list(_objects(tree))
    kinds = {resource.data["kind"] for resource in objects if deploys(resource.data)}
    context = Context(tree, objects, renderer.charts)
    own = [resource.data for resource in objects if context.sources.is_own(resource.data)]
    left_out = ignored(tree, own) if kinds and not kinds & _OF_ARGO_CD else []
    manifests = len({*left_out} & {*tree.files})
    if left_out:
        tree = Tree(folder.changed(dict.fromkeys(left_out)), label, renderer.texts)
        context = Context(tree, list(_objects(tree)), renderer.charts)
    repository = _Finder(context).find()
    return (
        replace(repository, passed_over={**repository.passed_over, _LEFT_OUT: manifests}) if manifests else repository
    )


def _objects(tree: Tree) -> Iterator[Resource]:
    files = (path for path in tree.files if not tree.in_chart(path))
    return (resource(manifest) for path in files for manifest in tree.documents(path).manifests)


def is_repository(folder: Folder) -> bool:
    """Whether a folder says what it deploys: it has kustomizations, charts, or objects of Flux or Argo CD."""
    if folder.has(CATALOG) or folder.has(OWNED):
        return False
    if any(path.rpartition("/")[2] in (CHART, *KUSTOMIZATIONS) for path in folder.listing().files):
        return True
    return any(_may_deploy(folder, path) for path in manifest_files(folder)[0])


def _may_deploy(folder: Folder, path: str) -> bool:
    try:
        content = folder.read(path, REPOSITORY_FILE_BYTES)
    except SourceError:
        return False
    return any(group.encode() in content for group in GROUPS)


class RepositoryError(VirtcatalogError):
    """A repository that asks for more than it may."""


class _Finder:
    """Looks at one repository.

    An object that deploys something is declared in a file, and counts as it is there unless another unit deploys it:
    then it counts as that unit renders it.
    """

    def __init__(self, context: Context) -> None:
        self._context, self._tree = context, context.tree
        self._rendered: dict[tuple[Deployer, tuple[int, ...]], tuple[Unit, ...]] = {}
        self._generated_settings: list[Resource] = []
        self._deployed: set[str] = set()
        self._units: list[Unit] = []
        self._reached: set[str] = set()
        self._above: list[str] = []
        self._visited: set[tuple[Deployer, str]] = set()
        self._aside: dict[str, tuple[Unit, ...]] = {}

    def find(self) -> Repository:
        """Return what the repository deploys."""
        deployers = [Deployer(resource) for resource in self._context.objects if deploys(resource.data)]
        if self._tree.is_file:  # what was rendered has no folders that anything could deploy
            deployers = []
        for deployer in self._outer_first(deployers):
            if deployer.key not in self._deployed:
                self._note_deployed(self._units_of(deployer), (deployer.key,))
        deployed_folders = {folder for units in self._rendered.values() for unit in units for folder in unit.folders}
        roots = [self._kustomization(at) for at in self._roots(deployed_folders)]
        self._note_deployed(roots, ())
        self._use_generated_settings(roots)
        self._set_aside_covered(deployers)
        for deployer in deployers:
            if deployer.key not in self._deployed and deployer.key not in self._aside:
                self._reach(deployer)
        for root in roots:
            self._add(root, 0)
        for deployer in sorted(deployers, key=self._depth):  # those that deploy each other
            if deployer.key not in self._reached and deployer.key not in self._aside:
                self._reach(deployer)
        undeployed = [unit for units in self._aside.values() for unit in units]
        return with_leftovers(self._context, self._units, undeployed)

    def _depth(self, deployer: Deployer) -> tuple[bool, int]:
        """How far down it is: first is what Flux is set up with, then what stands in the fewest folders."""
        return deployer.name != BOOTSTRAPPED, self._tree.path_of(deployer.resource.place.file).count("/")

    def _set_aside_covered(self, deployers: Iterable[Deployer]) -> None:
        """Note what lies in a folder that another one builds without it, and what that alone would deploy."""
        covered: dict[str, set[str]] = defaultdict(set)
        for (deployer, _), units in self._rendered.items():
            for folder in (folder for unit in units if not unit.environment.failed for folder in unit.folders):
                covered[folder].add(deployer.key)
        for deployer in deployers:
            above = parents(self._tree.path_of(deployer.resource.place.file))
            by = {key for at in above for key in covered[at]} - {deployer.key, *self._aside}
            if by and deployer.key not in self._deployed:
                self._set_aside(deployer)

    def _set_aside(self, deployer: Deployer, by: Unit | None = None) -> None:
        if deployer.key in self._aside:
            return
        self._aside[deployer.key] = units = self._units_of(deployer, by)
        for unit in units:
            for inner in unit.deployers:
                self._set_aside(inner, unit)

    def _outer_first(self, deployers: Sequence[Deployer]) -> list[Deployer]:
        """Return last what a kustomization or another one's folder has: most of that is rendered with those."""
        tree = self._tree
        listed = {file for kustomization in tree.kustomizations.values() for file in kustomization.files}
        folders = Counter(at for deployer in deployers for at in deployer.folders)

        def is_inner(deployer: Deployer) -> bool:
            file, own = tree.path_of(deployer.resource.place.file), deployer.folders
            return file in listed or any(folders[at] > own.count(at) for at in parents(file))

        return sorted(deployers, key=is_inner)

    def _units_of(self, deployer: Deployer, by: Unit | None = None) -> tuple[Unit, ...]:
        """Return what an object deploys, which is rendered once; `by` is the unit that deploys the object."""
        settings = self._settings_for(deployer, by)
        key = deployer, tuple(map(id, settings))
        if key not in self._rendered:
            if len(self._rendered) > 2 * REPOSITORY_UNITS:  # as they are declared, and as they are deployed
                raise _too_many(deployer.resource.place, f"{REPOSITORY_UNITS} units")
            self._rendered[key] = units_of(deployer, self._context, settings)
        return self._rendered[key]

    def _is_rendered(self, deployer: Deployer, by: Unit) -> bool:
        return (deployer, tuple(map(id, self._settings_for(deployer, by)))) in self._rendered

    def _settings_for(self, deployer: Deployer, by: Unit | None) -> list[Resource]:
        """The settings that stand in no file, and on which what an object deploys depends: those beside it first."""
        references = deployer.references
        settings = chain(by.settings if by is not None else (), self._generated_settings) if references else ()
        return named_settings(settings, references, deployer.namespace)

    def _use_generated_settings(self, roots: Sequence[Unit]) -> None:
        """From here on have the settings that some units make at hand for others: generators', and charts'."""
        declared = {identity(setting.data) for setting in self._context.settings}
        units = (unit for rendered in (*self._rendered.values(), roots) for unit in rendered)
        generated = (setting for unit in units for setting in unit.settings)
        self._generated_settings = [setting for setting in generated if identity(setting.data) not in declared]

    def _note_deployed(self, units: Iterable[Unit], above: tuple[str, ...]) -> None:
        """Note what units deploy that deploys something, and what that deploys; `above` are the keys on the way."""
        for unit in units:
            for deployer in unit.deployers:
                if deployer.key == unit.key:
                    continue
                self._deployed.add(deployer.key)
                is_new = deployer.key not in above and not self._is_rendered(deployer, unit)
                if is_new and len(above) <= REPOSITORY_LEVELS:
                    self._note_deployed(self._units_of(deployer, unit), (*above, deployer.key))

    def _roots(self, deployed_folders: set[str]) -> Iterator[str]:
        """Yield the folders of kustomizations that nothing deploys or builds upon, but they themselves."""
        tree = self._tree
        candidates = [
            at
            for at, kustomization in tree.kustomizations.items()
            if not (
                kustomization.is_component
                or tree.in_chart(at)
                or any(above in deployed_folders for above in parents(at))
            )
        ]
        below = {folder for kustomization in tree.kustomizations.values() for folder in kustomization.folders}
        built = tree.built_of(
            {
                *deployed_folders,
                *(at for at, kustomization in tree.kustomizations.items() if kustomization.is_component),
            }
        )
        for at in sorted(candidates, key=below.__contains__):  # the last are those that go round in a circle
            if at not in built:
                yield at
                built |= tree.built_of([at])

    def _kustomization(self, at: str) -> Unit:
        place = Source(self._tree.label_of(self._tree.kustomizations[at].file))
        return Unit(kustomized(self._tree, at).environment(at, "kustomization", at, place))

    def _reach(self, deployer: Deployer, by: Unit | None = None, level: int = 0) -> None:
        """Take what an object deploys, and what that deploys; `by` is the unit that deploys the object."""
        self._reached.add(deployer.key)
        self._above.append(deployer.key)
        for unit in self._units_of(deployer, by):
            self._add(unit, level, by)
        self._above.pop()

    def _add(self, unit: Unit, level: int, by: Unit | None = None) -> None:
        environment = unit.environment
        if len(self._units) >= REPOSITORY_UNITS or level > REPOSITORY_LEVELS:
            limit = (
                f"{REPOSITORY_UNITS} units" if level <= REPOSITORY_LEVELS else f"{REPOSITORY_LEVELS} levels of units"
            )
            raise _too_many(environment.place, limit)
        every = [*unit.deployers]
        inner = [deployer for deployer in every if deployer.key != unit.key]
        cluster = environment.cluster or (by.environment.cluster if by else "") or (unit.cluster if inner else "")
        own = environment.syncing.own if environment.syncing else (environment.kind, "", environment.name)
        origin = " ".join((self._tree.path_of(environment.place.file), *own))
        is_circular = unit.key in self._deployed or inner != every
        deployed_by = by.environment.origin if by else origin if is_circular else ""
        unit = unit._replace(environment=replace(environment, cluster=cluster, origin=origin, by=deployed_by))
        if unit.deployer is not None:
            if (unit.deployer, cluster) in self._visited:  # two units may deploy what deploys it
                return
            self._visited.add((unit.deployer, cluster))
        self._units.append(unit)
        for deployer in inner:
            if deployer.key not in self._above:
                self._reach(deployer, unit, level + 1)


def _too_many(place: Source, limit: str) -> RepositoryError:
    return RepositoryError(f"{place.file}: the repository has more than {limit}")
