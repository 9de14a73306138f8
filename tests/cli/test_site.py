"""`virtcatalog site`: what it writes, and when it says that a site is stale."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from checkouts import git
from sampling import thorough
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
    assert re.fullmatch(r"site: (\d+) files, \1 new; open site/index\.html\n", first.stderr)
    assert re.fullmatch(r"site: \d+ files, nothing changed; open site/index\.html\n", second.stderr)
    assert run("--check").stderr == "site is fresh\n"


def test_a_page_goes_with_its_type_and_a_readers_file_stays():
    run()
    Path("site/mine.txt").write_text("mine")
    Path("catalog/instancetypes/m.yaml").write_text("class: m\nmemoryPerVcpu: 4Gi\nsizes: {large: {vcpus: 2}}\n")
    stale = run("--check")
    assert stale.exit_code == 1
    assert re.fullmatch(r"site is stale: [1-9] new, [1-9] changed, [1-9] removed\n", stale.stderr)
    assert run().exit_code == 0
    assert sorted(path.name for path in Path("site/types").iterdir()) == ["m.large.html"]
    assert Path("site/mine.txt").read_text() == "mine"


@thorough
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


VM = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web-1, namespace: shop}\n"


def test_a_fleet_is_counted():
    Path("vms.yaml").write_text(VM + "spec: {instancetype: {name: m.small}, template: {spec: {domain: {}}}}\n")
    assert run("-f", "vms.yaml").exit_code == 0
    assert "web-1" in Path("site/types/m.small.html").read_text()
    assert run("-f", "vms.yaml", "--count-only").exit_code == 0
    page = Path("site/types/m.small.html").read_text()
    assert "1 of the 1 VMs" in page
    assert "web-1" not in page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "vms.yaml:2:1: is not YAML: the text ends where a value is wanted"),
        ("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n", "no VirtualMachine in vms.yaml"),
    ],
)
def test_a_fleet_that_cannot_be_read_is_an_error(text, message):
    Path("vms.yaml").write_text(text)
    result = run("-f", "vms.yaml")
    assert result.exit_code == 2
    assert f"{message}\n" in result.stderr


def test_a_place_that_there_is_not_is_an_error():
    Path("vms.yaml").write_text(VM)
    assert "there is no environment or cluster 'prod'" in run("-f", "prod=vms.yaml").stderr


def test_prices_of_a_file_are_on_the_pages():
    Path("prices.yaml").write_text("currency: EUR\nperHour: {cpu: 1, memory: 0}\n")
    assert run("--prices", "prices.yaml").exit_code == 0
    assert "1.0000 EUR" in Path("site/types/m.small.html").read_text()


def test_without_git_no_revision_can_be_told():
    assert "there is no git repository around the catalog" in run("--revision", "main").stderr
    assert "--no-git leaves it alone" in run("--revision", "main", "--no-git").stderr


@thorough
def test_a_site_beside_its_catalog_stays_fresh_once_it_is_committed(monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    assert CliRunner().invoke(main, ["release", "v1.0.0"]).exit_code == 0
    assert run("--no-git").exit_code == 0
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "All"]):
        git(".", *arguments)
    assert run("--no-git", "--check").stderr == "site is fresh\n"
    assert run("--check").exit_code == 1  # git has told something by now
    assert run().exit_code == 0
    page = Path("site/types/m.small.html").read_text()
    assert "appeared" in page
    assert "As it is since v1.0.0." in page
    assert run("--revision", "HEAD", "--revision", "HEAD").exit_code == 0
    assert "No changes since HEAD." in Path("site/changes.html").read_text()


def test_a_catalog_that_is_broken_has_no_site():
    Path("catalog/catalog.yaml").write_text("name: 1\n")
    result = run()
    assert result.exit_code == 2
    assert result.stderr.startswith("catalog/catalog.yaml:1:")
    assert not Path("site").exists()


def test_domains_are_left_out_on_request_and_made_by_several_processes():
    run("--no-domains")
    assert not Path("site/domains").exists()
    assert run("--domains", "--jobs", "2").exit_code == 0
    assert [path.name for path in Path("site/domains").iterdir()] == ["m.small.js"]
