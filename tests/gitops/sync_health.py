"""What Argo CD and Flux take KubeVirt's objects for in each state, by the tools' own code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from sync_commands import judged

from virtcatalog.api.kinds import API_VERSIONS
from virtcatalog.gitops.deploying import health_expressions
from virtcatalog.gitops.health import config_map

STATES = Path(__file__).parent / "states.yaml"
Data = dict[str, Any]


def misjudged(program: str, folder: str) -> Iterator[str]:
    """Say where the tools take an object for something else than states.yaml says."""
    states: list[Data] = YAML(typ="safe").load(STATES.read_text(encoding="utf-8"))
    objects = [manifest(state) for state in states]
    settings = Path(folder, "argocd-cm.json")
    settings.write_text(json.dumps(config_map("argocd")))
    answers = {
        "argocd": judged(program, objects, "health", "-"),
        "checked": judged(program, objects, "health", str(settings)),
        "flux": judged(program, objects, "readiness"),
    }
    for number, state in enumerate(states):
        for judge, answered in answers.items():
            if answered[number]["status"] != state[judge]:
                yield f"{judge}: {_named(state)}: {answered[number]}, and not {state[judge]}"
        if "says" in state and answers["checked"][number]["message"] != state["says"]:
            yield f"checked: {_named(state)}: {answers['checked'][number]}, and not {state['says']}"
    watched = [state for state in states if "expressions" in state]
    questions = [health_expressions(state["kind"]) | {"object": manifest(state)} for state in watched]
    for state, answer in zip(watched, judged(program, questions, "expressions"), strict=True):
        if answer["status"] != state["expressions"]:
            yield f"expressions: {_named(state)}: {answer}, and not {state['expressions']}"


def manifest(state: Data) -> Data:
    """Return an object in a state, of which Git has changed the spec twice."""
    kind = state["kind"]
    parts = {part: state[part] for part in ("spec", "status") if part in state}
    return {"apiVersion": API_VERSIONS[kind], "kind": kind, "metadata": {"name": "a", "generation": 3}, **parts}


def _named(state: Data) -> str:
    return f"{state['kind']} {state.get('spec')} {state.get('status')}"
