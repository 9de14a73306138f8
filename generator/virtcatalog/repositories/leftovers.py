"""What no unit of a repository deploys: charts that hold VMs, folders of plain manifests, and files beside these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from virtcatalog.api.kinds import holds_vm
from virtcatalog.catalog.places import Source
from virtcatalog.manifests.layout import CATALOG
from virtcatalog.repositories.checked import checked, wrapped
from virtcatalog.repositories.deploying import Context, Unit
from virtcatalog.repositories.documents import Documents, joined
from virtcatalog.repositories.model import Environment, Repository, resource
from virtcatalog.repositories.releases import lone_charts
from virtcatalog.repositories.tree import Tree, parents

#: What is passed over, as it is counted.
_UNINCLUDED = "file that no kustomization includes"
_OF_CHART = "file of a chart"


def with_leftovers(context: Context, units: Sequence[Unit], undeployed: Sequence[Unit]) -> Repository:
    """Return the repository that deploys units, with the charts and plain manifests that none of them takes.

    `undeployed` are units that nothing deploys where they stand: what these would take is nobody else's.
    """
    tree = context.tree
    folders = {folder for unit in units for folder in unit.folders}
    included = {file for unit in units for file in unit.files}
    unincluded = {file for unit in undeployed for file in unit.files} - included
    roots = {unit.environment.folder for unit in units if unit.environment.kind == "kustomization"}
    built = tree.built_of(roots | folders | included)
    included |= {file for at in built for file in tree.kustomizations[at].files}
    folders |= {folder for unit in undeployed for folder in unit.folders}
    charts = [*lone_charts(tree, context.charts, folders)]
    environments = [checked(environment) for environment in (*(unit.environment for unit in units), *charts)]
    rendered = folders | {environment.folder for environment in charts}
    passed_over: Counter[str] = Counter()
    idle = [tree.path_of(unit.environment.place.file) for unit in undeployed if _holds_vms_itself(unit)]
    plain: list[Documents] = []
    for at, files in tree.folders.items():
        path = (at, *parents(at))
        if at in tree.charts or tree.in_chart(at):
            passed_over[_OF_CHART] += 0 if rendered.intersection(path) else len(files)
            continue
        is_covered = at in tree.kustomizations or bool(folders.intersection(path))
        free = [file for file in files if file not in included]
        passed = [file for file in free if is_covered or file in unincluded]
        passed_over[_UNINCLUDED] += len(passed)
        idle += (file for file in passed if any(holds_vm(vm.data) for vm in tree.documents(file).manifests))
        documents = joined(tree.documents(file) for file in free if file not in passed)
        plain.append(documents)
        if documents.manifests:
            environments.append(checked(_folder(tree, at, documents)))
    leftovers = joined(plain)
    passed_over.update(leftovers.passed_over)
    opaque = [vm for environment in environments for resource in environment.resources for vm in wrapped(resource)]
    problems = (*tree.problems, *leftovers.problems)
    of_environments = (problem for environment in environments for problem in environment.problems)
    broken = {tree.path_of(problem.file) for problem in (*problems, *of_environments)}
    return Repository(
        environments=tuple(environments),
        files=frozenset(tree.files),
        passed_over=+passed_over,
        broken={path: tree.digest(path) for path in broken},
        idle={path: tree.digest(path) for path in idle},
        catalogs=dict(_catalogs(tree)),
        unrendered=(*leftovers.unrendered, *(vm.problem for vm in opaque)),
        opaque=(*leftovers.opaque, *opaque),
        problems=tuple(sorted(problems)),
    )


def _catalogs(tree: Tree) -> Iterator[tuple[str, bytes]]:
    """Yield the folders of catalogs, each with a digest of its files."""
    for path in tree.files:
        folder, _, name = path.rpartition("/")
        if name == CATALOG and folder:
            files = [file for file in tree.files if file.startswith(f"{folder}/")]
            if any(file.startswith((f"{folder}/instancetypes/", f"{folder}/preferences/")) for file in files):
                yield folder, b"".join(file.encode() + tree.digest(file) for file in sorted(files))


def _holds_vms_itself(unit: Unit) -> bool:
    """Whether the object that deploys a unit has VMs in it, not in other files."""
    is_alone = not (unit.folders or unit.files)
    return is_alone and any(holds_vm(resource.data) for resource in unit.environment.resources)


def _folder(tree: Tree, at: str, documents: Documents) -> Environment:
    """The plain manifests of a folder."""
    resources = tuple(map(resource, documents.manifests))
    return Environment(name=at, kind="folder", folder=at, place=Source(tree.label_of(at)), resources=resources)
