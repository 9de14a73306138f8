"""Where the fragments are in the catalog's files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from virtcatalog.catalog.sources import FieldPath
from virtcatalog.manifests.layout import CATALOG, COMPONENTS, OVERLAYS


def owner_of(place: str, path: FieldPath) -> FieldPath:
    """Return the path of the fragment, or environment, that a field is part of."""
    top = path[:1]
    if place in (COMPONENTS, OVERLAYS) or (place == CATALOG and top in (("instancetypes",), ("preferences",))):
        return top
    if place.startswith("instancetypes/") and top in (("sizes",), ("variants",)):
        return path[:2]
    if place.startswith("preferences/") and top == ("variants",):
        return path[:2]
    if place.startswith("templates/") and top:
        return top if top == ("defaults",) else path[:2]
    if place.startswith("preferences/") and top:
        return top if top == ("defaults",) else path[:4] if path[2:3] == ("variants",) else path[:2]
    return ()


def fragments_of(place: str, data: Mapping[str, Any]) -> Iterator[tuple[FieldPath, Mapping[str, Any]]]:
    """Yield the fragments of a file, as far as they are maps, with their paths."""
    fragments: list[tuple[FieldPath, Any]] = []
    if place == CATALOG:
        fragments = [((), data), *(((key,), data.get(key)) for key in ("instancetypes", "preferences"))]
    elif place == COMPONENTS:
        fragments = [((name,), fragment) for name, fragment in data.items()]
    elif place.startswith("instancetypes/"):
        fragments = [((), data)]
        fragments += [
            ((key, name), fragment) for key in ("sizes", "variants") for name, fragment in _items(data.get(key))
        ]
    elif place.startswith("preferences/"):
        fragments = [(("defaults",), data.get("defaults"))]
        fragments += [(("variants", name), fragment) for name, fragment in _items(data.get("variants"))]
        for name, preference in _items(data.get("preferences")):
            path = ("preferences", name)
            variants = _items(preference.get("variants")) if isinstance(preference, dict) else ()
            fragments += [(path, preference), *(((*path, "variants", key), own) for key, own in variants)]
    yield from ((path, fragment) for path, fragment in fragments if isinstance(fragment, dict))


def _items(data: Any) -> Iterable[tuple[str, Any]]:
    return data.items() if isinstance(data, dict) else ()
