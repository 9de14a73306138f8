"""Manifests of which there may be a hundred thousand: each is bytes until it is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import msgspec

from virtcatalog.manifests.identity import Data

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


class Packed(Sequence[Data]):
    """Holds manifests in a tenth of their memory; each look gives another copy."""

    def __init__(self, manifests: Iterable[Data] = ()) -> None:
        self._held: list[bytes | Data] = []
        for manifest in manifests:
            self.append(manifest)

    def append(self, manifest: Data) -> None:
        """Add a manifest."""
        try:
            self._held.append(_encode(manifest))
        except (OverflowError, ValueError):  # a number of more than 64 bits
            self._held.append(manifest)

    def extend(self, other: Packed) -> None:
        """Add those that others hold."""
        self._held += other._held

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Data]:
        return map(_unpacked, self._held)

    @overload
    def __getitem__(self, index: int) -> Data: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Data]: ...

    def __getitem__(self, index: int | slice) -> Data | Sequence[Data]:
        if isinstance(index, slice):
            return [_unpacked(each) for each in self._held[index]]
        return _unpacked(self._held[index])


def _unpacked(held: bytes | Data) -> Data:
    return _decode(held) if isinstance(held, bytes) else held
