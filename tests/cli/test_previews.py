"""A preview is called one by every command and in every form, and nothing chooses one by itself."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import house
import pytest
from click.testing import CliRunner, Result

from virtcatalog.cli import main
from virtcatalog.releases import DEFAULT, PREVIEWS, RELEASES, find_release

TEXT = PREVIEWS["main"].preview

#: A run of every command that asks about a release; it has each of the command's forms, too.
RUNS = {
    "adopt": "-f inline.yaml",
    "capacity": "-f nodes.yaml -f inline.yaml",
    "check": "",
    "create vm": "--name web --instancetype m.large --run-strategy Halted",
    "diff": "",
    "drift": "--live live.yaml",
    "expand": "-f catalog/vms -e production",
    "explain": "-f catalog/vms -e production --field memory.guest",
    "gitops": "argocd -f inline.yaml",
    "impact": "m.large",
    "import libvirt": "-f domain.xml",
    "import openstack": "-f flavors.json",
    "import vmware": "-f guest.ovf",
    "rightsize": "-f inline.yaml --metrics usage.csv",
    "show": "m.large",
    "site": "--no-git --output-dir public",
    "template convert": "-f openshift.yaml",
    "verify": "--live live.yaml",
}
FILES = {
    "domain.xml": "<domain type='kvm'><name>small</name><memory unit='GiB'>4</memory><vcpu>2</vcpu><devices/></domain>",
    "flavors.json": '[{"Name": "m1.small", "VCPUs": 1, "RAM": 2048, "Disk": 20, "Properties": {}}]',
    "guest.ovf": Path(__file__).parents[1].joinpath("bring/vmware/virtualbox.ovf").read_text(),
    "openshift.yaml": """\
        apiVersion: template.openshift.io/v1
        kind: Template
        metadata: {name: web}
        parameters: [{name: NAME, required: true}]
        objects:
        - apiVersion: kubevirt.io/v1
          kind: VirtualMachine
          metadata: {name: "${NAME}"}
          spec: {runStrategy: Halted, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}
        """,
}
#: What has no room for it: manifests as JSON, tables for programs. A site says it on its pages.
ON_STDERR_ALONE = {
    ("show", "json"),
    ("import libvirt", "json"),
    ("import openstack", "json"),
    ("import vmware", "csv"),
    ("rightsize", "csv"),
    ("template convert", "json"),
    ("site", ""),
}


def commands(group: click.Command, names: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command with its name, and those of groups with both names."""
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from commands(command, (*names, name))
    else:
        yield " ".join(names), group


ASKING = {
    name: command
    for name, command in commands(main)
    if any("--kubevirt" in parameter.opts for parameter in command.params)
}


def forms(command: click.Command) -> list[str]:
    """What a command's -o takes; "" for what it prints without."""
    for parameter in command.params:
        if "--output" in parameter.opts and isinstance(parameter.type, click.Choice):
            return ["", *dict.fromkeys(parameter.type.choices)]
    return [""]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("house") / "house"
    root.mkdir()
    house.build(root)
    house.write(root, FILES)
    return root


@pytest.fixture
def repository(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(built, tmp_path / "house")
    monkeypatch.chdir(tmp_path / "house")
    return tmp_path / "house"


def run(arguments: str) -> Result:
    result = CliRunner().invoke(main, shlex.split(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("name", ASKING)
def test_every_output_calls_a_preview_one(name: str) -> None:
    releases = "v1.9.0 main" if name == "diff" else "main"
    for form in forms(ASKING[name]):
        shaped = f"-o {form}" if form else ""
        result = run(f"{name} {RUNS[name]} --kubevirt {releases} {shaped}")
        assert result.stderr.count(TEXT) == 1, (form, result.stderr)
        if (name, form) not in ON_STDERR_ALONE and result.stdout != "[]\n":
            assert "preview" in result.stdout, (form, result.stdout[:2000])


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("name", ASKING)
def test_no_release_is_called_a_preview(name: str) -> None:
    result = run(f"{name} {RUNS[name]} --kubevirt {'v1.8.4 v1.9.0' if name == 'diff' else 'v1.9.0'}")
    assert "preview" not in result.stdout + result.stderr


def test_a_site_calls_a_preview_one_on_its_pages(repository: Path) -> None:
    run("site --no-git --output-dir public --kubevirt main")
    pages = [page.read_text() for page in repository.joinpath("public").rglob("*.html")]
    assert pages
    assert all(TEXT in page for page in pages)


def test_what_is_printed_in_front_fits_the_form(repository: Path) -> None:
    manifest = run(f"create vm {RUNS['create vm']} --kubevirt main").stdout
    assert manifest.startswith(f"# {TEXT}\napiVersion: ")
    assert run(f"verify {RUNS['verify']} --kubevirt main -o markdown").stdout.startswith(f"> {TEXT}\n\n")
    assert json.loads(run(f"explain {RUNS['explain']} --kubevirt main -o json").stdout)["preview"] == TEXT
    assert (
        "<!-- host profile reference v1, KubeVirt main (preview) -->"
        in run(f"expand {RUNS['expand']} --kubevirt main").stdout
    )


@pytest.mark.parametrize("form", ["xml", "vmi", "json"])
def test_an_environment_may_run_a_preview(repository: Path, form: str) -> None:
    house.write(repository, {"catalog/overlays.yaml": "production: {kubevirt: main}\n"})
    result = run(f"expand {RUNS['expand']} -o {form}")
    assert result.exit_code == 0
    assert result.stderr.count(TEXT) == 1
    assert "preview" in result.stdout
    checked = run("check")
    assert f"catalog/overlays.yaml:1:1: production.kubevirt: {TEXT} [note: preview-release]" in checked.stdout


#: Commands that look at what environments run.
OF_ENVIRONMENTS = {
    "adopt": "-f inline.yaml",
    "capacity": "-f nodes.yaml -f inline.yaml -e production",
    "check": "",
    "check --pairs": "-e production",
    "create vm": "--name web --instancetype m.large --run-strategy Halted -e production",
    "diff": "",
    "impact": "m.large",
}


@pytest.mark.parametrize("name", OF_ENVIRONMENTS)
@pytest.mark.parametrize("form", ["", "-o json"])
def test_what_an_environment_that_runs_a_preview_gets_says_so(repository: Path, name: str, form: str) -> None:
    house.write(repository, {"catalog/overlays.yaml": "production: {kubevirt: main}\n"})
    result = run(f"{name} {OF_ENVIRONMENTS[name]} {form}")
    assert TEXT in result.stderr
    assert "preview" in result.stdout


def test_a_site_of_an_environment_that_runs_a_preview_says_so(repository: Path) -> None:
    house.write(repository, {"catalog/overlays.yaml": "production: {kubevirt: main}\n"})
    assert run("site --no-git --output-dir public").stderr.count(TEXT) == 1
    assert TEXT in repository.joinpath("public/index.html").read_text()
    assert TEXT not in run("site --no-git --output-dir public --kubevirt v1.9.0").stderr
    assert TEXT not in repository.joinpath("public/index.html").read_text()


OF_ONE_ENVIRONMENT = {
    "adopt": "-f inline.yaml -e production",
    "capacity": OF_ENVIRONMENTS["capacity"],
    "create vm": OF_ENVIRONMENTS["create vm"],
    "expand": RUNS["expand"],
    "explain": RUNS["explain"],
    "rightsize": "-f production=inline.yaml --metrics usage.csv",
    "show": "m.large -e production",
}


@pytest.mark.parametrize("name", OF_ONE_ENVIRONMENT)
def test_an_environment_that_runs_a_release_overrules_the_usual_preview(repository: Path, name: str) -> None:
    house.write(repository, {"virtcatalog.toml": 'kubevirt = "main"\n'})
    result = run(f"{name} {OF_ONE_ENVIRONMENT[name]}")
    assert any(word in result.stdout + result.stderr for word in ("old", "web", "m.large"))
    assert TEXT not in result.stdout + result.stderr


def test_what_is_in_no_environment_meets_the_usual_preview(repository: Path) -> None:
    house.write(repository, {"virtcatalog.toml": 'kubevirt = "main"\n'})
    assert run("create vm --name web").stdout.startswith(f"# {TEXT}\n")


@pytest.mark.parametrize("command", [f"capacity {OF_ENVIRONMENTS['capacity']} -o json", "show m.large -e production"])
def test_amounts_are_those_of_the_release_that_the_environment_runs(repository: Path, command: str) -> None:
    house.write(repository, {"catalog/overlays.yaml": "production: {kubevirt: main}\n"})
    declared, named, other = (run(f"{command} {more}").stdout for more in ("", "--kubevirt main", "--kubevirt v1.9.0"))
    assert declared == named != other
    assert "preview" in declared
    assert "preview" not in other


def test_no_preview_is_ever_chosen_by_itself() -> None:
    assert not DEFAULT.preview
    assert not any(release.preview for release in RELEASES.values())
    assert [find_release(name).name for name in ("v1.8", "v1.9", "v1.9.0")] == ["v1.8.4", "v1.9.0", "v1.9.0"]


@pytest.mark.usefixtures("repository")
def test_quiet_does_not_silence_it() -> None:
    assert TEXT in run(f"-q expand {RUNS['expand']} --kubevirt main").stderr
