"""Objects whose fields a cluster stores otherwise than Git has them: Argo CD shows them as out of sync for ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from virtcatalog.api.decode import manifest_name
from virtcatalog.api.names import LAST_APPLIED
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory, Subject, VmCheck
from virtcatalog.check.vms import faults
from virtcatalog.fleet.alike import Alike, labels_matter
from virtcatalog.fleet.cache import digest
from virtcatalog.fleet.inputs import encoded
from virtcatalog.gitops.comparison import Drift, drifts
from virtcatalog.gitops.immutable import frozen_changes
from virtcatalog.gitops.stored import stored
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.manifests.emit import flow
from virtcatalog.manifests.identity import Data, namespace_of
from virtcatalog.repositories.model import Repository

_MOST_BYTES = 256 * 1024
"""The bytes of all annotations, keys and values (apimachinery, TotalAnnotationSizeLimitB)."""
_ESCAPED = (b"<", b">", b"&")
"""What Go's JSON writes as six characters."""

OUT_OF_SYNC = Rule(
    "out-of-sync",
    "warning",
    "The cluster stores a field otherwise than Git has it.",
    'KubeVirt\'s webhook writes the whole spec of a VM anew: `cpu: 2` becomes `cpu: "2"`, `1024Mi` becomes `1Gi`, and '
    "empty lists and maps go; empty labels go from every object. Argo CD compares Git with what is stored, and shows "
    "the object as out of sync for ever; with `selfHeal` it syncs it again and again. Flux, and Argo CD's server-side "
    "diff, ask the API server what an apply would store, and do not mind. In the place of `inferFromVolume` KubeVirt "
    "writes the name that it finds, and refuses `inferFromVolume` beside a name: every later sync of the VM fails, and "
    "Flux applies nothing of its Kustomization then.",
    "Write what is stored: `virtcatalog check --fix` does, and keeps comments and every other byte. What it "
    "can't write `virtcatalog gitops argocd -f` ignores.",
)
STRUCTURED = Rule(
    "out-of-sync-merged",
    "note",
    "The cluster adds to an item of a list, or drops a null: Argo CD shows that where it applies on the server.",
    "With the sync option `ServerSideApply=true` and without server-side diff, Argo CD takes lists as a whole: what "
    "the webhook adds to an item is a difference for ever. No other way of syncing shows it.",
    "Turn on server-side diff (annotation `argocd.argoproj.io/compare-options: ServerSideDiff=true`), leave nulls out, "
    "or take the rules that `virtcatalog gitops argocd` prints.",
)
TOO_LARGE = Rule(
    "annotation-limit",
    "warning",
    "An object is too large to be applied by clients.",
    "Argo CD and `kubectl apply` write the whole object into an annotation, and the API server takes 262,144 bytes of "
    "annotations: the sync fails with `metadata.annotations: Too long`. Flux and server-side apply write none.",
    "Move user data into a Secret, or apply the object on the server: annotation "
    "`argocd.argoproj.io/sync-options: ServerSideApply=true`.",
)
FROZEN = Rule(
    "immutable-field",
    "error",
    "A field changes that no cluster changes once the object is there.",
    "The API server refuses the update: the sync fails until the change is taken back or the object is gone. Of Flux's "
    "Kustomization nothing at all is applied then. Only `check --since REVISION` can tell, and `diff` says it, too.",
    "Give the object another name, and have VMs use that; or delete it in the cluster before the sync, with the data "
    "that it holds. The annotation `argocd.argoproj.io/sync-options: Replace=true,Force=true` has Argo CD do that.",
)
_LONGEST = 60
RULES = (OUT_OF_SYNC, STRUCTURED, TOO_LARGE, FROZEN)


def refused_changes(before: Repository, after: Repository) -> Iterator[Finding]:
    """Yield the changes from one state of a repository to another that clusters refuse."""
    for change in frozen_changes(before, after):
        about = manifest_name(change.resource.data)
        message = f"cannot change once the object is there: {change.advice}"
        environments = (change.unit.name,) if change.unit.kind != "folder" else ()
        place = change.resource.field(change.field)
        yield FROZEN.at(place, message, field=change.field, about=about, environments=environments)


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check the objects that are no VMs; those of the catalog itself are written as they are stored."""
    places = _Places(inventory)
    for subject in (*inventory.objects, *inventory.companions):
        if subject.origin == "import":
            yield from _too_large(subject)
            yield from _findings(subject, places.of(subject).cluster)


class Vms(VmCheck):
    """Checks VMs, and other objects that hold VMs."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__(inventory)
        self._places = _Places(inventory)

    def check(self, vm: Subject) -> Iterator[Finding]:
        """Compare one with what its cluster stores; of VMs that are alike, one stands for those without findings."""
        yield from _too_large(vm)
        place = self._places.of(vm)
        key = digest(place.alike.key(vm.manifest, place.namespaces), encoded(_metadata(vm)))
        if key in place.silent:
            return
        findings = list(_findings(vm, place.cluster))
        if not findings:
            place.silent.add(key)
        yield from findings


def _metadata(vm: Subject) -> list[Any]:
    """What of a VM's metadata may be stored otherwise: VMs may be alike and differ in that."""
    metadata = vm.manifest.get("metadata") or {}
    maps = (metadata.get(name) or {} for name in ("labels", "annotations"))
    return [sorted(metadata), *([not values, None in values.values()] for values in maps)]


class _Place:
    """A cluster that objects are for, and the keys of VMs of which nothing is to be said."""

    def __init__(self, manifests: Sequence[Data], cluster: Cluster) -> None:
        self.cluster = cluster
        self.alike = Alike(cluster, labels_matter=labels_matter(cluster))
        self.namespaces = frozenset(map(namespace_of, manifests))
        self.silent: set[bytes] = set()


class _Places:
    """The clusters of the environments that objects are for."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._sound = [other for other in inventory.companions if not any(faults(other))]
        self._places: dict[tuple[str, str], _Place] = {}

    def of(self, subject: Subject) -> _Place:
        """Return the cluster that an object is for."""
        where = subject.environment, subject.where
        if where not in self._places:
            manifests = self._inventory.met_by(subject, self._sound)
            self._places[where] = _Place(manifests, self._inventory.cluster(manifests, subject.environment))
        return self._places[where]


def _too_large(subject: Subject) -> Iterator[Finding]:
    excess = _annotation_excess(subject.written or subject.manifest)
    if excess:
        message = f"has {excess:,} bytes more than its annotations may have when clients apply it: apply on the server"
        yield subject.finding(TOO_LARGE, message)


def _findings(subject: Subject, cluster: Cluster) -> Iterator[Finding]:
    written = subject.written or subject.manifest
    as_stored = stored(written, cluster)
    for drift in drifts(written, as_stored) if as_stored is not None else ():
        if "client" in drift.modes:
            yield subject.finding(OUT_OF_SYNC, _sentence(drift), drift.field)
        elif drift.modes and not _is_other_null(drift):
            yield subject.finding(STRUCTURED, _sentence(drift), drift.field)


def _is_other_null(drift: Drift) -> bool:
    """Whether it is a null that `null-value` finds."""
    return drift.kind == "dropped" and drift.written is None and drift.path[-1] != "creationTimestamp"


def _sentence(drift: Drift) -> str:
    match drift.kind:
        case "dropped" if drift.path[-1] == "inferFromVolume":
            return (
                "is not stored: KubeVirt writes the name that it finds in its place, and refuses this beside a name, "
                "so that later syncs fail: write the name, or have Argo CD ignore this"
            )
        case "respelled" if drift.written == "":
            return f"is empty, and stored as {_value_text(drift.stored)}: leave it out, or write that"
        case "dropped":
            return f"is {_value_text(drift.written)}, which is not stored: leave it out"
        case "respelled":
            return f"is {_value_text(drift.written)}, and stored as {_value_text(drift.stored)}: write that"
        case "added":
            return f"is not set, and stored as {_value_text(drift.stored)}"


def _value_text(value: Any) -> str:
    text = flow(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _annotation_excess(manifest: Data) -> int:
    """By how many bytes the annotations would be too long once a client has applied an object; 0 if they fit.

    The object is written as kubectl does: compact, and with a line's end (pkg/util/apply.go, GetModifiedConfiguration).
    """
    metadata = manifest.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    if LAST_APPLIED in annotations:  # kubectl leaves out what it wrote before
        annotations = {key: value for key, value in annotations.items() if key != LAST_APPLIED}
        manifest = {**manifest, "metadata": {**metadata, "annotations": annotations}}
    own_size = sum(len(f"{key}{value}".encode()) for key, value in annotations.items())
    applied = encoded(manifest)
    size = own_size + len(LAST_APPLIED) + len(applied) + 1
    if size <= _MOST_BYTES // 6:
        return 0
    size += sum(5 * applied.count(character) for character in _ESCAPED)
    return max(size - _MOST_BYTES, 0)
