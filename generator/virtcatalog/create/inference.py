"""The instance type and the preference that KubeVirt takes from a volume, when no name is given."""

from __future__ import annotations

from typing import Any

from virtcatalog.create.options import FlagError
from virtcatalog.create.storage import Storage

_SOURCES = {"pvc", "registry", "snapshot"}


def inferred(storage: Storage, flag: str, volume: str | None, *, explicit: bool) -> dict[str, Any] | None:
    """Return the matcher that infers from a volume, or from the one that boots first.

    When nobody asked for it, what cannot be inferred from gives None, and what fails in the cluster is ignored there.
    Source: withInferredInstancetype, withInferredPreference.
    """
    volume = volume or storage.first()
    fault = _fault(storage, volume)
    if fault and explicit:
        raise FlagError(flag, fault)
    if fault:
        return None
    matcher = {"inferFromVolume": volume}
    return matcher if explicit else {**matcher, "inferFromVolumeFailurePolicy": "Ignore"}


def _fault(storage: Storage, name: str) -> str:
    """Why nothing can be inferred from a volume, "" when it can. Source: volumeValidToInferFrom."""
    if not name:
        return "there is no volume to infer from"
    volume = storage.volume(name)
    if volume is None:
        return f"there is no volume with the name {name!r}"
    if "persistentVolumeClaim" in volume:
        return ""
    if "dataVolume" not in volume:
        return f"nothing can be inferred from the volume {name!r}: it is neither a claim nor imported"
    template = next(
        template for template in storage.templates if template["metadata"]["name"] == volume["dataVolume"]["name"]
    )
    if "sourceRef" in template["spec"] or _SOURCES & template["spec"]["source"].keys():
        return ""
    return f"nothing can be inferred from the volume {name!r}: its type is none of pvc, registry, snapshot and ds"
