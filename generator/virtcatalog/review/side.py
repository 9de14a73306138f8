"""One side of a comparison: what a catalog, an output tree or a repository holds, as far as it is sound."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

import msgspec

from virtcatalog.api.decode import manifest_name
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.model import Budget
from virtcatalog.catalog.places import Source
from virtcatalog.environments import BASE as NOWHERE
from virtcatalog.errors import Problem
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.manifests.layout import CATALOG
from virtcatalog.repositories.documents import Opaque
from virtcatalog.repositories.model import Repository, Resource
from virtcatalog.repositories.placeholders import Open
from virtcatalog.review.units import ANYWHERE, Unit, Views


class Vm(msgspec.Struct, frozen=True, kw_only=True):
    """A VM template in one of the environments that it is for.

    `key` and `environment` are what it is recognised by on the other side, `place` is where it is declared,
    `field` finds one of its fields there. `unit` is the one of a repository that deploys it. `open` are fields of which
    nobody knows the values, so that nothing can be said of it.
    """

    key: str
    manifest: Data
    environment: str = ""
    place: Source
    field: Callable[[str], Source] | None = None
    unit: Unit = ANYWHERE
    open: tuple[Open, ...] = ()

    @property
    def which(self) -> tuple[str, str, str]:
        """Its kind, key and environment, by which it is found on the other side: a pool may have the name of a VM."""
        return self.manifest["kind"], self.key, self.environment

    def problem(self, field: str, message: str) -> Problem:
        """Say what is wrong with one of its fields, where that stands."""
        return Resource(self.manifest, self.field or (lambda _: self.place)).problem(field, message)


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What there is on one side.

    `objects` are the published objects by environment, "" being the base; `companions` what else of a cluster the VM
    templates' files hold, by environment; `overlays` the environments themselves. What is no `catalog` has none.
    `configuration` is the KubeVirt CR that counts in place of those among the objects. `fields` finds where each
    field of the objects is declared, "" being the object itself. `left_out` are the files of a broken catalog that
    could not be read on; "*" when nothing of it could. A `repository` has `views`: what its units meet, in place of
    `companions` and `fields`; `unrendered` says what of it is not looked at, `opaque` what of that holds VMs, by what
    it is recognised by on the other side, `units` what its environments are called, and `incomplete` which of them are
    not there as a whole, and why.
    """

    label: str
    objects: Mapping[str, list[Data]] = {}
    companions: Mapping[str, list[Data]] = {}
    overlays: tuple[Overlay, ...] = ()
    catalog: bool = False
    configuration: Resource | None = None
    budgets: tuple[Budget, ...] = ()
    vms: tuple[Vm, ...] = ()
    fields: Mapping[Identity, Callable[[str], Source]] = {}
    problems: tuple[Problem, ...] = ()
    left_out: frozenset[str] = frozenset()
    repository: Repository | None = None
    views: Views | None = None
    unrendered: tuple[Problem, ...] = ()
    opaque: tuple[tuple[tuple[str, str, int], Opaque], ...] = ()
    units: tuple[str, ...] = ()
    incomplete: Mapping[str, frozenset[str]] = {}

    @property
    def kubevirt(self) -> Data | None:
        """The KubeVirt CR that counts in place of those among the objects."""
        return self.configuration.data if self.configuration is not None else None

    @property
    def nothing(self) -> str:
        """Say that there is no catalog and no manifest of KubeVirt's; "" when there is, or when it cannot be read."""
        anything = self.catalog or self.vms or self.problems or self.unrendered or any(self.objects.values())
        return "" if anything else f"{self.label}: there is no {CATALOG}, and no manifest of KubeVirt's"

    def objects_in(self, environment: str, unit: Unit = ANYWHERE) -> Sequence[Data]:
        """Return what VMs of an environment, of a repository those of a unit, find; without any it is the same."""
        if self.views is not None:
            return self.views.of(unit)
        return self.objects.get(environment if self.overlays else NOWHERE, ())

    def field_of(self, which: Identity, manifest: Data | None) -> Callable[[str], Source] | None:
        """Return what finds the fields of an object, and itself as ""; None where that is not known."""
        if self.views is not None:
            resource = self.views.origin(manifest) if manifest is not None else None
            return resource.field if resource else None
        kind, _, name = which
        return self.fields.get((kind, "", name)) or self.fields.get(which)

    def place_of(self, which: Identity, manifest: Data | None) -> Source | None:
        """Return where an object is declared, None where that is not known."""
        find = self.field_of(which, manifest)
        return find("") if find is not None else None

    def declared_at(self, manifest: Data) -> Source | None:
        """Return where a catalog declares an object, None for an object of no catalog."""
        kind, _, name = identity(manifest)
        find = self.fields.get((kind, "", name))
        return find("") if find is not None else None

    def companions_in(self, environment: str) -> Sequence[Data]:
        """Return what lies beside the VM templates of an environment."""
        return self.companions.get(environment if self.overlays else NOWHERE, ())


def environment_names(side: Side) -> list[str]:
    """Return the names of the environments of a catalog, or of a repository's units."""
    if side.repository is None:
        return [overlay.name for overlay in side.overlays]
    return sorted({name for name in (*side.units, *side.objects, *(vm.environment for vm in side.vms)) if name})


class Sound(msgspec.Struct, frozen=True):
    """Two sides without what a broken file hides on one of them, and the names of that."""

    base: Side
    head: Side
    objects: tuple[str, ...] = ()
    vms: tuple[str, ...] = ()


def sound(base: Side, head: Side) -> Sound:
    """Leave out what either side declares in files that could not be read on the other one."""
    if base.repository is not None and head.repository is not None:
        return _sound_repositories(base, head)
    hidden: set[tuple[str, ...]] = set()
    for broken, other in ((base, head), (head, base)):
        hidden |= {
            identity(manifest)[::2]
            for objects in other.objects.values()
            for manifest in objects
            if _is_hidden(other, other.declared_at(manifest), broken)
        }
    # What can be read on both sides is no part of what cannot, in the same file or not.
    both = {vm.which for vm in base.vms} & {vm.which for vm in head.vms}
    vms = {
        vm.which[:2]
        for broken, other in ((base, head), (head, base))
        for vm in other.vms
        if _is_hidden(other, vm.place, broken) and vm.which not in both
    }
    if not (base.left_out or head.left_out):
        return Sound(base, head)
    environments = base.objects.keys() & head.objects.keys()

    def rest(side: Side) -> Side:
        return msgspec.structs.replace(
            side,
            objects={
                name: [manifest for manifest in objects if identity(manifest)[::2] not in hidden]
                for name, objects in side.objects.items()
                if name in environments
            },
            vms=tuple(vm for vm in side.vms if vm.which[:2] not in vms and vm.environment in environments),
        )

    lost = {vm.key for side in (base, head) for vm in side.vms if vm.environment not in environments}
    names = sorted({"/".join(pair) for pair in hidden})
    return Sound(rest(base), rest(head), tuple(names), tuple(sorted({key for _, key in vms} | lost)))


def _sound_repositories(base: Side, head: Side) -> Sound:
    """Leave out VMs that one side alone has where the other one could not be read or rendered, or was otherwise."""
    lost: dict[int, set[tuple[str, str, str]]] = {0: set(), 1: set()}
    for number, (side, other) in enumerate(((base, head), (head, base))):
        there = {vm.which for vm in other.vms}
        broken = {problem.object for problem in other.problems}
        for vm in side.vms:
            missing = other.incomplete.get(vm.environment)
            unlike = missing is not None and missing != side.incomplete.get(vm.environment)
            is_hidden = _is_hidden(side, vm.place, other) or manifest_name(vm.manifest) in broken
            if vm.which not in there and (unlike or is_hidden):
                lost[number].add(vm.which)
    base, head = (
        msgspec.structs.replace(side, vms=tuple(vm for vm in side.vms if vm.which not in lost[number]))
        for number, side in enumerate((base, head))
    )
    return Sound(base, head, vms=tuple(sorted({key for vms in lost.values() for _, key, _ in vms})))


def _is_hidden(side: Side, place: Source | None, broken: Side) -> bool:
    if "*" in broken.left_out:
        return True
    return place is not None and within(place.file, side.label) in broken.left_out


def within(file: str, label: str) -> str:
    """Return the path in a side of a file that is called after it; the side itself is ""."""
    revision, colon, at = label.rpartition(":")
    path, side = file.removeprefix(f"{revision}{colon}"), PurePosixPath(at).as_posix()
    return "" if path == side else path.removeprefix(f"{side}/")
