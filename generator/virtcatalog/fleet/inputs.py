"""All that a VM's expansion depends on beside its own manifest, as a digest. No other module says what that is.

Two VMs with equal manifests and digests become the same. Objects that cannot matter to a VM are left out: a change of
a catalog changes the digests of those VMs alone that use what changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from virtcatalog.api.kinds import CATALOG_KINDS, HOLDERS, vm_spec
from virtcatalog.fleet.cache import digest
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.decoding import CLUSTER_WIDE, counts
from virtcatalog.kubevirt.instancetype.references import named_object
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.manifests.identity import Data, Identity, identity

_encode = msgspec.json.Encoder().encode


class Inputs:
    """What the VMs of a cluster can depend on: the conditions, and the cluster's objects.

    Of instance types and preferences a VM meets those that it names, and of ControllerRevisions those of its namespace.
    Other VMs and kinds that no VM refers to make no difference; all else does, to every VM.
    """

    def __init__(self, manifests: Iterable[Data], conditions: Conditions) -> None:
        """`manifests` and `conditions` are those that the `Cluster` was made of, with the release that counts."""
        self._types: dict[Identity, bytes] = {}
        self._revisions: dict[str, list[bytes]] = {}
        rest = [encoded(plain(conditions))]
        for manifest in manifests:
            kind, namespace, name = located(manifest)
            content = encoded(manifest)
            if kind in CATALOG_KINDS:
                self._types[kind, namespace, name] = digest(content)
            elif kind == "ControllerRevision":
                self._revisions.setdefault(namespace, []).append(content)
            elif counts(manifest) and kind not in HOLDERS:
                rest.append(content)
        self._rest = digest(*rest)
        self._names = digest(*(part.encode() for name in self._types for part in name))

    def of(self, namespace: str, references: Iterable[Identity] | None) -> bytes:
        """Return the digest for a VM of a namespace that refers to these types and preferences; None are unknown ones.

        Of one that is not there KubeVirt's message is followed by what may have been meant.
        """
        parts = [self._rest, *self._revisions.get(namespace, ()), b""]
        if references is None:
            return digest(*parts, self._names, *self._types.values())
        for reference in references:
            known_digest = self._types.get(reference)
            parts += [*(part.encode() for part in reference), b"-" if known_digest is None else known_digest]
            if known_digest is None:
                parts.append(self._names)
        return digest(*parts)


def located(manifest: Mapping[str, Any]) -> Identity:
    """Return what a cluster finds an object by: without a namespace it is in `default`."""
    kind, namespace, name = identity(manifest)
    return kind, "" if kind in CLUSTER_WIDE else namespace or "default", name


def encoded(data: Any) -> bytes:
    """Plain data as bytes, which are the same for the same data in the same order."""
    try:
        return _encode(data)
    except (OverflowError, ValueError):  # a number or a character that msgspec does not write
        return json.dumps(data).encode()


def plain(value: Any) -> Any:
    """Return a value of our own as plain data that is in order."""
    return msgspec.to_builtins(value, enc_hook=_of_mapping, order="deterministic")


def _of_mapping(value: Any) -> Any:
    if isinstance(value, MappingProxyType):
        return dict(value)
    raise NotImplementedError(f"nothing says how a {type(value).__name__} counts")


def identities_of(vm: Data) -> list[Identity] | None:
    """Return the instance type and preference that a VM names; None where it infers one, or names no such kind."""
    spec, identities = vm_spec(vm), []
    if not isinstance(spec, dict):
        return None
    for matcher in MATCHERS:
        reference = spec.get(matcher)
        if not reference:
            continue
        refers = named_object(vm, matcher, reference) if isinstance(reference, dict) else None
        if refers is None or reference.get("inferFromVolume"):
            return None
        identities.append(refers)
    return identities


def either(*alternatives: list[Identity] | None) -> list[Identity] | None:
    """Return all that several lists of references have, None when one of them is not known."""
    lists = [references for references in alternatives if references is not None]
    if len(lists) < len(alternatives):
        return None
    return list(dict.fromkeys(reference for references in lists for reference in references))
