"""Every field of instance types and preferences is exercised by a case."""

import msgspec
import pytest
from device_preference_cases import CASES as DEVICE_CASES
from instancetype_cases import CASES as INSTANCETYPE_CASES
from preference_cases import CASES
from reading import read

from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec


def leaves(kind, path=""):
    """The paths of all fields below a type that hold no further fields."""
    if isinstance(kind, msgspec.inspect.UnionType):
        some = [member for member in kind.types if not isinstance(member, msgspec.inspect.NoneType)]
        return {leaf for member in some for leaf in leaves(member, path)}
    if isinstance(kind, msgspec.inspect.ListType):
        return leaves(kind.item_type, path)
    if isinstance(kind, msgspec.inspect.Metadata):
        return leaves(kind.type, path)
    if isinstance(kind, msgspec.inspect.StructType) and kind.fields:
        return {p for field in kind.fields for p in leaves(field.type, f"{path}.{field.encode_name}")}
    return {path}


def written(value, kinds, path=""):
    """The paths below `kinds` that plain data sets."""
    if isinstance(value, list):
        return {leaf for item in value for leaf in written(item, kinds, path)}
    if isinstance(value, dict) and path not in kinds:
        return {p for key, item in value.items() for p in written(item, kinds, f"{path}.{key}")}
    return {path}


@pytest.mark.parametrize(
    ("kind", "fragments"),
    [
        (VirtualMachinePreferenceSpec, [case.preference for case in [*DEVICE_CASES, *CASES]]),
        (VirtualMachineInstancetypeSpec, [case.instancetype for case in INSTANCETYPE_CASES]),
    ],
)
def test_every_field_has_a_case(kind, fragments):
    wanted = leaves(msgspec.inspect.type_info(kind))
    covered = {path for text in fragments for path in written(read(text), wanted)}
    required = {".cpu.guest", ".memory.guest"} if kind is VirtualMachineInstancetypeSpec else set()
    assert wanted - covered == required
