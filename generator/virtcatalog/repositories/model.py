"""A repository as values: its environments, and the objects of each with the places that they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, NamedTuple

import msgspec

from virtcatalog.api.decode import manifest_name
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.manifests.identity import Data
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


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """One unit that is deployed.

    `name` is what people call it: a kustomization and a folder are called by their path. `folder` is the one that
    declares it, by its path in the repository, and `place` where. `cluster` is where it lands, "" when that is not
    said. `unrendered` says what of it is not among the `resources`, and why: a remote base, a chart without helm.
    `opaque` is what of that holds VMs. `problems` are faults; `failed` says that for them it is not deployed: its
    resources are those that are sound. Of what is `suspended` nothing is applied. Where nothing
    `prunes`, an object in the cluster that is no longer deployed.
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
    suspended: bool = False
    prunes: bool = True
    opaque: tuple[Opaque, ...] = ()


class Repository(msgspec.Struct, frozen=True, kw_only=True):
    """What a repository deploys.

    `passed_over` counts the files and documents that are none of ours by what they are (`Helm template`: 12).
    `unrendered` and `problems` are those that belong to no environment. `broken` has a digest of what each file of a
    problem is, and of all that a kustomization that could not be built names: alike on two sides, nothing was changed.
    `idle` has a digest of each file with VMs that stands among what is deployed, and is not.
    """

    environments: tuple[Environment, ...] = ()
    passed_over: Mapping[str, int] = {}
    broken: Mapping[str, bytes] = {}
    idle: Mapping[str, bytes] = {}
    unrendered: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    opaque: tuple[Opaque, ...] = ()

    @property
    def all_opaque(self) -> tuple[Opaque, ...]:
        """What holds VMs and is not rendered, of it and of its environments."""
        return (*self.opaque, *(each for environment in self.environments for each in environment.opaque))

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
