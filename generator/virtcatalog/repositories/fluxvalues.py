"""The values of a HelmRelease: those of ConfigMaps and Secrets, and its own.

Source: fluxcd/pkg, chartutil/values.go (ChartValuesFromReferences).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from virtcatalog.errors import Problem
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import changed_in, fresh, lay_over
from virtcatalog.repositories.chartvalues import Deployed, Values, values_of
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.documents import Opaque, digest_of
from virtcatalog.repositories.model import Resource
from virtcatalog.repositories.settings import NOT_BASE64, find_setting, not_base64, texts_of
from virtcatalog.repositories.setvalues import SetError, set_values, verbatim
from virtcatalog.repositories.tree import Tree
from virtcatalog.repositories.values import Value, values_at

_QUOTES: Final = ("'", '"')


def flux_values(deployer: Deployer, tree: Tree, settings: Sequence[Resource]) -> Values:
    """Return the values of a HelmRelease: those of its references, one over the other, and its own over them.

    Before it sets one at a path Flux lays its own over those so far, and what it sets in a map that it takes from these
    then is set in them, too: it counts before them. Elsewhere its own do.
    """
    given = values_of(deployer, tree, ("values",))
    own: Data = fresh(given.data) if given is not None else {}
    merged: Data = {}
    layers: list[Value] = []
    unrendered: list[Problem] = []
    opaque: list[Opaque] = []
    for index, reference in enumerate(map(map_at, deployer.items("valuesFrom"))):
        setting, why = find_setting(settings, reference, deployer.namespace), "which is not in the repository"
        key = str(reference.get("valuesKey") or "values.yaml")
        is_given = setting is not None and (key in texts_of(setting.data) or not_base64(setting.data) is not None)
        if reference.get("optional") is True and not is_given:
            continue
        if setting is not None:
            try:
                merged, layer = _with(merged, own, setting, key, reference, tree)
                layers.append(layer)
                continue
            except SetError as error:
                why = str(error)
        message = f"takes values of {reference.get('kind')} {reference.get('name')}, {why}"
        unrendered.append(deployer.problem(f"spec.valuesFrom[{index}]", message))
        opaque += [Opaque(unrendered[-1], digest_of(texts_of(setting.data)))] if setting is not None else []
    return Values(
        (*layers, *([given._replace(data=own)] if given is not None else ())), tuple(unrendered), tuple(opaque)
    )


def _with(merged: Data, own: Data, setting: Resource, key: str, reference: Data, tree: Tree) -> tuple[Data, Value]:
    """Return values with those that a ConfigMap or Secret has, or the one that it gives to a path, and these alone.

    Raises SetError, which says what is wrong with them.
    """
    texts, wrong = texts_of(setting.data), not_base64(setting.data)
    if wrong is not None:
        raise SetError(f"whose {wrong} {NOT_BASE64}")
    if key not in texts:
        raise SetError(f"which has no {key}")
    field = next((name for name in ("stringData", "data") if key in map_at(setting.data, name)), "data")
    manifest = Deployed(setting, tree, {**setting.data, field: texts})
    target = str(reference.get("targetPath") or "")
    if not target:
        layer = values_at(manifest, (field, key))
        if layer is None:
            raise SetError("which are no map")
        return lay_over(merged, fresh(layer.data)), layer
    merged = lay_over(merged, own)
    before = fresh(merged)
    try:
        _set(merged, target, texts[key], is_literal=reference.get("literal") is True)
    except SetError as error:
        raise SetError(f"which Flux cannot set at {target}: {error}") from None
    return merged, Value(manifest, (field, key), changed_in(merged, before))


def _set(values: Data, target: str, text: str, *, is_literal: bool) -> None:
    """Set a value at a path: what is literal or in quotes is a text."""
    is_quoted = any(text.startswith(quote) and text.endswith(quote) for quote in _QUOTES)
    value = verbatim(text) if is_literal else text.strip("".join(_QUOTES)) if is_quoted else text
    set_values(values, f"{target}={value}", as_text=is_literal or is_quoted)
