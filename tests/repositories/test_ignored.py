"""What Flux leaves out of a repository: lines of `.sourceignore` and of `ignore`, which are those of gitignore."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtcatalog.manifests.folder import held
from virtcatalog.manifests.sources import open_folder
from virtcatalog.repositories.find import find
from virtcatalog.repositories.ignored import ignored
from virtcatalog.repositories.tree import Tree

FILES = ("a.yaml", "b/a.yaml", "b/c/a.yaml", "b/c/d.yaml", "c/a.yaml", "d.yaml")


def left_out(files: dict[str, str], *ignores: object) -> list[str]:
    contents = {**dict.fromkeys(FILES, ""), **files}
    tree = Tree(held({path: text.encode() for path, text in contents.items()}), "repo")
    return [path for path in ignored(tree, [{"spec": {"ignore": text}} for text in ignores]) if path in FILES]


@pytest.mark.parametrize(
    ("lines", "files"),
    [
        ("", []),
        ("# a.yaml\n\n   \n", []),
        ("/\n", []),
        ("a.yaml\n", ["a.yaml", "b/a.yaml", "b/c/a.yaml", "c/a.yaml"]),
        ("a.yaml  \r\n", ["a.yaml", "b/a.yaml", "b/c/a.yaml", "c/a.yaml"]),
        ("/a.yaml\n", ["a.yaml"]),
        ("b/a.yaml\n", ["b/a.yaml"]),
        ("c/a.yaml\n", ["c/a.yaml"]),
        ("c\n", ["b/c/a.yaml", "b/c/d.yaml", "c/a.yaml"]),
        ("c/\n", ["b/c/a.yaml", "b/c/d.yaml", "c/a.yaml"]),
        ("/c/\n", ["c/a.yaml"]),
        ("a.yaml/\n", []),
        ("/d.yaml/\n", []),
        ("b\n", ["b/a.yaml", "b/c/a.yaml", "b/c/d.yaml"]),
        ("/b/*.yaml\n", ["b/a.yaml"]),
        ("/b/*\n", ["b/a.yaml", "b/c/a.yaml", "b/c/d.yaml"]),
        ("/*/a.yaml\n", ["b/a.yaml", "c/a.yaml"]),
        ("**/d.yaml\n", ["b/c/d.yaml", "d.yaml"]),
        ("b/**/a.yaml\n", ["b/a.yaml", "b/c/a.yaml"]),
        ("b/**\n", ["b/a.yaml", "b/c/a.yaml", "b/c/d.yaml"]),
        ("**/c/a.yaml\n", ["b/c/a.yaml", "c/a.yaml"]),
        ("**\n", list(FILES)),
        ("**/\n", [path for path in FILES if "/" in path]),
        ("/**\n", []),
        ("b/**/\n", ["b/a.yaml", "b/c/a.yaml", "b/c/d.yaml"]),
        ("b//c\n", ["b/c/a.yaml", "b/c/d.yaml"]),
        ("b**/a.yaml\n", []),
        ("b**\n", ["b/a.yaml", "b/c/a.yaml", "b/c/d.yaml"]),
        ("**/c/c\n", []),
        ("*.yaml\n!/\n!\n", list(FILES)),
        ("a.yaml\t\n", []),
        ("d.yaml\x0ca.yaml\n", []),
        ("a.yaml\\ \n", []),
        ("/*\n!/b/\n", ["a.yaml", "c/a.yaml", "d.yaml"]),
        ("a.yaml\n!/b/a.yaml\n", ["a.yaml", "b/c/a.yaml", "c/a.yaml"]),
        ("!a.yaml\na.yaml\n", ["a.yaml", "b/a.yaml", "b/c/a.yaml", "c/a.yaml"]),
        ("?.yaml\n!a.yaml\n", ["b/c/d.yaml", "d.yaml"]),
    ],
)
def test_which_files_lines_mean(lines: str, files: list[str]) -> None:
    assert left_out({".sourceignore": lines}) == files
    assert left_out({}, lines) == files


def test_behind_any_folders_the_first_of_a_name_is_meant() -> None:
    paths = ("c/c/a.yaml", "c/c/c/b.yaml")
    tree = Tree(held({**dict.fromkeys(paths, b""), ".sourceignore": b"**/c/a.yaml\n**/c/c/b.yaml\n"}), "repo")
    assert ignored(tree, []) == []


BY_DEFAULT = [
    *("b/a.jpg", "b/a.jpeg", "b/a.gif", "b/a.png", "b/a.wmv", "b/a.flv", "b/a.tar.gz", "b/a.zip"),
    *("b/appveyor.yml", "b/cloudbuild.yaml", "b/codeship-services.yml", "b/codeship-steps.yml"),
]
"""Files that Flux leaves out of itself. Source: fluxcd/pkg, sourceignore/sourceignore.go (ExcludeExt, ExcludeCI)."""


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({}, BY_DEFAULT),
        ({".sourceignore": "# nothing\n"}, BY_DEFAULT),
        ({".sourceignore": "a.yaml\n"}, ["a.yaml"]),
        ({"b/.sourceignore": "/a**/x\n"}, []),
    ],
)
def test_where_nothing_is_said_files_of_others_are_left_out(files: dict[str, str], left: list[str]) -> None:
    paths = ("a.yaml", "chart.tgz", *BY_DEFAULT)
    contents = {**dict.fromkeys(paths, b""), **{path: text.encode() for path, text in files.items()}}
    assert sorted(ignored(Tree(held(contents), "repo"), [])) == sorted(left)


def test_a_file_in_a_folder_is_about_that_folder() -> None:
    assert left_out({"b/.sourceignore": "a.yaml\n"}) == ["b/a.yaml", "b/c/a.yaml"]
    assert left_out({"b/.sourceignore": "/a.yaml\n"}) == ["b/a.yaml"]
    assert left_out({"b/c/.sourceignore": "*\n"}) == ["b/c/a.yaml", "b/c/d.yaml"]


def test_what_is_said_further_down_and_in_the_object_counts_last() -> None:
    assert left_out({".sourceignore": "a.yaml\n", "b/.sourceignore": "!a.yaml\n"}) == ["a.yaml", "c/a.yaml"]
    assert left_out({".sourceignore": "a.yaml\n"}, "!/c\n", None) == ["a.yaml", "b/a.yaml", "b/c/a.yaml"]


@pytest.mark.parametrize(
    ("kind", "names"), [("Other", ["vm"]), ("Application", ["vm", "other"]), ("ApplicationSet", ["vm", "other"])]
)
def test_argo_cd_leaves_out_nothing(kind: str, names: list[str]) -> None:
    source = "{kind: GitRepository, name: flux-system}"
    flux = "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: apps, namespace: flux}, "
    spec = "{running: false, template: {spec: {domain: {devices: {}}}}}"
    vm = f"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: NAME}}\nspec: {spec}\n"
    files = {
        "flux.yaml": f"{flux}spec: {{path: apps, sourceRef: {source}}}}}",
        "argo.yaml": f"{{apiVersion: argoproj.io/v1alpha1, kind: {kind}, metadata: {{name: a}}, spec: {{}}}}",
        "apps/vm.yaml": vm.replace("NAME", "vm"),
        "apps/x.yaml": vm.replace("NAME", "other"),
        ".sourceignore": "x.yaml",
    }
    found = find(held({path: text.encode() for path, text in files.items()}), "repo")
    (unit,) = (unit for unit in found.environments if unit.name == "apps")
    assert [resource.data["metadata"]["name"] for resource in unit.resources] == names


def test_a_file_that_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/a.yaml").write_text("")
    (tmp_path / "other").write_text("*\n")
    (tmp_path / "repo/.sourceignore").symlink_to("../other")
    assert ignored(Tree(open_folder(str(tmp_path / "repo")), "repo"), []) == []
