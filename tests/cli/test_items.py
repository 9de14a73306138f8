"""Items of a catalog as `list`, `show` and `compare` find and print them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from checkouts import write
from virtcatalog.cli.items import as_csv, catalog_items, fact_text, items_by_name, print_records
from virtcatalog.errors import VirtcatalogError

FILES = {
    "catalog/catalog.yaml": "name: c\nkubevirt: v1.9.0\n",
    "catalog/overlays.yaml": "lab: {}\nshop: {select: {names: [m.small]}}\n",
    "catalog/instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 1Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 2}}\n",
    "none.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("fact", "key", "text"),
    [
        (None, "x", ""),
        (False, "x", ""),
        (True, "x", "yes"),
        (0, "x", "0"),
        ("a", "memory", "a"),
        (2**30, "memory", "1 GiB"),
        (2**30, "vcpus", "1073741824"),
    ],
)
def test_a_fact_as_people_read_it(fact: Any, key: str, text: str) -> None:
    assert fact_text(fact, key) == text


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([], "name\n"),
        ([{"name": "a", "x": 1}, {"name": "b,c", "x": None}], 'name,x\na,1\n"b,c",\n'),
        (
            [{"a": "=1", "b": "+1", "c": "-1", "d": "@x", "e": "\t", "f": -1, "g": "a="}],
            "a,b,c,d,e,f,g\n'=1,'+1,'-1,'@x,'\t,-1,a=\n",
        ),
    ],
)
def test_in_csv_nothing_is_a_formula(rows: list[dict[str, Any]], text: str) -> None:
    assert as_csv(rows) == text


def test_nor_is_what_follows_the_end_of_a_line() -> None:
    assert "'\r1" in as_csv([{"a": "\r1"}])


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("json", '[\n  {\n    "name": "a",\n    "x": null\n  }\n]\n'),
        ("yaml", "- name: a\n"),
        ("csv", "name,x\na,\n"),
    ],
)
def test_records_for_machines(form: str, text: str) -> None:
    command = click.command()(lambda: print_records([{"name": "a", "x": None}], form))
    assert CliRunner().invoke(command).stdout == text


def of(names: list[str], catalog: str | None = None) -> list[str]:
    return [item.name for item in items_by_name(catalog_items(None, ()), names, catalog)]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["m.large", "m.small"], ["m.large", "m.small"]),
        (["m.*"], ["m.small", "m.large"]),
        (["m.large", "m.*", "lab"], ["m.large", "m.small", "lab"]),
        ([], []),
    ],
)
def test_items_are_found_by_names_and_globs_each_once(names: list[str], expected: list[str]) -> None:
    assert of(names) == expected


@pytest.mark.parametrize(
    ("names", "catalog", "message"),
    [
        (["m.smal"], None, "catalog: there is no 'm.smal'; did you mean 'm.small'?"),
        (["m.small", "x*"], "other", "other: there is no 'x*'"),
    ],
)
def test_a_name_that_is_none(names: list[str], catalog: str | None, message: str) -> None:
    with pytest.raises(VirtcatalogError) as caught:
        of(names, catalog)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gone", "gone: there is no such file or folder"),
        ("none.yaml", "none.yaml: offers no instance type and no preference"),
    ],
)
def test_where_nothing_is_offered(path: str, message: str) -> None:
    with pytest.raises(VirtcatalogError) as caught:
        catalog_items(path, ())
    assert str(caught.value) == message


def test_items_of_an_environment_are_those_that_it_has() -> None:
    def names(*environments: str) -> list[str]:
        return [item.name for item in catalog_items("catalog", environments)]

    assert names() == ["m.small", "m.large", "lab", "shop"]
    assert names("shop") == ["m.small", "shop"]
    assert names("lab") == ["m.small", "m.large", "lab"]
    assert names("shop", "lab") == names("lab", "shop") == ["m.small", "m.large", "lab", "shop"]
