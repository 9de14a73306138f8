"""The parameters that generators of an ApplicationSet make, and those of several put together: matrix and merge.

Source: github.com/argoproj/argo-cd, applicationset/generators/{list,git,matrix,merge}.go, applicationset/utils/map.go.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from virtcatalog.api.govalues import as_floats
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.merge import lay_over
from virtcatalog.repositories.gofunctions import normalized
from virtcatalog.repositories.templates import flat

Parameters = dict[str, Any]


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
