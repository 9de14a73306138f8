"""The matchers of a VM that is being created: by name, inferred from a volume, and with the kind that fits the name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from virtcatalog.create import params
from virtcatalog.create.options import FlagError
from virtcatalog.create.storage import Storage
from virtcatalog.kubevirt.matchers import MATCHERS, NAMESPACED_KINDS
from virtcatalog.manifests.identity import identity

Manifest = dict[str, Any]
_SOURCES = {"pvc", "registry", "snapshot"}


def named(flag: str, text: str) -> dict[str, Any]:
    """Return the matcher of `[KIND/]NAME`; without a kind, the API server's default. Source: withInstancetype."""
    kind, name = params.prefixed(flag, text)
    kinds = ("", f"virtualmachine{flag}", f"virtualmachinecluster{flag}")
    if kind.lower() not in kinds:
        raise FlagError(flag, f"there is no kind {kind!r}, only {' and '.join(kinds[1:])}")
    return {"kind": kind.lower(), "name": name} if kind else {"name": name}


def inferred(storage: Storage, flag: str, volume: str | None, *, explicit: bool) -> dict[str, Any] | None:
    """Return the matcher that infers from a volume, or from the one that boots first.

    `explicit` is whether a flag asks for it. Where none does, the result is None when the volume cannot be inferred
    from, and KubeVirt ignores a failure in the cluster.
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


def completed(vm: Manifest, objects: Iterable[Manifest]) -> Manifest:
    """Return the VM with the kind of each matcher that names none, where only a namespaced object has the name.

    Without a kind, KubeVirt takes the cluster-wide object of that name.
    """
    spec = dict(vm["spec"])
    kinds: dict[str, set[str]] = {}
    for kind, _, name in map(identity, objects):
        kinds.setdefault(name, set()).add(kind)
    for key, kind_of in MATCHERS.items():
        matcher = spec.get(key, {})
        if matcher.get("kind") or not matcher.get("name"):
            continue
        kinds_of_name = {kind for kind in kinds.get(matcher["name"], ()) if kind_of(kind)}
        if kinds_of_name and kinds_of_name <= NAMESPACED_KINDS:
            spec[key] = {"kind": kinds_of_name.pop().lower(), **matcher}
    return {**vm, "spec": spec}
