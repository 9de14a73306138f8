"""What a request says of who sends it: tokens, which are read again when they have expired, and certificates.

Source: client-go, plugin/pkg/client/auth/exec/exec.go and transport/token_source.go.
"""

from __future__ import annotations

import base64
import json
import os
import ssl
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Final

from virtcatalog.live.client.kubeconfig import Access, ClusterError, Plugin

_VERSIONS: Final = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_SECONDS: Final = 60


class Credentials:
    """The credentials of one access, for several threads; `age` counts how often they were renewed."""

    def __init__(self, access: Access) -> None:
        self._access, self._lock, self.age = access, Lock(), 0
        self._token, self._certificate, self._key = access.token, access.certificate, access.key
        self._read()

    @property
    def headers(self) -> Mapping[str, str]:
        """What a request carries."""
        if self._token:
            return {"Authorization": f"Bearer {self._token}"}
        if self._access.username:
            pair = f"{self._access.username}:{self._access.password}".encode()
            return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
        return {}

    def renew(self, age: int) -> bool:
        """Read a token file, or ask the plugin, again; False where there is neither.

        `age` is that of what has expired: what another thread has renewed since is not renewed again.
        """
        with self._lock:
            if age != self.age:
                return True
            read = self._read()
            self.age += 1  # only now: whoever asks meanwhile still has what has expired
            return read

    def _read(self) -> bool:
        access = self._access
        if access.token_file:
            try:
                self._token = Path(access.token_file).read_text(encoding="utf-8").strip()
            except OSError as error:
                raise ClusterError(f"{access.token_file}: {error.strerror or error}") from error
            return True
        if access.plugin is None:
            return False
        status = _ask(access.plugin, access)
        self._token = str(status.get("token") or "")
        self._certificate = str(status.get("clientCertificateData") or "").encode()
        self._key = str(status.get("clientKeyData") or "").encode()
        return True

    def context(self) -> ssl.SSLContext:
        """Return how a connection is secured."""
        access = self._access
        try:
            context = ssl.create_default_context(cadata=access.authority.decode() or None)
            if access.insecure:
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            if self._certificate:
                with TemporaryDirectory(prefix="virtcatalog-") as folder:  # OpenSSL reads files alone
                    pair = Path(folder, "pair.pem")
                    pair.touch(mode=0o600)
                    pair.write_bytes(self._certificate + b"\n" + self._key)
                    context.load_cert_chain(pair)
        except (ssl.SSLError, ValueError) as error:
            raise ClusterError(f"the certificates of context {access.name!r} cannot be used: {error}") from error
        return context


def _ask(plugin: Plugin, access: Access) -> Mapping[str, Any]:
    """Have a plugin print its credentials."""
    if plugin.api_version not in _VERSIONS:
        raise ClusterError(f"the exec plugin {plugin.command} speaks {plugin.api_version}, and not {_VERSIONS[0]}")
    info: dict[str, Any] = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": {"interactive": False}}
    if plugin.provide_cluster_info:
        cluster = {"server": access.server, "insecure-skip-tls-verify": access.insecure}
        authority = base64.b64encode(access.authority).decode()
        info["spec"]["cluster"] = cluster | ({"certificate-authority-data": authority} if authority else {})
    environment = {**os.environ, **dict(plugin.env), "KUBERNETES_EXEC_INFO": json.dumps(info)}
    try:
        answer = subprocess.run(  # noqa: S603 - the user's own kubeconfig names it; see kubeconfig._plugin
            [plugin.command, *plugin.args],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=_SECONDS,
            check=True,
        )
        status = json.loads(answer.stdout)["status"]
    except (OSError, subprocess.SubprocessError) as error:
        raise ClusterError(f"the exec plugin {plugin.command} gave no credentials: {error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ClusterError(f"the exec plugin {plugin.command} printed no ExecCredential") from error
    return status if isinstance(status, dict) else {}
