"""Catalogs that go to a real registry, Debian's, and come back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from asking import commit, digest, git, pull, push, run
from registries import PASSWORD, USER, Running, docker_config, interrupted

from sampling import sample
from virtcatalog.oci.reference import parse
from virtcatalog.oci.registry import Registry


def files(folder: Path) -> dict[str, bytes]:
    """All files of a folder by their paths."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def manifest(registry: Running, name: str, tag: str) -> dict[str, object] | None:
    """What a registry has under a tag."""
    content = Registry(parse(f"oci://{registry.host}/{name}"), authority=str(registry.authority)).manifest(tag)
    return None if content is None else json.loads(content)


def test_what_comes_back_is_the_output_tree_and_the_catalog(logged_in: Running, house: Path) -> None:
    assert run("build").exit_code == 0
    pushed = digest(push(logged_in, "house:v1"))
    assert digest(pull(logged_in, "house:v1", "there")) == pushed

    built, pulled = files(Path("output")), files(Path("there"))
    declared = {path: text for path, text in pulled.items() if path.startswith("declarations/")}
    assert declared == {f"declarations/catalog/{path}": text for path, text in files(house).items()}
    del built[".virtcatalog"], pulled[".virtcatalog"]
    assert pulled == built | declared


def test_vm_templates_are_not_published(logged_in: Running, house: Path) -> None:
    (house / "vms").mkdir()
    (house / "vms/web.yaml.j2").write_text(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\n"
        "spec: {runStrategy: Halted, template: {spec: {domain: {devices: {}}}}}\n"
    )
    (house / "vms.yaml").write_text("web.yaml.j2: {}\n")
    commit(house.parent)
    digest(push(logged_in, "vms:v1"))
    digest(pull(logged_in, "vms:v1", "there"))
    assert not [path for path in files(Path("there")) if "vms" in path]


def test_the_same_commit_gives_the_same_bytes_wherever_it_is(logged_in: Running, house: Path, tmp_path: Path) -> None:
    first = push(logged_in, "same:v1")
    clone = tmp_path / "elsewhere"
    git(tmp_path, "clone", "--quiet", str(house.parent), str(clone))
    git(clone, "remote", "set-url", "origin", "https://git.example.com/house.git")
    again = push(logged_in, "same:v2", "-c", clone / "catalog")
    assert digest(first) == digest(again)
    assert manifest(logged_in, "same", "v1") == manifest(logged_in, "same", "v2")


def test_annotations_are_those_that_flux_writes(logged_in: Running, house: Path) -> None:
    digest(push(logged_in, "notes:v1"))
    pushed = manifest(logged_in, "notes", "v1")
    assert pushed is not None
    assert pushed["config"]["mediaType"] == "application/vnd.cncf.flux.config.v1+json"
    assert [layer["mediaType"] for layer in pushed["layers"]] == ["application/vnd.oci.image.layer.v1.tar+gzip"]
    annotations = pushed["annotations"]
    assert annotations["org.opencontainers.image.source"] == "https://git.example.com/house.git"
    assert annotations["org.opencontainers.image.created"] == "2026-01-02T03:04:05Z"
    assert annotations["org.opencontainers.image.revision"].startswith("sha1:")


def test_uncommitted_files_are_not_published_as_the_commit(logged_in: Running, house: Path) -> None:
    (house / "catalog.yaml").write_text((house / "catalog.yaml").read_text() + "description: new\n")
    refused = push(logged_in, "dirty:v1")
    assert refused.exit_code == 2
    assert "catalog/catalog.yaml: not as in the commit" in refused.stderr
    assert manifest(logged_in, "dirty", "v1") is None
    assert push(logged_in, "dirty:v1", "--revision", "local").exit_code == 0


@pytest.mark.parametrize("reference", ["oci://h/r", "oci://h/r:t@sha256:" + "0" * 64])
def test_what_is_published_has_a_tag(house: Path, reference: str) -> None:
    refused = run("push", reference)
    assert refused.exit_code == 2
    assert "by a tag: oci://h/r:TAG" in refused.stderr


def test_without_a_login_the_registry_gets_nothing(running: Running, house: Path) -> None:
    refused = push(running, "house:v1")
    assert refused.exit_code == 2
    assert f"the registry wants a login: docker login {running.host}" in refused.stderr


def test_a_wrong_password(running: Running, house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(docker_config(tmp_path / "wrong", running.host, password="guess")))
    refused = push(running, "house:v1")
    assert refused.exit_code == 2
    assert "UNAUTHORIZED" in refused.stderr
    assert f"log in again: docker login {running.host}" in refused.stderr


def test_a_registry_of_another_authority_is_not_trusted(logged_in: Running, house: Path) -> None:
    refused = run("push", f"oci://{logged_in.host}/house:v1")
    assert refused.exit_code == 2
    assert "the registry is not trusted" in refused.stderr


def test_an_interrupted_push_leaves_no_tag_and_can_be_repeated(
    logged_in: Running, house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("virtcatalog.oci.registry.TRIES", 1)
    for number, length in enumerate(sample((1500, 3000, 4500, 6000), 3)):
        with interrupted(logged_in.host, length) as host:
            monkeypatch.setenv("DOCKER_CONFIG", str(docker_config(tmp_path / host, host)))
            broken = push(logged_in, f"cut{number}:v1", host=host)
        assert broken.exit_code == 2, f"{length} bytes are all of it"
        assert "no answer to" in broken.stderr
        monkeypatch.setenv("DOCKER_CONFIG", str(logged_in.docker))
        assert manifest(logged_in, f"cut{number}", "v1") is None
        digest(push(logged_in, f"cut{number}:v1"))
        digest(pull(logged_in, f"cut{number}:v1"))


def test_a_tag_moves_and_the_digest_stays(logged_in: Running, house: Path) -> None:
    first = digest(push(logged_in, "moved:latest"))
    (house / "instancetypes/m.yaml").write_text("class: m\nversion: ''\nsizes:\n  small: {vcpus: 2, memory: 2Gi}\n")
    commit(house.parent)
    second = digest(push(logged_in, "moved:latest"))
    assert first != second
    assert digest(pull(logged_in, "moved:latest")) == second
    assert digest(pull(logged_in, f"moved@{first}", "old")) == first
    assert b"small: {vcpus: 1" in Path("old/declarations/catalog/instancetypes/m.yaml").read_bytes()


def test_a_digest_that_the_registry_does_not_have(logged_in: Running, house: Path) -> None:
    digest(push(logged_in, "absent:v1"))
    refused = pull(logged_in, f"absent@sha256:{'0' * 64}")
    assert refused.exit_code == 2
    assert "the registry has no such artifact" in refused.stderr


def test_a_layer_that_was_changed_in_the_registry_is_refused(logged_in: Running, house: Path) -> None:
    pushed = digest(push(logged_in, "forged:v1"))
    layer = manifest(logged_in, "forged", "v1")["layers"][0]["digest"]
    stored = next(logged_in.storage.rglob(f"blobs/sha256/*/{layer.removeprefix('sha256:')}/data"))
    good = stored.read_bytes()
    try:
        stored.write_bytes(good[::-1])
        refused = pull(logged_in, f"forged@{pushed}", "there")
    finally:
        stored.write_bytes(good)
    assert refused.exit_code == 2
    assert f"the blob {layer} of {len(good)} bytes arrived as sha256:" in refused.stderr
    assert not Path("there").exists()


def test_dry_run_says_the_digest_without_a_registry(logged_in: Running, house: Path) -> None:
    dry = run("push", f"oci://{logged_in.host}/dry:v1", "--dry-run")
    assert digest(dry) == digest(push(logged_in, "dry:v1"))


def test_argo_cd_extracts_it_with_its_defaults(
    logged_in: Running, house: Path, argocd: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pushed = digest(push(logged_in, "argocd:v1"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for revision in ("v1", pushed):
        place = f"oci://{logged_in.host}/argocd"
        answer = subprocess.run(
            [argocd, place, revision, USER, PASSWORD, logged_in.authority], capture_output=True, text=True
        )
        assert answer.returncode == 0, answer.stderr
        there = Path(answer.stdout.strip())
        assert run("build").exit_code == 0
        extracted = {path: text for path, text in files(there).items() if not path.startswith("declarations/")}
        built = files(Path("output"))
        del built[".virtcatalog"], extracted[".virtcatalog"]
        assert extracted == built
