"""A repository as values: its environments, and the objects of each with the places that they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, NamedTuple

import msgspec

from virtcatalog.api.decode import manifest_name
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.manifests.identity import Data, Identity
from virtcatalog.manifests.read import Manifest
from virtcatalog.repositories.documents import Opaque
from virtcatalog.repositories.placeholders import Open

Kind = Literal["Kustomization", "HelmRelease", "Application", "kustomization", "chart", "folder"]
"""What makes an environment: a Flux Kustomization or HelmRelease, an Argo CD Application, a folder that kustomize
builds, a chart that nothing here deploys, a folder of plain manifests."""


class Resource(NamedTuple):
    """An object as it is deployed. `field` finds the line that gives one of its fields: `spec.template`, "" itself.

    `open` are fields of a VM that decide what it is, and whose values are not in the repository.
    """

    data: Data
    field: Callable[[str], Source]
    open: tuple[Open, ...] = ()

    @property
    def place(self) -> Source:
        """Where it is declared."""
        return self.field("")

    def problem(self, field: str, message: str) -> Problem:
        """Say what is wrong with one of its fields, where that stands."""
        source = self.field(field)
        return Problem(source.file, source.line, source.column, manifest_name(self.data), field, message)


def resource(manifest: Manifest) -> Resource:
    """Return an object that is deployed as it stands in a file."""
    return Resource(manifest.data, partial(_place, manifest))


def _place(manifest: Manifest, field: str) -> Source:
    return Source(manifest.file, find=partial(manifest.place, field))


class Syncing(msgspec.Struct, frozen=True, kw_only=True):
    """How Argo CD or Flux applies a unit.

    Of what is `suspended` nothing is applied; what is not `automatic` someone has to sync. `prunes`: what is no longer
    deployed is deleted from the cluster. `heals`: Argo CD syncs again what differs. A sync that fails is tried again so
    many times (`retries`; -1 for ever). `options` are Argo CD's sync options, and `ignored` the items of
    `ignoreDifferences`; `server_diff`: it asks the API server what an apply would store; `own_health`: it judges VMs by
    a health check of the repository's. `waits`: Flux is not ready before all objects are, and `watched` are the kinds,
    namespaces and names that it waits for where it waits for some. `own` is what applies it by kind, namespace and
    name; it is applied after those of `after`, and in its `wave` where Argo CD applies it itself.
    """

    tool: Literal["Argo CD", "Flux"]
    kind: Kind
    suspended: bool = False
    automatic: bool = True
    prunes: bool = True
    allows_empty: bool = True
    heals: bool = False
    retries: int = 0
    options: frozenset[str] = frozenset()
    ignored: tuple[Data, ...] = ()
    server_diff: bool = False
    own_health: bool = False
    waits: bool = False
    watched: frozenset[Identity] = frozenset()
    own: Identity = ("", "", "")
    after: frozenset[Identity] = frozenset()
    wave: int = 0


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """One unit that is deployed.

    `name` is what people call it: a kustomization and a folder are called by their path. `folder` is the one that
    declares it, by its path in the repository, and `place` where. `cluster` is where it lands, "" when that is not
    said. `unrendered` says what of it is not among the `resources`, and why: a remote base, a chart without helm.
    `opaque` is what of that holds VMs. `problems` are faults; `failed` says that for them it is not deployed: its
    resources are those that are sound. `syncing` says how it is applied, where an object of Flux or Argo CD does that.
    `origin` is the file and the object that declare it, `by` that of the unit that deploys this object, "" for none;
    of those that deploy each other one is taken to be deployed by itself.
    """

    name: str
    kind: Kind
    folder: str
    place: Source
    cluster: str = ""
    resources: tuple[Resource, ...] = ()
    unrendered: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    failed: bool = False
    syncing: Syncing | None = None
    opaque: tuple[Opaque, ...] = ()
    origin: str = ""
    by: str = ""

    @property
    def is_deployed(self) -> bool:
        """Whether an object in the repository deploys it; who deploys others is not known."""
        return self.kind in ("Kustomization", "HelmRelease", "Application")


class Repository(msgspec.Struct, frozen=True, kw_only=True):
    """What a repository deploys, and the paths of its `files` that may hold manifests.

    `passed_over` counts the files and documents that are none of ours by what they are (`Helm template`: 12).
    `unrendered` and `problems` are those that belong to no environment. `broken` has a digest of what each file of a
    problem is, and of all that a kustomization that could not be built names: alike on two sides, nothing was changed.
    `idle` has a digest of each file with VMs that stands among what is deployed, and is not; `catalogs` one of each
    catalog of virtcatalog's, of which only what is rendered counts.
    """

    environments: tuple[Environment, ...] = ()
    files: frozenset[str] = frozenset()
    passed_over: Mapping[str, int] = {}
    broken: Mapping[str, bytes] = {}
    idle: Mapping[str, bytes] = {}
    catalogs: Mapping[str, bytes] = {}
    unrendered: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    opaque: tuple[Opaque, ...] = ()

    @property
    def all_opaque(self) -> tuple[Opaque, ...]:
        """What holds VMs and is not rendered, of it and of its environments."""
        return (*self.opaque, *(opaque for environment in self.environments for opaque in environment.opaque))

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """What is wrong with it and with its environments, in order."""
        of_units = (problem for environment in self.environments for problem in environment.problems)
        return tuple(sorted({*self.problems, *of_units}))

    @property
    def all_unrendered(self) -> tuple[Problem, ...]:
        """What is not rendered of it and of its environments, in order."""
        of_units = (problem for environment in self.environments for problem in environment.unrendered)
        return tuple(sorted({*self.unrendered, *of_units}))
