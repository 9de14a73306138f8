"""Reads a catalog: every file, every problem in one go."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from virtcatalog.catalog import reserved
from virtcatalog.catalog.chain import Chain, Level, Part, extended
from virtcatalog.catalog.check import Checker, Version, collector, fields_of, parse_release
from virtcatalog.catalog.compose import Layer, merge_into
from virtcatalog.catalog.declarations import (
    CatalogFile,
    ComponentsFile,
    InstancetypeFile,
    OverlaysFile,
    PreferenceFile,
    VmsFile,
)
from virtcatalog.catalog.fragments import fragments_of, owner_of
from virtcatalog.catalog.gitops import for_flux, gitops_annotations, kept_from_substitution
from virtcatalog.catalog.layers import (
    INSTANCETYPE_FRAGMENT,
    PREFERENCE_FRAGMENT,
    Composer,
    Merged,
    Settings,
    check_layer,
    fragment,
)
from virtcatalog.catalog.lock import read_lock, released_version
from virtcatalog.catalog.matrix import instancetypes
from virtcatalog.catalog.model import Allowance, Catalog, Entry, Instancetype, Overlay, Preference
from virtcatalog.catalog.names import label_fault, name_fault, nearest, similar
from virtcatalog.catalog.overlays import overlays
from virtcatalog.catalog.preferences import preferences
from virtcatalog.catalog.sources import FieldPath, Sources
from virtcatalog.catalog.vms import vm_templates
from virtcatalog.errors import CatalogError, Problem

Fault = tuple[FieldPath, str]

_TAKEN = {
    *("class", "version", "size", "variant", "vcpus", "memory", "name", "displayName", "range"),
    *("environment", "namespace", "instancetypeKind", "preferenceKind"),
}


def load_catalog(path: str | Path) -> Catalog:
    """Read the catalog in a folder.

    Raises CatalogError, which carries every problem of every file with its place.
    """
    root = Path(path)
    if not root.is_dir():
        message = "is not a folder" if root.exists() else "there is no such folder"
        raise CatalogError(Problem(file=str(path), message=message))
    return _Loader(Sources(root)).load(str(path))


class _Loader:
    """Reads one catalog."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.release: Version = ()
        self.chain = Chain(sources, ())

    def load(self, path: str) -> Catalog:
        sources = self.sources
        if "catalog.yaml" not in sources.files:
            sources.report("catalog.yaml", (), "is missing: it names the catalog and the oldest KubeVirt release")
        self.chain = Chain(sources, self._parts())
        declared = self._settle()
        settings = Settings(declared.get("vendor") or "", self.release, declared.get("parameters") or {})
        composer = Composer(sources, settings, self._components())
        composer.check_components()
        types = [*self._instancetypes(composer)]
        prefs = [*self._preferences(composer)]
        self.chain.check()
        deployed = (declared.get("operator") or {}).get("commonInstancetypes", "enabled") == "enabled"
        self._check_names(composer, types, reserved.INSTANCETYPES if deployed else ())
        self._check_names(composer, prefs, reserved.PREFERENCES if deployed else ())
        flux = for_flux(declared.get("gitops"))
        if flux:
            types = [(kept_from_substitution(entry), merged) for entry, merged in types]
            prefs = [(kept_from_substitution(entry), merged) for entry, merged in prefs]
        entries: list[Entry] = [entry for entry, _ in (*types, *prefs)]
        environments = self._overlays(composer, entries, flux=flux)
        machines = tuple(
            vm_templates(sources, self._file("vms.yaml", VmsFile), environments, settings.parameters, self.release)
        )
        lock = read_lock(sources)
        if sources.problems:
            raise CatalogError(*sources.problems)
        kinds = [{entry.name: entry for entry, _ in each} for each in (types, prefs)]
        return Catalog(
            path=path,
            name=declared["name"],
            vendor=settings.vendor,
            kubevirt=declared["kubevirt"],
            description=declared.get("description") or "",
            labels=declared.get("labels") or {},
            annotations=declared.get("annotations") or {},
            parameters=settings.parameters,
            operator_deployment=deployed,
            instancetypes=tuple(entry for entry, _ in types),
            preferences=tuple(entry for entry, _ in prefs),
            overlays=tuple(environments),
            vms=machines,
            allow=tuple(
                Allowance(
                    each["rule"],
                    tuple(each.get("objects") or ()),
                    each["reason"],
                    sources.source(part.place, ("allow", index)),
                )
                for part in self.chain.parts
                for index, each in enumerate(part.declared.get("allow") or ())
            ),
            files=sources.files,
            version=released_version(lock, kinds[0], kinds[1]),
            lock=lock,
        )

    def _parts(self) -> list[Part]:
        """Read catalog.yaml, and those of the catalogs that it extends; lowest first.

        The release is what the highest says that says one, and holds for all that is read later.
        """
        found: list[tuple[str, dict[str, Any]]] = []
        prefix = ""
        while True:
            declared = self._file(f"{prefix}catalog.yaml", CatalogFile)
            found.append((prefix, declared))
            if not declared.get("extends"):
                break
            place = f"{prefix}catalog.yaml"
            try:
                below = extended(self.sources, prefix, declared["extends"])
                known = {os.path.realpath(self.sources.root / each) for each, _ in found}
                if os.path.realpath(self.sources.root / below) in known:
                    raise ValueError("catalogs extend each other in a circle")
            except ValueError as error:
                self.sources.report(place, ("extends",), str(error))
                break
            if "catalog.yaml" not in {each.removeprefix(below) for each in self.sources.files_of(below)}:
                self.sources.report(place, ("extends",), f"there is no catalog.yaml in {declared['extends']!r}")
                break
            prefix = below
        if not self.release and not self.sources.problems:
            self.sources.report("catalog.yaml", (), "'kubevirt' is missing")
        parts = [Part(prefix, level, declared) for level, (prefix, declared) in enumerate(reversed(found))]
        for part in parts:
            self._check_settings(part)
        return parts

    def _check_settings(self, part: Part) -> None:
        for name in part.declared.get("parameters") or {}:
            if name in _TAKEN or not name.isidentifier():
                message = "expressions use it for something else" if name in _TAKEN else "it is no name for expressions"
                self.sources.report(part.place, ("parameters", name), f"{name!r} cannot be a parameter: {message}")
        fault = name_fault(part.declared.get("name") or "name")
        if fault:
            self.sources.report(part.place, ("name",), fault)
        fault = label_fault(part.declared.get("vendor") or "")
        if fault:
            self.sources.report(part.place, ("vendor",), fault)
            del part.declared["vendor"]

    def _settle(self) -> dict[str, Any]:
        """Return what holds for the whole catalog, of its own and of the catalogs that it extends."""
        declared: dict[str, Any] = {}
        for part in self.chain.parts:
            for key in ("vendor", "kubevirt", "operator"):
                if part.declared.get(key) is not None:
                    declared[key] = part.declared[key]
            for key in ("parameters", "labels", "annotations"):
                merge_into(declared.setdefault(key, {}), part.declared.get(key) or {})
        top = self.chain.parts[-1].declared
        own, asked = top.get("annotations") or {}, gitops_annotations(top.get("gitops"))
        for key in own.keys() & asked.keys():
            self.sources.report("catalog.yaml", ("annotations", key), "`gitops` sets this annotation, too")
        top["annotations"] = asked | own
        declared["annotations"] |= asked
        declared |= {key: top.get(key) for key in ("name", "description", "gitops")}
        return declared

    def _file(self, place: str, kind: Any, *, over: bool = False) -> dict[str, Any]:
        """Return what is sound of a file, and report the rest; {} when there is no such file.

        A file `over` that of an extended catalog need not say everything again.
        """
        known = place in self.sources.files or self.sources.local(place) != place
        data = self.sources.read(place) if known else None
        if data is None:
            return {}
        faults = self._faults(self.sources.local(place), data, kind, over=over)
        for path, message in faults:
            self.sources.report(place, path, message)
            owner = owner_of(self.sources.local(place), path)
            keys = [str(key) for key in path[len(owner) : len(owner) + 1]]
            self.sources.spoil(place, owner, keys + similar(keys, _COMPONENT_FRAGMENT))
        for path, _ in faults:
            _take_out(data, path)
        return data if isinstance(data, dict) else {}

    def _faults(self, place: str, data: Any, kind: Any, *, over: bool) -> list[Fault]:
        """Return what is wrong with the data of a file, by its path within its catalog, each with the data's path."""
        faults: list[Fault] = []
        if not isinstance(data, dict):
            Checker(collector(faults)).check(data, kind)
            return faults
        literal = {**data}
        if place == "catalog.yaml":
            sections = {key: literal.pop(key) for key in ("instancetypes", "preferences") if key in data}
            Checker(collector(faults)).check(literal, kind)
            if data.get("kubevirt") and not self.release and not any(path[:1] == ("kubevirt",) for path, _ in faults):
                self.release = parse_release(data["kubevirt"])
            literal = sections
        if "/" in place and not over:
            missing = [key for key, field in fields_of(kind).items() if field.required and data.get(key) is None]
            faults += [((), f"{key!r} is missing") for key in missing]
        partial, expressions = place != "vms.yaml", place not in ("overlays.yaml", "vms.yaml")
        Checker(collector(faults), self.release, fragment=partial, expressions=expressions).check(literal, kind)
        for path, each in fragments_of(place, data):
            faults += [((*path, *field), message) for field, message in check_layer(each)]
        return faults

    def _components(self) -> dict[str, list[Layer]]:
        found: dict[str, list[Layer]] = {}
        for part in self.chain.parts:
            place = f"{part.prefix}components.yaml"
            if place in self.sources.files_of(part.prefix):
                for name, data in self._file(place, ComponentsFile).items():
                    layer = fragment(place, (name,), data or {}, _COMPONENT_FRAGMENT, self.release)
                    found.setdefault(name, []).append(layer)
        return found

    def _instancetypes(self, composer: Composer) -> Iterable[tuple[Instancetype, Merged]]:
        base = self._base(composer, "instancetypes", INSTANCETYPE_FRAGMENT)
        for stack in self._stacks("instancetypes", InstancetypeFile):
            for each in stack[1:]:
                first, own = stack[0].data.get("class"), each.data.get("class")
                if own is not None and own != first:
                    message = f"this file changes the class {first!r} of {self.sources.display(stack[0].place)}"
                    self.sources.report(each.place, ("class",), f"{message}; name the file of another class otherwise")
            if stack[0].data.get("class") and any("sizes" in each.data for each in stack):
                yield from instancetypes(composer, self.chain, stack, base)

    def _preferences(self, composer: Composer) -> Iterable[tuple[Preference, Merged]]:
        base = self._base(composer, "preferences", PREFERENCE_FRAGMENT)
        for stack in self._stacks("preferences", PreferenceFile):
            yield from preferences(composer, self.chain, stack, base)

    def _stacks(self, folder: str, kind: Any) -> Iterable[list[Level]]:
        """Read the files of a folder: what each catalog of the chain says under the same path is one declaration."""
        for levels in self.chain.files(folder).values():
            yield [
                Level(number, place, self._file(place, kind, over=index > 0))
                for index, (number, place) in enumerate(levels)
            ]

    def _base(self, composer: Composer, section: str, keys: Iterable[str]) -> list[Layer]:
        """The catalogs' layers: what they say of all objects, then of one kind."""
        parts = self.chain.parts
        shared = [composer.layer(part.place, (), part.declared, ("labels", "annotations")) for part in parts]
        own = [composer.layer(part.place, (section,), part.declared.get(section), keys) for part in parts]
        return [*shared, *(layer for each in own for layer in composer.mixed(each))]

    def _overlays(self, composer: Composer, entries: list[Entry], *, flux: bool) -> list[Overlay]:
        return list(overlays(composer, self._file("overlays.yaml", OverlaysFile), entries, flux=flux))

    def _check_names(self, composer: Composer, entries: Iterable[tuple[Entry, Merged]], taken: Iterable[str]) -> None:
        """Report names that are there twice or belong to the operator, and replacements that do not exist."""
        known: dict[str, Entry] = {}
        for entry, merged in entries:
            own = merged.layers[-1]
            if entry.name in known:
                message = f"{entry.name!r} is declared twice, first at {known[entry.name].source}"
                self.sources.report(own.place, own.path, message)
            elif entry.name in taken:
                message = (
                    f"KubeVirt's operator deploys {entry.name!r} itself; choose another name, or say "
                    "`operator: {commonInstancetypes: disabled}` in catalog.yaml if yours does not"
                )
                self.sources.report(own.place, own.path, message)
            known.setdefault(entry.name, entry)
        for entry, merged in entries:
            replacement = entry.deprecated.replaced_by if entry.deprecated else ""
            if replacement and (replacement not in known or replacement == entry.name):
                fault = "the object itself" if replacement == entry.name else "no object of the catalog"
                message = f"{replacement!r} is {fault}{nearest(replacement, known.keys() - {entry.name})}"
                composer.report(merged, ("deprecated", "replacedBy"), message)


_COMPONENT_FRAGMENT = tuple(dict.fromkeys((*INSTANCETYPE_FRAGMENT, *PREFERENCE_FRAGMENT)))


def _take_out(data: Any, path: FieldPath) -> None:
    """Remove what is at a path, so that what is sound can be read on."""
    for key in path[:-1]:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
    if path and isinstance(data, dict):
        data.pop(path[-1], None)
    elif path and isinstance(data, list):
        data.clear()
