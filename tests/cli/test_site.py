"""`virtcatalog site`: what it writes, and when it says that a site is stale."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from virtcatalog.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("catalog/instancetypes").mkdir(parents=True)
    Path("catalog/catalog.yaml").write_text("name: house\nkubevirt: v1.9.0\n")
    Path("catalog/instancetypes/m.yaml").write_text("class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}}\n")


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["site", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_a_site_is_written_once_and_is_fresh_then():
    first, second = run(), run()
    assert (first.exit_code, first.stdout) == (0, "")
    assert first.stderr == "site: 15 files, 16 changed; open site/index.html\n"
    assert second.stderr == "site: 15 files, 0 changed; open site/index.html\n"
    assert run("--check").stderr == "site is fresh\n"


def test_a_page_goes_with_its_type_and_a_readers_file_stays():
    run()
    Path("site/mine.txt").write_text("mine")
    Path("catalog/instancetypes/m.yaml").write_text("class: m\nmemoryPerVcpu: 4Gi\nsizes: {large: {vcpus: 2}}\n")
    stale = run("--check")
    assert (stale.exit_code, stale.stderr) == (1, "site is stale: 8 files\n")
    assert run().exit_code == 0
    assert sorted(each.name for each in Path("site/types").iterdir()) == ["m.large.html"]
    assert Path("site/mine.txt").read_text() == "mine"


def test_it_is_written_into_no_folder_of_another_catalog():
    run()
    Path("catalog/catalog.yaml").write_text("name: other\nkubevirt: v1.9.0\n")
    result = run()
    assert result.exit_code == 2
    assert "house" in result.stderr
    assert run("--force").exit_code == 0


def test_the_output_tree_stays_where_the_repository_says_that_it_is():
    Path("virtcatalog.toml").write_text('output-dir = "rendered"\n')
    assert CliRunner().invoke(main, ["build"]).exit_code == 0
    assert run().stderr.endswith("open site/index.html\n")
    refused = run("--output-dir", "rendered")
    assert refused.exit_code == 2
    assert "rendered: is the output tree of the catalog 'house', not of 'house (web site)'" in refused.stderr
    assert Path("rendered/kustomization.yaml").exists()


def test_a_catalog_that_is_broken_has_no_site():
    Path("catalog/catalog.yaml").write_text("name: 1\n")
    result = run()
    assert result.exit_code == 2
    assert result.stderr.startswith("catalog/catalog.yaml:1:")
    assert not Path("site").exists()
