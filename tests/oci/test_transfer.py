"""In which order artifacts go to a registry and come from one, and what is not sent again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from memory import Memory, memory

from virtcatalog.oci.image import INDEX, MANIFEST, Blob, Image, digest_of, image_of, referrer
from virtcatalog.oci.reference import OciError, Reference
from virtcatalog.oci.registry import Registry
from virtcatalog.oci.statements import simple_signature
from virtcatalog.oci.store import Artifact, Store
from virtcatalog.oci.transfer import pull, push

FILES = {"a": b"1", "b/c": b"2"}
IMAGE = image_of(FILES, {"org.opencontainers.image.title": "house"})
SUBJECT = IMAGE.descriptor.digest
CONFIG, LAYER = (digest_of(blob.content) for blob in IMAGE.blobs)
NOTE = referrer(IMAGE.descriptor, "text/plain", b"a note", {"about": "it"})
TAG = SUBJECT.replace(":", "-")
SIGNATURE = simple_signature(b"payload", b"signed")


@pytest.fixture
def held() -> Iterator[Memory]:
    with memory() as one:
        yield one


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))


def registry(held: Memory) -> Registry:
    return Registry(Reference(held.host, "team/house"), plain_http=True, wait=lambda _: None)


def uploaded(*digests: str) -> list[str]:
    """What is asked when blobs are sent."""
    root = "/v2/team/house/blobs"
    return [line for digest in digests for line in (f"HEAD {root}/{digest}", f"POST {root}/uploads/", "PUT /upload")]


def put(*names: str) -> list[str]:
    return [f"PUT /v2/team/house/manifests/{name}" for name in names]


def get(name: str) -> str:
    return f"GET /v2/team/house/manifests/{name}"


def digests(image: Image) -> list[str]:
    return [digest_of(blob.content) for blob in image.blobs]


def test_the_tag_comes_last(held: Memory) -> None:
    push(registry(held), IMAGE, "v1")
    assert held.requests == [*uploaded(CONFIG, LAYER), *put(SUBJECT, "v1")]
    assert held.manifests == {SUBJECT: IMAGE.manifest, "v1": IMAGE.manifest}
    assert held.blobs == {digest_of(blob.content): blob.content for blob in IMAGE.blobs}
    assert set(held.types.values()) == {MANIFEST}


def test_blobs_that_are_there_are_not_sent_again(held: Memory) -> None:
    push(registry(held), IMAGE, "v1")
    held.requests.clear()
    push(registry(held), IMAGE, "v2")
    heads = [f"HEAD /v2/team/house/blobs/{digest}" for digest in (CONFIG, LAYER)]
    assert held.requests == [*heads, *put(SUBJECT, "v2")]


def test_what_is_about_an_artifact_is_listed_under_its_digest(held: Memory) -> None:
    push(registry(held), IMAGE, "v1", [NOTE])
    about = NOTE.descriptor.digest
    assert held.requests == [
        *uploaded(CONFIG, LAYER),
        *put(SUBJECT),
        *uploaded(*digests(NOTE)),
        *put(about),
        get(TAG),
        *put(TAG, "v1"),
    ]
    listed = {
        "mediaType": MANIFEST,
        "digest": about,
        "size": len(NOTE.manifest),
        "annotations": {"about": "it"},
        "artifactType": "text/plain",
    }
    assert json.loads(held.manifests[TAG]) == {"schemaVersion": 2, "mediaType": INDEX, "manifests": [listed]}
    assert held.types[TAG] == INDEX
    other = referrer(IMAGE.descriptor, "text/plain", b"another note")
    push(registry(held), IMAGE, "v1", [NOTE, other])
    assert [manifest["digest"] for manifest in json.loads(held.manifests[TAG])["manifests"]] == [
        about,
        other.descriptor.digest,
    ]


def test_a_registry_that_lists_itself_what_is_about_an_artifact_gets_no_list() -> None:
    with memory(lists=True) as held:
        push(registry(held), IMAGE, "v1", [NOTE])
        assert held.requests[-2:] == put(NOTE.descriptor.digest, "v1")
        assert TAG not in held.manifests


def test_a_signature_is_added_to_those_of_others(held: Memory) -> None:
    push(registry(held), IMAGE, "v1", (), SIGNATURE)
    assert held.requests[-9:] == [
        get(f"{TAG}.sig"),
        *uploaded(*(layer_and_config(held))),
        *put(f"{TAG}.sig", "v1"),
    ]
    ours = {
        "mediaType": "application/vnd.dev.cosign.simplesigning.v1+json",
        "digest": digest_of(b"payload"),
        "size": 7,
        "annotations": {"dev.cosignproject.cosign/signature": "c2lnbmVk"},
    }
    config = {
        "architecture": "",
        "os": "",
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": [digest_of(b"payload")]},
    }
    manifest = json.loads(held.manifests[f"{TAG}.sig"])
    content = held.blobs[manifest["config"]["digest"]]
    assert json.loads(content) == config
    assert manifest == {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {
            "mediaType": "application/vnd.oci.image.config.v1+json",
            "digest": digest_of(content),
            "size": len(content),
        },
        "layers": [ours],
    }
    before = dict(held.manifests)
    push(registry(held), IMAGE, "v1", (), SIGNATURE)
    assert held.manifests == before
    push(registry(held), IMAGE, "v1", (), simple_signature(b"payload", b"by another"))
    both = json.loads(held.manifests[f"{TAG}.sig"])["layers"]
    assert both == [ours, {**ours, "annotations": {"dev.cosignproject.cosign/signature": "YnkgYW5vdGhlcg=="}}]


def layer_and_config(held: Memory) -> list[str]:
    manifest = json.loads(held.manifests[f"{TAG}.sig"])
    return [manifest["config"]["digest"], manifest["layers"][0]["digest"]]


def named(held: Memory, tag: str = "", digest: str = "") -> Reference:
    return Reference(held.host, "team/house", tag, digest)


@pytest.mark.parametrize(("tag", "reference"), [("v1", "v1"), ("", "latest")])
def test_what_is_pulled_is_kept_and_named_by_its_digest(held: Memory, store: Store, tag: str, reference: str) -> None:
    push(registry(held), IMAGE, reference)
    held.requests.clear()
    artifact = pull(registry(held), named(held, tag), store)
    assert artifact == Artifact(named(held, tag, SUBJECT), FILES, {"org.opencontainers.image.title": "house"})
    assert held.requests == [get(reference), f"GET /v2/team/house/blobs/{LAYER}"]
    assert store.artifact(named(held, "", SUBJECT)).files == FILES


def test_what_is_kept_is_not_fetched_again(held: Memory, store: Store) -> None:
    push(registry(held), IMAGE, "v1")
    pull(registry(held), named(held, "v1"), store)
    held.requests.clear()
    assert pull(registry(held), named(held, "v1", SUBJECT), store).files == FILES
    assert held.requests == []
    pull(registry(held), named(held, "v1"), store)
    assert held.requests == [get("v1")]


def test_what_the_registry_does_not_have(held: Memory, store: Store) -> None:
    for reference in (named(held, "v1"), named(held, "", SUBJECT)):
        with pytest.raises(OciError) as refused:
            pull(registry(held), reference, store)
        assert str(refused.value) == f"{reference}: the registry has no such artifact"


def test_a_layer_that_is_another_is_not_kept(held: Memory, store: Store) -> None:
    push(registry(held), IMAGE, "v1")
    content = held.blobs[LAYER]
    for other in (bytes(len(content)), content[:-1], b""):
        held.blobs[LAYER] = other
        with pytest.raises(OciError) as refused:
            pull(registry(held), named(held, "v1"), store)
        assert str(refused.value) == (
            f"oci://{held.host}/team/house: the blob {LAYER} of {len(content)} bytes arrived as {digest_of(other)} of "
            f"{len(other)}"
        )
        assert store.get(SUBJECT, 1 << 20) is None


def test_a_blob_is_read_with_its_size(held: Memory) -> None:
    registry(held).put_blob(Blob("a", b"content"))
    assert registry(held).blob(digest_of(b"content"), 7) == b"content"
    with pytest.raises(OciError) as refused:
        registry(held).blob(digest_of(b"other"), 7)
    assert str(refused.value) == (
        f"oci://{held.host}/team/house: the blob {digest_of(b'other')}: the registry answers with status 404"
    )
