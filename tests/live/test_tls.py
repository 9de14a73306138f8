"""API servers behind TLS and proxies: whom we trust, who we are, and which way a request goes."""

from __future__ import annotations

import base64
import json
import select
import socket
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result
from fakeapi import Server, kubeconfig, serving

import fleet
from certificates import Pair, authority, signed
from serving import Handler, served
from virtcatalog.cli import main
from virtcatalog.live.client import api
from virtcatalog.live.client import credentials as credentials_module
from virtcatalog.live.client import kubeconfig as kubeconfig_module
from virtcatalog.live.client.api import proxy_of
from virtcatalog.live.client.credentials import Credentials
from virtcatalog.live.client.kubeconfig import Access, ClusterError, Plugin

OBJECTS = [fleet.KUBEVIRT]


class Certificates(NamedTuple):
    """An authority, what it has signed for a server and for a client, and another authority."""

    authority: Pair
    server: Pair
    named: Pair
    client: Pair
    other: Pair


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder = tmp_path_factory.mktemp("tls")
    ours = authority(folder, "authority")
    return Certificates(
        ours,
        signed(ours, folder, "server", "-addext", "subjectAltName=IP:127.0.0.1"),
        signed(ours, folder, "named", "-addext", "subjectAltName=DNS:kube.example.org"),
        signed(ours, folder, "client"),
        authority(folder, "other"),
    )


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """No proxies but those of a test; waiting takes no time, and is counted."""
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    passed: list[float] = []
    monkeypatch.setattr(api.Api.__init__, "__defaults__", (passed.append,))
    return passed


@contextmanager
def tls(server: Server, folder: Path, pair: Pair, client: Pair | None = None) -> Iterator[str]:
    """Yield the address of a server behind TLS; with `client`, of that authority's clients alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*pair)
    if client is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client.certificate)
    with serving(server, folder, tls=context) as file:
        address: str = json.loads(Path(file).read_text())["clusters"][0]["cluster"]["server"]
        yield address


def config(folder: Path, server: str, cluster: dict[str, Any], **user: Any) -> str:
    data = kubeconfig(server, **user)
    data["clusters"][0]["cluster"] |= cluster
    file = folder / "kubeconfig"
    file.write_text(json.dumps(data))
    return str(file)


def dump(file: str) -> Result:
    result = CliRunner().invoke(main, ["dump", "--kubeconfig", file], prog_name="virtcatalog")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


class TestTrust:
    def test_the_authority_of_the_kubeconfig_counts(self, certificates, tmp_path):
        authority, _ = certificates.authority.data
        with tls(Server(OBJECTS), tmp_path, certificates.server) as address:
            by_data = dump(config(tmp_path, address, {"certificate-authority-data": authority}))
            by_file = dump(
                config(tmp_path, address, {"certificate-authority": str(certificates.authority.certificate)})
            )
        assert (by_data.exit_code, by_file.exit_code) == (0, 0)

    @pytest.mark.parametrize("which", ["other", None])
    def test_whoever_that_authority_does_not_know_is_not_asked(self, certificates, tmp_path, which, surroundings):
        server = Server(OBJECTS)
        trusted = {"certificate-authority-data": certificates.other.data[0]} if which else {}
        with tls(server, tmp_path, certificates.server) as address:
            result = dump(config(tmp_path, address, trusted, token="secret"))
        assert (result.exit_code, result.stdout) == (2, "")
        assert "is not trusted" in result.stderr
        assert (server.requests, surroundings) == ([], [])

    def test_a_server_of_another_name_is_not_asked(self, certificates, tmp_path):
        authority, _ = certificates.authority.data
        server = Server(OBJECTS)
        with tls(server, tmp_path, certificates.named) as address:
            result = dump(config(tmp_path, address, {"certificate-authority-data": authority}))
        assert result.exit_code == 2
        assert "is not trusted" in result.stderr
        assert server.requests == []

    def test_tls_server_name_is_the_name_that_counts(self, certificates, tmp_path):
        cluster = {"certificate-authority-data": certificates.authority.data[0], "tls-server-name": "kube.example.org"}
        with tls(Server(OBJECTS), tmp_path, certificates.named) as address:
            right = dump(config(tmp_path, address, cluster))
            wrong = dump(config(tmp_path, address, cluster | {"tls-server-name": "else.example.org"}))
        assert (right.exit_code, wrong.exit_code) == (0, 2)

    def test_whoever_asks_for_no_trust_has_none(self, certificates, tmp_path):
        with tls(Server(OBJECTS), tmp_path, certificates.named) as address:
            assert dump(config(tmp_path, address, {"insecure-skip-tls-verify": True})).exit_code == 0


class TestClients:
    def test_a_client_shows_its_certificate(self, certificates, tmp_path):
        trusted = {"certificate-authority-data": certificates.authority.data[0]}
        certificate, key = certificates.client.data
        by_data = {"client-certificate-data": certificate, "client-key-data": key}
        by_file = {
            "client-certificate": str(certificates.client.certificate),
            "client-key": str(certificates.client.key),
        }
        with tls(Server(OBJECTS), tmp_path, certificates.server, certificates.authority) as address:
            results = [dump(config(tmp_path, address, trusted, **user)) for user in (by_data, by_file)]
        assert [result.exit_code for result in results] == [0, 0]

    def test_one_without_a_certificate_is_told(self, certificates, tmp_path):
        trusted = {"certificate-authority-data": certificates.authority.data[0]}
        with tls(Server(OBJECTS), tmp_path, certificates.server, certificates.authority) as address:
            result = dump(config(tmp_path, address, trusted))
        assert (result.exit_code, result.stdout) == (2, "")
        assert "error:" in result.stderr

    def test_a_certificate_that_is_none_is_told(self, certificates, tmp_path):
        nonsense = base64.b64encode(b"nonsense").decode()
        file = config(
            tmp_path, "https://127.0.0.1:9", {}, **{"client-certificate-data": nonsense, "client-key-data": nonsense}
        )
        result = dump(file)
        assert result.exit_code == 2
        assert "the certificates of context 'lab' cannot be used" in result.stderr

    def test_a_plugin_gives_a_certificate(self, certificates, tmp_path, monkeypatch):
        monkeypatch.chdir("/")  # what lies below the current folder is a checkout
        credentials = {
            "clientCertificateData": certificates.client.certificate.read_text(),
            "clientKeyData": certificates.client.key.read_text(),
        }
        trusted = {"certificate-authority-data": certificates.authority.data[0]}
        plugin = plugin_of(tmp_path, f"print(json.dumps({{'status': {credentials!r}}}))")
        with tls(Server(OBJECTS), tmp_path, certificates.server, certificates.authority) as address:
            assert dump(config(tmp_path, address, trusted, exec=plugin)).exit_code == 0

    def test_a_plugin_knows_the_cluster_if_it_asks_for_it(self, certificates, tmp_path, monkeypatch):
        monkeypatch.chdir("/")
        authority, _ = certificates.authority.data
        token = "info['spec']['cluster']['server'] + info['spec']['cluster']['certificate-authority-data'][:9]"
        plugin = plugin_of(tmp_path, f"print(json.dumps({{'status': {{'token': {token}}}}}))")
        server = Server(OBJECTS)
        with tls(server, tmp_path, certificates.server) as address:
            server.token = address + authority[:9]
            trusted = {"certificate-authority-data": authority}
            assert dump(config(tmp_path, address, trusted, exec=plugin | {"provideClusterInfo": True})).exit_code == 0

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("sys.exit(3)", "gave no credentials"),
            ("print('hello')", "printed no ExecCredential"),
            ("print('[]')", "printed no ExecCredential"),
        ],
    )
    def test_a_plugin_that_fails_is_told(self, tmp_path, monkeypatch, body, message):
        monkeypatch.chdir("/")
        result = dump(config(tmp_path, "https://127.0.0.1:9", {}, exec=plugin_of(tmp_path, body)))
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr

    def test_a_plugin_whose_token_has_expired_is_asked_again(self, certificates, tmp_path, monkeypatch):
        monkeypatch.chdir("/")
        counted = tmp_path / "counted"
        body = (
            f"file = open({str(counted)!r}, 'a+'); file.write('x'); file.seek(0)\n"
            "print(json.dumps({'status': {'token': 'token-%d' % len(file.read())}}))"
        )

        def fault(_path: str, _query: Any, number: int) -> None:
            if number == 4:
                server.token = "token-2"

        server = Server(OBJECTS, fault, token="token-1")
        trusted = {"certificate-authority-data": certificates.authority.data[0]}
        with tls(server, tmp_path, certificates.server) as address:
            assert dump(config(tmp_path, address, trusted, exec=plugin_of(tmp_path, body))).exit_code == 0

    def test_a_request_during_a_renewal_has_the_age_of_the_token_that_expires(self, monkeypatch):
        ages: list[int] = []
        monkeypatch.setattr(credentials_module, "_ask", lambda *_: {"token": "old"})
        credentials = Credentials(Access(name="lab", server="https://lab", plugin=Plugin("plugin")))

        def ask(*_: Any) -> dict[str, str]:
            ages.append(credentials.age)
            return {"token": "new"}

        monkeypatch.setattr(credentials_module, "_ask", ask)
        assert credentials.renew(0)
        assert (ages, credentials.age) == ([0], 1)
        assert credentials.renew(0)  # it is renewed already
        assert ages == [0]

    def test_the_account_of_a_pod(self, certificates, tmp_path, monkeypatch):
        (tmp_path / "ca.crt").write_bytes(certificates.authority.certificate.read_bytes())
        (tmp_path / "token").write_text("of the account\n")
        monkeypatch.setattr(kubeconfig_module, "ACCOUNT", str(tmp_path))
        with tls(Server(OBJECTS, token="of the account"), tmp_path, certificates.server) as address:
            parts = urlsplit(address)
            monkeypatch.setenv("KUBERNETES_SERVICE_HOST", str(parts.hostname))
            monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(parts.port))
            result = CliRunner().invoke(main, ["dump", "--context", "in-cluster"], prog_name="virtcatalog")
        assert result.exit_code == 0, result.output


def plugin_of(folder: Path, body: str) -> dict[str, Any]:
    program = folder / "plugin"
    program.write_text(
        f"#!{sys.executable}\nimport json, os, sys\ninfo = json.loads(os.environ['KUBERNETES_EXEC_INFO'])\n{body}\n"
    )
    program.chmod(0o755)
    return {"apiVersion": "client.authentication.k8s.io/v1", "command": "./plugin"}


@contextmanager
def proxy(address: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield a proxy that leads to one server, whatever it is called, and what it was asked for, by whom."""
    requests: list[tuple[str, str]] = []
    target = urlsplit(address)

    class Proxy(Handler):
        def do_CONNECT(self) -> None:
            requests.append((self.path, self.headers.get("Proxy-Authorization", "")))
            with socket.create_connection((str(target.hostname), target.port or 443)) as there:
                self.send_response(200)
                self.end_headers()
                relay(self.connection, there)
            self.close_connection = True

    with served(Proxy) as address:
        yield address, requests


def relay(here: socket.socket, there: socket.socket) -> None:
    while True:
        for ready in select.select([here, there], [], [])[0]:
            content = ready.recv(2**16)
            if not content:
                return
            (there if ready is here else here).sendall(content)


class TestProxies:
    NAME = "https://kube.example.org:6443"

    @pytest.fixture
    def through(self, certificates: Certificates, tmp_path: Path) -> Iterator[tuple[str, list[tuple[str, str]], str]]:
        """A proxy to a server that is called otherwise, what it was asked for, and the authority."""
        authority, _ = certificates.authority.data
        with tls(Server(OBJECTS), tmp_path, certificates.named) as address, proxy(address) as (place, requests):
            yield place, requests, authority

    @pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy"])
    def test_the_environment_names_one(self, through, tmp_path, monkeypatch, variable):
        place, requests, authority = through
        monkeypatch.setenv(variable, f"http://{place}")
        result = dump(config(tmp_path, self.NAME, {"certificate-authority-data": authority}))
        assert result.exit_code == 0, result.output
        assert {path for path, _ in requests} == {"kube.example.org:6443"}

    def test_the_kubeconfig_names_one_which_counts(self, through, tmp_path, monkeypatch):
        place, requests, authority = through
        monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
        cluster = {"certificate-authority-data": authority, "proxy-url": f"http://me:pass%20word@{place}"}
        result = dump(config(tmp_path, self.NAME, cluster))
        assert result.exit_code == 0, result.output
        login = base64.b64encode(b"me:pass word").decode()
        assert {by for _, by in requests} == {f"Basic {login}"}

    def test_a_proxy_is_no_way_around_trust(self, through, tmp_path, certificates):
        place, _, _ = through
        cluster = {"certificate-authority-data": certificates.other.data[0], "proxy-url": f"http://{place}"}
        result = dump(config(tmp_path, self.NAME, cluster))
        assert (result.exit_code, result.stdout) == (2, "")
        assert "is not trusted" in result.stderr

    @pytest.mark.parametrize(
        ("server", "excepted", "goes"),
        [
            ("https://kube.example.org", "", True),
            ("https://kube.example.org", "example.org", False),
            ("https://kube.example.org", ".example.org", False),
            ("https://kube.example.org", "*.example.org", False),
            ("https://kube.example.org", "ample.org", True),
            ("https://kube.example.org", "else, KUBE.example.org", False),
            ("https://kube.example.org:6443", "kube.example.org:6443", False),
            ("https://kube.example.org:6443", "kube.example.org:443", True),
            ("https://kube.example.org", "*", False),
            ("https://10.96.0.1", "10.96.0.1", False),
            ("https://10.96.0.1:443", "10.0.0.0/8,.svc", False),
            ("https://11.96.0.1", "10.0.0.0/8", True),
            ("https://[fd00::1]:443", "fd00::/8", False),
            ("https://[fd00::1]:443", "[fd00::1]:443", False),
            ("https://127.0.0.1:6443", "", False),
            ("https://[::1]:6443", "", False),
            ("https://localhost:6443", "", False),
        ],
    )
    def test_no_proxy_is_read_as_go_reads_it(self, monkeypatch, server, excepted, goes):
        monkeypatch.setenv("HTTPS_PROXY", "proxy.example.org:3128")
        monkeypatch.setenv("NO_PROXY", excepted)
        proxy = proxy_of(Access(name="lab", server=server))
        assert proxy == (("http://proxy.example.org:3128", "") if goes else ("", ""))

    @pytest.mark.parametrize(("url", "message"), [("socks5://p:1", "socks5:// proxies"), ("http://p:port", "no URL")])
    def test_a_proxy_that_is_of_no_use_is_told(self, url, message):
        with pytest.raises(ClusterError, match=message):
            proxy_of(Access(name="lab", server=self.NAME, proxy=url))
