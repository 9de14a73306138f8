"""The `ignoreDifferences` of an Argo CD Application: what its VMs need, and no more.

What is a matter of spelling is written otherwise in Git (fixing.py). What is left is what webhooks write in the place
of a field, or add to items of lists: each expression names one field, and only while it has the value that the webhook
gives it, or takes out. So none hides a change in Git.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import msgspec

from virtcatalog.gitops.comparison import Drift, Mode, drifts
from virtcatalog.gitops.rules import valued_expression
from virtcatalog.gitops.stored import spelled, stored
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.manifests.identity import Data, identity

_INFERRED = "KubeVirt writes the name that it infers in the place of this."
_FILLED = "KubeVirt's webhook adds this to the item of a list."


class Ignored(msgspec.Struct, frozen=True, order=True):
    """A field that a comparison leaves out, of all objects of a kind, and why; `in_list` says that a list holds it."""

    group: str
    kind: str
    expression: str
    reason: str
    in_list: bool


class Needs(msgspec.Struct, frozen=True):
    """What objects need so that they are in sync; `misspelled` counts the fields that Git has to write otherwise.

    `refused` are the VMs that the cluster does not store: nobody knows what they need.
    """

    ignored: tuple[Ignored, ...]
    misspelled: int
    refused: tuple[str, ...] = ()

    @property
    def respects(self) -> bool:
        """Whether a sync has to leave these fields as they are: KubeVirt refuses them beside the name that it infers.

        Argo CD then takes lists as a whole from the cluster, so it must not where a list holds one of them.
        """
        return any(not field.in_list for field in self.ignored) and not any(field.in_list for field in self.ignored)


def needs(manifests: Iterable[Data], cluster: Cluster, mode: Mode) -> Needs:
    """Return what the objects need in a cluster, as one of Argo CD's own ways of comparing sees them."""
    ignored: set[Ignored] = set()
    misspelled = 0
    refused: list[str] = []
    for manifest in manifests:
        as_stored, as_spelled = stored(manifest, cluster), spelled(manifest, cluster.release)
        if as_spelled is None:
            continue
        if as_stored is None:
            refused.append(identity(manifest)[2])
            continue
        by_spelling = {drift.path for drift in drifts(manifest, as_spelled) if drift.kind != "added"}
        group = str(manifest["apiVersion"]).rpartition("/")[0]
        for drift in drifts(manifest, as_stored):
            if mode not in drift.modes:
                continue
            if drift.path in by_spelling or drift.kind == "respelled":
                misspelled += 1
            else:
                ignored.add(_ignored(drift, group, str(manifest["kind"])))
    return Needs(tuple(sorted(ignored)), misspelled, tuple(refused))


def _ignored(drift: Drift, group: str, kind: str) -> Ignored:
    in_list = any(isinstance(step, int) for step in drift.path)
    reason = _FILLED if drift.kind == "added" else _INFERRED
    return Ignored(group, kind, valued_expression(drift), reason, in_list)


def written(needed: Needs) -> str:
    """Return the part of an Application's `spec` as YAML, with a comment for each field that says why."""
    return rules_text(needed) + "".join(f"{line}\n" for line in _options(needed))


def rules_text(needed: Needs) -> str:
    """Return `ignoreDifferences` as YAML, with these comments."""
    return "".join(f"{line}\n" for line in _lines(needed))


def _lines(needed: Needs) -> Iterator[str]:
    if not needed.ignored:
        yield "ignoreDifferences: []"
        return
    yield "ignoreDifferences:"
    for group, kind in dict.fromkeys((field.group, field.kind) for field in needed.ignored):
        yield from (f"- group: {group}", f"  kind: {kind}", "  jqPathExpressions:")
        reason = ""
        for field in needed.ignored:
            if (field.group, field.kind) == (group, kind):
                if field.reason != reason:
                    yield f"  # {field.reason}"
                reason = field.reason
                yield f"  - {json.dumps(field.expression) if set(field.expression) & set('{}#') else field.expression}"


def _options(needed: Needs) -> Iterator[str]:
    if needed.respects:
        yield "syncPolicy:"
        yield "  syncOptions:"
        yield "  # A sync leaves them as they are: KubeVirt refuses them beside the names that it infers."
        yield "  - RespectIgnoreDifferences=true"
