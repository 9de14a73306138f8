"""Who wrote which field of an object, and when, as the API server notes it in `metadata.managedFields`.

Source: sigs.k8s.io/structured-merge-diff, fieldpath/serialize.go.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import msgspec

from virtcatalog.api.findings import Item, Path
from virtcatalog.manifests.identity import Data, without_metadata

Role = Literal["gitops", "apply", "virtctl", "kubevirt", "hand"]
"""A controller that syncs Git; a program that applies manifests once; a subresource that virtctl or a console calls;
KubeVirt itself; anybody else."""

_GITOPS: Final = (
    *("argocd-controller", "argocd-application-controller", "kustomize-controller", "helm-controller"),
    *("fleetagent", "kapp-controller", "configsync.gke.io", "sveltos"),
)
_APPLY: Final = ("kubectl-client-side-apply", "kubectl", "kapp", "helm", "Helm", "ansible", "OpenAPI-Generator")
_KUBEVIRT: Final = (
    *("virt-controller", "virt-operator", "virt-handler", "virt-launcher", "virt-template-controller"),
    *("cdi-controller", "cdi-operator", "kubemacpool"),
)
#: Labels and annotations by which a controller knows its own objects again.
_TRACKED: Final = (
    *("argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance", "kustomize.toolkit.fluxcd.io/name"),
    "helm.toolkit.fluxcd.io/name",
)


class Writer(msgspec.Struct, frozen=True):
    """Who wrote a field: the manager's name, its role, how (`Apply`, `Update`), and when (RFC 3339)."""

    manager: str
    role: Role
    operation: str = ""
    when: str = ""

    def __str__(self) -> str:
        return f"{self.manager}, {self.when}" if self.when else self.manager


class Managers:
    """The managers of an object's fields."""

    def __init__(self, manifest: Data) -> None:
        metadata = manifest.get("metadata")
        self._metadata: Data = metadata if isinstance(metadata, dict) else {}
        entries = self._metadata.get("managedFields")
        self._entries: Sequence[Any] = [
            entry for entry in (entries if isinstance(entries, list) else ()) if isinstance(entry, dict)
        ]

    @property
    def synced_by(self) -> str:
        """The controller that syncs the object from Git, "" when none is known to."""
        for entry in self._entries:
            if _role(entry) == "gitops":
                return str(entry.get("manager"))
        for key in ("labels", "annotations"):
            names = self._metadata.get(key)
            for name in _TRACKED:
                if isinstance(names, dict) and name in names:
                    return "Argo CD" if name.startswith("argocd") else "Flux"
        return ""

    @property
    def created(self) -> str:
        """When the object was created (RFC 3339), "" where nobody says."""
        return str(self._metadata.get("creationTimestamp") or "")

    def writers(self, path: Path) -> list[Writer]:
        """Return who wrote a field, the last one first."""
        writers = [
            Writer(str(entry.get("manager")), _role(entry), str(entry.get("operation")), str(entry.get("time") or ""))
            for entry in self._entries
            if entry.get("subresource") != "status" and _has(entry.get("fieldsV1"), path)
        ]
        return sorted(writers, key=lambda writer: writer.when, reverse=True)

    def writer(self, path: Path) -> Writer | None:
        """Return who wrote a field last, None when nobody says."""
        return next(iter(self.writers(path)), None)

    def applied(self, manifest: Data) -> Data:
        """Return the part of an object that was applied by the server's own apply: what leaves Git leaves it, too."""
        part: Data = {}
        for entry in self._entries:
            if entry.get("operation") == "Apply" and _role(entry) in ("gitops", "apply"):
                _take(part, entry.get("fieldsV1"), manifest)
        return part


def unmanaged(manifest: Data) -> Data:
    """Return an object without the note of who wrote its fields."""
    return without_metadata(manifest, "managedFields")


def role_of(manager: str, operation: str) -> Role:
    """Return what a manager is, by its name."""
    if manager.startswith(_GITOPS):
        return "gitops"
    if manager in _APPLY and (manager != "kubectl" or operation == "Apply"):
        return "apply"
    if manager == "virt-api":
        return "virtctl"
    return "kubevirt" if manager in _KUBEVIRT else "hand"


def _role(entry: Data) -> Role:
    return role_of(str(entry.get("manager")), str(entry.get("operation")))


def _has(fields: Any, path: Path) -> bool:
    """Whether a set of fields has one, or a list or map around it as a whole."""
    for number, step in enumerate(path):
        if not isinstance(fields, dict):
            return False
        if not fields:
            return number > 0
        fields = _below(fields, step)
    return isinstance(fields, dict)


def _below(fields: Data, step: str | int) -> Any:
    if isinstance(step, Item):
        return next((value for key, value in fields.items() if _is_item(key, str(step))), None)
    return fields.get(f"f:{step}")


def _is_item(key: str, name: str) -> bool:
    if not key.startswith("k:"):
        return False
    try:
        keys = json.loads(key[2:])
    except (ValueError, RecursionError):
        return False
    return isinstance(keys, dict) and name in keys.values()


def _take(part: Data, fields: Any, manifest: Any) -> None:
    """Add to a part of an object what a set of fields names of it; lists are taken as a whole."""
    if not isinstance(fields, dict) or not isinstance(manifest, dict):
        return
    for key, below in _named(fields):
        if key not in manifest:
            continue
        value = manifest[key]
        if isinstance(value, dict) and below:
            inner = part.setdefault(key, {})
            _take(inner, below, value)
        else:
            part[key] = value


def _named(fields: Data) -> Iterator[tuple[str, Any]]:
    return ((key[2:], below) for key, below in fields.items() if key.startswith("f:"))
