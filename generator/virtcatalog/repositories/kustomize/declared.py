"""What a kustomization declares, with the place of each field: values of the wanted type, or a fault with its place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol

from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.values import describe, unknown_field
from virtcatalog.catalog.places import Source
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.repositories.kustomize.origins import Spot

FIELDS: Final = (
    *("apiVersion", "kind", "metadata", "resources", "bases", "components", "crds", "configurations", "openapi"),
    *("configMapGenerator", "secretGenerator", "generatorOptions", "helmCharts", "helmGlobals"),
    *("helmChartInflationGenerator", "generators", "transformers", "validators"),
    *("patches", "patchesStrategicMerge", "patchesJson6902", "namespace", "namePrefix", "nameSuffix"),
    *("labels", "commonLabels", "commonAnnotations", "images", "imageTags", "replicas", "replacements", "vars"),
    *("buildMetadata", "sortOptions"),
)
API_VERSIONS: Final = {
    "Kustomization": "kustomize.config.k8s.io/v1beta1",
    "Component": "kustomize.config.k8s.io/v1alpha1",
}
_TEXTS: Final = ("namespace", "namePrefix", "nameSuffix")
_PAIRS: Final = ("commonLabels", "commonAnnotations")


class UnrenderedError(ManifestError):
    """A part of a kustomization that is not built here, and that may be fine."""


def problem_at(spot: Spot, message: str) -> Problem:
    """Return what is wrong at a spot."""
    source = spot.source
    return Problem(source.file, source.line, source.column, field=field_path(spot.path), message=message)


class Declared(NamedTuple):
    """A value of a kustomization, or of a file that one names, and where it stands."""

    data: Any
    spot: Spot

    def fault(self, message: str, *steps: str | int) -> ManifestError:
        """Return an error for it, or for what is in it."""
        return ManifestError(problem_at(self.spot.within(*steps), message))

    def unrendered(self, message: str, *steps: str | int) -> UnrenderedError:
        """Return the error for a part that is not built."""
        return UnrenderedError(problem_at(self.spot.within(*steps), message))

    def only(self, *keys: str) -> Declared:
        """Return it if it is a map of these keys alone: kustomize refuses those that it does not know."""
        if not isinstance(self.data, dict):
            raise self.fault(f"must be a map, not {describe(self.data)}")
        for key in self.data:
            if key not in keys:
                raise self.fault(unknown_field(key, list(keys)), key)
        return self

    def get(self, key: str) -> Declared:
        """Return a field of the map; its data is None where there is none."""
        return Declared(self.data.get(key), self.spot.within(key))

    def text(self, key: str) -> str:
        """Return a string, "" for none."""
        value = self.data.get(key)
        if not isinstance(value, str | None):
            raise self.fault(f"must be a string, not {describe(value)}", key)
        return value or ""

    def flag(self, key: str) -> bool:
        """Return a boolean, False for none."""
        value = self.data.get(key)
        if not isinstance(value, bool | None):
            raise self.fault(f"must be true or false, not {describe(value)}", key)
        return bool(value)

    def number(self, key: str) -> int:
        """Return an integer, 0 for none."""
        value = self.data.get(key)
        if isinstance(value, bool) or not isinstance(value, int | None):
            raise self.fault(f"must be an integer, not {describe(value)}", key)
        return value or 0

    def items(self, key: str) -> Iterator[Declared]:
        """Yield the items of a list."""
        value = self.data.get(key)
        if not isinstance(value, list | None):
            raise self.fault(f"must be a list, not {describe(value)}", key)
        for index, item in enumerate(value or ()):
            yield Declared(item, self.spot.within(key, index))

    def strings(self, key: str) -> Iterator[tuple[str, Declared]]:
        """Yield the items of a list of strings, and where they stand."""
        for item in self.items(key):
            if not isinstance(item.data, str):
                raise item.fault(f"must be a string, not {describe(item.data)}")
            yield item.data, item

    def pairs(self, key: str) -> dict[str, str]:
        """Return a map of strings, sorted by keys."""
        value = self.data.get(key)
        if not isinstance(value, dict | None):
            raise self.fault(f"must be a map, not {describe(value)}", key)
        for name, text in (value or {}).items():
            if not isinstance(text, str):
                raise self.fault(f"must be a string, not {describe(text)}: quote it", key, name)
        return dict(sorted((value or {}).items()))


class Addition(Protocol):
    """What somebody adds to a kustomization."""

    def over(self, own: Declared) -> Declared:
        """Return a kustomization with it. Raises ManifestError."""


class Added(NamedTuple):
    """Fields that somebody adds to a kustomization: those in `lists` to the end of its own, others in place of them.

    An image takes the place of its own one of that name. `source` finds a field: `("patches", 0)` is the first patch
    that is added.
    """

    fields: Mapping[str, Any]
    lists: Collection[str]
    source: Callable[[Path], Source]

    def over(self, own: Declared) -> Declared:
        """Return a kustomization with the fields."""
        before = {key: own.data.get(key) or [] for key in self.lists if key in self.fields}
        before = {key: items for key, items in before.items() if isinstance(items, list)}
        images = _images(own.data.get("images"), self.fields.get("images"))

        def elsewhere(path: Path) -> Source | None:
            key, *rest = path or ("",)
            if key not in self.fields:
                return None
            index = rest[0] if rest else -1
            if key == "images" and isinstance(index, int):
                added = images[index][0] if index >= 0 else None
                return self.source((key, added, *rest[1:])) if added is not None else None
            if key not in before:
                return self.source(path)
            number = len(before[str(key)])
            is_ours = isinstance(index, int) and index >= number
            return self.source((key, index - number, *rest[1:])) if is_ours and isinstance(index, int) else None

        grown = {key: [*items, *self.fields[key]] for key, items in before.items()}
        if "images" in self.fields:
            grown["images"] = [image for _, image in images]
        return Declared({**own.data, **self.fields, **grown}, own.spot._replace(elsewhere=elsewhere))


def _images(own: Any, added: Any) -> list[tuple[int | None, Any]]:
    """Images, each with its index among those that are added."""
    images: list[tuple[int | None, Any]] = [(None, image) for image in own or ()] if isinstance(own, list) else []
    for index, image in enumerate(added or ()):
        names = [isinstance(other, dict) and other.get("name") == image.get("name") for _, other in images]
        at = names.index(True) if True in names else len(images)
        images[at : at + 1] = [(index, image)]
    return images


def read_by_flux(data: Any) -> Any:
    """Return a kustomization as Flux writes it: fields that it does not know are gone, and texts are texts.

    One that names no resources notes where its objects come from: that it says something, too.
    Source: github.com/fluxcd/pkg, kustomize/kustomize_generator.go (WriteFile); sigs.k8s.io/yaml
    (convertToJSONableObject).
    """
    if not isinstance(data, dict | None):
        return data
    fields: dict[str, Any] = {key: _as_text(key, value) for key, value in (data or {}).items() if key in FIELDS}
    return fields if fields.get("resources") else {**fields, "buildMetadata": ["originAnnotations"]}


def _as_text(key: str, value: Any) -> Any:
    if key in _PAIRS and isinstance(value, dict):
        return {name: _text(inner) for name, inner in value.items()}
    return _text(value) if key in _TEXTS else value


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else value
