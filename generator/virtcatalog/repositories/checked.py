"""The objects of an environment as they count: filled in, and without those that are broken, which are named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from virtcatalog.api.decode import manifest_name
from virtcatalog.api.kinds import holds_vm, may_matter
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.decoding import CLUSTER_WIDE, counts
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, without_metadata
from virtcatalog.manifests.read import faults
from virtcatalog.repositories.deployers import deploys
from virtcatalog.repositories.documents import Opaque, digest_of
from virtcatalog.repositories.model import Environment, Resource
from virtcatalog.repositories.placeholders import fill

_WRAPPED: Final = "holds {}, and what becomes of that is not known here"


def checked(environment: Environment) -> Environment:
    """Return the environment without what is wrong of what makes a difference to VMs, which its problems say.

    Values that are not in the repository have something in their place; a VM that depends on one is `open`.
    """
    sound: list[Resource] = []
    problems = list(environment.problems)
    for deployed in environment.resources:
        if not (counts(deployed.data) or may_matter(deployed.data)):
            sound.append(deployed)
            continue
        data, is_open = fill(_without_namespace(deployed.data))
        if is_open and not holds_vm(data):
            wrong = [
                Problem(object=manifest_name(data), field=value.field, message=value.sentence) for value in is_open
            ]
        else:
            wrong = _wrong(data) if not is_open else _unnamed(data)
        problems += (deployed.problem(problem.field, problem.message) for problem in wrong)
        if not wrong:
            sound.append(deployed._replace(data=data, open=is_open))
    return replace(environment, resources=tuple(sound), problems=tuple(problems))


def wrapped(deployed: Resource) -> Iterator[Opaque]:
    """Yield the VMs that stand whole in an object of another kind: policies, ManifestWorks and the like make these."""
    rest = {key: value for key, value in deployed.data.items() if key not in ("metadata", "status")}
    pending: list[Any] = [] if deploys(deployed.data) else [*rest.values()]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict):
            if "spec" in value and holds_vm(value):
                yield Opaque(deployed.problem("", _WRAPPED.format(manifest_name(value))), digest_of(rest))
            else:
                pending += value.values()


def _without_namespace(data: Data) -> Data:
    """The object without a namespace if it is in none: kustomize gives one to all kinds that it does not know.

    Source: apiserver/pkg/registry/rest/meta.go (EnsureObjectNamespaceMatchesRequestNamespace).
    """
    metadata = map_at(data, "metadata")
    if data.get("kind") not in CLUSTER_WIDE or "namespace" not in metadata:
        return data
    return without_metadata(data, "namespace")


def _unnamed(data: Data) -> list[Problem]:
    """Say that a VM with open fields, of which no more is looked at, has no name."""
    metadata = map_at(data, "metadata")
    if metadata.get("name") or metadata.get("generateName"):
        return []
    return [Problem(object=manifest_name(data), field="metadata.name", message="is required")]


def _wrong(data: Data) -> list[Problem]:
    """Say why an object cannot be used: of others' kinds no more is looked at than what VMs meet of them."""
    if may_matter(data):
        return faults(data)
    try:
        Cluster([data])
    except ManifestError as error:
        return list(error.problems)
    return []
