"""Where a catalog breaks its promise, whole sentences with their places; which versions may be next."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest

from publish.released import after, load, sizes
from virtcatalog.catalog.lock import write_lock
from virtcatalog.errors import Problem
from virtcatalog.publish.promise import Breach, accepts, breaches, version_fault

CREATED = "VMs that name it could no longer be created"
SUNSET = "large: {vcpus: 4, deprecated: {replacedBy: z.small, sunset: 2030-01-31}}"
OLD = sizes(f"small: {{vcpus: 1}}, {SUNSET}")
ONE = sizes("small: {vcpus: 1}")


def overlays(text: str) -> dict[str, str]:
    return {"overlays.yaml": f"{{{text}}}"}


def labelled(text: str) -> dict[str, str]:
    return {
        "instancetypes/z.yaml": f"class: z\nmemoryPerVcpu: 4Gi\nlabels: {{{text}}}\nsizes: {{small: {{vcpus: 1}}}}\n"
    }


@pytest.mark.parametrize(
    ("was", "now", "day", "expected"),
    [
        ({}, {}, None, []),
        ({}, sizes("tiny: {vcpus: 1, memory: 1Gi}, small: {vcpus: 1}, large: {vcpus: 4}"), None, []),
        (
            {},
            sizes("small: {vcpus: 2}, large: {vcpus: 4}"),
            None,
            [
                (
                    "z.small: catalog/instancetypes/z.yaml:3:17: instance type z.small: cpu.guest: 1 → 2; published "
                    "since v1.0.0, and its spec must not change"
                ),
                (
                    "z.small: catalog/instancetypes/z.yaml:3:9: instance type z.small: memory.guest: 4Gi → 8Gi; "
                    "published since v1.0.0, and its spec must not change"
                ),
            ],
        ),
        (
            {},
            {**ONE, "preferences/linux.yaml": "preferences: {}\n"},
            date(2040, 1, 1),
            [
                (
                    f"z.large: catalog/catalog.lock:5:1: instance type z.large: is gone, and was published in v1.0.0: "
                    f"{CREATED}; deprecate it first, with a replacement and a sunset, and release that"
                ),
                (
                    f"linux.one: catalog/catalog.lock:9:1: preference linux.one: is gone, and was published in v1.0.0: "
                    f"{CREATED}; deprecate it first, with a replacement and a sunset, and release that"
                ),
            ],
        ),
        (
            sizes("small: {vcpus: 1}, large: {vcpus: 4, deprecated: {replacedBy: z.small}}"),
            ONE,
            date(2040, 1, 1),
            [
                (
                    f"z.large: catalog/catalog.lock:5:1: instance type z.large: is gone, and was published in v1.0.0: "
                    f"{CREATED}; it is deprecated without a sunset: set one, and release that"
                )
            ],
        ),
        (
            OLD,
            ONE,
            None,
            [
                (
                    f"z.large: catalog/catalog.lock:5:1: instance type z.large: is gone, and was published in v1.0.0: "
                    f"{CREATED}; its sunset is 2030-01-31: a release from that day on removes it, "
                    "virtcatalog release VERSION"
                )
            ],
        ),
        (
            OLD,
            ONE,
            date(2030, 1, 30),
            [
                (
                    f"z.large: catalog/catalog.lock:5:1: instance type z.large: is gone, and was published in v1.0.0: "
                    f"{CREATED}; its sunset is 2030-01-31, and today is 2030-01-30"
                )
            ],
        ),
        (OLD, ONE, date(2030, 1, 31), []),
        (OLD, ONE, date(2030, 2, 1), []),
        (
            {**overlays("prod: {}"), **OLD},
            {**overlays("prod: {deprecated: false}"), **OLD},
            date(2030, 1, 30),
            [
                (
                    "z.large: catalog/overlays.yaml:1:2: instance type z.large: is deprecated, and left out, and was "
                    f"published in v1.0.0: {CREATED}; its sunset is 2030-01-31, and today is 2030-01-30 (in prod)"
                )
            ],
        ),
        (
            {**overlays("prod: {}"), **OLD},
            {**overlays("prod: {deprecated: false}"), **OLD},
            date(2030, 1, 31),
            [],
        ),
        (
            overlays("prod: {}, lab: {scope: namespaced, namespace: lab}"),
            overlays("lab: {scope: namespaced, namespace: hall}"),
            None,
            [
                (
                    "prod: catalog/catalog.lock:12:1: environment prod: is gone, and all that VMs there name with it; "
                    "published since v1.0.0 (in prod)"
                ),
                (
                    "lab: catalog/overlays.yaml:1:2: environment lab: namespace: lab → hall; published since v1.0.0, "
                    "and it must not change (in lab)"
                ),
            ],
        ),
        (
            labelled("tier: gold, example.org/rack: a"),
            labelled("tier: silver, more: b"),
            None,
            [
                (
                    "z.small: catalog/instancetypes/z.yaml:4:9: instance type z.small: label example.org/rack: a is "
                    "gone; published since v1.0.0, and whoever selects by it relies on it"
                ),
                (
                    "z.small: catalog/instancetypes/z.yaml:3:10: instance type z.small: label tier: gold → silver; "
                    "published since v1.0.0, and whoever selects by it relies on it"
                ),
            ],
        ),
    ],
)
def test_each_breach(was, now, day, expected):
    assert [f"{breach.name}: {breach}" for breach in breaches(after(was, now), day)] == expected


def test_what_stays_is_published_since_its_first_version():
    first = after({}, {})
    changed = load(sizes("small: {vcpus: 1}, large: {vcpus: 8}"), write_lock("v2.0.0", first))
    second = load(sizes("small: {vcpus: 2}, large: {vcpus: 4}"), write_lock("v3.0.0", changed))
    assert {str(breach).partition("; ")[2] for breach in breaches(second)} == {
        "published since v1.0.0, and its spec must not change",
        "published since v3.0.0, and its spec must not change",
    }


def breach(name: str, environment: str = "") -> Breach:
    return Breach(name, Problem(message="a"), environment)


@pytest.mark.parametrize(
    ("globs", "accepted"),
    [
        ([], []),
        (["z.small"], ["z.small", "lab/z.small"]),
        (["z.*"], ["z.small", "lab/z.small"]),
        (["lab"], ["lab/lab"]),
        (["lab/*"], ["lab/z.small", "lab/lab"]),
        (["lab/lab"], ["lab/lab"]),
        (["Z.small", "z"], []),
        (["no", "*"], ["z.small", "lab/z.small", "lab/lab"]),
        (["/z.small"], []),
    ],
)
def test_what_a_glob_accepts(globs, accepted):
    breaches = {"z.small": breach("z.small"), "lab/z.small": breach("z.small", "lab"), "lab/lab": breach("lab", "lab")}
    assert [name for name, breach in breaches.items() if accepts(globs, breach)] == accepted


FORM = "is no version such as v1.2.0, or v1.2.0-rc.1 of what comes before that"


@pytest.mark.parametrize(
    ("version", "fault"),
    [
        ("v1.2.0", ""),
        ("1.2.0", ""),
        ("v1.2.0-rc.1", "v1.2.0-rc.1 comes before v1.2.0, which is published already; choose a later version"),
        ("v1.1.9", "v1.1.9 comes before v1.2.0, which is published already; choose a later version"),
        ("1.1.10", "1.1.10 comes before v1.2.0, which is published already; choose a later version"),
        ("v1.10.0", ""),
        ("v10.0.0-a.0-b", ""),
        ("v1.3.0-changed", "a version must not end in -changed: what differs from a release is called so"),
        ("v1.3", f"'v1.3' {FORM}"),
        ("v1.3.0+build", f"'v1.3.0+build' {FORM}"),
        ("v01.3.0", f"'v01.3.0' {FORM}"),
        ("v1.3.0-", f"'v1.3.0-' {FORM}"),
        ("v1.3.0-a..b", f"'v1.3.0-a..b' {FORM}"),
        ("", f"'' {FORM}"),
    ],
)
def test_the_next_version(version, fault):
    assert version_fault(after({}, {}, "v1.2.0"), version) == fault


def test_a_version_that_no_label_can_hold():
    longest = "v1.0.0-" + "a" * (63 - len("v1.0.0--changed"))
    assert version_fault(load({}), longest) == ""
    assert "'" + longest in version_fault(load({}), f"{longest}a")


def test_without_a_version_that_can_be_compared_every_one_may_be_next():
    assert version_fault(load({}), "v0.0.1") == ""
    assert version_fault(after({}, {}, "2026"), "v0.0.1") == ""


ORDER = [
    "v1.0.0-1", "v1.0.0-2", "v1.0.0-10", "v1.0.0-alpha", "v1.0.0-alpha.1", "v1.0.0-alpha.beta", "v1.0.0-beta",
    "v1.0.0-rc.2", "v1.0.0-rc.10", "v1.0.0", "v1.0.1-a", "v1.0.1", "v1.1.0", "v1.10.0", "v2.0.0",
]  # fmt: skip


@pytest.mark.parametrize(("earlier", "later"), list(pairwise(ORDER)))
def test_versions_come_in_the_order_of_semantic_versioning(earlier, later):
    assert version_fault(after({}, {}, earlier), later) == ""
    assert "comes before" in version_fault(after({}, {}, later), earlier)
