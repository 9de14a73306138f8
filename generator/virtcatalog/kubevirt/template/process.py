"""A VirtualMachine made of a VirtualMachineTemplate and values for its parameters.

Source: virt-template-engine, template/parameters.go, template.go, processor.go; pkg/virtctl/template/process.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random, SystemRandom
from typing import Any, Final

import msgspec

from virtcatalog.api.findings import field_path
from virtcatalog.api.golang import from_unstructured, unmarshal
from virtcatalog.api.govalues import GoError, as_floats, as_json, characters
from virtcatalog.api.kinds import TEMPLATE, TEMPLATE_API_VERSION
from virtcatalog.api.template import VirtualMachineTemplate
from virtcatalog.api.values import describe
from virtcatalog.api.vmstatus import FullVirtualMachine
from virtcatalog.errors import Cause, ManifestError, Problem, TemplateError, Warning, nearest
from virtcatalog.kubevirt.causes import duplicate, invalid, required
from virtcatalog.kubevirt.template.substitute import REFERENCE, Substitution, generate, references, texts
from virtcatalog.manifests.identity import without_metadata

_VM: Final = "spec.virtualMachine"
_SHOWN: Final = 5
_METADATA: Final = ("name", "namespace", "labels", "annotations")


class Processed(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a template: the VM's manifest as KubeVirt writes it, and the message to its user.

    `generated` are the values that were made for parameters without one.
    """

    vm: dict[str, Any]
    message: str = ""
    warnings: tuple[Warning, ...] = ()
    generated: Mapping[str, str] = {}


def process(
    template_manifest: dict[str, Any], parameters: Mapping[str, str] | None = None, *, seed: int | None = None
) -> Processed:
    """Return the VM that a VirtualMachineTemplate makes with values for its parameters, as `virtctl template process`.

    A parameter without a value gets one of its generator: from the system's source of randomness, or the same ones
    again with a `seed`. Raises TemplateError with KubeVirt's causes, ManifestError for what is no template.
    """
    try:
        template = unmarshal(as_json(template_manifest), VirtualMachineTemplate)
    except GoError as error:
        raise ManifestError(Problem(field=field_path(error.path), message=error.message)) from None
    values = {characters(name): characters(value) for name, value in (parameters or {}).items()}
    return process_read(merged(template, values), chance(seed))


def chance(seed: int | None) -> Random:
    """Return the source of generated values: a safe one, or with a seed one that repeats itself."""
    return SystemRandom() if seed is None else Random(seed)  # noqa: S311 - whoever gives a seed wants no secret


def merged(template: dict[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """Return a template that was read, with other values for some of its parameters (MergeParameters)."""
    spec = template["spec"]
    parameters = [dict(parameter) for parameter in spec.get("parameters") or []]
    names = [parameter["name"] for parameter in parameters]
    unknown = [name for name in values if name not in names]
    if unknown:
        raise TemplateError(*(Cause("", "spec.parameters", _unknown(name, names)) for name in sorted(unknown)))
    for name, value in values.items():
        parameters[names.index(name)]["value"] = value
    return {**template, "spec": {**spec, "parameters": parameters}}


def _unknown(name: str, names: list[str]) -> str:
    listed = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    there = f"it has {listed}" if names else "it has none"
    return f"the template has no parameter {name!r}{nearest(name, names) or f': {there}'}"


def process_read(template: dict[str, Any], random: Random) -> Processed:
    """Process a template that was read; see `process`."""
    return process_checked(template, random, check_references(template))


def process_checked(template: dict[str, Any], random: Random, warnings: tuple[Warning, ...]) -> Processed:
    """Process a template of which `check_references` has said no more than these warnings."""
    spec = template["spec"]
    values, generated = parameter_values(spec.get("parameters") or [], random)
    substitution = Substitution(values)
    vm = spec["virtualMachine"]
    metadata = vm.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    if isinstance(metadata, dict) and isinstance(namespace, str) and not REFERENCE.search(namespace):
        vm = without_metadata(vm, "namespace")
    try:
        substituted = substitution.in_object(as_floats(vm))
    except ValueError as error:
        raise TemplateError(invalid("spec.parameters", str(error)), at=_VM) from None
    return Processed(
        vm=_converted(substituted),
        message=substitution.in_text(spec.get("message", "")),
        warnings=warnings,
        generated=generated,
    )


def check_references(template: dict[str, Any]) -> tuple[Warning, ...]:
    """Warn of parameters that nothing refers to; TemplateError for references to none (ValidateParameterReferences)."""
    vm, spec = vm_object(template), template["spec"]
    in_vm = {name for text in texts(vm) for name in references(text)}
    referenced = in_vm | set(references(spec.get("message", "")))
    parameters = spec.get("parameters") or []
    defined = {parameter["name"]: index for index, parameter in enumerate(parameters)}
    undefined = sorted(referenced - defined.keys())
    if undefined:
        causes = [
            invalid(
                _VM,
                f"refers to the parameter {name}, which is not defined{nearest(name, defined)}",
            )
            for name in undefined
        ]
        raise TemplateError(*causes, at="" if in_vm & set(undefined) else "spec.message")
    unused = [
        Warning("Suspect", f"spec.parameters[{index}].name", f"{name} is defined but nothing refers to it")
        for name, index in defined.items()
        if name not in referenced
    ]
    return (*unused, *_nested(parameters, defined))


def _nested(parameters: list[dict[str, Any]], defined: Mapping[str, int]) -> list[Warning]:
    """Warn of values that refer to parameters themselves, perhaps in a circle: nothing replaces that."""
    refers = {
        parameter["name"]: [name for name in references(parameter.get("value", "")) if name in defined]
        for parameter in parameters
    }
    warnings = []
    for index, parameter in enumerate(parameters):
        for name in dict.fromkeys(refers[parameter["name"]]):
            circle = parameter["name"] in refers[name]
            message = f"refers to {name}, and a value is put in as it is: write what it means"
            message += f"; {name} refers to {parameter['name']} in turn" if circle and name != parameter["name"] else ""
            warnings.append(Warning("Suspect", f"spec.parameters[{index}].value", message))
    return warnings


def vm_object(template: dict[str, Any]) -> dict[str, Any]:
    """Return the VM of a template that was read (getVirtualMachineObject)."""
    vm = template["spec"]["virtualMachine"]
    if vm is None:
        raise TemplateError(invalid(_VM, "is required: the VirtualMachine to make"))
    if not isinstance(vm, dict):
        raise TemplateError(invalid(f"{_VM}.raw", f"must be a map, not {describe(vm)}"), at=_VM)
    try:
        as_floats(vm)
    except OverflowError:
        message = "holds a number that is too large for JSON"
        raise TemplateError(invalid(f"{_VM}.raw", message), at=_VM) from None
    return vm


def parameter_values(parameters: list[dict[str, Any]], random: Random) -> tuple[dict[str, str], dict[str, str]]:
    """Return the value of every parameter, and those among them that were generated (generateParameterValues)."""
    values: dict[str, str] = {}
    generated: dict[str, str] = {}
    for index, parameter in enumerate(parameters):
        path, name, value = f"spec.parameters[{index}]", parameter["name"], parameter.get("value", "")
        if not name:
            raise TemplateError(invalid(f"{path}.name", "is required: a parameter has a name"))
        if name in values:
            raise TemplateError(duplicate(f"{path}.name", f"{name!r} is the name of another parameter"))
        if not value and parameter.get("generate"):
            value = generated[name] = _generated(parameter, path, random)
        if not value and parameter.get("required"):
            message = f"is required: give the parameter a value with {name}=…"
            raise TemplateError(required(f"{path}.value", message))
        values[name] = value
    return values, generated


def _generated(parameter: dict[str, Any], path: str, random: Random) -> str:
    generator, source = parameter["generate"], parameter.get("from", "")
    if generator != "expression":
        message = f"{generator!r} is no generator; the only one is 'expression'"
        raise TemplateError(invalid(f"{path}.generate", message))
    if not source:
        message = "is required: what to generate, such as vm-[a-z0-9]{5}"
        raise TemplateError(invalid(f"{path}.from", message))
    try:
        return generate(source, random)
    except ValueError as error:
        raise TemplateError(invalid(f"{path}.from", str(error))) from None


def _converted(vm: dict[str, Any]) -> dict[str, Any]:
    """The VM as KubeVirt's type has it (FromUnstructuredWithValidation), with its own kind whatever it said."""
    try:
        read = from_unstructured(vm, FullVirtualMachine)
    except GoError as error:
        where = field_path(error.path)
        raise _invalid_vm(f"makes no VirtualMachine: {error}", where) from None
    if read.unknown:
        fields = ", ".join(read.unknown)
        raise _invalid_vm(f"makes no VirtualMachine: it has no field {fields}", read.unknown[0])
    machine: dict[str, Any] = as_written({**read.data, "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"})
    return machine


def _invalid_vm(message: str, field: str) -> TemplateError:
    return TemplateError(invalid(_VM, message), at=f"{_VM}.{field}" if field else _VM)


def as_written(value: Any) -> Any:
    """Plain data as Go's YAML and JSON have it: keys in their order, whole numbers without a fraction."""
    if isinstance(value, dict):
        return {key: as_written(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return list(map(as_written, value))
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e21 else value


def convert_template(template: dict[str, Any]) -> dict[str, Any]:
    """Return the VirtualMachineTemplate of an OpenShift Template that was read: its one object is the VM.

    Source: pkg/virtctl/template/convert/convert.go.
    """
    objects = template.get("objects") or []
    if len(objects) != 1:
        message = f"a template for VMs holds one object, and this one holds {len(objects)}"
        raise TemplateError(Cause("", "objects", message))
    metadata = {key: template["metadata"][key] for key in _METADATA if key in template["metadata"]}
    spec = {key: template[key] for key in ("message", "parameters") if key in template}
    converted: dict[str, Any] = as_written(
        {
            "apiVersion": TEMPLATE_API_VERSION,
            "kind": TEMPLATE,
            **({"metadata": metadata} if metadata else {}),
            "spec": {**spec, "virtualMachine": objects[0]},
        }
    )
    return converted
