"""Fields of a preference that fill in one field of the VM: their types say which (`fills`).

Source: pkg/instancetype/preference/apply.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import msgspec

from virtcatalog.api.decode import clone
from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.shape import Struct, struct_of

_Parents = tuple[tuple[str, type[msgspec.Struct]], ...]


def fill(preference: msgspec.Struct, vmi_spec: VirtualMachineInstanceSpec) -> None:
    """Fill in what the VM leaves out, for the fields of one part of a preference; missing parents are made."""
    for name, silence, parents, last in _rules(type(preference)):
        value = getattr(preference, name)
        if value == silence:
            continue
        target: Any = vmi_spec
        for attribute, kind in parents:
            below = getattr(target, attribute)
            if below is None:
                below = kind()
                setattr(target, attribute, below)
            target = below
        if getattr(target, last) in (None, ""):
            setattr(target, last, clone(value) if isinstance(value, msgspec.Struct) else deepcopy(value))


def filled_fields() -> dict[str, str]:
    """Return the field of a VMI's spec that each such field of a preference's spec fills in, both as dotted paths."""
    return dict(_filled(struct_of(VirtualMachinePreferenceSpec), ""))


def _filled(struct: Struct, path: str) -> Iterator[tuple[str, str]]:
    for name, field in struct.fields.items():
        if field.fills:
            yield path + name, field.fills
        elif isinstance(field.shape, Struct):
            yield from _filled(field.shape, f"{path}{name}.")


@cache
def _rules(kind: type[msgspec.Struct]) -> tuple[tuple[str, Any, _Parents, str], ...]:
    """Attribute, what it holds while it says nothing, the attributes above the one that it fills in, and that one."""
    rules = []
    for field, declared in zip(msgspec.structs.fields(kind), struct_of(kind).fields.values(), strict=True):
        if declared.fills:
            *above, last = declared.fills.split(".")
            parents, shape = [], struct_of(VirtualMachineInstanceSpec)
            for step in above:
                below = shape.fields[step].shape
                assert isinstance(below, Struct)
                parents.append((_attribute(shape, step), below.kind))
                shape = below
            rules.append((field.name, field.default, tuple(parents), _attribute(shape, last)))
    return tuple(rules)


def _attribute(struct: Struct, name: str) -> str:
    kind = struct.kind
    return kind.__struct_fields__[kind.__struct_encode_fields__.index(name)]
