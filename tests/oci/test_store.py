"""The folder in which artifacts are kept: nothing in it is believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from virtcatalog.cachefolder import CacheError
from virtcatalog.oci.image import digest_of, image_of
from virtcatalog.oci.reference import OciError, Reference
from virtcatalog.oci.store import Artifact, Store, artifact_of, layer_of

IMAGE = image_of({"a": b"1"}, {"b": "c"})
LAYER = IMAGE.blobs[1].content
PLACE = Reference("r.example.com", "house", "v1", IMAGE.descriptor.digest)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(folder: Path) -> Store:
    return Store(str(folder))


def file_of(folder: Path, content: bytes) -> Path:
    return folder / "oci" / digest_of(content).replace(":", "-")


def test_a_blob_is_a_file_of_its_users_named_by_its_digest(store: Store, folder: Path) -> None:
    store.put(b"content")
    file = file_of(folder, b"content")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"content", 0o600)
    assert (folder / "oci").stat().st_mode & 0o777 == 0o700
    assert [path.name for path in (folder / "oci").iterdir()] == [file.name]
    store.put(b"content")
    assert store.get(digest_of(b"content"), 7) == b"content"


def test_what_is_not_the_blob_is_none(store: Store, folder: Path) -> None:
    store.put(b"content")
    digest, file = digest_of(b"content"), file_of(folder, b"content")
    assert store.get(digest_of(b"other"), 100) is None
    assert store.get(digest, 6) is None  # it has more bytes than that
    file.write_bytes(b"Content")
    assert store.get(digest, 7) is None
    file.unlink()
    assert store.get(digest, 7) is None
    (folder / "content").write_bytes(b"content")
    file.symlink_to(folder / "content")
    assert store.get(digest, 7) is None


def test_an_artifact_is_its_manifest_and_its_layer(store: Store) -> None:
    missing = f"{PLACE} is not in the cache; fetch it: virtcatalog pull {PLACE}"
    for content in (b"", IMAGE.manifest, LAYER):
        if content:
            with pytest.raises(OciError) as refused:
                store.artifact(PLACE)
            assert str(refused.value) == missing
            store.put(content)
    assert store.artifact(PLACE) == Artifact(PLACE, {"a": b"1"}, {"b": "c"})


def test_the_folder_of_the_environment_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTCATALOG_CACHE", str(folder))
    Store().put(b"content")
    assert file_of(folder, b"content").exists()
    assert Store().get(digest_of(b"content"), 7) == b"content"


def test_a_folder_that_others_write_to_is_not_used(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(CacheError):
        Store(str(folder))


def test_what_is_no_artifact_of_files_is_told() -> None:
    manifest = json.loads(IMAGE.manifest)
    manifest["layers"] = []
    with pytest.raises(OciError) as refused:
        layer_of(PLACE, json.dumps(manifest).encode())
    assert str(refused.value) == (
        f"{PLACE}: it has to have one layer of application/vnd.oci.image.layer.v1.tar+gzip, and has 0 (none)"
    )
    with pytest.raises(OciError) as refused:
        artifact_of(PLACE, IMAGE.manifest, b"no archive")
    assert str(refused.value).startswith(f"{PLACE}: its layer ")
