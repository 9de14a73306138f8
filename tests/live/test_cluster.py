"""The same two hundred VMs in a real API server, which stores, prunes, pages and notes who wrote what by itself."""

from __future__ import annotations

import base64
import gzip
import json
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner
from fakeapi import kubeconfig
from jobs import Job, printed

import fleet
from serving import Handler, served
from virtcatalog.cli import main

if TYPE_CHECKING:
    from cluster.running import RunningCluster

CATALOG = str(Path(__file__).parents[2] / "catalog")
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "node-1"},
    "status": {"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "250"}},
}
STATE = ("uid", "generation", "creationTimestamp", "resourceVersion")


@pytest.fixture(scope="module")
def stored(api_server: None) -> Iterator[RunningCluster]:
    """An API server without KubeVirt's webhooks: these are objects that KubeVirt has stored before."""
    from cluster.running import running_cluster

    with running_cluster(webhooks=False) as running:
        for name in ("feeds", *(f"team-{number}" for number in range(5))):
            running.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        uids: dict[str, str] = {}
        for obj in (NODE, *fleet.cluster_objects()):
            if obj["kind"] != "KubeVirt":  # it has one
                store(running, obj, uids)
        yield running


def store(running: RunningCluster, obj: dict[str, Any], uids: dict[str, str]) -> None:
    """Create an object, and its status as a controller would; `uids` are those of VMs, which own their VMIs."""
    from cluster.api import ApiError

    metadata = {key: value for key, value in obj["metadata"].items() if key not in STATE}
    owners = [owner | {"uid": uids.get(owner["name"], "a")} for owner in metadata.get("ownerReferences", ())]
    bare = {key: value for key, value in obj.items() if key != "status"}
    created = running.api.create(bare | {"metadata": metadata | ({"ownerReferences": owners} if owners else {})})
    if obj["kind"] == "VirtualMachine":
        uids[metadata["name"]] = created["metadata"]["uid"]
    if "status" in obj and "status" not in created:
        try:
            running.api.merge(obj, {"status": obj["status"]}, "/status")
        except ApiError as error:  # a kind without that subresource has its status in the object
            if error.code != 404:
                raise
            running.api.merge(obj, {"status": obj["status"]})


@pytest.fixture
def counted(stored: RunningCluster, tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """A kubeconfig of a proxy in front of the API server, and the verbs that it was asked with."""
    from cluster.api import ApiError

    verbs: list[str] = []

    class Proxy(Handler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            verbs.append(self.command)
            try:
                code, answer = 200, stored.api.ask(self.command, self.path)
            except ApiError as error:
                code, answer = error.code, error.status
            self.respond(code, answer)

        def refuse(self) -> None:
            verbs.append(self.command)
            self.send_error(405)

        do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = refuse

    with served(Proxy) as address:
        file = tmp_path / "kubeconfig"
        file.write_text(json.dumps(kubeconfig(f"http://{address}")))
        yield str(file), verbs


def call(*arguments: str) -> Any:
    result = CliRunner().invoke(main, arguments, prog_name="virtcatalog")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_every_verdict_is_right_live_and_from_the_dump(repository, stored, tmp_path):
    git, file = f"{repository}/git", str(stored.kubeconfig)
    live = call("drift", "-f", git, "--kubeconfig", file, "-o", "json")
    verdicts = {vm["vm"]: vm["verdict"] for vm in json.loads(live.stdout)["vms"]}
    assert verdicts == {"/".join(fleet.name_of(number)): fleet.expected(number) for number in range(fleet.NUMBER)}
    dumped = call("dump", "--kubeconfig", file)
    assert fleet.SECRET not in dumped.stdout
    (tmp_path / "dump.json").write_text(dumped.stdout)
    again = call("drift", "-f", git, "--live", f"{tmp_path}/dump.json", "-o", "json")
    assert (live.stdout, live.exit_code) == (again.stdout, again.exit_code)


#: Every command that takes a cluster, as it is asked about the one of the proxy.
COMMANDS = (
    "drift -f {git}",
    "drift -f {git} team-1/edited-1",
    "dump",
    "verify",
    "expand -o vmi",
    "check -c {git}",
    "diff {git} {git}",
    "impact -c {git} small",
    "explain --vm team-1/edited-1 --field spec",
    "capacity",
    "rightsize -c {git} --metrics {metrics}",
    "adopt -c {git}",
    "convert",
    "site -c {catalog} --output-dir {out}",
    "create vm --name one --memory 1Gi",
    "import objects --output-dir {out}",
    "gitops argocd",
)


def test_every_command_that_takes_a_cluster_is_among_them():
    assert [name for name in takes_cluster(main) if not any(words.startswith(name) for words in COMMANDS)] == []


def takes_cluster(command: click.Command, name: str = "") -> set[str]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        paths = set()
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            paths |= takes_cluster(inner, f"{name} {word}".strip())
        return paths
    return {name} if any(parameter.name == "kubeconfig" for parameter in command.params) else set()


@pytest.mark.parametrize("words", COMMANDS)
def test_nothing_but_get_goes_to_the_server(repository, counted, tmp_path, words):
    file, verbs = counted
    metrics = tmp_path / "usage.csv"
    metrics.write_text("namespace,name,cpu,memory\n")
    places = {"git": f"{repository}/git", "out": str(tmp_path / "out"), "catalog": CATALOG, "metrics": str(metrics)}
    result = call(*(word.format_map(places) for word in words.split()), "--kubeconfig", file)
    assert set(verbs) == {"GET"}
    of_all_unknown = (2,) if words.startswith("rightsize") else ()
    assert result.exit_code in (0, 1, *of_all_unknown), result.output


@pytest.fixture
def feed(stored: RunningCluster, tmp_path: Path) -> Iterator[tuple[Job, str]]:
    """A feed that writes to a ConfigMap, in the cluster, as a Pod of its account would run it; and its token."""
    arguments = ("feed", "--name", "lab", "--image", "virtcatalog:1", "--namespace", "feeds", "--config-map")
    objects = printed(*arguments)
    for obj in objects:
        stored.api.apply(obj)
    path = "/api/v1/namespaces/feeds/serviceaccounts/lab/token"
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = stored.api.ask("POST", path, review)["status"]["token"]
    job = Job(tmp_path, *arguments)
    (tmp_path / "account" / "token").write_text(token)
    (tmp_path / "account" / "ca.crt").write_bytes(stored.ca.read_bytes())
    job.virtcatalog(
        f"#!{sys.executable}\n"
        "from virtcatalog.cli import main\n"
        "from virtcatalog.live.client import kubeconfig\n"
        f"kubeconfig.ACCOUNT = {str(tmp_path / 'account')!r}\n"
        "main(prog_name='virtcatalog')\n"
    )
    yield job, token
    for obj in reversed(objects):
        stored.api.delete(obj)


def run(job: Job, stored: RunningCluster) -> Any:
    host, _, port = stored.url.removeprefix("https://").partition(":")
    return job.run(KUBERNETES_SERVICE_HOST=host, KUBERNETES_SERVICE_PORT=port)


def fed(stored: RunningCluster) -> bytes:
    """The dump that the ConfigMap has."""
    config_map = stored.api.get("v1", "ConfigMap", "feeds", "lab")
    assert config_map is not None
    return gzip.decompress(base64.b64decode(config_map["binaryData"]["lab.json.gz"]))


def test_a_feed_writes_the_dump_to_its_config_map_with_the_rights_that_it_has(stored, feed, tmp_path):
    job, _ = feed
    done = run(job, stored)
    assert (done.returncode, done.stderr) == (0, "")
    written = stored.api.stored(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "lab", "namespace": "feeds"}}
    )
    dump = gzip.decompress(base64.b64decode(written["binaryData"]["lab.json.gz"]))
    assert fleet.SECRET.encode() not in dump
    (tmp_path / "lab.json").write_bytes(dump)
    direct = call("dump", "--kubeconfig", str(stored.kubeconfig)).stdout.splitlines()
    # Its first object says when it was read, and by whose context.
    assert dump.decode().splitlines()[2:] == direct[2:]
    assert json.loads(dump)["items"][0]["gaps"] == []


def test_a_feed_may_do_nothing_else(stored, feed):
    _, token = feed
    from cluster.api import Api, ApiError

    account = Api(stored.url, ssl.create_default_context(cafile=str(stored.ca)), {"Authorization": f"Bearer {token}"})
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other", "namespace": "feeds"}}
    own = {**other, "metadata": {"name": "lab", "namespace": "feeds"}}
    vm = next(obj for obj in fleet.cluster_objects(range(1)) if obj["kind"] == "VirtualMachine")
    for refused in (
        lambda: account.stored(own),
        lambda: account.create(other),
        lambda: account.apply(other),
        lambda: account.delete(own),
        lambda: list(account.items("v1", "Secret", "feeds")),
        lambda: list(account.items("v1", "Pod", "team-0")),
        lambda: account.merge(vm, {"spec": {"runStrategy": "Halted"}}),
        lambda: account.delete(vm),
    ):
        with pytest.raises(ApiError) as error:
            refused()
        assert error.value.code == 403


def test_what_may_not_be_listed_is_in_the_dump_of_the_feed(stored, feed, tmp_path):
    job, _ = feed
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "lab"}}
    rules = stored.api.stored(role)["rules"]
    fewer = [rule | {"resources": [kind for kind in rule["resources"] if kind != "nodes"]} for rule in rules]
    stored.api.merge(role, {"rules": fewer})
    assert run(job, stored).returncode == 0
    written = stored.api.stored(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "lab", "namespace": "feeds"}}
    )
    dump = json.loads(gzip.decompress(base64.b64decode(written["binaryData"]["lab.json.gz"])))
    assert dump["items"][0]["gaps"] == [{"kind": "Node", "reason": "no right to list nodes in all namespaces (403)"}]


def test_dry_runs_of_what_git_has_agree_and_store_nothing(cluster, repository):
    """The webhooks of that cluster answer with our own rules: what is judged is what is sent, and how it is read."""
    namespaces = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"team-{number}"}} for number in range(5)
    ]
    shared = [*namespaces, *fleet.TYPES, *fleet.PREFERENCES]
    for obj in shared:
        cluster.api.apply(obj)
    try:
        words = ("verify", "-f", f"{repository}/git", "--kubeconfig", str(cluster.kubeconfig), "-o", "json")
        (admission,) = json.loads(call(*words).stdout)
        vms = [fleet.in_git(number) for number in range(fleet.NUMBER)]
        assert (admission["stage"], admission["left_out"], admission["findings"]) == ("admission", [], [])
        assert admission["compared"] == admission["agree"] == sum(vm is not None for vm in vms)
        assert [*cluster.api.items("kubevirt.io/v1", "VirtualMachine")] == []
    finally:
        for obj in shared:
            cluster.api.delete(obj)
