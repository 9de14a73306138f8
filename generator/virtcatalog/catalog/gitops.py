"""What Argo CD and Flux read in an object: the annotations that `gitops` asks for.

The names are those of Argo CD's sync waves and sync options, and of Flux's kustomize-controller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from virtcatalog.catalog.environment import Overlay, Patch, Selection
from virtcatalog.catalog.kinds import Manifest
from virtcatalog.catalog.model import Entry, Instancetype, Preference, Template

E = TypeVar("E", Entry, Instancetype, Preference, Template)

SYNC_WAVE = "argocd.argoproj.io/sync-wave"
SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
FLUX_PRUNE = "kustomize.toolkit.fluxcd.io/prune"
FLUX_SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"

_NOT_SUBSTITUTED = {FLUX_SUBSTITUTE: "disabled"}


def gitops_annotations(declared: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the annotations that `gitops` of a catalog or of an environment puts on every object."""
    argocd, flux = ((declared or {}).get(tool) or {} for tool in ("argocd", "flux"))
    annotations = {}
    if argocd.get("prune") is not None:
        annotations[SYNC_OPTIONS] = f"Prune={str(argocd['prune']).lower()}"
    if argocd.get("syncWave") is not None:
        annotations[SYNC_WAVE] = str(argocd["syncWave"])
    if flux.get("prune") is not None:
        annotations[FLUX_PRUNE] = "enabled" if flux["prune"] else "disabled"
    return annotations


def for_flux(declared: Mapping[str, Any] | None) -> bool:
    """Whether Flux is to sync the objects."""
    return (declared or {}).get("flux") is not None


def opted_out_of_substitution(entry: E) -> E:
    """Return the entry with the annotation that keeps Flux's variable substitution off it, if that would change it."""
    if not _substituted([entry.spec, entry.labels, entry.annotations]):
        return entry
    return replace(entry, annotations=_NOT_SUBSTITUTED | entry.annotations)


def substitution_patches(overlay: Overlay, objects: Iterable[Manifest]) -> Iterator[Patch]:
    """Yield the patches that do the same to the objects that an environment has."""
    names_by_kind: dict[str, list[str]] = {}
    for manifest in objects:
        annotated = FLUX_SUBSTITUTE in (manifest["metadata"].get("annotations") or {})
        if overlay.includes(manifest) and not annotated:
            metadata = manifest["metadata"]
            if _substituted([metadata, manifest["spec"], overlay.annotations, overlay.patches_for(manifest)]):
                names_by_kind.setdefault(manifest["kind"], []).append(metadata["name"])
    for kind, names in names_by_kind.items():
        target = Selection(names=tuple(names), kinds=(kind,))
        yield Patch(target, {"metadata": {"annotations": dict(_NOT_SUBSTITUTED)}})


def _substituted(value: object) -> bool:
    """Whether Flux's substitution takes anything in plain data for a variable, or for an escaped dollar."""
    if isinstance(value, str):
        return "${" in value or "$$" in value
    if isinstance(value, Mapping):
        return any(map(_substituted, value)) or any(map(_substituted, value.values()))
    return isinstance(value, (list, tuple)) and any(map(_substituted, value))
