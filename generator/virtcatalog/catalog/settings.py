"""The files of a catalog, read: their sound parts, every fault, and what catalog.yaml says for all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from virtcatalog.api.findings import Findings, missing
from virtcatalog.api.names import label_fault, name_fault
from virtcatalog.api.shape import Version, parse_release, struct_of
from virtcatalog.catalog.chain import Chain, Part, extend
from virtcatalog.catalog.check import faults
from virtcatalog.catalog.compose import take_out
from virtcatalog.catalog.configuration import CatalogFile
from virtcatalog.catalog.labels import gitops_annotations
from virtcatalog.catalog.layers import COMPONENT_FRAGMENT, check_layer
from virtcatalog.catalog.sources import FieldPath, Sources, is_extended
from virtcatalog.errors import UnsupportedError, similar
from virtcatalog.manifests.layout import CATALOG, COMPONENTS, OVERLAYS, PRICES, VMS
from virtcatalog.manifests.merge import merge_into

_TAKEN = {
    *("class", "version", "size", "variant", "vcpus", "memory", "name", "displayName", "range"),
    *("environment", "namespace", "instancetypeKind", "preferenceKind"),
}


def read_chain(files: Files) -> Chain:
    """Read catalog.yaml, and those of the catalogs that it extends.

    The oldest release is the one of the highest catalog that names one. It holds for all that is read later.
    """
    sources = files.sources
    declarations: list[tuple[str, dict[str, Any]]] = []
    prefix: str | None = ""
    while prefix is not None:
        declared = files.read(f"{prefix}{CATALOG}", CatalogFile)
        declarations.append((prefix, declared))
        prefix = _below(sources, [earlier for earlier, _ in declarations], declared.get("extends") or "")
    has_release = any(declared.get("kubevirt") for _, declared in declarations) or declarations[-1][1].get("extends")
    if declarations[0][1] and not has_release and "kubevirt" not in sources.spoilt_at(CATALOG, ()):
        sources.report(CATALOG, ("kubevirt",), "is required")
    parts = [Part(prefix, level, declared) for level, (prefix, declared) in enumerate(reversed(declarations))]
    for part in parts:
        _check(sources, part)
    return Chain(sources, parts)


def _below(sources: Sources, prefixes: list[str], extends: str) -> str | None:
    """The prefix of the catalog that the last of these extends; None if it extends none, or for a fault."""
    if not extends:
        return None
    try:
        return extend(sources, prefixes, extends)
    except ValueError as error:
        sources.report(f"{prefixes[-1]}{CATALOG}", ("extends",), str(error))
        return None


def _check(sources: Sources, part: Part) -> None:
    for name in part.declared.get("parameters") or {}:
        if name in _TAKEN or not name.isidentifier():
            message = "expressions use it for something else" if name in _TAKEN else "it is no name for expressions"
            sources.report(part.place, ("parameters", name), f"{name!r} cannot be a parameter: {message}")
    fault = name_fault(part.declared.get("name") or "name")
    if fault:
        sources.report(part.place, ("name",), fault)
    fault = label_fault(part.declared.get("vendor") or "")
    if fault:
        sources.report(part.place, ("vendor",), fault)
        del part.declared["vendor"]


def settle(sources: Sources, chain: Chain) -> dict[str, Any]:
    """Return what holds for the whole catalog, from its own catalog.yaml and those of the catalogs that it extends."""
    declared: dict[str, Any] = {}
    for part in chain.parts:
        for key in ("vendor", "kubevirt", "operator"):
            if part.declared.get(key) is not None:
                declared[key] = part.declared[key]
        for key in ("parameters", "labels", "annotations"):
            merge_into(declared.setdefault(key, {}), part.declared.get(key) or {})
    top = chain.parts[-1].declared
    own, derived = top.get("annotations") or {}, gitops_annotations(top.get("gitops"))
    for key in sorted(own.keys() & derived.keys()):
        sources.report(CATALOG, ("annotations", key), "`gitops` sets this annotation, too")
    top["annotations"] = derived | own
    declared["annotations"] |= derived
    return declared | {key: top.get(key) for key in ("name", "description", "gitops")}


class Files:
    """The files of a catalog and of those that it extends; `release` is empty until catalog.yaml has been read."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.release: Version = ()

    def read(self, place: str, kind: Any, *, over: bool = False) -> dict[str, Any]:
        """Return the sound parts of a file and report every fault; {} when there is no such file.

        A file `over` one of an extended catalog may lack required keys.
        """
        present = place in self.sources.files or self.sources.local(place) != place
        data = self.sources.read(place) if present else None
        if data is None:
            return {}
        local = self.sources.local(place)
        findings = self._faults(local, data, kind, over=over, extended=is_extended(place))
        for path, message in findings:
            self.sources.report(place, path, message)
            owner = owner_of(local, path)
            keys = [str(key) for key in path[len(owner) : len(owner) + 1]]
            self.sources.spoil(place, owner, keys + similar(keys, COMPONENT_FRAGMENT))
        for path, _ in findings:
            take_out(data, path)
        if not isinstance(data, dict):
            self.sources.unread.add(place)
            return {}
        return data

    def _faults(self, place: str, data: Any, kind: Any, *, over: bool, extended: bool) -> Findings:
        """Return what is wrong with the data of a file (its path within its catalog), with the paths in the data."""
        if not isinstance(data, dict):
            return faults(data, kind)
        if elsewhere := _misplaced(place, data):
            return [((), elsewhere)]
        findings: Findings = []
        literal = {**data}
        if place == CATALOG:
            sections = {key: literal.pop(key) for key in ("instancetypes", "preferences") if key in data}
            findings = faults(literal, kind)
            if data.get("kubevirt") and not any(path[:1] == ("kubevirt",) for path, _ in findings):
                fault = _release_fault(data["kubevirt"])
                findings += [(("kubevirt",), fault)] if fault else []
                self.release = self.release or (() if fault else parse_release(data["kubevirt"]))
            literal = sections
        partial, expressions = place not in (PRICES, VMS), place not in (OVERLAYS, PRICES, VMS)
        # What is too new in an extended catalog may be taken out again: Composer.check_spec looks at what is left.
        release = () if extended else self.release
        findings += faults(literal, kind, release, fragment=partial, expressions=expressions)
        if "/" in place and not over:
            hints = "".join(message for path, message in findings if len(path) == 1)
            findings += [((key,), "is required") for key in missing(struct_of(kind).fields, data, hints)]
        for path, fragment in fragments_of(place, data):
            findings += [((*path, *field), message) for field, message in check_layer(fragment)]
        return findings


def _misplaced(place: str, data: Mapping[str, Any]) -> str:
    """Say that a file of instance types or preferences holds what belongs elsewhere; "" if it does not."""
    folder = place.partition("/")[0]
    if folder not in ("instancetypes", "preferences"):
        return ""
    if isinstance(data.get("kind"), str) and "apiVersion" in data:
        if data["kind"] == "VirtualMachine":
            return "is a VirtualMachine: it belongs in vms/"
        return f"is a manifest, a {data['kind'][:60]}, and no declaration: `virtcatalog import objects` makes one of it"
    if folder == "instancetypes" and "preferences" in data and "sizes" not in data:
        return "declares preferences: it belongs in preferences/"
    if folder == "preferences" and "sizes" in data and "preferences" not in data:
        return "declares instance types: it belongs in instancetypes/"
    return ""


def owner_of(place: str, path: FieldPath) -> FieldPath:
    """Return the path of the fragment, or environment, that a field is part of."""
    top = path[:1]
    if place in (COMPONENTS, OVERLAYS) or (place == CATALOG and top in (("instancetypes",), ("preferences",))):
        return top
    if place.startswith("instancetypes/") and top in (("sizes",), ("variants",)):
        return path[:2]
    if place.startswith("preferences/") and top == ("variants",):
        return path[:2]
    if place.startswith("templates/") and top:
        return top if top == ("defaults",) else path[:2]
    if place.startswith("preferences/") and top:
        return top if top == ("defaults",) else path[:4] if path[2:3] == ("variants",) else path[:2]
    return ()


def fragments_of(place: str, data: Mapping[str, Any]) -> Iterator[tuple[FieldPath, Mapping[str, Any]]]:
    """Yield the fragments of a file, as far as they are maps, with their paths."""
    fragments: list[tuple[FieldPath, Any]] = []
    if place == CATALOG:
        fragments = [((), data), *(((key,), data.get(key)) for key in ("instancetypes", "preferences"))]
    elif place == COMPONENTS:
        fragments = [((name,), fragment) for name, fragment in data.items()]
    elif place.startswith("instancetypes/"):
        fragments = [((), data)]
        fragments += [
            ((key, name), fragment) for key in ("sizes", "variants") for name, fragment in _items(data.get(key))
        ]
    elif place.startswith("preferences/"):
        fragments = [(("defaults",), data.get("defaults"))]
        fragments += [(("variants", name), fragment) for name, fragment in _items(data.get("variants"))]
        for name, preference in _items(data.get("preferences")):
            path = ("preferences", name)
            variants = _items(preference.get("variants")) if isinstance(preference, dict) else ()
            fragments += [(path, preference), *(((*path, "variants", key), own) for key, own in variants)]
    yield from ((path, fragment) for path, fragment in fragments if isinstance(fragment, dict))


def _items(data: Any) -> Iterable[tuple[str, Any]]:
    return data.items() if isinstance(data, dict) else ()


def _release_fault(release: str) -> str:
    from virtcatalog.releases import check_oldest

    try:
        check_oldest(release)
    except UnsupportedError as error:
        return error.message
    return ""
