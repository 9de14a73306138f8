"""What becomes of VMs, as far as `check` tells it: found once for those that are alike, and kept for the next run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from virtcatalog.api.names import metadata_faults
from virtcatalog.cache import Cache, digest, key_of
from virtcatalog.capacity.nodes import amounts
from virtcatalog.errors import UNKNOWN_FIELD, UnsupportedError
from virtcatalog.kubevirt.alike import Alike, labels_matter
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.inputs import Inputs, encoded, named
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.kubevirt.pod.amounts import pod_requests
from virtcatalog.manifests.identity import Data, identity, namespace_of

Said = tuple[str, str]
"""A sentence and the field that it is about."""


class Expanded(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """What is said of a VM, and what its Pod requests, None where it has none."""

    requests: dict[str, int] | None = None
    unsupported: Said | None = None
    podless: Said | None = None
    reasons: tuple[Said, ...] = ()
    warnings: tuple[Said, ...] = ()

    @property
    def silent(self) -> bool:
        """Whether there is nothing to say."""
        return not (self.unsupported or self.podless or self.reasons or self.warnings)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Expanded).decode


class Expander:
    """Expands the VMs of one cluster."""

    def __init__(self, manifests: Sequence[Data], cluster: Cluster, cache: Cache | None = None) -> None:
        """`manifests` are what the cluster was made of."""
        self._cluster, self._cache = cluster, cache
        self._inputs = Inputs(manifests, cluster.conditions) if cache is not None else None
        self._namespaces = frozenset(map(namespace_of, manifests))
        self._alike = Alike(cluster, labels_matter=labels_matter(cluster))
        self._silent: dict[bytes, Expanded] = {}

    def of(self, vm: Data) -> Expanded:
        """Return what becomes of a VM. What is said of one is never taken for another: it may have its name in it."""
        if any(metadata_faults(vm.get("metadata") or {})):
            return self._kept(vm)
        lengths = len(identity(vm)[2]), len(namespace_of(vm))  # there are limits to names that are made of these
        key = digest(self._alike.key(vm, self._namespaces), encoded([lengths, vm.get("status")]))
        found = self._silent.get(key)
        if found is None:
            found = self._kept(vm)
            if found.silent:
                self._silent[key] = found
        return found

    def _kept(self, vm: Data) -> Expanded:
        if self._cache is None or self._inputs is None:
            return self._found(vm)
        key = key_of(b"a VM of check", encoded(vm), self._inputs.of(namespace_of(vm), named(vm)))
        found = self._cache.recall(key, _decode)
        if found is None:
            found = self._found(vm)
            self._cache.put(key, _encode(found))
        return found

    def _found(self, vm: Data) -> Expanded:
        try:
            result = expand(vm, self._cluster)
            pod, podless = result.pod, result.pod_error
        except UnsupportedError as error:
            return Expanded(unsupported=(error.sentence, error.field))
        said: Any = podless if result.admitted else None  # else the reasons say it
        return Expanded(
            requests=None if pod is None else amounts(pod_requests(pod)),
            podless=None if said is None else (said.message, said.field),
            # Of fields that a release does not know, `releases` tells.
            reasons=tuple((reason.sentence, reason.field) for reason in result.reasons if reason.type != UNKNOWN_FIELD),
            warnings=tuple(
                (warning.sentence, "" if warning.object else warning.field)
                for warning in result.warnings
                if warning.type != "Pruned"
            ),
        )
