"""What is wrong with a manifest: everything in it that its type would not take.

`decode` asks here only when the strict, fast conversion fails. Along the way the data is made what the API server
would see: a field that is `null` counts as absent (apiextensions-apiserver prunes it), a whole float as an integer.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import Any, Final

import msgspec.inspect as types

from virtcatalog.api.kinds import KINDS, kind_type, unserved
from virtcatalog.api.quantity import Quantity

Path = tuple[str | int, ...]
Findings = list[tuple[Path, str]]

DEEPEST: Final = 200

_NAMES: Final = {
    types.StrType: "a string",
    types.IntType: "an integer",
    types.FloatType: "a number",
    types.BoolType: "true or false",
    types.LiteralType: "a string",
    types.StructType: "a map",
    types.DictType: "a map",
    types.ListType: "a list",
    types.VarTupleType: "a list",
    types.CustomType: "a quantity",
}
_SCALARS: Final = {
    types.StrType: str,
    types.BoolType: bool,
    types.StructType: dict,
    types.DictType: dict,
    types.ListType: list,
    types.VarTupleType: list,
}
_GO_ZERO: Final = {types.StrType: "", types.IntType: 0}


def field_path(path: Path) -> str:
    """Write a path as the API does: `spec.disks[0].name`, `metadata.labels[example.org/x]`."""
    text = ""
    for step in path:
        if isinstance(step, int) or not step.replace("-", "").replace("_", "").isalnum():
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def inspect_kind(obj: Any, kind: type | None = None) -> Findings:
    """Find out whether `obj` says that it is a `kind`, or any kind when None."""
    if not isinstance(obj, dict):
        return [((), f"a manifest is a map, not {describe(obj)}")]
    found: Findings = []
    names: dict[str, str] = {}
    for key in ("apiVersion", "kind"):
        value = obj.get(key)
        if isinstance(value, str) and value:
            names[key] = value
        elif kind is None or value is not None:
            found.append(((key,), "is required" if value in (None, "") else f"must be a string, not {describe(value)}"))
    if found or len(names) < 2:
        return found
    version = unserved(names["apiVersion"], names["kind"])
    if version:
        return [(("apiVersion",), f"{names['apiVersion']} of {names['kind']} is not served; use {version}")]
    if kind and kind is not kind_type(names["apiVersion"], names["kind"]):
        wanted = next((f"{kind.__name__} of {version}" for version, kinds in KINDS.items() if kind in kinds), "")
        if wanted:
            return [(("kind",), f"a {wanted} is wanted, not a {names['kind']} of {names['apiVersion']}")]
    return []


def inspect(obj: Any, kind: type) -> tuple[Any, Findings]:
    """Return `obj` as its kind's API would see it, and everything that the API would not take."""
    found: Findings = []
    return _walk(obj, _type_info(kind), (), found), found


def fill_gaps(obj: Any, kind: type) -> Any:
    """Return a copy of `obj` with the strings and numbers that it should have and has not, as Go reads them: "" and 0.

    What is no text or number at all, and what has to be one of a few words, stays missing.
    """
    return _fill(obj, _type_info(kind))


def _fill(value: Any, info: types.Type) -> Any:
    while isinstance(info, types.Metadata | types.UnionType):
        info = info.type if isinstance(info, types.Metadata) else info.types[0]
    if isinstance(info, types.ListType) and isinstance(value, list):
        return [_fill(item, info.item_type) for item in value]
    if not isinstance(info, types.StructType) or not isinstance(value, dict):
        return value
    filled = dict(value)
    for field in info.fields:
        kind = field.type.type if isinstance(field.type, types.Metadata) else field.type
        if filled.get(field.encode_name) is not None:
            filled[field.encode_name] = _fill(filled[field.encode_name], field.type)
        elif field.required and type(kind) in _GO_ZERO:
            filled[field.encode_name] = _GO_ZERO[type(kind)]
    return filled


@cache
def _type_info(kind: type) -> types.Type:
    return types.type_info(kind)


def _walk(value: Any, info: types.Type, path: Path, found: Findings) -> Any:
    while isinstance(info, types.Metadata):
        info = info.type
    if len(path) > DEEPEST:
        found.append((path[:5], f"is nested more than {DEEPEST} levels deep"))
        return None
    if isinstance(info, types.AnyType):
        return value
    if isinstance(info, types.UnionType):
        return _walk_union(value, info, path, found)
    if isinstance(info, types.StructType) and isinstance(value, dict):
        return _walk_struct(value, info, path, found)
    if isinstance(info, types.DictType) and isinstance(value, dict):
        return _walk_map(value, info, path, found)
    if isinstance(info, types.ListType | types.VarTupleType) and isinstance(value, list):
        return [_walk_item(item, info.item_type, (*path, index), found) for index, item in enumerate(value)]
    return _walk_scalar(value, info, path, found)


def _walk_union(value: Any, info: types.UnionType, path: Path, found: Findings) -> Any:
    members = [member for member in info.types if not isinstance(member, types.NoneType)]
    if len(members) == 1:
        return _walk(value, members[0], path, found)
    value = _whole(value)
    if isinstance(value, int | str) and not isinstance(value, bool):
        return value
    found.append((path, f"must be an integer or a string, not {describe(value)}"))
    return None


def _walk_struct(value: dict[Any, Any], info: types.StructType, path: Path, found: Findings) -> dict[str, Any]:
    fields = {field.encode_name: field for field in info.fields}
    tidied = {}
    for key, item in value.items():
        field = fields.get(key)
        if field is not None:
            if item is not None:
                tidied[key] = _walk(item, field.type, (*path, key), found)
        elif info.forbid_unknown_fields:
            found.append(((*path, str(key)), unknown_field(str(key), list(fields))))
    for name, field in fields.items():
        if field.required and value.get(name) is None:
            found.append(((*path, name), "is required"))
    return tidied


def _walk_map(value: dict[Any, Any], info: types.DictType, path: Path, found: Findings) -> dict[str, Any]:
    tidied = {}
    for key, item in value.items():
        if not isinstance(key, str):
            found.append(((*path, str(key)), f"a key must be a string, not {describe(key)}"))
        elif item is not None:
            tidied[key] = _walk(item, info.value_type, (*path, key), found)
    return tidied


def _walk_item(value: Any, info: types.Type, path: Path, found: Findings) -> Any:
    if value is None:
        found.append((path, "an item of a list cannot be null"))
        return None
    return _walk(value, info, path, found)


def _walk_scalar(value: Any, info: types.Type, path: Path, found: Findings) -> Any:
    message = ""
    if isinstance(info, types.CustomType):
        message = _check_quantity(value)
    elif isinstance(info, types.IntType):
        value = _whole(value)
        message = _check_integer(value, info)
    elif isinstance(info, types.LiteralType):
        message = _check_enum(value, [str(choice) for choice in info.values])
    elif isinstance(info, types.FloatType):
        message = "" if isinstance(value, int | float) and not isinstance(value, bool) else _expected(value, info)
    elif not isinstance(value, _SCALARS[type(info)]):
        message = _expected(value, info)
    if message:
        found.append((path, message))
    return value


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check_quantity(value: Any) -> str:
    try:
        Quantity.parse(value)
    except ValueError as error:
        return (
            str(error)
            if isinstance(value, str)
            else f"must be a quantity such as 2, 500m or 1Gi, not {describe(value)}"
        )
    return ""


def _check_integer(value: Any, info: types.IntType) -> str:
    if not isinstance(value, int) or isinstance(value, bool):
        return _expected(value, info)
    if (info.ge is not None and value < info.ge) or (info.le is not None and value > info.le) or value >= 2**64:
        highest = 2**64 - 1 if info.le is None else info.le
        return f"{value} is out of range: it must be from {info.ge} to {highest}"
    return ""


def _check_enum(value: Any, choices: list[str]) -> str:
    if isinstance(value, str) and value in choices:
        return ""
    allowed = ", ".join(sorted(choices))
    return (
        f"{describe(value)} is not one of {allowed}"
        if isinstance(value, str)
        else (f"must be one of {allowed}, not {describe(value)}")
    )


def _expected(value: Any, info: types.Type) -> str:
    message = f"must be {_NAMES[type(info)]}, not {describe(value)}"
    if isinstance(info, types.StrType):
        if isinstance(value, bool):
            return f"{message}: quote it (YAML reads bare yes, no, on, off, true and false as booleans)"
        if isinstance(value, int | float):
            return f"{message}: quote it"
    elif isinstance(value, str):
        if isinstance(info, types.BoolType) and value.lower() in {"true", "false", "yes", "no", "on", "off"}:
            return f"{message}: leave the quotes out"
        if isinstance(info, types.IntType) and value.strip().lstrip("+-").isdecimal():
            return f"{message}: leave the quotes out"
    return message


def unknown_field(key: str, known: list[str]) -> str:
    """Say that a key is unknown, and which known one it may stand for."""
    lower = {name.lower(): name for name in known}
    near = get_close_matches(key.lower(), lower, n=1, cutoff=0.6)
    return f"is not a field here; did you mean {lower[near[0]]}?" if near else "is not a field here"


def describe(value: Any) -> str:
    """Name a value in a message: its type, and itself when it is short."""
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, str):
        return f"the string {value[:60]!r}"
    return f"the number {str(value)[:60]}"
