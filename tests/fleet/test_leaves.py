"""What is a VM's own in its manifest, and what that looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from virtcatalog.fleet.leaves import (
    GENERATION,
    LONGEST_NAME,
    LONGEST_TEXT,
    MAC,
    NAME,
    NAMESPACE,
    SHAPES,
    TEXT,
    TIME,
    UUID,
    VERSION,
    leaves_of,
)


def listed(vm: Any) -> tuple[str, list[str]] | None:
    leaves = leaves_of(json.dumps(vm).encode())
    return leaves and (leaves.sorts, [leaf.decode() for leaf in leaves.values])


def uuid(digit: int) -> str:
    return "-".join(str(digit) * length for length in (8, 4, 4, 4, 12))


def time(day: int) -> str:
    return f"2026-01-0{day}T00:00:00Z"


def spec(mark: str, digit: int) -> dict[str, Any]:
    return {
        "domain": {
            "firmware": {"uuid": uuid(digit), "serial": uuid(digit + 1)},
            "devices": {"interfaces": [{"macAddress": f"02:00:00:00:00:0{digit}"}, {}]},
        },
        "volumes": [
            {"cloudInitNoCloud": {"userData": f"{mark} user", "networkData": f"{mark} network"}},
            {"cloudInitConfigDrive": {"userData": f"{mark} drive", "networkData": 1}},
            {"emptyDisk": {}},
        ],
    }


def test_the_leaves_of_a_vm() -> None:
    vm = {
        "metadata": {
            "name": "web",
            "namespace": "team",
            "uid": uuid(1),
            "creationTimestamp": time(1),
            "resourceVersion": "17",
            "generation": 3,
            "managedFields": [{"time": time(2)}, {}],
        },
        "spec": {"template": {"spec": spec("its", 2)}},
        "status": {
            "desiredGeneration": 4,
            "observedGeneration": 5,
            "conditions": [{"lastTransitionTime": time(3), "lastProbeTime": time(4)}],
        },
    }
    assert listed(vm) == (
        "nsxxxuumutvgtggtt",
        [
            *("web", "team", "its user", "its network", "its drive", uuid(2), uuid(3), "02:00:00:00:00:02", uuid(1)),
            *(time(1), "17", "3", time(2), "4", "5", time(3), time(4)),
        ],
    )


def test_a_vmi_has_its_leaves_in_its_spec() -> None:
    assert listed({"metadata": {"name": "web"}, "spec": spec("own", 7)}) == (
        "n-xxxuum",
        ["web", "default", "own user", "own network", "own drive", uuid(7), uuid(8), "02:00:00:00:00:07"],
    )


def test_a_leaf_that_is_there_twice_counts_once() -> None:
    vm = {"metadata": {"name": "web", "creationTimestamp": time(1), "managedFields": [{"time": time(1)}]}}
    assert listed(vm) == ("n-t", ["web", "default", time(1)])


@pytest.mark.parametrize(
    "vm",
    [
        [],
        {},
        {"metadata": {}},
        {"metadata": {"name": 1}},
        {"metadata": {"name": "a\u007f"}},
        {"metadata": {"name": "web", "labels": {"a": "\u007f"}}},
        {"metadata": {"name": "web", "namespace": "Team"}},
        {"metadata": {"name": "Web"}},
    ],
)
def test_what_is_out_of_the_ordinary_has_none(vm: Any) -> None:
    text = json.dumps(vm, ensure_ascii=False).encode()
    assert leaves_of(text) is None


def test_a_text_that_is_long_is_no_leaf() -> None:
    def vm(length: int) -> dict[str, Any]:
        return {"metadata": {"name": "web"}, "spec": {"volumes": [{"cloudInitNoCloud": {"userData": "x" * length}}]}}

    assert listed(vm(LONGEST_TEXT - 2)) == ("n-x", ["web", "default", "x" * (LONGEST_TEXT - 2)])  # as JSON has quotes
    assert listed(vm(LONGEST_TEXT - 1)) == ("n-", ["web", "default"])


@pytest.mark.parametrize(
    ("sort", "leaf", "fits"),
    [
        *((sort, "web-1", True) for sort in (NAME, NAMESPACE)),
        *((NAME, name, True) for name in ("abc", "a" * LONGEST_NAME)),
        *((NAME, name, False) for name in ("ab", "1web", "web-", "w.b", "a" * (LONGEST_NAME + 1))),
        (UUID, uuid(1), True),
        *((UUID, text, False) for text in (uuid(1)[1:], uuid(1).replace("1", "A"), uuid(1).replace("-", ""))),
        *((MAC, text, True) for text in ("02:00:00:00:00:01", "0e:ff:00:00:00:01")),
        *((MAC, text, False) for text in ("03:00:00:00:00:01", "02-00-00-00-00-01", "02:00:00", "02:00:00:00:00:0A")),
        (TIME, "2026-12-31T23:59:59Z", True),
        *((TIME, text, False) for text in ("2026-12-31T23:59:59.1Z", "2026-12-31T23:59:59", "1999-12-31T23:59:59Z")),
        *((sort, number, True) for sort in (GENERATION, VERSION) for number in ("1", "1" * 15)),
        *((sort, number, False) for sort in (GENERATION, VERSION) for number in ("0", "01", "1" * 16, "-1")),
        *((TEXT, text, True) for text in ("", "a b", r"\n", r"\"", r"\u2028", r"\ud7ff")),
        *((TEXT, text, False) for text in ('"', "\n", "\\", r"\x", r"\ud800", r"\u12")),
    ],
)  # fmt: skip
def test_every_sort_has_its_shape(sort: str, leaf: str, fits: bool) -> None:
    assert (SHAPES[sort].fullmatch(leaf.encode()) is not None) is fits
