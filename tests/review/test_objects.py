"""Which published objects of two sides are one: they stay, come, go, change, or have another name."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.review.objects import ObjectChange, compare_objects, renames

Data = dict[str, Any]
TYPE = "VirtualMachineClusterInstancetype"


def obj(name: str = "small", kind: str = TYPE, namespace: str = "", labels: Data | None = None, **spec: Any) -> Data:
    metadata = {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        **({"labels": labels} if labels else {}),
    }
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}


def config(name: str, namespace: str = "shop", **spec: Any) -> Data:
    return obj(name, "ConfigMap", namespace, **spec)


SIX = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}
FOUR = {"a": 1, "b": 2, "c": 3, "d": 4}


@pytest.mark.parametrize(
    ("base", "head", "titles"),
    [
        ([obj()], [obj()], []),
        ([obj()], [], [f"removed {TYPE}/small"]),
        ([], [obj()], [f"added {TYPE}/small"]),
        ([obj(cpu=1)], [obj(cpu=2)], [f"changed {TYPE}/small"]),
        # In the order of their kinds, namespaces and names, whatever becomes of them.
        (
            [obj("c"), config("b", a=1), config("z", "ops")],
            [obj("a", cpu=1), config("b", a=2), obj("b", cpu=2)],
            [
                "removed ConfigMap/ops/z",
                "changed ConfigMap/shop/b",
                f"added {TYPE}/a",
                f"added {TYPE}/b",
                f"removed {TYPE}/c",
            ],
        ),
        # The same spec under another name, or nearly the same.
        ([obj(cpu=1)], [obj("tiny", cpu=1)], [f"renamed {TYPE}/tiny (was small)"]),
        ([obj(**SIX)], [obj("tiny", **{**SIX, "f": 7})], [f"renamed {TYPE}/tiny (was small)"]),
        ([obj(**SIX)], [obj("tiny", **{**SIX, "e": 7, "f": 7})], [f"removed {TYPE}/small", f"added {TYPE}/tiny"]),
        ([obj(**FOUR)], [obj("tiny", **FOUR, e=5)], [f"removed {TYPE}/small", f"added {TYPE}/tiny"]),
        ([obj(**FOUR, e=5)], [obj("tiny", **FOUR, e=6)], [f"renamed {TYPE}/tiny (was small)"]),
        ([config("a", x=1)], [config("a", "ops", x=1)], ["added ConfigMap/ops/a", "removed ConfigMap/shop/a"]),
        ([config("a", x=1)], [obj("b", x=1)], ["removed ConfigMap/shop/a", f"added {TYPE}/b"]),
    ],
)
def test_what_becomes_of_objects(base: list[Data], head: list[Data], titles: list[str]) -> None:
    assert [change.title for change in compare_objects({"": base}, {"": head})] == titles


def called(manifest: Data) -> tuple[str, str, str]:
    return manifest["kind"], manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"]


@pytest.mark.parametrize(
    ("gone", "new", "pairs"),
    [
        # Equal specs before those that are alike, and then the names that are more alike.
        (
            {"small": SIX},
            {"smaller": {**SIX, "f": 7}, "tiny": SIX},
            {"small": "tiny"},
        ),
        ({"tall": SIX}, {"small": SIX, "taller": SIX}, {"tall": "taller"}),
        ({"a1": SIX, "b1": SIX}, {"b2": SIX, "a2": SIX}, {"a1": "a2", "b1": "b2"}),
        ({"a": SIX, "b": SIX}, {"c": SIX}, {"a": "c"}),
        ({"b": SIX, "a": SIX}, {"d": SIX, "c": SIX}, {"a": "c", "b": "d"}),
        ({"a": {}}, {"b": {}}, {"a": "b"}),
        ({"a": {"x": 1}}, {"b": {}}, {}),
        ({"a": {"x": 1}}, {"b": {"y": 1}}, {}),
    ],
)
def test_an_object_is_renamed_once(gone: dict[str, Data], new: dict[str, Data], pairs: dict[str, str]) -> None:
    stays = obj("stays", **SIX)
    renamed = renames(*([*(obj(name, **spec) for name, spec in side.items()), stays] for side in (gone, new)))
    assert {old[2]: other[2] for old, other in renamed.items()} == pairs


def test_of_many_that_go_and_come_nobody_finds_who_is_who() -> None:
    def many(letter: str, number: int) -> list[Data]:
        return [{"kind": "ConfigMap", "metadata": {"name": f"{letter}{n}"}, "n": n} for n in range(number)]

    assert len(renames(many("a", 2), many("b", 5))) == 2
    assert renames(many("a", 500), many("b", 501)) == {}


def test_an_environment_that_has_the_same_change_is_named_beside_it() -> None:
    base, head = ({name: [obj(cpu=cpu)] for name in ("lab", "prod")} for cpu in (1, 2))
    (change,) = compare_objects(base, head)
    assert (change.title, change.environments) == (f"changed {TYPE}/small in lab, prod", ("lab", "prod"))
    changes = compare_objects({**base, "dev": [obj(cpu=1)]}, {**head, "dev": [obj(cpu=3)]})
    assert [change.title for change in changes] == [
        f"changed {TYPE}/small in lab, prod",
        f"changed {TYPE}/small in dev",
    ]


def test_a_change_of_the_base_is_of_no_environment_alone() -> None:
    def sides(**cpus: int) -> list[dict[str, list[Data]]]:
        after = {name.strip("_"): cpu for name, cpu in cpus.items()}
        return [{name: [obj(cpu=cpu)] for name, cpu in side.items()} for side in (dict.fromkeys(after, 1), after)]

    base, head = sides(_=2, lab=2, prod=2)
    (change,) = compare_objects(base, head)
    assert (change.title, change.environments) == (f"changed {TYPE}/small", ())
    assert change.deployed == (("", ""), ("lab", ""), ("prod", ""))
    base, head = sides(_=2, lab=2, prod=3, dev=3)
    assert [change.title for change in compare_objects(base, head)] == [
        f"changed {TYPE}/small",
        f"changed {TYPE}/small in prod, dev",
    ]


def test_the_types_of_two_namespaces_of_an_environment_are_two() -> None:
    kind = "VirtualMachineInstancetype"

    def of(cpu: int) -> dict[str, list[Data]]:
        return {where: [obj("a", kind, f"{where}-{home}", cpu=cpu) for home in "xy"] for where in ("lab", "prod")}

    assert [(change.title, change.deployed) for change in compare_objects(of(1), of(2))] == [
        (f"changed {kind}/lab-x/a in lab, prod", (("lab", "lab-x"), ("prod", "prod-x"))),
        (f"changed {kind}/lab-y/a in lab, prod", (("lab", "lab-y"), ("prod", "prod-y"))),
    ]


def test_an_environment_that_only_one_side_has_comes_or_goes_with_its_objects() -> None:
    changes = compare_objects({"": [obj()], "lab": [obj("a")]}, {"prod": [obj("b", cpu=1)], "": [obj()]})
    assert [change.title for change in changes] == [f"removed {TYPE}/a in lab", f"added {TYPE}/b in prod"]


def test_the_types_of_a_namespace_are_the_same_in_each_and_other_objects_are_not() -> None:
    def of(cpu: int, kind: str) -> dict[str, list[Data]]:
        return {name: [obj("a", kind, name, {"env": name}, cpu=cpu)] for name in ("lab", "prod")}

    kind = "VirtualMachineInstancetype"
    assert [change.title for change in compare_objects(of(1, kind), of(2, kind))] == [
        f"changed {kind}/lab/a in lab, prod"
    ]
    assert [change.title for change in compare_objects(of(1, "ConfigMap"), of(2, "ConfigMap"))] == [
        "changed ConfigMap/lab/a in lab",
        "changed ConfigMap/prod/a in prod",
    ]


def test_the_diff_of_the_other_scope_is_the_same() -> None:
    kinds = TYPE, "VirtualMachineInstancetype"
    base, head = ({"": [obj(kind=kind, cpu=cpu) for kind in kinds]} for cpu in (1, 2))
    assert [(change.name, change.same_as) for change in compare_objects(base, head)] == [
        (f"{TYPE}/small", ""),
        ("VirtualMachineInstancetype/small", f"{TYPE}/small"),
    ]
    head[""][1]["spec"]["cpu"] = 3
    assert [change.same_as for change in compare_objects(base, head)] == ["", ""]
    assert [change.same_as for change in compare_objects({"": []}, base)] == ["", f"{TYPE}/small"]


def test_a_diff_names_both_sides_and_what_is_compared() -> None:
    (changed,) = compare_objects({"": [config("a", x=1)]}, {"": [config("a", x=2)]}, ("old", "new"))
    assert changed.diff.splitlines()[:2] == ["--- old/ConfigMap/shop/a", "+++ new/ConfigMap/shop/a"]
    assert [line for line in changed.diff.splitlines()[2:] if line[0] in "+-"] == ["-  x: 1", "+  x: 2"]
    (added,) = compare_objects({"": []}, {"": [config("a", x=1)]})
    assert added.diff == (
        "--- /dev/null\n+++ head/ConfigMap/shop/a\n@@ -0,0 +1,7 @@\n"
        "+apiVersion: v1\n+kind: ConfigMap\n+metadata:\n+  name: a\n+  namespace: shop\n+spec:\n+  x: 1\n"
    )
    (removed,) = compare_objects({"": [config("a", x=1)]}, {"": []})
    assert removed.diff.splitlines()[:2] == ["--- base/ConfigMap/shop/a", "+++ /dev/null"]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        (obj(cpu=1), obj(cpu=2), True),
        (obj(cpu=1), obj(cpu=1, labels={"a": "b"}), False),
        (obj(cpu=1), {**obj(cpu=1), "apiVersion": "v2"}, False),
        (obj(cpu=1), {**obj(cpu=1), "data": {}}, True),
        (None, obj(), True),
        (obj(), None, True),
    ],
)
def test_whether_more_than_labels_changes(old: Data | None, new: Data | None, changes: bool) -> None:
    assert ObjectChange(change="changed", old=old, new=new).spec_changes == changes
