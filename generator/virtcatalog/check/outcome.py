"""What KubeVirt makes of the VMs under check: computed once for VMs that are alike, and cached for the next run."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from virtcatalog.api.names import metadata_faults
from virtcatalog.capacity.nodes import amounts
from virtcatalog.errors import UNKNOWN_FIELD, UnsupportedError
from virtcatalog.fleet.alike import Alike, labels_matter
from virtcatalog.fleet.cache import Cache, digest, key_of
from virtcatalog.fleet.inputs import Inputs, encoded, identities_of
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.kubevirt.pod.amounts import pod_requests
from virtcatalog.manifests.identity import Data, identity, namespace_of

Message = tuple[str, str]
"""A sentence and the field that it is about."""


class Outcome(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """The messages about a VM, and the requests of its Pod, None when it has no Pod."""

    requests: dict[str, int] | None = None
    unsupported: Message | None = None
    pod_error: Message | None = None
    reasons: tuple[Message, ...] = ()
    warnings: tuple[Message, ...] = ()

    @property
    def silent(self) -> bool:
        """Whether there are no messages."""
        return not (self.unsupported or self.pod_error or self.reasons or self.warnings)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Outcome).decode


class Expander:
    """Expands the VMs of one cluster."""

    def __init__(self, manifests: Sequence[Data], cluster: Cluster, cache: Cache | None = None) -> None:
        """`manifests` are the cluster's objects."""
        self._cluster, self._cache = cluster, cache
        self._inputs = Inputs(manifests, cluster.conditions) if cache is not None else None
        self._namespaces = frozenset(map(namespace_of, manifests))
        self._alike = Alike(cluster, labels_matter=labels_matter(cluster))
        self._silent: dict[bytes, Outcome] = {}

    def outcome(self, vm: Data) -> Outcome:
        """Return the outcome of a VM. Messages may name the VM, so that alike VMs share silent outcomes only."""
        if any(metadata_faults(vm.get("metadata") or {})):
            return self._cached(vm)
        lengths = len(identity(vm)[2]), len(namespace_of(vm))  # names that are derived from these have limits
        key = digest(self._alike.key(vm, self._namespaces), encoded([lengths, vm.get("status")]))
        outcome = self._silent.get(key)
        if outcome is None:
            outcome = self._cached(vm)
            if outcome.silent:
                self._silent[key] = outcome
        return outcome

    def _cached(self, vm: Data) -> Outcome:
        if self._cache is None or self._inputs is None:
            return self._expand(vm)
        key = key_of(b"a VM of check", encoded(vm), self._inputs.of(namespace_of(vm), identities_of(vm)))
        outcome = self._cache.recall(key, _decode)
        if outcome is None:
            outcome = self._expand(vm)
            self._cache.put(key, _encode(outcome))
        return outcome

    def _expand(self, vm: Data) -> Outcome:
        try:
            result = expand(vm, self._cluster)
            pod, pod_error = result.pod, result.pod_error
        except UnsupportedError as error:
            return Outcome(unsupported=(error.sentence, error.field))
        return Outcome(
            requests=None if pod is None else amounts(pod_requests(pod)),
            # Where the VM is refused, the reasons say why it has no Pod.
            pod_error=(pod_error.message, pod_error.field) if pod_error is not None and result.admitted else None,
            # Fields that a release does not know are findings of `releases`.
            reasons=tuple((reason.sentence, reason.field) for reason in result.reasons if reason.type != UNKNOWN_FIELD),
            warnings=tuple(
                (warning.sentence, "" if warning.object else warning.field)
                for warning in result.warnings
                if warning.type != "Pruned"
            ),
        )
