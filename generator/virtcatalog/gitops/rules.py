"""What the `ignoreDifferences` of an Application leave out of a comparison.

Source: github.com/argoproj/argo-cd, util/argo/normalizers/diff_normalizer.go: JSON pointers, jq expressions, globs of
groups and kinds. Of jq those expressions are read that name a field, and those that virtcatalog writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import msgspec

from virtcatalog.api.findings import Path
from virtcatalog.gitops.comparison import Drift
from virtcatalog.manifests.fields import pointer_steps
from virtcatalog.manifests.identity import Data, identity

_PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_STEP = re.compile(
    r"""\.(?P<name>[A-Za-z_]\w*)\??|\.?\[(?P<number>\d+)\]\??|(?P<every>\.?\[\]\??)|\.?\[?(?P<text>"(?:[^"\\]|\\.)*")\]?\??""",
    re.ASCII,
)
_WRITTEN_HERE = re.compile(r"\((\.[^|()]+) \| select\(\.\S+ == .*\)\)\.\S+")
"""What `valued_expression` returns."""
_Steps = tuple[str | int | None, ...]
"""A path in which None stands for every item of a list."""


class Rules(msgspec.Struct, frozen=True):
    """Rules for one object: the fields that they name, and the expressions that are not read."""

    fields: tuple[_Steps, ...] = ()
    expressions: frozenset[str] = frozenset()
    unread: tuple[str, ...] = ()

    def ignore(self, path: Path) -> bool:
        """Whether a field is left out, or a part of one."""
        return any(_covers(steps, path) for steps in self.fields)

    def ignore_drift(self, drift: Drift) -> bool:
        """Whether a field that is stored otherwise is left out."""
        return self.ignore(drift.path) or valued_expression(drift) in self.expressions


def rules_for(items: Iterable[Data], manifest: Data) -> Rules:
    """Return those of an Application's rules that are about an object."""
    group = str(manifest.get("apiVersion")).rpartition("/")[0]
    kind, namespace, name = identity(manifest)
    fields: list[_Steps] = []
    expressions: list[str] = []
    for item in items:
        about = fnmatchcase(group, str(item.get("group") or "")) and fnmatchcase(kind, str(item.get("kind")))
        is_named = item.get("name") in (None, "", name) and item.get("namespace") in (None, "", namespace)
        if about and is_named:
            fields += (_pointed(pointer) for pointer in _texts(item.get("jsonPointers")))
            expressions += _texts(item.get("jqPathExpressions"))
    read = {expression: _steps(expression) for expression in expressions}
    unread = tuple(text for text, steps in read.items() if steps is None and not _WRITTEN_HERE.fullmatch(text))
    return Rules((*fields, *(steps for steps in read.values() if steps is not None)), frozenset(expressions), unread)


def expression(path: Path) -> str:
    """Return the jq expression that names a field, in every item of the lists that it is in."""
    return "".join("[]?" if isinstance(step, int) else f".{_key(step)}" for step in path)


def valued_expression(drift: Drift) -> str:
    """Return the jq expression that names a field while it has the value that a webhook gives it, or takes out."""
    key, value = _key(str(drift.path[-1])), drift.stored if drift.kind == "added" else drift.written
    return f"({expression(drift.path[:-1])} | select(.{key} == {json.dumps(value)})).{key}"


def _key(step: str) -> str:
    return step if _PLAIN.fullmatch(step) else json.dumps(step)


def _texts(value: Any) -> Iterator[str]:
    yield from (item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _pointed(pointer: str) -> _Steps:
    return tuple(int(step) if step.isdecimal() else step for step in pointer_steps(pointer))


@cache
def _steps(expression: str) -> _Steps | None:
    """The path that a jq expression names; None where it does more than that."""
    steps: list[str | int | None] = []
    at = 0
    while at < len(expression):
        match = _STEP.match(expression, at)
        if match is None:
            return None
        at = match.end()
        if match["name"] is not None:
            steps.append(match["name"])
        elif match["text"] is not None:
            steps.append(json.loads(match["text"]))
        else:
            steps.append(None if match["number"] is None else int(match["number"]))
    return tuple(steps) or None


def _covers(steps: _Steps, path: Path) -> bool:
    return len(steps) <= len(path) and all(
        isinstance(mine, int) if step is None else step == mine for step, mine in zip(steps, path, strict=False)
    )
