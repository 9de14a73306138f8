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
    """The template as it is afterwards, None when KubeVirt does not admit its VM with the pair; what it adopted.

    `dropped` are the parameters that nothing refers to any more: they are gone.
    """

    template: Template | None
    adoption: Adoption
    dropped: tuple[str, ...] = ()


def adopt_in_template(template: Template, names: Names, candidates: Candidates) -> AdoptedTemplate:
    """Take from a template's VM what a pair says; the fields that hold references go with the others.

    The VM that is asked is the one that the template makes with its own values; where a value is required and missing,
    the parameter's name stands for it. Proven by making it again: UnsupportedError if the domain is another one then.
    """
    values = _values(template)
    vm = _vm(template, values)
    adoption = adopt(vm, candidates, names)
    found = adoption.found
    if found is None or found.names != names:
        return AdoptedTemplate(None, adoption)
    inner = template["spec"]["virtualMachine"]
    gone = {each.path for each in found.removed}
    made, _ = without(inner, gone, {path for path in _maps(inner) if isinstance(get(found.manifest, path), dict)})
    for path in (("spec", "instancetype"), ("spec", "preference"), *found.added):
        if (value := get(found.manifest, path)) is not None:
            made = put(made, path, value)
    spec = {**template["spec"], "virtualMachine": made}
    unused = _referred(template["spec"]) - _referred(spec)
    dropped = tuple(parameter["name"] for parameter in spec.get("parameters") or [] if parameter["name"] in unused)
    if dropped:
        spec["parameters"] = [parameter for parameter in spec["parameters"] if parameter["name"] not in dropped]
    adopted = {**template, "spec": spec}
    again, wanted = (
        expand(each, candidates.cluster)
        for each in (_vm(adopted, {name: values[name] for name in values if name not in dropped}), found.manifest)
    )
    if again.vmi is None or wanted.vmi is None or again.vmi["spec"] != wanted.vmi["spec"]:
        raise UnsupportedError("spec.virtualMachine", "what goes from this VM depends on the values of its parameters")
    return AdoptedTemplate(adopted, adoption, dropped)


def _values(template: Template) -> Mapping[str, str]:
    """The template's own values, generated ones too; a name for what is required and has none."""
    parameters = [dict(parameter) for parameter in template["spec"].get("parameters") or []]
    for parameter in parameters:
        if parameter.get("required") and not parameter.get("value") and not parameter.get("generate"):
            parameter["value"] = parameter["name"].lower().replace("_", "-")
    return parameter_values(parameters, chance(0))[0]


def _vm(template: Template, values: Mapping[str, str]) -> dict[str, Any]:
    made = process_read(merged(template, values), chance(0)).vm
    return {key: each for key, each in made.items() if key != "status"}


def _referred(spec: dict[str, Any]) -> set[str]:
    found = [*texts(spec["virtualMachine"]), spec.get("message", "")]
    return {name for text in found for name in references(text)}


def _maps(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        yield path
    for step, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _maps(each, (*path, step))
