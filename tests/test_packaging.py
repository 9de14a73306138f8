"""The packages: the same bytes from the same sources, everything in them once, and at work once they are installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from pathlib import Path

import pytest

import virtcatalog

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
    (found,) = (path for name, path in built.items() if name.endswith(".whl"))
    return found


def test_the_same_sources_give_the_same_bytes(built, tmp_path):
    again = build(copy(tmp_path / "elsewhere", 1_700_000_000), tmp_path / "dist")
    assert {name: path.read_bytes() for name, path in again.items()} == {
        name: path.read_bytes() for name, path in built.items()
    }
    assert sorted(path.suffix for path in built.values()) == [".gz", ".whl"]


def test_the_sdist_makes_the_same_wheel(built, wheel, tmp_path):
    (sdist,) = (path for name, path in built.items() if name.endswith(".tar.gz"))
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (sources,) = tmp_path.iterdir()
    assert build(sources, tmp_path / "dist")[wheel.name].read_bytes() == wheel.read_bytes()


def test_the_wheel_holds_the_package_and_upstreams_catalogs_once(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"virtcatalog"}
    shipped = [name for name in names if name.startswith("virtcatalog/shipped/")]
    assert Counter(name.split("/")[2] for name in shipped if name.endswith("/catalog.yaml")) == {
        "common-instancetypes": 1,
        "common-instancetypes@v1.7.0": 1,
    }
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

    asked = "import virtcatalog.manifests.shipped as it; print(it.__file__, *it.shipped().values(), sep='\\n')"
    places = run(sys.executable, "-c", asked, cwd=site, PYTHONPATH=str(site)).splitlines()
    assert len(places) == 3
    assert all(place.startswith(f"{site}/virtcatalog/") for place in places)
    return virtcatalog


def test_a_vm_finds_upstreams_types_in_the_wheel(installed, tmp_path):
    (tmp_path / "vm.yaml").write_text(VM)
    assert '<memory unit="b">4294967296</memory>' in installed("expand", "-f", "vm.yaml", cwd=tmp_path)


def test_what_init_writes_works_at_once(installed, wheel, tmp_path):
    installed("init", "house", "--package", str(wheel), cwd=tmp_path)
    installed("build", "--check", cwd=tmp_path / "house")
    installed("check", cwd=tmp_path / "house")
    assert installed("expand", "-o", "vm", cwd=tmp_path / "house")
    line = (tmp_path / "house" / "requirements.txt").read_text().splitlines()[1]
    assert line == f"virtcatalog[pytest] @ {wheel.as_uri()}"


def builder():
    """What builds containers here, None where nothing does."""
    for name in ("podman", "docker"):
        try:
            if subprocess.run([name, "info"], capture_output=True, timeout=20).returncode == 0:
                return name
        except (OSError, subprocess.TimeoutExpired):
            continue
    return None


BUILDER = builder()


@pytest.mark.skipif(BUILDER is None, reason="no podman or docker that works")
def test_the_container_expands_a_vm(tmp_path):
    run(BUILDER, "build", "--file", "Containerfile", "--tag", "virtcatalog-test", ".", cwd=ROOT)
    (tmp_path / "vm.yaml").write_text(VM)
    tmp_path.chmod(0o755)
    command = (BUILDER, "run", "--rm", "--volume", f"{tmp_path}:/work:z", "virtcatalog-test")
    assert "<domain" in run(*command, "expand", "-f", "vm.yaml", cwd=tmp_path)


def test_the_container_leaves_out_what_it_need_not_have():
    """Of what the Containerfile copies, the build reads what the sdist has."""
    ignored = (ROOT / ".containerignore").read_text().split()
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    included = targets["sdist"]["include"]
    assert not {each.partition("/")[0] for each in included} & set(ignored)


def test_what_others_pin_is_this_version():
    """Hooks, action and templates are named by the tag of this version: it is there once the version is."""
    pinned = re.compile(r"(?:rev: |ref: |action@|virtcatalog@|# )v(\d+\.\d+\.\d+)")
    texts = [ROOT / "docs/ci.md", ROOT / "ci-templates/gitlab/virtcatalog.gitlab-ci.yml"]
    found = [version for path in texts for version in pinned.findall(path.read_text())]
    assert len(found) >= 5
    assert set(found) == {virtcatalog.__version__}
