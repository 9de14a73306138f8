"""The VirtualMachineTemplates that a file of `templates/` declares: operating systems x workloads x sizes.

They are checked as KubeVirt's webhook checks them. Their VMs, one of the defaults and one of each set of values, are VM
templates of the catalog.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from zlib import crc32

from msgspec.structs import replace

from virtcatalog.api.findings import steps
from virtcatalog.api.kinds import TEMPLATES_SINCE
from virtcatalog.api.names import name_fault
from virtcatalog.api.shape import Version, parse_release
from virtcatalog.catalog.amounts import ExpressionError, as_text
from virtcatalog.catalog.compose import Layer
from virtcatalog.catalog.declared import Declared
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.expressions import evaluate
from virtcatalog.catalog.labels import template_annotations, template_labels
from virtcatalog.catalog.layers import TEMPLATE_FRAGMENT, Composer, Merged
from virtcatalog.catalog.model import Entry, Instancetype, Preference, Template, VmTemplate
from virtcatalog.catalog.places import Origin, Source
from virtcatalog.catalog.sources import FieldPath
from virtcatalog.catalog.work import WorkError
from virtcatalog.errors import TemplateError, nearest
from virtcatalog.kubevirt.template.admission import admit_template
from virtcatalog.kubevirt.template.process import process
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import merge

_NAME: Final = "{{ os }}-{{ workload }}-{{ size }}"
#: The work of making a VM of a template, and looking at it.
_CHARACTERS: Final = 8_000
#: A reference to a template's parameter, which is no expression of the catalog.
_REFERENCE_ALONE: Final = re.compile(r"\$\{\{([a-zA-Z0-9_]+)\}\}")
_HIDDEN: Final = re.compile("\ue000([a-zA-Z0-9_]+)\ue001")


class Entries(NamedTuple):
    """The catalog's instance types and preferences, by name."""

    instancetypes: Mapping[str, Instancetype]
    preferences: Mapping[str, Preference]


def templates(composer: Composer, place: str, data: Mapping[str, Any], entries: Entries) -> Iterator[Template]:
    """Yield the templates of one file; what KubeVirt's webhook would refuse is reported where it is declared."""
    for system, own in (data.get("systems") or {}).items():
        for workload, sizes in _chosen(composer, place, data, system, own or {}):
            for size in sizes:
                paths: list[FieldPath] = [
                    ("defaults",), ("sizes", size), ("workloads", workload), ("systems", system)
                ]  # fmt: skip
                layers = [composer.layer(place, path, map_at(data, *path), TEMPLATE_FRAGMENT) for path in paths]
                names = {**composer.settings.parameters, "os": system, "workload": workload, "size": size}
                template = _template(composer, _name(composer, place, data, names), names, layers, entries)
                if template:
                    yield template


def _chosen(
    composer: Composer, place: str, data: Mapping[str, Any], system: str, own: Mapping[str, Any]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The workloads of a system, with their sizes; names that nothing declares are reported."""
    workloads, sizes = data.get("workloads") or {}, data.get("sizes") or {}
    for workload, chosen in (own.get("workloads") or dict.fromkeys(workloads)).items():
        path = ("systems", system, "workloads", workload)
        if workload not in workloads:
            message = f"there is no workload {workload!r}{nearest(workload, workloads)}"
            composer.sources.report(place, path, message)
            continue
        for index, size in enumerate(chosen or ()):
            if size not in sizes:
                composer.sources.report(place, (*path, index), f"there is no size {size!r}{nearest(size, sizes)}")
        yield workload, [size for size in chosen or sizes if size in sizes]


def _name(composer: Composer, place: str, data: Mapping[str, Any], names: Mapping[str, Any]) -> str:
    try:
        return as_text(evaluate(data.get("name") or _NAME, names, composer.sources.work))
    except WorkError as error:
        composer.sources.stop(place, ("name",), error.message)
    except ExpressionError as error:
        composer.sources.report(place, ("name",), error.message)
        return f"{names['os']}-{names['workload']}-{names['size']}"


def _template(
    composer: Composer, name: str, names: dict[str, Any], layers: Sequence[Layer], entries: Entries
) -> Template | None:
    """One template; None when something is wrong with it, which is reported."""
    merged = composer.merge(layers)
    before = len(composer.sources.problems)
    own = merged.layers[-1]
    if fault := name_fault(name):
        composer.sources.report(own.place, own.path, fault)
    names["name"] = name
    hidden = _replaced(merged.data, _REFERENCE_ALONE, "\ue000\\1\ue001")
    merged.data.clear()
    merged.data.update(hidden)
    for key in ("image", "instancetype", "preference"):
        composer.evaluate(merged, names, key)
        names[key] = merged.data.get(key, "")
    preference = entries.preferences.get(names["preference"])
    names["system"] = (preference.display_name if preference else "") or names["os"]
    composer.evaluate(merged, names)
    data = _replaced(merged.data, _HIDDEN, r"${{\1}}")
    missing = False
    for key, declared in zip(("instancetype", "preference"), entries, strict=True):
        if data.get(key) and data[key] not in declared:
            missing = True  # reported once for a place that many templates share
            article = "instance type" if key == "instancetype" else key
            if not composer.sources.is_sound(f"{key}s/"):
                continue
            composer.report(merged, (key,), f"the catalog has no {article} {data[key]!r}{nearest(data[key], declared)}")
    source = composer.sources.source(own.place, own.path)
    display_name, description = data.get("displayName", ""), data.get("description", "")
    template = Template(
        name=name,
        system=names["os"],
        workload=names["workload"],
        size=names["size"],
        display_name=display_name,
        description=description,
        instancetype=data.get("instancetype", ""),
        preference=data.get("preference", ""),
        spec=_spec(data, names["os"]),
        labels={**(data.get("labels") or {}), **template_labels(names["os"], names["workload"], names["size"])},
        annotations={**(data.get("annotations") or {}), **template_annotations(display_name, description)},
        tests=data.get("tests") or {},
        file=own.place,
        source=source,
        declared=Declared(composer.sources, merged.layers, source),
    )
    if len(composer.sources.problems) > before or merged.spoilt or missing:
        return None
    template = replace(template, vms=_vms_of(composer, merged, template))
    return template if len(composer.sources.problems) == before else None


def _replaced(value: Any, pattern: re.Pattern[str], by: str) -> Any:
    if isinstance(value, str):
        return pattern.sub(by, value) if "{{" in value or "\ue000" in value else value
    if isinstance(value, dict):
        return {_replaced(key, pattern, by): _replaced(item, pattern, by) for key, item in value.items()}
    return [_replaced(item, pattern, by) for item in value] if isinstance(value, list) else value


def _spec(data: Mapping[str, Any], system: str) -> dict[str, Any]:
    """The template's spec: the VM has the instance type and preference, and the parameter NAME for its name."""
    parameters = {"NAME": {"description": "The VM's name.", "from": f"{system}-[a-z0-9]{{6}}"}}
    parameters = merge(parameters, data.get("parameters") or {})
    references = {
        key: {"kind": f"VirtualMachineCluster{key.capitalize()}", "name": data[key]}
        for key in ("instancetype", "preference")
        if data.get(key)
    }
    vm = merge({"metadata": {"name": "${NAME}"}, "spec": references}, data.get("vm") or {})
    listed = []
    for name, parameter in parameters.items():
        generated = {"generate": "expression"} if parameter.get("from") and not parameter.get("value") else {}
        listed.append({"name": name, **generated, **parameter})
    spec: dict[str, Any] = {"parameters": listed, "virtualMachine": vm}
    return spec | ({"message": data["message"]} if data.get("message") else {})


def _vms_of(composer: Composer, merged: Merged, template: Template) -> dict[str, Data]:
    """Return the VMs that a template makes with its own values and its sets.

    What the API server and the webhook refuse or warn of is reported, and so are sets that make no VM.
    """
    _spend(composer, merged)
    manifest = template.manifest()
    admission = admit_template(manifest, seed=_seed(template, ""))
    for cause in admission.causes:
        composer.report(merged, _declared(template, admission.at or cause.field), cause.message)
    for warning in admission.warnings:
        # What is required and has no value gets one of the sets, which are tried below.
        index = re.fullmatch(r"spec\.parameters\[(\d+)\]\.value", warning.field)
        if not template.tests or not index or template.spec["parameters"][int(index[1])].get("value"):
            composer.report(merged, _declared(template, warning.field), warning.message)
    vms = {} if admission.vm is None else {"": admission.vm}
    for name, values in template.tests.items():
        _spend(composer, merged)
        try:
            vms[name] = process(manifest, values or {}, seed=_seed(template, name)).vm
        except TemplateError as error:
            composer.report(merged, ("tests", name), str(error))
    return vms


def _spend(composer: Composer, merged: Merged) -> None:
    """Charge the making of a VM to the catalog's budget."""
    composer.sources.spend(merged.layers[-1].place, merged.layers[-1].path, _CHARACTERS)


def _declared(template: Template, field: str) -> FieldPath:
    """The declaration's path of a template's field."""
    if match := re.match(r"spec\.parameters\[(\d+)\]\.?(\w*)", field):
        name = template.spec["parameters"][int(match[1])]["name"]
        return ("parameters", name, match[2]) if match[2] and match[2] != "name" else ("parameters", name)
    if field.startswith("spec.virtualMachine."):
        return ("vm", *steps(field)[2:])
    return steps(field)[1:] if field.startswith("metadata.") else {"spec.message": ("message",)}.get(field, ("vm",))


def is_offered(template: Template, overlay: Overlay, entries: Entries, oldest: Version) -> bool:
    """Whether an environment has a template: a namespace for it, a KubeVirt that serves it, and what its VMs name."""
    release = parse_release(overlay.kubevirt) if overlay.kubevirt else oldest
    if not overlay.template_namespace or release < TEMPLATES_SINCE:
        return False
    middle = "" if overlay.scope == "namespaced" else "Cluster"
    for part in template.referring:
        entry: Entry = getattr(entries, f"{part}s")[getattr(template, part)]
        metadata = {"name": entry.name, "labels": entry.labels}
        if not overlay.includes({"kind": f"VirtualMachine{middle}{part.capitalize()}", "metadata": metadata}):
            return False
    return True


def template_vms(template: Template, overlays: Sequence[Overlay]) -> Iterator[VmTemplate]:
    """Yield the VMs of a template, for its own values and for its sets, in every environment that has it."""
    environments = [overlay for overlay in overlays if overlay.name in template.environments]
    for overlay in environments or (None,):
        for key, values in (("", {}), *template.tests.items()):
            if key in template.vms:  # with a required parameter, only its sets make one
                yield _vm(template, overlay, key, values or {}, _vm_in(overlay, template, key))


def _vm_in(overlay: Overlay | None, template: Template, key: str) -> Data:
    """A VM of a template, which in namespaced environments names the namespaced instance type and preference."""
    if overlay is None or overlay.scope != "namespaced":
        return template.vms[key]
    return process(template.manifest(overlay), template.tests.get(key) or {}, seed=_seed(template, key)).vm


def vm_keys(template: Template) -> Iterator[str]:
    """Yield the keys that VMs of a template can have."""
    for environment in template.environments or ("",):
        yield from (_key(template, key, environment) for key in ("", *template.tests))


def _key(template: Template, values: str, environment: str) -> str:
    return ".".join(part for part in ("templates", template.name, values, environment) if part)


def _seed(template: Template, key: str) -> int:
    """The seed of generated values: fixed, and different for every template and set."""
    return crc32(f"{template.name}.{key}".encode())


def _vm(template: Template, overlay: Overlay | None, key: str, values: Mapping[str, str], vm: Data) -> VmTemplate:
    environment = overlay.name if overlay else ""
    vm = {name: value for name, value in vm.items() if name != "status"}
    text = dump(vm)

    def field(path: str) -> Source:
        return template.declared(f"vm.{path}")

    return VmTemplate(
        key=_key(template, key, environment),
        name=vm["metadata"].get("name") or template.name,
        file=template.file,
        environment=environment,
        environments=(environment,) if environment else (),
        parameters=dict(values),
        manifest=vm,
        source=template.source,
        origin=Origin(text, field, lambda _place: template.source),
    )
