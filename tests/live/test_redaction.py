"""What a dump does not hold: what a guest alone is to read, and what opens the sources of its disks."""

from __future__ import annotations

import json

import pytest

from virtcatalog.api.names import LAST_APPLIED
from virtcatalog.live.redaction import redacted


def template(**source):
    return {"kind": "VirtualMachine", "spec": {"dataVolumeTemplates": [{"spec": {"source": source}}]}}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://images.example.org/fedora.qcow2", "https://images.example.org/fedora.qcow2"),
        ("https://user:secret@images.example.org/a/fedora.qcow2", "https://images.example.org/a/fedora.qcow2"),
        ("https://images.example.org/fedora.qcow2?token=secret#secret", "https://images.example.org/fedora.qcow2"),
        ("docker://registry.example.org/os:1", "docker://registry.example.org/os:1"),
        ("user:secret@images.example.org", "images.example.org"),
    ],
)
def test_a_url_has_neither_user_nor_query(url, shown):
    assert redacted(template(http={"url": url})) == template(http={"url": shown})


def test_headers_are_not_kept():
    sent = template(http={"url": "https://a.example", "extraHeaders": ["Authorization: Bearer secret"]})
    assert "secret" not in json.dumps(redacted(sent))


@pytest.mark.parametrize("depth", [300, 100_000])
def test_a_note_of_kubectl_that_is_nested_too_deep_is_not_kept(depth):
    noted = '{"kind":' + "[" * depth + "]" * depth + "}"
    assert redacted({"metadata": {"annotations": {LAST_APPLIED: noted, "a": "b"}}}) == {
        "metadata": {"annotations": {"a": "b"}}
    }


def test_user_data_is_not_kept_wherever_it_is():
    vm = {
        "kind": "VirtualMachine",
        "spec": {"template": {"spec": {"volumes": [{"cloudInitNoCloud": {"userData": "secret"}}]}}},
    }
    applied = {**vm, "metadata": {"annotations": {LAST_APPLIED: json.dumps(vm)}}}
    revision = {"kind": "ControllerRevision", "data": vm}
    assert all("secret" not in json.dumps(redacted(manifest)) for manifest in (vm, applied, revision))
