"""A VM's own leaves: what in its manifest only tells it from another VM."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

NAME, NAMESPACE, NO_NAMESPACE, UUID, MAC, TIME, GENERATION, VERSION, TEXT = "ns-umtgvx"
"""The sorts of leaves. All VMs have a name and a namespace, given or not, in this order; the others follow."""

LONGEST_NAME: Final = 30
"""Up to here no limit that KubeVirt or Kubernetes sets to a name is near."""

_ORDINARY: Final = re.compile(b"[a-z][-a-z0-9]{1,%d}[a-z0-9]" % (LONGEST_NAME - 2))
_NUMBER: Final = re.compile(b"[1-9][0-9]{0,14}")
SHAPES: Final = {
    NAME: _ORDINARY,
    NAMESPACE: _ORDINARY,
    UUID: re.compile(b"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    MAC: re.compile(b"[0-9a-f][02468ace](?::[0-9a-f]{2}){5}"),
    TIME: re.compile(b"20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z"),
    GENERATION: _NUMBER,
    VERSION: _NUMBER,
    TEXT: re.compile(rb'[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*'),
}
"""What the leaves of each sort look like, without quotes."""

LONGEST_TEXT: Final = 2000
MARK: Final = b"\x7f"
"""Stands around the number of a leaf where that is taken out: no manifest that has it is taken apart."""

_ABSENT: Final = msgspec.Raw(b"null")


class _CloudInit(msgspec.Struct, rename="camel"):
    user_data: msgspec.Raw = _ABSENT
    network_data: msgspec.Raw = _ABSENT


class _Volume(msgspec.Struct, rename="camel"):
    cloud_init_no_cloud: _CloudInit | None = None
    cloud_init_config_drive: _CloudInit | None = None


class _Interface(msgspec.Struct, rename="camel"):
    mac_address: str | None = None


class _Devices(msgspec.Struct):
    interfaces: list[_Interface] | None = None


class _Firmware(msgspec.Struct):
    uuid: str | None = None
    serial: str | None = None


class _Domain(msgspec.Struct):
    devices: _Devices | None = None
    firmware: _Firmware | None = None


class _VmiSpec(msgspec.Struct):
    domain: _Domain | None = None
    volumes: list[_Volume] | None = None


class _Template(msgspec.Struct):
    spec: _VmiSpec | None = None


class _Spec(_VmiSpec):
    """That of a VM, which has a template, or of a VirtualMachineInstance."""

    template: _Template | None = None


class _Written(msgspec.Struct):
    time: str | None = None


class _Metadata(msgspec.Struct, rename="camel"):
    name: str
    namespace: str = ""
    uid: str | None = None
    creation_timestamp: str | None = None
    generation: int | None = None
    resource_version: str | None = None
    managed_fields: list[_Written] | None = None


class _Condition(msgspec.Struct, rename="camel"):
    last_transition_time: str | None = None
    last_probe_time: str | None = None


class _Status(msgspec.Struct, rename="camel"):
    conditions: list[_Condition] | None = None
    desired_generation: int | None = None
    observed_generation: int | None = None


class _VirtualMachine(msgspec.Struct):
    """The leaves of a VM, where they stand in its manifest."""

    metadata: _Metadata
    spec: _Spec | None = None
    status: _Status | None = None


_read: Final = msgspec.json.Decoder(_VirtualMachine).decode


class Leaves(NamedTuple):
    """A VM's own leaves as they stand in JSON, without quotes; `sorts` has a letter for each of them."""

    sorts: str
    values: tuple[bytes, ...]


def leaves_of(text: bytes) -> Leaves | None:
    """Return the leaves of a VM's manifest in JSON; None for what is no VM, or one with a name out of the ordinary."""
    try:
        vm = _read(text)
    except (ValueError, RecursionError):
        return None
    name, namespace = vm.metadata.name, vm.metadata.namespace
    values = {(NAME, _bytes(name)): None, (NAMESPACE, _bytes(namespace or "default")): None}
    if MARK in text or not all(SHAPES[sort].fullmatch(leaf) for sort, leaf in values):
        return None
    sorts = NAME + (NAMESPACE if namespace else NO_NAMESPACE)
    for sort, leaf in _leaves(vm):
        if leaf and SHAPES[sort].fullmatch(leaf) and (sort, leaf) not in values:
            values[sort, leaf] = None
            sorts += sort
    return Leaves(sorts, tuple(leaf for _, leaf in values))


def _leaves(vm: _VirtualMachine) -> Iterator[tuple[str, bytes]]:
    """The leaves but for name and namespace, and what may be none by its shape; texts come first."""
    metadata, status = vm.metadata, vm.status
    template = vm.spec.template if vm.spec is not None else None
    for spec in (vm.spec, template.spec if template is not None else None):
        if spec is not None:
            yield from _of_volumes(spec.volumes or ())
            yield from _of_domain(spec.domain)
    yield UUID, _bytes(metadata.uid)
    yield TIME, _bytes(metadata.creation_timestamp)
    yield VERSION, _bytes(metadata.resource_version)
    yield GENERATION, _digits(metadata.generation)
    for change in metadata.managed_fields or ():
        yield TIME, _bytes(change.time)
    if status is not None:
        yield GENERATION, _digits(status.desired_generation)
        yield GENERATION, _digits(status.observed_generation)
        for condition in status.conditions or ():
            yield TIME, _bytes(condition.last_transition_time)
            yield TIME, _bytes(condition.last_probe_time)


def _of_volumes(volumes: Iterable[_Volume]) -> Iterator[tuple[str, bytes]]:
    for volume in volumes:
        for init in (volume.cloud_init_no_cloud, volume.cloud_init_config_drive):
            if init is not None:
                for text in map(bytes, (init.user_data, init.network_data)):
                    yield TEXT, text[1:-1] if text[:1] == b'"' and len(text) <= LONGEST_TEXT else b""


def _of_domain(domain: _Domain | None) -> Iterator[tuple[str, bytes]]:
    if domain is None:
        return
    if domain.firmware is not None:
        yield UUID, _bytes(domain.firmware.uuid)
        yield UUID, _bytes(domain.firmware.serial)
    if domain.devices is not None:
        for interface in domain.devices.interfaces or ():
            yield MAC, _bytes(interface.mac_address)


def _bytes(text: str | None) -> bytes:
    return text.encode() if text else b""


def _digits(number: int | None) -> bytes:
    return b"%d" % number if number else b""
