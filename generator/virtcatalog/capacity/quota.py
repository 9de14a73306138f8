"""What namespaces may have, and what their VMs ask for: ResourceQuota as the API server applies it, and AAQ's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.nodes import ApplicationAwareResourceQuota, LimitRange, ResourceQuota
from virtcatalog.api.quantity import Quantity
from virtcatalog.capacity import applicationaware as aaq
from virtcatalog.capacity.limitranges import against_defaults, against_ranges, defaulted
from virtcatalog.capacity.pods import Looks
from virtcatalog.capacity.usage import Pod, allowed, counts, is_judged, pod_usage, silences
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pod.amounts import Amounts

_LOOKS = 50
"""Checking a VM against a quota takes as long as this number of looks at a node."""
_ZERO = Quantity()


class PodRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A VM's Pod as virt-controller sends it to the API server; `automatic` names limits that KubeVirt itself set."""

    name: str
    namespace: str
    pod: dict[str, Any]
    guest: aaq.Guest
    automatic: tuple[str, ...] = ()


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One resource of a quota: what is allowed, and what the VMs of its namespace ask for together."""

    namespace: str
    kind: str
    quota: str
    resource: str
    hard: Quantity
    requested: Quantity

    @property
    def over(self) -> bool:
        """Whether the VMs ask for more than is allowed."""
        return self.requested > self.hard


class Refusal(msgspec.Struct, frozen=True):
    """A VM whose Pod the API server would refuse, or AAQ hold back: because of which object, and why."""

    vm: str
    object: str
    message: str


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What the quotas and limits of a cluster say of its VMs; `automatic` counts VMs by namespace and resource.

    `unjudged` are resources of quotas that do not concern Pods, such as claims. `undecided` are quotas that do, of
    which virtcatalog cannot tell what VMs take, and `notes` what is assumed.
    """

    lines: tuple[Line, ...]
    refusals: tuple[Refusal, ...]
    automatic: Mapping[tuple[str, str], int]
    unjudged: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Judge:
    """Takes VMs one by one, as if they started in this order; those that no longer fit are refused or held back."""

    def __init__(self, cluster: Cluster, looks: Looks | None = None) -> None:
        self._looks = looks or Looks()
        self._ranges: dict[str, list[LimitRange]] = {}
        for limit_range in cluster.limit_ranges:
            self._ranges.setdefault(namespace_or_default(limit_range.metadata.namespace), []).append(limit_range)
        quotas = cluster.application_quotas
        own = [quota for quota in cluster.quotas if not aaq.is_managed(quota, quotas)]
        self._admitting = _by_namespace([*map(_Filling, own), *map(_managed, quotas)])
        self._gate = aaq.gate_of(cluster)
        self._gating = _by_namespace([] if self._gate.undecided else map(_counted, quotas))
        self._undecided = tuple(_undecided(cluster, self._gate))
        self._refusals: list[Refusal] = []
        self._automatic: dict[tuple[str, str], int] = {}

    def take(self, vm: PodRequest) -> None:
        """Judge the next VM; only the answer is stored."""
        for resource in vm.automatic:
            self._automatic[vm.namespace, resource] = self._automatic.get((vm.namespace, resource), 0) + 1
        ranges = self._ranges.get(vm.namespace, ())
        quotas, gates = self._admitting.get(vm.namespace, ()), self._gating.get(vm.namespace, ())
        if not quotas and not ranges and not gates:
            return
        self._looks.take(_LOOKS * (len(quotas) + len(ranges) + len(gates)))
        pod = defaulted(vm.pod, ranges)
        usage = pod_usage(pod)
        by_ranges = chain(against_ranges(pod, vm.namespace, ranges), against_defaults(vm.pod, vm.namespace, ranges))
        against = [Refusal(vm.name, *refusal) for refusal in by_ranges]
        chosen = [quota for quota in quotas if counts(quota.spec, pod)]
        for quota in chosen:
            against += [Refusal(vm.name, quota.object, message) for message in silences(pod, quota.spec.hard)]
            against += [Refusal(vm.name, quota.object, message) for message in quota.ask(usage)]
        if not against:
            for quota in chosen:
                quota.take(usage)
            against = list(self._held_back(vm, pod, usage, gates))
        self._refusals += against[:1]

    def judgement(self) -> Judgement:
        """Return the judgement of all VMs so far."""
        fillings = [
            *(filling for _, fillings in sorted(self._admitting.items()) for filling in fillings),
            *(filling for _, fillings in sorted(self._gating.items()) for filling in fillings),
        ]
        unjudged = {name for filling in fillings for name in filling.spec.hard if not is_judged(name)}
        return Judgement(
            lines=tuple(line for filling in fillings for line in filling.lines()),
            refusals=tuple(self._refusals),
            automatic=self._automatic,
            unjudged=tuple(sorted(unjudged)),
            undecided=self._undecided,
            notes=self._gate.notes,
        )

    def _held_back(self, vm: PodRequest, pod: Pod, usage: Amounts, gates: Sequence[_Filling]) -> Iterator[Refusal]:
        """Let AAQ's gate judge a Pod that the API server has taken.

        The gate asks quotas without their scopes, which only choose what counts as used
        (pkg/aaq-controller/aaq-gate-controller, getArtificialRqsForGateController).
        """
        vm_usage = self._gate.usage(vm.guest, usage)
        counting = [quota for quota in gates if counts(quota.spec, pod)]
        is_held = False
        for quota in gates:
            over = quota.ask(vm_usage) if quota in counting else quota.over(vm_usage)
            if quota.holds_back and vm.namespace not in self._gate.open_namespaces:
                for message in over:
                    is_held = True
                    yield Refusal(vm.name, quota.object, f"{message}: AAQ holds it back")
        if not is_held:
            for quota in counting:
                quota.take(vm_usage)


class _Filling:
    """A quota, and how the VMs of its namespace fill it: what all `requested`, and those `used` that it lets in."""

    def __init__(
        self, quota: ResourceQuota | ApplicationAwareResourceQuota, hard: Mapping[str, Quantity] | None = None
    ) -> None:
        self.kind = type(quota).__name__
        self.namespace, self.name = namespace_or_default(quota.metadata.namespace), quota.metadata.name
        self.spec = quota.spec if hard is None else msgspec.structs.replace(quota.spec, hard=dict(hard))
        self.holds_back = isinstance(quota, ResourceQuota) or aaq.is_gated(quota)
        self.requested: Amounts = {}
        self.used: Amounts = {}

    @property
    def object(self) -> str:
        """The object, as messages name it."""
        return f"{self.kind}/{self.namespace}/{self.name}"

    def ask(self, usage: Amounts) -> list[str]:
        """Add what a VM asks for; return why there is no room for it."""
        _add(self.requested, self._of(usage))
        return self.over(usage)

    def over(self, usage: Amounts) -> list[str]:
        """Say of what there is not enough."""
        messages = []
        for name, amount in sorted(self._of(usage).items()):
            hard, used = self.spec.hard[name], self.used.get(name, _ZERO)
            if amount and used + amount > hard:
                text = f"allows {allowed(name, hard)} of {name}; {allowed(name, hard - used)} is left"
                messages.append(f"{text}, and the VM's Pod asks for {allowed(name, amount)}")
        return messages

    def take(self, usage: Amounts) -> None:
        """Let a VM in."""
        _add(self.used, self._of(usage))

    def lines(self) -> Iterator[Line]:
        """Yield what is asked for, resource by resource."""
        for resource, hard in sorted(self.spec.hard.items()):
            if is_judged(resource):
                amount = self.requested.get(resource, _ZERO)
                yield Line(
                    namespace=self.namespace,
                    kind=self.kind,
                    quota=self.name,
                    resource=resource,
                    hard=hard,
                    requested=amount,
                )

    def _of(self, usage: Amounts) -> Amounts:
        return {name: usage[name] for name in self.spec.hard if name in usage}


def _by_namespace(fillings: Iterable[_Filling]) -> dict[str, list[_Filling]]:
    by_namespace: dict[str, list[_Filling]] = {}
    for filling in fillings:
        if filling.spec.hard:
            by_namespace.setdefault(filling.namespace, []).append(filling)
    return by_namespace


def _managed(quota: ApplicationAwareResourceQuota) -> _Filling:
    """The part of an AAQ quota of which AAQ makes a ResourceQuota: the API server refuses Pods by it."""
    return _Filling(quota, {name: hard for name, hard in quota.spec.hard.items() if not aaq.is_counted(name)})


def _counted(quota: ApplicationAwareResourceQuota) -> _Filling:
    """The part of an AAQ quota that AAQ's gate counts."""
    return _Filling(quota, {name: hard for name, hard in quota.spec.hard.items() if aaq.is_counted(name)})


def _undecided(cluster: Cluster, gate: aaq.Gate) -> Iterator[str]:
    if gate.undecided:
        for quota in cluster.application_quotas:
            namespace = namespace_or_default(quota.metadata.namespace)
            yield f"{aaq.KIND}/{namespace}/{quota.metadata.name}: {gate.undecided}"
    for cluster_quota in cluster.application_cluster_quotas:
        yield f"ApplicationAwareClusterResourceQuota/{cluster_quota.metadata.name}: it is about several namespaces"


def _add(amounts: Amounts, added: Mapping[str, Quantity]) -> None:
    for name, amount in added.items():
        amounts[name] = amounts.get(name, _ZERO) + amount
