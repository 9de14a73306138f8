"""virtcatalog.toml leaves nothing out of a check or a comparison without a word, and CI looks at everything."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import otheryaml
from checkouts import write
from virtcatalog.cli import main

ROOT = Path(__file__).parents[2]
FILES = {
    "catalog.yaml": "name: house\nkubevirt: v1.7.0\n",
    "overlays.yaml": "lab: {}\nproduction: {patches: [{spec: {memory: {guest: 8Gi}}}]}\n",
    "instancetypes/m.yaml": "{class: m, sizes: {small: {vcpus: 1, memory: 2Gi}}}\n",
    "vms/web.yaml": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Always, instancetype: {name: m.small}, template: {spec: {domain: {devices: {}}}}}
""",
}
SETTINGS = """\
environments = ["lab"]
kubevirt = "v1.8"

[check]
fail-on = "error"

[diff]
fail-on = "refused"
comment-on = "refused"
"""
LEFT_OUT = "virtcatalog.toml:1:1: environments: leaves out production"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalog, one that is broken in production alone, and one whose type is larger."""
    refused = "production: {patches: [{spec: {memory: {hugepages: {pageSize: 3Mi}}}}]}\n"
    for top, overlays in (("catalog", FILES["overlays.yaml"]), ("broken", f"lab: {{}}\n{refused}")):
        write(tmp_path / top, FILES | {"overlays.yaml": overlays})
    write(tmp_path / "larger", FILES | {"instancetypes/m.yaml": FILES["instancetypes/m.yaml"].replace("2Gi", "4Gi")})
    (tmp_path / "virtcatalog.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == status, result.output
    return result.stdout


@pytest.mark.parametrize("form", ["text", "json", "github", "junit", "sarif"])
def test_every_report_of_check_names_what_is_left_out_and_by_what(form: str) -> None:
    output = run("check", "-o", form)
    for part in ("virtcatalog.toml", "leaves out production", "no exit status 1", "v1.8 counts in this report"):
        assert part in output
    if form == "text":
        assert LEFT_OUT in output
        assert "virtcatalog.toml:5:1: check.fail-on: what is less grave than 'error' has no exit status 1" in output
    if form == "json":
        places = {(row["field"], row["line"]) for row in json.loads(output)}
        assert places == {("environments", 1), ("kubevirt", 2), ("check.fail-on", 5)}


@pytest.mark.parametrize("form", ["text", "markdown", "json", "html", "sarif", "github"])
@pytest.mark.parametrize("head", ["catalog", "broken"])
def test_every_report_of_diff_does_too(form: str, head: str) -> None:
    """Also the short one, of which `comment-on` leaves the rest out."""
    output = run("diff", "catalog", head, "-o", form, "-e", "lab")
    assert "leaves out" not in output
    output = run("diff", "catalog", head, "-o", form)
    for part in ("virtcatalog.toml", "leaves out production", "has no exit status 1", "is left out, but for this"):
        assert part in output.replace("\\", "").replace("&#45;", "-")
    if form == "json":
        assert [default["line"] for default in json.loads(output)["defaults"]] == [1, 2, 8, 9]


def test_what_an_option_says_is_no_default() -> None:
    output = run("check", "-e", "*", "--fail-on", "note", "--kubevirt", "v1.9.0")
    assert "virtcatalog.toml" not in output


def test_the_catalog_that_it_chooses_is_named() -> None:
    Path("virtcatalog.toml").write_text("catalog = 'broken'\n")
    assert "virtcatalog.toml:1:1: catalog: broken counts in this report" in run("check", status=1)
    for arguments in (["catalog"], ["-c", "catalog"]):
        assert run("check", *arguments) == ""


def test_all_environments_are_looked_at_where_that_is_asked_for() -> None:
    run("check", "broken")
    assert "production" in run("check", "broken", "-e", "*", status=1)


def test_a_default_is_named_beside_nothing_else_and_does_not_fail() -> None:
    """Not even where notes do."""
    assert run("check", "--fail-on", "note").count("[note: repository-default]") == 2


def test_the_repositorys_comment_on_leaves_a_report_that_says_so() -> None:
    """CI takes an empty report for a comparison that was not made."""
    text, markdown = (run("diff", "catalog", "larger", "-o", form) for form in ("text", "markdown"))
    *places, counts = (line.partition(": ") for line in text.splitlines())
    assert [place for place, *_ in places] == [f"virtcatalog.toml:{line}:1" for line in (1, 2, 8, 9)]
    assert "".join(counts) == "1 VM template: 1 changes; objects: 1 changed; only lab is looked at"
    assert markdown.startswith("<!-- virtcatalog diff -->\n### virtcatalog: `catalog` → `larger`\n\n- virtcatalog.toml")
    assert markdown.endswith(
        "is left out, but for this\n\n1 VM template: 1 changes; objects: 1 changed; only lab is looked at\n"
    )
    assert run("diff", "catalog", "larger", "-o", "markdown", "--comment-on", "refused") == ""


@pytest.mark.parametrize(
    ("form", "row"), [("text", "! refused  lab: 1 VM template web"), ("markdown", "| `!` refused |")]
)
def test_a_report_of_what_is_as_grave_as_comment_on_is_whole(form: str, row: str) -> None:
    write(Path("refused"), FILES | {"vms/web.yaml": FILES["vms/web.yaml"].replace("m.small", "m.smal")})
    assert row in run("diff", "catalog", "refused", "-o", form, status=1)


def test_ci_looks_at_everything_whatever_the_checkout_says() -> None:
    action = (ROOT / "action/action.yml").read_text()
    template = (ROOT / "ci-templates/gitlab/virtcatalog.gitlab-ci.yml").read_text()
    assert otheryaml.load(action)
    assert otheryaml.load(template)
    for text in (action, template):
        calls = re.findall(r"virtcatalog (?:check \"|diff --base )(?:[^\n]*\\\n)*[^\n]*(?:\n +--output[^\n]*)?", text)
        assert len(calls) == 3
        for call in calls:
            assert "--environment '*' --fail-on" in call or re.search(r'"\$\{(all|of)\[@\]\}"|"\$@"', call)
    assert "all=(--environment '*' --fail-on \"$FAIL_ON\")" in action
    assert "of=(--catalog \"$CATALOG\" --environment '*')" in action
    assert "set -- --catalog \"$VIRTCATALOG_CATALOG\" --environment '*'" in template
