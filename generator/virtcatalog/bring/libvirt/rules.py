"""What becomes of a domain's disks, networks and host devices: said by whoever imports it, first match first."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import NamedTuple

from virtcatalog.api.names import dns_label_problems, dns_subdomain_problems
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import VirtcatalogError

DISK_KINDS = ("claim", "clone", "http", "registry", "blank", "upload", "image", "drop")
_SIZED = ("http", "registry", "blank", "upload")
_VALUED = ("clone", "http", "registry", "image")
_VOLUME = re.compile(r"[^a-z0-9]+")
_LONGEST_LABEL = 63


class RuleError(VirtcatalogError):
    """A rule that cannot be read."""


class DiskRule(NamedTuple):
    """Where disks that match come from: `kind` is one of DISK_KINDS.

    A `claim` is there (`value`: its name), `clone` (`namespace/name`), `http`, `registry` (URLs), `blank` and `upload`
    make a DataVolume of `size`, `image` names a container disk, `drop` leaves the disk out.
    """

    pattern: str
    kind: str
    value: str = ""
    size: str = ""


class NetworkRule(NamedTuple):
    """The network of interfaces that match: `pod`, or a NetworkAttachmentDefinition (`name` or `namespace/name`)."""

    pattern: str
    network: str


class DeviceRule(NamedTuple):
    """The resource that a device plugin offers for the host devices that match."""

    pattern: str
    resource: str


class Rules(NamedTuple):
    """All rules of an import."""

    disks: tuple[DiskRule, ...] = ()
    networks: tuple[NetworkRule, ...] = ()
    devices: tuple[DeviceRule, ...] = ()

    def disk(self, *names: str) -> DiskRule:
        """Return the rule of a disk that goes by these names; without one, a claim holds it."""
        return next((rule for rule in self.disks if matches(rule.pattern, names)), DiskRule("*", "claim"))

    def network(self, *names: str) -> str:
        """Return the network of an interface that goes by these names, "" where no rule says so."""
        return next((rule.network for rule in self.networks if matches(rule.pattern, names)), "")

    def resource(self, *names: str) -> str:
        """Return the resource of a host device that goes by these names, "" where no rule says so."""
        return next((rule.resource for rule in self.devices if matches(rule.pattern, names)), "")


def matches(pattern: str, names: tuple[str, ...]) -> bool:
    """Whether a pattern of `*` and `?` fits one of several names."""
    return any(name and fnmatchcase(name, pattern) for name in names)


def disk_rule(text: str) -> DiskRule:
    """Read `PATTERN=KIND[:VALUE][,SIZE]`; raises RuleError."""
    pattern, said = _halves(text, "vda=claim:root or *.iso=drop")
    kind, _, value = said.partition(":")
    if kind not in DISK_KINDS:
        raise RuleError(f"{text!r}: {kind!r} is none of {', '.join(DISK_KINDS)}")
    size = ""
    if kind in _SIZED:
        value, _, size = value.rpartition(",") if kind in _VALUED else ("", "", value)
        try:
            if not size or Quantity.parse(size).value <= 0:
                raise ValueError
        except ValueError:
            example = f"{kind}:20Gi" if kind not in _VALUED else f"{kind}:https://example.org/disk.qcow2,20Gi"
            raise RuleError(f"{text!r}: a {kind} volume has a size, such as {example}") from None
    if kind in _VALUED and not value:
        raise RuleError(f"{text!r}: say of what, such as {kind}:…")
    if kind in ("blank", "upload", "drop") and value:
        raise RuleError(f"{text!r}: {kind} takes no {value!r}")
    if kind == "clone" and value.count("/") != 1:
        raise RuleError(f"{text!r}: a claim to clone is named namespace/name")
    if kind == "claim" and value and dns_subdomain_problems(value):
        raise RuleError(f"{text!r}: {value!r} is no name of a claim: {dns_subdomain_problems(value)[0]}")
    return DiskRule(pattern, kind, value, size)


def network_rule(text: str) -> NetworkRule:
    """Read `PATTERN=pod` or `PATTERN=[NAMESPACE/]NAME`; raises RuleError."""
    pattern, network = _halves(text, "br0=pod or br1=vlans/office")
    for part in network.split("/", 1):
        if dns_subdomain_problems(part):
            raise RuleError(f"{text!r}: {part!r} is no name of a network: {dns_subdomain_problems(part)[0]}")
    return NetworkRule(pattern, network)


def device_rule(text: str) -> DeviceRule:
    """Read `PATTERN=RESOURCE`; raises RuleError."""
    pattern, resource = _halves(text, "0000:41:00.0=nvidia.com/A400")
    if not re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", resource):
        raise RuleError(f"{text!r}: {resource!r} is no resource such as nvidia.com/A400")
    return DeviceRule(pattern, resource)


def _halves(text: str, example: str) -> tuple[str, str]:
    pattern, _, said = text.partition("=")
    if not pattern or not said:
        raise RuleError(f"{text!r} is no rule such as {example}")
    return pattern, said


def label(text: str, otherwise: str) -> str:
    """Return what is left of a text as the name of a volume, network or VM (a DNS label)."""
    made = _VOLUME.sub("-", text.lower()).strip("-")[:_LONGEST_LABEL].strip("-")
    return made if made and not dns_label_problems(made) else otherwise


def free(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name[: _LONGEST_LABEL - 1 - len(str(number))]}-{number}"
    taken.add(found)
    return found
