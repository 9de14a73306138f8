"""What clients of servers have in common: which proxy leads to one, and how long to wait between two tries.

Source: golang.org/x/net/http/httpproxy (useProxy), which the tools around Kubernetes ask.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

LONGEST_WAIT: Final = 30.0
AGAIN: Final = frozenset({429, 500, 502, 503, 504})
_SCHEMES = ("http", "https")


def split_proxy(url: str) -> tuple[str, str]:
    """Return a proxy's URL without its login, and `USER:PASSWORD`; ValueError, in words, for one that is of no use."""
    parts = _parts(url if "://" in url else f"http://{url}")
    if not parts or parts.scheme not in _SCHEMES:
        kind = f"{parts.scheme}:// proxies are not supported" if parts else "that is no URL"
        raise ValueError(f"{kind}: name one by http:// or https://")
    place = parts.netloc.rpartition("@")[2]
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username else ""
    return f"{parts.scheme}://{place}", login


def is_server(url: str) -> bool:
    """Whether a URL names a server of HTTP."""
    parts = _parts(url)
    return parts is not None and parts.scheme in _SCHEMES


def _parts(url: str) -> SplitResult | None:
    """The parts of a URL, None for one without a host or with a port that is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.hostname else None


def proxy_of_environment(server: str) -> str:
    """Return the URL of the proxy that the environment names for a server's URL, "" for none."""
    parts = urlsplit(server)
    host = (parts.hostname or "").rstrip(".")
    variable = f"{parts.scheme}_proxy"
    url = os.environ.get(variable) or os.environ.get(variable.upper()) or ""
    return "" if not url or _is_excepted(host, str(parts.port or "")) else url


def _is_excepted(host: str, port: str) -> bool:
    """Whether no proxy is asked for a host: one of this machine, or of NO_PROXY."""
    address: IPv4Address | IPv6Address | None = None
    with suppress(ValueError):
        address = ip_address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return True
    listed = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    return any(_matches(entry.strip().lower(), host, port, address) for entry in listed.split(",") if entry.strip())


def _matches(entry: str, host: str, port: str, address: IPv4Address | IPv6Address | None) -> bool:
    if entry == "*":
        return True
    if address is not None:
        with suppress(ValueError):
            return address in ip_network(entry, strict=False)
    name, colon, only = entry.rpartition(":")
    if colon and only.isdecimal():
        if only != port:
            return False
        entry = name.removeprefix("[").removesuffix("]")
    if address is not None:
        return entry == str(address)
    entry = entry.removeprefix("*")
    return host.endswith(entry) if entry.startswith(".") else host == entry or host.endswith(f".{entry}")


def pause(headers: Mapping[str, str], number: int) -> float:
    """How long a server wants to be left alone after so many tries, else longer each time."""
    wanted = headers.get("Retry-After", "")
    try:
        return min(max(float(wanted), 0.0), LONGEST_WAIT)
    except ValueError:
        pass
    try:
        left = parsedate_to_datetime(wanted).timestamp() - time.time()
    except (TypeError, ValueError):
        left = 2.0**number / 4
    return min(max(left, 0.0), LONGEST_WAIT)
