"""The GitHub Action: its steps, run by bash in a checkout, with the environment that a runner gives them."""

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
from typing import Any, NamedTuple

import pytest

import otheryaml
from checkouts import git, write
from forges import GitHub
from hostilegit import make_hostile
from sampling import thorough
from virtcatalog.scaffold.content import contents

ROOT = Path(__file__).parents[1]
ACTION = ROOT / "action/action.yml"
BIN = Path(sys.executable).parent
DECLARED = otheryaml.load(ACTION.read_text())

pytestmark = pytest.mark.skipif(not (shutil.which("git") and shutil.which("bash")), reason="needs git and bash")


class Runner:
    """What runs an action: expressions, the steps in their order, and the files that they write."""

    def __init__(
        self, folder: Path, checkout: Path, event: dict[str, Any], api: str, programs: Path, **inputs: str
    ) -> None:
        self.temp = folder / "temp"
        self.temp.mkdir()
        self.checkout, self.api = checkout, api
        self.path = [str(programs), str(BIN)]
        self.logs: dict[str, str] = {}
        self.context: dict[str, Any] = {
            "github": {
                "event": event,
                "server_url": "https://github.example.org",
                "repository": "o/r",
                "run_id": "7",
                "token": "secret",
            },
            "runner": {"temp": str(self.temp)},
            "steps": {},
        }
        defaults = {name: self.text(str(declared.get("default", ""))) for name, declared in DECLARED["inputs"].items()}
        assert inputs.keys() <= defaults.keys()
        self.context["inputs"] = defaults | inputs

    def run(self) -> int:
        """Run all steps but the installation; the exit status of the first that fails, else 0."""
        for step in DECLARED["runs"]["steps"]:
            if "run" not in step or step["name"] == "Install virtcatalog" or not self.wanted(step):
                continue
            done = self.step(step)
            if done.returncode:
                return done.returncode
        return 0

    def step(self, step: dict[str, Any], **more: str) -> subprocess.CompletedProcess[str]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an expression in a script is an injection"
        files = {name: self.temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        files["GITHUB_OUTPUT"] = self.temp / f"output-{step.get('id', 'none')}"
        for file in files.values():
            file.touch()
        environment = {
            "HOME": str(self.temp),
            "PATH": ":".join([*self.path, os.environ["PATH"]]),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_ACTION_PATH": str(ACTION.parent),
            "GITHUB_API_URL": self.api,
            "GITHUB_REPOSITORY": "o/r",
            **{name: str(file) for name, file in files.items()},
            **{name: self.text(value) for name, value in step.get("env", {}).items()},
            **more,
        }
        folder = self.checkout / self.text(step.get("working-directory", "."))
        script = self.temp / "script.sh"
        script.write_text(step["run"])
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        self.logs[step["name"]] = done.stdout + done.stderr
        outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        if "id" in step:
            self.context["steps"][step["id"]] = {"outputs": outputs}
        return done

    def wanted(self, step: dict[str, Any]) -> bool:
        return "if" not in step or bool(self.value(step["if"]))

    def output(self, name: str) -> str:
        return self.text(DECLARED["outputs"][name]["value"])

    @property
    def summary(self) -> str:
        return (self.temp / "github_step_summary").read_text()

    def text(self, template: str) -> str:
        return re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(self.value(match[1])), template)

    def value(self, expression: str) -> Any:
        """Evaluate the part of the expression language that the action uses."""
        for operator, stop in ((" || ", bool), (" && ", lambda value: not value)):
            if operator in expression:
                for word in expression.split(operator):
                    value = self.value(word)
                    if stop(value):
                        break
                return value
        for operator in (" == ", " != "):
            if operator in expression:
                one, other = (self.value(word) for word in expression.split(operator))
                return (one == other) == (operator == " == ")
        expression = expression.strip()
        if expression.startswith("'"):
            return expression.strip("'")
        value: Any = self.context
        for name in expression.split("."):
            value = value.get(name, "") if isinstance(value, dict) else ""
        return value


@pytest.fixture
def github() -> Iterator[GitHub]:
    github = GitHub()
    yield github
    github.close()


class House(NamedTuple):
    """What `init` writes, committed, on the branch of a change; its `output` once `grow` is built."""

    folder: Path
    base: str
    grown: Path


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> House:
    """Made once, and copied for every test."""
    folder, grown = (tmp_path_factory.mktemp("house") / name for name in ("origin", "grown"))
    write(folder, contents("house"))
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "house")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(folder, "checkout", "--quiet", "-b", "change")
    git(folder, "repack", "-adq")
    shutil.copytree(folder, grown)
    file = grown / GROWS[0]
    file.write_text(file.read_text().replace(*GROWS[1:]))
    subprocess.run([programs / "virtcatalog", "build"], cwd=grown, check=True, capture_output=True)
    return House(folder, git(folder, "rev-parse", "HEAD"), grown / "output")


class Repository:
    """A catalog's repository with a pull request; checkouts are shallow, as those of actions/checkout."""

    def __init__(self, folder: Path, house: House, programs: Path) -> None:
        self.origin, self.folder, self.programs = folder / "origin", folder, programs
        self.base, self.grown = house.base, house.grown
        shutil.copytree(house.folder, self.origin, symlinks=True)

    def write(self, path: str, text: str) -> None:
        file = self.origin / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.origin / path).read_text()
        assert old in text
        self.write(path, text.replace(old, new))

    def commit(self) -> str:
        git(self.origin, "add", "--all")
        git(self.origin, "commit", "--quiet", "--allow-empty", "--message", "change")
        return git(self.origin, "rev-parse", "HEAD")

    def checkout(self) -> Path:
        folder = self.folder / "checkout"
        git(self.folder, "clone", "--quiet", "--depth=1", "--branch=change", self.origin.as_uri(), str(folder))
        return folder

    def runner(self, api: str = "http://127.0.0.1:9", **inputs: str) -> Runner:
        event = {"pull_request": {"number": 5, "base": {"sha": self.base}}}
        return Runner(self.folder, self.checkout(), event, api, self.programs, **inputs)


@pytest.fixture
def repository(tmp_path: Path, house: House, programs: Path) -> Repository:
    return Repository(tmp_path, house, programs)


#: A file, a text in it, and what that becomes.
GROWS = ("catalog/instancetypes/std.yaml", "medium: {vcpus: 2}", "medium: {vcpus: 3}")


def grow(repository: Repository, *, build: bool) -> None:
    repository.replace(*GROWS)
    if build:
        shutil.rmtree(repository.origin / "output")
        shutil.copytree(repository.grown, repository.origin / "output", symlinks=True)
    repository.commit()


def test_a_sound_change_is_shown_and_passes(repository, github):
    grow(repository, build=True)
    runner = repository.runner(github.url)
    assert runner.run() == 0, runner.logs
    assert [runner.output(name) for name in ("build", "check", "diff")] == ["0", "0", "1"]
    assert "VirtualMachineClusterInstancetype/std.medium" in runner.summary
    assert ":x:" not in runner.summary
    (comment,) = github.comments
    assert comment["body"].startswith("<!-- virtcatalog: ./catalog -->\n")
    assert "VirtualMachineClusterInstancetype/std.medium" in comment["body"]
    assert github.tokens == {"Bearer secret"}


VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu: {cores: 2}
        memory: {guest: 2Gi}
        devices: {}
"""


def without_catalog(repository: Repository) -> None:
    git(repository.origin, "rm", "--quiet", "-r", ".")
    repository.write("apps/kustomization.yaml", "resources: [web.yaml]\n")
    repository.write("apps/web.yaml", VM)


def test_a_repository_without_a_catalog_gets_its_plan(repository, github):
    without_catalog(repository)
    repository.base = repository.commit()
    repository.replace("apps/web.yaml", "cores: 2", "cores: 4")
    repository.commit()
    runner = repository.runner(github.url)
    assert runner.run() == 0, runner.logs
    assert [runner.output(name) for name in ("build", "check", "diff")] == ["", "", "1"]
    assert ":x:" not in runner.summary
    (comment,) = github.comments
    assert "restart" in comment["body"]
    assert "apps/web.yaml" in comment["body"]


def test_who_takes_the_catalog_away_does_not_pass(repository, github):
    without_catalog(repository)
    repository.commit()
    runner = repository.runner(github.url)
    assert runner.run() == 1
    assert "cannot be rendered" in runner.summary


def test_a_stale_tree_is_shown_and_fails(repository, github):
    grow(repository, build=False)
    runner = repository.runner(github.url)
    assert runner.run() == 1
    assert runner.output("build") == "1"
    assert "+    guest: 3" in runner.logs["Is the rendered tree fresh?"]
    assert "> :x: `output` is stale: run `virtcatalog build catalog --output-dir output`" in runner.summary
    assert "is stale" in github.comments[0]["body"]


def test_findings_are_annotations_and_sarif_and_fail(repository, github):
    repository.replace("catalog/vms/web-server.yaml", "std.medium", "std.none")
    repository.commit()
    runner = repository.runner(github.url)
    assert runner.run() == 1
    assert runner.output("check") == "1"
    assert "::error file=catalog/vms/web-server.yaml,line=" in runner.logs["Check the catalog"]
    sarif = json.loads((runner.temp / "virtcatalog.sarif").read_text())
    assert sarif["runs"][0]["results"]
    assert "`virtcatalog check` found something" in runner.summary


@thorough
def test_a_broken_catalog_is_an_annotation_too(repository, github):
    repository.write("catalog/catalog.yaml", "name: [\n")
    repository.commit()
    runner = repository.runner(github.url)
    assert runner.run() == 1
    assert [runner.output(name) for name in ("build", "check")] == ["2", "1"]
    assert "::error file=catalog/catalog.yaml" in runner.logs["Check the catalog"]
    assert "`catalog` cannot be rendered" in runner.summary


def shim(repository, tmp_path, command, script):
    """A runner whose virtcatalog does something else for a command."""
    runner = repository.runner(comment="false")
    folder = tmp_path / "shim"
    folder.mkdir()
    own = folder / "virtcatalog"
    own.write_text(
        f'#!/bin/bash\nif [ "$1" = {command} ]; then {script}; fi\nexec {repository.programs}/virtcatalog "$@"\n'
    )
    own.chmod(0o755)
    runner.path.insert(0, str(folder))
    return runner


@pytest.mark.parametrize(("status", "command"), [*product((2, 70, 137), ("build", "check", "diff"))])
def test_any_status_above_1_fails(repository, tmp_path, command, status):
    runner = shim(repository, tmp_path, command, f"exit {status}")
    assert runner.run() == 1
    assert runner.output(command) == str(status)
    assert ":x:" in runner.summary


@pytest.mark.parametrize("status", [0, 1])
def test_a_comparison_without_a_report_fails(repository, tmp_path, status):
    runner = shim(repository, tmp_path, "diff", f"exit {status}")
    assert runner.run() == 1
    assert "could not compare all" in runner.summary


@thorough
def test_modules_in_the_checkout_are_not_run(repository, tmp_path, github):
    for name in ("venv", "pip", "json", "urllib"):
        repository.write(f"{name}.py", f"open({str(tmp_path / 'ran')!r}, 'w').write({name!r})\n")
    repository.programs = BIN  # started in the checkout
    grow(repository, build=True)
    runner = repository.runner(github.url)
    assert runner.run() == 0
    (step,) = [step for step in DECLARED["runs"]["steps"] if step.get("name") == "Install virtcatalog"]
    runner.step(step | {"run": step["run"].replace("--quiet", "--help --quiet")})
    assert not (tmp_path / "ran").exists()


@thorough
@pytest.mark.parametrize(("status", "result"), [(403, 0), (500, 1)])
def test_without_permission_there_is_no_comment_and_no_failure(repository, github, status, result):
    grow(repository, build=True)
    github.status = status
    runner = repository.runner(github.url)
    assert runner.run() == result
    assert f"{'::notice::' if result == 0 else '::error::'}" in runner.logs["Comment"]
    assert "VirtualMachineClusterInstancetype/std.medium" in runner.summary


@pytest.mark.parametrize("status", [0, 1])
def test_a_check_without_a_report_fails(repository, tmp_path, status):
    runner = shim(repository, tmp_path, "check", f"exit {status}")
    assert runner.run() == 1
    assert runner.output("check") == "70"
    assert "could not check" in runner.summary


@thorough
def test_the_base_is_the_revision_whatever_is_committed(repository):
    """The proposed catalog lies in a folder that is called as the base is."""
    grow(repository, build=True)
    for length in (7, 12, 40):
        shutil.copytree(repository.origin / "catalog", repository.origin / repository.base[:length] / "catalog")
    repository.commit()
    runner = repository.runner(comment="false")
    assert runner.run() == 0, runner.logs
    assert runner.output("diff") == "1"
    assert "VirtualMachineClusterInstancetype/std.medium" in runner.summary


def test_a_base_that_cannot_be_had_fails(repository):
    runner = repository.runner(base="--upload-pack=touch", comment="false")
    assert runner.run() == 1
    assert runner.output("diff") == "2"
    assert "could not compare all" in runner.summary


def test_a_committed_folder_that_is_a_bare_repository_runs_nothing(repository, tmp_path):
    marker = tmp_path / "marker"
    for part in ("catalog", "output"):
        shutil.copytree(repository.origin / part, repository.origin / "virt" / part)
    make_hostile(repository.origin / "virt", marker)
    repository.commit()
    runner = repository.runner(comment="false", **{"working-directory": "virt"})
    assert runner.run() == 1
    assert not marker.exists()
    assert runner.output("diff") == "2"
    assert "cannot use bare repository" in runner.logs["What the change does"]


@thorough
def test_no_hook_of_the_checkout_runs_when_the_base_is_fetched(repository, tmp_path):
    grow(repository, build=True)
    runner = repository.runner(comment="false")
    make_hostile(tmp_path / "hostile", tmp_path / "marker")
    shutil.copytree(tmp_path / "hostile/hooks", runner.checkout / ".git/hooks", dirs_exist_ok=True)
    assert runner.run() == 0, runner.logs
    assert not (tmp_path / "marker").exists()


@thorough
def test_no_comment_is_written_when_none_is_wanted(repository, github):
    grow(repository, build=True)
    assert repository.runner(github.url, comment="false").run() == 0
    assert github.comments == []


@pytest.mark.parametrize("base", ["0" * 40, ""])
def test_without_a_base_nothing_is_compared(repository, base):
    runner = repository.runner(base=base, comment="false")
    assert runner.run() == 0
    assert runner.output("diff") == ""
    assert runner.summary == ""


@thorough
def test_the_base_may_be_a_branch(repository):
    grow(repository, build=True)
    runner = repository.runner(base="main", comment="false")
    assert runner.run() == 0
    assert runner.output("diff") == "1"


@thorough
def test_a_catalog_elsewhere_with_manifests_of_the_cluster(repository):
    git(repository.origin, "checkout", "--quiet", "main")
    (repository.origin / "virt").mkdir()
    for part in ("catalog", "output"):
        git(repository.origin, "mv", part, f"virt/{part}")
    git(repository.origin, "mv", "virt/output", "virt/my tree")
    kubevirt = {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"}, "spec": {}}
    repository.write("virt/cluster.yaml", otheryaml.dump(kubevirt))
    repository.base = repository.commit()
    git(repository.origin, "checkout", "--quiet", "-B", "change")
    inputs = {"working-directory": "virt", "output": "my tree", "cluster": "cluster.yaml\n", "comment": "false"}
    runner = repository.runner(**inputs)
    assert runner.run() == 0, runner.logs
    assert [runner.output(name) for name in ("build", "check", "diff")] == ["0", "0", "0"]


def test_the_installation_takes_the_action_s_own_version_with_its_pins(repository, tmp_path):
    """`python` is one that notes what it is asked for: the real one would need the network."""
    runner = repository.runner()
    notes = tmp_path / "notes"
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "python").write_text(
        f'#!/bin/bash\necho "$@" >> {notes}\nif [ "$3" = venv ]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; fi\n'
    )
    (shims / "python").chmod(0o755)
    (step,) = [step for step in DECLARED["runs"]["steps"] if step.get("name") == "Install virtcatalog"]
    done = runner.step(step, PATH=f"{shims}:{os.environ['PATH']}")
    assert done.returncode == 0, done.stderr
    venv, builder, install = notes.read_text().splitlines()
    assert venv == f"-I -m venv {runner.temp}/virtcatalog"
    for line in (builder, install):
        assert line.startswith("-I -m pip ")
        assert Path(line.split()[-1]).resolve() == ROOT / "constraints.txt"
    assert " install hatchling " in builder
    assert Path(install.split(" install --no-build-isolation ")[1].split()[0]).resolve() == ROOT
    assert (runner.temp / "github_path").read_text() == f"{runner.temp}/virtcatalog/bin\n"


def test_what_builds_the_package_is_pinned():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["build-system"]["requires"] == ["hatchling"]
    pinned = {line.partition("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {"hatchling", "packaging", "pathspec", "pluggy", "trove-classifiers"} <= pinned


def test_it_uses_actions_of_github_only():
    used = [step["uses"] for step in DECLARED["runs"]["steps"] if "uses" in step]
    assert used == ["actions/setup-python@v6", "github/codeql-action/upload-sarif@v4"]


def test_the_documentation_names_every_input_and_output():
    text = (ROOT / "docs/ci-github.md").read_text(encoding="utf-8")
    for name in (*DECLARED["inputs"], *DECLARED["outputs"]):
        assert f"| `{name}` |" in text


@thorough
def test_the_workflow_that_init_writes_has_one_comment(repository: Repository, github: GitHub):
    steps = otheryaml.load(contents("house")[".github/workflows/catalog.yaml"])["jobs"]["catalog"]["steps"]
    (step,) = (step for step in steps if "as a comment" in step.get("name", ""))
    repository.replace(*GROWS)
    repository.commit()
    runner = repository.runner(github.url)
    git(runner.checkout, "fetch", "--quiet", "--unshallow")
    (runner.checkout / ".venv").symlink_to(BIN.parent)
    for _ in range(2):
        done = runner.step({"shell": "bash", **step})
        assert done.returncode == 0, done.stdout + done.stderr
    (comment,) = github.comments
    assert "std.medium" in comment["body"]
    assert "std.medium" in runner.summary
