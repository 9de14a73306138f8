"""The GitLab CI template: its scripts, run by bash as a GitLab runner does, in a checkout of a merge request."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs

import pytest

import otheryaml
import virtcatalog
from virtcatalog.scaffold.content import contents

TEMPLATE = otheryaml.load(
    (Path(__file__).parents[1] / "ci-templates/gitlab/virtcatalog.gitlab-ci.yml").read_text(encoding="utf-8")
)
BIN = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(
    not all(shutil.which(tool) for tool in ("git", "bash", "curl")), reason="needs git, bash and curl"
)


class GitLab:
    """The notes of a merge request, as the REST API serves them."""

    def __init__(self) -> None:
        self.notes: list[dict[str, object]] = []
        gitlab = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer({"id": 42} if self.path == "/user" else gitlab.notes)

            def do_POST(self) -> None:
                gitlab.notes.append({"id": len(gitlab.notes), "author": {"id": 42}, "body": self.sent()})
                self.answer(gitlab.notes[-1])

            def do_PUT(self) -> None:
                gitlab.notes[int(self.path.rpartition("/")[2])]["body"] = self.sent()
                self.answer({})

            def sent(self) -> str:
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                return form["body"][0]

            def answer(self, data: object) -> None:
                right = self.path == "/user" or self.path.startswith("/projects/3/merge_requests/5/notes")
                self.send_response(200 if right and self.headers["PRIVATE-TOKEN"] == "secret" else 401)
                self.end_headers()
                self.wfile.write(json.dumps(data).encode())

            def log_message(self, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def gitlab() -> Iterator[GitLab]:
    found = GitLab()
    yield found
    found.server.shutdown()
    found.server.server_close()


class MergeRequest:
    """A catalog's repository and the shallow checkout of a merge request."""

    def __init__(self, folder: Path) -> None:
        self.origin, self.checkout = folder / "origin", folder / "checkout"
        for path, text in contents("house").items():
            file = self.origin / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        git(self.origin, "init", "--quiet")
        self.base = self.commit()
        git(self.origin, "config", "uploadpack.allowAnySHA1InWant", "true")

    def commit(self) -> str:
        git(self.origin, "add", "--all")
        git(self.origin, "commit", "--quiet", "--allow-empty", "--message", "change")
        return git(self.origin, "rev-parse", "HEAD")

    def change(self, file: str, old: str, new: str) -> None:
        path = self.origin / file
        path.write_text(path.read_text().replace(old, new))

    def run(self, job: str, **variables: str) -> subprocess.CompletedProcess[str]:
        if not self.checkout.exists():
            self.commit()
            git(self.origin, "clone", "--quiet", "--depth=1", self.origin.as_uri(), str(self.checkout))
        environment = {
            "HOME": str(self.checkout),
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base,
            "CI_MERGE_REQUEST_PROJECT_ID": "3",
            "CI_MERGE_REQUEST_IID": "5",
            "CI_JOB_URL": "https://gitlab.example.org/job/7",
            **TEMPLATE["variables"],
            **variables,
        }
        script = "\n".join(["set -eo pipefail", *TEMPLATE[job]["script"]])
        return subprocess.run(
            ["bash", "-c", script], cwd=self.checkout, env=environment, capture_output=True, text=True, check=False
        )


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def request_(tmp_path: Path) -> MergeRequest:
    return MergeRequest(tmp_path)


JOBS = [name for name, job in TEMPLATE.items() if isinstance(job, dict) and "script" in job]


@pytest.mark.parametrize("job", JOBS)
def test_a_merge_request_without_changes_passes(request_, job):
    done = request_.run(job)
    assert done.returncode == 0, done.stderr


def test_a_stale_tree_fails(request_):
    request_.change("catalog/instancetypes/std.yaml", "medium: {vcpus: 2}", "medium: {vcpus: 3}")
    done = request_.run("virtcatalog-build")
    assert done.returncode == 1
    assert "output is stale" in done.stderr


def test_findings_are_a_report_of_tests_and_in_the_log(request_):
    request_.change("catalog/vms/web-server.yaml", "std.medium", "std.none")
    done = request_.run("virtcatalog-check")
    assert done.returncode == 1
    assert "catalog/vms/web-server.yaml:" in done.stdout
    report = (request_.checkout / TEMPLATE["virtcatalog-check"]["artifacts"]["reports"]["junit"]).read_text()
    assert "<failure" in report


def test_the_comparison_is_an_artifact(request_):
    request_.change("catalog/instancetypes/std.yaml", "medium: {vcpus: 2}", "medium: {vcpus: 3}")
    assert request_.run("virtcatalog-diff").returncode == 0
    (artifact,) = TEMPLATE["virtcatalog-diff"]["artifacts"]["paths"]
    assert "VirtualMachineClusterInstancetype/std.medium" in (request_.checkout / artifact).read_text()


def test_with_a_token_it_is_one_note_that_every_run_replaces(request_, gitlab):
    marked = "<!-- virtcatalog diff -->\nby somebody else"
    gitlab.notes = [{"id": 0, "author": {"id": 7}, "body": marked}]
    request_.change("catalog/instancetypes/std.yaml", "medium: {vcpus: 2}", "medium: {vcpus: 3}")
    for _ in range(2):
        done = request_.run("virtcatalog-diff", VIRTCATALOG_TOKEN="secret", CI_API_V4_URL=gitlab.url)
        assert done.returncode == 0, done.stderr
    assert [note["id"] for note in gitlab.notes] == [0, 1]
    assert "VirtualMachineClusterInstancetype/std.medium" in str(gitlab.notes[1]["body"])
    assert gitlab.notes[0]["body"] == marked


def test_modules_in_the_checkout_are_not_run(request_, gitlab):
    for name in ("json", "venv", "pip"):
        (request_.origin / f"{name}.py").write_text("raise SystemExit('it ran')\n")
    done = request_.run("virtcatalog-diff", VIRTCATALOG_TOKEN="secret", CI_API_V4_URL=gitlab.url)
    assert done.returncode == 0, done.stderr
    assert "it ran" not in done.stdout + done.stderr
    assert all("python -I -m" in line for line in TEMPLATE[".virtcatalog"]["before_script"] if "python" in line)


@pytest.mark.parametrize(("job", "status"), [(job, status) for job in JOBS for status in (2, 70, 137)])
def test_any_status_above_1_fails(request_, tmp_path, job, status):
    done = request_.run(job, **shim(tmp_path, f"exit {status}"))
    assert done.returncode == status


@pytest.mark.parametrize("job", ["virtcatalog-check", "virtcatalog-diff"])
def test_an_empty_report_fails(request_, tmp_path, job):
    done = request_.run(job, **shim(tmp_path, "exit 0"))
    assert done.returncode == 70
    assert "gave no report" in done.stdout


def shim(folder, script):
    """A virtcatalog that does something else."""
    (folder / "shim").mkdir()
    (folder / "shim/virtcatalog").write_text(f"#!/bin/bash\n{script}\n")
    (folder / "shim/virtcatalog").chmod(0o755)
    return {"PATH": f"{folder / 'shim'}:{BIN}:{os.environ['PATH']}"}


def test_a_wrong_token_fails(request_, gitlab):
    done = request_.run("virtcatalog-diff", VIRTCATALOG_TOKEN="wrong", CI_API_V4_URL=gitlab.url)
    assert done.returncode != 0
    assert "401" in done.stderr


def test_a_broken_catalog_fails_the_comparison_and_shows_it(request_):
    request_.change("catalog/catalog.yaml", "kubevirt: v1.7.0", "kubevirt: [")
    done = request_.run("virtcatalog-diff")
    assert done.returncode == 2
    assert "catalog/catalog.yaml" in done.stdout


def test_every_job_installs_the_same_package():
    assert TEMPLATE["variables"]["VIRTCATALOG_PACKAGE"] == f"virtcatalog=={virtcatalog.__version__}"
    assert all(TEMPLATE[job]["extends"] == ".virtcatalog" for job in JOBS)
    assert any('"$VIRTCATALOG_PACKAGE"' in line for line in TEMPLATE[".virtcatalog"]["before_script"])


def test_every_variable_is_described():
    text = (Path(__file__).parents[1] / "docs/ci.md").read_text(encoding="utf-8")
    used = set(re.findall(r"VIRTCATALOG_[A-Z]+", json.dumps({job: TEMPLATE[job] for job in (*JOBS, ".virtcatalog")})))
    assert used == set(re.findall(r"`(VIRTCATALOG_[A-Z]+)`", text))
