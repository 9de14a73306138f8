"""Fields of a preference that fill in one field of the VM: their types say which (`fills`).

Source: pkg/instancetype/preference/apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from operator import attrgetter
from typing import Any

import msgspec

from virtcatalog.api.decode import clone
from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.shape import Struct, struct_of
from virtcatalog.kubevirt.memo import memo

_UNCHANGING = (str, int)


class _Target(msgspec.Struct, frozen=True):
    """A field that is filled in: the attributes above it with their types, and its own."""

    above: tuple[tuple[str, type[msgspec.Struct]], ...]
    attribute: str
    owner: Callable[[Any], Any]
    """Gets what the attributes above lead to, None where the last of them is not there."""


def fill(preference: msgspec.Struct, vmi_spec: VirtualMachineInstanceSpec) -> None:
    """Fill in what the VM leaves out, for the fields of one part of a preference; missing parents are made."""
    say, targets, silence = _rules(type(preference))
    values = say(preference)
    if values == silence:
        return
    for target, value in zip(targets, values, strict=True):
        if value is None:
            continue
        owner = target.owner(vmi_spec)
        if owner is None:
            owner = _make(target, vmi_spec)
        current = getattr(owner, target.attribute)
        if current is None or (current.__class__ is str and not current):
            setattr(owner, target.attribute, value if isinstance(value, _UNCHANGING) else _copy(value))


def _make(target: _Target, vmi_spec: VirtualMachineInstanceSpec) -> Any:
    owner: Any = vmi_spec
    for attribute, kind in target.above:
        below = getattr(owner, attribute)
        if below is None:
            below = kind()
            setattr(owner, attribute, below)
        owner = below
    return owner


def _copy(value: Any) -> Any:
    return clone(value) if isinstance(value, msgspec.Struct) else deepcopy(value)


def filled_fields() -> dict[str, str]:
    """Return the field of a VMI's spec that each such field of a preference's spec fills in, both as dotted paths."""
    return dict(_filled(struct_of(VirtualMachinePreferenceSpec), ""))


def _filled(struct: Struct, path: str) -> Iterator[tuple[str, str]]:
    for name, field in struct.fields.items():
        if field.fills:
            yield path + name, field.fills
        elif isinstance(field.shape, Struct):
            yield from _filled(field.shape, f"{path}{name}.")


@memo
def _rules(
    kind: type[msgspec.Struct],
) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[_Target, ...], tuple[None, ...]]:
    """A getter of the fields' values, the fields that these fill in, and the values of an empty preference."""
    names, targets = [], []
    for field, declared in zip(msgspec.structs.fields(kind), struct_of(kind).fields.values(), strict=True):
        if declared.fills:
            assert field.default is None  # by another default it would not tell whether it is set
            *steps, last = declared.fills.split(".")
            above, shape = [], struct_of(VirtualMachineInstanceSpec)
            for step in steps:
                below = shape.fields[step].shape
                assert isinstance(below, Struct)
                above.append((_attribute(shape, step), below.kind))
                shape = below
            names.append(field.name)
            owner = attrgetter(".".join(attribute for attribute, _ in above)) if above else _itself
            targets.append(_Target(tuple(above), _attribute(shape, last), owner))
    assert names[1:]  # of one name, attrgetter returns no tuple
    return attrgetter(*names), tuple(targets), (None,) * len(names)


def _itself(vmi_spec: Any) -> Any:
    return vmi_spec


def _attribute(struct: Struct, name: str) -> str:
    kind = struct.kind
    return kind.__struct_fields__[kind.__struct_encode_fields__.index(name)]
