"""A cluster that is read over HTTP: what it answers, what it refuses, and how it dies. Nothing is ever written."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fakeapi import Server, kubeconfig, serving, status

import fleet
from sampling import thorough
from virtcatalog.cli import main
from virtcatalog.live.client import api
from virtcatalog.live.client.listing import PAGE

VMS = "/apis/kubevirt.io/v1/virtualmachines"
DEEP = b'{"a":' * 100_000
VMIS = "/apis/kubevirt.io/v1/virtualmachineinstances"
REVISIONS = "/apis/apps/v1/controllerrevisions"


NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "node-1"},
    "status": {"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "250"}},
}


def call(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments, prog_name="virtcatalog")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long it was waited between tries, which takes no time here."""
    passed: list[float] = []
    monkeypatch.setattr(api.Api.__init__, "__defaults__", (passed.append,))
    return passed


@pytest.fixture(scope="module")
def objects() -> list[dict[str, Any]]:
    return fleet.cluster_objects(range(24))


@pytest.fixture
def git(tmp_path: Path) -> str:
    fleet.write_git(tmp_path / "git", range(24))
    return str(tmp_path / "git")


class TestReading:
    @thorough
    def test_live_and_from_the_dump_the_answer_is_the_same_byte_by_byte(self, repository, tmp_path):
        server = Server(fleet.cluster_objects())
        git = f"{repository}/git"
        with serving(server, tmp_path) as file:
            dumped = call("dump", "--context", "lab", "--kubeconfig", file)
            live = [call("drift", "-f", git, "--kubeconfig", file, "-o", form) for form in ("json", "text", "markdown")]
        assert dumped.exit_code == 0
        (tmp_path / "dump.json").write_text(dumped.stdout)
        for form, answer in zip(("json", "text", "markdown"), live, strict=True):
            again = call("drift", "-f", git, "--live", f"{tmp_path}/dump.json", "-o", form)
            assert (answer.stdout, answer.exit_code) == (again.stdout, again.exit_code)
        verdicts = {vm["vm"]: vm["verdict"] for vm in json.loads(live[0].stdout)["vms"]}
        assert verdicts == {"/".join(fleet.name_of(n)): fleet.expected(n) for n in range(fleet.NUMBER)}
        assert set(server.verbs) == {"GET"}

    def test_no_secret_is_asked_for_and_no_user_data_kept(self, objects, tmp_path):
        server = Server(objects)
        with serving(server, tmp_path) as file:
            result = call("dump", "--kubeconfig", file)
        assert fleet.SECRET in json.dumps(objects)
        assert fleet.SECRET not in result.stdout
        assert not any("secret" in path for path, _ in server.requests)

    def test_a_dump_of_a_dump_is_the_same(self, objects, tmp_path):
        with serving(Server(objects), tmp_path) as file:
            first = call("dump", "--kubeconfig", file).stdout
        (tmp_path / "first.json").write_text(first)
        assert call("dump", "--live", f"{tmp_path}/first.json").stdout == first

    def test_lists_are_read_page_by_page(self, tmp_path):
        many = [fleet._type(f"type-{number}", 1, "1Gi") for number in range(2 * PAGE + 1)]
        server = Server([fleet.KUBEVIRT, *many])
        with serving(server, tmp_path) as file:
            dumped = call("dump", "--kubeconfig", file).stdout
        queries = [query for path, query in server.requests if path.endswith("clusterinstancetypes")]
        assert queries == [{"limit": str(PAGE)}] + [{"limit": str(PAGE), "continue": str(n * PAGE)} for n in (1, 2)]
        assert dumped.count('"kind":"VirtualMachineClusterInstancetype"') == len(many)

    @pytest.mark.parametrize(
        "command", ["expand -o vmi", "diff", "impact small", "check", "capacity", "explain --vm in-sync-0 --field spec"]
    )
    def test_every_command_that_takes_manifests_takes_a_cluster(self, objects, git, tmp_path, monkeypatch, command):
        monkeypatch.chdir(git)
        server = Server([*objects, NODE])
        with serving(server, tmp_path) as file:
            words = command.split()
            catalog = ["-c", git] if words[0] in ("diff", "impact", "check") else []
            head = [git, git] if words[0] == "diff" else []
            result = call(words[0], *head, *words[1:], *catalog, "--kubeconfig", file)
        assert VMS in {path for path, _ in server.requests}
        assert "Traceback" not in result.output
        assert result.exit_code in (0, 1), result.output
        assert set(server.verbs) == {"GET"}


class TestWhatMayNotBeRead:
    def test_a_kind_without_a_right_is_named_and_the_answer_partial(self, objects, git, tmp_path):
        def fault(path, _query, _number):
            return status(403, "forbidden") if path in (VMIS, "/api/v1/persistentvolumeclaims") else None

        with serving(Server(objects, fault), tmp_path) as file:
            result = call("drift", "-f", git, "--kubeconfig", file, "-o", "json")
        data = json.loads(result.stdout)
        reason = "no right to list virtualmachineinstances of kubevirt.io in all namespaces (403)"
        assert data["gaps"] == [
            {
                "kind": "PersistentVolumeClaim",
                "reason": "no right to list persistentvolumeclaims in all namespaces (403)",
            },
            {"kind": "VirtualMachineInstance", "reason": reason},
        ]
        assert (data["partial"], result.exit_code) == (True, 2)
        running = [vm for vm in data["vms"] if vm["vm"].partition("/")[2].startswith("in-sync")]
        assert running
        assert {vm["verdict"] for vm in running} == {"unread"}

    def test_vms_that_may_not_be_listed_are_not_only_in_git(self, objects, git, tmp_path):
        def fault(path, _query, _number):
            return status(403, "forbidden") if path == VMS else None

        with serving(Server(objects, fault), tmp_path) as file:
            data = json.loads(call("drift", "-f", git, "--kubeconfig", file, "-o", "json").stdout)
        assert {vm["verdict"] for vm in data["vms"]} == {"unread"}

    def test_a_dump_says_what_it_lacks(self, objects, git, tmp_path):
        def fault(path, _query, _number):
            return status(403, "forbidden") if path == REVISIONS else None

        with serving(Server(objects, fault), tmp_path) as file:
            dumped = call("dump", "--kubeconfig", file)
        assert dumped.exit_code == 2
        (tmp_path / "dump.json").write_text(dumped.stdout)
        again = call("drift", "-f", git, "--live", f"{tmp_path}/dump.json")
        assert again.exit_code == 2
        assert "ControllerRevision: no right to list controllerrevisions of apps" in again.stderr

    def test_kinds_of_other_projects_need_not_be_served(self, objects, git, tmp_path):
        def fault(path, _query, _number):
            return status(404, "not found") if "cni.cncf" in path or "cdi" in path else None

        with serving(Server(objects, fault), tmp_path) as file:
            data = json.loads(call("drift", "-f", git, "--kubeconfig", file, "-o", "json").stdout)
        assert data["gaps"] == []

    def test_a_cluster_without_kubevirt_is_told(self, git, tmp_path):
        def fault(path, _query, _number):
            return status(404, "not found") if "kubevirt.io" in path else None

        with serving(Server([], fault), tmp_path) as file:
            result = call("drift", "-f", git, "--kubeconfig", file)
        assert result.exit_code == 2
        assert "the API server does not serve kubevirt.io/v1 virtualmachines" in result.stderr


class TestTrouble:
    def test_a_server_that_is_overloaded_is_left_alone_as_long_as_it_says(self, objects, tmp_path, waits):
        left = {"vms": 2}

        def fault(path, _query, _number):
            if path == VMS and left["vms"]:
                left["vms"] -= 1
                return status(429, "too many requests", Retry_After="7")
            return None

        with serving(Server(objects, fault), tmp_path) as file:
            result = call("dump", "--kubeconfig", file)
        assert (result.exit_code, waits) == (0, [7.0, 7.0])

    @pytest.mark.parametrize("code", [429, 500, 503])
    def test_a_server_that_stays_so_is_given_up_in_the_end(self, objects, git, tmp_path, code, waits):
        server = Server(objects, lambda path, _query, _number: status(code, "busy") if path == VMS else None)
        with serving(server, tmp_path) as file:
            result = call("drift", "-f", git, "--kubeconfig", file)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"gave no answer to GET {VMS} in {api.TRIES} tries: busy ({code})" in result.stderr
        assert [path for path, _ in server.requests].count(VMS) == api.TRIES
        assert len(waits) == api.TRIES - 1  # and none after the last of them

    @pytest.mark.parametrize("body", [b"<html>", b"", b"[]", b'{"message": null}', b'{"message": ""}', DEEP])
    def test_what_stands_before_a_server_and_gives_no_reason_is_told_by_its_status(self, objects, tmp_path, body):
        server = Server(objects, lambda path, _query, _number: (502, body, {}) if path == VMS else None)
        with serving(server, tmp_path) as file:
            result = call("dump", "--kubeconfig", file)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.endswith(" tries: the API server answers with status 502 (502)\n")

    def test_a_list_that_expires_is_begun_again(self, tmp_path):
        many = [fleet._type(f"type-{number}", 1, "1Gi") for number in range(PAGE + 1)]
        expired = {"left": 1}

        def fault(_path, query, _number):
            if "continue" in query and expired["left"]:
                expired["left"] = 0
                server.lists[f"/apis/instancetype.kubevirt.io/v1beta1/{plural}"].pop(0)
                server._texts.clear()
                return status(410, "The provided continue parameter is too old")
            return None

        plural = "virtualmachineclusterinstancetypes"
        server = Server(many, fault)
        server.lists[f"/apis/instancetype.kubevirt.io/v1beta1/{plural}"].append(fleet._type("last", 1, "1Gi"))
        with serving(server, tmp_path) as file:
            dumped = call("dump", "--kubeconfig", file).stdout
        # What was there in the first list and has gone since is not there.
        assert '"name":"type-0"' not in dumped
        assert dumped.count('"kind":"VirtualMachineClusterInstancetype"') == PAGE + 1

    def test_a_list_that_always_expires_is_no_answer(self, tmp_path):
        many = [fleet._type(f"type-{number}", 1, "1Gi") for number in range(PAGE + 1)]
        fault = lambda _path, query, _number: status(410, "too old") if "continue" in query else None  # noqa: E731
        with serving(Server(many, fault), tmp_path) as file:
            result = call("dump", "--kubeconfig", file)
        assert (result.exit_code, result.stdout) == (2, "")
        what = "the list of virtualmachineclusterinstancetypes"
        assert result.stderr == f"error: {what} expired 3 times before it was read to its end\n"

    def test_a_server_that_dies_in_the_middle_gives_no_answer_rather_than_half_of_one(self, objects, git, tmp_path):
        server = Server(objects, lambda _path, _query, number: (0, b"", {}) if number > 8 else None)
        with serving(server, tmp_path) as file:
            result = call("drift", "-f", git, "--kubeconfig", file)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "gave no answer" in result.stderr

    def test_a_page_that_is_cut_short_is_no_answer(self, objects, git, tmp_path):
        server = Server(objects, lambda path, _query, _number: (200, b'{"items": [', {}) if path == VMS else None)
        with serving(server, tmp_path) as file:
            result = call("drift", "-f", git, "--kubeconfig", file)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: the API server's list of virtualmachines cannot be read: ")

    @pytest.mark.parametrize(
        ("body", "reason"),
        [
            (DEEP, "maximum recursion depth exceeded while deserializing an object"),
            (b'{"items": [%s]}' % DEEP, "maximum recursion depth exceeded while deserializing an object"),
            (b'{"items": [{"metadata": %s}]}' % (b"[" * 300 + b"]" * 300), "is nested more than 200 levels deep"),
        ],
        ids=["page", "object", "few levels too many"],
    )
    def test_a_page_that_is_nested_too_deep_is_no_answer(self, objects, tmp_path, body, reason):
        server = Server(objects, lambda path, _query, _number: (200, body, {}) if path == VMS else None)
        with serving(server, tmp_path) as file:
            result = call("dump", "--kubeconfig", file)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"error: the API server's list of virtualmachines cannot be read: {reason}\n"

    def test_a_list_that_is_refused_otherwise_is_no_answer(self, objects, tmp_path):
        server = Server(objects, lambda path, _query, _number: status(400, "bad") if path == VMS else None)
        with serving(server, tmp_path) as file:
            result = call("dump", "--kubeconfig", file)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "error: virtualmachines cannot be listed: bad (400)\n"

    def test_without_the_extra_no_cluster_is_read(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "urllib3", None)
        (tmp_path / "kubeconfig").write_text(json.dumps(kubeconfig("http://127.0.0.1:9")))
        result = call("dump", "--kubeconfig", f"{tmp_path}/kubeconfig")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "error: reading a cluster needs the extra: pip install 'virtcatalog[cluster]'\n"

    def test_nobody_listens(self, git, tmp_path):
        (tmp_path / "kubeconfig").write_text(json.dumps(kubeconfig("http://127.0.0.1:9")))
        result = call("drift", "-f", git, "--kubeconfig", f"{tmp_path}/kubeconfig")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: http://127.0.0.1:9 gave no answer to GET /api")
        assert "Connection refused" in result.stderr


class TestCredentials:
    def test_a_token_that_expires_is_read_from_its_file_again(self, objects, tmp_path):
        (tmp_path / "token").write_text("first\n")

        def fault(_path, _query, number):
            if number == 5:
                (tmp_path / "token").write_text("second\n")
                server.token = "second"
                return status(401, "Unauthorized")
            return None

        server = Server(objects, fault, token="first")
        with serving(server, tmp_path, tokenFile="token") as file:
            result = call("dump", "--kubeconfig", file)
        assert result.exit_code == 0, result.stderr

    def test_one_that_is_refused_twice_is_no_answer(self, objects, tmp_path):
        (tmp_path / "token").write_text("wrong")
        server = Server(objects, token="right")
        with serving(server, tmp_path, tokenFile="token") as file:
            result = call("dump", "--kubeconfig", file)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "Unauthorized (401)" in result.stderr

    @pytest.mark.parametrize("version", ["v1", "v1beta1"])
    def test_a_plugin_of_the_users_gives_the_token(self, objects, tmp_path, version, monkeypatch):
        monkeypatch.chdir("/")  # what lies below the current folder is a checkout
        program = tmp_path / "plugin"
        program.write_text(
            f"#!{sys.executable}\nimport json, os\n"
            "info = json.loads(os.environ['KUBERNETES_EXEC_INFO'])\n"
            "token = os.environ['PART'] + info['apiVersion'][-1]\n"
            "print(json.dumps({'status': {'token': token}}))\n"
        )
        program.chmod(0o755)
        plugin = {
            "apiVersion": f"client.authentication.k8s.io/{version}",
            "command": "./plugin",
            "env": [{"name": "PART", "value": "token-"}],
        }
        server = Server(objects, token="token-1")
        with serving(server, tmp_path, exec=plugin) as file:
            assert call("dump", "--kubeconfig", file).exit_code == 0


def test_a_dump_and_a_context_are_two_clusters():
    result = call("drift", "--live", "dump.json", "--context", "lab")
    assert result.exit_code == 2
    assert "name one" in result.stderr
