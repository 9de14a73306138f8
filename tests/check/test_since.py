"""Fields that have changed since a revision and cannot: immutable-field."""

from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

import otheryaml
from checkouts import git
from virtcatalog.cli import main

DISK = """\
    apiVersion: cdi.kubevirt.io/v1beta1
    kind: DataVolume
    metadata: {name: root, namespace: web}
    spec:
      storage: {}
      source: {registry: {url: "docker://example.org/fedora:%d"}}
"""


@pytest.fixture(autouse=True)
def repository(tmp_path, monkeypatch):
    """A repository in which an image of a DataVolume has changed since its only commit."""
    monkeypatch.chdir(tmp_path)
    git(".", "init", "-q", "-b", "main", ".")
    (tmp_path / "kustomization.yaml").write_text("resources: [disk.yaml]\n")
    (tmp_path / "disk.yaml").write_text(dedent(DISK % 40))
    git(".", "add", ".")
    git(".", "commit", "-qm", "one")
    (tmp_path / "disk.yaml").write_text(dedent(DISK % 41))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


FOUND = (
    "disk.yaml:6:23: DataVolume/web/root: spec.source.registry.url: cannot change once the object is there: give it "
    "another name and have VMs use that, or delete it first, with its data [error: immutable-field]\n"
)


def test_check_finds_it_since_a_revision():
    result = run("check", "--since", "HEAD")
    assert (result.exit_code, result.stdout) == (1, FOUND)
    assert run("check").exit_code == 0
    in_file = run("check", "-f", "disk.yaml", "--since", "HEAD")
    assert (in_file.exit_code, in_file.stdout) == (1, FOUND)


def test_diff_says_that_the_sync_fails():
    result = run("diff", "HEAD", "-o", "json")
    (remark,) = otheryaml.load(result.stdout)["remarks"]
    assert remark.startswith("DataVolume/web/root: spec.source.registry.url cannot change, and the sync fails: give it")
    assert result.exit_code == 1


def test_since_needs_a_revision_and_files():
    assert "--since nowhere: there is no such git revision" in run("check", "--since", "nowhere").stderr
    assert run("check", "--since", "HEAD", "-f", "-").exit_code == 2


def test_an_environment_that_deploys_it_is_named(tmp_path):
    flux = """\
        apiVersion: kustomize.toolkit.fluxcd.io/v1
        kind: Kustomization
        metadata: {name: lab, namespace: flux-system}
        spec: {path: ./disks, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
        """
    (tmp_path / "lab.yaml").write_text(dedent(flux))
    (tmp_path / "disks").mkdir()
    (tmp_path / "disks/disk.yaml").write_text(dedent(DISK % 40))
    git(".", "add", ".")
    git(".", "commit", "-qm", "two")
    (tmp_path / "disks/disk.yaml").write_text(dedent(DISK % 41))
    (finding,) = otheryaml.load(run("check", "--since", "HEAD", "-o", "json").stdout)
    assert (finding["rule"], finding["file"], finding["environments"]) == (
        "immutable-field",
        "disks/disk.yaml",
        ["lab"],
    )
