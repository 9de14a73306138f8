"""From which stage the leaves of a VMI are, by what the stages make of it."""

from __future__ import annotations

from itertools import product
from typing import Any

import msgspec
import pytest

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.shape import List, Struct, struct_of
from virtcatalog.ask.leaves import ABSENT, leaves
from virtcatalog.ask.origins import (
    OF_AUTHOR,
    OF_BOTH,
    OF_CONTROLLER,
    OF_INSTANCETYPE,
    OF_PREFERENCE,
    OF_VMI_WEBHOOK,
    Origins,
    Values,
)

CORES, MORE = {"cpu": {"cores": 2}}, {"cpu": {"cores": 3}}
NOTHING: dict[str, Any] = {}


def spec(domain: dict[str, Any] | None) -> VirtualMachineInstanceSpec | None:
    return None if domain is None else convert({"domain": {"devices": {}, **domain}}, VirtualMachineInstanceSpec)


def origins(written: dict[str, Any], *domains: dict[str, Any] | None) -> dict[str, int]:
    """Where the leaves of a domain are from, by what the stages make of it in the order of `Values`."""
    leaves_written = dict(leaves({"spec": {"domain": written}}, ["spec"]))
    values = Values(*map(spec, domains))
    built = Origins(lambda field: leaves_written.get(field, ABSENT))
    built.add("spec", to_manifest(values.final), {"domain": written}, values)
    return {field.removeprefix("spec.domain."): origin for field, origin in built.by_field.items()}


@pytest.mark.parametrize(
    ("written", "domains", "origin"),
    [
        (CORES, (CORES, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING), OF_AUTHOR),
        (NOTHING, (CORES, CORES, CORES, CORES, CORES, CORES, CORES), OF_CONTROLLER),
        (NOTHING, (CORES, CORES, NOTHING, CORES, CORES, CORES, CORES), OF_PREFERENCE),
        (NOTHING, (CORES, NOTHING, NOTHING, CORES, CORES, CORES, CORES), OF_CONTROLLER),
        (NOTHING, (CORES, NOTHING, NOTHING, CORES, NOTHING, CORES, CORES), OF_INSTANCETYPE),
        (NOTHING, (CORES, NOTHING, NOTHING, CORES, CORES, MORE, NOTHING), OF_PREFERENCE),
        (NOTHING, (CORES, NOTHING, NOTHING, CORES, MORE, MORE, NOTHING), OF_BOTH),
        (NOTHING, (CORES, NOTHING, NOTHING, CORES, CORES, CORES, NOTHING), OF_BOTH),
        (NOTHING, (CORES, NOTHING, NOTHING, CORES, None, CORES, CORES), OF_INSTANCETYPE),
        (NOTHING, (CORES, NOTHING, None, CORES, CORES, None, None), OF_PREFERENCE),
        (NOTHING, (CORES, NOTHING, NOTHING, MORE, NOTHING, NOTHING, NOTHING), OF_VMI_WEBHOOK),
        (MORE, (CORES, MORE, MORE, MORE, MORE, MORE, MORE), OF_VMI_WEBHOOK),
        ({"cpu": None}, (CORES, NOTHING, NOTHING, CORES, NOTHING, CORES, CORES), OF_INSTANCETYPE),
    ],
)
def test_a_leaf_is_from_the_first_stage_that_gave_it_its_value_and_from_what_that_needed(written, domains, origin):
    assert origins(written, *domains)["cpu.cores"] == origin


@pytest.mark.parametrize(
    "part",
    [
        {"cpu": {"cores": 1, "model": "x"}},
        {"memory": {"guest": "1Gi"}},
        {"devices": {"disks": [{"name": "a", "disk": {"bus": "sata"}}, {"name": "b"}], "rng": {}}},
        {"resources": {"requests": {"cpu": "1"}}},
        {"features": {"acpi": {}, "hyperv": {"vapic": {"enabled": False}}}},
    ],
)
def test_every_leaf_is_compared_for_itself(part):
    """Where one stage makes all of a part, half of it or nothing, each leaf is as if it were alone."""
    half = {
        "cpu": {"cores": 1},
        "memory": {"maxGuest": "1Gi"},
        "devices": {"disks": [{"name": "a"}, {"name": "c"}]},
        "features": {"hyperv": {}},
    }
    for stages in product((part, half, NOTHING), repeat=4):
        mutated, started, typeless, neither = stages
        domains = part, mutated, mutated, started, typeless, started, neither
        flat = [dict(leaves({"spec": to_manifest(spec(domain))}, ["spec"])) for domain in domains]
        origin_of = origins(NOTHING, *domains)
        for field, value in flat[0].items():
            values = [leaves_of.get(field, ABSENT) for leaves_of in flat]
            assert origin_of[field.removeprefix("spec.domain.")] == alone(value, *values[1:]), (field, stages)


def alone(final, mutated, without_preference, started, typeless, bare, neither):
    if final == mutated:
        return OF_PREFERENCE if mutated != without_preference else OF_CONTROLLER
    if final != started:
        return OF_VMI_WEBHOOK
    by_one = (typeless != started) * OF_INSTANCETYPE + (bare != started) * OF_PREFERENCE
    return by_one or (OF_BOTH if neither != started else OF_CONTROLLER)


def test_equal_amounts_in_other_words_are_not_the_same():
    gib, mib = {"memory": {"guest": "1Gi"}}, {"memory": {"guest": "1073741824"}}
    domains = gib, mib, mib, mib, mib, mib, mib
    assert origins(mib, *domains)["memory.guest"] == OF_VMI_WEBHOOK


def test_an_amount_that_a_type_always_writes_is_the_authors_where_the_rest_is():
    disk = {"hostDisk": {"path": "/disk", "type": "Disk"}, "name": "a"}
    read = convert({"domain": {"devices": {}}, "volumes": [disk]}, VirtualMachineInstanceSpec)
    leaves_written = dict(leaves({"spec": to_manifest(read)}, ["spec"]))
    built = Origins(lambda field: leaves_written.get(field, ABSENT))
    built.add("spec", to_manifest(read), {"volumes": [disk]}, [read] * 7)
    assert {field for field, origin in built.by_field.items() if origin == OF_AUTHOR} == {
        "spec.volumes[0].name",
        "spec.volumes[0].hostDisk.path",
        "spec.volumes[0].hostDisk.type",
        "spec.volumes[0].hostDisk.capacity",
    }


def test_keys_of_authors_are_written_as_the_api_does():
    labels = {"app": "web", "example.org/tier": "front"}
    meta = ObjectMeta(name="a", labels=labels, finalizers=["x", "y"])
    built = Origins(lambda _field: ABSENT)
    values = [meta, ObjectMeta(name="a", finalizers=["x"]), None, meta, meta, meta, meta]
    built.add("metadata", to_manifest(meta), {"labels": {"app": "web"}}, values)
    assert built.by_field == {
        "metadata.name": OF_PREFERENCE,
        "metadata.labels.app": OF_AUTHOR,
        "metadata.labels[example.org/tier]": OF_CONTROLLER,
        "metadata.finalizers[0]": OF_PREFERENCE,
        "metadata.finalizers[1]": OF_CONTROLLER,
    }


def test_types_of_a_vmi_write_out_by_themselves_only_amounts_and_parts():
    """What the API writes out by itself is known: empty maps and amounts (`Origins`, `leaves.drop_defaults`)."""
    written_out = set()

    def look(struct: Struct, path: str, above: frozenset[type]) -> None:
        for (name, field), attribute in zip(struct.fields.items(), msgspec.structs.fields(struct.kind), strict=True):
            shape = field.shape
            while isinstance(shape, List):
                shape = shape.item
            default = attribute.default_factory
            if default not in (msgspec.NODEFAULT, list, dict, Quantity) and not isinstance(field.shape, Struct):
                written_out.add(f"{path}{name}")
            if isinstance(shape, Struct) and shape.kind not in above:
                look(shape, f"{path}{name}.", above | {shape.kind})

    look(struct_of(VirtualMachineInstance).fields["spec"].shape, "", frozenset())
    assert written_out == {"domain.machine.type"}  # which the webhook of VMs always sets
