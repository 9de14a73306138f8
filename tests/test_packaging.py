"""The packages: the same bytes from the same sources, everything in them once, and at work once they are installed."""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

import virtcatalog
from checkouts import git, unpack
from sampling import thorough
from virtcatalog.cli import main
from virtcatalog.releases import RELEASES

ROOT = Path(__file__).resolve().parents[1]
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  instancetype: {name: u1.medium}
  preference: {name: fedora}
  template: {spec: {domain: {devices: {}}}}
"""
SIZE_MB = 3
#: Those of upstream's, which are in the wheel.
CATALOGS = sorted(path.name for path in (ROOT / "examples").glob("common-instancetypes*"))


def run(*command, cwd, **environment):
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def build(sources, into):
    run(sys.executable, "-I", "-m", "hatchling", "build", "--directory", str(into), cwd=sources)
    return {path.name: path for path in Path(into).iterdir()}


def copy(into, moment):
    """The sources as a checkout has them, written at some moment."""
    for name in run("git", "ls-files", "-z", cwd=ROOT).split("\0"):
        source = ROOT / name
        if name and source.is_file() and not name.startswith(("output/", "tests/", "schemas/")):
            target = Path(into, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            os.utime(target, (moment, moment))
    return into


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    return build(copy(folder / "sources", 1_000_000_000), folder / "dist")


@pytest.fixture(scope="module")
def wheel(built):
    (wheel,) = (path for name, path in built.items() if name.endswith(".whl"))
    return wheel


@thorough
def test_the_same_sources_give_the_same_bytes(built, tmp_path):
    again = build(copy(tmp_path / "elsewhere", 1_700_000_000), tmp_path / "dist")
    assert {name: path.read_bytes() for name, path in again.items()} == {
        name: path.read_bytes() for name, path in built.items()
    }
    assert sorted(path.suffix for path in built.values()) == [".gz", ".whl"]


@thorough
def test_the_sdist_makes_the_same_wheel(built, wheel, tmp_path):
    (sdist,) = (path for name, path in built.items() if name.endswith(".tar.gz"))
    with tarfile.open(sdist) as archive:
        unpack(archive, tmp_path)
    (sources,) = tmp_path.iterdir()
    assert build(sources, tmp_path / "dist")[wheel.name].read_bytes() == wheel.read_bytes()


@thorough
def test_the_wheel_holds_the_package_and_upstreams_catalogs_once(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"virtcatalog"}
    shipped = [name for name in names if name.startswith("virtcatalog/shipped/")]
    catalogs = Counter(name.split("/")[2] for name in shipped if name.endswith("/catalog.yaml"))
    assert catalogs == dict.fromkeys(CATALOGS, 1)
    assert {"common-instancetypes", *(release.common_instancetypes for release in RELEASES.values())} <= set(catalogs)
    assert len([name for name in names if name.endswith("instancetypes/cx.yaml")]) == 1
    assert max(Counter(names).values()) == 1
    assert wheel.stat().st_size < SIZE_MB * 10**6


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The wheel's files where nothing of the checkout is, run by this Python with all that they need."""
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)

    def virtcatalog(*arguments, cwd):
        return run(sys.executable, "-m", "virtcatalog", *arguments, cwd=cwd, PYTHONPATH=str(site))

    printing = "import virtcatalog.manifests.sources as it; print(it.__file__, *it.shipped().values(), sep='\\n')"
    places = run(sys.executable, "-c", printing, cwd=site, PYTHONPATH=str(site)).splitlines()
    assert len(places) == 1 + len(CATALOGS)
    assert all(place.startswith(f"{site}/virtcatalog/") for place in places)
    return virtcatalog


@thorough
def test_a_vm_finds_upstreams_types_in_the_wheel(installed, tmp_path):
    (tmp_path / "vm.yaml").write_text(VM)
    assert '<memory unit="b">4294967296</memory>' in installed("expand", "-f", "vm.yaml", cwd=tmp_path)


@thorough
def test_what_init_writes_works_at_once(installed, wheel, tmp_path):
    installed("init", "house", "--package", str(wheel), cwd=tmp_path)
    installed("build", "--check", cwd=tmp_path / "house")
    installed("check", cwd=tmp_path / "house")
    assert installed("expand", "-o", "vm", cwd=tmp_path / "house")
    line = (tmp_path / "house" / "requirements.txt").read_text().splitlines()[1]
    assert line == f"virtcatalog[pytest] @ {wheel.as_uri()}"


#: An image that the Containerfile can start from instead of the one that it names; see container-base.sh.
BASE = os.environ.get("VIRTCATALOG_TEST_BASE", "localhost/virtcatalog-test-base")
#: Where only packages of this machine's own mirror can be had, its trust and its settings are needed to have them.
TRUST = [path for path in ("/etc/ssl/certs", "/etc/pip.conf") if Path(path).exists()]

RUN = ("--isolation", "chroot", "--network", "host", *(f"--volume={path}:{path}:ro" for path in TRUST))


@pytest.fixture(scope="module")
def image():
    """The container image, built: by buildah without a runtime, which is so wherever it can be installed."""
    if not shutil.which("buildah"):
        pytest.skip("no buildah to build the container with")
    named = re.search(r"(?m)^ARG BASE=(.+)$", (ROOT / "Containerfile").read_text())[1]
    base = next((image for image in (BASE, named) if starts(image)), None)
    if base is None:
        pytest.skip(
            f"neither {BASE} nor {named} can be had, run and reach packages: "
            "tests/container-base.sh makes the first of Debian's"
        )
    name = f"localhost/virtcatalog-test-{os.getpid()}"
    run("buildah", "build", *RUN, "--build-arg", f"BASE={base}", "--tag", name, ".", cwd=ROOT)
    container = run("buildah", "from", name, cwd=ROOT).strip()
    yield container
    buildah("rm", container)
    buildah("rmi", name)


def buildah(*arguments):
    return subprocess.run(["buildah", *arguments], capture_output=True, text=True)


def starts(base):
    """Whether an image is there, or can be pulled, a command runs in it, and packages can be had there."""
    started = buildah("from", "--pull=false", base)  # not if it is there
    if started.returncode:
        return False
    container = started.stdout.split()[-1]
    script = "python3 -m venv /tmp/try && /tmp/try/bin/pip download --quiet --no-deps --dest /tmp/try msgspec"
    runs = buildah("run", *RUN, container, "--", "sh", "-c", script).returncode == 0
    buildah("rm", container)
    return runs


def contained(container, folder, *arguments):
    """Run what the image runs, in a folder of this machine's, as the user that the image names."""
    entrypoint = json.loads(run("buildah", "inspect", container, cwd=ROOT))["OCIv1"]["config"]["Entrypoint"]
    options = ["--isolation", "chroot", "--volume", f"{folder}:/work"]
    return run("buildah", "run", *options, container, "--", *entrypoint, *arguments, cwd=ROOT)


@thorough
def test_the_container_expands_a_vm_and_reads_revisions_of_a_repository_that_is_somebody_elses(image, tmp_path):
    house = tmp_path / "house"
    assert CliRunner().invoke(main, ["init", str(house)]).exit_code == 0
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        git(house, *arguments)
    (house / "vm.yaml").write_text(VM)
    house.chmod(0o755)
    command = ("expand", "-f", "vm.yaml", "-c", "common-instancetypes@v1.7.0")
    assert '<memory unit="b">4294967296</memory>' in contained(image, house, *command)
    assert json.loads(contained(image, house, "diff", "HEAD", "-o", "json"))


def test_the_container_leaves_out_what_it_need_not_have():
    """Of what the Containerfile copies, the build reads what the sdist has."""
    ignored = (ROOT / ".containerignore").read_text().split()
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    included = targets["sdist"]["include"]
    assert not {path.partition("/")[0] for path in included} & set(ignored)


#: Where somebody is told, or made, to take this version by its tag or number, and how often.
PINS = {
    "ci-templates/gitlab/virtcatalog.gitlab-ci.yml": 2,
    "docs/ci-feed.md": 1,
    "docs/ci-github.md": 2,
    "docs/ci-gitlab.md": 2,
    "docs/ci-pre-commit.md": 1,
    "docs/ci-renovate.md": 1,
    "docs/install.md": 7,
    "docs/tutorial.md": 2,
    "docs/any-repository.md": 1,
    "generator/virtcatalog/cli/gitops.py": 1,
    "generator/virtcatalog/cli/init.py": 1,
}
_PIN = re.compile(
    r"(?:\brev: |\bref: |virtcatalog(?:/action)?@|virtcatalog(?:==|\[pytest\]==|-|:)|<commit> # )v?(\d+\.\d+\.\d+)"
)


def test_what_others_pin_is_this_version():
    """Hooks, action and templates are named by the tag of this version: it is there once the version is."""
    tracked = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    texts = [name for name in tracked if Path(name).suffix in (".md", ".yml", ".yaml", ".py", ".toml")]
    pins = {name: _PIN.findall((ROOT / name).read_text()) for name in texts if not name.startswith("tests/")}
    assert {name: len(versions) for name, versions in pins.items() if versions} == PINS
    assert {version for versions in pins.values() for version in versions} == {virtcatalog.__version__}


def test_the_change_log_has_this_version_with_its_day():
    """What is not released yet may stand above it."""
    heads = re.findall(r"(?m)^## (.+)$", (ROOT / "CHANGELOG.md").read_text())
    newest = next(head for head in heads if head != "Unreleased")
    version, _, day = newest.partition(" - ")
    assert version == virtcatalog.__version__
    assert datetime.date.fromisoformat(day)
    assert heads.count("Unreleased") <= 1
