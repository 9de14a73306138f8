"""Where an object in Git differs from what a cluster stores of it, and which way of syncing shows that for ever.

Argo CD compares on its own side unless told otherwise: a three-way merge patch, which leaves alone what only the
cluster has (gitops-engine, pkg/diff, ThreeWayDiff), or a structured merge where it applies on the server
(StructuredMergeDiff). Its server-side diff and Flux ask the API server what an apply would store, and webhooks answer
as they did before: neither sees any of this (ServerSideDiff; fluxcd/pkg/ssa, hasDrifted).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec

from virtcatalog.api.findings import Path, field_path
from virtcatalog.manifests.difference import alike
from virtcatalog.manifests.identity import Data

Mode = Literal["client", "structured"]
Kind = Literal["dropped", "respelled", "added"]

#: What the cluster writes into every object's metadata: who sends it, sends what was there once.
WRITTEN_BY_CLUSTER: Final = frozenset(
    {"uid", "resourceVersion", "generation", "selfLink", "managedFields", "deletionTimestamp"}
)
_NOT_COMPARED: Final = frozenset({("metadata", "creationTimestamp"), ("metadata", "namespace"), ("status",)})
"""What Argo CD leaves out of every comparison (pkg/diff, Normalize and removeNamespaceAnnotation)."""
_BY_KEY: Final = frozenset({"resourceClaims", "topologySpreadConstraints", "utilityVolumes"})
"""Lists of a VM that are merged item by item (x-kubernetes-list-type: map); all others belong to who applies them."""


class Drift(msgspec.Struct, frozen=True):
    """One field that is stored otherwise: `written` in Git, `stored` by the cluster; None is absence (or null)."""

    path: Path
    kind: Kind
    written: Any = None
    stored: Any = None

    @property
    def field(self) -> str:
        """The path as the API writes it."""
        return field_path(self.path)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The ways of comparing in which Argo CD shows it."""
        if self.path in _NOT_COMPARED:
            return ()
        if self.kind == "added":
            return ("structured",) if self._in_owned_list else ()
        if self.written is None or self.path == ("metadata", "annotations"):
            return ("structured",)  # a merge patch has no nulls, and Argo CD takes out empty annotations
        return ("client", "structured")

    @property
    def _in_owned_list(self) -> bool:
        return any(isinstance(step, int) and self.path[at - 1] not in _BY_KEY for at, step in enumerate(self.path))


def drifts(manifest: Data, stored: Data) -> Iterator[Drift]:
    """Yield every field of an object in Git that is stored otherwise, in Git's order, then what is added."""
    yield from _differences(manifest, stored, ())


def _differences(written: Any, stored: Any, path: Path) -> Iterator[Drift]:
    if isinstance(written, dict) and isinstance(stored, dict):
        for key, value in written.items():
            inner = (*path, key)
            if inner in _NOT_COMPARED:
                continue
            if key not in stored or (key in WRITTEN_BY_CLUSTER and path == ("metadata",)):
                yield Drift(inner, "dropped", value)
            else:
                yield from _differences(value, stored[key], inner)
        for key, value in stored.items():
            if key not in written and (*path, key) not in _NOT_COMPARED:
                yield Drift((*path, key), "added", None, value)
    elif isinstance(written, list) and isinstance(stored, list) and len(written) == len(stored):
        for index, (item, other) in enumerate(zip(written, stored, strict=True)):
            yield from _differences(item, other, (*path, index))
    elif not alike(written, stored):
        yield Drift(path, "respelled", written, stored)
