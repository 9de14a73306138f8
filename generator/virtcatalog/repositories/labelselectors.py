"""Label selectors of generators: which clusters, or sets of parameters, an ApplicationSet takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from virtcatalog.repositories.templates import flat


def label_selector(selector: Any, note: Callable[[str], object]) -> Callable[[Mapping[str, Any]], bool]:
    """Return what says whether a selector takes a set of parameters, or labels; `note` gets what of it is not known."""
    if not isinstance(selector, dict):
        return lambda _: True
    labels = {str(key): str(value) for key, value in (selector.get("matchLabels") or {}).items()}
    rules: list[Callable[[Mapping[str, str]], bool]] = []
    for expression in selector.get("matchExpressions") or ():
        rule = _rule(expression) if isinstance(expression, dict) else None
        if rule is None:
            note("selector.matchExpressions is not looked at: all are taken")
        else:
            rules.append(rule)

    def matches(parameters: Mapping[str, Any]) -> bool:
        values = flat(dict(parameters))
        return labels.items() <= values.items() and all(rule(values) for rule in rules)

    return matches


def _rule(expression: Mapping[str, Any]) -> Callable[[Mapping[str, str]], bool] | None:
    """What an expression of a label selector says; None for an unknown one."""
    key, values = str(expression.get("key")), [str(value) for value in expression.get("values") or ()]
    match expression.get("operator"):
        case "In":
            return lambda labels: key in labels and labels[key] in values
        case "NotIn":
            return lambda labels: labels.get(key) not in values
        case "Exists":
            return lambda labels: key in labels
        case "DoesNotExist":
            return lambda labels: key not in labels
        case _:
            return None
