"""The same two hundred VMs in a real API server, which stores, prunes, pages and notes who wrote what by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from fakeapi import kubeconfig

import fleet
from virtcatalog.cli import main

if TYPE_CHECKING:
    from cluster.running import RunningCluster

STATE = ("uid", "generation", "creationTimestamp", "resourceVersion")


@pytest.fixture(scope="module")
def stored(api_server: None) -> Iterator[RunningCluster]:
    """An API server without KubeVirt's webhooks: these are objects that KubeVirt has stored before."""
    from cluster.running import running_cluster

    with running_cluster(webhooks=False) as running:
        for number in range(5):
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"team-{number}"}}
            running.api.create(namespace)
        for obj in fleet.cluster_objects():
            if obj["kind"] != "KubeVirt":  # it has one
                store(running, obj)
        yield running


def store(running: RunningCluster, obj: dict[str, Any]) -> None:
    """Create an object, and its status as a controller would."""
    from cluster.api import ApiError

    metadata = {key: value for key, value in obj["metadata"].items() if key not in STATE}
    owners = [owner | {"uid": owner.get("uid") or "a"} for owner in metadata.get("ownerReferences", ())]
    bare = {key: value for key, value in obj.items() if key != "status"}
    made = running.api.create(bare | {"metadata": metadata | ({"ownerReferences": owners} if owners else {})})
    if "status" in obj and "status" not in made:
        try:
            running.api.merge(obj, {"status": obj["status"]}, "/status")
        except ApiError as error:  # a kind without that subresource has its status in the object
            if error.code != 404:
                raise
            running.api.merge(obj, {"status": obj["status"]})


@pytest.fixture
def counted(stored: RunningCluster, tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """A kubeconfig of a proxy in front of the API server, and the verbs that went through it."""
    verbs: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            verbs.append(self.command)
            body = json.dumps(stored.api.ask(self.command, self.path)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                verbs.append(self.command)
            raise AttributeError(name)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        Thread(target=http.serve_forever, daemon=True).start()
        file = tmp_path / "kubeconfig"
        file.write_text(json.dumps(kubeconfig(f"http://127.0.0.1:{http.server_port}")))
        yield str(file), verbs
        http.shutdown()


def call(*arguments: str) -> Any:
    result = CliRunner().invoke(main, arguments, prog_name="virtcatalog")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_every_verdict_is_right_live_and_from_the_dump(repository, stored, tmp_path):
    git, file = f"{repository}/git", str(stored.kubeconfig)
    live = call("drift", "-f", git, "--kubeconfig", file, "-o", "json")
    found = {vm["vm"]: vm["verdict"] for vm in json.loads(live.stdout)["vms"]}
    assert found == {"/".join(fleet.name_of(number)): fleet.expected(number) for number in range(fleet.NUMBER)}
    dumped = call("dump", "--kubeconfig", file)
    assert fleet.SECRET not in dumped.stdout
    (tmp_path / "dump.json").write_text(dumped.stdout)
    again = call("drift", "-f", git, "--live", f"{tmp_path}/dump.json", "-o", "json")
    assert (live.stdout, live.exit_code) == (again.stdout, again.exit_code)


def test_nothing_but_get_goes_to_the_server(repository, counted):
    file, verbs = counted
    assert call("drift", "-f", f"{repository}/git", "--kubeconfig", file).exit_code == 1
    assert call("dump", "--kubeconfig", file).exit_code == 0
    assert set(verbs) == {"GET"}
