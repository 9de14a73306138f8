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
