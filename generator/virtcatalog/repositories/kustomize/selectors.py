"""Which objects a patch's `target` selects: patterns and label selectors."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from virtcatalog.api.names import namespace_or_default
from virtcatalog.errors import VirtcatalogError
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.pattern import Pattern, PatternError

_KEYS = frozenset(("group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector"))
_TERM = re.compile(r"(!?)([\w./-]+)(?:\s*(==?|!=)\s*([\w.-]*))?")


class SelectorError(VirtcatalogError):
    """A target that cannot be read."""


class Selector:
    """A target, read once for all objects.

    Source: SelectorRegex in kustomize's api/types/selector.go: a pattern matches a whole value.
    """

    def __init__(self, target: Mapping[str, Any], budget: Budget) -> None:
        if unknown := set(target) - _KEYS:
            raise SelectorError(f"{min(unknown)} is none of {', '.join(sorted(_KEYS))}")
        try:
            patterns = {
                key: Pattern(str(target[key]), budget.states)
                for key in ("group", "version", "kind", "namespace", "name")
                if target.get(key)
            }
        except PatternError as error:
            raise SelectorError(str(error)) from None
        self._of_kind = {key: patterns[key] for key in ("group", "version", "kind") if key in patterns}
        self._of_name = {key: patterns[key] for key in ("namespace", "name") if key in patterns}
        self._terms = {
            part: _terms(str(target[key]))
            for key, part in (("labelSelector", "labels"), ("annotationSelector", "annotations"))
            if target.get(key)
        }
        self._budget, self._number = budget, sum(map(len, self._terms.values()))

    def matches(self, data: Mapping[str, Any], names: Collection[tuple[str, str]]) -> bool:
        """Whether an object is selected; `names` are its present and former namespaces and names."""
        self._budget.keys(4 + self._number)
        group, _, number = str(data.get("apiVersion")).rpartition("/")
        own = {"group": group, "version": number, "kind": str(data.get("kind"))}
        if not all(pattern.matches(own[key]) for key, pattern in self._of_kind.items()):
            return False
        identities = ({"namespace": namespace_or_default(namespace), "name": name} for namespace, name in names)
        if not any(
            all(pattern.matches(identity[key]) for key, pattern in self._of_name.items()) for identity in identities
        ):
            return False
        metadata = data.get("metadata") or {}
        return all(_selects(terms, metadata.get(part) or {}) for part, terms in self._terms.items())


_Term = tuple[str, str, str, str]


def _terms(selector: str) -> list[_Term]:
    """The terms of an equality-based selector (`a=b,c!=d,e,!f`)."""
    terms: list[_Term] = []
    for text in selector.split(","):
        match = _TERM.fullmatch(text.strip())
        if match is None:
            raise SelectorError(f"the selector {selector[:80]!r} is not supported")
        terms.append((match[1], match[2], match[3] or "", match[4] or ""))
    return terms


def _selects(terms: list[_Term], pairs: Mapping[str, Any]) -> bool:
    for none, key, operator, value in terms:
        holds = (pairs.get(key) == value) == (operator != "!=") if operator else (key in pairs) != bool(none)
        if not holds:
            return False
    return True
