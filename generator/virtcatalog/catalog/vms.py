"""The VM templates of `vms/`: plain manifests, and Jinja2 templates with the parameters that `vms.yaml` gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import msgspec
from msgspec.structs import replace

from virtcatalog.api.findings import field_path
from virtcatalog.api.kinds import API_VERSIONS, holds_vm, type_of
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.names import metadata_faults
from virtcatalog.api.shape import Version, parse_release
from virtcatalog.catalog.amounts import ExpressionError
from virtcatalog.catalog.check import faults
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.model import Cross, VmTemplate
from virtcatalog.catalog.places import Origin, Source
from virtcatalog.catalog.sources import Sources
from virtcatalog.catalog.work import PLACED, WorkError, reading
from virtcatalog.errors import CatalogError, Problem, nearest, some
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.layout import OVERLAYS, VM_TEMPLATE, VMS


class _Rendering(msgspec.Struct, frozen=True):
    """A file's text for one environment; "" for the only rendering of a file."""

    place: str
    environment: str
    text: str | bytes
    parameters: dict[str, Any]


def vm_templates(
    sources: Sources,
    declared: Mapping[str, Any],
    overlays: Sequence[Overlay],
    parameters: Mapping[str, Any],
    release: Version,
) -> Iterator[VmTemplate]:
    """Yield the VMs of every file of `vms/`, file by file and environment by environment.

    They may have the fields of `release`; those rendered for an environment, the fields of the release that it runs.
    """
    files = [place for place in sources.files if place.startswith("vms/")]
    names = {place.removeprefix("vms/"): place for place in files}
    releases = {overlay.name: parse_release(overlay.kubevirt) for overlay in overlays if overlay.kubevirt}
    for name in declared:
        if name not in names:
            sources.report(VMS, (name,), f"there is no vms/{name}{nearest(name, names)}")
        elif not name.endswith(VM_TEMPLATE):
            _check_plain(sources, name, declared[name] or {}, overlays)
    for name, place in names.items():
        raw = sources.read_text(place)
        if raw is None:
            continue
        cross = _cross(declared.get(name) or {})
        if not name.endswith(VM_TEMPLATE):
            environments = tuple((declared.get(name) or {}).get("environments") or ())
            for vm_template in _read(sources, _Rendering(place, "", raw, {}), raw, release):
                sources.spend(place, (), PLACED * len(environments or overlays))
                yield replace(vm_template, cross=cross, environments=environments)
            continue
        try:
            source = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            sources.add(Problem(file=sources.display(place), line=1, column=1, message="is not UTF-8 text"))
            continue
        for rendering in _renderings(sources, name, source, declared.get(name) or {}, overlays, parameters):
            for vm_template in _read(sources, rendering, raw, releases.get(rendering.environment, release)):
                yield replace(vm_template, cross=cross)


def _check_plain(sources: Sources, name: str, declared: Mapping[str, Any], overlays: Sequence[Overlay]) -> None:
    """Report settings in vms.yaml for a plain manifest that apply to templates only."""
    environments = declared.get("environments") or {}
    if not declared.keys() & {"cross", "environments"} or declared.get("parameters") or any(environments.values()):
        sources.report(VMS, (name,), f"vms/{name} is no template: those are named *{VM_TEMPLATE}")
    for environment in environments:
        _find_environment(sources, name, environment, overlays)


def _find_environment(sources: Sources, name: str, environment: str, overlays: Sequence[Overlay]) -> Overlay | None:
    """Return the environment that a file of vms/ names, or report that there is none."""
    by_name = {overlay.name: overlay for overlay in overlays}
    if environment not in by_name and sources.is_sound(OVERLAYS):
        message = f"overlays.yaml has no environment {environment!r}{nearest(environment, by_name)}"
        sources.report(VMS, (name, "environments", environment), message)
    return by_name.get(environment)


def _cross(declared: Mapping[str, Any]) -> Cross | None:
    globs = declared.get("cross")
    return Cross(tuple(globs.get("instancetypes") or ()), tuple(globs.get("preferences") or ())) if globs else None


def _renderings(
    sources: Sources,
    name: str,
    source: str,
    declared: Mapping[str, Any],
    overlays: Sequence[Overlay],
    shared: Mapping[str, Any],
) -> Iterator[_Rendering]:
    from virtcatalog.catalog.sandbox import render

    place = f"vms/{name}"
    own = declared.get("parameters") or {}
    environments = declared.get("environments") or {"": {}}
    for environment, overrides in environments.items():
        values = {**own, **(overrides or {})}
        path = (name, "environments", environment) if environment else (name,)
        names: dict[str, Any] = {**shared, **values}
        if environment:
            overlay = _find_environment(sources, name, environment, overlays)
            if overlay is None:
                continue
            names |= _facts(overlay)
        faults = [
            (key, f"the template has no parameter {key!r}{nearest(key, own)}")
            for key in overrides or ()
            if key not in own
        ]
        faults += [("", f"the parameter {key!r} has no value") for key, value in values.items() if value is None]
        for key, message in faults:
            sources.report(VMS, (*path, key) if key else path, message)
        if faults:
            continue
        try:
            text = render(source, names, sources.work)
            sources.work.spend(reading(text))
        except (ExpressionError, WorkError) as error:
            file, line, column = sources.display(place), error.line + 1, _column(source, error)
            sources.add(Problem(file=file, line=line, column=column, message=error.message))
            if isinstance(error, WorkError):
                raise CatalogError(*sources.problems) from None
        else:
            yield _Rendering(place, environment, text, values)


def _facts(overlay: Overlay) -> dict[str, str]:
    """The names that a template has for facts of its environment."""
    middle = "" if overlay.scope == "namespaced" else "Cluster"
    return {
        "environment": overlay.name,
        "namespace": overlay.namespace,
        "instancetypeKind": f"VirtualMachine{middle}Instancetype",
        "preferenceKind": f"VirtualMachine{middle}Preference",
    }


def _column(source: str, error: ExpressionError | WorkError) -> int:
    """The column of the name that an error is about, else 1."""
    name = error.name if isinstance(error, ExpressionError) else ""
    line = source.splitlines()[error.line : error.line + 1] or [""]
    return line[0].find(name) + 1 or 1


def _read(sources: Sources, rendering: _Rendering, raw: bytes, release: Version) -> Iterator[VmTemplate]:
    text = Text(rendering.text, sources.display(rendering.place))
    documents = list(text.documents())
    report = partial(_report, sources, rendering, text, raw)
    for problem in text.problems:
        report((problem.line, problem.column), "", problem.message)
    machines: list[tuple[int, dict[str, Any]]] = []
    companions = []
    for index, manifest in documents:
        if not isinstance(manifest, dict) or not isinstance(manifest.get("kind"), str):
            report(text.place(index, ()), "", "is not a manifest: a map with apiVersion and kind")
        elif holds_vm(manifest):
            machines.append((index, manifest))
        else:
            companions.append(manifest)
    if not machines and not text.problems:
        kinds = [str(manifest["kind"]) for manifest in companions]
        hint = next((nearest(kind, ("VirtualMachine",)) for kind in kinds if nearest(kind, ("VirtualMachine",))), "")
        report((1, 1), "", f"holds no VirtualMachine{f', but {some(kinds, 3)}' if kinds else ''}{hint}")
    for index, manifest in machines:
        findings = _faults(manifest, release)
        for path, message in findings:
            report(text.place(index, path), field_path(path), message)
        if not findings:
            name = manifest["metadata"]["name"]
            stem = rendering.place.removeprefix("vms/").removesuffix(".j2").removesuffix(".yaml")
            parts = (stem, name if len(machines) > 1 else "", rendering.environment)
            yield VmTemplate(
                key=".".join(part for part in parts if part),
                name=name,
                file=rendering.place,
                environment=rendering.environment,
                environments=(rendering.environment,) if rendering.environment else (),
                parameters=rendering.parameters,
                manifest=manifest,
                companions=tuple(companions),
                source=_source(rendering, text, raw, index),
                origin=Origin(
                    rendering.text,
                    partial(_source, rendering, text, raw, index),
                    lambda place: Source(text.file, *_original(rendering, raw, place)),
                ),
            )


def _source(rendering: _Rendering, text: Text, raw: bytes, document: int, field: str = "") -> Source:
    return Source(text.file, find=lambda: _original(rendering, raw, text.place(document, field)))


def _faults(manifest: Mapping[str, Any], release: Version) -> list[tuple[tuple[str | int, ...], str]]:
    typed, kind = type_of(manifest), manifest["kind"]
    findings = faults(manifest, typed or VirtualMachine, release)
    version = API_VERSIONS[kind]
    if typed is None or manifest["apiVersion"] != version:
        findings.append((("apiVersion",), f"a {kind} is of {version}, not {manifest.get('apiVersion')!r}"))
    metadata = manifest.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not findings and not name:
        findings.append((("metadata", "name"), f"the {kind} has no name"))
    elif not findings and isinstance(metadata, dict):
        findings += metadata_faults(metadata)
    return findings


def _report(
    sources: Sources, rendering: _Rendering, text: Text, raw: bytes, place: tuple[int, int], field: str, message: str
) -> None:
    line, column = _original(rendering, raw, place)
    if rendering.environment:
        message = f"{message} (rendered for {rendering.environment})"
    sources.add(Problem(file=text.file, line=line, column=column, field=field, message=message))


def _original(rendering: _Rendering, raw: bytes, place: tuple[int, int]) -> tuple[int, int]:
    """The template's place of a place in the rendered text: the one line that reads the same, else line 1."""
    if not isinstance(rendering.text, str):
        return place
    rendered, (by_text, by_start) = _lines(rendering.text), _numbers(raw)
    line = rendered[place[0] - 1] if 0 < place[0] <= len(rendered) else ""
    for numbers in (by_text.get(line, ()), by_start.get(line.partition(":")[0], ())):
        if len(numbers) == 1:
            return numbers[0], place[1]
    return 1, 1


@lru_cache(maxsize=1)
def _lines(text: str) -> list[str]:
    return text.splitlines()


@lru_cache(maxsize=1)
def _numbers(raw: bytes) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """The numbers of a template's lines by their text, and by what is before their first colon."""
    by_text: dict[str, list[int]] = {}
    by_start: dict[str, list[int]] = {}
    for number, line in enumerate(raw.decode("utf-8-sig").splitlines(), 1):
        by_text.setdefault(line, []).append(number)
        start, colon, _ = line.partition(":")
        if colon:
            by_start.setdefault(start, []).append(number)
    return by_text, by_start
