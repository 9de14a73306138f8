"""A registry that sends its clients to a token server, as those of GitHub, GitLab and Docker do."""

from __future__ import annotations

import base64
import json
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from asking import digest, pull, push
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_pem_x509_certificate
from registries import PASSWORD, USER, Running, docker_config, registry

from certificates import Pair, authority, signed
from serving import Handler, served

SERVICE, ISSUER, REFRESH = "registry.test", "tokens.test", "an identity token"


class Asked(NamedTuple):
    """A request for a token: how, for what, and as whom."""

    verb: str
    scope: str
    authorization: str


class Server(NamedTuple):
    """A registry with its token server, and what that was asked."""

    registry: Running
    requests: list[Asked]


@contextmanager
def tokens(pair: Pair, signer: Pair, requests: list[Asked]) -> Iterator[str]:
    """Yield the address of a token server; who has a password, or an identity token, gets all that it asks for."""

    class Tokens(Handler):
        def do_GET(self) -> None:
            self.answer(parse_qs(urlsplit(self.path).query), self.headers.get("Authorization", "") == basic)

        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/x-www-form-urlencoded"
            form = parse_qs(self.content().decode())
            assert form["client_id"] == ["virtcatalog"]
            self.answer(form, form["grant_type"] == ["refresh_token"] and form["refresh_token"] == [REFRESH])

        def answer(self, query: dict[str, list[str]], authenticated: bool) -> None:
            [scope], [service] = query["scope"], query["service"]
            assert service == SERVICE
            requests.append(Asked(self.command, scope, self.headers.get("Authorization", "")))
            kind, name, actions = scope.split(":")
            now = int(time.time())
            access = [{"type": kind, "name": name, "actions": actions.split(",")}]
            claims = {"iss": ISSUER, "sub": USER, "aud": SERVICE, "access": access, "jti": str(len(requests))}
            claims |= {"exp": now + 300, "nbf": now - 10, "iat": now}
            der = load_pem_x509_certificate(signer.certificate.read_bytes()).public_bytes(Encoding.DER)
            headers = {"x5c": [base64.b64encode(der).decode()]}
            token = jwt.encode(claims, signer.key.read_text(), algorithm="ES256", headers=headers)
            key = "access_token" if self.command == "POST" else "token"
            self.respond(200 if authenticated else 401, {key: token} if authenticated else {})

    basic = f"Basic {base64.b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*pair)
    with served(Tokens, context) as address:
        yield f"https://{address}/token"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("tokens")
    ours, requests = authority(folder, "authority"), list[Asked]()
    pair = signed(ours, folder, "server", "-addext", "subjectAltName=IP:127.0.0.1")
    signer = authority(folder, "signer")
    with tokens(pair, signer, requests) as realm:
        wanted: dict[str, object] = {"realm": realm, "service": SERVICE, "issuer": ISSUER}
        with registry(folder, ours, pair, {**wanted, "rootcertbundle": str(signer.certificate)}) as running:
            yield Server(running, requests)


def test_a_password_gets_a_token_for_what_is_done(server: Server, house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(server.registry.docker))
    server.requests.clear()
    pushed = digest(push(server.registry, "team/house:v1"))
    scopes = [one.scope.rpartition(":") for one in server.requests]
    assert {name for name, _, _ in scopes} == {"repository:team/house"}
    assert {frozenset(actions.split(",")) for _, _, actions in scopes} == {
        frozenset({"pull"}),
        frozenset({"pull", "push"}),
    }
    assert digest(pull(server.registry, f"team/house@{pushed}", "there")) == pushed


def test_an_identity_token_of_docker_login(
    server: Server, house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "identity"
    folder.mkdir()
    auth = base64.b64encode(b"00000000-0000-0000-0000-000000000000:").decode()
    entry = {"auth": auth, "identitytoken": REFRESH}
    (folder / "config.json").write_text(json.dumps({"auths": {server.registry.host: entry}}))
    monkeypatch.setenv("DOCKER_CONFIG", str(folder))
    server.requests.clear()
    digest(push(server.registry, "team/identity:v1"))
    assert {(one.verb, one.authorization) for one in server.requests} == {("POST", "")}


def test_whom_the_token_server_does_not_know(
    server: Server, house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = push(server.registry, "team/house:v2")
    assert (refused.exit_code, "a token: the registry answers with status 401" in refused.stderr) == (2, True)
    wrong = docker_config(tmp_path / "wrong", server.registry.host, password="guess")
    monkeypatch.setenv("DOCKER_CONFIG", str(wrong))
    assert "a token: the registry answers with status 401" in push(server.registry, "team/house:v2").stderr
