"""Of which fragment a field is, which fragments a file has, and which files hold what belongs elsewhere."""

from typing import Any

import pytest

from virtcatalog.catalog.settings import fragments_of, owner_of


@pytest.mark.parametrize(
    ("place", "path", "owner"),
    [
        ("components.yaml", "a spec devices", "a"),
        ("overlays.yaml", "lab patches 0", "lab"),
        ("overlays.yaml", "", ""),
        ("catalog.yaml", "instancetypes spec", "instancetypes"),
        ("catalog.yaml", "preferences spec", "preferences"),
        ("catalog.yaml", "labels a", ""),
        ("instancetypes/m.yaml", "sizes small vcpus", "sizes small"),
        ("instancetypes/m.yaml", "variants -x spec", "variants -x"),
        ("instancetypes/m.yaml", "variants", "variants"),
        ("instancetypes/m.yaml", "spec cpu", ""),
        ("instancetypes/m.yaml", "preferences a", ""),
        ("preferences/l.yaml", "variants x spec", "variants x"),
        ("preferences/l.yaml", "defaults spec cpu", "defaults"),
        ("preferences/l.yaml", "preferences a spec", "preferences a"),
        ("preferences/l.yaml", "preferences a variants x spec", "preferences a variants x"),
        ("preferences/l.yaml", "preferences a variants", "preferences a variants"),
        ("preferences/l.yaml", "sizes a vcpus", "sizes a"),
        ("preferences/l.yaml", "", ""),
        ("templates/l.yaml", "defaults vm spec", "defaults"),
        ("templates/l.yaml", "systems one vm", "systems one"),
        ("templates/l.yaml", "workloads server vm", "workloads server"),
        ("templates/l.yaml", "", ""),
        ("vms.yaml", "a.yaml environments", ""),
        ("prices.yaml", "perHour cpu", ""),
    ],
)
def test_the_fragment_that_a_field_is_part_of(place: str, path: str, owner: str) -> None:
    assert owner_of(place, tuple(path.split())) == tuple(owner.split())


A, B, C = {"labels": {"a": "1"}}, {"labels": {"b": "2"}}, {"labels": {"c": "3"}}
CATALOG = {"instancetypes": A, "preferences": B, "labels": {"x": "y"}}
TYPES = {"class": "m", "sizes": {"s": A, "t": None}, "variants": {"-x": B}}
PREFERENCE = {**A, "variants": {"x": B, "y": None}}
PREFERENCES = {"defaults": C, "variants": {"v": B}, "preferences": {"a": PREFERENCE, "b": None, "c": {"variants": []}}}


@pytest.mark.parametrize(
    ("place", "data", "fragments"),
    [
        ("catalog.yaml", CATALOG, {"": CATALOG, "instancetypes": A, "preferences": B}),
        ("catalog.yaml", {"instancetypes": [A]}, {"": {"instancetypes": [A]}}),
        ("components.yaml", {"a": A, "b": [B], "c": C}, {"a": A, "c": C}),
        ("instancetypes/m.yaml", TYPES, {"": TYPES, "sizes s": A, "variants -x": B}),
        ("instancetypes/m.yaml", {"sizes": [A]}, {"": {"sizes": [A]}}),
        (
            "preferences/l.yaml",
            PREFERENCES,
            {
                "defaults": C,
                "variants v": B,
                "preferences a": PREFERENCE,
                "preferences a variants x": B,
                "preferences c": {"variants": []},
            },
        ),
        ("preferences/l.yaml", {"preferences": [A], "defaults": None}, {}),
        ("templates/l.yaml", {"defaults": A, "sizes": {"s": B}}, {}),
        ("overlays.yaml", {"lab": A}, {}),
    ],
)
def test_the_fragments_of_a_file(place: str, data: dict[str, Any], fragments: dict[str, Any]) -> None:
    assert {" ".join(map(str, path)): fragment for path, fragment in fragments_of(place, data)} == fragments


@pytest.mark.parametrize(
    ("file", "text", "problems"),
    [
        ("instancetypes/m.yaml", "preferences: {a: {}}\n", ["1:1: declares preferences: it belongs in preferences/"]),
        (
            "instancetypes/m.yaml",
            "class: m\nsizes: {s: {vcpus: 1, memory: 1Gi}}\npreferences: {a: {}}\n",
            ["3:1: preferences: unknown field 'preferences'"],
        ),
        (
            "preferences/l.yaml",
            "sizes: {s: {vcpus: 1}}\n",
            ["1:1: declares instance types: it belongs in instancetypes/"],
        ),
        (
            "preferences/l.yaml",
            "sizes: {s: {vcpus: 1}}\npreferences: {a: {}}\n",
            ["1:1: sizes: unknown field 'sizes'"],
        ),
        (
            "preferences/l.yaml",
            "apiVersion: v1\nkind: VirtualMachine\npreferences: {a: {}}\n",
            ["1:1: is a VirtualMachine: it belongs in vms/"],
        ),
        (
            "preferences/l.yaml",
            f"apiVersion: v1\nkind: {'Kind' * 20}\n",
            [f"1:1: is a manifest, a {'Kind' * 15}, and no declaration: `virtcatalog import objects` makes one of it"],
        ),
        ("preferences/l.yaml", "kind: A\npreferences: {a: {}}\n", ["1:1: kind: unknown field 'kind'"]),
        (
            "preferences/l.yaml",
            "kind: [A]\napiVersion: v1\npreferences: {a: {}}\n",
            ["1:1: kind: unknown field 'kind'", "2:1: apiVersion: unknown field 'apiVersion'"],
        ),
        (
            "templates/l.yaml",
            "kind: A\napiVersion: v1\nsystems: {}\nsizes: {}\nworkloads: {}\n",
            ["1:1: kind: unknown field 'kind'", "2:1: apiVersion: unknown field 'apiVersion'"],
        ),
    ],
)
def test_what_belongs_elsewhere(catalog, file: str, text: str, problems: list[str]) -> None:
    assert catalog.problems({file: text}) == [f"{file}:{problem}" for problem in problems]


@pytest.mark.parametrize("annotations", ["{a/b: c}", ""])
def test_annotations_of_the_catalog_come_beside_those_of_gitops(catalog, annotations: str) -> None:
    text = f"name: test\nkubevirt: v1.9.0\nannotations: {annotations}\ngitops: {{argocd: {{syncWave: 1}}}}\n"
    written = catalog.load({"catalog.yaml": text}).objects()[0]["metadata"]["annotations"]
    assert written == {"argocd.argoproj.io/sync-wave": "1", **({"a/b": "c"} if annotations else {})}
