"""Which fields are stored otherwise, and which ways of syncing show that."""

from __future__ import annotations

import pytest

import otheryaml
from virtcatalog.gitops.comparison import Drift, drifts

BOTH, MERGED, NEVER = ("client", "structured"), ("structured",), ()


@pytest.mark.parametrize(
    ("written", "stored", "expected"),
    [
        ("{spec: {a: 1}}", "{spec: {a: 1}}", []),
        ("{spec: {a: 1}}", "{spec: {a: '1'}}", [("spec.a", "respelled", 1, "1", BOTH)]),
        ("{spec: {a: 1}}", "{spec: {a: true}}", [("spec.a", "respelled", 1, True, BOTH)]),
        ("{spec: {a: {}}}", "{spec: {}}", [("spec.a", "dropped", {}, None, BOTH)]),
        ("{spec: {a: null}}", "{spec: {}}", [("spec.a", "dropped", None, None, MERGED)]),
        ("{spec: {a: null}}", "{spec: {a: 1}}", [("spec.a", "respelled", None, 1, MERGED)]),
        ("{spec: {}}", "{spec: {a: 1}}", [("spec.a", "added", None, 1, NEVER)]),
        ("{a: {b: 1}}", "{a: 2}", [("a", "respelled", {"b": 1}, 2, BOTH)]),
        ("{a: [b]}", "{a: [b, c]}", [("a", "respelled", ["b"], ["b", "c"], BOTH)]),
        (
            "{a: [{}, {b: 1, c: 2}]}",
            "{a: [{d: 3}, {b: 4}]}",
            [
                ("a[0].d", "added", None, 3, MERGED),
                ("a[1].b", "respelled", 1, 4, BOTH),
                ("a[1].c", "dropped", 2, None, BOTH),
            ],
        ),
        # Written first and in Git's order, then what is added.
        (
            "{b: 1, a: {c: 2}}",
            "{d: 4, b: 5, a: {e: 3}}",
            [
                ("b", "respelled", 1, 5, BOTH),
                ("a.c", "dropped", 2, None, BOTH),
                ("a.e", "added", None, 3, NEVER),
                ("d", "added", None, 4, NEVER),
            ],
        ),
    ],
)
def test_where_an_object_is_stored_otherwise(written, stored, expected):
    differing = drifts(otheryaml.load(written), otheryaml.load(stored))
    assert [(drift.field, drift.kind, drift.written, drift.stored, drift.modes) for drift in differing] == expected


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"labels": {}}, [("metadata.labels", BOTH)]),
        ({"annotations": {}}, [("metadata.annotations", MERGED)]),
        ({"creationTimestamp": None, "namespace": "web"}, []),
        ({"uid": "a", "resourceVersion": "1"}, [("metadata.uid", BOTH), ("metadata.resourceVersion", BOTH)]),
        ({"generation": 1, "selfLink": "/a"}, [("metadata.generation", BOTH), ("metadata.selfLink", BOTH)]),
        (
            {"managedFields": [], "deletionTimestamp": "2026-01-01T00:00:00Z"},
            [("metadata.managedFields", BOTH), ("metadata.deletionTimestamp", BOTH)],
        ),
    ],
)
def test_what_of_the_metadata_is_not_compared(metadata, expected):
    written = {"metadata": {"name": "web", **metadata}, "status": {"phase": "Running"}}
    stored = {"metadata": {"name": "web"}}
    assert [(drift.field, drift.modes) for drift in drifts(written, stored)] == expected
    assert list(drifts(stored, written | {"metadata": stored["metadata"]})) == []


@pytest.mark.parametrize(
    "key", ["uid", "resourceVersion", "generation", "selfLink", "managedFields", "deletionTimestamp"]
)
def test_what_the_cluster_writes_into_metadata_is_never_as_git_has_it(key):
    written = {"metadata": {key: "a"}, "spec": {key: "a"}}
    assert [drift.field for drift in drifts(written, written)] == [f"metadata.{key}"]


@pytest.mark.parametrize(
    ("path", "modes"),
    [
        (("spec", "disks", 0, "cache"), MERGED),
        (("spec", "resourceClaims", 0, "name"), NEVER),
        (("spec", "topologySpreadConstraints", 0, "maxSkew"), NEVER),
        (("spec", "utilityVolumes", 0, "type"), NEVER),
        (("spec", "utilityVolumes", 0, "items", 0, "type"), MERGED),
        (("spec", "cpu"), NEVER),
        (("metadata", "creationTimestamp"), NEVER),
        (("metadata", "namespace"), NEVER),
        (("status",), NEVER),
    ],
)
def test_what_is_added_shows_in_lists_that_belong_to_who_applies_them(path, modes):
    assert Drift(path, "added", None, 1).modes == modes


@pytest.mark.parametrize("path", [("metadata", "creationTimestamp"), ("metadata", "namespace"), ("status",)])
def test_what_is_never_compared_shows_in_no_way_of_syncing(path):
    assert Drift(path, "respelled", 1, 2).modes == NEVER
