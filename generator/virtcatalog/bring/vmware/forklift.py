"""Objects of forklift that move machines: a NetworkMap, a StorageMap, and a Plan for each wave.

The fields are those of forklift v2.12.5 (kubev2v/forklift, pkg/apis/forklift/v1beta1: plan.go, plan/vm.go, mapping.go),
what its controllers refuse is in pkg/controller/plan/validation.go and pkg/controller/map.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.bring.vmware.manifest import claim_of
from virtcatalog.bring.vmware.mapping import IGNORED, POD, Mapping
from virtcatalog.bring.vmware.waves import Move, Wave

_API_VERSION: Final = "forklift.konveyor.io/v1beta1"
_EVERYWHERE: Final = "default"
"""The namespace whose NetworkAttachmentDefinitions forklift takes for VMs of all namespaces."""


class Providers(NamedTuple):
    """Forklift's Providers of vSphere and of the cluster, and the namespace that they and the new objects are in."""

    namespace: str
    source: str
    destination: str = "host"


def faults(mapping: Mapping, moves: Iterable[Move], namespace: str) -> list[tuple[Path, str]]:
    """Return what of a mapping forklift would refuse, with where it says so."""
    networks, datastores = _ids_by_name(moves)
    return [*_network_faults(mapping, networks, namespace), *_storage_faults(mapping, datastores)]


def _ids_by_name(moves: Iterable[Move]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The ids of the networks and of the datastores that machines have, by their names."""
    networks: dict[str, set[str]] = {}
    datastores: dict[str, set[str]] = {}
    for move in moves:
        for ids, pairs in ((networks, move.networks), (datastores, move.datastores)):
            for name, identity in pairs:
                ids.setdefault(name, set()).add(identity)
    return networks, datastores


def _network_faults(mapping: Mapping, names: Iterable[str], namespace: str) -> Iterator[tuple[Path, str]]:
    for name in sorted(names):
        place, _, _ = mapping.networks[name].rpartition("/")
        if place not in ("", namespace, _EVERYWHERE):
            message = f"forklift takes no NetworkAttachmentDefinition of {place}: only of {namespace} and {_EVERYWHERE}"
            yield ("networks", name), message


def _storage_faults(mapping: Mapping, names: Iterable[str]) -> Iterator[tuple[Path, str]]:
    for name in sorted(names):
        if not mapping.datastores[name].storage_class:
            yield ("datastores", name, "storageClass"), "forklift asks for a storage class: fill in its name"


def objects(
    waves: Sequence[Wave], mapping: Mapping, providers: Providers, namespace: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield objects with the names of their files; the mapping has no `faults`."""
    networks, datastores = _ids_by_name(move for wave in waves for move in wave.moves)
    pairs = [
        {"source": source, "destination": _destination(mapping.networks[name], namespace)}
        for name in sorted(networks)
        for source in _sources(name, networks[name])
    ]
    yield "networkmap", _object("NetworkMap", namespace, providers, {"map": pairs})
    stores = [
        {"source": source, "destination": _storage(mapping, name)}
        for name in sorted(datastores)
        for source in _sources(name, datastores[name])
    ]
    yield "storagemap", _object("StorageMap", namespace, providers, {"map": stores})
    width = max(2, len(str(len(waves))))
    for number, wave in enumerate(waves, 1):
        name = f"wave-{number:0{width}}"
        yield f"plan-{name}", _object("Plan", f"{namespace}-{name}", providers, _plan(wave, providers, namespace))


def _object(kind: str, name: str, providers: Providers, spec: dict[str, Any]) -> dict[str, Any]:
    pair = {
        side: {"name": provider, "namespace": providers.namespace}
        for side, provider in (("source", providers.source), ("destination", providers.destination))
    }
    return {
        "apiVersion": _API_VERSION,
        "kind": kind,
        "metadata": {"name": name, "namespace": providers.namespace},
        "spec": {"provider": pair, **spec},
    }


def _sources(name: str, ids: Iterable[str]) -> Iterator[dict[str, str]]:
    """How forklift finds a network or datastore of a name: by each of its ids, by the name where none is told."""
    yield from ({"id": identity} if identity else {"name": name} for identity in sorted(ids))


def _destination(network: str, namespace: str) -> dict[str, str]:
    if network in (POD, IGNORED):
        return {"type": network}
    place, _, name = network.rpartition("/")
    return {"type": "multus", "namespace": place or namespace, "name": name}


def _storage(mapping: Mapping, name: str) -> dict[str, str]:
    storage = mapping.datastores[name]
    fields = {
        "storageClass": storage.storage_class,
        "volumeMode": storage.volume_mode,
        "accessMode": storage.access_mode,
    }
    return {key: value for key, value in fields.items() if value}


def _plan(wave: Wave, providers: Providers, namespace: str) -> dict[str, Any]:
    """A Plan that leaves its VMs switched off: the manifests of this import say whether they run, and as what."""
    reference = {"name": namespace, "namespace": providers.namespace}
    return {
        "targetNamespace": namespace,
        "map": {"network": reference, "storage": reference},
        "type": "cold",
        "targetPowerState": "off",
        "pvcNameTemplate": claim_of("{{.TargetVmName}}", "{{.DiskIndex}}"),
        "pvcNameTemplateUseGenerateName": False,
        # No address of vSphere is one of the Pod's network.
        "preserveStaticIPs": not wave.sort.on_pod_network,
        **({} if wave.sort.converted else {"skipGuestConversion": True, "useCompatibilityMode": True}),
        "vms": [_vm(move) for move in wave.moves],
    }


def _vm(move: Move) -> dict[str, str]:
    fields = {"id": move.id, "name": move.machine, "targetName": move.name, "instanceType": move.instancetype}
    return {key: value for key, value in fields.items() if value}
