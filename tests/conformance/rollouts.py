"""Running VMs that change: what KubeVirt did with them, and how virtcatalog's answer is held against it.

`rollouts.jsonl.xz` holds a pair a line, as JSON: `name` and `group`; `update`, apply or replace; `old` with the keys of
a case that are its cluster's, and `vm`; `new`, in which what is absent is as in `old`; `releases`, those whose own
controllers did the same, and `expected`, a `view` of what that was: names repeat. It is made by `take.py`.
"""

from __future__ import annotations

import json
import lzma
import re
import traceback
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import virtcatalog
from conformance import views
from conformance.cases import Case, Manifest
from conformance.pods import amount

STAGE = "rollout"
FILE = Path(__file__).with_name("rollouts.jsonl.xz")

_AMOUNTS = re.compile(r"/(requests|limits)/|/(guest|maxGuest|capacity|addedOverhead)$")
_FIRMWARE = "/spec/domain/firmware"
_DRAWN = ("uuid", "serial")
_EVERY = 60


@dataclass(frozen=True)
class Pair:
    """A VM that runs in one cluster, and what is applied in the next."""

    release: str
    name: str
    group: str
    update: str
    old: dict[str, Any]
    new: dict[str, Any]
    expected: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.release} {STAGE} {self.name}"


@cache
def pairs() -> tuple[Pair, ...]:
    """Every pair of every release, in the order of the file."""
    with lzma.open(FILE, "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    return tuple(Pair(release=release, **pair) for pair in read for release in pair.pop("releases"))


def spread() -> tuple[Pair, ...]:
    """Some of them, of every release and group."""
    kinds = {(pair.release, pair.group): pair for pair in pairs()}
    chosen = {*map(id, kinds.values()), *map(id, pairs()[::_EVERY])}
    return tuple(pair for pair in pairs() if id(pair) in chosen)


def check(pair: Pair) -> list[str]:
    """What differs, a line each."""
    try:
        here = view(answer(pair))
    except Exception:
        return [f"raised {traceback.format_exc().strip().splitlines()[-1]}"]
    return list(views.differences(pair.expected, here))


def answer(pair: Pair) -> dict[str, Any]:
    """What virtcatalog says of a pair."""
    return rollout(pair).to_dict()


def rollout(pair: Pair) -> virtcatalog.Rollout:
    """Return what virtcatalog makes of a pair."""
    old, new = case(pair, {}), case(pair, pair.new)
    return virtcatalog.rollout(deepcopy(old.vm), deepcopy(new.vm), old.cluster(), new.cluster(), update=pair.update)


def case(pair: Pair, new: dict[str, Any]) -> Case:
    """Return the VM and cluster of a pair: its old ones, and what is new of them."""
    return Case(release=pair.release, name=pair.name, group=pair.group, expected={}, **{**pair.old, **new})


def view(answer: dict[str, Any]) -> dict[str, Any]:
    """What of an answer is compared: no wording, no names of revisions, no order among changes."""
    admission = answer["updateAdmission"]
    seen: dict[str, Any] = {"admission": {"allowed": admission["allowed"], "fields": sorted(admission["fields"])}}
    if not admission["allowed"]:
        return seen
    seen |= {
        "stopped": answer["stopped"],
        "restart": answer["restartReason"] if answer["restartRequired"] else None,
        "error": bool(answer["syncError"]),
        "vm": _operations(answer["vmChanges"]),
        "revisions": [_renewed(answer.get(f"{kind}Revision")) for kind in ("instancetype", "preference")],
    }
    if answer["stopped"]:
        return seen
    seen |= {
        "live": _operations(answer["liveUpdates"]),
        "conditions": sorted([condition["type"], condition["status"]] for condition in answer["vmiConditions"]),
        "migratedVolumes": sorted(answer.get("migratedVolumes") or []),
        "generationObserved": answer["generationObserved"],
        "migration": answer["migration"],
    }
    following = answer.get("afterRestart")
    if following:
        seen["afterRestart"] = {
            "refusedBy": following["refusedBy"],
            "fields": sorted(following["fields"]),
            "changes": _operations(following["changes"]),
        }
    return seen


def _renewed(names: Manifest | None) -> bool:
    return bool(names) and names.get("before") != names.get("after")


def _operations(changes: list[dict[str, Any]]) -> list[list[Any]]:
    """Changes in an order of their own; identities that KubeVirt draws do not count."""
    seen = []
    for change in changes:
        path, value = change["path"], change.get("value")
        place = path.replace("/spec/template/spec", "/spec", 1)
        if place in [f"{_FIRMWARE}/{name}" for name in _DRAWN]:
            continue
        if place == _FIRMWARE:
            value = {key: item for key, item in (value or {}).items() if key not in _DRAWN}
            if not value:
                continue
        seen.append([change["op"], path, _with_amounts(value, path)])
    return sorted(seen, key=json.dumps)


def _with_amounts(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_amounts(item, f"{path}/{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_with_amounts(item, f"{path}/{index}") for index, item in enumerate(value)]
    return amount(value) if _AMOUNTS.search(path) else value
