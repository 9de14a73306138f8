"""A catalog as an artifact: what it holds, where it is from, and what is said of an artifact that is none."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path

import pytest
from msgspec.structs import replace

from checkouts import git, write
from virtcatalog import load_catalog
from virtcatalog.catalog.lock import write_lock
from virtcatalog.errors import VirtcatalogError
from virtcatalog.oci.image import Image
from virtcatalog.oci.reference import OciError, Reference
from virtcatalog.oci.store import Artifact
from virtcatalog.publish.artifact import Declared, Origin, artifact, origin, public, read, stamp, tree_of
from virtcatalog.render.output import render
from virtcatalog.render.ownership import with_ownership

TREE = {"README.md": "# a\n", "base/a.yaml": "a: 1\n"}
FILES = {path: text.encode() for path, text in with_ownership(TREE, "house").items()}


def pulled(files: Mapping[str, bytes]) -> Artifact:
    return Artifact(Reference("r.example.com", "a", "v1"), files, {})


def test_a_tree_comes_back_with_the_name_of_its_catalog() -> None:
    assert tree_of(pulled(FILES)) == ("house", TREE)


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        (
            {"README.md": b"# a\n"},
            "is no catalog: it lacks .virtcatalog, which `virtcatalog push` writes",
        ),
        ({**FILES, "bin/sh": b""}, "holds 'bin/sh', which no artifact of a catalog has"),
        ({**FILES, "README.md": b"\xff"}, "README.md: is no UTF-8"),
        ({**FILES, "base/b.yaml": b""}, ".virtcatalog lists other files than there are"),
        (
            {path: content for path, content in FILES.items() if path != "base/a.yaml"},
            ".virtcatalog lists other files than there are",
        ),
    ],
)
def test_an_artifact_that_is_no_catalog(files: Mapping[str, bytes], fault: str) -> None:
    with pytest.raises(OciError) as refused:
        tree_of(pulled(files))
    assert str(refused.value) == f"oci://r.example.com/a:v1: {fault}"


HOUSE = {
    "catalog.yaml": "name: house\ndescription: Ours.\nkubevirt: v1.9.0\n",
    "instancetypes/m.yaml": "class: m\nsizes: {small: {vcpus: 1, memory: 1Gi}}\n",
}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A catalog in the folder `house`, in no repository."""
    write(tmp_path / "house", HOUSE)
    return tmp_path / "house"


def repository(folder: Path) -> str:
    """Commit all that a folder has, as the first in a repository of it; the commit."""
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", "https://me:secret@git.example.org/house.git")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "House", day="2026-01-02")
    return git(folder, "rev-parse", "HEAD")


def declared_paths(declared: Declared) -> list[str]:
    return sorted("/".join(path[len(declared.at) :]) for path in declared.files)


def unpacked(image: Image) -> dict[str, bytes]:
    with tarfile.open(fileobj=BytesIO(image.blobs[1].content)) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive.getmembers()}


def test_vm_templates_are_none_of_what_is_published(house):
    web = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\n"
    spec = "spec: {runStrategy: Halted, template: {spec: {domain: {devices: {}}}}}\n"
    write(house, {"vms/web.yaml.j2": web + spec, "vms.yaml": "web.yaml.j2: {}\n"})
    declared = read(str(house))
    assert declared_paths(declared) == ["catalog.yaml", "instancetypes/m.yaml"]
    assert declared.catalog == load_catalog(house)


def test_what_is_in_no_repository_has_no_origin(house):
    assert origin(read(str(house)), str(house)) == Origin("", "", "")


def test_a_repository_without_a_commit_gives_no_origin(house):
    git(house, "init", "-q")
    assert origin(read(str(house)), str(house)) == Origin("", "", "")


def test_the_origin_is_the_commit_without_what_logs_in(house):
    commit = repository(house.parent)
    expected = Origin("https://git.example.org/house.git", f"sha1:{commit}", "2026-01-02T00:00:00Z")
    assert origin(read(str(house)), str(house)) == expected


def test_files_that_the_commit_has_otherwise_are_refused(house):
    commit = repository(house.parent)[:12]
    end = f"not as in the commit {commit}; commit it first, or name what you push by --revision"
    (house / "catalog.yaml").write_text(f"{HOUSE['catalog.yaml']}# new\n")
    with pytest.raises(VirtcatalogError) as refused:
        origin(read(str(house)), str(house))
    assert str(refused.value) == f"{house}/catalog.yaml: {end}"
    write(house, {"instancetypes/c.yaml": "class: c\nsizes: {small: {vcpus: 1, memory: 1Gi}}\n"})
    with pytest.raises(VirtcatalogError) as refused:
        origin(read(str(house)), str(house))
    assert str(refused.value) == f"{house}/catalog.yaml and 1 file more: {end}"
    write(house, {"instancetypes/d.yaml": "class: d\nsizes: {small: {vcpus: 1, memory: 1Gi}}\n"})
    with pytest.raises(VirtcatalogError, match=r"catalog\.yaml and 2 files more: "):
        origin(read(str(house)), str(house))


def test_a_file_that_cannot_be_read_of_the_commit_is_not_as_in_it(house):
    (house / "catalog.yaml").unlink()
    (house / "catalog.yaml").symlink_to("../other.yaml")
    (house.parent / "other.yaml").write_text(HOUSE["catalog.yaml"])
    repository(house.parent)
    (house / "catalog.yaml").unlink()
    (house / "catalog.yaml").write_text(HOUSE["catalog.yaml"])
    with pytest.raises(VirtcatalogError, match=r"catalog\.yaml: not as in the commit"):
        origin(read(str(house)), str(house))


@pytest.fixture
def extending(house: Path) -> Path:
    """A catalog beside the house that extends it."""
    lab = house.parent / "lab"
    write(lab, {"catalog.yaml": "name: lab\nkubevirt: v1.9.0\nextends: ../house\n"})
    return lab


def test_a_catalog_beside_it_that_it_extends_is_of_the_commit_too(extending):
    commit = repository(extending.parent)
    declared = read(str(extending))
    assert sorted("/".join(path[len(declared.at) - 1 :]) for path in declared.files) == [
        "house/catalog.yaml",
        "house/instancetypes/m.yaml",
        "lab/catalog.yaml",
    ]
    assert origin(declared, str(extending)).revision == f"sha1:{commit}"
    (extending.parent / "house/catalog.yaml").write_text(f"{HOUSE['catalog.yaml']}# new\n")
    with pytest.raises(VirtcatalogError) as refused:
        origin(read(str(extending)), str(extending))
    assert str(refused.value).partition(": ")[0] == f"{extending.parent}/house/catalog.yaml"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://git.example.org/house.git", "https://git.example.org/house.git"),
        ("https://me:secret@git.example.org:8443/house.git", "https://git.example.org:8443/house.git"),
        ("http://me@git.example.org/a@b", "http://git.example.org/a@b"),
        ("git@git.example.org:house.git", "git@git.example.org:house.git"),
        ("ssh://git@git.example.org/house.git", "ssh://git@git.example.org/house.git"),
        ("https://[git.example.org/house.git", ""),
        ("", ""),
    ],
)
def test_a_url_without_what_logs_in(url, expected):
    assert public(url) == expected


def test_a_time_is_that_of_utc():
    assert stamp(datetime(2026, 1, 2, 3, 4, 5, 999, tzinfo=timezone(timedelta(hours=2)))) == "2026-01-02T01:04:05Z"


ABOUT = Origin("https://git.example.org/house.git", "sha1:a", "2026-01-02T00:00:00Z")


def test_an_artifact_has_the_output_tree_and_the_declarations(house):
    declared = read(str(house))
    image = artifact(declared, ABOUT)
    declarations = {f"declarations/catalog/{path}": text for path, text in HOUSE.items()}
    tree = {**render(declared.catalog), **declarations}
    assert unpacked(image) == {path: text.encode() for path, text in with_ownership(tree, "house").items()}
    assert image.annotations == {
        "org.opencontainers.image.created": "2026-01-02T00:00:00Z",
        "org.opencontainers.image.description": "Ours.",
        "org.opencontainers.image.revision": "sha1:a",
        "org.opencontainers.image.source": "https://git.example.org/house.git",
        "org.opencontainers.image.title": "house",
        "virtcatalog.dev/catalog": "declarations/catalog",
    }
    assert artifact(declared, Origin()).annotations == {
        "org.opencontainers.image.description": "Ours.",
        "org.opencontainers.image.title": "house",
        "virtcatalog.dev/catalog": "declarations/catalog",
    }


def test_an_artifact_of_a_release_has_its_version(house):
    (house / "catalog.lock").write_text(write_lock("v1.2.0", load_catalog(house)))
    assert artifact(read(str(house)), Origin()).annotations["org.opencontainers.image.version"] == "v1.2.0"


def test_a_catalog_is_called_the_same_wherever_it_was_and_those_beside_it_keep_their_names(extending):
    image = artifact(read(str(extending)), Origin())
    assert [path for path in unpacked(image) if path.startswith("declarations/")] == [
        "declarations/catalog/catalog.yaml",
        "declarations/house/catalog.yaml",
        "declarations/house/instancetypes/m.yaml",
    ]
    assert image.annotations["virtcatalog.dev/catalog"] == "declarations/catalog"


def test_a_catalog_beside_another_called_catalog_keeps_its_name(house):
    house.rename(house.parent / "catalog")
    write(house.parent / "lab", {"catalog.yaml": "name: lab\nkubevirt: v1.9.0\nextends: ../catalog\n"})
    image = artifact(read(str(house.parent / "lab")), Origin())
    assert [path for path in unpacked(image) if path.startswith("declarations/")] == [
        "declarations/catalog/catalog.yaml",
        "declarations/catalog/instancetypes/m.yaml",
        "declarations/lab/catalog.yaml",
    ]
    assert image.annotations["virtcatalog.dev/catalog"] == "declarations/lab"


def with_file(declared: Declared, name: str, content: bytes) -> Declared:
    return replace(declared, files={**declared.files, (*declared.at, "instancetypes", name): content})


def test_what_cannot_be_an_artifact(house, monkeypatch):
    declared = read(str(house))
    place = "/".join(declared.at)
    with pytest.raises(OciError) as refused:
        artifact(with_file(declared, "b.yaml", b"\xff"), Origin())
    assert str(refused.value) == f"{place}/instancetypes/b.yaml: is no UTF-8, and an artifact holds texts alone"
    with pytest.raises(OciError) as refused:
        artifact(with_file(declared, "b\n.yaml", b""), Origin())
    assert str(refused.value) == (
        "'declarations/catalog/instancetypes/b\\n.yaml': a line feed in the name of a file cannot be published"
    )
    size = sum(map(len, unpacked(artifact(declared, Origin())).values()))
    monkeypatch.setattr("virtcatalog.publish.artifact.ARTIFACT_UNPACKED_BYTES", 2 * size)
    artifact(declared, Origin())
    monkeypatch.setattr("virtcatalog.publish.artifact.ARTIFACT_UNPACKED_BYTES", 2 * size - 1)
    with pytest.raises(OciError, match=f"{house}: has more than 0 MiB as an artifact"):
        artifact(declared, Origin())


DIGEST = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    ("extends", "expected"),
    [
        ("", []),
        ("extends: ''", []),
        ("extends: ../house", []),
        (f"extends: oci://r.example.com/a:v1@{DIGEST}", [(f"oci://r.example.com/a:v1@{DIGEST}", DIGEST)]),
        ("extends: common-instancetypes", [("common-instancetypes", "")]),
        ("extends: no-such-catalog", []),
    ],
)
def test_what_a_catalog_extends_that_its_files_do_not_hold(extends, expected):
    files = {("house", "catalog.yaml"): f"name: house\n{extends}\n".encode(), ("house", "other.yaml"): b"extends: a"}
    assert Declared(None, ("house",), files).extends == expected


def test_a_catalog_that_is_extended_may_extend_others():
    files = {
        ("b", "catalog.yaml"): b"extends: common-instancetypes",
        ("a", "catalog.yaml"): f"extends: oci://r.example.com/a@{DIGEST}".encode(),
    }
    assert Declared(None, ("b",), files).extends == [
        (f"oci://r.example.com/a@{DIGEST}", DIGEST),
        ("common-instancetypes", ""),
    ]
