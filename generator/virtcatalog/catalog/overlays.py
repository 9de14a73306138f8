"""The environments of `overlays.yaml`, and what their patches make of the objects that they select."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import INSTANCETYPE_KINDS
from virtcatalog.api.names import annotations_fault, label_fault, name_fault, namespace_fault, pair_fault
from virtcatalog.api.shape import parse_release
from virtcatalog.catalog.check import spec_faults
from virtcatalog.catalog.compose import Layer
from virtcatalog.catalog.declared import Declared
from virtcatalog.catalog.environment import Overlay, Patch, Selection
from virtcatalog.catalog.labels import (
    DERIVED_LABELS,
    PREFIX,
    for_flux,
    gitops_annotations,
    requirement_labels,
    spec_labels,
    substitution_patches,
)
from virtcatalog.catalog.layers import Composer
from virtcatalog.catalog.model import Entry, Instancetype
from virtcatalog.catalog.sources import FieldPath
from virtcatalog.errors import UnsupportedError
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.layout import OVERLAYS
from virtcatalog.manifests.merge import fresh, lay_over, merge

#: The work of a label or annotation that every object of an environment gets.
_PAIR = 20
#: The work of an environment, of an object in it, of a pattern or patch that may match one, and of a patch that does.
_ENVIRONMENT, _OBJECT, _MATCH, _PATCH = 6000, 600, 60, 500
#: What of a glob stands for some letters.
_GLOB = re.compile(r"\*|\?|\[!?[^\]]+\]")
_GLOB_CHARACTERS = 1000


def overlays(
    composer: Composer, declared: Mapping[str, Any], entries: Sequence[Entry], *, flux: bool = False
) -> Iterator[Overlay]:
    """Yield the environments, in the file's order; they select from `entries`; with `flux`, Flux syncs them all."""
    for name, data in declared.items():
        data = {key: value for key, value in (data or {}).items() if value is not None}
        fault = name_fault(name)
        if fault:
            composer.sources.report(OVERLAYS, (name,), fault)
        reader = _Reader(composer, (name,), entries)
        reader.check_namespace(data)
        reader.check_places(data, declared)
        overlay = Overlay(
            name=name,
            description=data.get("description", ""),
            kubevirt=reader.release(data),
            scope=data.get("scope", "cluster"),
            namespace=data.get("namespace", ""),
            templates=data.get("templates", ""),
            clusters=tuple(data.get("clusters") or ()),
            namespaces=tuple(data.get("namespaces") or ()),
            deprecated=data.get("deprecated", True),
            select=_selection(data.get("select")),
            labels=reader.labels(data),
            annotations=reader.annotations(data),
            source=composer.sources.source(OVERLAYS, (name,)),
        )
        reader.spend(_ENVIRONMENT + _OBJECT * len(entries) * len(overlay.kinds) // 2)
        reader.spend(_PAIR * len(entries) * len(overlay.kinds) // 2 * (len(overlay.labels) + len(overlay.annotations)))
        reader.check_selection(data.get("select"), overlay, ("select",))
        patches = [
            patch
            for index, entry in enumerate(data.get("patches") or ())
            for patch in reader.patches(entry, overlay, ("patches", index))
        ]
        overlay = msgspec.structs.replace(overlay, patches=tuple(patches))
        if flux or for_flux(data.get("gitops")):
            patches += substitution_patches(overlay, reader.objects(overlay))
            overlay = msgspec.structs.replace(overlay, patches=tuple(patches))
        yield overlay


class _Reader:
    """Reads one environment."""

    def __init__(self, composer: Composer, path: FieldPath, entries: Sequence[Entry]) -> None:
        self._composer, self._path, self._entries = composer, path, entries
        self._spoilt = composer.sources.spoilt_at(OVERLAYS, path)

    def report(self, path: FieldPath, message: str) -> None:
        """Report a fault, unless it follows from a reported one."""
        if not self._spoilt.intersection(path[:1] or ("scope", "namespace")):
            self._composer.sources.report(OVERLAYS, (*self._path, *path), message)

    def spend(self, units: int, path: FieldPath = ()) -> None:
        """Charge work to the catalog's budget."""
        self._composer.sources.spend(OVERLAYS, (*self._path, *path), units)

    def check_namespace(self, data: Mapping[str, Any]) -> None:
        scope, namespace = data.get("scope", "cluster"), data.get("namespace", "")
        if scope == "cluster" and namespace:
            self.report(("namespace",), "cluster-wide kinds have no namespace; the scope is cluster")
        elif scope == "namespaced" and not namespace:
            self.report((), "the scope is namespaced, and there is no `namespace`")
        elif namespace and namespace_fault(namespace):
            self.report(("namespace",), namespace_fault(namespace))
        templates = data.get("templates", "")
        if templates and namespace_fault(templates):
            self.report(("templates",), namespace_fault(templates))
        elif templates and scope == "namespaced" and templates != namespace:
            self.report(("templates",), "the scope is namespaced: everything lies in `namespace`")

    def check_places(self, data: Mapping[str, Any], environments: Mapping[str, Any]) -> None:
        """Report names of clusters that `-f NAME=FILE` could not give, and globs that no namespace matches."""
        for index, name in enumerate(data.get("clusters") or ()):
            fault = name_fault(name)
            if fault:
                self.report(("clusters", index), fault)
            elif name in environments and name != self._path[0]:
                self.report(("clusters", index), f"{name!r} is an environment, too: -f {name}=FILE could mean either")
        for index, glob in enumerate(data.get("namespaces") or ()):
            fault = namespace_fault(_GLOB.sub("a", glob[:_GLOB_CHARACTERS])) if glob else "is empty"
            if fault:
                self.report(("namespaces", index), f"{glob!r} matches no namespace: {fault}")

    def release(self, data: Mapping[str, Any]) -> str:
        """Return the release, "" for none that counts.

        One that is not modelled, or is older than the objects may be used with, is reported.
        """
        release: str = data.get("kubevirt") or ""
        if not release:
            return ""
        from virtcatalog.releases import find_release

        try:
            find_release(release)
        except UnsupportedError as error:
            self.report(("kubevirt",), error.message)
            return ""
        oldest = self._composer.settings.release
        if parse_release(release) < oldest:
            oldest_text = ".".join(map(str, oldest))
            self.report(("kubevirt",), f"{release} is older than v{oldest_text}, the oldest that catalog.yaml supports")
        return release

    def labels(self, data: Mapping[str, Any]) -> dict[str, str]:
        labels = self.pairs(data, "labels")
        for key in labels:
            if key in DERIVED_LABELS:
                hint = "set `vendor`" if key == f"{PREFIX}vendor" else "it cannot be set by hand"
                self.report(("labels", key), f"{key} is derived from {DERIVED_LABELS[key]}; {hint}")
        vendor = data.get("vendor")
        if vendor:
            if label_fault(vendor):
                self.report(("vendor",), label_fault(vendor))
            labels[f"{PREFIX}vendor"] = vendor
        return labels

    def annotations(self, data: Mapping[str, Any]) -> dict[str, str]:
        own, derived = self.pairs(data, "annotations"), gitops_annotations(data.get("gitops"))
        for key in sorted(own.keys() & derived.keys()):
            self.report(("annotations", key), "`gitops` sets this annotation, too")
        return derived | own

    def pairs(self, data: Mapping[str, Any], field: str, path: FieldPath = ()) -> dict[str, Any]:
        pairs = dict(data.get(field) or {})
        for key, value in pairs.items():
            if fault := pair_fault(field, key, value or ""):
                self.report((*path, field, key), fault)
        fault = annotations_fault({key: value or "" for key, value in pairs.items()}) if field == "annotations" else ""
        if fault:
            self.report((*path, field), fault)
        return pairs

    def check_selection(self, data: Mapping[str, Any] | None, overlay: Overlay, path: FieldPath) -> bool:
        """Whether every glob matches an object of the scope; one that does not is a misspelling."""
        sound = True
        for index, pattern in enumerate((data or {}).get("names") or ()):
            self.spend(_MATCH * len(self._entries), (*path, "names", index))
            selection = Selection(names=(pattern,))
            if not any(selection.matches(manifest) for manifest in self.objects(overlay)):
                sound = False
                if self._composer.sources.is_sound("instancetypes/", "preferences/"):
                    self.report((*path, "names", index), f"{pattern!r} matches no object of the catalog")
        return sound

    def patches(self, data: Mapping[str, Any], overlay: Overlay, path: FieldPath) -> Iterator[Patch]:
        """Yield the patch, in parts where the derived labels that must change with the spec differ by object."""
        target = _selection(data.get("select"))
        sound = self.check_selection(data.get("select"), overlay, (*path, "select"))
        self._check_patch_labels(data.get("metadata") or {}, (*path, "metadata"))
        body = {key: fresh(data[key]) for key in ("metadata", "spec") if data.get(key)}
        if not body:
            self.report(path, "the patch changes nothing: it has neither `metadata` nor `spec`")
            return
        self.spend(_MATCH * len(self._entries), path)
        sources, place = self._composer.sources, (*self._path, *path)
        declared = Declared(sources, [Layer(OVERLAYS, place, body)], sources.source(OVERLAYS, place))
        groups: dict[tuple[tuple[str, str | None], ...], list[str]] = {}
        for manifest in self.objects(overlay):
            if overlay.includes(manifest) and target.matches(manifest):
                self.spend(_PATCH, path)
                drift = self._drift(manifest, body, path)
                groups.setdefault(tuple(sorted(drift.items(), key=str)), []).append(manifest["metadata"]["name"])
        if not groups and sound:
            self.report(path, "the patch selects no object of the environment")
        for changes, names in groups.items():
            change = {"metadata": {"labels": dict(changes)}} if changes else {}
            only = target if len(groups) == 1 else Selection(tuple(dict.fromkeys(names)), target.kinds, target.labels)
            yield Patch(only, lay_over(body, change), declared)

    def objects(self, overlay: Overlay) -> Iterator[Data]:
        for entry in self._entries:
            for kind in overlay.kinds:
                if isinstance(entry, Instancetype) == (kind in INSTANCETYPE_KINDS):
                    metadata = {"name": entry.name, "labels": entry.labels, "annotations": entry.annotations}
                    yield {"kind": kind, "metadata": metadata, "spec": entry.spec}

    def _check_patch_labels(self, metadata: Mapping[str, Any], path: FieldPath) -> None:
        self.pairs(metadata, "annotations", path)
        for key in self.pairs(metadata, "labels", path):
            if key in DERIVED_LABELS:
                self.report(
                    (*path, "labels", key), f"{key} is derived from {DERIVED_LABELS[key]}; the patch sets it too"
                )

    def _drift(self, manifest: Data, body: Mapping[str, Any], path: FieldPath) -> dict[str, str | None]:
        """The derived labels that the patched spec asks for and the object does not have."""
        if "spec" not in body:
            return {}
        spec = merge(manifest["spec"], body["spec"])
        instancetype = manifest["kind"] in INSTANCETYPE_KINDS
        kind: type[msgspec.Struct] = VirtualMachineInstancetypeSpec if instancetype else VirtualMachinePreferenceSpec
        try:
            convert(spec, kind)
        except (msgspec.ValidationError, OverflowError):
            for field, message in spec_faults(spec, kind):
                self.report((*path, "spec", *field), _of_the_other_kind(field, instancetype=instancetype) or message)
            return {}
        restate = spec_labels if instancetype else requirement_labels
        before, after, labels = restate(manifest["spec"]), restate(spec), manifest["metadata"]["labels"]
        changed = {PREFIX + key: value or None for key, value in after.items() if value != before[key]}
        left_out = {PREFIX + key for key, value in before.items() if value} - labels.keys()
        return {key: value for key, value in changed.items() if key not in left_out}


def _of_the_other_kind(field: FieldPath, *, instancetype: bool) -> str:
    """Say that only the other kind of object has a field; "" where that is not so."""
    kinds = (VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec)
    own, other = (kind.__struct_encode_fields__ for kind in (kinds if instancetype else reversed(kinds)))
    if not field or field[0] in own or field[0] not in other:
        return ""
    holder, selected = ("preferences", "instance types") if instancetype else ("instance types", "preferences")
    return f"{field[0]!r} is a field of {holder}, and the patch selects {selected}; give its `select` other `kinds`"


def _selection(data: Mapping[str, Any] | None) -> Selection:
    data = data or {}
    return Selection(tuple(data.get("names") or ()), tuple(data.get("kinds") or ()), data.get("labels") or {})
