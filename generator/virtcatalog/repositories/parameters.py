"""The parameters of an ApplicationSet: those of its generators, several put together, and templates filled with them.

Source: github.com/argoproj/argo-cd, applicationset/generators/{list,git,matrix,merge,cluster}.go,
applicationset/utils/{map,selector,utils}.go; github.com/valyala/fasttemplate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from virtcatalog.api.core import LabelSelector, LabelSelectorRequirement
from virtcatalog.api.govalues import as_floats
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.selectors import label_selector, selects
from virtcatalog.limits import TEMPLATE_OUTPUT_CHARACTERS
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.merge import lay_over
from virtcatalog.repositories.gofunctions import normalized, written
from virtcatalog.repositories.gotemplates import Missing, TemplateError, render

Parameters = dict[str, Any]
Matches = Callable[[Mapping[str, Any]], bool]
"""Whether a selector takes a set of parameters, or labels."""


def check_texts(element: Mapping[str, Any], field: str) -> None:
    """Raise VirtcatalogError for a value that Argo CD takes in Go's templates alone.

    Source: applicationset/generators/list.go.
    """
    own = {key: value for key, value in element.items() if key != "values"}
    values = {f"values.{key}": value for key, value in map_at(element, "values").items()}
    for key, value in {**own, **values}.items():
        if not isinstance(value, str):
            raise VirtcatalogError(f"{field}.{key} must be a string where goTemplate is not on: quote it")


def as_go(parameters: Parameters, where: str) -> Parameters:
    """Parameters with the numbers that Go has of them, which are floats. Raises VirtcatalogError."""
    try:
        floats: Parameters = as_floats(parameters)
    except OverflowError:
        raise VirtcatalogError(f"{where} has a number beyond 64 bits") from None
    return floats


def path_parameters(at: str, file: str, prefix: str, *, is_go: bool) -> Parameters:
    """The parameters of a folder or file of the repository."""
    at = at or "."
    name, basename = file or "", at.rpartition("/")[2]
    segments = at.split("/")
    if is_go:
        path: Parameters = {
            "path": at,
            "basename": basename,
            "basenameNormalized": normalized(basename),
            "segments": segments,
            **({"filename": name, "filenameNormalized": normalized(name)} if name else {}),
        }
        return {prefix: {"path": path}} if prefix else {"path": path}
    start = f"{prefix}.path" if prefix else "path"
    return {
        start: at,
        f"{start}.basename": basename,
        f"{start}.basenameNormalized": normalized(basename),
        **{f"{start}[{index}]": segment for index, segment in enumerate(segments)},
        **({f"{start}.filename": name, f"{start}.filenameNormalized": normalized(name)} if name else {}),
    }


def combined(first: Parameters, second: Parameters, field: str, *, is_go: bool) -> Parameters:
    """Return what a matrix makes of a set of each of its generators: with Go's templates the first one's counts.

    Raises VirtcatalogError for a parameter that both have, where goTemplate is not on.
    """
    if is_go:
        return lay_over(second, first)
    texts, others = flat(first), flat(second)
    for key in texts.keys() & others.keys():
        if texts[key] != others[key]:
            raise VirtcatalogError(f"{field} has two values of {key}: {texts[key]!r} and {others[key]!r}")
    return {**texts, **others}


def merged(
    sets: Sequence[Sequence[Parameters]], keys: Sequence[str], field: str, *, is_go: bool
) -> Iterator[Parameters]:
    """Yield the sets of a merge's first generator with those of the others over them that have the same values of keys.

    Raises VirtcatalogError for sets of one generator of which two have these.
    """
    if not keys:
        raise VirtcatalogError(f"{field} must have mergeKeys")
    first, *others = [_by_keys(parameters, keys, field, is_go=is_go) for parameters in sets]
    for values, parameters in first.items():
        for overlays in others:
            if values in overlays:
                overlay = overlays[values]
                parameters = lay_over(parameters, overlay) if is_go else {**parameters, **overlay}
        yield parameters


def _by_keys(sets: Sequence[Parameters], keys: Sequence[str], field: str, *, is_go: bool) -> dict[str, Parameters]:
    by_keys: dict[str, Parameters] = {}
    for parameters in sets if is_go else map(flat, sets):
        values = json.dumps({key: parameters.get(key) for key in keys}, sort_keys=True)
        if values in by_keys:
            raise VirtcatalogError(f"{field} has several sets of parameters with {values}")
        by_keys[values] = dict(parameters)
    return by_keys


def selector_of(generator: Mapping[str, Any], field: str, *, of_labels: bool) -> Matches:
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


def filled(value: Any, parameters: Mapping[str, Any], *, is_go: bool, missing: Missing = "stays") -> Any:
    """Return data with its templates filled in; `missing` says what becomes of one of Go's that lacks a parameter.

    Others stay as they are then.
    """
    if isinstance(value, dict):
        return {
            str(filled(key, parameters, is_go=is_go, missing=missing)): filled(
                inner, parameters, is_go=is_go, missing=missing
            )
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [filled(inner, parameters, is_go=is_go, missing=missing) for inner in value]
    if not isinstance(value, str) or "{{" not in value:
        return value
    if is_go:
        return render(value, parameters, missing)
    values = flat(parameters)
    if value.count("{{") * max(map(len, values.values()), default=0) > TEMPLATE_OUTPUT_CHARACTERS:
        raise TemplateError(f"a template makes a text of more than {TEMPLATE_OUTPUT_CHARACTERS} characters")
    return re.sub(r"\{\{(.*?)\}\}", lambda match: values.get(match[1].strip(), match[0]), value)


def flat(value: Any, prefix: str = "") -> dict[str, str]:
    """Return data as fasttemplate has it: `{"a": {"b": [1]}}` is `{"a.b.0": "1"}`. Source: jeremywohl/flatten."""
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        pairs = ((f"{prefix}.{key}" if prefix else str(key), part) for key, part in inner)
        return {key: text for name, part in pairs for key, text in flat(part, name).items()}
    return {prefix: written(value)}
