"""The types agree with the facts: every field of KubeVirt v1.9.0's API, and Kubernetes' published schemas."""

from __future__ import annotations

import csv
import json
import pkgutil
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import msgspec
import msgspec.inspect as types
import pytest

from virtcatalog import api
from virtcatalog.api import (
    cdi,
    clock,
    configuration,
    core,
    devices,
    domainspec,
    hostdevices,
    instancetype,
    interfaces,
    kubevirt,
    migrations,
    scheduling,
    status,
    volumes,
)
from virtcatalog.api.corekinds import KUBERNETES
from virtcatalog.api.object import Constant, Object, Status

FACTS = Path(__file__).with_name("fields.tsv")
MODULES = {
    "v1": (kubevirt, domainspec, clock, devices, interfaces, volumes, status),
    "v1beta1": (instancetype, cdi),
    "k8s.io.api.core.v1": (core, scheduling),
    "k8s.io.apimachinery.pkg.apis.meta.v1": (core,),
}
# Options of subresources, and what statuses hold that the expander does not read.
NOT_CARRIED = {"AddVolumeOptions", "RemoveVolumeOptions", "FieldsV1", "Time"}
# Types that took the place of another with the same fields: the API has had those as long as what holds them.
OLDER = {
    ("v1.TLBFlush", "enabled"): "v1.0",
    ("v1.VirtualMachineInstanceResourceClaim", "name"): "v1.6",
    ("v1.VirtualMachineInstanceResourceClaim", "resourceClaimName"): "v1.6",
    ("v1.VirtualMachineInstanceResourceClaim", "resourceClaimTemplateName"): "v1.6",
}
# KubeVirt v1.9.0, pkg/util/openapi/openapi.go: every object must have a spec.
REQUIRED_AT_THE_TOP = {("v1.VirtualMachineInstancePreset", "spec")}


def rows() -> list[dict[str, str]]:
    with FACTS.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def type_of(name: str) -> type[msgspec.Struct] | None:
    group, _, short = name.rpartition(".")
    for module in MODULES.get(group, ()):
        kind = getattr(module, short, None)
        if kind is not None and kind.__module__ == module.__name__:
            return kind
    return None


@cache
def fields_of(kind: type[msgspec.Struct]) -> dict[str, types.Field]:
    return {field.encode_name: field for field in types.type_info(kind).fields}


def plain(info: types.Type) -> types.Type:
    """The type of a field's value, without `since` and None."""
    if isinstance(info, types.Metadata):
        return plain(info.type)
    if isinstance(info, types.UnionType):
        members = [member for member in info.types if not isinstance(member, types.NoneType)]
        if len(members) == 1:
            return plain(members[0])
    return info


def since_of(info: types.Type) -> str:
    return (info.extra or {}).get("since", "") if isinstance(info, types.Metadata) else ""


ROWS = rows()


def test_every_type_of_a_spec_is_carried() -> None:
    reachable = {row["type"] for row in ROWS if type_of(row["type"]) and not issubclass(type_of(row["type"]), Status)}
    named = {
        row["value"].strip("[]").removeprefix("map[").removesuffix("|null")
        for row in ROWS
        if row["type"] in reachable and row["field"] != "status"
    }
    types = {row["type"] for row in ROWS}
    missing = {name for name in named & types if type_of(name) is None and name.rpartition(".")[2] not in NOT_CARRIED}
    assert missing == {"k8s.io.apimachinery.pkg.api.resource.Quantity"} & missing


def test_every_field_is_there_with_its_facts() -> None:
    wrong = []
    for row in ROWS:
        kind = type_of(row["type"])
        if kind is None or row["field"] == "-":
            continue
        field = fields_of(kind).get(row["field"])
        if field is None:
            if not issubclass(kind, Status):
                wrong.append((row["type"], row["field"], "is missing"))
            continue
        since = OLDER.get((row["type"], row["field"]), row["since"])
        if (since_of(field.type) or "v1.0") != since:
            wrong.append((row["type"], row["field"], "since", since_of(field.type), since))
        wanted = row["required"] == "required" or (row["type"], row["field"]) in REQUIRED_AT_THE_TOP
        if issubclass(kind, Object | Constant) and field.required != wanted:
            wrong.append((row["type"], row["field"], "required", field.required))
        words = plain(field.type).values if isinstance(plain(field.type), types.LiteralType) else ()
        enum = sorted(filter(None, words))  # "" is none
        if issubclass(kind, Object | Constant) and "|".join(enum) != row["enum"]:
            wrong.append((row["type"], row["field"], "enum", enum, row["enum"]))
    assert wrong == []


VALUES = {
    "string": types.StrType,
    "boolean": types.BoolType,
    "integer:int32": types.IntType,
    "integer:int64": types.IntType,
    "string:date-time": types.StrType,
}


@pytest.mark.parametrize("value", sorted(VALUES))
def test_scalars_have_their_type(value: str) -> None:
    for row in ROWS:
        kind = type_of(row["type"])
        field = fields_of(kind).get(row["field"]) if kind else None
        if field is not None and row["value"] == value and not row["enum"]:
            assert isinstance(plain(field.type), VALUES[value]), row


def test_types_hold_nothing_that_the_api_lacks() -> None:
    fields_by_type: dict[str, set[str]] = {}
    for row in ROWS:
        fields_by_type.setdefault(row["type"], set()).add(row["field"])
    for name, names in fields_by_type.items():
        kind = type_of(name)
        if kind is not None and "-" not in names:
            assert set(fields_of(kind)) <= names, name


@cache
def kubernetes_definitions() -> dict[str, dict]:
    folder = files("kubernetes_validate") / "kubernetes-json-schema" / f"v{KUBERNETES}-local-strict"
    return json.loads((folder / "_definitions.json").read_bytes())["$defs"]


CORE = sorted(
    (
        kind
        for kind in vars(core).values()
        if isinstance(kind, type)
        and issubclass(kind, Object | Constant)
        and kind not in (Object, Constant, core.Resource)
    ),
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", CORE, ids=lambda kind: kind.__name__)
def test_kubernetes_types_agree_with_kubernetes(kind: type[Object]) -> None:
    definitions = kubernetes_definitions()
    prefixes = ("io.k8s.api.core.v1", "io.k8s.apimachinery.pkg.apis.meta.v1", "io.k8s.api.apps.v1")
    of_kind = [
        definitions[f"{prefix}.{kind.__name__}"] for prefix in prefixes if f"{prefix}.{kind.__name__}" in definitions
    ]
    assert of_kind, "Kubernetes has no such type"
    no_longer = {"selfLink"} if kind is core.ObjectMeta else set()
    assert set(fields_of(kind)) == set(of_kind[0]["properties"]) | no_longer


API = [import_module(f"{api.__name__}.{module.name}") for module in pkgutil.iter_modules(api.__path__)]
EVERY = {
    kind.__qualname__ + " of " + module.__name__: kind
    for module in API
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Object | Constant | Status) and kind.__module__ == module.__name__
}


def is_zero(value: object) -> bool:
    if isinstance(value, msgspec.Struct):
        return all(is_zero(getattr(value, field)) for field in value.__struct_fields__)
    return not value


@pytest.mark.parametrize("kind", EVERY.values(), ids=EVERY)
def test_a_field_that_is_not_written_has_gos_zero_value(kind: type[msgspec.Struct]) -> None:
    fields = msgspec.structs.fields(kind)
    defaults = {field.name: field.default for field in fields if field.default is not msgspec.NODEFAULT}
    defaults |= {
        field.name: field.default_factory() for field in fields if field.default_factory is not msgspec.NODEFAULT
    }
    assert {name: default for name, default in defaults.items() if not is_zero(default)} == {}


@pytest.mark.parametrize("kind", EVERY.values(), ids=EVERY)
def test_what_is_read_is_as_strict_and_as_fixed_as_what_it_builds_on(kind: type[msgspec.Struct]) -> None:
    config = kind.__struct_config__
    assert config.frozen is config.cache_hash is issubclass(kind, Constant)
    assert config.forbid_unknown_fields is not issubclass(kind, Status)
    assert (config.omit_defaults, config.gc) == (True, False)


def test_configuration_types_are_strict() -> None:
    kinds = {
        kind
        for module in (configuration, hostdevices, migrations)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Object | Constant)
    }
    assert len(kinds) > 40
    assert all(kind.__struct_config__.forbid_unknown_fields for kind in kinds)
