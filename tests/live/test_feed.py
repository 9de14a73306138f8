"""What lets virtcatalog read a cluster: exactly what it reads, and a job that writes the dump."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fakeapi import Server, serving
from jobs import Job, container_of, printed

import fleet
from serving import Handler, served
from virtcatalog.cli import main

FEED = ("feed", "--name", "lab", "--image", "virtcatalog:1", "--repo-url", "https://git.example.org/live.git")


def paths(role: dict[str, Any]) -> set[tuple[str, str]]:
    return {(group, plural) for rule in role["rules"] for group in rule["apiGroups"] for plural in rule["resources"]}


def paths_read(tmp_path: Path, *commands: str) -> set[tuple[str, str]]:
    """The kinds, by group and plural, that commands ask a cluster for."""
    server = Server([fleet.KUBEVIRT])
    with serving(server, tmp_path) as file:
        for command in commands:
            CliRunner().invoke(main, [command, "--kubeconfig", file])
    resources = set()
    for path, _ in server.requests:
        _, root, *rest = path.split("/")
        resources.add((rest[0] if root == "apis" else "", rest[-1]))
    return resources


def test_the_role_of_a_feed_has_what_a_dump_asks_for_and_nothing_else(tmp_path):
    role = printed(*FEED)[1]
    assert paths(role) == paths_read(tmp_path, "dump")
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}
    assert "secrets" not in str(role)


def test_the_role_of_a_person_has_what_any_command_asks_for(tmp_path):
    (role,) = printed("rbac")
    assert paths(role) == paths_read(tmp_path, "dump", "verify")
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}
    assert "secrets" not in str(role)


def test_a_user_gets_the_role():
    role, binding = printed("rbac", "--user", "jane")
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert binding["subjects"] == [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}]


def test_a_feed_is_these_objects(snapshot):
    assert printed(*FEED) == snapshot


def test_without_a_repository_the_dump_is_put_to_the_url_of_the_secret():
    container = container_of(printed("feed", "--name", "lab", "--image", "virtcatalog:1")[-1])
    assert "/credentials/url" in container["command"][-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("feed",), "--image"),
        (("feed", "--image", "i", "--repo-url", "oci://x"), "a branch of a Git repository"),
        (("feed", "--image", "i", "--repo-url", "https://x", "--config-map"), "one place"),
        (("flux",), "Missing option '--repo-url'"),
    ],
)
def test_what_is_missing_is_told(arguments, message):
    result = CliRunner().invoke(main, ["gitops", *arguments])
    assert result.exit_code == 2
    assert message in result.output


def test_the_job_writes_the_dump_to_the_branch_again_and_again(tmp_path: Path):
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    job = Job(tmp_path, *FEED[:-1], str(remote))
    for text in ("first", "second"):
        job.virtcatalog(f"#!/bin/sh\necho {text}\nexit 2\n")
        assert job.run().returncode == 0
        shown = subprocess.run(["git", "-C", str(remote), "show", "live:lab.json"], check=True, capture_output=True)
        assert shown.stdout.decode() == f"{text}\n"
    log = subprocess.run(["git", "-C", str(remote), "log", "--oneline", "live"], check=True, capture_output=True)
    assert len(log.stdout.splitlines()) == 2


@pytest.mark.parametrize("places", [FEED[-2:], (), ("--config-map",)])
def test_a_cluster_that_does_not_answer_writes_nothing(tmp_path, places):
    job = Job(tmp_path, *FEED[:-2], *places)
    job.virtcatalog("#!/bin/sh\nexit 2\n")
    done = job.run()
    assert (done.returncode, done.stdout) == (1, "")
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["dump.json"]


def test_the_job_puts_the_dump_to_the_url_of_its_secret(tmp_path: Path):
    got: list[tuple[str, str | None, bytes]] = []

    class Bucket(Handler):
        def do_PUT(self) -> None:
            got.append((self.path, self.headers["Content-Type"], self.content()))
            self.respond(403 if self.path == "/no" else 200)

    job = Job(tmp_path, *FEED[:-2])
    job.virtcatalog("#!/bin/sh\necho '{}'\n")
    with served(Bucket) as address:
        for path, status in (("/lab.json?signature=1", 0), ("/no", 1)):
            (tmp_path / "credentials" / "url").write_text(f"http://{address}{path}\n")
            assert job.run().returncode == status
    assert got[0] == ("/lab.json?signature=1", "application/json", b"{}\n")


def test_a_dump_that_is_too_large_for_a_config_map_is_not_written(tmp_path):
    job = Job(tmp_path, *FEED[:-2], "--config-map")
    job.virtcatalog(f"#!{sys.executable}\nimport os; print(os.urandom(1200000).hex())\n")
    done = job.run(KUBERNETES_SERVICE_HOST="127.0.0.1", KUBERNETES_SERVICE_PORT="9")
    assert done.returncode == 1
    assert "too many for a ConfigMap: use a branch or a URL" in done.stderr
