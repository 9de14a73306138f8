"""The file that says what networks, datastores and operating systems of vSphere are in the cluster.

It is made where there is none, of what the VMs have, and then edited. What it leaves out is an error at its place, not
a guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from virtcatalog.api.findings import Path
from virtcatalog.api.names import dns_subdomain_problems
from virtcatalog.api.object import Object
from virtcatalog.bring.imports import free_label, label
from virtcatalog.bring.vmware.machine import Machine
from virtcatalog.errors import Problem, counted
from virtcatalog.limits import HOST_FILE_BYTES
from virtcatalog.manifests.declaration import load_document
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.sources import read_file

POD, IGNORED = "pod", "ignored"
_HEAD = """\
# What vSphere's networks, datastores and operating systems are in the cluster. `virtcatalog import vmware` has made
# this file, and reads it from now on.
#   networks:   pod, the [NAMESPACE/]NAME of a NetworkAttachmentDefinition, or ignored
#   datastores: the storage class of the disks that are on it; "" is the cluster's default, which forklift cannot take
#   guests:     the preference for an operating system that is called so; "" is none
"""


class Storage(Object):
    """Where the disks of a datastore go; what is empty is the cluster's default."""

    storage_class: str = ""
    volume_mode: Literal["", "Filesystem", "Block"] = ""
    access_mode: Literal["", "ReadWriteOnce", "ReadWriteMany"] = ""


class Mapping(Object):
    """The content of the file."""

    networks: dict[str, str] = {}
    datastores: dict[str, Storage] = {}
    guests: dict[str, str] = {}


def load_mapping(file: str) -> Mapping:
    """Return the mapping of a file; ManifestError carries everything that is wrong with it."""
    return load_document(file, Mapping, _faults)


def _faults(data: Any) -> Iterator[tuple[Path, str]]:
    for name, network in (data.get("networks") or {}).items():
        for part in network.split("/", 1):
            if network not in (POD, IGNORED) and dns_subdomain_problems(part):
                yield ("networks", name), f"the network's name {dns_subdomain_problems(part)[0]}"
    for name, preference in (data.get("guests") or {}).items():
        if preference and dns_subdomain_problems(preference):
            yield ("guests", name), f"the preference's name {dns_subdomain_problems(preference)[0]}"


class Census:
    """What VMs have that a mapping has to tell of, counted while they are read."""

    def __init__(self) -> None:
        self.networks: Counter[str] = Counter()
        self._first_networks: Counter[str] = Counter()
        self.datastores: Counter[str] = Counter()
        self.guests: Counter[str] = Counter()

    def add(self, machine: Machine, guest: str = "") -> None:
        """Count a VM's networks and datastores, and the name of its system where no preference is for that."""
        if guest:
            self.guests[guest] += 1
        networks = dict.fromkeys(nic.network for nic in machine.nics if nic.network)
        self.networks.update(list(networks))
        self._first_networks.update(list(networks)[:1])
        self.datastores.update({disk.storage for disk in machine.disks if disk.storage})

    @property
    def by_use(self) -> list[str]:
        """The networks, that to which most first cards are connected first."""
        return sorted(self.networks, key=lambda name: (-self._first_networks[name], -self.networks[name], name))


def proposed(census: Census) -> Mapping:
    """Return the mapping for what was counted: the network of most first cards is the Pod's, others keep a name."""
    networks: dict[str, str] = {}
    used_names = {POD, IGNORED}
    for number, name in enumerate(census.by_use):
        networks[name] = free_label(label(name, "network"), used_names) if number else POD
    return Mapping(
        networks=networks,
        datastores={name: Storage() for name in sorted(census.datastores)},
        guests=dict.fromkeys(sorted(census.guests), ""),
    )


def missing(mapping: Mapping, census: Census) -> list[tuple[Path, str]]:
    """Return what VMs have and a mapping does not tell of, with where it would."""
    return [
        ((sort,), f"{name!r} is missing: {counted(number, 'VM has', 'VMs have')} it")
        for sort, mapped, counts in (
            ("networks", mapping.networks, census.networks),
            ("datastores", mapping.datastores, census.datastores),
        )
        for name, number in sorted(counts.items())
        if name not in mapped
    ]


def problems_in(file: str, faults: Iterable[tuple[Path, str]]) -> list[Problem]:
    """Return faults of a mapping at their places in its file, which can be read."""
    text = Text(read_file(file, HOST_FILE_BYTES), file)
    for _ in text.documents():
        pass
    return [text.problem(0, path, message) for path, message in faults]


def written(mapping: Mapping) -> str:
    """Return a mapping as the text of its file."""
    data: dict[str, Any] = {
        "networks": mapping.networks,
        "datastores": {name: {"storageClass": storage.storage_class} for name, storage in mapping.datastores.items()},
        "guests": mapping.guests,
    }
    parts: Iterable[str] = (dump({key: value}) if value else f"{key}: {{}}\n" for key, value in data.items())
    return _HEAD + "".join(parts)
