"""`virtcatalog init`: a repository that works at once, and that never costs anybody a file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import otheryaml
import virtcatalog
from sampling import thorough
from virtcatalog import writing
from virtcatalog.catalog.load import load_catalog
from virtcatalog.cli import main
from virtcatalog.scaffold.content import pinned, write
from virtcatalog.writing import WriteError

BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[2]
FILES = {"a/b/one.txt": "1\n", "a/two.txt": "2\n", "three.txt": "3\n"}


def init(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["init", str(folder), *options])


def make(folder: Path, *targets: str, programs: Path = BIN) -> str:
    if not shutil.which("make"):
        if os.environ.get("CI"):
            pytest.fail("CI needs make")
        pytest.skip("make is not installed")
    command = ["make", "--no-print-directory", *targets, f"BIN={programs}"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "PYTEST"))}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def held(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*") if file.is_file()}


def test_build_test_and_check_pass_at_once(tmp_path, programs):
    folder = tmp_path / "house"
    result = init(folder)
    assert result.exit_code == 0, result.stderr
    files = held(folder)
    assert "nothing changed" in make(folder, "build", programs=programs)
    tested = make(folder, "test")
    assert "2 passed" in tested
    assert "2 snapshots passed" in tested
    assert "no findings" in make(folder, "check", programs=programs)
    assert {path: text for path, text in held(folder).items() if path in files} == files


@thorough
def test_a_change_of_the_catalog_fails_the_tests_until_the_domains_are_accepted(tmp_path):
    folder = tmp_path / "house"
    init(folder)
    declared = folder / "catalog/instancetypes/std.yaml"
    declared.write_text(declared.read_text().replace("medium: {vcpus: 2}", "medium: {vcpus: 3}"))
    with pytest.raises(AssertionError, match=r"1 failed, 1 passed"):
        make(folder, "test")
    make(folder, "golden")
    make(folder, "build", "test", "check")


def test_every_target_is_in_the_help(tmp_path):
    folder = tmp_path / "house"
    init(folder)
    (declared,) = [line for line in (folder / "Makefile").read_text().splitlines() if line.startswith(".PHONY:")]
    assert [line.split()[1] for line in make(folder).splitlines()] == declared.split()[1:]


def test_what_is_printed(tmp_path):
    folder = tmp_path / "house"
    result = init(folder, "--package", "virtcatalog==1.2")
    assert sorted(result.stdout.splitlines()) == sorted(str(folder / path) for path in held(folder))
    assert result.stderr == f"{folder}: {len(held(folder))} files; next: make build test\n"


@pytest.mark.parametrize("name", ["house", "1.0", "true"])
def test_the_catalog_is_called_as_the_folder(tmp_path, name):
    assert init(tmp_path / name).exit_code == 0
    assert load_catalog(tmp_path / name / "catalog").name == name


def test_or_as_one_says(tmp_path):
    assert init(tmp_path / "My Catalog", "--name", "house").exit_code == 0
    assert load_catalog(tmp_path / "My Catalog/catalog").name == "house"


def test_no_placeholder_is_left(tmp_path):
    for tool in ("none", "argocd", "flux"):
        assert init(tmp_path / tool, "--gitops", tool).exit_code == 0
        texts = held(tmp_path / tool).values()
        assert not any(f"@{name}@" in text for text in texts for name in ("NAME", "NAMED", "GITOPS", "DELIVERY"))
        assert not any("@REQUIREMENTS@" in text for text in texts)


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_what_syncs_it_is_what_the_gitops_command_prints(tmp_path, monkeypatch, tool):
    monkeypatch.chdir(tmp_path)
    url = "https://git.example.org/house.git"
    assert init(Path("house"), "--gitops", tool, "--repo-url", url).exit_code == 0
    printed = CliRunner().invoke(main, ["gitops", tool, "house/catalog", "--repo-url", url])
    assert (tmp_path / f"house/gitops/{tool}.yaml").read_text() == printed.stdout
    assert printed.stderr == ""
    assert f"virtcatalog gitops {tool} --repo-url {url}" in (tmp_path / "house/README.md").read_text()


@pytest.mark.parametrize(
    ("tool", "annotations"),
    [
        ("none", None),
        (
            "argocd",
            {"argocd.argoproj.io/sync-wave": "-10", "argocd.argoproj.io/sync-options": "Prune=false"},
        ),
        ("flux", {"kustomize.toolkit.fluxcd.io/prune": "disabled"}),
    ],
)
def test_the_objects_are_annotated_for_what_syncs_them(tmp_path, tool, annotations):
    init(tmp_path / "house", "--gitops", tool)
    for manifest in load_catalog(tmp_path / "house/catalog").objects():
        written = manifest["metadata"].get("annotations", {})
        relevant = {key: value for key, value in written.items() if "argocd" in key or "flux" in key}
        assert relevant == (annotations or {})


def test_requirements_pin_everything_that_virtcatalog_needs():
    lines = pinned("virtcatalog==0.1").splitlines()
    assert lines[0] == "virtcatalog[pytest]==0.1"
    assert all("==" in line for line in lines)
    names = {line.partition("==")[0] for line in lines[1:]}
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = declared["dependencies"] + declared["optional-dependencies"]["pytest"]
    assert {requirement.partition(">=")[0].lower().replace(".", "-") for requirement in wanted} <= names
    assert {"markupsafe", "pluggy"} <= names, "what those need in turn"


class Installed:
    """A distribution whose installer has noted nothing of where it came from."""

    requires = ()
    version = "1"
    noted = None

    def __init__(self, name):
        pass

    def read_text(self, name):
        return self.noted if name == "direct_url.json" else None


@pytest.mark.parametrize(
    ("noted", "line"),
    [
        (None, f"virtcatalog[pytest]=={virtcatalog.__version__}"),
        ('{"url": "file:///v.whl", "archive_info": {}}', "virtcatalog[pytest] @ file:///v.whl"),
        (
            '{"url": "https://git.example/v", "vcs_info": {"vcs": "git", "commit_id": "abc"}}',
            "virtcatalog[pytest] @ git+https://git.example/v@abc",
        ),
    ],
)
def test_a_repository_installs_virtcatalog_from_where_this_one_came(monkeypatch, noted, line):
    monkeypatch.setattr(Installed, "noted", noted)
    monkeypatch.setattr("virtcatalog.scaffold.content.distribution", Installed)
    assert pinned().splitlines()[0] == line


def test_that_an_index_has_to_have_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("virtcatalog.scaffold.content.distribution", Installed)
    folder = tmp_path / "house"
    version = f"virtcatalog[pytest]=={virtcatalog.__version__}"
    assert f"{folder}/requirements.txt: {version} is to be found in an index. " in init(folder).stderr
    assert "an index" not in init(tmp_path / "other", "--package", "git+https://git.example/v@v1").stderr


@pytest.mark.parametrize(
    ("package", "line"),
    [
        ("virtcatalog==1.2", "virtcatalog[pytest]==1.2"),
        ("virtcatalog>=1,<2", "virtcatalog[pytest]>=1,<2"),
        ("virtcatalog", "virtcatalog[pytest]"),
        ("virtcatalog[dask]==1.2", "virtcatalog[dask]==1.2"),
        ("git+https://git.example/v@v1", "virtcatalog[pytest] @ git+https://git.example/v@v1"),
        ("git+file:///srv/v.git@v1", "git+file:///srv/v.git@v1"),
    ],
)
def test_or_from_what_is_named(package, line):
    assert pinned(package).splitlines()[0] == line


def test_what_tests_need_is_asked_for_where_it_is_not_installed(monkeypatch):
    class Installed:
        version = "1"
        requires = ()

        def __init__(self, name):
            if name in ("pytest", "syrupy"):
                raise PackageNotFoundError

        def read_text(self, name):
            return None

    monkeypatch.setattr("virtcatalog.scaffold.content.distribution", Installed)
    assert pinned("virtcatalog==1.2").splitlines() == ["virtcatalog[pytest]==1.2", "pytest", "syrupy"]


def test_a_file_is_named_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.whl").touch()
    assert pinned("v.whl").splitlines()[0] == f"virtcatalog[pytest] @ {tmp_path.as_uri()}/v.whl"


def test_ci_says_where_virtcatalog_has_to_come_from_until_it_does(tmp_path):
    """What a file of one machine is installed from is no requirement that anybody else can meet."""
    (tmp_path / "v.whl").touch()
    folder = tmp_path / "house"
    result = init(folder, "--package", str(tmp_path / "v.whl"))
    assert "house/requirements.txt: virtcatalog comes from a file of this machine" in result.stderr
    command = ["make", "check"]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "CI": "true"}, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"2:virtcatalog[pytest] @ {tmp_path.as_uri()}/v.whl" in done.stdout
    assert "requirements.txt: this names a file of one machine; put a URL" in done.stderr
    assert not (folder / ".venv").exists()
    shutil.rmtree(folder)
    assert "a file" not in init(folder, "--package", "git+https://git.example/v@v1").stderr


def test_the_workflow_runs_targets_that_there_are(tmp_path):
    init(tmp_path / "house")
    workflow = otheryaml.load((tmp_path / "house/.github/workflows/catalog.yaml").read_text())
    steps = [step.get("run", "") for step in workflow["jobs"]["catalog"]["steps"]]
    targets = [step.removeprefix("make ") for step in steps if step.startswith("make ")]
    assert targets == ["check", "test"]
    makefile = (tmp_path / "house/Makefile").read_text()
    assert all(f"\n{target}: " in makefile for target in targets)


def test_a_file_that_is_there_is_never_replaced(tmp_path):
    (tmp_path / "README.md").write_text("mine\n")
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog/catalog.yaml").write_text("mine: too\n")
    before = held(tmp_path)
    result = init(tmp_path, "--name", "house")
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: {tmp_path} has files of its own in these places: README.md, catalog/catalog.yaml\n"
    )
    assert held(tmp_path) == before


def test_other_files_are_left_alone(tmp_path):
    (tmp_path / "LICENSE").write_text("mine\n")
    (tmp_path / "catalog").mkdir()
    assert init(tmp_path, "--name", "house").exit_code == 0
    assert (tmp_path / "LICENSE").read_text() == "mine\n"
    assert make(tmp_path, "build")


def test_a_second_run_adds_what_is_missing_and_nothing_else(tmp_path):
    init(tmp_path / "house")
    before = held(tmp_path / "house")
    (tmp_path / "house/Makefile").unlink()
    assert init(tmp_path / "house").stderr.startswith(f"{tmp_path / 'house'}: 1 file;")
    assert init(tmp_path / "house").stderr == f"{tmp_path / 'house'}: nothing to add\n"
    assert held(tmp_path / "house") == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--name", "No Name"],
            (
                "Kubernetes refuses the name 'No Name': it may have lower-case letters, digits, '-' and '.', "
                "and each part starts and ends with a letter or digit; choose another --name."
            ),
        ),
        (["--repo-url", "https://git.example.org/a"], "--repo-url is for --gitops argocd or flux."),
        (
            ["--gitops", "flux", "--repo-url", "git@git.example.org:a.git"],
            "Flux takes URLs only; this one is ssh://git@git.example.org/a.git",
        ),
        (["--gitops", "helm"], "'helm' is not one of 'argocd', 'flux', 'none'."),
    ],
)
def test_wrong_usage_writes_nothing(tmp_path, options, message):
    result = init(tmp_path / "house", *options)
    assert result.exit_code == 2
    assert f"{message}\n" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("existing", [False, True])
def test_all_files_are_written(tmp_path, existing):
    if existing:
        (tmp_path / "new").mkdir()
    assert write(tmp_path / "new", FILES) == list(FILES)
    assert held(tmp_path / "new") == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert not [path for path in (tmp_path / "new").iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("stop", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_whatever_goes_wrong_nothing_is_left(tmp_path, monkeypatch, existing, stop):
    folder = tmp_path / "new"
    if existing:
        (folder / "a").mkdir(parents=True)
        (folder / "a/mine.txt").write_text("mine\n")

    def fail_at_the_last(source: Path, place: Path) -> None:
        if place.name == "three.txt":
            raise stop
        os.link(source, place)

    monkeypatch.setattr(writing, "_link", fail_at_the_last)
    with pytest.raises(WriteError if isinstance(stop, OSError) else KeyboardInterrupt):
        write(folder, FILES)
    assert held(tmp_path) == ({"new/a/mine.txt": "mine\n"} if existing else {})
    assert sorted(path.name for path in tmp_path.rglob("*")) == (["a", "mine.txt", "new"] if existing else [])


def test_without_hard_links_the_files_are_copied(tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    (tmp_path / "new").mkdir()
    monkeypatch.setattr(os, "link", refuse)
    write(tmp_path / "new", FILES)
    assert held(tmp_path / "new") == FILES


def test_a_file_that_turns_up_meanwhile_is_not_replaced(tmp_path, monkeypatch):
    folder = tmp_path / "new"
    folder.mkdir()
    link = writing._link

    def turn_up(source: Path, place: Path) -> None:
        if place.name == "three.txt":
            place.write_text("mine\n")
        link(source, place)

    monkeypatch.setattr(writing, "_link", turn_up)
    with pytest.raises(WriteError, match=r"three\.txt: File exists; nothing was written"):
        write(folder, FILES)
    assert held(folder) == {"three.txt": "mine\n"}


@pytest.mark.parametrize("what", ["file", "link"])
def test_a_folder_that_is_something_else_is_refused(tmp_path, what):
    (tmp_path / "elsewhere").mkdir()
    if what == "file":
        (tmp_path / "new").mkdir()
        (tmp_path / "new/a").write_text("mine\n")
    else:
        (tmp_path / "new").mkdir()
        (tmp_path / "new/a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WriteError, match=r"a/b/one\.txt, a/two\.txt$"):
        write(tmp_path / "new", FILES)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "new").write_text("mine\n")
    with pytest.raises(WriteError):
        write(tmp_path / "new", FILES)
    assert (tmp_path / "new").read_text() == "mine\n"
