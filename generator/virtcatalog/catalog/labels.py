"""Labels and annotations that restate the rest of an object, so that they cannot drift from it.

The vocabulary is that of kubevirt/common-instancetypes, docs/labels.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from virtcatalog.api.names import DEPRECATED_LABEL, REPLACED_BY, SUNSET
from virtcatalog.catalog.environment import Overlay, Patch, Selection
from virtcatalog.catalog.model import Deprecation, Entry, Instancetype, Preference, Template
from virtcatalog.manifests.identity import Data

PREFIX = "instancetype.kubevirt.io/"

#: Derived keys without their prefix, and what they are derived from.
INSTANCETYPE_LABELS = {
    "class": "`class`",
    "version": "`version`",
    "size": "the size and variant",
    "cpu": "`vcpus`",
    "memory": "the memory",
    "hugepages": "spec.memory.hugepages",
    "numa": "spec.cpu.numa",
    "dedicatedCPUPlacement": "spec.cpu.dedicatedCPUPlacement",
    "isolateEmulatorThread": "spec.cpu.isolateEmulatorThread",
    "realtime": "spec.cpu.realtime",
    "gpus": "spec.gpus",
}
PREFERENCE_LABELS = {
    "os-type": "`osType`",
    "arch": "`arch`",
    "preferred-architecture": "spec.preferredArchitecture",
    "required-architecture": "spec.requirements.architecture",
    "required-cpu": "`requirements.vcpus`",
    "required-memory": "`requirements.memory`",
}
_COMMON_LABELS = {"vendor": "the catalog's `vendor`", "deprecated": "`deprecated`"}
DERIVED_LABELS = {
    PREFIX + key: origin for key, origin in (INSTANCETYPE_LABELS | PREFERENCE_LABELS | _COMMON_LABELS).items()
}
_DISPLAY_NAMES = {"instancetype": f"{PREFIX}displayName", "preference": "openshift.io/display-name"}
DERIVED_ANNOTATIONS = {
    f"{PREFIX}displayName": "`displayName`",
    f"{PREFIX}description": "`description`",
    REPLACED_BY: "`deprecated.replacedBy`",
    SUNSET: "`deprecated.sunset`",
    "openshift.io/display-name": "`displayName`",
}


def instancetype_labels(series: str, version: str, size: str, spec: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels that follow from an instance type's declaration and spec."""
    labels = {"class": series, "size": size, "version": version} | spec_labels(spec)
    return {PREFIX + key: value for key, value in labels.items() if value}


def spec_labels(spec: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels that restate an instance type's spec, without prefix; "" where there is none."""
    cpu, memory = spec["cpu"], spec["memory"]
    return {
        "cpu": str(cpu["guest"]),
        "memory": str(memory["guest"]),
        "hugepages": (memory.get("hugepages") or {}).get("pageSize", ""),
        "numa": _flag((cpu.get("numa") or {}).get("guestMappingPassthrough") is not None),
        "dedicatedCPUPlacement": _flag(cpu.get("dedicatedCPUPlacement")),
        "isolateEmulatorThread": _flag(cpu.get("isolateEmulatorThread")),
        "realtime": _flag(cpu.get("realtime") is not None),
        "gpus": _flag(spec.get("gpus")),
    }


def preference_labels(os_type: str, arch: str, spec: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels that follow from a preference's declaration and spec."""
    labels = {"os-type": os_type} | requirement_labels(spec)
    labels["arch"] = arch or labels["preferred-architecture"] or labels["required-architecture"]
    return {PREFIX + key: value for key, value in labels.items() if value}


def requirement_labels(spec: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels that restate a preference's spec, without prefix; "" where there is none."""
    required = spec.get("requirements") or {}
    return {
        "preferred-architecture": spec.get("preferredArchitecture") or "",
        "required-architecture": required.get("architecture") or "",
        "required-cpu": str((required.get("cpu") or {}).get("guest", "")),
        "required-memory": str((required.get("memory") or {}).get("guest", "")),
    }


#: Labels that repeat the spec or the deprecation, which are promised by themselves.
_RESTATED = {f"{PREFIX}{key}" for key in (*INSTANCETYPE_LABELS, *PREFERENCE_LABELS)} - {
    f"{PREFIX}{key}" for key in ("class", "version", "size", "os-type", "arch")
} | {DEPRECATED_LABEL}


def promised(labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels that whoever selects objects may rely on once they are published."""
    return {key: value for key, value in sorted(labels.items()) if key not in _RESTATED}


def common_labels(vendor: str, deprecated: Deprecation | None) -> dict[str, str]:
    """Return the labels of the vendor and of deprecation."""
    labels = {f"{PREFIX}vendor": vendor} if vendor else {}
    return labels | {DEPRECATED_LABEL: "true"} if deprecated else labels


def derived_annotations(
    kind: str, display_name: str, description: str, deprecated: Deprecation | None
) -> dict[str, str]:
    """Return the annotations that hold the texts of an `instancetype` or a `preference`."""
    annotations = {_DISPLAY_NAMES[kind]: display_name, f"{PREFIX}description": description}
    if deprecated:
        annotations |= {REPLACED_BY: deprecated.replaced_by, SUNSET: deprecated.sunset}
    return {key: value for key, value in annotations.items() if value}


def deprecation(manifest: Mapping[str, Any]) -> str | None:
    """Say what to use instead of an instance type or preference, and how long it stays; None if it is not deprecated.

    "" is a deprecated one that says neither.
    """
    metadata = manifest["metadata"]
    if (metadata.get("labels") or {}).get(DEPRECATED_LABEL) != "true":
        return None
    annotations = metadata.get("annotations") or {}
    return use_until(annotations.get(REPLACED_BY), annotations.get(SUNSET))


def use_until(instead: str | None, sunset: str | None) -> str:
    """Word what to use instead of something deprecated, and how long that stays, as far as either is known."""
    return ", ".join(filter(None, (f"use {instead}" if instead else "", f"until {sunset}" if sunset else "")))


def template_labels(system: str, workload: str, size: str) -> dict[str, str]:
    """Return the labels by which consoles find a VirtualMachineTemplate.

    The vocabulary is that of kubevirt/common-templates, templates/LABELS.md.
    """
    labels = {"os": system, "workload": workload, "flavor": size}
    return {f"{key}.template.kubevirt.io/{value}": "true" for key, value in labels.items()}


def template_annotations(display_name: str, description: str) -> dict[str, str]:
    """Return the annotations that hold the texts of a VirtualMachineTemplate."""
    annotations = {"openshift.io/display-name": display_name, "description": description}
    return {key: value for key, value in annotations.items() if value}


def _flag(value: object) -> str:
    return "true" if value else ""


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


def substitution_patches(overlay: Overlay, objects: Iterable[Data]) -> Iterator[Patch]:
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
