"""Renovate's preset: its patterns take the lines of our own pages, and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRESET = json.loads((ROOT / "ci-templates/renovate.json").read_text())
MANAGERS = PRESET["customManagers"]
DIGEST = "sha256:" + "0a" * 32


def dependencies(file: str, text: str) -> list[dict[str, str]]:
    """What Renovate's managers find in a file, as the fields that it goes by."""
    fields = []
    for manager in MANAGERS:
        if not any(re.search(pattern.strip("/"), file) for pattern in manager["managerFilePatterns"]):
            continue
        for pattern in manager["matchStrings"]:
            for match in re.finditer(pattern.replace("(?<", "(?P<"), text):
                own = {key.removesuffix("Template"): manager[key] for key in manager if key.endswith("Template")}
                fields.append({**own, **match.groupdict()})
    return fields


@pytest.mark.parametrize("manager", MANAGERS, ids=lambda manager: manager["description"])
def test_patterns_are_such_as_renovate_takes(manager):
    assert manager["customType"] == "regex"
    assert set(manager) <= {
        *("customType", "description", "managerFilePatterns", "matchStrings"),
        *("datasourceTemplate", "depNameTemplate"),
    }
    for pattern in manager["matchStrings"]:
        # RE2 has no look-around and no back references.
        assert not re.search(r"\(\?<?[=!]|\\[1-9]|\(\?P?=", pattern)
        groups = set(re.compile(pattern.replace("(?<", "(?P<")).groupindex)
        assert "currentValue" in groups
        assert "depName" in groups or "depNameTemplate" in manager
    for pattern in manager["managerFilePatterns"]:
        assert re.fullmatch("/.+/", pattern)


@pytest.mark.parametrize("quote", ["", '"', "'"])
@pytest.mark.parametrize("host", ["registry.example.com", "localhost:5000"])
def test_an_extended_artifact(quote, host):
    text = f"name: acme\nextends: {quote}oci://{host}/platform/catalog:v1.2.0@{DIGEST}{quote}\n"
    assert dependencies("catalog/catalog.yaml", text) == [
        {
            "datasource": "docker",
            "depName": f"{host}/platform/catalog",
            "currentValue": "v1.2.0",
            "currentDigest": DIGEST,
        }
    ]


@pytest.mark.parametrize(
    "line", [f"extends: oci://h.example.com/a@{DIGEST}", "extends: ../base", f"# extends: oci://h/a:v1@{DIGEST}"]
)
def test_what_has_no_tag_or_is_no_artifact_stays(line):
    assert dependencies("catalog/catalog.yaml", f"name: acme\n{line}\n") == []


def test_common_instancetypes_on_the_page_of_the_language():
    page = (ROOT / "docs/catalog.md").read_text()
    line = next(match[0] for match in re.finditer(r"extends: common-instancetypes@v[\d.]+", page))
    value = line.rpartition("@")[2]
    for file, text in (
        ("catalog.yaml", line),
        (".github/workflows/catalog.yaml", f"      - run: virtcatalog diff common-instancetypes@{value} catalog\n"),
    ):
        assert dependencies(file, text) == [
            {"datasource": "github-releases", "depName": "kubevirt/common-instancetypes", "currentValue": value}
        ]
    assert dependencies("catalog.yaml", "extends: common-instancetypes\n") == []
    assert dependencies("catalog.yaml", "extends: common-instancetypes@main\n") == []


def test_the_package_of_the_gitlab_template():
    page = (ROOT / "docs/ci-gitlab.md").read_text()
    assert dependencies(".gitlab-ci.yml", page) == [
        {
            "datasource": "git-tags",
            "packageName": "https://gitlab.example.com/OWNER/virtcatalog",
            "depName": "virtcatalog",
            "currentValue": "v1.0.0",
        }
    ]


@pytest.mark.parametrize(
    "name", ["OWNER/virtcatalog", "platform/virtcatalog", "https://gitlab.example.com/platform/virtcatalog"]
)
def test_the_action_the_template_and_the_package_come_together(name):
    [group] = [
        rule["groupName"]
        for rule in PRESET["packageRules"]
        for pattern in rule["matchPackageNames"]
        if pattern.startswith("/") and re.search(pattern.strip("/"), name)
    ]
    assert group == "virtcatalog"


def test_the_action_is_named_as_renovates_own_manager_finds_it():
    page = (ROOT / "docs/ci-github.md").read_text()
    assert re.search(r"- uses: OWNER/virtcatalog/action@v\d+\.\d+\.\d+\n", page)
