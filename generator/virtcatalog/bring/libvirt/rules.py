"""The user's rules for a domain's disks, networks and host devices; the first match counts."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import NamedTuple

from virtcatalog.api.names import dns_subdomain_problems
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import VirtcatalogError

DISK_KINDS = ("claim", "clone", "http", "registry", "blank", "upload", "image", "drop")
_SIZED = ("http", "registry", "blank", "upload")
_VALUED = ("clone", "http", "registry", "image")


class RuleError(VirtcatalogError):
    """A rule that cannot be read."""


class DiskRule(NamedTuple):
    """The source of the volumes of matching disks: `kind` is one of DISK_KINDS.

    A `claim` exists (`value`: its name), `clone` (`namespace/name`), `http`, `registry` (URLs), `blank` and `upload`
    make a DataVolume of `size`, `image` names a container disk, `drop` leaves the disk out.
    """

    pattern: str
    kind: str
    value: str = ""
    size: str = ""


class NameRule(NamedTuple):
    """What matching interfaces or host devices get in the cluster.

    `name` is `pod` or a NetworkAttachmentDefinition (`name` or `namespace/name`), or a device plugin's resource.
    """

    pattern: str
    name: str


class Rules(NamedTuple):
    """All rules of an import."""

    disks: tuple[DiskRule, ...] = ()
    networks: tuple[NameRule, ...] = ()
    devices: tuple[NameRule, ...] = ()

    def disk(self, *names: str) -> DiskRule:
        """Return the rule of a disk with these names; without a match, the disk is on a claim."""
        return next((rule for rule in self.disks if matches(rule.pattern, names)), DiskRule("*", "claim"))

    def network(self, *names: str) -> str:
        """Return the network of an interface with these names, "" without a match."""
        return _name(self.networks, names)

    def resource(self, *names: str) -> str:
        """Return the resource of a host device with these names, "" without a match."""
        return _name(self.devices, names)


def _name(rules: tuple[NameRule, ...], names: tuple[str, ...]) -> str:
    return next((rule.name for rule in rules if matches(rule.pattern, names)), "")


def matches(pattern: str, names: tuple[str, ...]) -> bool:
    """Whether a pattern of `*` and `?` fits one of several names."""
    return any(name and fnmatchcase(name, pattern) for name in names)


def disk_rule(text: str) -> DiskRule:
    """Read `PATTERN=KIND[:VALUE][,SIZE]`; raises RuleError."""
    pattern, value_text = _halves(text, "vda=claim:root or *.iso=drop")
    kind, _, value = value_text.partition(":")
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
            raise RuleError(f"{text!r}: {kind} needs a size, such as {example}") from None
    if kind in _VALUED and not value:
        raise RuleError(f"{text!r}: say of what, such as {kind}:…")
    if kind in ("blank", "upload", "drop") and value:
        raise RuleError(f"{text!r}: {kind} takes no {value!r}")
    if kind == "clone" and value.count("/") != 1:
        raise RuleError(f"{text!r}: a claim to clone is named namespace/name")
    if kind == "claim" and value and dns_subdomain_problems(value):
        raise RuleError(f"{text!r}: the claim's name {dns_subdomain_problems(value)[0]}")
    return DiskRule(pattern, kind, value, size)


def network_rule(text: str) -> NameRule:
    """Read `PATTERN=pod` or `PATTERN=[NAMESPACE/]NAME`; raises RuleError."""
    pattern, network = _halves(text, "br0=pod or br1=vlans/office")
    for part in network.split("/", 1):
        if dns_subdomain_problems(part):
            raise RuleError(f"{text!r}: the network's name {dns_subdomain_problems(part)[0]}")
    return NameRule(pattern, network)


def device_rule(text: str) -> NameRule:
    """Read `PATTERN=RESOURCE`; raises RuleError."""
    pattern, resource = _halves(text, "0000:41:00.0=nvidia.com/A400")
    if not re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", resource):
        raise RuleError(f"{text!r}: {resource!r} is no resource such as nvidia.com/A400")
    return NameRule(pattern, resource)


def _halves(text: str, example: str) -> tuple[str, str]:
    pattern, _, value = text.partition("=")
    if not pattern or not value:
        raise RuleError(f"{text!r} is no rule such as {example}")
    return pattern, value
