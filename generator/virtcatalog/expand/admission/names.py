"""The syntaxes of names and addresses that several rules check: each function gives what is wrong, [] if nothing.

Source: k8s.io/apimachinery, pkg/util/validation; KubeVirt v1.9.0, pkg/util/hardware/hw_utils.go and
pkg/network/link/mac.go.
"""

from __future__ import annotations

import re

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_PORT_NAME = re.compile(r"(?=.{1,15}\Z)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*", re.DOTALL)
_PCI_ADDRESS = re.compile(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_MAC_ADDRESS = re.compile(r"[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}")


def dns_label_errors(name: str) -> list[str]:
    """What keeps `name` from being an RFC 1123 label."""
    errors = []
    if len(name.encode()) > 63:
        errors.append("must be no more than 63 characters")
    if not _LABEL.fullmatch(name):
        if _SUBDOMAIN.fullmatch(name):
            errors.append("must not contain dots")
        else:
            errors.append("must be lower case letters, digits or '-', and start and end with a letter or digit")
    return errors


def dns_subdomain_errors(name: str) -> list[str]:
    """What keeps `name` from being an RFC 1123 subdomain."""
    errors = []
    if len(name.encode()) > 253:
        errors.append("must be no more than 253 characters")
    if not _SUBDOMAIN.fullmatch(name):
        errors.append("must be lower case letters, digits, '-' or '.', and start and end with a letter or digit")
    return errors


def is_port_name(name: str) -> bool:
    """Whether `name` is an IANA service name: up to 15 of a-z, 0-9 and single inner hyphens, one letter at least."""
    return _PORT_NAME.fullmatch(name) is not None


def is_pci_address(text: str) -> bool:
    """Whether `text` is a PCI address such as `0000:81:01.0`."""
    return _PCI_ADDRESS.fullmatch(text) is not None


def is_mac_address(text: str) -> bool:
    """Whether `text` is a 48-bit MAC address: pairs joined by `:` or `-`, or fours joined by `.`."""
    return _MAC_ADDRESS.fullmatch(text) is not None
