"""The tables of what stands for what name real fields, and all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from virtcatalog.adopt.rules import FIELDS, NOT_A_FIELD, SOURCES, decided, implied, preferred
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.object import Constant, Object
from virtcatalog.manifests.fields import EVERY

LEAVES_OF = ("clock", "cpu", "devices", "features", "firmware", "machine", "volumes")


def structs(annotation: Any) -> Iterator[type[Object | Constant]]:
    if isinstance(annotation, type) and issubclass(annotation, Object | Constant):
        yield annotation
    for argument in get_args(annotation):
        yield from structs(argument)


def child(kind: type[Object | Constant], name: str) -> Any:
    fields = {field.encode_name: field.name for field in msgspec.structs.fields(kind)}
    return get_type_hints(kind, include_extras=True)[fields[name]]


@pytest.mark.parametrize("pattern", sorted(FIELDS), ids=lambda pattern: ".".join(pattern))
def test_every_field_of_a_vm_exists(pattern):
    kind: type[Object | Constant] | None = VirtualMachine
    for step in pattern:
        if kind is None or step == EVERY:
            continue  # a key of a map of quantities, an item of a list
        kind = next(structs(child(kind, step)), None)


def test_every_field_of_a_preference_is_known():
    fields = set()
    for field in msgspec.structs.fields(VirtualMachinePreferenceSpec):
        if field.encode_name in LEAVES_OF:
            kind = next(structs(child(VirtualMachinePreferenceSpec, field.encode_name)))
            fields |= {f"{field.encode_name}.{below.encode_name}" for below in msgspec.structs.fields(kind)}
        else:
            fields.add(field.encode_name)
    assert fields == SOURCES


def test_every_field_of_an_instance_type_decides_something():
    spec = {
        "cpu": {"guest": 1, "model": "m", "dedicatedCPUPlacement": True, "isolateEmulatorThread": True, "numa": {}}
        | {"realtime": {}, "maxSockets": 1},
        "memory": {"guest": "1Gi", "hugepages": {}, "maxGuest": "1Gi"},
        "nodeSelector": {"a": "b"},
        "schedulerName": "s",
        "gpus": [{}],
        "hostDevices": [{}],
        "ioThreadsPolicy": "auto",
        "ioThreads": {"supplementalPoolThreadCount": 1},
        "launchSecurity": {},
        "annotations": {"key": "value"},
    }
    assert spec.keys() == set(VirtualMachineInstancetypeSpec.__struct_encode_fields__)
    sources = {source.partition("[")[0].split(".")[0] for source in decided(spec).values()}
    assert sources == spec.keys()


EVERY_TYPE = {
    "cpu": {
        "guest": 1,
        "model": "m",
        "dedicatedCPUPlacement": True,
        "isolateEmulatorThread": True,
        "numa": {"guestMappingPassthrough": {}},
        "realtime": {"mask": "0"},
        "maxSockets": 1,
    },
    "memory": {"guest": "1Gi", "hugepages": {"pageSize": "2Mi"}, "maxGuest": "1Gi", "overcommitPercent": 5},
    "nodeSelector": {"a": "b"},
    "schedulerName": "s",
    "gpus": [{}],
    "hostDevices": [{}],
    "ioThreadsPolicy": "auto",
    "ioThreads": {"supplementalPoolThreadCount": 1},
    "launchSecurity": {"sev": {}},
    "annotations": {"key": "value"},
}


def worded(rules):
    return sorted(f"{'.'.join(map(str, path))}: {source}" for path, source in rules.items())


def test_what_each_field_of_an_instance_type_stands_for(snapshot):
    assert worded(decided(EVERY_TYPE)) == snapshot(name="decided")
    assert worded(implied(EVERY_TYPE)) == snapshot(name="implied")


def test_what_each_field_of_a_preference_stands_for(snapshot):
    spec: dict[str, Any] = {"annotations": {"key": "value"}}
    for source in sorted(SOURCES - {"annotations"}):
        *above, name = source.split(".")
        part = spec
        for key in above:
            part = part.setdefault(key, {})
        if name not in part:
            part[name] = {} if any(other.startswith(f"{source}.") for other in SOURCES) else True
    assert worded(preferred(spec)) == snapshot


def test_only_what_is_set_counts():
    assert preferred({"devices": {"preferredDiskBus": ""}, "firmware": {"preferredUseEfi": False}}) == {}
    assert preferred({"devices": {"preferredAutoattachMemBalloon": False}}) != {}
    assert preferred({"preferredTerminationGracePeriodSeconds": 0}) != {}


def test_hotplug_follows_from_size():
    assert {path[-1] for path in implied({"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}})} == {
        "maxSockets",
        "maxGuest",
    }


def test_what_is_no_field_is_declared_so():
    assert SOURCES >= NOT_A_FIELD
