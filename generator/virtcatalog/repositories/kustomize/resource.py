"""An object on its way through a kustomization: its data, the names that it had, and what was done to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.api.values import describe
from virtcatalog.errors import Problem
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.kustomize.origins import Change, Spot
from virtcatalog.repositories.kustomize.scopes import is_cluster_scoped

NO_NAMESPACE: Final = "_non_namespaceable_"


class Id(NamedTuple):
    """What names an object; the namespace is `default` where it has none. Source: kyaml/resid/resid.go."""

    group: str
    version: str
    kind: str
    namespace: str
    name: str


class Shared(NamedTuple):
    """A label or annotation that one transformer put into several maps of an object, at these paths."""

    key: str
    value: str
    maps: tuple[Path, ...]


class Unfit(NamedTuple):
    """A field that was a boolean or a number, and is a text now: the object cannot be written unless that changes."""

    is_bool: bool
    problem: Problem


class Resource:
    """An object, which changes in place.

    `former` are the ids that it had, the oldest first; `prefixes` and `suffixes` those that its name got. `hashed` says
    that a hash of its content is to end its name. `untyped` are fields that replacements made: they have no type yet,
    `unfit` those that got a text of another one.
    Source: api/resource/resource.go.
    """

    __slots__ = (
        *("behaviour", "changes", "data", "former", "hashed", "home", "prefixes", "shared", "suffixes", "unfit"),
        *("untyped", "variables"),
    )

    def __init__(self, data: Data, home: Spot, *, hashed: bool = False, behaviour: str = "") -> None:
        self.data, self.home, self.hashed, self.behaviour = data, home, hashed, behaviour
        self.former: list[tuple[str, str, str]] = []
        self.prefixes: list[str] = []
        self.suffixes: list[str] = []
        self.variables: list[str] = []
        self.changes: list[Change] = []
        self.shared: list[Shared] = []
        self.untyped: set[Path] = set()
        self.unfit: dict[Path, Unfit] = {}

    @property
    def metadata(self) -> Data:
        """The metadata, added if it is missing."""
        if not isinstance(self.data.get("metadata"), dict):
            self.data["metadata"] = {}
        metadata: Data = self.data["metadata"]
        return metadata

    @property
    def kind(self) -> str:
        """The kind."""
        return str(self.data.get("kind") or "")

    @property
    def name(self) -> str:
        """The name as it is now."""
        return text_of(metadata_of(self.data).get("name"))

    @property
    def namespace(self) -> str:
        """The namespace as it is now, "" for none."""
        return text_of(metadata_of(self.data).get("namespace"))

    @property
    def group_version(self) -> tuple[str, str]:
        """Group and version."""
        return split_version(self.data.get("apiVersion"))

    @property
    def current(self) -> Id:
        """The id that it has now."""
        group, version = self.group_version
        if is_cluster_scoped(str(self.data.get("apiVersion") or ""), self.kind):
            return Id(group, version, self.kind, NO_NAMESPACE, self.name)
        return Id(group, version, self.kind, self.namespace or "default", self.name)

    @property
    def previous(self) -> list[Id]:
        """The ids that it had, in the API version that it has now."""
        group, version = self.group_version
        return [Id(group, version, kind, namespace, name) for kind, namespace, name in self.former]

    @property
    def ids(self) -> list[Id]:
        """All ids, the present one last."""
        return [*self.previous, self.current]

    @property
    def original(self) -> Id:
        """The first id."""
        return self.ids[0]

    def remember(self) -> None:
        """Note its present id, before it changes."""
        current = self.current
        self.former.append((current.kind, current.namespace, current.name))

    @property
    def title(self) -> str:
        """What messages call it: kind and name."""
        return f"{self.kind}/{self.name}"


def namesake(resources: Iterable[Resource]) -> Resource | None:
    """Return the first object that has the id of one before it, None where all ids differ."""
    ids: set[Id] = set()
    for resource in resources:
        current = resource.current
        if current in ids:
            return resource
        ids.add(current)
    return None


def follow_shared(resource: Resource) -> None:
    """Give a label that one transformer put into several maps the value that it got in one of them since.

    kustomize sets one YAML node in all of them: `SetEntry` in api/filters/filtersutil/setters.go.
    """
    for number, (key, value, maps) in enumerate(resource.shared):
        holders = [pairs for path in maps if key in (pairs := map_at(resource.data, *path))]
        new = next((pairs[key] for pairs in holders if pairs[key] != value), value)
        if new != value:
            for pairs in holders:
                pairs[key] = new
            resource.shared[number] = Shared(key, new, maps)


def settle_types(resource: Resource) -> None:
    """Make texts of values in maps that replacements made: a strategic merge patch quotes them, wherever they are."""
    for path in resource.untyped:
        if not any(isinstance(step, int) for step in path):
            holder, key = map_at(resource.data, *path[:-1]), str(path[-1])
            if is_scalar(holder.get(key, {})):
                holder[key] = text_of(holder[key])
    resource.untyped = {path for path in resource.untyped if any(isinstance(step, int) for step in path)}


def unfit_problems(resource: Resource) -> list[Problem]:
    """Return the problems of fields that got a text of another type, and still have one."""
    return [
        unfit.problem
        for path, unfit in resource.unfit.items()
        if isinstance(map_at(resource.data, *path[:-1]).get(str(path[-1])), str)
    ]


def metadata_of(data: Data) -> Data:
    """Return the metadata of an object; nothing where that is no map, which a transformer may have put there."""
    return map_at(data, "metadata")


def pairs_of(data: Data, key: Literal["labels", "annotations"]) -> Data:
    """Return the labels or annotations of an object; nothing where they are no map."""
    return map_at(data, "metadata", key)


def split_version(api_version: Any) -> tuple[str, str]:
    """Return group and version of an `apiVersion`."""
    group, slash, version = str(api_version or "").partition("/")
    return (group, version) if slash else ("", group)


def text_of(scalar: Any) -> str:
    """Return a scalar as YAML writes it; as in kustomize, `name: 5` is a name."""
    if scalar is None:
        return ""
    return str(scalar).lower() if isinstance(scalar, bool) else str(scalar)


def shape_fault(data: Data) -> str:
    """Return why an object has no usable identity, labels or annotations; "" if it has.

    Source: kyaml/yaml/rnode.go, GetValidatedMetadata: kind and name are required.
    """
    metadata = data.get("metadata")
    if not isinstance(metadata, dict | None):
        return f"metadata must be a map, not {describe(metadata)}"
    fields = metadata or {}
    texts = {key: data.get(key) for key in ("apiVersion", "kind")}
    texts |= {f"metadata.{key}": fields.get(key) for key in ("name", "namespace")}
    maps = {f"metadata.{key}": fields.get(key) for key in ("labels", "annotations")}
    faults = [f"{key} must be a string, not {describe(text)}" for key, text in texts.items() if not is_scalar(text)]
    faults += [
        f"{key} must be a map, not {describe(value)}"
        for key, value in maps.items()
        if not isinstance(value, dict | None)
    ]
    faults += ["kind is required"] * (not data.get("kind"))
    is_list = str(data.get("kind") or "").endswith("List")
    faults += ["metadata.name is required"] * (not is_list and not text_of(fields.get("name")))
    return faults[0] if faults else ""


def is_scalar(value: Any) -> bool:
    """Whether a value may stand where a string is required."""
    return not isinstance(value, dict | list)
