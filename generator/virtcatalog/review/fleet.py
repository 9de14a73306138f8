"""What a change does to the VMs: of VMs that are alike one is expanded, on both sides, and only if it can change."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.instancetype.references import references, refers_to_own_namespace
from virtcatalog.manifests.identity import Data, Identity, identity, namespace_of
from virtcatalog.review.alike import Alike
from virtcatalog.review.comparison import Comparison, KnownField
from virtcatalog.review.judge import Case, Effect, Progress, judge_all, with_removed
from virtcatalog.review.outcome import KINDS, Kind, VmChange, added_or_removed, compare, outcome
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.stored import pins, recreated


class Member(msgspec.Struct, frozen=True):
    """A VM that changes, and when; `template` for VM templates of the catalog."""

    name: str
    effect: Effect
    template: bool = False
    environment: str = ""


class Group(msgspec.Struct, kw_only=True):
    """VMs that change alike; `diff` is that of the first one, whose name stands in it."""

    kind: Kind
    summary: tuple[str, ...]
    diff: str = ""
    members: list[Member] = []


class Users(msgspec.Struct):
    """Who refers to an object: VM templates, VMs that take it as it is now, VMs that keep a stored revision."""

    templates: int = 0
    following: int = 0
    stored: int = 0


class Upgrade(msgspec.Struct, frozen=True, kw_only=True):
    """Another KubeVirt release in some environments ("" is the base), and fields that begin or cease to count."""

    environments: tuple[str, ...]
    old: str
    new: str
    fields: tuple[KnownField, ...] = ()


class Fleet(msgspec.Struct, kw_only=True):
    """What happens to the VMs.

    `unknown` are VMs that refer to what a broken catalog does not tell.
    """

    groups: list[Group] = []
    templates: int = 0
    vms: int = 0
    unknown: list[str] = []
    users: dict[Identity, Users] = {}

    @property
    def changed(self) -> int:
        """How many VMs change in any way."""
        return len({msgspec.structs.replace(m, effect="stored") for group in self.groups for m in group.members})


class Reviewer:
    """Collects what happens to VMs between two sides."""

    def __init__(
        self,
        base: Side,
        head: Side,
        conditions: tuple[Conditions, Conditions] | None = None,
        shared: Sequence[Data] = (),
        environment: str | None = None,
    ) -> None:
        """`environment` is where the VMs of a fleet live, None to go by their namespaces."""
        self._sides = base, head
        self._conditions = conditions or (Conditions(), Conditions())
        self._shared = list(shared)
        self._environment = environment
        self._comparisons: dict[str, Comparison] = {}
        self._groups: dict[tuple[str, ...], Group] = {}
        self._environments = {
            namespace: name
            for side in self._sides
            for name, objects in side.objects.items()
            if name
            for namespace in {identity(each)[1] for each in objects} - {""}
        }
        self.fleet = Fleet()

    def templates(self) -> None:
        """Compare the VM templates of both sides."""
        before, after = ({vm.key: vm for vm in side.vms} for side in self._sides)
        for key in dict.fromkeys([*before, *after]):
            self._template(before.get(key), after.get(key))
        self.fleet.templates = len(before.keys() | after.keys())

    def vms(self, fleet: Sequence[Data], watch: Progress[Case] = iter) -> None:
        """Compare what happens to the VMs of a fleet, each a VirtualMachine's manifest."""
        namespaces = {namespace_of(vm) for vm in fleet if refers_to_own_namespace(vm)}
        homeless = tuple(sorted(namespaces - self._environments.keys() - {"default"}))
        alike: dict[str, Alike] = {}
        cases: dict[tuple[str, bytes], Case] = {}
        names: dict[tuple[str, bytes], list[str]] = {}
        for vm in fleet:
            environment, name = self._environment_of(vm), f"{namespace_of(vm)}/{identity(vm)[2]}"
            comparison = self._comparison(environment, homeless)
            if environment not in alike:
                alike[environment] = Alike(comparison.base, comparison.head, labels_matter=comparison.labels_matter)
            pinned, fresh = pins(vm, comparison.base), recreated(vm)
            refers = references(fresh, comparison.base)
            self._count(refers or (), stored=bool(pinned.matchers))
            if not comparison.is_known(refers):
                self.fleet.unknown.append(name)
            elif comparison.can_change(refers):
                parts = json.dumps([sorted(pinned.matchers), pinned.contents]).encode()
                key = environment, alike[environment].key(fresh, comparison.namespaces) + parts
                if key not in cases:
                    cases[key], names[key] = Case(vm, fresh, pinned, refers, comparison), []
                names[key].append(name)
        for members, verdict in zip(names.values(), judge_all(list(cases.values()), watch), strict=True):
            for effect, change in verdict:
                self._group(change).members += (Member(name, effect) for name in members)
        self.fleet.vms += len(fleet)

    def done(self) -> Fleet:
        """Return what was collected: the gravest changes first, then those of most VMs."""
        order = list(KINDS)
        groups = sorted(self._groups.values(), key=lambda group: (order.index(group.kind), -len(group.members)))
        self.fleet.groups = groups
        return self.fleet

    def upgrades(self) -> Iterator[Upgrade]:
        """Yield what environments run another release after the change, those together that have the same upgrade."""
        found: dict[tuple[str, str], dict[str, set[KnownField]]] = {}
        for environment in dict.fromkeys(name for side in self._sides for name in side.objects):
            comparison = self._comparison(environment)
            old, new = comparison.base.release.name, comparison.head.release.name
            if old != new:
                found.setdefault((old, new), {})[environment] = set(comparison.known_fields())
        for (old, new), fields in found.items():
            every = tuple(sorted(set().union(*fields.values())))
            yield Upgrade(environments=tuple(fields), old=old, new=new, fields=every)

    def _template(self, old: Vm | None, new: Vm | None) -> None:
        vm = new or old
        assert vm is not None
        comparison = self._comparison(vm.environment)
        refers = references(vm.manifest, comparison.head if new else comparison.base)
        if not comparison.is_known(refers):
            self.fleet.unknown.append(vm.key)
            return
        self._count(refers or (), template=True)
        if old is not None and new is not None:
            change = None
            if old.manifest != new.manifest or comparison.can_change(refers):
                outcomes = outcome(old.manifest, comparison.base), outcome(new.manifest, comparison.head)
                change = with_removed(compare(*outcomes, identity(vm.manifest)[2]), comparison.removed(refers))
        elif new is not None:
            change = added_or_removed(outcome(new.manifest, comparison.head))
        else:
            change = added_or_removed(outcome(vm.manifest, comparison.base), gone=True)
        if change is not None:
            member = Member(vm.key, "created", template=True, environment=vm.environment)
            self._group(change).members.append(member)

    def _group(self, change: VmChange) -> Group:
        group = self._groups.get(change.signature)
        if group is None:
            group = Group(kind=change.kind, summary=change.summary, diff=change.make_diff())
            self._groups[change.signature] = group
        return group

    def _count(self, refers: Iterable[Identity], *, template: bool = False, stored: bool = False) -> None:
        for each in refers:
            users = self.fleet.users.setdefault(each, Users())
            if template:
                users.templates += 1
            elif stored:
                users.stored += 1
            else:
                users.following += 1

    def _environment_of(self, vm: Data) -> str:
        if self._environment is not None:
            return self._environment
        return self._environments.get(namespace_of(vm), "") if refers_to_own_namespace(vm) else ""

    def _comparison(self, environment: str, namespaces: Sequence[str] = ()) -> Comparison:
        if environment not in self._comparisons or namespaces:
            key = f"{environment}\0{' '.join(namespaces)}" if namespaces else environment
            if key not in self._comparisons:
                self._comparisons[key] = Comparison(
                    self._sides, environment, self._conditions, self._shared, () if environment else namespaces
                )
            return self._comparisons[key]
        return self._comparisons[environment]
