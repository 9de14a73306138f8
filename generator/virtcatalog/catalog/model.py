"""A loaded catalog as values: what its declarations come to, ready to be rendered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from virtcatalog.api.decode import manifest_name
from virtcatalog.api.kinds import CATALOG_API_VERSION, CATALOG_KINDS, INSTANCETYPE_KINDS, TEMPLATE, TEMPLATE_API_VERSION
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.places import Origin, Source
from virtcatalog.errors import Problem
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import fresh

if TYPE_CHECKING:
    from virtcatalog.catalog.prices import Prices


class Deprecation(msgspec.Struct, frozen=True):
    """The deprecation of an entry: the entry to use instead, and the date of its removal (ISO 8601), or ""."""

    replaced_by: str = ""
    sunset: str = ""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One instance type or preference: the cluster-wide and the namespaced kind are the same but for `kind`."""

    name: str
    variant: str = ""
    display_name: str = ""
    description: str = ""
    spec: dict[str, Any]
    labels: dict[str, str]
    annotations: dict[str, str]
    deprecated: Deprecation | None = None
    source: Source
    declared: Callable[[str], Source] | None = None

    def place(self, field: str = "") -> Source:
        """Return where one of the object's fields (`spec.memory.hugepages`) is declared, else the entry itself."""
        return self.declared(field) if self.declared and field else self.source

    def manifest(self, kind: str) -> Data:
        """Return a fresh manifest of a kind."""
        return {"apiVersion": CATALOG_API_VERSION, "kind": kind, "metadata": self.metadata(), "spec": fresh(self.spec)}

    def metadata(self) -> dict[str, Any]:
        """Return the fresh metadata of a manifest."""
        metadata: dict[str, Any] = {"name": self.name}
        if self.labels:
            metadata["labels"] = dict(sorted(self.labels.items()))
        if self.annotations:
            metadata["annotations"] = dict(sorted(self.annotations.items()))
        return metadata


class Instancetype(Entry, frozen=True, kw_only=True):
    """A size of a class. `series` is the declaration's `class`; `memory_per_vcpu` is the class's ratio."""

    series: str
    version: str = ""
    size: str
    vcpus: int
    memory: Quantity
    memory_per_vcpu: Quantity | None = None

    @property
    def breaks_ratio(self) -> bool:
        """Whether the size asks for other memory than its class's ratio gives."""
        return self.memory_per_vcpu is not None and self.memory != self.memory_per_vcpu * self.vcpus


class Preference(Entry, frozen=True, kw_only=True):
    """A preference; `base` is the key of its declaration, which is its name unless it is a variant."""

    base: str
    os_type: str = ""


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """One VirtualMachineTemplate: of an operating system, a workload and a size.

    `tests` are sets of values for its parameters, by name; `vms` are its VMs as the base has them: those of
    its own values ("") and of every set that makes one. `environments` are those that have it. `declared` finds a
    field of the declaration (`vm.spec.x`).
    """

    name: str
    system: str
    workload: str
    size: str
    display_name: str = ""
    description: str = ""
    instancetype: str = ""
    preference: str = ""
    spec: dict[str, Any]
    labels: dict[str, str]
    annotations: dict[str, str]
    tests: dict[str, dict[str, str] | None] = {}
    vms: Mapping[str, Data] = {}
    environments: tuple[str, ...] = ()
    file: str
    source: Source
    declared: Callable[[str], Source]

    @property
    def referring(self) -> tuple[str, ...]:
        """Which of `instancetype` and `preference` of the VM are the catalog's, cluster-wide."""
        spec = self.spec["virtualMachine"].get("spec") or {}
        return tuple(
            part
            for part, name in (("instancetype", self.instancetype), ("preference", self.preference))
            if name and spec.get(part) == {"kind": f"VirtualMachineCluster{part.capitalize()}", "name": name}
        )

    def manifest(self, overlay: Overlay | None = None) -> Data:
        """Return a fresh manifest, as the base has it or as an environment deploys it."""
        metadata: dict[str, Any] = {"name": self.name, "labels": dict(sorted(self.labels.items()))}
        if self.annotations:
            metadata["annotations"] = dict(sorted(self.annotations.items()))
        spec = fresh(self.spec)
        if overlay is not None:
            metadata["namespace"] = overlay.template_namespace
            overlay.mark(metadata)
        if overlay is not None and overlay.scope == "namespaced":
            for part in self.referring:
                spec["virtualMachine"]["spec"][part]["kind"] = f"VirtualMachine{part.capitalize()}"
        return {"apiVersion": TEMPLATE_API_VERSION, "kind": TEMPLATE, "metadata": metadata, "spec": spec}


class Cross(msgspec.Struct, frozen=True):
    """Globs of the instance types and preferences that a VM template is shown with besides its own."""

    instancetypes: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()


class VmTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """One VirtualMachine of `vms/`, rendered.

    `key` names the rendering: the file's stem, the VM's name where a file holds several, and the environment that it
    is rendered for, if it is for one alone. `environments` are those that it names, none for all. `companions` are the
    file's other manifests: claims, DataVolumes, Secrets …
    """

    key: str
    name: str
    file: str
    environment: str = ""
    environments: tuple[str, ...] = ()
    parameters: dict[str, Any] = {}
    manifest: dict[str, Any]
    companions: tuple[dict[str, Any], ...] = ()
    cross: Cross | None = None
    source: Source
    origin: Origin

    def problem(self, field: str, message: str) -> Problem:
        """Say what is wrong with a field of the VM, with its place."""
        place = self.origin.field(field)
        return Problem(place.file, place.line, place.column, manifest_name(self.manifest), field, message)


class Allowance(msgspec.Struct, frozen=True):
    """An allowed rule: its findings are accepted for objects whose name or Kind/name matches one of the globs."""

    rule: str
    objects: tuple[str, ...]
    reason: str
    source: Source


class Budget(msgspec.Struct, frozen=True):
    """The most that VMs of an environment and namespace may request, "" being all; amounts as the scheduler counts."""

    environment: str
    namespace: str
    requests: Mapping[str, Quantity]
    source: Source


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a catalog's files declare, resolved.

    `version` is that of the last release, with `-changed` when the objects are others by now, and "" before any.
    Instance types and preferences are in the order of their declaration, file by file; objects are sorted.
    """

    path: str
    name: str
    vendor: str = ""
    kubevirt: str
    description: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    parameters: dict[str, Any] = {}
    operator_deployment: bool = True
    instancetypes: tuple[Instancetype, ...] = ()
    preferences: tuple[Preference, ...] = ()
    overlays: tuple[Overlay, ...] = ()
    templates: tuple[Template, ...] = ()
    vms: tuple[VmTemplate, ...] = ()
    budgets: tuple[Budget, ...] = ()
    allow: tuple[Allowance, ...] = ()
    files: tuple[str, ...] = ()
    version: str = ""
    lock: Lock | None = None
    prices: Prices | None = None

    def objects(self, environment: str = "") -> list[Data]:
        """Return every object as a plain manifest, in output order: by kind as in `CATALOG_KINDS`, then by name.

        With an environment, those that its overlay deploys, as kustomize makes them of the rendered tree; KeyError when
        there is none of that name.
        """
        objects = [manifest for kind in CATALOG_KINDS for manifest in self._of(kind)]
        if not environment:
            return objects
        overlay = self.overlay(environment)
        return [overlay.deployed(manifest) for manifest in objects if overlay.includes(manifest)]

    def template_objects(self, environment: str = "") -> list[Data]:
        """Return every VirtualMachineTemplate as a plain manifest, or those that an environment's overlay deploys."""
        if not environment:
            return [template.manifest() for template in self.templates]
        overlay = self.overlay(environment)
        return [template.manifest(overlay) for template in self.templates if environment in template.environments]

    def overlay(self, name: str) -> Overlay:
        """Return the environment of that name; KeyError when there is none."""
        for overlay in self.overlays:
            if overlay.name == name:
                return overlay
        raise KeyError(name)

    def _of(self, kind: str) -> Iterator[Data]:
        entries: tuple[Entry, ...] = self.instancetypes if kind in INSTANCETYPE_KINDS else self.preferences
        return (entry.manifest(kind) for entry in sorted(entries, key=attrgetter("name")))


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """An object as the last release published it: `since` is the version that had it first.

    `metadata` is the digest of its labels and annotations, `deprecated` has `replacedBy` and `sunset`; `labels` are
    those that are promised, None in a lock from before labels were promised.
    """

    since: str
    spec: dict[str, Any]
    metadata: str
    labels: dict[str, str] | None = None
    deprecated: dict[str, str] | None = None
    source: Source


class PublishedPatch(msgspec.Struct, frozen=True, kw_only=True):
    """The spec and promised labels that an environment published of an object; None: the object's own."""

    since: str
    spec: dict[str, Any] | None = None
    labels: dict[str, str] | None = None


class PublishedEnvironment(msgspec.Struct, frozen=True, kw_only=True):
    """An environment as the last release published it.

    `objects` are the names by kind, `labels` those of every object; `patched` is by `Kind/name`.
    """

    since: str
    namespace: str = ""
    labels: dict[str, str] = {}
    objects: dict[str, tuple[str, ...]]
    patched: dict[str, PublishedPatch] = {}
    source: Source


class Lock(msgspec.Struct, frozen=True, kw_only=True):
    """What the last release of a catalog published, by name."""

    version: str
    instancetypes: dict[str, Published]
    preferences: dict[str, Published]
    environments: dict[str, PublishedEnvironment] = {}
