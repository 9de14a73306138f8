"""Every instance type with every preference: which pairs fit, judged as KubeVirt judges a VM of the two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import CLUSTER_KINDS
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.check.minimal import host_of, lone_vm, minimal_vm, required_architecture
from virtcatalog.check.subject import Subject
from virtcatalog.errors import Cause, Reason, UnsupportedError, VirtcatalogError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.kubevirt.preference.requirements import check_requirements
from virtcatalog.kubevirt.preference.topology import check_spread, guest_topology
from virtcatalog.limits import PAIRS
from virtcatalog.manifests.identity import Data
from virtcatalog.progress import tracked

_NUMBERS = {"cpu": ("guest", "maxSockets"), "memory": ("guest", "maxGuest")}
_EXPANSION = 50
"""So many pairs take as long as one for which a VM is expanded."""


class Verdict(msgspec.Struct, frozen=True):
    """Whether a VM of a pair is admitted; if not, at which of its fields, and why."""

    fits: bool
    field: str = ""
    reason: str = ""


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """An instance type, a preference and the verdict."""

    instancetype: str
    preference: str
    fits: bool
    field: str = ""
    reason: str = ""


class Shared:
    """What the judges of one run share: their budget, and which objects are admitted alone."""

    def __init__(self) -> None:
        self._left = PAIRS
        self._alone: dict[bytes, dict[tuple[bool, bytes], bool]] = {}

    def spend(self, pairs: int) -> None:
        """Count what takes as long as so many pairs."""
        self._left -= pairs
        if self._left < 0:
            raise VirtcatalogError(
                f"a run judges {PAIRS:,} pairs of an instance type and a preference at most (one that a site shows "
                "counts as 2), and here are more: name fewer environments, or split the catalog"
            )

    def alone(self, cluster: Cluster, configurations: Iterable[Data]) -> dict[tuple[bool, bytes], bool]:
        """Return whether objects are admitted alone, by their specs, by what was judged beside these others."""
        key = msgspec.json.encode((cluster.release.name, list(configurations)), order="deterministic")
        return self._alone.setdefault(key, {})


class Judge:
    """Judges pairs in a cluster of which only the configuration and the architecture count.

    Spread and requirements are looked at for every pair. All else that KubeVirt may refuse depends on few things
    besides what the instance type and the preference are: a VM is expanded for one pair of each kind, and for every
    pair of a kind whose VM is refused.
    """

    def __init__(
        self,
        objects: Sequence[Subject],
        configurations: Sequence[Data] = (),
        conditions: Conditions | None = None,
        shared: Shared | None = None,
    ) -> None:
        conditions = conditions or Conditions()
        self.architecture = conditions.architecture
        hosts = [host_of(subject).manifest for subject in objects if subject.is_preference]
        manifests = [*(subject.manifest for subject in objects), *hosts, *configurations]
        self._cluster = Cluster.under(manifests, conditions)
        self._shared = shared or Shared()
        self._alone = self._shared.alone(self._cluster, configurations)
        self._types: dict[int, _Type] = {}
        self._preferences: dict[int, _Preference] = {}
        self._kinds: dict[tuple[Any, ...], bool] = {}

    def verdict(self, instancetype: Subject, preference: Subject) -> Verdict:
        """Judge a pair of the objects that the judge has."""
        self._shared.spend(1)
        judged_type, judged_preference = self._type(instancetype), self._preference(preference)
        causes = check_spread(judged_type.spec, judged_preference.spec) or check_requirements(
            judged_type.spec, judged_preference.spec, judged_preference.vmi
        )
        if causes:
            return _refused(causes[0])
        vcpus, most = judged_type.spec.cpu.guest, judged_type.spec.cpu.max_sockets
        topology = guest_topology(vcpus, judged_preference.spec)
        crowded = topology.sockets > (most or vcpus)
        layout = (topology.sockets > 1, topology.cores > 1, min(topology.threads, 3), crowded)
        kind = (judged_type.kind, judged_preference.key, layout)
        if self._kinds.get(kind):
            return _FITS
        verdict = self._expand(minimal_vm(instancetype, preference))
        self._kinds[kind] = verdict.fits
        return verdict

    def admits(self, subject: Subject) -> bool:
        """Whether a VM is admitted that has the object and, beside a preference, what that requires."""
        key = subject.is_preference, msgspec.json.encode(subject.spec, order="deterministic")
        admitted = self._alone.get(key)
        if admitted is None:
            admitted = self._alone[key] = self._expand(lone_vm(subject)).fits
        return admitted

    def fails_to_spread(self, instancetype: Subject, preference: Subject) -> bool:
        """Whether the instance type meets the preference's requirements, and its vCPUs cannot be spread."""
        self._shared.spend(1)
        judged_type, judged_preference = self._type(instancetype), self._preference(preference)
        return bool(check_spread(judged_type.spec, judged_preference.spec)) and not check_requirements(
            judged_type.spec, judged_preference.spec, judged_preference.vmi
        )

    def _expand(self, vm: Data) -> Verdict:
        """Whether a VM is admitted; not where that cannot be told."""
        self._shared.spend(_EXPANSION)
        try:
            result = create_vmi(vm, self._cluster)
        except UnsupportedError as error:
            return Verdict(fits=False, field=error.field, reason=error.sentence)
        if result.admitted:
            return _FITS
        return _refused(result.causes[0] if result.causes else result.reasons[0])

    def _type(self, subject: Subject) -> _Type:
        read = self._types.get(id(subject))
        if read is None:
            read = self._types[id(subject)] = _Type(subject)
        return read

    def _preference(self, subject: Subject) -> _Preference:
        preference = self._preferences.get(id(subject))
        if preference is None:
            preference = self._preferences[id(subject)] = _Preference(subject, self.architecture)
        return preference


class _Type:
    """An instance type, read; `kind` is its spec without the numbers."""

    def __init__(self, subject: Subject) -> None:
        self.spec = convert(subject.spec, VirtualMachineInstancetypeSpec)
        rest = dict(subject.spec)
        for part, numbers in _NUMBERS.items():
            rest[part] = {key: value for key, value in rest[part].items() if key not in numbers}
        self.kind = msgspec.json.encode(rest, order="deterministic")


class _Preference:
    """A preference, read; `vmi` is as much of a VMI as its requirements look at."""

    def __init__(self, subject: Subject, architecture: str) -> None:
        self.spec = convert(subject.spec, VirtualMachinePreferenceSpec)
        self.key = msgspec.json.encode(subject.spec, order="deterministic")
        self.vmi = convert({"domain": {"devices": {}}}, VirtualMachineInstanceSpec)
        self.vmi.architecture = required_architecture(subject.spec) or self.spec.preferred_architecture or architecture


_FITS = Verdict(fits=True)


def _refused(cause: Cause | Reason) -> Verdict:
    return Verdict(fits=False, field=cause.field, reason=cause.message)


def distinct(objects: Iterable[Subject]) -> tuple[list[Subject], list[Subject]]:
    """Return instance types and preferences by name, without the namespaced twins of cluster-wide objects."""
    by_name: dict[tuple[bool, str], list[Subject]] = {}
    for subject in sorted(objects, key=lambda subject: subject.kind not in CLUSTER_KINDS):
        same = by_name.setdefault((subject.is_instancetype, subject.name), [])
        if all(subject.spec != other.spec for other in same):
            same.append(subject)
    subjects = sorted(
        (subject for same in by_name.values() for subject in same), key=lambda subject: (subject.name, subject.kind)
    )
    return [subject for subject in subjects if subject.is_instancetype], [
        subject for subject in subjects if subject.is_preference
    ]


def pairs(
    objects: Iterable[Subject],
    configurations: Sequence[Data] = (),
    conditions: Conditions | None = None,
    shared: Shared | None = None,
) -> Iterator[Pair]:
    """Yield every pair of objects that a VM can use together, by name."""
    types, preferences = distinct(objects)
    judge = Judge([*types, *preferences], configurations, conditions, shared)
    for instancetype in tracked(types, len(types), "instance types"):
        for preference in preferences:
            if share_namespace(instancetype, preference):
                verdict = judge.verdict(instancetype, preference)
                yield Pair(
                    instancetype=instancetype.name,
                    preference=preference.name,
                    fits=verdict.fits,
                    field=verdict.field,
                    reason=verdict.reason,
                )


def share_namespace(instancetype: Subject, preference: Subject) -> bool:
    """Whether there is a namespace in which a VM can use both."""
    return not instancetype.namespace or not preference.namespace or instancetype.namespace == preference.namespace
