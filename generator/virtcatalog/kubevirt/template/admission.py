"""What the API server and the webhook refuse of a VirtualMachineTemplate, or warn of.

Source: virt-template, internal/webhook/v1beta1/virtualmachinetemplate_webhook.go, and the CRD that KubeVirt installs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import manifest_name
from virtcatalog.api.findings import Path, Rules, field_path, inspect
from virtcatalog.api.golang import unmarshal
from virtcatalog.api.govalues import GoError, as_json
from virtcatalog.api.kinds import type_of
from virtcatalog.api.names import metadata_faults
from virtcatalog.api.shape import Leaf, List, Map, Shape, Struct, struct_of
from virtcatalog.api.template import VirtualMachineTemplate
from virtcatalog.api.values import describe
from virtcatalog.errors import Cause, TemplateError, UnsupportedError, Warning
from virtcatalog.kubevirt.causes import invalid, not_supported, required
from virtcatalog.kubevirt.template.process import chance, check_references, process_checked


class Admission(NamedTuple):
    """Why a template is refused, nothing when it is not; and what is odd about it.

    `at` is the field to change, where it is another than the causes name. `vm` is what the template makes of
    its own values, None where it makes none.
    """

    causes: list[Cause]
    warnings: list[Warning]
    at: str = ""
    vm: dict[str, Any] | None = None


def admit_template(manifest: dict[str, Any], *, seed: int | None = None) -> Admission:
    """Return what the API server's schema and then the webhook say of a new template.

    The webhook makes a VM of it with the values that it has itself, unless a required parameter has none
    (ValidateTemplate). With a `seed`, those that are generated are the same ones each time.
    """
    if type_of(manifest) is not VirtualMachineTemplate:
        version = manifest.get("apiVersion")
        raise UnsupportedError(
            "apiVersion", f"{version!r} is no version of VirtualMachineTemplate that KubeVirt serves"
        )
    try:
        manifest = as_json(manifest)
    except GoError as error:
        return Admission([invalid(field_path(error.path), error.message)], [])
    causes = list(_schema_causes(manifest))
    if causes:
        return Admission(causes, [])
    template = unmarshal(manifest, VirtualMachineTemplate)
    warnings: list[Warning] = []
    processed = None
    try:
        warnings += check_references(template)
        without_value = [
            f"spec.parameters[{index}].value"
            for index, parameter in enumerate(template["spec"].get("parameters") or [])
            if parameter.get("required") and not parameter.get("value") and not parameter.get("generate")
        ]
        if without_value:
            message = "a required parameter without a value or generator: nobody checks the VM that the template makes"
            warnings += (Warning("Suspect", field, message) for field in without_value)
        else:
            processed = process_checked(template, chance(seed), ()).vm
    except TemplateError as error:
        return Admission(list(error.causes), _of(manifest, warnings), error.at)
    return Admission([], _of(manifest, warnings), vm=processed)


def _of(manifest: dict[str, Any], warnings: list[Warning]) -> list[Warning]:
    name = manifest_name(manifest)
    return [Warning(warning.type, warning.field, warning.message, name) for warning in warnings]


def _schema_causes(manifest: dict[str, Any]) -> Iterator[Cause]:
    """Say what the API server refuses before any webhook: unknown fields, its metadata, and the CRD's schema."""
    shape = struct_of(VirtualMachineTemplate)
    for path in _unknown(manifest, shape, ()):
        yield Cause("", field_path(path), "is no field of a VirtualMachineTemplate")
    metadata = manifest.get("metadata")
    for path, message in inspect(metadata or {}, ObjectMeta, Rules(prune=True))[1]:
        yield Cause("FieldValueTypeInvalid", field_path(("metadata", *path)), message)
    if isinstance(metadata, dict):
        for path, message in metadata_faults(metadata):
            yield invalid(field_path(path), message)
    if not isinstance(metadata, dict) or not (metadata.get("name") or metadata.get("generateName")):
        yield required("metadata.name", "is required")
    yield from _misfits(manifest, shape, ())


def _unknown(value: Any, shape: Shape, path: Path) -> Iterator[Path]:
    if isinstance(shape, List) and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(item, shape.item, (*path, index))
    elif isinstance(shape, Struct) and isinstance(value, dict):
        for key, item in value.items():
            field = shape.fields.get(key)
            if field is None:
                yield (*path, str(key))
            else:
                yield from _unknown(item, field.shape, (*path, key))


def _misfits(value: Any, shape: Shape, path: Path) -> Iterator[Cause]:
    """What the schema refuses; null, where nothing is required, is dropped before it is asked."""
    if path == ("metadata",):
        return
    if isinstance(shape, Struct) and isinstance(value, dict):
        for name, field in shape.fields.items():
            if value.get(name) is not None:
                yield from _misfits(value[name], field.shape, (*path, name))
            elif field.required:
                yield required(field_path((*path, name)), "is required")
    elif isinstance(shape, List) and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _misfits(item, shape.item, (*path, index))
    elif isinstance(shape, Leaf):
        yield from _misfit_leaf(value, shape, path)
    elif not (isinstance(shape, Map) and isinstance(value, dict)):
        wanted = "a list" if isinstance(shape, List) else "a map"
        yield Cause("FieldValueTypeInvalid", field_path(path), f"must be {wanted}, not {describe(value)}")


def _misfit_leaf(value: Any, leaf: Leaf, path: Path) -> Iterator[Cause]:
    field = field_path(path)
    if (isinstance(value, bool) and bool not in leaf.types) or not isinstance(value, leaf.types):
        wanted = {str: "a string", bool: "true or false"}.get(leaf.types[0], "an integer")
        yield Cause("FieldValueTypeInvalid", field, f"must be {wanted}, not {describe(value)}")
    elif leaf.choices and value not in leaf.choices:
        yield not_supported(field, f"{value!r} is none of {', '.join(leaf.choices)}")
    elif leaf.pattern and not re.search(leaf.pattern, str(value)):
        message = f"must hold an expression such as {leaf.examples[0]}, not {describe(value)}"
        yield invalid(field, message)
