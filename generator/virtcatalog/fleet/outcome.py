"""VMs on their way through a fleet: where each is from, what it becomes, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from virtcatalog.api.decode import manifest_name
from virtcatalog.environments import BASE
from virtcatalog.errors import Problem, Warning, within
from virtcatalog.manifests.identity import full_name

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.pipeline import Result
    from virtcatalog.manifests.read import Manifest


class Located(NamedTuple):
    """A manifest, and how to say that something is wrong with one of its fields; of a VM, the environment it is in."""

    manifest: dict[str, Any]
    problem: Callable[[str, str], Problem]
    environment: str = ""

    @property
    def name(self) -> str:
        """`namespace/name`."""
        return full_name(self.manifest)

    @property
    def title(self) -> str:
        """The name, and the environment if there are any."""
        return within(self.name, [self.environment]) if self.environment else self.name

    def located_in(self, environment: str) -> Located:
        """Return the VM in an environment, whose problems say so."""
        if environment == BASE:
            return self
        return Located(self.manifest, partial(_problem_in, environment, self.problem), environment)


class Deployed(NamedTuple):
    """VMs of one environment of a repository, and the objects that they meet."""

    environment: str
    vms: list[Located]
    objects: list[Located]


def located(manifest: Manifest, environment: str) -> Located:
    """Return a VM of a file in the environment that it is in."""
    return Located(manifest.data, manifest.problem).located_in(environment)


def unplaced(manifest: dict[str, Any]) -> Located:
    """Return a manifest that stands in no file."""
    return Located(manifest, partial(problem_at, "", 0, 0, manifest))


def problem_at(file: str, line: int, column: int, manifest: dict[str, Any], field: str, message: str) -> Problem:
    """Return what is wrong with a manifest that begins at a place of a file."""
    return Problem(file, line, column, manifest_name(manifest), field, message)


def _problem_in(environment: str, problem: Callable[[str, str], Problem], field: str, message: str) -> Problem:
    return problem(field, within(message, [environment]))


class Remark(NamedTuple):
    """A problem to print; with `about` it is one of an object that many VMs use, and is printed once."""

    problem: Problem
    about: Warning | None = None


class Outcome(NamedTuple):
    """What a VM became in its cluster."""

    vm: Located
    result: Result
    cluster: Cluster


class Form(NamedTuple):
    """What a form of output makes of a VM: a value that can be sent to other processes, None for nothing.

    The second argument of `make` is whether there are many VMs. `fills`: the value is a text that holds the VM's name
    and other leaves as they are, so that those of an alike VM can replace them. `written` turns a leaf, as JSON has it
    between quotes, into what stands in that text; None where such leaves are not in it. `staged`: it is quicker for a
    result that has the VM's stages.
    """

    make: Callable[[Outcome, bool], Any]
    fills: bool = False
    written: Callable[[str], str] | None = None
    staged: bool = False


class Expansion(NamedTuple):
    """What is printed of a VM: the `output` that a form makes of its outcome, None for nothing, and remarks.

    `became` is one of `admitted`, `refused`, `unreadable` and `unsupported`, or "" for a text that holds no VM at all.
    An admitted VM is `faulty` if its domain breaks libvirt's schema, or if it has no Pod and that was asked for.
    """

    became: str
    output: Any = None
    remarks: tuple[Remark, ...] = ()
    faulty: bool = False
