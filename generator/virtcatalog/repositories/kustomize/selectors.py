"""Which objects a `target` selects: patterns and label selectors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from virtcatalog.api.names import label_key_problems, label_value_problems
from virtcatalog.errors import VirtcatalogError
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.pattern import Pattern, PatternError
from virtcatalog.repositories.kustomize.resource import Id, Resource, pairs_of, split_version, text_of

_OF_KIND: Final = ("group", "version", "kind")
_OF_NAME: Final = ("namespace", "name")
_PAIRS: Final[tuple[tuple[str, Literal["labels", "annotations"]], ...]] = (
    ("labelSelector", "labels"),
    ("annotationSelector", "annotations"),
)
_COMPARISON: Final = re.compile(r"(!?)\s*([\w./-]+)\s*(?:(==?|!=)\s*([\w./-]*))?", re.ASCII)
_SET: Final = re.compile(r"([\w./-]+)\s+(in|notin)\s*\(([^()]*)\)", re.ASCII)
_COMMA: Final = re.compile(r",(?![^(]*\))")
_BLANKS: Final = " \t\r\n"


class SelectorError(VirtcatalogError):
    """A target that cannot be read."""


class Selector:
    """A target, read once for all objects.

    Source: SelectorRegex in kustomize's api/types/selector.go: a pattern matches a whole value.
    """

    def __init__(self, target: Mapping[str, Any], budget: Budget) -> None:
        try:
            self._patterns = {
                key: Pattern(str(target[key]), budget.states) for key in (*_OF_KIND, *_OF_NAME) if target.get(key)
            }
        except PatternError as error:
            raise SelectorError(str(error)) from None
        self._terms = {part: _terms(str(target[key])) for key, part in _PAIRS if target.get(key)}
        self._budget, self._number = budget, sum(map(len, self._terms.values()))

    @property
    def has_names(self) -> bool:
        """Whether it says anything of kinds and names."""
        return bool(self._patterns)

    @property
    def has_labels(self) -> bool:
        """Whether it says anything of labels and annotations."""
        return bool(self._terms)

    def matches(self, resource: Resource) -> bool:
        """Whether an object is selected, by its first or its present names. Source: resWrangler.Select."""
        self._budget.keys(4 + self._number)
        group, version = split_version(resource.data.get("apiVersion"))
        own = {"group": group, "version": version, "kind": resource.kind}
        if not all(self._fits(key, own[key]) for key in _OF_KIND):
            return False
        first, present = resource.original, resource.current
        return all(
            self._fits(key, getattr(first, key)) or self._fits(key, getattr(present, key)) for key in _OF_NAME
        ) and self.matches_labels(resource.data)

    def matches_id(self, identity: Id) -> bool:
        """Whether an id is selected. Source: TargetSelectorRegex.Selects."""
        self._budget.keys(4)
        return all(self._fits(key, getattr(identity, key)) for key in (*_OF_KIND, *_OF_NAME))

    def matches_labels(self, data: dict[str, Any]) -> bool:
        """Whether labels and annotations are selected."""
        self._budget.keys(1 + self._number)
        return all(_selects(terms, pairs_of(data, part)) for part, terms in self._terms.items())

    def _fits(self, key: str, value: str) -> bool:
        return key not in self._patterns or self._patterns[key].matches(value)


_Term = tuple[str, str, frozenset[str]]
"""An operator, a key, and the values."""


def _terms(selector: str) -> list[_Term]:
    """The terms of a selector: `a=b,c!=d,e,!f,g in (h,i)`. Source: apimachinery's labels.Parse."""
    terms = [_term(text.strip(_BLANKS)) for text in _COMMA.split(selector)]
    supported = [term for term in terms if term is not None and _is_right(term)]
    if len(supported) < len(terms):
        raise SelectorError(f"the selector {selector[:80]!r} is not supported")
    return supported


def _term(text: str) -> _Term | None:
    if match := _COMPARISON.fullmatch(text):
        absent, key, operator, value = match.groups()
        if absent and operator:
            return None
        name = {"": "has", "=": "in", "==": "in", "!=": "notin"}[operator or ""]
        return "lacks" if absent else name, key, frozenset([value or ""])
    if match := _SET.fullmatch(text):
        key, operator, values = match.groups()
        return operator, key, frozenset(value.strip(_BLANKS) for value in values.split(","))
    return None


def _is_right(term: _Term) -> bool:
    """Whether a term's key and values are those of labels, in a selector of annotations too."""
    return not label_key_problems(term[1]) and not any(map(label_value_problems, term[2]))


def _selects(terms: list[_Term], pairs: Mapping[str, Any]) -> bool:
    for operator, key, values in terms:
        is_there = key in pairs
        if operator in ("has", "lacks"):
            holds = is_there == (operator == "has")
        else:
            holds = (is_there and text_of(pairs[key]) in values) == (operator == "in")
        if not holds:
            return False
    return True
