"""Host profiles as YAML: a user's own nodes, and the profiles that come with virtcatalog to start from.

Amounts of memory and storage may be written as quantities (`512Gi`); in the profile they are bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from virtcatalog.api.findings import Path as FieldPath
from virtcatalog.api.findings import inspect
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.kubevirt.hosts import ARCHITECTURES, HOSTS, HostProfile, cpu_list, cpu_ranges
from virtcatalog.limits import HOST_CPUS, HOST_FILE_BYTES
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.sources import read_file

_BYTES = frozenset({"memory", "size", "barBytes", "filesystemBlockSize", "logical", "physical", "discardGranularity"})
_CPUS = re.compile(r"[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*")
_MAC_PREFIX = re.compile(r"[0-9a-f][02468ace](:[0-9a-f]{2}){3}")
_PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_UUID_EXAMPLE = "5d6b3d3c-8f3c-5d0e-9b1b-0f6d2f5f9a51"
_LEAST_MTU, _MOST_MTU = 68, 65535

Fault = tuple[FieldPath, str]


def load_host(name: str) -> HostProfile:
    """Return the profile that comes with virtcatalog by that name, else the one in the file of that name."""
    if name in HOSTS:
        return HOSTS[name]
    try:
        content = read_file(name, HOST_FILE_BYTES)
    except SourceError as error:
        names = ", ".join(HOSTS)
        message = f"{error.message}; the profiles that come with virtcatalog: {names}"
        raise ManifestError(Problem(file=name, message=message)) from None
    return read_host(content, name)


def read_host(text: str | bytes, file: str = "") -> HostProfile:
    """Read a profile; ManifestError carries everything that is wrong with it, each at its place in `file`."""
    from virtcatalog.manifests.document import Text  # most runs need no YAML before they begin

    source = Text(text, file)
    documents = list(source.documents())
    if source.problems:
        raise ManifestError(*source.problems)
    if len(documents) != 1:
        message = f"a host profile is one document, and here are {len(documents)}"
        raise ManifestError(Problem(file=file, line=1, column=1, message=message))
    index, data = documents[0]
    profile, faults = _convert(data)
    if profile is None:
        raise ManifestError(*(source.problem(index, path, message) for path, message in faults))
    return profile


def dump_host(profile: HostProfile) -> str:
    """Write a profile as YAML that `read_host` makes the same profile of; what is as by default is left out."""
    from virtcatalog.manifests.emit import dump

    data = _sparse(msgspec.to_builtins(profile), msgspec.to_builtins(HostProfile(name="")))
    return dump({"name": profile.name, "version": profile.version, **data})


def _convert(data: Any) -> tuple[HostProfile | None, list[Fault]]:
    faults: list[Fault] = []
    data = _in_bytes(data, (), faults)
    if not isinstance(data, dict):
        return None, [((), "a host profile is a map")]
    tidied, findings = inspect(data, HostProfile)
    faults += [(path, message) for path, message in findings if not any(path == seen for seen, _ in faults)]
    if faults:
        return None, faults
    profile = msgspec.convert(tidied, HostProfile)
    faults = [*_identity(profile), *_nodes(profile), *_devices(profile), *_storage(profile), *_network(profile)]
    return (None, faults) if faults else (profile, [])


def _in_bytes(value: Any, path: FieldPath, faults: list[Fault]) -> Any:
    """The data with its quantities as bytes."""
    if isinstance(value, list):
        return [_in_bytes(item, (*path, index), faults) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {key: _in_bytes(item, (*path, str(key)), faults) for key, item in value.items()}
    if not path or path[-1] not in _BYTES or not isinstance(value, str):
        return value
    try:
        return Quantity.parse(value).value
    except ValueError as error:
        faults.append((path, str(error)))
        return 0


def _identity(profile: HostProfile) -> Iterator[Fault]:
    if not profile.name:
        yield ("name",), "must not be empty: every domain names the profile that it was made with"
    if profile.version < 1:
        yield ("version",), "counts from 1"
    if "--" in profile.name:
        yield ("name",), "must not hold '--', which cannot stand in an XML comment"
    if profile.architecture not in ("", *ARCHITECTURES):
        yield ("architecture",), f"{profile.architecture!r} is none of {', '.join(ARCHITECTURES)}"


def _nodes(profile: HostProfile) -> Iterator[Fault]:
    taken: set[int] = set()
    number_of_cpus = 0
    for index, node in enumerate(profile.numa_nodes):
        path = ("numaNodes", index)
        if node.id != index:
            yield (*path, "id"), f"nodes are numbered in their order from 0: this one is {index}"
        if node.distances and len(node.distances) != len(profile.numa_nodes):
            count = len(profile.numa_nodes)
            yield (*path, "distances"), f"lists {len(node.distances)} distances; one to each node makes {count}"
        for number, core in enumerate(node.cores):
            place = (*path, "cores", number)
            if not _CPUS.fullmatch(core):
                yield place, f"{core[:80]!r} is no list of CPUs such as 0-1 or 0,64"
                continue
            ranges = cpu_ranges(core)
            if not all(ranges):
                yield place, f"{core[:80]!r} is no range of CPUs"
            number_of_cpus += sum(map(len, ranges))
            if number_of_cpus > HOST_CPUS:
                yield place, f"with these the host has more than {HOST_CPUS:,} CPUs"
                return
            threads = cpu_list(core)
            twice = sorted(taken.intersection(threads))
            if twice:
                yield place, f"CPU {twice[0]} is in another core already"
            taken.update(threads)
        for number, pages in enumerate(node.huge_pages):
            if pages.size <= 0 or pages.count < 0:
                yield (*path, "hugePages", number), "huge pages have a size, and their count is not negative"


def _devices(profile: HostProfile) -> Iterator[Fault]:
    for index, device in enumerate(profile.pci_devices):
        path = ("pciDevices", index)
        if not _PCI.fullmatch(device.address):
            yield (*path, "address"), f"{device.address!r} is not a PCI address such as 0000:41:00.0"
        if device.numa_node is not None and not 0 <= device.numa_node < len(profile.numa_nodes):
            yield (*path, "numaNode"), f"there is no NUMA node {device.numa_node}"
    for index, claimed in enumerate(profile.claimed_devices):
        path = ("claimedDevices", index)
        if claimed.pci_address and not _PCI.fullmatch(claimed.pci_address):
            yield (*path, "pciAddress"), f"{claimed.pci_address!r} is not a PCI address such as 0000:41:00.0"
        if claimed.mdev_uuid and not _UUID.fullmatch(claimed.mdev_uuid):
            yield (*path, "mdevUUID"), f"{claimed.mdev_uuid!r} is not a UUID such as {_UUID_EXAMPLE}"
    addresses = profile.devices
    for name, value, most in (
        ("pciFirstBus", addresses.pci_first_bus, 0xFF),
        ("usbFirstBus", addresses.usb_first_bus, 0xFF),
        ("sriovBus", addresses.sriov_bus, 0xFF),
        ("sriovSlot", addresses.sriov_slot, 0x1F),
    ):
        if not 0 <= value <= most:
            yield ("devices", name), f"{value} is out of range: it must be from 0 to {most}"
    if not 1 <= addresses.sriov_functions <= 8:
        yield ("devices", "sriovFunctions"), f"{addresses.sriov_functions} is out of range: it must be from 1 to 8"
    if not 3 <= profile.vsock_cid < 2**32:
        yield ("vsockCid",), f"{profile.vsock_cid} is not an address of a guest: those are from 3 to {2**32 - 1}"


def _storage(profile: HostProfile) -> Iterator[Fault]:
    storage = profile.storage
    try:
        Quantity.parse(storage.missing_claim_size)
    except ValueError as error:
        yield ("storage", "missingClaimSize"), str(error)
    try:
        overhead = Decimal(storage.filesystem_overhead)
        sound = overhead.is_finite() and 0 <= overhead < 1
    except InvalidOperation:
        sound = False
    if not sound:
        message = f"{storage.filesystem_overhead!r} is not a share from 0 to below 1, such as '0.055'"
        yield ("storage", "filesystemOverhead"), message
    if storage.container_disk_format not in ("qcow2", "raw"):
        yield ("storage", "containerDiskFormat"), f"{storage.container_disk_format!r} is none of qcow2, raw"


def _network(profile: HostProfile) -> Iterator[Fault]:
    links = profile.pod_links
    if not _MAC_PREFIX.fullmatch(links.mac_prefix):
        message = f"{links.mac_prefix!r} is not how a unicast MAC address begins: four octets, such as '02:00:00:00'"
        yield ("podLinks", "macPrefix"), message
    if not _LEAST_MTU <= links.mtu <= _MOST_MTU:
        yield ("podLinks", "mtu"), f"{links.mtu} is out of range: it must be from {_LEAST_MTU} to {_MOST_MTU}"


def _sparse(data: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    """What differs from the usual, amounts in bytes as the shortest quantity."""
    differing: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and isinstance(usual.get(key), dict):
            value = _sparse(value, usual[key])
            if not value:
                continue
        elif key in usual and value == usual[key]:
            continue
        differing[key] = _shown(key, value)
    return differing


def _shown(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shown(name, item) for name, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_shown("", item) for item in value]
    if key in _BYTES and isinstance(value, int):
        return _quantity(value)
    return value


def _quantity(size: int) -> int | str:
    for power, suffix in ((40, "Ti"), (30, "Gi"), (20, "Mi"), (10, "Ki")):
        if size and size % 2**power == 0:
            return f"{size >> power}{suffix}"
    return size
