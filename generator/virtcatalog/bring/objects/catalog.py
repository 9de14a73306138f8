"""The files of a catalog with a set of instance types and preferences, and the proof that they give exactly those."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from virtcatalog.api.decode import prune
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.names import RESERVED_INSTANCETYPES, RESERVED_PREFERENCES
from virtcatalog.bring.objects.classes import classes
from virtcatalog.bring.objects.entries import Entry, conventions, with_text_amounts
from virtcatalog.bring.objects.facts import Expression, Facts, tree
from virtcatalog.bring.objects.families import families
from virtcatalog.bring.objects.layers import Layer, extract
from virtcatalog.bring.objects.naming import section
from virtcatalog.bring.objects.scopes import environments
from virtcatalog.catalog.expressions import is_expression
from virtcatalog.catalog.labels import DERIVED_ANNOTATIONS, DERIVED_LABELS
from virtcatalog.catalog.layers import ARCH_FIELDS_SINCE, ordered
from virtcatalog.catalog.load import load_catalog
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.difference import Difference, differences, shown
from virtcatalog.manifests.emit import dump, flow
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.manifests.layout import CATALOG, COMPONENTS, OVERLAYS
from virtcatalog.manifests.merge import merge
from virtcatalog.render.features import natural

_ORDER = (
    *("class", "version", "name", "preferences", "sizes", "vcpus", "memory", "displayName", "description"),
    *("labels", "osType", "arch", "memoryPerVcpu", "components", "requirements", "deprecated", "annotations", "spec"),
)
_SPECS: dict[str, type[msgspec.Struct]] = {
    "instancetypes": VirtualMachineInstancetypeSpec,
    "preferences": VirtualMachinePreferenceSpec,
}
#: The number of fields from which a fragment of instance types is a component.
_LONG_FRAGMENT = 3


class Draft(NamedTuple):
    """A catalog as its files, by path, and its environments; without any, its base has all objects."""

    files: dict[str, str]
    environments: tuple[str, ...]


def draft(manifests: Sequence[Mapping[str, Any]], name: str, *, relabel: bool = False) -> Draft:
    """Return a catalog of instance types and preferences: classes and files that state common facts once.

    With `relabel`, every object gets the labels that a catalog derives, even if it lacks them.
    """
    entries, overlays = environments(manifests)
    shared = conventions(entries, relabel=relabel)
    types = [entry for entry in entries if entry.section == "instancetypes"]
    prefs = [entry for entry in entries if entry.section == "preferences"]
    series, type_base = classes(types, shared)
    guests, preference_base = families(prefs, shared)
    layers = [
        layer
        for family in guests
        for layer in (
            family.defaults,
            *(layer for _, layer in family.variants.values()),
            *(layer for own, variants in family.entries.values() for layer in (own, *variants.values())),
        )
    ]
    components = extract(layers, {})
    components |= extract([class_.own for class_ in series], components, _LONG_FRAGMENT)
    files = {CATALOG: document(_catalog(name, shared.vendor, entries, type_base, preference_base))}
    if components:
        files[COMPONENTS] = _components(components)
    for class_ in series:
        data = {"class": class_.series, "version": _version(class_.version), "name": Expression(class_.name)} | _layer(
            class_.own
        )
        data["sizes"] = {size: _as_data(facts) for size, facts in class_.sizes.items()}
        data["variants"] = {
            suffix: ({"sizes": list(sizes)} if sizes else {}) | _as_data(facts)
            for suffix, (sizes, facts) in class_.variants.items()
        }
        data = {key: value for key, value in data.items() if value not in ("", {})}
        files[f"instancetypes/{class_.file}.yaml"] = document(data, ("sizes", "variants"))
    for family in guests:
        data = {
            "defaults": _layer(family.defaults),
            "variants": {
                variant: ({"preferences": list(names)} if names else {}) | _layer(layer)
                for variant, (names, layer) in family.variants.items()
            },
            "preferences": {
                entry: _layer(own)
                | ({"variants": {key: _layer(variant) for key, variant in variants.items()}} if variants else {})
                for entry, (own, variants) in family.entries.items()
            },
        }
        data = {key: value for key, value in data.items() if value}
        opened = ("defaults", "variants", "preferences")
        files[f"preferences/{family.file}.yaml"] = document(data, opened)
    if overlays:
        files[OVERLAYS] = document(overlays, tuple(overlays))
    return Draft(files, tuple(overlays))


def _catalog(name: str, vendor: str, entries: Sequence[Entry], types: Facts, prefs: Facts) -> dict[str, Any]:
    shared = {
        path: value
        for path, value in types.items()
        if path[0] in ("labels", "annotations") and prefs.get(path, ...) == value
    }
    data: dict[str, Any] = {"name": name, "vendor": vendor, "kubevirt": _oldest_release(entries)}
    reserved_names = RESERVED_INSTANCETYPES | RESERVED_PREFERENCES
    if any(entry.name in reserved_names for entry in entries):
        data["operator"] = {"commonInstancetypes": "disabled"}
    data |= _as_data(shared)
    for key, facts in (("instancetypes", types), ("preferences", prefs)):
        data[key] = _as_data({path: value for path, value in facts.items() if path not in shared})
    return {key: value for key, value in data.items() if value not in ("", {})}


def _oldest_release(entries: Iterable[Entry]) -> str:
    """The oldest KubeVirt release that has every field, and the architecture of preferences."""
    release: tuple[int, ...] = ARCH_FIELDS_SINCE
    for entry in entries:
        while dropped := prune(entry.spec, _SPECS[entry.section], release)[1]:
            release = max(dropped.values())
    return f"v{'.'.join(map(str, release))}.0"


def _components(components: Mapping[str, Facts]) -> str:
    sections: dict[str, dict[str, Any]] = {}
    for name in sorted(components, key=natural):
        sections.setdefault(section(name), {})[name] = _as_data(components[name])
    order = sorted(sections, key=lambda title: (title == "Other", title != "Disks and network", title))
    return "\n".join(f"# {title}\n{document(sections[title])}" for title in order)


def _layer(layer: Layer) -> dict[str, Any]:
    components = {("components",): sorted(layer.components, key=natural)} if layer.components else {}
    return _as_data(components | layer.own)


def _as_data(facts: Facts) -> dict[str, Any]:
    data = tree(facts)
    _short_requirements(data)
    data |= {key: ordered(data[key]) for key in ("labels", "annotations", "spec") if key in data}
    return {key: data[key] for key in sorted(data, key=lambda key: _ORDER.index(key) if key in _ORDER else 99)}


def _short_requirements(data: dict[str, Any]) -> None:
    """Write the requirements of a preference with the catalog's short keys, in place."""
    spec = data.get("spec") or {}
    if "requirements" not in spec or spec["requirements"] == {}:
        return
    full = spec.pop("requirements")
    if not spec:
        del data["spec"]
    if full is None:
        data["requirements"] = None
        return
    short: dict[str, Any] = {}
    for key, part in (("vcpus", "cpu"), ("memory", "memory")):
        if part in full:
            short[key] = full[part] if full[part] is None else full[part]["guest"]
    if "architecture" in full:
        short["arch"] = full["architecture"]
    data["requirements"] = short


def _version(version: str) -> int | str:
    return int(version) if version.isdecimal() and str(int(version)) == version else version


def prove(draft: Draft, manifests: Sequence[Mapping[str, Any]], *, relabel: bool) -> list[Problem]:
    """Return the derived labels and annotations that the catalog would change, which `relabel` allows.

    Raises CatalogError if the catalog cannot be loaded, and ManifestError with every other field that it would change.
    """
    catalog = load_catalog("catalog", {path: text.encode() for path, text in draft.files.items()})
    actual: dict[Identity, Data] = {}
    for environment in draft.environments or ("",):
        for manifest in catalog.objects(environment):
            actual[identity(manifest)] = manifest
    expected = {
        identity(manifest): {**merge(manifest), "spec": with_text_amounts(manifest["spec"])} for manifest in manifests
    }
    restated: list[Problem] = []
    wrong: list[Problem] = []
    for key in sorted(expected.keys() | actual.keys()):
        name = "/".join(part for part in key if part)
        if key not in expected or key not in actual:
            message = "the catalog would not have it" if key in expected else "the catalog would have it, too"
            wrong.append(Problem(object=name, message=message))
            continue
        for difference in differences(_compared(expected[key]), _compared(actual[key]), by_name=False):
            problem = Problem(object=name, field=difference.field, message=_worded(difference))
            (restated if _is_derived(difference) else wrong).append(problem)
    if wrong or (restated and not relabel):
        raise ManifestError(*wrong, *restated)
    return restated


def _compared(manifest: Mapping[str, Any]) -> Data:
    """Metadata beside the identity, and the spec: an object without a map has an empty one."""
    metadata = manifest["metadata"]
    pairs = {key: metadata.get(key) or {} for key in ("labels", "annotations")}
    return {"metadata": pairs, "spec": manifest["spec"]}


def _is_derived(difference: Difference) -> bool:
    return difference.path[:2] in (("metadata", "labels"), ("metadata", "annotations")) and (
        difference.path[-1] in DERIVED_LABELS.keys() | DERIVED_ANNOTATIONS.keys()
    )


def _worded(difference: Difference) -> str:
    old, new = (None if value is None else shown(value) for value in (difference.old, difference.new))
    origin = (DERIVED_LABELS | DERIVED_ANNOTATIONS).get(str(difference.path[-1]), "") if _is_derived(difference) else ""
    why = f" (a catalog derives it from {origin}; --relabel takes that)" if origin else ""
    if new is None:
        return f"{old} could not be kept{why}"
    return f"would be {new}{why}" if old is None else f"{old} would be {new}{why}"


_WIDTH = 112


def document(data: Mapping[str, Any], opened: Collection[str] = ()) -> str:
    """Return the text of a file; entries of the maps in `opened` start on lines of their own."""
    lines: list[str] = []
    for key, value in _literal(data).items():
        if key in opened and value:
            lines.append(f"{_key(key)}:\n")
            for name, entry in value.items():
                _entry(lines, "  ", name, {} if entry is None else entry)
        else:
            _entry(lines, "", key, value)
    return "".join(lines)


def _entry(lines: list[str], indent: str, key: str, value: Any) -> None:
    if isinstance(value, (dict, list)):
        line = f"{indent}{_key(key)}: {flow(value)}"
        if not value or (len(line) <= _WIDTH and _levels(value) <= 6 and not _long(value)):
            lines.append(f"{line}\n")
        elif isinstance(value, dict):
            lines.append(f"{indent}{_key(key)}:\n")
            for name, item in value.items():
                _entry(lines, f"{indent}  ", name, item)
        else:
            lines.append(f"{indent}{_key(key)}:\n")
            line = f"{indent}  {flow(value)}\n"
            lines += [line] if len(line) <= _WIDTH + 8 else [f"{indent}  - {flow(item)}\n" for item in value]
    else:
        text = dump({key: value})
        lines += [f"{indent}{line}" if line.strip() else line for line in text.splitlines(keepends=True)]


def _key(key: str) -> str:
    return dump({key: {}}).rpartition(":")[0]


def _levels(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_levels, value.values()), default=0)
    return 1 + max(map(_levels, value), default=0) if isinstance(value, list) else 0


def _long(value: Any) -> bool:
    """Whether a value has text of several lines, which is easier to read in a block."""
    if isinstance(value, dict):
        return any(map(_long, value.values()))
    return any(map(_long, value)) if isinstance(value, list) else isinstance(value, str) and "\n" in value[:-1]


def _literal(value: Any) -> Any:
    """Data with literal strings escaped that the catalog would evaluate."""
    if isinstance(value, dict):
        return {key: _literal(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_literal(item) for item in value]
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, str) and is_expression(value):
        escaped = value.encode("unicode_escape").decode().replace('"', '\\"')
        return f'{{{{ "{escaped}" }}}}'
    return value
