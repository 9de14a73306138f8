"""What a kustomization may say, and what Flux makes of that when it reads one.

Source: github.com/fluxcd/pkg, kustomize/kustomize_generator.go (WriteFile); sigs.k8s.io/yaml (convertToJSONableObject).
"""

from __future__ import annotations

from typing import Any, Final

from virtcatalog.manifests.identity import Data

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


def read_by_flux(data: Any) -> Any:
    """Return a kustomization as Flux writes it: fields that it does not know are gone, and texts are texts.

    One that names no resources notes where its objects come from: that it says something, too.
    """
    if not isinstance(data, dict | None):
        return data
    known: Data = {key: _as_text(key, value) for key, value in (data or {}).items() if key in FIELDS}
    return known if known.get("resources") else {**known, "buildMetadata": ["originAnnotations"]}


def _as_text(key: str, value: Any) -> Any:
    if key in _PAIRS and isinstance(value, dict):
        return {name: _text(inner) for name, inner in value.items()}
    return _text(value) if key in _TEXTS else value


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else value
