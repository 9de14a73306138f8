"""Whole commands over small repositories of all shapes."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from repository_cases import Case, cases, committed, lines, report

from virtcatalog.api.kinds import holds_vm
from virtcatalog.manifests.git import Repository
from virtcatalog.repositories.find import find

CASES = cases()


class Committed(NamedTuple):
    """One of the repositories, and what `diff` says of its commit."""

    case: Case
    folder: Path
    plan: dict[str, Any]
    status: int


@pytest.fixture(scope="module", params=CASES, ids=[case.name for case in CASES])
def committed_case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Committed:
    """A repository, made once for all tests, which only read it."""
    if request.param.name.startswith("helm:"):
        request.getfixturevalue("_helm")
    folder = tmp_path_factory.mktemp("case")
    committed(request.param, folder)
    with contextlib.chdir(folder):
        return Committed(request.param, folder, *report("HEAD^", "HEAD"))


@pytest.fixture(autouse=True)
def _there(committed_case: Committed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(committed_case.folder)


def test_a_commit_gets_its_plan(committed_case: Committed) -> None:
    case, plan = committed_case.case, committed_case.plan
    assert lines(plan) == case.verdicts
    parts = [plan[key] for key in ("notRendered", "notCompared", "problems", "remarks", "deprecated")]
    sentences = json.dumps([*parts, [verdict["sync"] for verdict in plan["vms"]]], ensure_ascii=False)
    assert [words for words in case.says if words not in sentences] == []
    assert committed_case.status == case.status


def test_the_working_tree_gets_the_same_plan(committed_case: Committed) -> None:
    plan, status = report("HEAD^")
    assert lines(plan) == committed_case.case.verdicts
    assert status == committed_case.case.status


def test_no_change_of_a_rendered_vm_is_silent(committed_case: Committed) -> None:
    before, after = (rendered(revision) for revision in ("HEAD^", "HEAD"))
    if before != after:
        assert committed_case.status != 0
        plan = committed_case.plan
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
