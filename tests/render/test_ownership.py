"""Which paths of an output tree are virtcatalog's, and of which catalog the tree is."""

from __future__ import annotations

import pytest

from virtcatalog.render.ownership import is_ours, owner_in, with_ownership


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "catalog.json",
        "kustomization.yaml",
        "base/a.yaml",
        "bundles/a-b/c_d.yaml",
        "overlays/lab/kustomization.yaml",
        "index.html",
        "domains.js",
        "search.js",
        "changes.atom",
        "deprecated.ics",
        "assets/site.css",
        "domains/m.small.js",
        "preferences/linux.html",
        "templates/web.html",
        "types/m.small.html",
        "vms/web.html",
        "declarations/catalog.yaml",
        "declarations/vms/ä b.yaml",
    ],
)
def test_what_virtcatalog_writes(path: str) -> None:
    assert is_ours(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "readme.md",
        "READMEAmd",
        "README.md.orig",
        "catalog.json/a",
        "base",
        "base/",
        "base/a b.yaml",
        "base//a.yaml",
        "base/ä.yaml",
        "other/a.yaml",
        "Index.html",
        "indexAhtml",
        "others.js",
        "types/a/b.html",
        "declarations",
        "declarations/",
        "declarations/a\nb",
    ],
)
def test_what_is_somebody_elses(path: str) -> None:
    assert not is_ours(path)


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("", ""),
        ("# Of the catalog: house\n", "house"),
        ("# Files\n# Of the catalog: house\n", "house"),
        ("# Files\nbase/a.yaml\n# Of the catalog: house\n", ""),
        ("Of the catalog: house\n", ""),
    ],
)
def test_the_catalog_of_a_tree(text: str, owner: str) -> None:
    assert owner_in(text) == owner


@pytest.mark.parametrize("owner", ["", "house"])
def test_the_list_names_its_catalog_and_every_path_in_order(owner: str) -> None:
    tree = with_ownership({"base/b": "1", "base/a": "2"}, owner)
    (path,) = tree.keys() - {"base/a", "base/b"}
    header, *lines = tree[path].splitlines()
    assert header == "# Files that virtcatalog wrote in this folder; it replaces and removes these and no others."
    assert lines == [*([f"# Of the catalog: {owner}"] if owner else []), "base/a", "base/b"]
    assert owner_in(tree[path]) == owner
