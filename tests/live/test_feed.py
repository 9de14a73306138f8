"""What lets virtcatalog read a cluster: exactly what it reads, and a job that writes the dump."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fakeapi import Server, serving

import fleet
import otheryaml
from virtcatalog.cli import main


def printed(*arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(main, ["gitops", *arguments])
    assert result.exit_code == 0, result.output
    return list(otheryaml.load_all(result.stdout))


FEED = ("feed", "--name", "lab", "--image", "virtcatalog:1", "--repo-url", "https://git.example.org/live.git")


def paths(role: dict[str, Any]) -> set[tuple[str, str]]:
    return {(group, plural) for rule in role["rules"] for group in rule["apiGroups"] for plural in rule["resources"]}


def test_the_role_has_what_a_dump_asks_for_and_nothing_else(tmp_path):
    server = Server([fleet.KUBEVIRT])
    with serving(server, tmp_path) as file:
        assert CliRunner().invoke(main, ["dump", "--kubeconfig", file]).exit_code == 0
    asked = set()
    for path, _ in server.requests:
        _, root, *rest = path.split("/")
        asked.add((rest[0] if root == "apis" else "", rest[-1]))
    for role in (printed("rbac")[0], printed(*FEED)[1]):
        assert paths(role) == asked
        assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"get", "list"}
        assert "secrets" not in str(role)


def test_a_user_gets_the_role():
    role, binding = printed("rbac", "--user", "jane")
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert binding["subjects"] == [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}]


def test_a_feed_is_these_objects(snapshot):
    assert printed(*FEED) == snapshot


def test_without_a_repository_the_dump_is_put_to_the_url_of_the_secret():
    (container,) = printed("feed", "--name", "lab", "--image", "virtcatalog:1")[-1]["spec"]["jobTemplate"]["spec"][
        "template"
    ]["spec"]["containers"]
    assert "/credentials/url" in container["command"][-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("feed",), "--image"),
        (("feed", "--image", "i", "--repo-url", "oci://x"), "a branch of a Git repository"),
        (("flux",), "Missing option '--repo-url'"),
    ],
)
def test_what_is_missing_is_told(arguments, message):
    result = CliRunner().invoke(main, ["gitops", *arguments])
    assert result.exit_code == 2
    assert message in result.output


def test_the_job_writes_the_dump_to_the_branch_again_and_again(tmp_path: Path):
    remote, work = tmp_path / "remote.git", tmp_path / "work"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    programs = tmp_path / "bin"
    programs.mkdir()
    dump = programs / "virtcatalog"
    for text in ("first", "second"):
        dump.write_text(f"#!/bin/sh\necho {text}\nexit 2\n")
        dump.chmod(0o755)
        subprocess.run(["rm", "-rf", str(work)], check=True)
        work.mkdir()
        (job,) = printed(*FEED[:-1], str(remote))[-1:]
        (container,) = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
        environment = {pair["name"]: pair["value"] for pair in container["env"]}
        script = container["command"][-1].replace("/work", str(work))
        run = ["sh", "-c", script]
        path = f"{programs}:{os.environ['PATH']}"
        subprocess.run(run, check=True, env={**os.environ, **environment, "PATH": path}, capture_output=True)
        shown = subprocess.run(["git", "-C", str(remote), "show", "live:lab.json"], check=True, capture_output=True)
        assert shown.stdout.decode() == f"{text}\n"
    log = subprocess.run(["git", "-C", str(remote), "log", "--oneline", "live"], check=True, capture_output=True)
    assert len(log.stdout.splitlines()) == 2
