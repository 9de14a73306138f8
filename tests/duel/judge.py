"""A drawn case, asked of both: which stages differ, and how."""

from __future__ import annotations

from typing import Any

from conformance import rollouts, views
from conformance.agree import EXPANDED, STAGES, WEBHOOK, check
from conformance.take import comparable
from duel.ours import case_of, pair_of
from duel.pipe import Asked

Question = dict[str, Any]
#: What virtcatalog does not model, it says so: no difference.
_UNSUPPORTED = "raised virtcatalog.errors.UnsupportedError"
_ADMITTED = {"allowed": True, "refusedBy": None, "fields": []}
Differences = dict[str, list[str]]


def answered(question: Question, expected: dict[str, Any], stages: tuple[str, ...]) -> Differences:
    """The stages that the oracle answers, of those asked for, and what differs in each: nothing where both agree."""
    if "new" in question:
        outcome = expected.get(rollouts.STAGE)
        if not outcome:
            return {}
        lines = rollouts.check(pair_of(question, rollouts.view(outcome)))
        return {"unsupported": []} if lines and lines[0].startswith(_UNSUPPORTED) else {rollouts.STAGE: lines}
    held = comparable({**question, "expected": {"objects": {}, "admission": _ADMITTED, **expected}})
    if "admission" not in expected:
        del held["admission"]
    held |= {stage: expected[stage] for stage in (WEBHOOK, EXPANDED) if stage in expected}
    differences = check(case_of(question, {stage: held[stage] for stage in held if _of(stage) in stages}))
    if any(lines and lines[0].startswith(_UNSUPPORTED) for lines in differences.values()):
        return {"unsupported": []}
    if any(differences.get("admission", ())):  # what follows differs since this does
        return {stage: differences[stage] if stage in ("objects", "admission") else [] for stage in differences}
    return differences


def _of(stage: str) -> str:
    return "pod" if stage == "podError" else stage


def differing(question: Question, oracle: Asked, stages: tuple[str, ...]) -> Differences:
    """The stages in which the oracle and virtcatalog differ."""
    return {
        stage: lines
        for stage, lines in answered(question, oracle.ask({**question, "stages": list(stages)}), stages).items()
        if lines
    }


ALL_STAGES = (*STAGES, WEBHOOK, EXPANDED, rollouts.STAGE)

__all__ = ["ALL_STAGES", "Differences", "Question", "answered", "differing", "views"]
