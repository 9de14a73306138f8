"""`virtctl create instancetype` and `virtctl create preference`: specs and manifests from flags."""

from __future__ import annotations

from typing import Any

import msgspec

from virtcatalog.api.kinds import CATALOG_API_VERSION
from virtcatalog.create import params
from virtcatalog.create.options import FlagError, random_name
from virtcatalog.create.vm import sorted_keys
from virtcatalog.errors import nearest_or_all
from virtcatalog.kubevirt.preference.topology import TOPOLOGIES

_DEVICE = {"name": str, "devicename": str}
_POLICIES = ("auto", "shared")


class TypeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What both commands take. An object in a namespace is of the namespaced kind."""

    name: str = ""
    namespace: str = ""
    namespaced: bool = False


class InstancetypeOptions(TypeOptions, frozen=True, kw_only=True):
    """The flags of `virtctl create instancetype`. Source: pkg/virtctl/create/instancetype/instancetype.go."""

    cpu: int
    memory: str
    gpu: tuple[str, ...] = ()
    hostdevice: tuple[str, ...] = ()
    iothreadspolicy: str | None = None


class PreferenceOptions(TypeOptions, frozen=True, kw_only=True):
    """The flags of `virtctl create preference`. Source: pkg/virtctl/create/preference/preference.go."""

    cpu_topology: str | None = None
    machine_type: str | None = None
    volume_storage_class: str | None = None


def instancetype_spec(options: InstancetypeOptions) -> dict[str, Any]:
    """Return the spec of an instance type; FlagError for the first flag that cannot be used."""
    memory = params.memory(options.memory)
    if options.cpu < 1:
        raise FlagError("cpu", "must be more than 0")
    spec: dict[str, Any] = {"cpu": {"guest": options.cpu}, "memory": {"guest": memory}}
    for field, flag, texts in (("gpus", "gpu", options.gpu), ("hostDevices", "hostdevice", options.hostdevice)):
        if texts:
            spec[field] = [_device(flag, text) for text in texts]
    if options.iothreadspolicy is not None:
        if options.iothreadspolicy not in _POLICIES:
            raise FlagError(
                "iothreadspolicy", f"there is no {options.iothreadspolicy!r}, only {' and '.join(_POLICIES)}"
            )
        spec["ioThreadsPolicy"] = options.iothreadspolicy
    return spec


def _device(flag: str, text: str) -> dict[str, str]:
    parameters = params.read(flag, text, _DEVICE)
    for name in _DEVICE:
        if not parameters.get(name):
            raise FlagError(flag, f"{name} is missing")
    return {"name": parameters["name"], "deviceName": parameters["devicename"]}


def preference_spec(options: PreferenceOptions) -> dict[str, Any]:
    """Return the spec of a preference; FlagError for a topology that there is not."""
    spec: dict[str, Any] = {}
    topology = options.cpu_topology
    if topology is not None:
        if topology not in TOPOLOGIES:
            hint = nearest_or_all(topology, sorted(TOPOLOGIES))
            raise FlagError("cpu-topology", f"there is no {topology!r}{hint}")
        spec["cpu"] = {"preferredCPUTopology": topology}
    if options.machine_type is not None:
        spec["machine"] = {"preferredMachineType": options.machine_type} if options.machine_type else {}
    if options.volume_storage_class is not None:
        storage_class = options.volume_storage_class
        spec["volumes"] = {"preferredStorageClassName": storage_class} if storage_class else {}
    return spec


def create_type(noun: str, options: TypeOptions, spec: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest of an instance type ("instancetype") or preference of one scope, its keys sorted."""
    namespaced = options.namespaced or bool(options.namespace)
    kind = f"VirtualMachine{'' if namespaced else 'Cluster'}{noun.capitalize()}"
    name = options.name or random_name(f"{'' if namespaced else 'cluster'}{noun}-")
    metadata = {"name": name} | ({"namespace": options.namespace} if options.namespace else {})
    return sorted_keys({"apiVersion": CATALOG_API_VERSION, "kind": kind, "metadata": metadata, "spec": spec})
