"""Which folders say what they deploy, and how much they may."""

from __future__ import annotations

import pytest

from virtcatalog.manifests.folder import held
from virtcatalog.repositories import find as module
from virtcatalog.repositories.find import RepositoryError, find, is_repository

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def kustomization(name: str) -> str:
    """A Kustomization of Flux, which deploys the folder of its name."""
    return (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        f"metadata: {{name: {name}, namespace: flux}}\n"
        f"spec: {{path: ./{name}, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )


@pytest.mark.parametrize(
    ("files", "is_one"),
    [
        ({"a.yaml": OBJECT}, False),
        ({"a.txt": "kustomize.toolkit.fluxcd.io"}, False),
        ({"a.yaml": kustomization("a")}, True),
        ({"a/Chart.yaml": "name: a"}, True),
        ({"a/kustomization.yaml": "resources: []"}, True),
        ({"a/Kustomization": "resources: []"}, True),
        ({"a/kustomization.yaml": "resources: []", "catalog.yaml": "name: a"}, False),
        ({"a/kustomization.yaml": "resources: []", ".virtcatalog": "# Files"}, False),
    ],
)
def test_a_folder_says_what_it_deploys(files: dict[str, str], is_one: bool) -> None:
    assert is_repository(held({path: text.encode() for path, text in files.items()})) is is_one


CHAIN = {
    "a.yaml": kustomization("a"),
    "a/b.yaml": kustomization("b"),
    "b/c.yaml": kustomization("c"),
    "c/d.yaml": OBJECT,
}


@pytest.mark.parametrize(
    ("files", "name", "most", "fault"),
    [
        (CHAIN, "REPOSITORY_LEVELS", 1, "x/b/c.yaml: the repository has more than 1 levels of units"),
        (CHAIN, "REPOSITORY_UNITS", 2, "x/b/c.yaml: the repository has more than 2 units"),
        (
            {f"{name}/kustomization.yaml": "namePrefix: a" for name in "abc"},
            "REPOSITORY_UNITS",
            2,
            "x/c/kustomization.yaml: the repository has more than 2 units",
        ),
    ],
)
def test_a_repository_that_asks_for_more_than_it_may(
    monkeypatch: pytest.MonkeyPatch, files: dict[str, str], name: str, most: int, fault: str
) -> None:
    folder = held({path: text.encode() for path, text in files.items()})
    monkeypatch.setattr(module, name, most)
    with pytest.raises(RepositoryError) as refused:
        find(folder, "x")
    assert str(refused.value) == fault
    monkeypatch.setattr(module, name, most + 1)
    assert [unit.name for unit in find(folder, "x").environments if unit.kind != "folder"] == ["a", "b", "c"]


def units(files: dict[str, str]) -> list[tuple[str, str, list[str]]]:
    """Each unit: its kind, name, and the objects that it deploys."""
    repository = find(held({path: text.encode() for path, text in files.items()}), "x")
    return [
        (unit.kind, unit.name, [resource.data["metadata"]["name"] for resource in unit.resources])
        for unit in repository.environments
    ]


def test_units_that_deploy_each_other_are_found() -> None:
    files = {"a/b.yaml": kustomization("b"), "b/a.yaml": kustomization("a"), "b/c.yaml": OBJECT}
    assert units(files) == [("Kustomization", "b", ["a", "a"]), ("Kustomization", "a", ["b"])]


def test_a_unit_that_deploys_itself_is_found_once() -> None:
    assert units({"a/a.yaml": kustomization("a"), "a/c.yaml": OBJECT}) == [("Kustomization", "a", ["a", "a"])]


def test_units_are_in_the_order_in_which_they_deploy_each_other() -> None:
    assert units({"z.yaml": OBJECT.replace("name: a", "name: z"), **CHAIN}) == [
        ("Kustomization", "a", ["b"]),
        ("Kustomization", "b", ["c"]),
        ("Kustomization", "c", ["a"]),
        ("folder", "", ["a", "z"]),
    ]


def test_what_a_kustomization_leaves_out_of_its_folder_deploys_nothing() -> None:
    files = {
        "a.yaml": kustomization("a"),
        "a/kustomization.yaml": "resources: [c.yaml]\n",
        "a/c.yaml": OBJECT,
        "a/b.yaml": kustomization("b"),
        "b/d.yaml": kustomization("d"),
        "b/e.yaml": OBJECT,
        "d/f.yaml": OBJECT,
    }
    assert units(files) == [("Kustomization", "a", ["a"]), ("folder", "", ["a"])]


def test_kustomizations_that_build_upon_each_other_count_once() -> None:
    files = {
        "a/kustomization.yaml": "resources: [../b, c.yaml]\n",
        "a/c.yaml": OBJECT,
        "b/kustomization.yaml": "resources: [c.yaml]\n",
        "b/c.yaml": OBJECT.replace("name: a", "name: b"),
        "part/kustomization.yaml": "kind: Component\nresources: [../d]\n",
        "d/kustomization.yaml": "resources: [e.yaml]\n",
        "d/e.yaml": OBJECT,
        "charts/x/Chart.yaml": "name: x\n",
        "charts/x/k/kustomization.yaml": "namePrefix: a\n",
    }
    assert units(files) == [("kustomization", "a", ["b", "a"])]


def test_a_repository_of_which_too_much_is_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REPOSITORY_UNITS", 1)
    files = {f"{name}.yaml": kustomization(name) for name in "abcd"} | {f"{name}/x.yaml": OBJECT for name in "abcd"}
    with pytest.raises(RepositoryError) as refused:
        find(held({path: text.encode() for path, text in files.items()}), "x")
    assert str(refused.value) == "x/d.yaml: the repository has more than 1 units"
