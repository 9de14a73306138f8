"""No commit that changes a VM as it is rendered is silent: random edits of small repositories of all shapes."""

from __future__ import annotations

import json
import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from repository_cases import Case, cases

from sampling import ALL
from virtcatalog.api.kinds import holds_vm
from virtcatalog.fleet.inputs import located
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.folder import held
from virtcatalog.repositories.find import find
from virtcatalog.review.compare import review
from virtcatalog.review.read import read_side

CASES = cases()
NUMBER = re.compile(r"(?<![\w.])[1-9]\d{0,2}(?=\D|$)")
WORD = re.compile(r"(?<=[/ :\"-])[a-z]{2,}(?=[/\s\",.}-])")

#: What no machine that runs feels, or not all of it.
FIELDS = (
    "runStrategy: RerunOnFailure",
    "running: true",
    "runStrategy: Always\n  dataVolumeTemplates: [{metadata: {name: d}, spec: {source: {blank: {}}, storage: {}}}]",
)

Files = dict[str, str]


def rendered(files: Files) -> Counter[str]:
    """The VMs that a repository deploys, by what a cluster finds them by, in whatever environment."""
    repository = find(held({path: text.encode() for path, text in files.items()}), "")
    return Counter(
        json.dumps([located(resource.data), resource.data.get("spec")], sort_keys=True)
        for environment in repository.environments
        for resource in environment.resources
        if holds_vm(resource.data)
    )


@st.composite
def edits(draw: st.DrawFn) -> tuple[Case, Files]:
    """A repository, and its files with a number or a word changed, a line or a file gone, or a file moved."""
    case = draw(st.sampled_from(CASES))
    files = dict(case.before)
    path = draw(st.sampled_from(sorted(files)))
    text = files[path]
    kind = draw(st.sampled_from(("number", "number", "number", "word", "line", "field", "gone", "moved")))
    if kind in ("number", "word"):
        places = list((NUMBER if kind == "number" else WORD).finditer(text))
        if places:
            place = draw(st.sampled_from(places))
            new = str(int(place[0]) + 1) if kind == "number" else f"{place[0]}x"
            files[path] = text[: place.start()] + new + text[place.end() :]
    elif kind == "field":
        files[path] = text.replace("runStrategy: Always", draw(st.sampled_from(FIELDS)))
    elif kind == "line":
        lines = text.splitlines(keepends=True)
        number = draw(st.integers(0, len(lines) - 1)) if lines else 0
        files[path] = "".join([*lines[:number], *lines[number + 1 :]])
    else:
        del files[path]
        if kind == "moved":
            files[draw(st.sampled_from(("moved", "apps/moved", "vms/moved"))) + f"/{path.rpartition('/')[2]}"] = text
    return case, files


@settings(max_examples=600 if ALL else 40, deadline=None)
@given(edits())
def test_what_is_rendered_otherwise_is_told(edit: tuple[Case, Files]) -> None:
    case, files = edit
    if rendered(case.before) == rendered(files):
        return
    sides = (
        read_side(held({path: text.encode() for path, text in both.items()}), label)
        for both, label in ((case.before, "base"), (files, "head"))
    )
    report = review(*sides, (Conditions(), Conditions()))
    assert report.status != 0
    assert report.fleet.verdicts or report.fleet.unknown or report.problems or report.quiet
