"""What differs in what an environment publishes, told once, and not again where the objects themselves say it."""

from __future__ import annotations

import re

import pytest

from publish.released import after, load, sizes
from virtcatalog.catalog.lock import write_lock
from virtcatalog.catalog.model import Catalog
from virtcatalog.publish.environments import Broken, Change, broken, environment_changes, environments_now, objects_now

NAMESPACED = "scope: namespaced, namespace: lab"
LARGE = "patches: [{select: {names: [z.large]}, spec: {memory: {guest: %s}}}]"
ALL = "patches: [{select: {kinds: [%s]}, spec: {ioThreadsPolicy: auto}}]"
LABELS = "patches: [{select: {names: [z.large]}, metadata: {labels: {%s}}}]"
SMALL = "small: {vcpus: 1}"


def lab(text: str, files: dict[str, str] | None = None) -> dict[str, str]:
    return {**(files or {}), "overlays.yaml": f"lab: {{{text}}}"}


def changes(catalog: Catalog) -> list[Change]:
    lock = catalog.lock
    assert lock is not None
    before = {"instancetypes": lock.instancetypes, "preferences": lock.preferences}
    return list(
        environment_changes(lock.environments["lab"], environments_now(catalog)["lab"], before, objects_now(catalog))
    )


def shown(catalog: Catalog) -> list[str]:
    """What is told, with a mark on what is lost and on what is left out."""
    return [
        f"{change.section} {change.name}: {change.text}{' (lost)' * change.lost}{' (left out)' * bool(change.left_out)}"
        for change in changes(catalog)
    ]


@pytest.mark.parametrize(
    ("was", "is_", "expected"),
    [
        (lab(""), lab(""), []),
        (lab(NAMESPACED), lab(f"{NAMESPACED}, annotations: {{a: b}}, description: c"), []),
        (
            lab(NAMESPACED),
            lab("scope: cluster"),
            [" : namespace: lab → none (lost)", " : scope: namespaced → cluster (lost)"],
        ),
        (lab(""), lab(NAMESPACED), [" : namespace: none → lab", " : scope: cluster → namespaced (lost)"]),
        (lab(""), lab("scope: both, namespace: lab"), [" : namespace: none → lab", " : scope: cluster → both"]),
        (
            lab("scope: both, namespace: lab"),
            lab(NAMESPACED),
            [" : scope: both → namespaced (lost)"],
        ),
        (
            lab("labels: {a: b, c: d}"),
            lab("labels: {a: e, f: g}"),
            [" : label a: b → e (lost)", " : label c: d is gone (lost)", " : label f: g is new"],
        ),
        (
            lab("scope: both, namespace: lab"),
            lab("scope: both, namespace: lab, labels: {a: b}"),
            [" : label a: b is new"],
        ),
        # What an object loses comes after what is about all of them.
        (
            lab("labels: {a: b}"),
            lab(f"{LARGE % '8Gi'}, labels: {{a: c}}"),
            [" : label a: b → c (lost)", "instancetypes z.large: memory.guest: 16Gi → 8Gi (lost)"],
        ),
        (
            lab(LARGE % "8Gi"),
            lab(""),
            ["instancetypes z.large: memory.guest: 8Gi → 16Gi (lost)"],
        ),
        (
            lab(f"scope: both, namespace: lab, {ALL % 'VirtualMachineClusterInstancetype'}"),
            lab(f"scope: both, namespace: lab, {ALL % 'VirtualMachineInstancetype'}"),
            [
                "instancetypes z.large: ioThreadsPolicy: auto is gone (lost)",
                "instancetypes z.large: ioThreadsPolicy: auto is new (lost)",
                "instancetypes z.small: ioThreadsPolicy: auto is gone (lost)",
                "instancetypes z.small: ioThreadsPolicy: auto is new (lost)",
            ],
        ),
        (
            lab(LARGE % "8Gi", sizes(f"{SMALL}, large: {{vcpus: 4}}")),
            lab(LARGE % "8Gi", sizes(f"{SMALL}, large: {{vcpus: 8}}")),
            [],
        ),
        (
            lab(LARGE % "8Gi", sizes(f"{SMALL}, large: {{vcpus: 4}}")),
            lab(LARGE % "32Gi", sizes(f"{SMALL}, large: {{vcpus: 8}}")),
            ["instancetypes z.large: memory.guest: 8Gi → 32Gi (lost)"],
        ),
        (
            lab("select: {names: [z.large]}"),
            lab("select: {names: [z.small]}"),
            [
                "instancetypes z.large: is left out (lost) (left out)",
                "instancetypes z.small: is no longer left out",
            ],
        ),
        (
            lab("deprecated: false"),
            lab("deprecated: false", sizes(f"{SMALL}, large: {{vcpus: 4, deprecated: {{}}}}")),
            ["instancetypes z.large: is deprecated, and left out (lost) (left out)"],
        ),
        # Scopes that change compare the two kinds of one thing.
        (
            lab(LARGE % "8Gi"),
            lab(f"{NAMESPACED}, {LARGE % '9Gi'}"),
            [
                " : namespace: none → lab",
                " : scope: cluster → namespaced (lost)",
                "instancetypes z.large: memory.guest: 8Gi → 9Gi (lost)",
            ],
        ),
        # Labels that it gives one object, and not all of them.
        (
            lab(f"labels: {{a: b}}, {LABELS % 'c: d, e: f'}"),
            lab(f"labels: {{a: b}}, {LABELS % 'e: g, h: i'}"),
            [
                "instancetypes z.large: label c: d is gone (lost)",
                "instancetypes z.large: label e: f → g (lost)",
                "instancetypes z.large: label h: i is new",
            ],
        ),
        # What is new or gone as a whole is told of the objects themselves.
        (lab(""), lab("", sizes(f"{SMALL}, huge: {{vcpus: 16}}")), []),
        # So is a label that all environments have.
        (
            lab("labels: {a: b}"),
            lab(
                "labels: {a: b, c: d}",
                {"catalog.yaml": "name: test\nkubevirt: v1.9.0\nvendor: example.com\n"},
            ),
            [" : label c: d is new"],
        ),
    ],
)
def test_what_differs(was, is_, expected):
    assert shown(after(was, is_)) == expected


def test_each_change_is_since_what_it_changes_was_published():
    first = load(lab(""))
    second = load(lab(LARGE % "8Gi"), write_lock("v1.0.0", first))
    labels = load(lab(f"{LARGE % '8Gi'}, labels: {{a: b}}"), write_lock("v2.0.0", second))
    third = load(lab(f"{LARGE % '9Gi'}, labels: {{a: c}}, select: {{names: [z.large]}}"), write_lock("v3.0.0", labels))
    assert [(change.text, change.since) for change in changes(third)] == [
        ("label a: b → c", "v1.0.0"),
        ("memory.guest: 8Gi → 9Gi", "v2.0.0"),
        ("is left out", "v1.0.0"),
        ("is left out", "v1.0.0"),
    ]


def test_a_label_is_since_its_patch_was_published():
    first = load(lab(""))
    second = load(lab(LABELS % "a: b"), write_lock("v1.0.0", first))
    third = load(lab(LABELS % "a: c"), write_lock("v2.0.0", second))
    assert [(change.text, change.since) for change in changes(third)] == [("label a: b → c", "v2.0.0")]


def test_labels_of_objects_from_before_labels_were_promised_are_no_promise():
    was = lab(f"labels: {{a: b}}, {LARGE % '8Gi'}")
    lock = re.sub(r'("metadata": "[^"]+"), "labels": \{[^}]+\}', r"\1", write_lock("v1.0.0", load(was)))
    assert shown(load(lab(f"labels: {{a: c}}, {LARGE % '9Gi'}"), lock)) == [
        "instancetypes z.large: memory.guest: 8Gi → 9Gi (lost)"
    ]


def test_an_environment_that_goes_or_leaves_out_is_broken_and_one_that_adds_is_not():
    overlays = {"overlays.yaml": "lab: {}\nprod: {}\ntest: {labels: {a: b}}\n"}
    catalog = after(
        overlays, {"overlays.yaml": "prod: {select: {kinds: []}, deprecated: false}\ntest: {labels: {a: c}}\n"}
    )
    broken_promises = list(broken(catalog))
    lock = catalog.lock
    assert lock is not None
    assert broken_promises[0] == Broken(
        environment="lab",
        change=Change(text="is gone, and all that VMs there name with it", since="v1.0.0", lost=True),
        gone=True,
        source=lock.environments["lab"].source,
    )
    test = catalog.overlays[1]
    assert broken_promises[1:] == [
        Broken(
            environment="test",
            change=Change(text="label a: b → c", since="v1.0.0", lost=True),
            gone=False,
            source=test.source,
        )
    ]
    assert list(broken(load(overlays))) == []
