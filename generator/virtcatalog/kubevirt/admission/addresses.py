"""The syntaxes of device addresses.

Source: pkg/util/hardware/hw_utils.go and pkg/network/link/mac.go.
"""

from __future__ import annotations

import re

_PCI_ADDRESS = re.compile(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_PAIRS = r"[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}"
_FOURS = r"(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}"
_MAC_ADDRESS = re.compile(f"{_PAIRS}|{_FOURS}")


def is_pci_address(text: str) -> bool:
    """Whether `text` is a PCI address such as `0000:81:01.0` (ParsePciAddress)."""
    return _PCI_ADDRESS.fullmatch(text) is not None


def is_mac_address(text: str) -> bool:
    """Whether `text` is a 48-bit MAC address: pairs joined by `:` or `-`, or fours joined by `.`.

    Source: ValidateMacAddress.
    """
    return _MAC_ADDRESS.fullmatch(text) is not None
