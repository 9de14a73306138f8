"""docs/gitops.md says of each state what states.yaml says, which `make sync-judge` holds against the tools."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

HERE = Path(__file__).parent
STATES = [
    state for state in YAML(typ="safe").load((HERE / "states.yaml").read_text(encoding="utf-8")) if "row" in state
]
FLUX = {"Current": "ready", "InProgress": ("waits", "not ready", "never ready")}
"""How a cell begins where kstatus says this."""


def rows() -> dict[str, tuple[str, str, str]]:
    text = (HERE.parents[1] / "docs/gitops.md").read_text(encoding="utf-8")
    table = text.partition("## What the tools show for a VM\n\n")[2].partition("\n\n")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {row: (argocd, checked, flux) for row, argocd, checked, flux in lines}


def test_every_row_but_that_of_a_refused_vm_is_held_against_the_tools():
    assert {state["row"] for state in STATES} == set(rows()) - {"is refused by a webhook"}


@pytest.mark.parametrize("state", STATES, ids=lambda state: state["row"])
def test_a_row_says_what_the_tools_say(state):
    argocd, checked, flux = (cell.replace("*", "") for cell in rows()[state["row"]])
    assert (state["argocd"] or "none") in argocd.partition(":")[0].split(" or ")
    assert checked.startswith(state["checked"])
    assert flux.startswith(FLUX[state["flux"]])
