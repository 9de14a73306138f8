"""Registries that do what they should not, and those that send us elsewhere: what is asked, and what is not told."""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from asking import run
from registries import docker_config

from serving import Handler, served
from virtcatalog.limits import ARTIFACT_BYTES
from virtcatalog.oci.image import CATALOG, digest_of, image_of
from virtcatalog.oci.reference import OciError, Reference
from virtcatalog.oci.registry import Answer, Registry

Answers = Callable[[BaseHTTPRequestHandler], tuple[int, dict[str, str], bytes]]


class Fake:
    """A server that answers GET as a test says, and remembers who asked for what."""

    def __init__(self) -> None:
        self.host = ""
        self.requests: list[tuple[str, str | None]] = []
        self.answers: Answers = lambda _: (404, {}, b"")


@contextmanager
def fake() -> Iterator[Fake]:
    ours = Fake()

    class Answering(Handler):
        def do_GET(self) -> None:
            ours.requests.append((self.path, self.headers.get("Authorization")))
            status, headers, body = ours.answers(self)
            self.respond(status, body, headers)

    with served(Answering) as ours.host:
        yield ours


@pytest.fixture
def server() -> Iterator[Fake]:
    with fake() as one:
        yield one


@pytest.fixture
def storage() -> Iterator[Fake]:
    with fake() as one:
        yield one


@pytest.fixture
def registry(server: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    monkeypatch.setenv("DOCKER_CONFIG", str(docker_config(tmp_path / "docker", server.host)))
    return Registry(Reference(server.host, "a"), plain_http=True, wait=lambda _: None)


def login(handler: BaseHTTPRequestHandler) -> bool:
    return bool(handler.headers.get("Authorization"))


def test_credentials_go_to_the_registry_and_not_where_it_sends_us(
    registry: Registry, server: Fake, storage: Fake
) -> None:
    server.answers = lambda handler: (
        (307, {"Location": f"http://{storage.host}/blob"}, b"")
        if login(handler)
        else (401, {"WWW-Authenticate": 'Basic realm="x"'}, b"")
    )
    storage.answers = lambda _: (200, {}, b"content")
    assert registry.blob(digest_of(b"content"), 7) == b"content"
    basic = f"Basic {base64.b64encode(b'maintainer:secret').decode()}"
    assert [who for _, who in server.requests] == [None, basic]
    assert storage.requests == [("/blob", None)]


def test_it_does_not_go_in_circles(registry: Registry, server: Fake) -> None:
    server.answers = lambda handler: (307, {"Location": handler.path}, b"")
    with pytest.raises(OciError) as refused:
        registry.blob(digest_of(b""), 0)
    assert str(refused.value) == f"oci://{server.host}/a: the registry redirects more than 5 times"
    assert len(server.requests) == 5


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://registry.example.com/x"])
def test_it_goes_by_http_alone(registry: Registry, server: Fake, place: str) -> None:
    server.answers = lambda _: (307, {"Location": place}, b"")
    with pytest.raises(OciError) as refused:
        registry.manifest("v1")
    assert str(refused.value) == f"oci://{server.host}/a: the registry leads to {place}, which is not https"


@pytest.mark.parametrize("place", ["https://[x", "https://registry.example.com:99999/"])
@pytest.mark.parametrize("status", [307, 401])
def test_it_leads_to_no_url(registry: Registry, server: Fake, status: int, place: str) -> None:
    realm = f'Bearer realm="{place}",service="s"'
    server.answers = lambda _: (status, {"Location": place, "WWW-Authenticate": realm}, b"")
    with pytest.raises(OciError) as refused:
        registry.manifest("v1")
    assert str(refused.value) == f"oci://{server.host}/a: the registry leads to {place!r}, which is no URL"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_it_follows_every_redirect_of_what_is_read(registry: Registry, server: Fake, status: int) -> None:
    server.answers = lambda handler: (
        (200, {}, b"content") if handler.path == "/b?c=d" else (status, {"Location": "/b?c=d"}, b"")
    )
    assert registry.blob(digest_of(b"content"), 7) == b"content"
    assert [path for path, _ in server.requests] == [f"/v2/a/blobs/{digest_of(b'content')}", "/b?c=d"]


def test_a_redirect_to_nowhere_is_an_answer(registry: Registry, server: Fake) -> None:
    server.answers = lambda _: (307, {}, b"")
    with pytest.raises(OciError) as refused:
        registry.manifest("v1")
    assert str(refused.value) == (f"oci://{server.host}/a: the manifest v1: the registry answers with status 307")


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_that_breaks_off_is_asked_for_again(registry: Registry, server: Fake, packed: bool) -> None:
    encoded, headers = (gzip.compress(b"content"), {"Content-Encoding": "gzip"}) if packed else (b"content", {})
    cut = {**headers, "Content-Length": str(len(encoded) + 2), "Connection": "close"}
    server.answers = lambda _: (200, cut, encoded) if len(server.requests) < 3 else (200, headers, encoded)
    assert registry.blob(digest_of(b"content"), 7) == b"content"
    assert len(server.requests) == 3


def test_what_is_asked_says_who_asks_and_what_it_takes(registry: Registry, server: Fake) -> None:
    seen: list[tuple[str | None, str | None]] = []

    def answer(handler: BaseHTTPRequestHandler) -> tuple[int, dict[str, str], bytes]:
        seen.append((handler.headers["User-Agent"], handler.headers["Accept"]))
        return 200, {}, b"content"

    server.answers = answer
    registry.manifest("v1")
    registry.blob(digest_of(b"content"), 7)
    kinds = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json"
    assert seen == [("virtcatalog", kinds), ("virtcatalog", None)]


@pytest.mark.parametrize(
    ("parameters", "query"),
    [
        ('service="s"', "?service=s&scope=repository%3Aa%3Apull"),
        ('service="s",scope="repository:b:pull"', "?service=s&scope=repository%3Ab%3Apull"),
        ("", "?service=&scope=repository%3Aa%3Apull"),
        ('a="b\\"c",service="s"', "?service=s&scope=repository%3Aa%3Apull"),
    ],
)
def test_a_token_is_asked_for_what_is_done(registry: Registry, server: Fake, parameters: str, query: str) -> None:
    realm = f"http://{server.host}/token"
    server.answers = lambda handler: (
        (200, {}, b'{"token": "t"}')
        if handler.path.startswith("/token")
        else (200, {}, b"content")
        if handler.headers["Authorization"] == "Bearer t"
        else (401, {"WWW-Authenticate": f'bearer realm="{realm}",{parameters}'}, b"")
    )
    assert registry.manifest("v1") == b"content"
    basic = f"Basic {base64.b64encode(b'maintainer:secret').decode()}"
    place = "/v2/a/manifests/v1"
    assert server.requests == [(place, None), (f"/token{query}", basic), (place, "Bearer t")]
    registry.manifest("v1")
    assert server.requests[3:] == [(place, "Bearer t")]


def test_a_realm_may_have_a_query(registry: Registry, server: Fake) -> None:
    realm = f"http://{server.host}/token?account=me"
    server.answers = lambda handler: (
        (200, {}, b'{"token": "t"}')
        if handler.path.startswith("/token")
        else (404, {}, b"")
        if handler.headers["Authorization"]
        else (401, {"WWW-Authenticate": f'Bearer realm="{realm}",service="s"'}, b"")
    )
    assert registry.manifest("v1") is None
    assert server.requests[1][0] == "/token?account=me&service=s&scope=repository%3Aa%3Apull"


@pytest.mark.parametrize(
    ("host", "root"),
    [("docker.io", "https://registry-1.docker.io"), ("r.example.com:5000", "https://r.example.com:5000")],
)
def test_docker_hub_has_its_registry_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, root: str
) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    urls: list[str] = []

    def send(_verb: str, url: str, *_: object) -> Answer:
        urls.append(url)
        return Answer(404, {}, b"")

    one = Registry(Reference(host, "team/a"))
    monkeypatch.setattr(one, "_send", send)
    assert one.manifest("v1") is None
    assert urls == [f"{root}/v2/team/a/manifests/v1"]
    assert one.place == f"oci://{host}/team/a"


def test_an_answer_is_no_longer_than_it_may_be(registry: Registry, server: Fake) -> None:
    server.answers = lambda _: (200, {}, b"x" * 9)
    digest = digest_of(b"x" * 8)
    with pytest.raises(OciError) as refused:
        registry.blob(digest, 8)
    assert str(refused.value) == f"oci://{server.host}/a: /v2/a/blobs/{digest} has more than 8 bytes"


def test_a_manifest_of_another_digest_is_refused(server: Fake) -> None:
    image = image_of({"a": b"a"}, {})
    server.answers = lambda _: (200, {}, image.manifest)
    digest = f"sha256:{'0' * 64}"
    refused = run("pull", f"oci://{server.host}/a@{digest}", "--plain-http")
    assert refused.exit_code == 2
    assert f"a@{digest}: the registry gave a manifest of {image.descriptor.digest}" in refused.stderr


def test_what_is_overloaded_is_asked_again(registry: Registry, server: Fake) -> None:
    server.answers = lambda _: (503, {}, b"") if len(server.requests) < 3 else (200, {}, b"content")
    assert registry.blob(digest_of(b"content"), 7) == b"content"
    assert len(server.requests) == 3


def test_a_registry_that_never_answers_ends(registry: Registry, server: Fake) -> None:
    server.answers = lambda _: (503, {}, json.dumps({"errors": [{"code": "BUSY", "message": "later"}]}).encode())
    with pytest.raises(OciError, match=r"no answer to GET /v2/a/manifests/v1: BUSY later \(503\)"):
        registry.manifest("v1")


@pytest.mark.parametrize("challenge", ["", "Negotiate", 'Bearer service="x"'])
def test_credentials_of_other_kinds(registry: Registry, server: Fake, challenge: str) -> None:
    server.answers = lambda _: (401, {"WWW-Authenticate": challenge}, b"")
    with pytest.raises(OciError, match="credentials of a kind that is not known"):
        registry.manifest("v1")


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'"token"', b"1"])
def test_a_token_server_that_gives_no_token(registry: Registry, server: Fake, content: bytes) -> None:
    realm = f"http://{server.host}/token"
    server.answers = lambda handler: (
        (200, {}, content)
        if handler.path.startswith("/token")
        else (401, {"WWW-Authenticate": f'Bearer realm="{realm}",service="s"'}, b"")
    )
    with pytest.raises(OciError) as refused:
        registry.manifest("v1")
    assert str(refused.value) == f"oci://{server.host}/a: {realm} gave no token"


def test_a_certificate_authority_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "ca.crt"
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))

    def refusal(authority: str) -> str:
        with pytest.raises(OciError) as refused:
            Registry(Reference("registry.example.com", "a"), authority=authority).manifest("v1")
        return str(refused.value)

    assert refusal(str(file)) == f"{file}: there is no such file or folder"
    for content in (b"", b"no certificate", b"\xff\0"):
        file.write_bytes(content)
        assert refusal(str(file)).startswith(f"{file}: holds no certificates that can be used: ")
    file.unlink()
    os.mkfifo(file)
    assert refusal(str(file)) == f"{file}: is no regular file"


def test_it_goes_by_the_proxy_of_the_environment(
    registry: Registry, server: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    server.answers = lambda handler: (seen.append(handler.headers["Proxy-Authorization"]), (404, {}, b""))[1]
    monkeypatch.setenv("http_proxy", f"http://me:word@{server.host}")
    monkeypatch.delenv("no_proxy", raising=False)
    other = Registry(Reference("registry.example.com", "a"), plain_http=True, wait=lambda _: None)
    assert other.manifest("v1") is None
    assert [path for path, _ in server.requests] == ["http://registry.example.com/v2/a/manifests/v1"]
    assert seen == ["Basic bWU6d29yZA=="]
    monkeypatch.setenv("http_proxy", "socks9://x")
    other = Registry(Reference("registry.example.com", "a"), plain_http=True, wait=lambda _: None)
    with pytest.raises(OciError, match=r"^the proxy of the environment: "):
        other.manifest("v1")


def test_an_artifact_that_says_it_is_too_large_is_not_fetched(server: Fake) -> None:
    image = image_of({"a": b"a"}, {CATALOG: "a"})
    fields = json.loads(image.manifest)
    fields["layers"][0]["size"] = ARTIFACT_BYTES + 1
    server.answers = lambda _: (200, {}, json.dumps(fields).encode())
    refused = run("pull", f"oci://{server.host}/a:v1", "--plain-http")
    assert refused.exit_code == 2
    assert "more than 64 MiB" in refused.stderr
    assert [path for path, _ in server.requests] == ["/v2/a/manifests/v1"]


def test_an_artifact_of_another_kind_is_not_written(server: Fake) -> None:
    image = image_of({"a": b"a"}, {})
    blobs = {digest_of(blob.content): blob.content for blob in image.blobs}
    server.answers = lambda handler: (200, {}, blobs.get(handler.path.rpartition("/")[2], image.manifest))
    refused = run("pull", f"oci://{server.host}/a:v1", "there", "--plain-http")
    assert refused.exit_code == 2
    assert "is no catalog: it lacks .virtcatalog" in refused.stderr
    assert not Path("there").exists()
