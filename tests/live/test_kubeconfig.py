"""How a cluster is asked, as kubeconfig files say it; and with which credentials."""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from fakeapi import kubeconfig

from virtcatalog.live.client import credentials as credentials_module
from virtcatalog.live.client import kubeconfig as kubeconfig_module
from virtcatalog.live.client.credentials import Credentials
from virtcatalog.live.client.kubeconfig import Access, ClusterError, Plugin, access

V1 = "client.authentication.k8s.io/v1"


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but what a test writes into its folder, which is in no checkout."""
    monkeypatch.chdir("/")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"):
        monkeypatch.delenv(name, raising=False)


def written(folder: Path, data: Any = None, **user: Any) -> str:
    """A kubeconfig file in a folder."""
    file = folder / "config"
    file.write_text(json.dumps(data if data is not None else kubeconfig("https://lab", **user)))
    return str(file)


def refusal(context: str | None = None, file: str | None = None) -> str:
    with pytest.raises(ClusterError) as caught:
        access(context, file)
    return str(caught.value)


class TestOneFile:
    def test_what_it_does_not_say_is_empty(self, tmp_path):
        assert access(kubeconfig=written(tmp_path)) == Access(name="lab", server="https://lab")

    def test_all_that_it_can_say(self, tmp_path):
        data = kubeconfig("http://lab:8080/prefix/")
        (tmp_path / "ca.crt").write_text("authority")
        data["clusters"][0]["cluster"] |= {
            "certificate-authority": "ca.crt",
            "insecure-skip-tls-verify": True,
            "tls-server-name": "kube.example.org",
            "proxy-url": "http://proxy:3128",
        }
        data["users"][0]["user"] = {
            "token": "t",
            "tokenFile": "secrets/token",
            "client-certificate-data": b64encode(b"certificate").decode(),
            "client-certificate": "not-there",
            "client-key-data": b64encode(b"key").decode(),
            "username": "u",
            "password": "p",
            "exec": {
                "apiVersion": V1,
                "command": "bin/plugin",
                "args": ["token", 1],
                "env": [{"name": "A", "value": "b"}, {"name": "C"}, "none"],
                "provideClusterInfo": True,
            },
        }
        assert access(kubeconfig=written(tmp_path, data)) == Access(
            name="lab",
            server="http://lab:8080/prefix",
            authority=b"authority",
            insecure=True,
            server_name="kube.example.org",
            proxy="http://proxy:3128",
            token="t",
            token_file=f"{tmp_path}/secrets/token",
            certificate=b"certificate",
            key=b"key",
            username="u",
            password="p",
            plugin=Plugin(
                command=f"{tmp_path}/bin/plugin",
                args=("token", "1"),
                env=(("A", "b"), ("C", "")),
                api_version=V1,
                provide_cluster_info=True,
            ),
        )

    def test_a_plugin_without_a_folder_is_a_program_of_the_path(self, tmp_path):
        assert access(kubeconfig=written(tmp_path, exec={"command": "kubelogin"})).plugin == Plugin("kubelogin")

    def test_only_true_is_true(self, tmp_path):
        data = kubeconfig("https://lab", exec={"command": "c", "provideClusterInfo": "no"})
        data["clusters"][0]["cluster"]["insecure-skip-tls-verify"] = "no"
        granted = access(kubeconfig=written(tmp_path, data))
        assert (granted.insecure, granted.plugin) == (False, Plugin("c"))

    def test_a_context_without_a_user_has_no_credentials(self, tmp_path):
        data = kubeconfig("https://lab") | {"users": [], "contexts": [{"name": "lab", "context": {"cluster": "lab"}}]}
        assert access(kubeconfig=written(tmp_path, data)) == Access(name="lab", server="https://lab")

    def test_another_context_than_the_current_one(self, tmp_path):
        data = kubeconfig("https://lab")
        data["contexts"].append({"name": "prod", "context": {"cluster": "prod", "user": "me"}})
        data["clusters"].append({"name": "prod", "cluster": {"server": "https://prod"}})
        assert access("prod", written(tmp_path, data)) == Access(name="prod", server="https://prod")

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"current-context": "lap"}, "FILE has no context 'lap'; did you mean 'lab'?"),
            ({"contexts": "none"}, "FILE has no context 'lab'"),
            ({"contexts": [None, {"name": "lab", "context": "lab"}]}, "FILE has no context 'lab'"),
            (
                {"current-context": None},
                "FILE says of no context that it is the current one: name one by --context",
            ),
            ({"clusters": []}, "context 'lab' names 'lab', which is not among the clusters of FILE"),
            ({"users": []}, "context 'lab' names 'me', which is not among the users of FILE"),
            (
                {"contexts": [{"name": "lab", "context": {"user": "me"}}]},
                "context 'lab' names '', which is not among the clusters of FILE",
            ),
            (
                {"clusters": [{"name": "lab", "cluster": {"server": "file:///etc"}}]},
                "FILE: the cluster of context 'lab' has no server that is a URL",
            ),
        ],
    )
    def test_what_is_wrong_with_it(self, tmp_path, change, message):
        file = written(tmp_path, kubeconfig("https://lab") | change)
        assert refusal(file=file) == message.replace("FILE", file)

    @pytest.mark.parametrize(
        "server", ["", "lab:6443", "https://", "https://[::1", "https://lab:99999", "https://lab:x"]
    )
    def test_a_server_that_is_no_url(self, tmp_path, server):
        file = written(tmp_path, kubeconfig(server))
        assert refusal(file=file) == f"{file}: the cluster of context 'lab' has no server that is a URL"

    @pytest.mark.parametrize(
        ("user", "message"),
        [
            (
                {"auth-provider": {"name": "gcp"}},
                "auth-provider is gone from Kubernetes: use exec, with the provider's plugin",
            ),
            ({"as": "root"}, "impersonation (as) is not supported: use an account of its own"),
            ({"client-key-data": "%"}, "client-key-data is not base64: Only base64 data is allowed"),
            ({"client-key": "none.pem"}, "client-key none.pem: there is no such file or folder"),
        ],
    )
    def test_what_is_wrong_with_its_user(self, tmp_path, user, message):
        file = written(tmp_path, **user)
        assert refusal(file=file) == f"{file}: {message}"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "is no kubeconfig"),
            ("[]", "is no kubeconfig"),
            ("a: 1\n---\nb: 1\n", "is no kubeconfig"),
            ("a: [", "is no kubeconfig: is not YAML: the text ends where a value is wanted"),
        ],
    )
    def test_what_is_none(self, tmp_path, text, message):
        (tmp_path / "config").write_text(text)
        assert refusal(file=f"{tmp_path}/config") == f"{tmp_path}/config: {message}"

    def test_one_that_is_named_has_to_be_there(self, tmp_path):
        assert refusal(file=f"{tmp_path}/config") == f"{tmp_path}/config: there is no such file or folder"

    def test_a_plugin_that_a_checkout_names_is_not_started(self, tmp_path):
        (tmp_path / ".git").mkdir()
        file = written(tmp_path, exec={"apiVersion": V1, "command": "touch"})
        assert refusal(file=file) == (
            f"{file}: its exec plugin is not started: whoever commits to this checkout chooses it"
        )


class TestWhichFile:
    def test_several_files_are_one_and_the_first_counts(self, tmp_path, monkeypatch):
        one, other = kubeconfig("https://one"), kubeconfig("https://other")
        one["contexts"] = []
        other["current-context"] = "else"
        for name, data in (("one", one), ("other", other)):
            (tmp_path / name).write_text(json.dumps(data))
        monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/one:{tmp_path}/none::{tmp_path}/other")
        assert access() == Access(name="lab", server="https://one")
        both = f"{tmp_path}/one, {tmp_path}/other"
        assert refusal("prod") == f"{both} has no context 'prod'"

    def test_files_beside_it_are_beside_the_one_that_names_them(self, tmp_path, monkeypatch):
        one, other = kubeconfig("https://lab"), kubeconfig("https://other", tokenFile="token")
        one["users"] = []
        for name, data in (("one", one), ("two", other)):
            (tmp_path / name).mkdir()
            written(tmp_path / name, data)
        monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/one/config:{tmp_path}/two/config")
        assert access() == Access(name="lab", server="https://lab", token_file=f"{tmp_path}/two/token")

    def test_without_another_it_is_the_users_own(self, tmp_path, monkeypatch):
        (tmp_path / ".kube").mkdir()
        written(tmp_path / ".kube")
        assert access().server == "https://lab"
        monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/none")
        assert refusal() == "there is no kubeconfig: name one by --kubeconfig or KUBECONFIG"

    def test_without_any(self):
        assert refusal("lab") == "there is no kubeconfig with the context 'lab': name one by --kubeconfig or KUBECONFIG"


class TestPod:
    @pytest.fixture(autouse=True)
    def account(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kubeconfig_module, "ACCOUNT", str(tmp_path))
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
        (tmp_path / "ca.crt").write_text("PEM")

    @pytest.mark.parametrize(("host", "name"), [("10.0.0.1", "10.0.0.1"), ("fd00::1", "[fd00::1]")])
    def test_its_account_asks_its_cluster(self, tmp_path, monkeypatch, host, name):
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
        expected = Access(
            name="in-cluster", server=f"https://{name}:443", authority=b"PEM", token_file=f"{tmp_path}/token"
        )
        assert access() == access("in-cluster", written(tmp_path)) == expected

    def test_it_knows_no_other_context(self):
        assert refusal("lab").startswith("there is no kubeconfig with the context 'lab': ")

    @pytest.mark.parametrize("variable", ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"])
    def test_what_is_in_no_pod_has_no_account(self, monkeypatch, variable):
        monkeypatch.delenv(variable)
        assert refusal() == "there is no kubeconfig: name one by --kubeconfig or KUBECONFIG"

    def test_an_account_without_an_authority(self, tmp_path):
        (tmp_path / "ca.crt").unlink()
        assert refusal() == f"{tmp_path}/ca.crt: there is no such file or folder"


def of(**fields: Any) -> Credentials:
    return Credentials(Access(name="lab", server="https://lab", **fields))


class TestCredentials:
    @pytest.mark.parametrize(
        ("fields", "headers"),
        [
            ({}, {}),
            ({"password": "p"}, {}),
            ({"username": "u", "password": "p"}, {"Authorization": f"Basic {b64encode(b'u:p').decode()}"}),
            ({"token": "t", "username": "u"}, {"Authorization": "Bearer t"}),
        ],
    )
    def test_a_request_carries_the_token_before_the_password(self, fields, headers):
        assert of(**fields).headers == headers

    def test_a_file_counts_before_the_token(self, tmp_path):
        (tmp_path / "token").write_text(" first\n")
        credentials = of(token="t", token_file=f"{tmp_path}/token")
        assert credentials.headers == {"Authorization": "Bearer first"}
        (tmp_path / "token").write_text("second")
        assert (credentials.renew(0), credentials.age) == (True, 1)
        assert credentials.headers == {"Authorization": "Bearer second"}
        (tmp_path / "token").write_text("third")
        assert (credentials.renew(0), credentials.age) == (True, 1)  # another thread has renewed it
        assert credentials.headers == {"Authorization": "Bearer second"}

    def test_a_token_that_stands_there_cannot_be_renewed(self):
        assert of(token="t").renew(0) is False

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(ClusterError) as caught:
            of(token_file=f"{tmp_path}/token")
        assert str(caught.value) == f"{tmp_path}/token: No such file or directory"


class TestPlugins:
    @pytest.fixture
    def answers(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        """What a plugin prints, or how it fails; `asked` is what it was asked with."""

        def prints(answer: bytes | Exception) -> list[tuple[list[str], dict[str, Any]]]:
            calls: list[tuple[list[str], dict[str, Any]]] = []

            def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
                calls.append((command, options))
                if isinstance(answer, Exception):
                    raise answer
                return subprocess.CompletedProcess(command, 0, answer)

            monkeypatch.setattr(credentials_module.subprocess, "run", run)
            return calls

        return prints

    def plugin(self, **fields: Any) -> Credentials:
        plugin = Plugin("kubelogin", **{"api_version": V1, **fields})
        return of(token="t", authority=b"PEM", insecure=True, plugin=plugin)

    def test_it_is_asked_with_its_arguments_and_environment(self, answers, monkeypatch):
        monkeypatch.setenv("OURS", "1")
        calls = answers(b'{"status": {"token": "of the plugin"}}')
        credentials = self.plugin(args=("get", "token"), env=(("A", "b"),))
        assert credentials.headers == {"Authorization": "Bearer of the plugin"}
        ((command, options),) = calls
        assert command == ["kubelogin", "get", "token"]
        assert (options["env"]["OURS"], options["env"]["A"]) == ("1", "b")
        assert (options["stdin"], options["check"], options["timeout"]) == (subprocess.DEVNULL, True, 60)
        assert json.loads(options["env"]["KUBERNETES_EXEC_INFO"]) == {
            "apiVersion": V1,
            "kind": "ExecCredential",
            "spec": {"interactive": False},
        }
        assert credentials.renew(0) is True
        assert len(calls) == 2

    @pytest.mark.parametrize(
        ("authority", "data"), [(b"", {}), (b"PEM", {"certificate-authority-data": b64encode(b"PEM").decode()})]
    )
    def test_one_that_wants_to_knows_the_cluster(self, answers, authority, data):
        calls = answers(b'{"status": {}}')
        of(authority=authority, plugin=Plugin("p", api_version=f"{V1}beta1", provide_cluster_info=True))
        assert json.loads(calls[0][1]["env"]["KUBERNETES_EXEC_INFO"]) == {
            "apiVersion": f"{V1}beta1",
            "kind": "ExecCredential",
            "spec": {
                "interactive": False,
                "cluster": {"server": "https://lab", "insecure-skip-tls-verify": False, **data},
            },
        }

    @pytest.mark.parametrize("answer", [b'{"status": {}}', b'{"status": null}'])
    def test_one_that_has_no_token_gives_none(self, answers, answer):
        answers(answer)
        assert self.plugin().headers == {}

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            (OSError(2, "No such file"), "gave no credentials: [Errno 2] No such file"),
            (
                subprocess.TimeoutExpired("kubelogin", 60),
                "gave no credentials: Command 'kubelogin' timed out after 60 seconds",
            ),
            (b"a token", "printed no ExecCredential"),
            (b"{}", "printed no ExecCredential"),
            (b"[]", "printed no ExecCredential"),
            (b"[" * 100_000, "printed no ExecCredential"),
        ],
    )
    def test_one_that_fails(self, answers, answer, message):
        answers(answer)
        with pytest.raises(ClusterError) as caught:
            self.plugin()
        assert str(caught.value) == f"the exec plugin kubelogin {message}"

    def test_one_of_another_version_is_not_asked(self, answers):
        calls = answers(b"")
        with pytest.raises(ClusterError) as caught:
            self.plugin(api_version="client.authentication.k8s.io/v1alpha1")
        assert str(caught.value) == (
            f"the exec plugin kubelogin speaks client.authentication.k8s.io/v1alpha1, and not {V1}"
        )
        assert calls == []

    def test_certificates_that_are_none(self):
        with pytest.raises(ClusterError) as caught:
            of(authority=b"none").context()
        assert str(caught.value).startswith("the certificates of context 'lab' cannot be used: ")
