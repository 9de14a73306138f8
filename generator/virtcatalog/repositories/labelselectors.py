"""Label selectors of generators: which clusters, or sets of parameters, an ApplicationSet takes.

Source: argo-cd, applicationset/utils/selector.go, applicationset/generators/cluster.go.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from virtcatalog.api.core import LabelSelector, LabelSelectorRequirement
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.selectors import label_selector, selects
from virtcatalog.manifests.fields import map_at
from virtcatalog.repositories.templates import flat

Matches = Callable[[Mapping[str, Any]], bool]


def selector_of(generator: Mapping[str, Any], field: str, *, of_labels: bool = False) -> Matches:
    """Return what says whether the selector of a generator takes a set of parameters, or labels.

    Raises VirtcatalogError where Argo CD does: values of labels must be such, those of parameters may be any text.
    """
    selector = _selector(map_at(generator, "selector"))
    for cause in label_selector(selector, f"{field}.selector", any_value=not of_labels):
        raise VirtcatalogError(str(cause))
    return lambda parameters: selects(selector, flat(dict(parameters)))


def is_filled(generator: Mapping[str, Any]) -> bool:
    """Whether nothing in the selector of a generator is a template still."""
    return "{{" not in json.dumps(generator.get("selector"))


def _selector(data: Mapping[str, Any]) -> LabelSelector:
    expressions = [item for item in data.get("matchExpressions") or () if isinstance(item, dict)]
    return LabelSelector(
        match_labels={str(key): str(value) for key, value in map_at(data, "matchLabels").items()},
        match_expressions=[
            LabelSelectorRequirement(
                key=str(expression.get("key", "")),
                operator=str(expression.get("operator", "")),
                values=[str(value) for value in expression.get("values") or ()],
            )
            for expression in expressions
        ],
    )
