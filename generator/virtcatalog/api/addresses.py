"""Addresses: IP addresses as KubeVirt's API rewrites them, and the syntaxes of device addresses.

Rewritten IP addresses have no leading zeros, and IPv6 its shortest form.
Source: staging/src/kubevirt.io/api/core/v1/sanitizers.go, pkg/util/hardware/hw_utils.go, pkg/network/link/mac.go.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

_NUMBER: Final = re.compile(r"(?<![0-9a-fA-F])0+(?=[0-9a-fA-F])")
_ADDRESS: Final = re.compile(r"[0-9a-fA-F:.]+", re.ASCII)
_PREFIX: Final = re.compile(r"[0-9]{1,8}", re.ASCII)


def sanitized_address(text: str) -> str:
    """Return an IP address in its usual form; what is none as it is (sanitizeIP)."""
    address = _parse(text)
    return text if address is None else _written(address)


def sanitized_network(text: str) -> str:
    """Return `address/prefix` with the address in its usual form; what is no such thing as it is (sanitizeCIDR)."""
    parts = _network(text)
    return text if parts is None else f"{_written(parts[0])}/{parts[1]}"


def host_bits(text: str) -> int | None:
    """Return how many bits of `address/prefix` tell its hosts apart; None for what is no such thing."""
    parts = _network(text)
    return None if parts is None else parts[0].max_prefixlen - parts[1]


def _network(text: str) -> tuple[IPv4Address | IPv6Address, int] | None:
    address, _, prefix = text.partition("/")
    parsed = _parse(address)
    if parsed is None or not _PREFIX.fullmatch(prefix) or int(prefix) > parsed.max_prefixlen:
        return None
    return parsed, int(prefix)


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    if not _ADDRESS.fullmatch(text):
        return None
    plain = _NUMBER.sub("", text)
    try:
        return IPv6Address(plain) if ":" in plain else IPv4Address(plain)
    except AddressValueError:
        return None


def _written(address: IPv4Address | IPv6Address) -> str:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


_PCI_ADDRESS = re.compile(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_PAIRS = r"[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}"
_FOURS = r"(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}"
_MAC_ADDRESS = re.compile(f"{_PAIRS}|{_FOURS}")
_PLAIN_MAC_ADDRESS = re.compile("[0-9a-fA-F]{12}")


def is_pci_address(text: str) -> bool:
    """Whether `text` is a PCI address such as `0000:81:01.0` (ParsePciAddress)."""
    return _PCI_ADDRESS.fullmatch(text) is not None


def is_mac_address(text: str, *, plain: bool) -> bool:
    """Whether `text` is a 48-bit MAC address: pairs joined by `:` or `-`, fours joined by `.`, or `plain` digits.

    Source: ValidateMacAddress.
    """
    return bool(_MAC_ADDRESS.fullmatch(text) or (plain and _PLAIN_MAC_ADDRESS.fullmatch(text)))
