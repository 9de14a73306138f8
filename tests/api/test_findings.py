"""What data has that its type would not take, and what is left of it."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from virtcatalog.api.core import OwnerReference
from virtcatalog.api.findings import (
    MANIFEST,
    Item,
    Path,
    Rules,
    field_path,
    fill_gaps,
    inspect,
    inspect_kind,
    prune_unknown,
    steps,
)
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.object import Object, Status, since


class Left(Object):
    """One of two."""

    name: str
    a: int = 0
    b: int = 0


class Right(Object):
    """The other."""

    name: str
    c: int = 0


class Pair(Object):
    """What has one of two."""

    part: Left | Right | None = None
    other: Left | None = None
    late: Annotated[int, since("v1.3")] = 0
    parts: list[Left] = []
    labels: dict[str, str] = {}
    free: Any = None


class Guest(Object):
    """A part of a size."""

    guest: int = 0


class Sockets(Object):
    """A part of a layout."""

    sockets: int = 0


class Layout(Object):
    """One of two whose fields have the same names."""

    cpu: Sockets | None = None
    labels: dict[str, str] = {}


class Size(Object):
    """The other."""

    cpu: Guest | None = None
    labels: dict[str, str] = {}
    notes: dict[str, str] = {}


class Either(Object):
    """What is one of these."""

    spec: Layout | Size | None = None


class Written(Status):
    """What a controller wrote."""

    phase: str = ""


FRAGMENT, OLD, OLD_FRAGMENT = Rules(fragment=True), Rules(release=(1, 2)), Rules(fragment=True, release=(1, 2))
LATE = "'late' needs KubeVirt v1.3, and the catalog must work with v1.2"
NUMBER = "must be a string, not the number 1: quote it"


@pytest.mark.parametrize(
    ("data", "rules", "tidied", "findings"),
    [
        ({"part": None, "labels": {"a": None}, "free": {"a": None}}, MANIFEST, {"labels": {}, "free": {"a": None}}, []),
        ({"part": {"name": "x", "a": 1.0}}, MANIFEST, {"part": {"name": "x", "a": 1}}, []),
        ({"part": {"name": "x", "c": 1}}, MANIFEST, {"part": {"name": "x", "c": 1}}, []),
        (
            {"part": {"name": "x", "a": 1, "c": 1}},
            MANIFEST,
            {"part": {"name": "x", "a": 1, "c": 1}},
            [(("part", "c"), "unknown field 'c'")],
        ),
        (
            {"part": {"c": 1, "a": 1, "b": 2}},
            MANIFEST,
            {"part": {"c": 1, "a": 1, "b": 2}},
            [(("part", "c"), "unknown field 'c'"), (("part", "name"), "is required")],
        ),
        (
            {"part": {"name": 1, "zz": 1}},
            FRAGMENT,
            ...,
            [(("part", "name"), NUMBER), (("part", "zz"), "unknown field 'zz'")],
        ),
        ({"part": {"a": 1}}, FRAGMENT, {"part": {"a": 1}}, []),
        ({"part": {"name": "x", "a": 1, "c": 1}}, Rules(prune=True), {"part": {"name": "x", "a": 1}}, []),
        ({"part": {"zz": 1}}, Rules(prune=True), ..., [(("part", "name"), "is required")]),
        ({"part": 1}, MANIFEST, ..., [(("part",), "must be a map, not the number 1")]),
        (
            {"parts": [None, {"name": "x"}, 1]},
            MANIFEST,
            {"parts": [None, {"name": "x"}, 1]},
            [
                (("parts", 0), "an item of a list cannot be null"),
                (("parts", 2), "must be a map, not the number 1"),
            ],
        ),
        (
            {"parts": [{"nmae": "x"}]},
            MANIFEST,
            {"parts": [{}]},
            [(("parts", 0, "nmae"), "unknown field 'nmae'; did you mean 'name'?")],
        ),
        ({"name": "x"}, MANIFEST, {}, [(("name",), "unknown field 'name'")]),
        ({"c": "x"}, MANIFEST, {}, [(("c",), "unknown field 'c'; it belongs in 'part'")]),
        ({1: "x"}, MANIFEST, {}, [(("1",), "unknown field '1'")]),
        (
            {"labels": {1: "x", None: "y", "a": 1}},
            MANIFEST,
            {"labels": {"a": 1}},
            [
                (("labels", "1"), "a key must be a string, not the number 1: quote it"),
                (("labels", "None"), "a key must be a string, not null"),
                (("labels", "a"), NUMBER),
            ],
        ),
        ({"late": 1}, MANIFEST, {"late": 1}, []),
        ({"late": 1}, Rules(release=(1, 3)), {"late": 1}, []),
        ({"late": 1}, OLD, {}, [(("late",), LATE)]),
        ({"late": 1}, OLD_FRAGMENT, {}, [(("late",), LATE)]),
        ({"late": None}, OLD_FRAGMENT, {}, []),
        (
            {"late": 1.0},
            Rules(whole_floats=False),
            {"late": 1.0},
            [(("late",), "must be an integer, not the number 1.0")],
        ),
        (
            {"labels": {"a": 1}},
            Rules(as_text="say it"),
            ...,
            [(("labels", "a"), "must be a string, not the number 1: say it")],
        ),
        (
            {"late": "x", "part": 1},
            Rules(later=lambda value, shape, path: path == ("late",)),
            ...,
            [
                (("part",), "must be a map, not the number 1"),
            ],
        ),
        ([], MANIFEST, [], [((), "must be a map, not a list")]),
    ],
)
def test_data_is_tidied_and_what_does_not_fit_is_told(
    data: Any, rules: Rules, tidied: Any, findings: list[tuple[Path, str]]
) -> None:
    assert inspect(data, Pair, rules) == (data if tidied is ... else tidied, findings)


@pytest.mark.parametrize(
    ("spec", "findings"),
    [
        ({"cpu": {"guest": 1}}, []),
        ({"cpu": {"sockets": 1}}, []),
        ({"cpu": {"guest": "x"}}, [(("cpu", "guest"), "must be an integer, not the string 'x'")]),
        ({"cpu": {"sockets": "x"}}, [(("cpu", "sockets"), "must be an integer, not the string 'x'")]),
        (
            {"labels": {"a": 1}, "notes": {"b": 1, "c": 1}},
            [(("labels", "a"), NUMBER), (("notes", "b"), NUMBER), (("notes", "c"), NUMBER)],
        ),
    ],
)
def test_a_struct_fits_best_whose_first_fault_is_deepest_then_one_with_fewer_and_known_fields(
    spec: Any, findings: list[tuple[Path, str]]
) -> None:
    assert inspect({"spec": spec}, Either)[1] == [(("spec", *path), message) for path, message in findings]


def test_what_controllers_wrote_may_have_more() -> None:
    assert inspect({"phase": "x", "more": 1}, Written) == ({"phase": "x"}, [])


@pytest.mark.parametrize(
    ("data", "left", "dropped"),
    [
        ({"part": {"name": "x", "c": 1}}, {"part": {"name": "x", "c": 1}}, []),
        (
            {"part": {"name": "x", "a": 1, "c": 1}},
            {"part": {"name": "x", "a": 1}},
            [(("part", "c"), "unknown field 'c'")],
        ),
        (
            {"parts": [{"x": 1}], "y": 2},
            {"parts": [{}]},
            [(("parts", 0, "x"), "unknown field 'x'"), (("y",), "unknown field 'y'")],
        ),
        ({"late": "no number"}, {"late": "no number"}, []),
    ],
)
def test_what_the_api_server_drops_is_told(data: Any, left: Any, dropped: list[tuple[Path, str]]) -> None:
    assert prune_unknown(data, Pair) == (left, dropped)


def test_gaps_are_filled_as_go_reads_them() -> None:
    data = {"part": {}, "parts": [{}, {"name": "x"}, {"name": None}, 1], "late": None}
    assert fill_gaps(data, Pair) == {"part": {}, "parts": [{"name": ""}, {"name": "x"}, {"name": ""}, 1], "late": None}
    assert fill_gaps({"kind": "a"}, OwnerReference) == {"kind": "a", "apiVersion": "", "name": "", "uid": ""}
    assert fill_gaps([], Pair) == []
    assert data == {"part": {}, "parts": [{}, {"name": "x"}, {"name": None}, 1], "late": None}


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ((), ""),
        (("spec", "disks", 0, "name"), "spec.disks[0].name"),
        (("metadata", "labels", "example.org/x"), "metadata.labels[example.org/x]"),
        (("a_b", "c-d", "e.f", "g"), "a_b.c-d[e.f].g"),
        ((Item("root"), 10, "a"), "[root][10].a"),
        (("-", "_"), "[-][_]"),
    ],
)
def test_paths_are_written_as_the_api_writes_them(path: Path, field: str) -> None:
    assert field_path(path) == field


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ("", ()),
        ("spec.disks[0].name", ("spec", "disks", 0, "name")),
        ("metadata.labels[example.org/x]", ("metadata", "labels", "example.org/x")),
        ("[0][1]", (0, 1)),
        ("a[012].b", ("a", 12, "b")),
        ("a[123456789]", ("a", 123456789)),
        ("a[1234567890].b", ("a", "1234567890", "b")),
        ("a[].b", ("a", "", "b")),
        ("a[x", ("a", "x")),
        ("a]b", ("a", "b")),
        ("a..b", ("a", "b")),
    ],
)
def test_paths_are_read_as_the_api_writes_them(field: str, path: Path) -> None:
    assert steps(field) == path


@pytest.mark.parametrize(
    ("manifest", "kind", "findings"),
    [
        ({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}, None, []),
        ({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}, VirtualMachine, []),
        ({"apiVersion": "kubevirt.io/v1alpha3", "kind": "VirtualMachine"}, VirtualMachine, []),
        ({"apiVersion": "v1", "kind": "Pod"}, None, []),
        ({}, VirtualMachine, []),
        ({"kind": "VirtualMachine"}, VirtualMachine, []),
        ({"kind": None}, VirtualMachine, []),
        (1, None, [((), "a manifest is a map, not the number 1")]),
        ({"kind": "Pod"}, None, [(("apiVersion",), "is required")]),
        (
            {"apiVersion": "", "kind": 1},
            VirtualMachine,
            [
                (("apiVersion",), "is required"),
                (("kind",), "must be a string, not the number 1"),
            ],
        ),
        (
            {"apiVersion": "kubevirt.io/v2", "kind": "VirtualMachine"},
            VirtualMachine,
            [(("apiVersion",), "kubevirt.io/v2 of VirtualMachine is not served; use kubevirt.io/v1")],
        ),
        (
            {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance"},
            VirtualMachine,
            [
                (
                    ("kind",),
                    ("a VirtualMachine of kubevirt.io/v1 is wanted, not a VirtualMachineInstance of kubevirt.io/v1"),
                )
            ],
        ),
        ({"apiVersion": "v1", "kind": "Pod"}, Pair, []),
    ],
)
def test_a_manifest_says_what_it_is(manifest: Any, kind: type | None, findings: list[tuple[Path, str]]) -> None:
    assert inspect_kind(manifest, kind) == findings
