"""The GitLab CI template: its scripts, run by bash as a GitLab runner does, in a checkout of a merge request."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from repository_cases import manifest

import otheryaml
import virtcatalog
from checkouts import git, write
from forges import GitLab
from hostilegit import make_hostile
from sampling import thorough
from virtcatalog.scaffold.content import contents

TEMPLATE = otheryaml.load(
    (Path(__file__).parents[1] / "ci-templates/gitlab/virtcatalog.gitlab-ci.yml").read_text(encoding="utf-8")
)
BIN = Path(sys.executable).parent
#: What is done before each job, without the installation, which needs a network.
PREPARED = [line for line in TEMPLATE[".virtcatalog"]["before_script"] if not re.search(r"-m (venv|pip)|PATH", line)]

pytestmark = pytest.mark.skipif(not all(shutil.which(tool) for tool in ("git", "bash")), reason="needs git and bash")


@pytest.fixture
def gitlab() -> Iterator[GitLab]:
    gitlab = GitLab()
    yield gitlab
    gitlab.close()


class MergeRequest:
    """A catalog's repository and the shallow checkout of a merge request."""

    def __init__(self, folder: Path, house: Path, programs: Path) -> None:
        self.origin, self.checkout, self.programs = folder / "origin", folder / "checkout", programs
        shutil.copytree(house, self.origin, symlinks=True)
        self.base = git(self.origin, "rev-parse", "HEAD")

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
            "PATH": f"{self.programs}:{BIN}:{os.environ['PATH']}",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base,
            "CI_MERGE_REQUEST_PROJECT_ID": "3",
            "CI_MERGE_REQUEST_IID": "5",
            "CI_JOB_URL": "https://gitlab.example.org/job/7",
            **TEMPLATE["variables"],
            **variables,
        }
        script = "\n".join(["set -eo pipefail", *PREPARED, *TEMPLATE[job]["script"]])
        return subprocess.run(
            ["bash", "-c", script], cwd=self.checkout, env=environment, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `init` writes, committed once, and copied for every test."""
    folder = tmp_path_factory.mktemp("house")
    write(folder, contents("house"))
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "house")
    git(folder, "repack", "-adq")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    return folder


@pytest.fixture
def request_(tmp_path: Path, house: Path, programs: Path) -> MergeRequest:
    return MergeRequest(tmp_path, house, programs)


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


def without_catalog(request_: MergeRequest) -> None:
    git(request_.origin, "rm", "--quiet", "-r", ".")
    (request_.origin / "apps").mkdir()
    (request_.origin / "apps/kustomization.yaml").write_text("resources: [web.yaml]\n")
    (request_.origin / "apps/web.yaml").write_text(manifest("vm web"))


@pytest.mark.parametrize("job", JOBS)
def test_a_repository_without_a_catalog_gets_its_plan(request_, job):
    without_catalog(request_)
    request_.base = request_.commit()
    request_.change("apps/web.yaml", "cores: 2", "cores: 4")
    done = request_.run(job)
    assert done.returncode == 0, done.stderr
    if job == "virtcatalog-diff":
        (artifact,) = TEMPLATE[job]["artifacts"]["paths"]
        assert "domain.cpu.cores cannot change while the VM runs" in (request_.checkout / artifact).read_text()
    else:
        assert "no catalog" in done.stdout


def test_who_takes_the_catalog_away_does_not_pass(request_):
    without_catalog(request_)
    assert request_.run("virtcatalog-build").returncode == 2


def test_with_a_token_it_is_a_note(request_, gitlab):
    request_.change("catalog/instancetypes/std.yaml", "medium: {vcpus: 2}", "medium: {vcpus: 3}")
    done = request_.run("virtcatalog-diff", VIRTCATALOG_TOKEN="secret", CI_API_V4_URL=gitlab.url)
    assert done.returncode == 0, done.stderr
    (note,) = gitlab.notes
    assert "VirtualMachineClusterInstancetype/std.medium" in str(note["body"])


REPORTS = ("virtcatalog.md", "virtcatalog.xml")


@pytest.mark.parametrize(
    ("kind", "job"),
    [*product(("a link to a file", "a link to nothing", "a link to a folder", "a folder"), JOBS)],
)
def test_nothing_is_written_through_what_a_commit_holds(request_, gitlab, tmp_path, job, kind):
    """The home of a job may lie elsewhere: a report in ~/.curlrc would be obeyed."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "file").write_text("mine")
    for name in (*REPORTS, "user.json", "notes.json", "note.json"):
        place = request_.origin / name
        if kind == "a folder":
            place.mkdir()
            (place / "virtcatalog.md").symlink_to(home / "new")
        else:
            place.symlink_to({"a link to a file": home / "file", "a link to a folder": home}.get(kind, home / "new"))
    done = request_.run(job, VIRTCATALOG_TOKEN="secret", CI_API_V4_URL=gitlab.url)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in home.iterdir()] == ["file"]
    assert (home / "file").read_text() == "mine"
    reports = TEMPLATE[job].get("artifacts", {})
    for name in (*reports.get("paths", ()), *reports.get("reports", {}).values()):
        assert (request_.checkout / name).is_file()
        assert not (request_.checkout / name).is_symlink()


@pytest.mark.parametrize("job", JOBS)
def test_a_report_that_was_committed_is_none_of_the_job(request_, tmp_path, job):
    for name in REPORTS:
        (request_.origin / name).write_text("all is well")
    assert request_.run(job, **shim(tmp_path, "exit 70")).returncode == 70
    for name in REPORTS:
        assert not (request_.checkout / name).exists() or "all is well" not in (request_.checkout / name).read_text()


@thorough
def test_settings_of_curl_and_git_in_the_checkout_do_not_count(request_, gitlab, tmp_path):
    """The home of the job is the checkout here."""
    marker = tmp_path / "marker"
    (request_.origin / ".curlrc").write_text(f'output = "{marker}"\n')
    (request_.origin / ".netrc").write_text("default login a password b\n")
    (request_.origin / ".gitconfig").write_text(f"[core]\n\tfsmonitor = touch {marker}\n\thooksPath = .\n")
    (request_.origin / "reference-transaction").write_text(f"#!/bin/sh\ntouch {marker}\n")
    (request_.origin / "reference-transaction").chmod(0o755)
    done = request_.run("virtcatalog-diff", VIRTCATALOG_TOKEN="secret", CI_API_V4_URL=gitlab.url)
    assert done.returncode == 0, done.stderr
    assert not marker.exists()


def test_the_base_is_the_revision_whatever_is_committed(request_):
    shutil.copytree(request_.origin / "catalog", request_.origin / request_.base / "catalog")
    request_.change("catalog/instancetypes/std.yaml", "medium: {vcpus: 2}", "medium: {vcpus: 3}")
    larger = (request_.origin / "catalog/instancetypes/std.yaml").read_text()
    (request_.origin / request_.base / "catalog/instancetypes/std.yaml").write_text(larger)
    assert request_.run("virtcatalog-diff").returncode == 0
    assert "VirtualMachineClusterInstancetype/std.medium" in (request_.checkout / "virtcatalog.md").read_text()


def test_a_committed_folder_that_is_a_bare_repository_runs_nothing(request_, tmp_path):
    """A checkout without `.git`, as a job with another strategy may have it: only the folder is left to be found."""
    marker = tmp_path / "marker"
    make_hostile(request_.origin, marker, bare=True)
    request_.run("virtcatalog-build")
    shutil.rmtree(request_.checkout / ".git")
    assert request_.run("virtcatalog-diff").returncode == 2
    assert not marker.exists()


@thorough
def test_modules_in_the_checkout_are_not_run(request_, gitlab):
    for name in ("json", "venv", "pip"):
        (request_.origin / f"{name}.py").write_text("raise SystemExit('it ran')\n")
    done = request_.run("virtcatalog-diff", VIRTCATALOG_TOKEN="secret", CI_API_V4_URL=gitlab.url)
    assert done.returncode == 0, done.stderr
    assert "it ran" not in done.stdout + done.stderr
    lines = [
        line
        for job in (*JOBS, ".virtcatalog")
        for key in ("before_script", "script")
        for line in TEMPLATE[job].get(key, ())
    ]
    assert all("python -I -m" in line for line in lines if "python" in line and not line.startswith("#"))


@pytest.mark.parametrize(("job", "status"), [*product(JOBS, (2, 70, 137))])
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


@thorough
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
    text = (Path(__file__).parents[1] / "docs/ci-gitlab.md").read_text(encoding="utf-8")
    used = set(re.findall(r"VIRTCATALOG_[A-Z_]+", json.dumps({job: TEMPLATE[job] for job in (*JOBS, ".virtcatalog")})))
    assert used == set(re.findall(r"`(VIRTCATALOG_[A-Z_]+)`", text))
