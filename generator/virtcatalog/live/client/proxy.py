"""Which proxy leads to an API server: the kubeconfig's, else that of the environment.

Source: golang.org/x/net/http/httpproxy (useProxy), which client-go asks.
"""

from __future__ import annotations

import os
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import unquote, urlsplit

from virtcatalog.live.client.kubeconfig import Access, ClusterError

_SCHEMES = ("http", "https")


def proxy_of(access: Access) -> tuple[str, str]:
    """Return the URL of the proxy, "" for none, and `USER:PASSWORD` for it; ClusterError for one that is of no use."""
    url = access.proxy or _of_environment(access.server)
    if not url:
        return "", ""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in _SCHEMES:
        kind = f"{parts.scheme}:// proxies are not supported" if host else "that is no URL"
        raise ClusterError(f"the proxy of context {access.name!r}: {kind}: name one by http:// or https://")
    place = parts.netloc.rpartition("@")[2]
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username else ""
    return f"{parts.scheme}://{place}", login


def _of_environment(server: str) -> str:
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
