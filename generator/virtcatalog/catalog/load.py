"""Reads a catalog: every file, every problem in one go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from virtcatalog.catalog import reserved
from virtcatalog.catalog.check import Checker, Version, collector, fields_of, parse_release
from virtcatalog.catalog.compose import Layer
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
from virtcatalog.catalog.matrix import instancetypes
from virtcatalog.catalog.model import Allowance, Catalog, Entry, Instancetype, Overlay, Preference
from virtcatalog.catalog.names import label_fault, nearest, similar
from virtcatalog.catalog.overlays import overlays
from virtcatalog.catalog.preferences import preferences
from virtcatalog.catalog.sources import FieldPath, Sources
from virtcatalog.catalog.vms import vm_templates
from virtcatalog.errors import CatalogError, Problem

Fault = tuple[FieldPath, str]

_TAKEN = {
    *("class", "version", "size", "variant", "vcpus", "memory", "name", "range"),
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

    def load(self, path: str) -> Catalog:
        sources = self.sources
        if "catalog.yaml" not in sources.files:
            sources.report("catalog.yaml", (), "is missing: it names the catalog and the oldest KubeVirt release")
        declared = self._settle()
        components = self._file("components.yaml", ComponentsFile)
        layers = {
            name: fragment("components.yaml", (name,), data or {}, _COMPONENT_FRAGMENT, self.release)
            for name, data in components.items()
        }
        settings = Settings(declared.get("vendor") or "", self.release, declared.get("parameters") or {})
        composer = Composer(sources, settings, layers)
        composer.check_components()
        types = [*self._instancetypes(composer, declared)]
        prefs = [*self._preferences(composer, declared)]
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
        if sources.problems:
            raise CatalogError(*sources.problems)
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
                    sources.source("catalog.yaml", ("allow", index)),
                )
                for index, each in enumerate(declared.get("allow") or ())
            ),
            files=sources.files,
        )

    def _settle(self) -> dict[str, Any]:
        """Return catalog.yaml; what it says of the release holds for all that is read later."""
        declared = self._file("catalog.yaml", CatalogFile)
        for name in declared.get("parameters") or {}:
            if name in _TAKEN or not name.isidentifier():
                message = "expressions use it for something else" if name in _TAKEN else "it is no name for expressions"
                self.sources.report("catalog.yaml", ("parameters", name), f"{name!r} cannot be a parameter: {message}")
        fault = label_fault(declared.get("vendor") or "")
        if fault:
            self.sources.report("catalog.yaml", ("vendor",), fault)
            del declared["vendor"]
        own, asked = declared.get("annotations") or {}, gitops_annotations(declared.get("gitops"))
        for key in own.keys() & asked.keys():
            self.sources.report("catalog.yaml", ("annotations", key), "`gitops` sets this annotation, too")
        declared["annotations"] = asked | own
        return declared

    def _file(self, place: str, kind: Any) -> dict[str, Any]:
        """Return what is sound of a file, and report the rest; {} when there is no such file."""
        data = self.sources.read(place) if place in self.sources.files else None
        if data is None:
            return {}
        faults = self._faults(place, data, kind)
        for path, message in faults:
            self.sources.report(place, path, message)
            owner = owner_of(place, path)
            keys = [str(key) for key in path[len(owner) : len(owner) + 1]]
            self.sources.spoil(place, owner, keys + similar(keys, _COMPONENT_FRAGMENT))
        for path, _ in faults:
            _take_out(data, path)
        return data if isinstance(data, dict) else {}

    def _faults(self, place: str, data: Any, kind: Any) -> list[Fault]:
        """Return what is wrong with a file's data, each with its path."""
        faults: list[Fault] = []
        if not isinstance(data, dict):
            Checker(collector(faults)).check(data, kind)
            return faults
        literal = {**data}
        if place == "catalog.yaml":
            sections = {key: literal.pop(key) for key in ("instancetypes", "preferences") if key in data}
            Checker(collector(faults)).check(literal, kind)
            if "kubevirt" in data and not any(path[:1] == ("kubevirt",) for path, _ in faults):
                self.release = parse_release(data["kubevirt"])
            literal = sections
        if "/" in place:
            missing = [key for key, field in fields_of(kind).items() if field.required and data.get(key) is None]
            faults += [((), f"{key!r} is missing") for key in missing]
        partial, expressions = place != "vms.yaml", place not in ("overlays.yaml", "vms.yaml")
        Checker(collector(faults), self.release, fragment=partial, expressions=expressions).check(literal, kind)
        for path, each in fragments_of(place, data):
            faults += [((*path, *field), message) for field, message in check_layer(each)]
        return faults

    def _instancetypes(self, composer: Composer, declared: Mapping[str, Any]) -> Iterable[tuple[Instancetype, Merged]]:
        base = self._base(composer, declared, "instancetypes", INSTANCETYPE_FRAGMENT)
        for place in self._files_of("instancetypes"):
            data = self._file(place, InstancetypeFile)
            if "class" in data and "sizes" in data:
                yield from instancetypes(composer, place, data, base)

    def _preferences(self, composer: Composer, declared: Mapping[str, Any]) -> Iterable[tuple[Preference, Merged]]:
        base = self._base(composer, declared, "preferences", PREFERENCE_FRAGMENT)
        for place in self._files_of("preferences"):
            yield from preferences(composer, place, self._file(place, PreferenceFile), base)

    def _base(self, composer: Composer, declared: Mapping[str, Any], section: str, keys: Iterable[str]) -> list[Layer]:
        """The catalog's layers: what it says of all objects, then of one kind."""
        shared = composer.layer("catalog.yaml", (), declared, ("labels", "annotations"))
        own = composer.layer("catalog.yaml", (section,), declared.get(section), keys)
        return [shared, *composer.mixed(own)]

    def _files_of(self, folder: str) -> list[str]:
        return [place for place in self.sources.files if place.startswith(f"{folder}/")]

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
