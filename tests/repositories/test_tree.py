"""A repository's files: what they are called, where they are, and what kustomizations name."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtcatalog.manifests.folder import alone, held
from virtcatalog.manifests.sources import open_folder
from virtcatalog.repositories.tree import Kustomization, Tree, joined, parents, texts_in


def tree(label: str = "repo", **files: str) -> Tree:
    return Tree(held({path: text.encode() for path, text in files.items()}), label)


@pytest.mark.parametrize(
    ("at", "path", "place"),
    [
        ("", "a", "a"),
        ("", "./a//b/", "a/b"),
        ("", ".", ""),
        ("a/b", "c", "a/b/c"),
        ("a/b", "../c", "a/c"),
        ("a/b", "../../c", "c"),
        ("a/b", "../../..", None),
        ("", "..", None),
        ("a", "b\nc", None),
        ("a", "b\0c", None),
    ],
)
def test_a_path_from_a_folder(at: str, path: str, place: str | None) -> None:
    assert joined(at, path) == place


def test_the_folders_that_a_path_is_in() -> None:
    assert list(parents("a/b/c")) == ["a/b", "a", ""]
    assert list(parents("a")) == [""]
    assert list(parents("")) == []


def test_all_texts_in_data() -> None:
    assert sorted(texts_in({"a": ["b", {"c": "d"}, 1, None], "e": "f"})) == ["b", "d", "f"]
    assert (list(texts_in("a")), list(texts_in(None))) == (["a"], [])


@pytest.mark.parametrize(
    ("label", "called"),
    [("repo", "repo/a/b.yaml"), (".", "a/b.yaml"), ("main:", "main:a/b.yaml"), ("main:sub", "main:sub/a/b.yaml")],
)
def test_a_file_is_called_by_what_the_tree_is_called(label: str, called: str) -> None:
    repo = tree(label)
    assert repo.label_of("a/b.yaml") == called
    assert repo.path_of(called) == "a/b.yaml"


def test_one_file_is_no_folder() -> None:
    assert Tree(alone(b"a: 1\n"), "-").is_file
    assert not tree(**{"a.yaml": "a: 1\n"}).is_file
    assert not tree().is_file


def test_the_lines_of_a_file() -> None:
    content = {"a.yaml": "\ufeffa\r\nb\nc".encode(), "b.yaml": b"\xff"}
    repo = Tree(held(content), "repo")
    assert [repo.lines(path) for path in ("a.yaml", "b.yaml", "none.yaml")] == [["a", "b", "c"], [], []]


def test_a_file_has_a_first_document_or_none() -> None:
    repo = tree(**{"a.yaml": "a: 1\n---\nb: 2\n", "b.yaml": "# nothing\n", "c.yaml": "a: [\n"})
    first = repo.first("a.yaml")
    assert first is not None
    assert (first.data, first.file) == ({"a": 1}, "repo/a.yaml")
    assert [repo.first(path) for path in ("b.yaml", "c.yaml", "none.yaml")] == [None, None, None]


FILES = {
    "a.yaml": "",
    "b/c/d.yaml": "",
    "b/c/e.json": "",
    "b/f.txt": "",
    "g/h.jsonnet": "",
    "charts/x/Chart.yaml": "name: x\n",
    "charts/x/templates/y.yaml": "",
    "k/Kustomization": "resources: []\n",
}


def test_what_is_where() -> None:
    repo = tree(**FILES)
    assert repo.every_folder == ("b", "b/c", "charts", "charts/x", "charts/x/templates", "g", "k")
    assert repo.folders == {
        "": ("a.yaml",),
        "b": (),
        "b/c": ("b/c/d.yaml", "b/c/e.json"),
        "charts": (),
        "charts/x": ("charts/x/Chart.yaml",),
        "charts/x/templates": ("charts/x/templates/y.yaml",),
    }
    assert list(repo.below("b")) == ["b/c/d.yaml", "b/c/e.json"]
    assert list(repo.below("")) == list(repo.files)
    places = ("", "b", "b/c", "g", "k", "none", "b/f.txt")
    assert [repo.is_folder(at) for at in places] == [True, True, True, True, True, False, False]
    assert repo.charts == {"charts/x"}
    paths = ("charts/x/Chart.yaml", "charts/x/templates/y.yaml", "charts/x", "a.yaml")
    assert [repo.in_chart(path) for path in paths] == [True, True, False, False]
    assert not tree(**{"a/b.yaml": ""}).in_chart("a/b.yaml")


def test_what_is_ours() -> None:
    repo = tree(**{"a.yaml": "x\napiVersion: kubevirt.io/v1\n", "b.yaml": "x\n"})
    assert [repo.holds_ours(files) for files in (["b.yaml", "a.yaml"], ["b.yaml"], [])] == [True, False, False]


KUSTOMIZATIONS = {
    "app/kustomization.yaml": """\
resources: [../base, a.yaml, more/, https://example.org/x, ../../out]
bases: [../old]
components: [../part]
patches: [{path: p.yaml}, {path: none.yaml}]
configMapGenerator: [{name: c, files: [key=f.txt, plain.txt]}]
""",
    "app/a.yaml": "",
    "app/p.yaml": "",
    "app/f.txt": "",
    "app/plain.txt": "",
    "app/more/kustomization.yml": "resources: [../../base]\n",
    "base/Kustomization": "- no map\n",
    "part/kustomization.yaml": "kind: Component\nresources: [x.yaml]\n",
    "part/x.yaml": "",
    "two/kustomization.yaml": "resources: [../base]\n",
    "two/kustomization.yml": "resources: [../part]\n",
    "two/Kustomization": "a: [\n",
}


def test_what_kustomizations_name() -> None:
    repo = tree(**KUSTOMIZATIONS)
    assert repo.kustomizations == {
        "app": Kustomization(
            "app/kustomization.yaml",
            is_component=False,
            folders=frozenset(("base", "app/more", "app/https:/example.org/x", "old", "part")),
            files=frozenset(("app/a.yaml", "app/p.yaml", "app/f.txt", "app/plain.txt")),
        ),
        "app/more": Kustomization("app/more/kustomization.yml", False, frozenset(("base",)), frozenset()),
        "base": Kustomization("base/Kustomization", False, frozenset(), frozenset()),
        "part": Kustomization("part/kustomization.yaml", True, frozenset(), frozenset(("part/x.yaml",))),
        "two": Kustomization("two/kustomization.yaml", False, frozenset(("base",)), frozenset()),
    }
    assert repo.built_of(["app"]) == {"app", "base", "app/more", "part"}
    assert repo.built_of(["none", "two"]) == {"two", "base"}


@pytest.mark.parametrize(
    ("path", "changed", "is_another"),
    [
        ("app/a.yaml", "app/a.yaml", True),
        ("app/a.yaml", "app/p.yaml", False),
        ("app/kustomization.yaml", "app/a.yaml", True),
        ("app/kustomization.yaml", "part/x.yaml", True),
        ("app/kustomization.yaml", "part/kustomization.yaml", True),
        ("app/kustomization.yaml", "two/kustomization.yml", False),
        ("two/kustomization.yml", "part/x.yaml", False),
        ("two/kustomization.yaml", "base/Kustomization", True),
    ],
)
def test_a_kustomization_is_another_once_one_of_its_files_is(path: str, changed: str, is_another: bool) -> None:
    before, after = (tree(**{**KUSTOMIZATIONS, changed: KUSTOMIZATIONS[changed] + text}) for text in ("", "# \n"))
    assert (before.digest(path) != after.digest(path)) is is_another
    assert len(before.digest("none")) == len(before.digest(path)) == 16


def test_what_is_no_file_of_the_repository_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("/etc/hostname")
    assert [str(problem) for problem in Tree(open_folder(str(tmp_path)), "repo").problems] == [
        "repo/a.yaml: is a symbolic link that leads out of the folder"
    ]
