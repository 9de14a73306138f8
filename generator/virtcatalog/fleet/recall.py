"""Cached answers that depend on some objects of a cluster: each counts as long as these are the same.

Only what an answer asked its cluster for counts, so that a change of one object costs the answers that looked at it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

import msgspec

from virtcatalog.fleet.cache import Cache, digest
from virtcatalog.fleet.inputs import encoded, located, plain
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.identity import Data, Identity

T = TypeVar("T")

_LOOKED_THROUGH: Final = frozenset({"KubeVirt", "VirtualMachineInstancePreset"})
"""The kinds of which VMs meet all objects, and not one by its name."""


class Objects:
    """What the objects of a cluster are, by digests; `around` is of what every answer depends on."""

    def __init__(self, manifests: Iterable[Data], conditions: Conditions) -> None:
        """`manifests` and `conditions` are those that the `Cluster` was made of, with the release that counts."""
        self._digests: dict[Identity, bytes] = {}
        around = [encoded(plain(conditions))]
        for manifest in manifests:
            which, content = located(manifest), encoded(manifest)
            if which[0] in _LOOKED_THROUGH:
                around.append(content)
            else:
                self._digests[which] = digest(content)
        # What may have been meant by a name that is not there depends on all names.
        self.around = digest(*around, *(part.encode() for which in self._digests for part in which))

    def digest(self, which: Identity) -> bytes:
        """Return what an object is recognised by; b"" for one that is not there."""
        return self._digests.get(which, b"")


class _Entry(msgspec.Struct, frozen=True, array_like=True):
    made_of: tuple[tuple[Identity, bytes], ...]
    answer: msgspec.Raw


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Entry).decode


def entry(answer: object, looked_up: Iterable[Identity], now: Callable[[Identity], bytes]) -> bytes | None:
    """Return what is cached of an answer that these objects were looked up for; None for one that cannot be cached.

    `now` gives the digest of an object.
    """
    try:
        return _encode(_Entry(tuple((which, now(which)) for which in sorted(looked_up)), msgspec.Raw(_encode(answer))))
    except (OverflowError, ValueError):  # a number or a character that msgspec does not write
        return None


def recall(cache: Cache, key: str, now: Callable[[Identity], bytes], decode: Callable[[bytes], T]) -> T | None:
    """Return the answer under a key as long as all that it asked for is the same."""
    entry = cache.recall(key, _decode)
    if entry is None or any(now(which) != then for which, then in entry.made_of):
        return None
    try:
        return decode(bytes(entry.answer))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
