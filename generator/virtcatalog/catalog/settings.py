"""What catalog.yaml says for everything else, of a catalog and of those that it extends."""

from __future__ import annotations

from typing import Any

from virtcatalog.api.names import label_fault, name_fault
from virtcatalog.catalog.chain import Chain, Part, extend
from virtcatalog.catalog.configuration import CatalogFile
from virtcatalog.catalog.files import Files
from virtcatalog.catalog.gitops import gitops_annotations
from virtcatalog.catalog.sources import Sources
from virtcatalog.errors import UnsupportedError
from virtcatalog.manifests.layout import CATALOG
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
    _check_release(sources, part)
    fault = label_fault(part.declared.get("vendor") or "")
    if fault:
        sources.report(part.place, ("vendor",), fault)
        del part.declared["vendor"]


def _check_release(sources: Sources, part: Part) -> None:
    release = part.declared.get("kubevirt")
    if not release:
        return
    from virtcatalog.releases import check_oldest

    try:
        check_oldest(release)
    except UnsupportedError as error:
        sources.report(part.place, ("kubevirt",), error.message)


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
    for key in own.keys() & derived.keys():
        sources.report(CATALOG, ("annotations", key), "`gitops` sets this annotation, too")
    top["annotations"] = derived | own
    declared["annotations"] |= derived
    return declared | {key: top.get(key) for key in ("name", "description", "gitops")}
