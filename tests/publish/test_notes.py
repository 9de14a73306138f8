"""What differs from the last release, and the notes of the next one."""

from __future__ import annotations

import pytest

from publish.released import after, load, sizes
from virtcatalog.publish.notes import Changes, changes, notes

OLD = "small: {vcpus: 1, deprecated: {replacedBy: z.large, sunset: 2030-01-31}}, large: {vcpus: 4}"
LAB = "{scope: namespaced, namespace: lab, patches: [{select: {names: [z.large]}, spec: {memory: {guest: %s}}}]}"


def preferences(text: str) -> dict[str, str]:
    return {"preferences/linux.yaml": f"preferences: {{{text}}}\n"}


def overlays(text: str) -> dict[str, str]:
    return {"overlays.yaml": f"{{{text}}}"}


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ({}, {}, Changes()),
        (
            {},
            sizes("small: {vcpus: 1}, large: {vcpus: 4}, tiny: {vcpus: 1, memory: 512Mi}, huge: {vcpus: 16}"),
            Changes(added=("Instance type `z.huge`: 16 vCPUs, 64Gi", "Instance type `z.tiny`: 1 vCPU, 512Mi")),
        ),
        (
            {},
            preferences("linux.one: {displayName: One}, two: {displayName: Two *2*}, three: {}"),
            Changes(added=("Preference `three`", "Preference `two`: Two \\*2\\*")),
        ),
        (
            {},
            sizes("small: {vcpus: 2}, large: {vcpus: 4, spec: {ioThreadsPolicy: auto}}"),
            Changes(
                changed=(
                    "Instance type `z.large`: ioThreadsPolicy: auto is new",
                    "Instance type `z.small`: cpu.guest: 1 → 2; memory.guest: 4Gi → 8Gi",
                )
            ),
        ),
        ({}, sizes(OLD), Changes(deprecated=("Instance type `z.small`: use `z.large`, until 2030-01-31",))),
        (
            sizes(OLD),
            sizes(OLD.replace("2030", "2031")),
            Changes(deprecated=("Instance type `z.small`: use `z.large`, until 2031-01-31",)),
        ),
        (
            sizes(OLD),
            sizes(OLD.replace("replacedBy: z.large, ", "").replace("vcpus: 1", "vcpus: 2")),
            Changes(
                changed=("Instance type `z.small`: cpu.guest: 1 → 2; memory.guest: 4Gi → 8Gi",),
                deprecated=("Instance type `z.small`: until 2030-01-31",),
            ),
        ),
        (sizes(OLD), {}, Changes(changed=("Instance type `z.small`: no longer deprecated",))),
        (
            sizes(OLD),
            sizes("small: {vcpus: 1, memory: 2Gi}, large: {vcpus: 4}"),
            Changes(changed=("Instance type `z.small`: memory.guest: 4Gi → 2Gi; no longer deprecated",)),
        ),
        (
            sizes(OLD),
            sizes("large: {vcpus: 4}"),
            Changes(removed=("Instance type `z.small`: use `z.large`, until 2030-01-31",)),
        ),
        (
            {},
            {**sizes("small: {vcpus: 1}"), **preferences("")},
            Changes(removed=("Instance type `z.large`", "Preference `linux.one`")),
        ),
        (
            {},
            preferences("linux.one: {displayName: Uno}"),
            Changes(changed=("Preference `linux.one`: labels or annotations",)),
        ),
        (
            {},
            preferences("linux.one: {displayName: Uno, deprecated: {}}"),
            Changes(deprecated=("Preference `linux.one`",)),
        ),
        (
            {},
            preferences("linux.one: {displayName: One}, two: {deprecated: {replacedBy: linux.one}}"),
            Changes(added=("Preference `two`",), deprecated=("Preference `two`: use `linux.one`",)),
        ),
        (overlays("lab: {}"), overlays("lab: {}, prod: {}"), Changes(added=("Environment `prod`",))),
        ({}, overlays("prod: {}"), Changes()),
        (
            overlays("lab: {}, prod: {}"),
            overlays("prod: {}"),
            Changes(removed=("In `lab`: is gone, and all that VMs there name with it",)),
        ),
        (
            overlays(f"lab: {LAB % '8Gi'}"),
            overlays(f"lab: {LAB.replace('namespace: lab', 'namespace: hall') % '9Gi'}"),
            Changes(
                changed=(
                    "In `lab`: namespace: lab → hall",
                    "In `lab`, instance type `z.large`: memory.guest: 8Gi → 9Gi",
                )
            ),
        ),
        (
            {**overlays("prod: {}"), **sizes(OLD)},
            {**overlays("prod: {deprecated: false}"), **sizes(OLD)},
            Changes(
                removed=(
                    "In `prod`, instance type `z.small`: is deprecated, and left out: use `z.large`, until 2030-01-31",
                )
            ),
        ),
        (
            overlays("prod: {}"),
            overlays("prod: {select: {names: [z.large]}}"),
            Changes(
                removed=(
                    "In `prod`, instance type `z.small`: is left out",
                    "In `prod`, preference `linux.one`: is left out",
                )
            ),
        ),
    ],
)
def test_what_differs(was, now, expected):
    differing = changes(after(was, now))
    assert differing == expected
    assert differing.any is (expected != Changes())


def test_everything_is_added_when_nothing_was_published():
    added = (
        "Instance type `z.small`: 1 vCPU, 4Gi",
        "Instance type `z.large`: 4 vCPUs, 16Gi",
        "Preference `linux.one`: One",
    )
    assert changes(load(overlays("lab: {}"))) == Changes(added=tuple(sorted(added)))


@pytest.mark.parametrize(
    ("differing", "text"),
    [
        (Changes(), "## v2\n\nNo changes since v1.\n"),
        (Changes(added=("a", "b")), "## v2\n\n### Added\n\n- a\n- b\n"),
        (
            Changes(changed=("a",)),
            "## v2\n\n### Changed\n\nVMs that exist keep the revision that they were created with.\n\n- a\n",
        ),
        (Changes(deprecated=("a",)), "## v2\n\n### Deprecated\n\n- a\n"),
        (
            Changes(removed=("a",)),
            "## v2\n\n### Removed\n\nVMs that exist keep their revision; new ones must name something else.\n\n- a\n",
        ),
        (
            Changes(("a",), ("b",), ("c",), ("d",)),
            (
                "## v2\n\n### Added\n\n- a\n\n### Changed\n\nVMs that exist keep the revision that they were created "
                "with.\n\n- b\n\n### Deprecated\n\n- c\n\n### Removed\n\nVMs that exist keep their revision; new ones "
                "must name something else.\n\n- d\n"
            ),
        ),
    ],
)
def test_notes(differing, text):
    assert notes("v2", "v1", differing) == text
