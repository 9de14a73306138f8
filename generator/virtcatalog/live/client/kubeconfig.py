"""Where a cluster's API server is and how it is asked: kubeconfig files, as kubectl reads them, or a Pod's own account.

Source: client-go, tools/clientcmd (loader.go, client_config.go) and rest/config.go (InClusterConfig).
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from virtcatalog.checkouts import checkout_of
from virtcatalog.errors import VirtcatalogError, nearest
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.sources import read_file
from virtcatalog.network import is_server

IN_CLUSTER: Final = "in-cluster"
ACCOUNT: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
_BYTES: Final = 4 * 2**20


class ClusterError(VirtcatalogError):
    """A cluster that cannot be asked, or does not answer."""


class Plugin(msgspec.Struct, frozen=True, rename={"api_version": "apiVersion"}):
    """A program of the user's that prints credentials."""

    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    api_version: str = ""
    provide_cluster_info: bool = False


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """How a cluster is asked; `name` is what its context is called, certificates and keys are PEM texts."""

    name: str
    server: str
    authority: bytes = b""
    insecure: bool = False
    server_name: str = ""
    proxy: str = ""
    token: str = ""
    token_file: str = ""
    certificate: bytes = b""
    key: bytes = b""
    username: str = ""
    password: str = ""
    plugin: Plugin | None = None


def access(context: str | None = None, kubeconfig: str | None = None) -> Access:
    """Return how the cluster of a context is asked, None for the current one; ClusterError when nothing says.

    Without a kubeconfig, or as the context `in-cluster`, it is the cluster of the Pod that this runs in.
    """
    files = _files(kubeconfig)
    if not files or context == IN_CLUSTER:
        return _in_cluster(context)
    merged: dict[str, dict[str, tuple[dict[str, Any], str]]] = {"clusters": {}, "users": {}, "contexts": {}}
    current = ""
    for file in files:
        data = _read(file)
        current = current or str(data.get("current-context") or "")
        for section, named in merged.items():
            for entry in _maps(data.get(section)):
                value = entry.get(section.removesuffix("s"))
                if isinstance(value, dict):
                    named.setdefault(str(entry.get("name")), (value, file))
    name = context or current
    if name not in merged["contexts"]:
        where = ", ".join(files)
        message = f"{where} has no context {name!r}{nearest(name, merged['contexts'])}" if name else ""
        raise ClusterError(message or f"{where} says of no context that it is the current one: name one by --context")
    chosen = merged["contexts"][name][0]
    entries = []
    for section in ("clusters", "users"):
        wanted = str(chosen.get(section.removesuffix("s")) or "")
        if wanted not in merged[section] and (section == "clusters" or wanted):
            raise ClusterError(f"context {name!r} names {wanted!r}, which is not among the {section} of {files[0]}")
        entries.append(merged[section].get(wanted, ({}, files[0])))
    return _access(name, *entries)


def _files(kubeconfig: str | None) -> list[str]:
    """The kubeconfig files that there are, in the order in which they count."""
    if kubeconfig:
        return [kubeconfig]
    listed = [path for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    usual = [] if listed else [str(Path("~/.kube/config").expanduser())]
    return [path for path in listed or usual if Path(path).exists()]


def _read(file: str) -> Mapping[str, Any]:
    try:
        text = Text(read_file(file, _BYTES), file)
    except SourceError as error:
        raise ClusterError(f"{file}: {error.message}") from error
    documents = [data for _, data in text.documents()]
    if text.problems or len(documents) != 1 or not isinstance(documents[0], dict):
        raise ClusterError(f"{file}: is no kubeconfig" + (f": {text.problems[0].message}" if text.problems else ""))
    return documents[0]


def _maps(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _access(name: str, cluster: tuple[dict[str, Any], str], user: tuple[dict[str, Any], str]) -> Access:
    (server, file), (account, user_file) = cluster, user
    if account.get("auth-provider"):
        raise ClusterError(f"{user_file}: auth-provider is gone from Kubernetes: use exec, with the provider's plugin")
    if account.get("as"):
        raise ClusterError(f"{user_file}: impersonation (as) is not supported: use an account of its own")
    address = str(server.get("server") or "")
    if not is_server(address):
        raise ClusterError(f"{file}: the cluster of context {name!r} has no server that is a URL")
    return Access(
        name=name,
        server=address.rstrip("/"),
        authority=_pem(server, "certificate-authority", file),
        insecure=server.get("insecure-skip-tls-verify") is True,
        server_name=str(server.get("tls-server-name") or ""),
        proxy=str(server.get("proxy-url") or ""),
        token=str(account.get("token") or ""),
        token_file=_beside(str(account.get("tokenFile") or ""), user_file),
        certificate=_pem(account, "client-certificate", user_file),
        key=_pem(account, "client-key", user_file),
        username=str(account.get("username") or ""),
        password=str(account.get("password") or ""),
        plugin=_plugin(account.get("exec"), user_file),
    )


def _pem(values: Mapping[str, Any], key: str, file: str) -> bytes:
    """The text of a certificate or key, which stands in the kubeconfig or beside it."""
    data, path = values.get(f"{key}-data"), values.get(key)
    if data:
        try:
            return base64.b64decode(str(data), validate=True)
        except binascii.Error as error:
            raise ClusterError(f"{file}: {key}-data is not base64: {error}") from error
    if not path:
        return b""
    try:
        return read_file(_beside(str(path), file), _BYTES)
    except SourceError as error:
        raise ClusterError(f"{file}: {key} {path}: {error.message}") from error


def _beside(path: str, file: str) -> str:
    return str(Path(file).parent / path) if path else ""


def _plugin(data: Any, file: str) -> Plugin | None:
    if not isinstance(data, dict):
        return None
    if checkout_of(os.path.realpath(Path(file).parent)) is not None:
        raise ClusterError(f"{file}: its exec plugin is not started: whoever commits to this checkout chooses it")
    command = str(data.get("command") or "")
    if os.sep in command:
        command = _beside(command, file)
    return Plugin(
        command=command,
        args=tuple(str(word) for word in data.get("args") or ()),
        env=tuple((str(pair.get("name")), str(pair.get("value") or "")) for pair in _maps(data.get("env"))),
        api_version=str(data.get("apiVersion") or ""),
        provide_cluster_info=data.get("provideClusterInfo") is True,
    )


def _in_cluster(context: str | None) -> Access:
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT")
    if not host or not port or context not in (None, IN_CLUSTER):
        wanted = f" with the context {context!r}" if context else ""
        raise ClusterError(f"there is no kubeconfig{wanted}: name one by --kubeconfig or KUBECONFIG")
    try:
        authority = read_file(f"{ACCOUNT}/ca.crt", _BYTES)
    except SourceError as error:
        raise ClusterError(f"{ACCOUNT}/ca.crt: {error.message}") from error
    name = f"[{host}]" if ":" in host else host
    token = f"{ACCOUNT}/token"
    return Access(name=IN_CLUSTER, server=f"https://{name}:{port}", authority=authority, token_file=token)
