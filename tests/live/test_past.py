"""Which release of the catalog a VM runs with, and whose domain is another one than its VMI makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from test_drift import drift, vms
from test_verify import Lab

import fleet
from checkouts import git
from virtcatalog.cli import main
from virtcatalog.live import past
from virtcatalog.manifests.gitprocess import GitError

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")

PINNED = "team-2/pinned-7"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A catalog of two releases, and a VM of the second that holds the type of the first."""
    catalog = tmp_path / "catalog"
    (catalog / "instancetypes").mkdir(parents=True)
    (catalog / "catalog.yaml").write_text("name: house\nkubevirt: v1.9.0\nvendor: house.example.org\n")
    git(tmp_path, "init", "-q", "-b", "main")
    for version, cpus, memory in (("v1.0.0", 2, "4Gi"), ("v2.0.0", 8, "16Gi")):
        sizes = f"class: g\nname: grown\nsizes: {{one: {{vcpus: {cpus}, memory: {memory}}}}}\n"
        (catalog / "instancetypes" / "g.yaml").write_text(sizes)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", version)
        git(tmp_path, "tag", version)
    fleet.write_git(tmp_path / "git", range(7, 8))
    fleet.write_dump(tmp_path / "lab.json", range(7, 8))
    return tmp_path


def test_a_stored_type_is_recognised_by_what_it_holds(house):
    vms_by_name = vms(
        drift("-f", f"{house}/git", "--live", f"{house}/lab.json", "-c", f"{house}/catalog", "-o", "json")
    )
    assert vms_by_name[PINNED]["runs"] == {"instancetype": "v1.0.0"}
    assert vms_by_name[PINNED]["reasons"][0]["message"].startswith(
        "instancetype grown as of v1.0.0; refreshed: 2 → 8 vCPUs"
    )


@pytest.mark.parametrize(("release", "names"), [("v2.0.0", [PINNED]), ("v1.0.0", [])])
def test_since_a_release_those_count_that_hold_an_older_one(house, release, names):
    words = ("-f", f"{house}/git", "--live", f"{house}/lab.json", "-c", f"{house}/catalog")
    assert [*vms(drift(*words, "--since", release, "-o", "json"))] == names


def test_a_release_that_there_is_not_is_told(house):
    words = ("-f", f"{house}/git", "--live", f"{house}/lab.json", "-c", f"{house}/catalog")
    result = drift(*words, "--since", "v3.0.0")
    assert result.exit_code == 2
    assert "the catalog has no release 'v3.0.0'" in result.stderr


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A catalog whose lock publishes what the VM holds as v1.0.0, and then another one as v2.0.0; nothing is tagged."""
    catalog = tmp_path / "catalog"
    (catalog / "instancetypes").mkdir(parents=True)
    (catalog / "catalog.yaml").write_text("name: house\nkubevirt: v1.9.0\nvendor: house.example.org\n")
    fleet.write_git(tmp_path / "git", range(7, 8))
    fleet.write_dump(tmp_path / "lab.json", range(7, 8))
    return tmp_path


def publish(folder: Path, version: str, cpus: int, memory: str) -> None:
    sizes = f"class: g\nname: grown\nsizes: {{one: {{vcpus: {cpus}, memory: {memory}}}}}\n"
    (folder / "catalog" / "instancetypes" / "g.yaml").write_text(sizes)
    accepted = ("--accept", "grown") if (folder / "catalog" / "catalog.lock").exists() else ()
    words = ("release", version, f"{folder}/catalog", "--output-dir", f"{folder}/output", *accepted)
    result = CliRunner().invoke(main, words, prog_name="virtcatalog")
    assert result.exit_code == 0, result.output


def held(folder: Path) -> tuple[dict[str, str], str]:
    words = ("-f", f"{folder}/git", "--live", f"{folder}/lab.json", "-c", f"{folder}/catalog")
    result = drift(*words, "-o", "json")
    return vms(result)[PINNED]["runs"], result.stderr


def test_the_lock_tells_the_last_release_where_there_is_no_git(published):
    publish(published, "v1.0.0", 2, "4Gi")
    runs, output = held(published)
    assert runs == {"instancetype": "v1.0.0"}
    assert "only the last release is known" in output


def test_what_only_an_older_lock_has_is_not_recognised_without_git(published):
    publish(published, "v1.0.0", 2, "4Gi")
    publish(published, "v2.0.0", 8, "16Gi")
    assert held(published)[0] == {}


def test_where_git_fails_that_is_told_and_no_release_is_known(published, monkeypatch):
    def fails(_):
        raise GitError("git log: fails")

    publish(published, "v1.0.0", 2, "4Gi")
    monkeypatch.setattr(past, "history_of", fails)
    assert past.past_of(f"{published}/catalog") == ((), ("git log: fails",))
    runs, output = held(published)
    assert (runs, "git log: fails" in output) == ({}, True)


def test_the_locks_of_git_tell_older_releases(published):
    git(published, "init", "-q", "-b", "main")
    for version, cpus, memory in (("v1.0.0", 2, "4Gi"), ("v2.0.0", 8, "16Gi")):
        publish(published, version, cpus, memory)
        git(published, "add", "-A")
        git(published, "commit", "-q", "-m", version)
    assert held(published) == ({"instancetype": "v1.0.0"}, "")


def pinned_vm(lab: Lab) -> tuple[dict[str, Any], int]:
    fleet.write_git(lab.folder / "git", range(1))
    result = drift("-f", f"{lab.folder}/git", *lab.write(), "-o", "json")
    return json.loads(result.stdout)["vms"][0], result.exit_code


def test_a_domain_that_its_vmi_makes_is_in_sync(tmp_path):
    vm, status = pinned_vm(Lab(tmp_path))
    assert (vm["stages"]["domain"], vm["verdict"], status) == ("same", "in-sync", 0)


def test_another_domain_is_told_with_its_place(tmp_path):
    lab = Lab(tmp_path)
    lab.domain = lab.domain.replace('model="virtio-non-transitional"', 'model="virtio"')
    vm, status = pinned_vm(lab)
    assert (vm["verdict"], status) == ("domain", 1)
    assert vm["reasons"][0]["message"] == "its domain is not what its VMI makes"
    assert {field["now"] for field in vm["reasons"][0]["fields"]} == {"virtio"}


def test_a_domain_that_cannot_be_read_is_not_known(tmp_path):
    lab = Lab(tmp_path)
    lab.domain = "<domain"
    vm, status = pinned_vm(lab)
    assert (vm["verdict"], status) == ("unread", 2)
