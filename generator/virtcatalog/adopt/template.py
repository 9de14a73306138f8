"""A VirtualMachineTemplate whose VM takes an instance type and a preference in place of its own fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from virtcatalog.adopt.adopt import Adoption, adopt
from virtcatalog.adopt.candidates import Candidates
from virtcatalog.adopt.data import get, put, without
from virtcatalog.adopt.shrink import Names
from virtcatalog.api.findings import Path
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.kubevirt.template.process import chance, merged, parameter_values, process_read
from virtcatalog.kubevirt.template.substitute import references, texts

Template = dict[str, Any]


class AdoptedTemplate(NamedTuple):
    """The template afterwards, None when KubeVirt does not admit its VM with the pair; and the adoption of its VM.

    `dropped` are the parameters that were removed, as nothing refers to them any more.
    """

    template: Template | None
    adoption: Adoption
    dropped: tuple[str, ...] = ()


def adopt_in_template(template: Template, names: Names, candidates: Candidates) -> AdoptedTemplate:
    """Remove from a template's VM the fields that a pair sets; fields with references to parameters go with the others.

    The fields are those that `adopt` removes from the VM that the template makes with its own values; where a required
    value is missing, the parameter's name stands for it. The new template is processed and expanded, too:
    UnsupportedError if its VM has another spec.
    """
    values = _values(template)
    vm = _vm(template, values)
    adoption = adopt(vm, candidates, names)
    shrunk = adoption.shrunk
    if shrunk is None or shrunk.names != names:
        return AdoptedTemplate(None, adoption)
    vm_template = template["spec"]["virtualMachine"]
    gone = {field.path for field in shrunk.removed}
    smaller, _ = without(
        vm_template, gone, {path for path in _maps(vm_template) if isinstance(get(shrunk.manifest, path), dict)}
    )
    for path in (("spec", "instancetype"), ("spec", "preference"), *shrunk.added):
        if (value := get(shrunk.manifest, path)) is not None:
            smaller = put(smaller, path, value)
    spec = {**template["spec"], "virtualMachine": smaller}
    unused = _referred(template["spec"]) - _referred(spec)
    dropped = tuple(parameter["name"] for parameter in spec.get("parameters") or [] if parameter["name"] in unused)
    if dropped:
        spec["parameters"] = [parameter for parameter in spec["parameters"] if parameter["name"] not in dropped]
    adopted = {**template, "spec": spec}
    actual, wanted = (
        expand(manifest, candidates.cluster)
        for manifest in (_vm(adopted, {name: values[name] for name in values if name not in dropped}), shrunk.manifest)
    )
    if actual.vmi is None or wanted.vmi is None or actual.vmi["spec"] != wanted.vmi["spec"]:
        raise UnsupportedError("spec.virtualMachine", "what goes from this VM depends on the values of its parameters")
    return AdoptedTemplate(adopted, adoption, dropped)


def _values(template: Template) -> Mapping[str, str]:
    """The template's own values, generated ones too; a name for a required one that is missing."""
    parameters = [dict(parameter) for parameter in template["spec"].get("parameters") or []]
    for parameter in parameters:
        if parameter.get("required") and not parameter.get("value") and not parameter.get("generate"):
            parameter["value"] = parameter["name"].lower().replace("_", "-")
    return parameter_values(parameters, chance(0))[0]


def _vm(template: Template, values: Mapping[str, str]) -> dict[str, Any]:
    vm = process_read(merged(template, values), chance(0)).vm
    return {key: value for key, value in vm.items() if key != "status"}


def _referred(spec: dict[str, Any]) -> set[str]:
    all_texts = [*texts(spec["virtualMachine"]), spec.get("message", "")]
    return {name for text in all_texts for name in references(text)}


def _maps(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        yield path
    for step, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _maps(item, (*path, step))
