"""Which objects a patch's `target` selects: patterns and label selectors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from virtcatalog.errors import VirtcatalogError

_KEYS = frozenset(("group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector"))
#: What names are matched by, without what takes long to match.
_PATTERN = re.compile(r"[\w./|*+?()\[\]^$-]{0,300}")
_NESTED = re.compile(r"[*+?)]\s*[*+]")
_TERM = re.compile(r"\s*(!?)([\w./-]+)\s*(?:(==?|!=)\s*([\w.-]*))?\s*")


class SelectorError(VirtcatalogError):
    """A target that cannot be read."""


def matches(target: Mapping[str, Any], data: Mapping[str, Any], names: Iterable[tuple[str, str]]) -> bool:
    """Whether an object is selected, that has been called by these namespaces and names.

    Source: SelectorRegex in kustomize's api/types/selector.go: a pattern matches a whole value.
    """
    if unknown := set(target) - _KEYS:
        raise SelectorError(f"{min(unknown)} is none of {', '.join(sorted(_KEYS))}")
    group, _, number = str(data.get("apiVersion")).rpartition("/")
    own = {"group": group, "version": number, "kind": str(data.get("kind"))}
    if not all(_is(target.get(key), value) for key, value in own.items()):
        return False
    if not any(
        _is(target.get("namespace"), namespace or "default") and _is(target.get("name"), name)
        for namespace, name in names
    ):
        return False
    metadata = data.get("metadata") or {}
    return all(
        _selects(str(target[key]), metadata.get(part) or {})
        for key, part in (("labelSelector", "labels"), ("annotationSelector", "annotations"))
        if target.get(key)
    )


def _is(pattern: Any, value: str) -> bool:
    if not pattern:
        return True
    text = str(pattern)
    if not _PATTERN.fullmatch(text) or _NESTED.search(text):
        raise SelectorError(f"the pattern {text[:80]!r} is not supported")
    try:
        return re.fullmatch(text, value) is not None
    except re.error as error:
        raise SelectorError(f"{text!r} is no pattern: {error}") from None


def _selects(selector: str, pairs: Mapping[str, Any]) -> bool:
    """Whether an equality-based selector (`a=b,c!=d,e,!f`) does."""
    for term in selector.split(","):
        found = _TERM.fullmatch(term)
        if found is None:
            raise SelectorError(f"the selector {selector!r} is not supported")
        none, key, operator, value = found.groups()
        holds = (pairs.get(key) == value) == (operator != "!=") if operator else (key in pairs) != bool(none)
        if not holds:
            return False
    return True
