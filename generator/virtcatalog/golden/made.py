"""What golden tests compare, made of VM templates: kept for the next run, in clusters that those of one place share."""

from __future__ import annotations

import msgspec

from virtcatalog.cache import Cache, key_of
from virtcatalog.errors import Reason
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.inputs import Inputs, encoded, named
from virtcatalog.kubevirt.pipeline import Result, expand
from virtcatalog.kubevirt.pod.amounts import extract
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.identity import Data, namespace_of

#: How Pods are kept beside the XML.
PODS = ("none", "extract", "whole")


class Made(msgspec.Struct, frozen=True, array_like=True):
    """The domain and, where Pods are kept, the Pod or the field and the reason why there is none."""

    xml: str | None
    pod: str | None = None
    podless: tuple[str, str] | None = None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Made).decode


class Met:
    """What the VM templates of one environment meet."""

    def __init__(self, manifests: list[Data], conditions: Conditions, cache: Cache | None) -> None:
        """ManifestError names what is wrong in the manifests."""
        self._cluster, self._cache = Cluster.under(manifests, conditions), cache
        self._inputs = None if cache is None else Inputs(manifests, self._cluster.conditions)

    def made(self, vm: Data, pods: str) -> Made | tuple[Reason, ...]:
        """Return what an admitted VM becomes, or why one is refused; `pods` says how Pods are kept."""
        if self._cache is None or self._inputs is None:
            return _made(vm, self._cluster, pods)
        inputs = self._inputs.of(namespace_of(vm), named(vm))
        key = key_of(b"a golden test", pods.encode(), encoded(vm), inputs)
        kept = self._cache.recall(key, _decode)
        if kept is not None:
            return kept
        found = _made(vm, self._cluster, pods)
        if isinstance(found, Made):
            self._cache.put(key, _encode(found))
            self._cache.trim()
        return found


def _made(vm: Data, cluster: Cluster, pods: str) -> Made | tuple[Reason, ...]:
    result = expand(vm, cluster)
    if not result.admitted:
        return result.reasons
    if pods == "none":
        return Made(result.domain_xml)
    error = result.pod_error
    return Made(result.domain_xml, _pod(result, pods), None if error is None else (error.field, error.message))


def _pod(result: Result, pods: str) -> str | None:
    """The Pod as it is kept, as YAML."""
    if result.pod is None:
        return None
    return dump(result.pod if pods == "whole" else extract(result.pod))
