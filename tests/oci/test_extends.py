"""Catalogs that extend an artifact: pulled once, then read offline, and exactly that."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

import pytest
from asking import commit, digest, pull, push, run
from registries import Running

from virtcatalog.oci.image import CATALOG, Image, digest_of, image_of
from virtcatalog.oci.store import Store


def extending(folder: Path, reference: str) -> Path:
    """Write a catalog that extends another."""
    folder.mkdir(parents=True)
    (folder / "catalog.yaml").write_text(f"name: own\nextends: {reference}\n")
    return folder


def stored(files: dict[str, bytes], home: str = "declarations/catalog") -> str:
    """Keep an artifact as `pull` does; return its digest."""
    image: Image = image_of(files, {CATALOG: home})
    for content in (image.manifest, *(blob.content for blob in image.blobs)):
        Store().put(content)
    return digest_of(image.manifest)


def problems(folder: Path) -> str:
    result = run("list", "-c", folder)
    assert result.exit_code == 2, result.output
    return result.stderr


def test_a_pulled_catalog_is_extended_without_its_registry(
    logged_in: Running, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed = digest(push(logged_in, "base:v1"))
    own = extending(Path("own/catalog"), f"oci://{logged_in.host}/base@{pushed}")
    (own / "instancetypes").mkdir()
    (own / "instancetypes/m.yaml").write_text("sizes: {large: {vcpus: 4, memory: 8Gi}}\n")
    assert "is not in the cache; fetch it: virtcatalog pull oci://" in problems(own)

    fetched = pull(logged_in, f"base@{pushed}")
    assert digest(fetched) == pushed
    shutil.rmtree(house)

    def connect(*arguments: object) -> None:
        raise AssertionError(f"a build asks {arguments}")

    monkeypatch.setattr(socket.socket, "connect", connect)
    listed = run("list", "-c", own, "-o", "csv")
    assert [line.split(",")[0] for line in listed.stdout.splitlines()[1:]] == ["m.small", "m.large"]


def test_pull_of_a_catalog_fetches_what_it_extends_and_what_that_extends(logged_in: Running, house: Path) -> None:
    first = digest(push(logged_in, "chain-1:v1"))
    middle = extending(Path("beside/middle"), f"oci://{logged_in.host}/chain-1@{first}")
    extending(Path("beside/catalog"), "../middle")
    commit(house.parent)
    assert run("pull", "beside/catalog", "--ca-file", logged_in.authority).exit_code == 0
    second = digest(push(logged_in, "chain-2:v1", "-c", "beside/catalog"))
    shutil.rmtree("beside")
    shutil.rmtree(Path("../cache"))
    assert middle.exists() is False

    own = extending(Path("own"), f"oci://{logged_in.host}/chain-2@{second}")
    fetched = run("pull", own, "--ca-file", logged_in.authority)
    assert [line.rpartition("@")[2] for line in fetched.stdout.splitlines()] == [second, first]
    assert "m.small" in run("list", "-c", own).stdout


def test_pull_fetches_what_a_base_extends_for_diff(logged_in: Running, house: Path) -> None:
    old = digest(push(logged_in, "based:v1"))
    (house / "instancetypes/m.yaml").write_text("class: m\nversion: ''\nsizes: {small: {vcpus: 2, memory: 2Gi}}\n")
    commit(house.parent)
    new = digest(push(logged_in, "based:v2"))
    own = extending(Path("own"), f"oci://{logged_in.host}/based@{old}")
    commit(house.parent)
    (own / "catalog.yaml").write_text(f"name: own\nextends: oci://{logged_in.host}/based@{new}\n")
    assert "is not in the cache" in run("diff", "-c", own, "HEAD").output

    fetched = run("pull", own, "--base", "HEAD", "--ca-file", logged_in.authority)
    assert [line.rpartition("@")[2] for line in fetched.stdout.splitlines()] == [new, old]
    compared = run("diff", "-c", own, "HEAD")
    assert (compared.exit_code, "m.small" in compared.stdout) == (1, True), compared.output


def test_a_tag_is_refused_with_what_prints_its_digest(house: Path) -> None:
    own = extending(Path("own"), "oci://registry.example.com/base:v1")
    assert problems(own).startswith(
        "own/catalog.yaml:2:1: extends: oci://registry.example.com/base:v1 may be another artifact tomorrow: write the "
        "name with its digest, which this prints: virtcatalog pull oci://registry.example.com/base:v1\n"
    )


def test_a_fault_of_an_extended_file_names_it(house: Path) -> None:
    name = stored({"declarations/catalog/catalog.yaml": b"name: base\nkubevirt: v1.7.0\nvendr: x\n"})
    own = extending(Path("own"), f"oci://registry.example.com/base@{name}")
    assert f"oci://registry.example.com/base@{name[:19]}/declarations/catalog/catalog.yaml:3:1: vendr:" in problems(own)


@pytest.mark.parametrize(
    ("files", "home", "message"),
    [
        ({"a.yaml": b"a"}, "declarations/catalog", "holds no catalog"),
        ({"catalog.yaml": b"a"}, "../../..", "names '../../..', which is outside of it"),
        ({"catalog.yaml": b"name: a\nextends: ../../../etc\n"}, "", "leaves the folder that this catalog is in"),
    ],
)
def test_what_an_artifact_says_stays_within_it(house: Path, files: dict[str, bytes], home: str, message: str) -> None:
    own = extending(Path("own"), f"oci://registry.example.com/base@{stored(files, home)}")
    assert message in problems(own)


def test_what_was_changed_in_the_store_is_not_believed(house: Path) -> None:
    name = stored({"declarations/catalog/catalog.yaml": b"name: base\nkubevirt: v1.7.0\n"})
    own = extending(Path("own"), f"oci://registry.example.com/base@{name}")
    assert run("build", own, "--output-dir", "tree").exit_code == 0
    place = Path("../cache/oci", name.replace(":", "-"))
    place.write_bytes(place.read_bytes() + b" ")
    assert "is not in the cache" in problems(own)


def test_what_is_not_in_the_cache_is_the_only_problem(house: Path) -> None:
    own = extending(Path("own"), f"oci://registry.example.com/base@sha256:{'0' * 64}")
    (own / "catalog.yaml").write_text((own / "catalog.yaml").read_text() + 'select: {instancetypes: ["m.*"]}\n')
    assert "is not in the cache" in problems(own)
    assert "matches nothing" not in problems(own)


def test_the_chain_of_artifacts_has_an_end(house: Path) -> None:
    below = "common-instancetypes"
    for _ in range(9):
        name = stored({"declarations/catalog/catalog.yaml": f"name: a\nextends: {below}\n".encode()})
        below = f"oci://registry.example.com/base@{name}"
    assert "extend more than 8 artifacts" in problems(extending(Path("own"), below))
