"""An environment as a value: what it has of a catalog's objects, and what it changes in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec

from virtcatalog.api.findings import steps
from virtcatalog.api.kinds import CATALOG_KINDS, CLUSTER_KINDS, NAMESPACED_KINDS
from virtcatalog.api.names import DEPRECATED_LABEL
from virtcatalog.catalog.places import Source
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import merge


class Selection(msgspec.Struct, frozen=True):
    """Which objects: every criterion must hold; names are globs, of which one must match."""

    names: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    labels: dict[str, str] = {}

    def matches(self, manifest: Mapping[str, Any]) -> bool:
        """Whether the manifest is among them."""
        metadata = manifest["metadata"]
        labels = metadata.get("labels") or {}
        return (
            (not self.names or any(fnmatchcase(metadata["name"], pattern) for pattern in self.names))
            and (not self.kinds or manifest["kind"] in self.kinds)
            and all(labels.get(key) == value for key, value in self.labels.items())
        )


class Patch(msgspec.Struct, frozen=True):
    """A JSON merge patch (`metadata`, `spec`) for the objects that `target` selects.

    `declared` finds one of its fields in its file; a patch that follows from others has no place.
    """

    target: Selection
    patch: dict[str, Any]
    declared: Callable[[str], Source] | None = None

    def sets(self, field: str) -> bool:
        """Whether it says something about a field (`spec.memory.guest`), or removes what that is in."""
        value: Any = self.patch
        for step in steps(field):
            if not isinstance(value, dict):  # null, or a list, which is replaced as a whole
                return True
            if step not in value:
                return False
            value = value[step]
        return True


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """An environment: which objects it has, in which scope, and what it changes in them.

    `labels` and `annotations` go to every object; a vendor of the environment's own is among the labels. `kubevirt` is
    the release that its clusters run, "" when unknown; `clusters` are what those are called, `namespaces`
    globs of the namespaces whose VMs it is for, empty for all.
    """

    name: str
    description: str = ""
    kubevirt: str = ""
    scope: Literal["cluster", "namespaced", "both"] = "cluster"
    namespace: str = ""
    templates: str = ""
    clusters: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    deprecated: bool = True
    select: Selection = Selection()
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    patches: tuple[Patch, ...] = ()
    source: Source

    @property
    def template_namespace(self) -> str:
        """The namespace of its VirtualMachineTemplates; "" when it has none."""
        return self.templates or self.namespace

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its scope, in output order."""
        return {"cluster": CLUSTER_KINDS, "namespaced": NAMESPACED_KINDS, "both": CATALOG_KINDS}[self.scope]

    def takes(self, namespace: str) -> bool:
        """Whether VMs of a namespace belong to the environment: they must be able to use its objects."""
        if self.namespaces:
            return any(fnmatchcase(namespace, pattern) for pattern in self.namespaces)
        return self.scope != "namespaced" or namespace == self.namespace

    def includes(self, manifest: Mapping[str, Any]) -> bool:
        """Whether the environment has this object of the catalog."""
        labels = manifest["metadata"].get("labels") or {}
        return (
            manifest["kind"] in self.kinds
            and (self.deprecated or labels.get(DEPRECATED_LABEL) != "true")
            and self.select.matches(manifest)
        )

    def deployed(self, manifest: Data) -> Data:
        """Return an object after the patches, the namespace, labels and annotations, in kustomize's order."""
        manifest = merge(manifest, *self.patches_for(manifest))
        metadata = manifest["metadata"]
        if self.namespace and manifest["kind"] in NAMESPACED_KINDS:
            metadata["namespace"] = self.namespace
        self.mark(metadata)
        return manifest

    def mark(self, metadata: dict[str, Any]) -> None:
        """Add the labels and annotations that every object of the environment has."""
        for part, additions in (("labels", self.labels), ("annotations", self.annotations)):
            if additions:
                metadata[part] = {**metadata.get(part, {}), **additions}

    def place_of_patch(self, manifest: Mapping[str, Any], field: str) -> Source | None:
        """Return where the last patch says something about a field of an object, None where none does."""
        for patch in reversed(self.patches):
            if patch.declared is not None and patch.target.matches(manifest) and patch.sets(field):
                return patch.declared(field)
        return None

    def patches_for(self, manifest: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Return the merge patches that apply to this object, in order."""
        return tuple(patch.patch for patch in self.patches if patch.target.matches(manifest))
