"""virtcatalog as an oracle: `env PYTHONPATH=OTHER/generator python -m duel.ours` answers for another checkout."""

from __future__ import annotations

import json
import sys
import traceback
from typing import Any

from conformance import rollouts
from conformance.agree import EXPANDED, WEBHOOK, answers, expanded
from conformance.cases import Case
from virtcatalog import UnsupportedError

#: Stages that every VM reaches.
_ALWAYS = ("objects", WEBHOOK, "admission", EXPANDED)


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """What this virtcatalog makes of a case, of the stages that it reaches; of a change, `rollout`."""
    if "new" in question:
        return {"rollout": rollouts.answer(pair_of(question))}
    case = case_of(question)
    by_stage = answers(case)
    if EXPANDED in question.get("stages", ()) and by_stage[WEBHOOK]["allowed"]:
        by_stage[EXPANDED] = expanded(case)
    if not by_stage["podError"]:
        del by_stage["podError"]
    if by_stage["vmi"]:
        metadata = {key: by_stage["vmi"].pop(key) for key in ("labels", "annotations")}
        by_stage["vmi"] = {"metadata": metadata, **by_stage["vmi"]}
    reached = {stage: part for stage, part in by_stage.items() if part is not None}
    return {stage: part for stage, part in reached.items() if stage in _ALWAYS or reached.get("vmi")}


def case_of(question: dict[str, Any], expected: dict[str, Any] | None = None) -> Case:
    """The case of a line of the protocol."""
    keys = ("release", "name", "vm", "objects", "arch", "config", "featureGates", "useCatalog")
    return Case(group="duel", expected=expected or {}, **{key: question[key] for key in keys})


def pair_of(question: dict[str, Any], expected: dict[str, Any] | None = None) -> rollouts.Pair:
    """The change of a running VM of a line of the protocol."""
    sides = {key: question[key] for key in ("release", "name", "update", "old", "new")}
    return rollouts.Pair(group="duel", expected=expected or {}, **sides)


def main() -> None:
    """Answer a line for each line."""
    for line in sys.stdin:
        try:
            reply: dict[str, Any] = {"expected": answer(json.loads(line))}
        except UnsupportedError as error:
            reply = {"expected": {"unsupported": str(error)}}
        except Exception:
            reply = {"error": traceback.format_exc()}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
