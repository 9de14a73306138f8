"""What is said of registries, artifacts and stores that cannot be used: whole sentences, without a registry."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from virtcatalog.oci import reference, registry
from virtcatalog.oci.credentials import login
from virtcatalog.oci.image import FLUX_LAYER, LAYER, content_layer, image_of, read_manifest
from virtcatalog.oci.reference import OciError, Reference, parse
from virtcatalog.oci.registry import Answer, Registry
from virtcatalog.oci.store import Store, layer_of
from virtcatalog.oci.transfer import _attach

DIGEST = f"sha256:{'0' * 64}"
PLACE = Reference("r.example.com", "a")


def sentence(call: Callable[[], object]) -> str:
    """What is said of what cannot be done."""
    with pytest.raises(OciError) as refused:
        call()
    return str(refused.value)


def test_a_trust_config_has_to_be_there(tmp_path: Path) -> None:
    file = f"{tmp_path}/none"
    assert sentence(lambda: reference.content_of(file)) == f"{file}: there is no such file or folder"


def test_what_is_not_installed_is_named_with_what_installs_it() -> None:
    assert sentence(lambda: reference.need("json", "no_such_module")) == (
        "this needs the extra: pip install 'virtcatalog[oci]' (No module named 'no_such_module')"
    )


def test_what_is_no_reference_is_told_how_one_is_written() -> None:
    assert sentence(lambda: parse("https://x/y")) == (
        "'https://x/y' is no artifact: write oci://HOST/REPOSITORY:TAG or …@sha256:DIGEST"
    )


def manifest(*layers: tuple[str, int], config: str = DIGEST) -> bytes:
    return json.dumps(
        {
            "schemaVersion": 2,
            "config": {"mediaType": "c", "digest": config, "size": 1},
            "layers": [{"mediaType": kind, "digest": DIGEST, "size": size} for kind, size in layers],
        }
    ).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "its manifest is none of one artifact: Expected `object`, got `array`"),
        (
            b'{"x": ' + b"[" * 100_000,
            "its manifest is none of one artifact: maximum recursion depth exceeded while deserializing an object",
        ),
        (manifest((LAYER, -1)), f"its manifest says that {DIGEST} has -1 bytes"),
        (manifest(config="sha256:x" * 20), f"its manifest names {('sha256:x' * 20)[:71]!r}, which is no sha256 digest"),
        (manifest(), f"it has to have one layer of {LAYER}, and has 0 (none)"),
        (manifest(("x" * 101, 1)), f"it has to have one layer of {LAYER}, and has 1 ({'x' * 100})"),
        (
            manifest((LAYER, 1), (FLUX_LAYER, 1), ("c", 1), ("d", 1)),
            f"it has to have one layer of {LAYER}, and has 4 ({LAYER}, {FLUX_LAYER}, c)",
        ),
        (manifest((LAYER, 2**26 + 1)), "its layer has 67,108,865 bytes, more than 64 MiB"),
    ],
)
def test_manifests_that_are_none_of_an_artifact_of_files(content: bytes, message: str) -> None:
    assert sentence(lambda: layer_of(PLACE, content)) == f"oci://r.example.com/a: {message}"


@pytest.mark.parametrize("size", [0, 2**26])
@pytest.mark.parametrize("kind", [LAYER, FLUX_LAYER])
def test_layers_of_any_size_up_to_the_largest(kind: str, size: int) -> None:
    content = manifest((kind, size))
    assert layer_of(PLACE, content) == content_layer(read_manifest(content))


def registry_of(answers: list[Answer], monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry that gives these answers, one after the other."""
    one, rest = Registry(PLACE, wait=lambda _: None), iter(answers)
    monkeypatch.setattr(one, "_send", lambda *_: next(rest))
    return one


def challenge(text: str) -> Answer:
    return Answer(401, {"WWW-Authenticate": text}, b"")


BEARER = challenge('Bearer realm="https://t.example.com/token",service="s"')
ERRORS = json.dumps({"errors": [{"code": "DENIED", "message": "not you"}, {"code": "UNKNOWN"}]}).encode()
MANIFEST = "oci://r.example.com/a: the manifest v1: "
UNKNOWN = "oci://r.example.com/a: the registry wants credentials of a kind that is not known: "


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([challenge('Digest realm="x"')], f"{UNKNOWN}'Digest realm=\"x\"'"),
        ([challenge("Bearer")], f"{UNKNOWN}'Bearer'"),
        (
            [challenge('Basic realm="x"')],
            "oci://r.example.com/a: the registry wants a login: docker login r.example.com",
        ),
        ([BEARER, Answer(200, {}, b"{}")], "oci://r.example.com/a: https://t.example.com/token gave no token"),
        ([BEARER, Answer(200, {}, b"[]")], "oci://r.example.com/a: https://t.example.com/token gave no token"),
        ([BEARER, Answer(200, {}, b"no JSON")], "oci://r.example.com/a: https://t.example.com/token gave no token"),
        ([BEARER, Answer(403, {}, ERRORS)], "oci://r.example.com/a: a token: DENIED not you; UNKNOWN (403)"),
        (
            [BEARER, Answer(200, {}, b'{"token": "t"}'), Answer(401, {}, b"")],
            f"{MANIFEST}the registry answers with status 401; log in again: docker login r.example.com",
        ),
        ([Answer(400, {}, b'{"errors": [1]}')], f"{MANIFEST}the registry answers with status 400"),
        ([Answer(400, {}, b'{"errors": []}')], f"{MANIFEST}the registry answers with status 400"),
        (
            [Answer(503, {}, ERRORS)] * 4,
            "oci://r.example.com/a: no answer to GET /v2/a/manifests/v1: DENIED not you; UNKNOWN (503)",
        ),
        (
            [BEARER] + [Answer(503, {}, ERRORS)] * 4,
            "oci://r.example.com/a: no answer to GET https://t.example.com/token: DENIED not you; UNKNOWN (503)",
        ),
    ],
)
def test_registries_that_give_no_manifest(monkeypatch: pytest.MonkeyPatch, answers: list[Answer], message: str) -> None:
    one = registry_of(answers, monkeypatch)
    assert sentence(lambda: one.manifest("v1")) == message


def test_a_registry_that_has_nothing_by_a_name_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registry_of([Answer(404, {}, b"")], monkeypatch).manifest("v1") is None


@pytest.mark.parametrize("grant", [{"token": "t"}, {"access_token": "t"}, {"token": "t", "access_token": "u"}])
def test_a_token_is_taken_by_either_name(monkeypatch: pytest.MonkeyPatch, grant: dict[str, str]) -> None:
    one = registry_of([BEARER, Answer(200, {}, json.dumps(grant).encode()), Answer(200, {}, b"{}")], monkeypatch)
    assert one.manifest("v1") == b"{}"
    assert one._authorization == "Bearer t"


def broken(monkeypatch: pytest.MonkeyPatch, *answers: Answer) -> list[float]:
    """How long a registry is waited for that gives these answers and then breaks every connection."""
    waits: list[float] = []
    one, rest = Registry(PLACE, wait=waits.append), iter(answers)

    def refuse(*_: object) -> Answer:
        if answer := next(rest, None):
            return answer
        raise registry._TransportError("the connection is broken")

    monkeypatch.setattr(one, "_send", refuse)
    where = "https://t.example.com/token" if answers else "/v2/a/manifests/v1"
    assert sentence(lambda: one.manifest("v1")) == (
        f"oci://r.example.com/a: no answer to GET {where}: the connection is broken"
    )
    return waits


def test_a_request_that_gets_no_whole_answer_is_sent_four_times(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken(monkeypatch) == [0.5, 1.0, 2.0]


def test_so_is_one_for_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken(monkeypatch, BEARER) == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "Expected `object`, got `array`"),
        (b'{"x": ' + b"[" * 100_000, "maximum recursion depth exceeded while deserializing an object"),
    ],
    ids=["list", "deep"],
)
def test_a_list_of_artifacts_that_is_none(monkeypatch: pytest.MonkeyPatch, content: bytes, message: str) -> None:
    image = image_of({"a": b"a"}, {})
    answers = [Answer(200, {}, b"")] * 2 + [Answer(201, {}, b""), Answer(200, {}, content)]
    one = registry_of(answers, monkeypatch)
    assert sentence(lambda: _attach(one, DIGEST, image)) == (
        f"oci://r.example.com/a:{DIGEST.replace(':', '-')}: is no list of artifacts: {message}"
    )


def test_a_helper_has_to_be_there_and_is_named_by_no_checkout(
    tmp_path: Path, surroundings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (tmp_path, surroundings):
        (folder / "config.json").write_text('{"credsStore": "none"}')
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    assert sentence(lambda: login("r.example.com")) == (
        "docker-credential-none gave no credentials: [Errno 2] No such file or directory: 'docker-credential-none'"
    )
    monkeypatch.setenv("DOCKER_CONFIG", str(surroundings))
    assert sentence(lambda: login("r.example.com")) == (
        f"{surroundings}/config.json: lies in the checkout {surroundings}, "
        "and anybody may name credential helpers there"
    )


def test_a_store_without_a_home_and_one_that_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(str(tmp_path / "cache"))
    store.put(b"x")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    assert sentence(lambda: store.put(b"y")) == (
        f"{tmp_path}/cache/oci: No space left on device: artifacts cannot be kept there"
    )
    assert len(list((tmp_path / "cache/oci").iterdir())) == 1
    monkeypatch.delenv("VIRTCATALOG_CACHE")
    monkeypatch.setattr("virtcatalog.oci.store.default_folder", lambda: "")
    assert sentence(Store) == "there is no folder to keep artifacts in: name one in VIRTCATALOG_CACHE"
