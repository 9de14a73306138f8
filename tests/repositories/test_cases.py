"""Whole commands over small repositories of all shapes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from repository_cases import Case, cases, committed, lines, report

from virtcatalog.api.kinds import holds_vm
from virtcatalog.manifests.git import Repository
from virtcatalog.repositories.find import find

CASES = cases()


@pytest.fixture(params=CASES, ids=[case.name for case in CASES])
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """One of the repositories, which is the working directory."""
    if request.param.name.startswith("helm:"):
        request.getfixturevalue("_helm")
    monkeypatch.chdir(tmp_path)
    committed(request.param, tmp_path)
    chosen: Case = request.param
    return chosen


def test_a_commit_gets_its_plan(case: Case) -> None:
    plan, status = report("HEAD^", "HEAD")
    assert lines(plan) == case.verdicts
    parts = [plan[key] for key in ("notRendered", "notCompared", "problems", "remarks", "deprecated")]
    said = json.dumps([*parts, [verdict["sync"] for verdict in plan["vms"]]], ensure_ascii=False)
    assert [words for words in case.says if words not in said] == []
    assert status == case.status


def test_the_working_tree_gets_the_same_plan(case: Case) -> None:
    plan, status = report("HEAD^")
    assert lines(plan) == case.verdicts
    assert status == case.status


def test_no_change_of_a_rendered_vm_is_silent(case: Case) -> None:
    before, after = (rendered(revision) for revision in ("HEAD^", "HEAD"))
    plan, status = report("HEAD^", "HEAD")
    if before != after:
        assert status != 0
        assert plan["summary"]["touched"] or plan["notCompared"]["vms"] or plan["problems"] or plan["remarks"]


def rendered(revision: str) -> Counter[str]:
    """The specs of the VMs that a revision deploys, with their names, in whatever environment."""
    repository = Repository(Path())
    folder = repository.folder(repository.commit(revision), ".")
    assert folder is not None
    return Counter(
        json.dumps([resource.data["metadata"]["name"], namespace(resource.data), resource.data["spec"]], sort_keys=True)
        for environment in find(folder, "").environments
        for resource in environment.resources
        if holds_vm(resource.data)
    )


def namespace(data: dict[str, Any]) -> str:
    """The namespace that an object is in."""
    return str(data["metadata"].get("namespace") or "default")
