"""The proof that a catalog gives exactly the objects that it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from virtcatalog.bring.objects.catalog import Draft
from virtcatalog.bring.objects.entries import with_text_amounts
from virtcatalog.catalog.labels import DERIVED_ANNOTATIONS, DERIVED_LABELS
from virtcatalog.catalog.load import load_catalog
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.difference import Difference, differences, shown
from virtcatalog.manifests.identity import Identity, identity
from virtcatalog.manifests.merge import merge

Data = dict[str, Any]


def prove(draft: Draft, manifests: Sequence[Mapping[str, Any]], *, relabel: bool) -> list[Problem]:
    """Return the derived labels and annotations that the catalog would change, which `relabel` allows.

    Raises CatalogError if the catalog cannot be loaded, and ManifestError with every other field that it would change.
    """
    catalog = load_catalog("catalog", {path: text.encode() for path, text in draft.files.items()})
    actual: dict[Identity, Data] = {}
    for environment in draft.environments or ("",):
        for manifest in catalog.objects(environment):
            actual[identity(manifest)] = manifest
    wanted = {
        identity(manifest): {**merge(manifest), "spec": with_text_amounts(manifest["spec"])} for manifest in manifests
    }
    restated: list[Problem] = []
    wrong: list[Problem] = []
    for key in sorted(wanted.keys() | actual.keys()):
        name = "/".join(part for part in key if part)
        if key not in wanted or key not in actual:
            message = "the catalog would not have it" if key in wanted else "the catalog would have it, too"
            wrong.append(Problem(object=name, message=message))
            continue
        for difference in differences(_compared(wanted[key]), _compared(actual[key]), by_name=False):
            problem = Problem(object=name, field=difference.field, message=_worded(difference))
            (restated if _is_derived(difference) else wrong).append(problem)
    if wrong or (restated and not relabel):
        raise ManifestError(*wrong, *restated)
    return restated


def _compared(manifest: Mapping[str, Any]) -> Data:
    """Metadata beside the identity, and the spec: an object without a map has an empty one."""
    metadata = manifest["metadata"]
    pairs = {key: metadata.get(key) or {} for key in ("labels", "annotations")}
    return {"metadata": pairs, "spec": manifest["spec"]}


def _is_derived(difference: Difference) -> bool:
    return difference.path[:2] in (("metadata", "labels"), ("metadata", "annotations")) and (
        difference.path[-1] in DERIVED_LABELS.keys() | DERIVED_ANNOTATIONS.keys()
    )


def _worded(difference: Difference) -> str:
    old, new = (None if value is None else shown(value) for value in (difference.old, difference.new))
    origin = (DERIVED_LABELS | DERIVED_ANNOTATIONS).get(str(difference.path[-1]), "") if _is_derived(difference) else ""
    why = f" (a catalog derives it from {origin}; --relabel takes that)" if origin else ""
    if new is None:
        return f"{old} could not be kept{why}"
    return f"would be {new}{why}" if old is None else f"{old} would be {new}{why}"
