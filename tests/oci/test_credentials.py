"""Who we are at a registry: docker's config, and helpers."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from virtcatalog.oci.credentials import Login, login
from virtcatalog.oci.reference import OciError

HOST = "registry.example.com"


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A docker config beside every checkout."""
    folder = tmp_path / "docker"
    folder.mkdir()
    monkeypatch.setenv("DOCKER_CONFIG", str(folder))
    return folder / "config.json"


def auth(pair: str) -> str:
    return base64.b64encode(pair.encode()).decode()


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, Login()),
        ({"auths": {"other.example.com": {"auth": auth("a:b")}}}, Login()),
        ({"auths": {HOST: {"auth": auth("a:b:c")}}}, Login("a", "b:c")),
        ({"auths": {f"https://{HOST}/v1/": {"auth": auth("a:b")}}}, Login("a", "b")),
        ({"auths": {HOST: {"username": "a", "password": "b"}}}, Login("a", "b")),
        ({"auths": {HOST: {"auth": auth("a:"), "identitytoken": "t"}}}, Login(identity="t")),
        ({"auths": {HOST: {}}}, Login()),
        ({"auths": {HOST: {"username": "a", "identitytoken": "t"}}}, Login(identity="t")),
        ({"auths": {HOST: {"username": "a"}}}, Login("a", "")),
        ({"auths": {HOST: {"username": "a", "auth": auth("b:c")}}}, Login("a", "")),
        ({"auths": {HOST: {"auth": auth("a:b\0\0")}}}, Login("a", "b")),
        ({"auths": {f"http://{HOST}": {"auth": auth("a:b")}}}, Login("a", "b")),
        ({"auths": {f"{HOST}/v1": {"auth": auth("a:b")}}}, Login()),
        ({"auths": {HOST: "a:b", f"https://{HOST}": {"auth": auth("c:d")}}}, Login("c", "d")),
        ({"auths": [HOST], "credHelpers": [HOST], "credsStore": ""}, Login()),
        ({"credHelpers": {"other.example.com": "test"}, "auths": {HOST: {"auth": auth("a:b")}}}, Login("a", "b")),
    ],
)
def test_auths(docker: Path, config: object, expected: Login) -> None:
    docker.write_text(json.dumps(config))
    assert login(HOST) == expected


def test_docker_hub_has_a_name_of_old(docker: Path) -> None:
    docker.write_text(json.dumps({"auths": {"https://index.docker.io/v1/": {"auth": auth("a:b")}}}))
    assert login("docker.io") == Login("a", "b")


def test_without_a_file_we_are_nobody(docker: Path) -> None:
    assert login(HOST) == Login()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{",
            "is no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        ("[]", "is no docker config"),
        ('"auths"', "is no docker config"),
        (json.dumps({"auths": {HOST: {"auth": "%"}}}), f"auths['{HOST}'].auth is no USER:PASSWORD in base64"),
        (json.dumps({"auths": {HOST: {"auth": "/w=="}}}), f"auths['{HOST}'].auth is no USER:PASSWORD in base64"),
        (
            json.dumps({"auths": {HOST: {"auth": auth("no colon")}}}),
            f"auths['{HOST}'].auth is no USER:PASSWORD in base64",
        ),
        (json.dumps({"credsStore": "../../x"}), "'../../x' is no name of a credential helper"),
        (json.dumps({"credsStore": "-x"}), "'-x' is no name of a credential helper"),
        (json.dumps({"credHelpers": {HOST: "é"}}), "'é' is no name of a credential helper"),
    ],
)
def test_configs_that_cannot_be_used(docker: Path, text: str, message: str) -> None:
    docker.write_text(text)
    with pytest.raises(OciError) as refused:
        login(HOST)
    assert str(refused.value) == f"{docker}: {message}"


def test_a_config_that_nests_too_deep_is_none(docker: Path) -> None:
    docker.write_text("[" * 100_000)
    with pytest.raises(OciError, match=rf"^{docker}: is no JSON: "):
        login(HOST)


def test_the_file_is_that_of_the_environment_or_of_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, user in (("named", "a"), ("docker", "b"), ("home/.docker", "c")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "config.json").write_text(json.dumps({"auths": {HOST: {"auth": auth(f"{user}:x")}}}))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "named/config.json"))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "docker"))
    assert login(HOST) == Login("a", "x")
    monkeypatch.delenv("REGISTRY_AUTH_FILE")
    assert login(HOST) == Login("b", "x")
    monkeypatch.delenv("DOCKER_CONFIG")
    assert login(HOST) == Login("c", "x")


@pytest.mark.parametrize("key", [{"credsStore": "test"}, {"credHelpers": {HOST: "test"}}])
def test_a_helper_is_asked(
    docker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: dict[str, object]
) -> None:
    docker.write_text(json.dumps(key))
    helper = tmp_path / "bin/docker-credential-test"
    helper.parent.mkdir()
    monkeypatch.setenv("PATH", f"{helper.parent}:/usr/bin:/bin")
    for script, expected in (
        ('read server; echo "{\\"Username\\": \\"$1\\", \\"Secret\\": \\"$server\\"}"', Login("get", HOST)),
        ('echo \'{"Username": "<token>", "Secret": "t"}\'', Login(identity="t")),
        ("echo credentials not found in native keychain; exit 1", Login()),
    ):
        helper.write_text(f"#!/bin/sh\n{script}\n")
        helper.chmod(0o755)
        assert login(HOST) == expected
    for script, message in (
        ("echo locked; exit 2", "gave no credentials: locked"),
        ("exit 3", "gave no credentials: 3"),
        ("echo {", "printed no credentials"),
        ("echo '{}'", "printed no credentials"),
        ("echo '[]'", "printed no credentials"),
        ("printf '[%.0s' $(seq 100000)", "printed no credentials"),
    ):
        helper.write_text(f"#!/bin/sh\n{script}\n")
        with pytest.raises(OciError) as refused:
            login(HOST)
        assert str(refused.value) == f"docker-credential-test {message}"
    helper.chmod(0o644)
    with pytest.raises(OciError, match=r"^docker-credential-test gave no credentials: .*Permission denied"):
        login(HOST)


def test_a_file_that_is_named_has_to_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "gone.json"))
    with pytest.raises(OciError) as refused:
        login(HOST)
    assert str(refused.value) == f"{tmp_path}/gone.json: there is no such file or folder"


def test_a_helper_for_a_host_comes_before_that_for_all(docker: Path) -> None:
    docker.write_text(json.dumps({"credsStore": "all", "credHelpers": {HOST: "own/one"}}))
    with pytest.raises(OciError) as refused:
        login(HOST)
    assert str(refused.value) == f"{docker}: 'own/one' is no name of a credential helper"


def test_a_checkout_names_no_helper(docker: Path, surroundings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (surroundings / "config.json").write_text(json.dumps({"credsStore": "test"}))
    monkeypatch.setenv("DOCKER_CONFIG", str(surroundings))
    with pytest.raises(OciError) as refused:
        login(HOST)
    assert str(refused.value) == (
        f"{surroundings}/config.json: lies in the checkout {surroundings}, "
        "and anybody may name credential helpers there"
    )


@pytest.mark.parametrize(
    ("login", "header"),
    [
        (Login("maintainer", "a:b"), "Basic bWFpbnRhaW5lcjphOmI="),
        (Login("maintainer"), "Basic bWFpbnRhaW5lcjo="),
        (Login(password="secret"), ""),
        (Login(identity="t"), ""),
        (Login(), ""),
    ],
)
def test_a_user_is_told_as_http_has_it(login, header):
    assert login.basic == header


def test_a_helper_knows_docker_hub_by_its_name_of_old(
    docker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper = tmp_path / "bin/docker-credential-test"
    helper.parent.mkdir()
    helper.write_text('#!/bin/sh\nread server; echo "{\\"Username\\": \\"$server\\", \\"Secret\\": \\"s\\"}"\n')
    helper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{helper.parent}:/usr/bin:/bin")
    for name in ("docker.io", "https://index.docker.io/v1/"):
        docker.write_text(json.dumps({"credHelpers": {name: "test"}}))
        assert login("docker.io") == Login("https://index.docker.io/v1/", "s")
