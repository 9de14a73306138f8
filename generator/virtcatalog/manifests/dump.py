"""A fleet as `kubectl get` prints it: VM by VM, without what bears on no domain; held as bytes, there may be many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import msgspec

from virtcatalog.api.kinds import holds_vm, may_matter
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.plainjson import plain_json
from virtcatalog.manifests.read import Part, read_part, unchecked, vms_of
from virtcatalog.manifests.stream import Stream

_METADATA = ("name", "generateName", "namespace", "labels", "annotations")
_STATUS = ("instancetypeRef", "preferenceRef")


def read_dump(stream: Stream) -> Iterator[Data]:
    """Yield every manifest of a file, lists taken apart, first those without a VM; ManifestError for a broken one."""
    yield from others_in(stream)
    yield from vms_in(stream.vms())


def others_in(stream: Stream) -> list[Data]:
    """Return what holds no VM; ManifestError for what is no manifest, and for what VMs may refer to and is wrong.

    It has the problems of `vms_in`, too.
    """
    problems = list(stream.problems)
    for other in stream.others:
        if other.problems and (may_matter(other.data) or not _has_identity(other.data)):
            problems += other.problems
    if not problems:
        return [other.data for other in stream.others]
    try:
        for _ in vms_in(stream.vms()):
            pass
    except ManifestError as error:
        problems += error.problems
    raise ManifestError(*problems)


def vms_in(parts: Iterable[Part]) -> Iterator[Data]:
    """Yield the VMs of parts of a file; ManifestError for texts that cannot be read, when all have been looked at.

    They are not checked: what does not fit their API refuses them. Of what the cluster has written into them only the
    stored revisions are kept.
    """
    problems: list[Problem] = []
    for part in parts:
        try:
            vms = _vms(part)
        except ManifestError as error:
            problems += error.problems
        else:
            yield from map(_slim, vms)
    if problems:
        raise ManifestError(*problems)


def _vms(part: Part) -> list[Data]:
    """Read the VMs of a part; those without a name, which may get one, are checked."""
    plain = _plain(part)
    if plain is not None:
        return [plain]
    vms, problems = vms_of(part, unchecked)
    if problems:
        raise ManifestError(*problems)
    if all(_has_identity(vm.data) for vm in vms):
        return [vm.data for vm in vms]
    manifests, problems = read_part(part)
    problems += [problem for manifest in manifests for problem in manifest.problems]
    if problems:
        raise ManifestError(*problems)
    return [manifest.data for manifest in manifests if holds_vm(manifest.data)]


def _plain(part: Part) -> Data | None:
    """The one VM of a part as kubectl prints it in JSON; None if it may be anything else."""
    data = plain_json(part.text) if part.is_vm else None
    if not isinstance(data, dict):
        return None
    vm = {**part.named, **data} if part.named else data
    return vm if holds_vm(vm) and _has_identity(vm) else None


def _slim(vm: Data) -> Data:
    """The VM without what bears on no domain: a hundred thousand of them are held at once."""
    status = vm.get("status")
    slim = {key: value for key, value in vm.items() if key != "status"}
    slim["metadata"] = {key: value for key, value in vm["metadata"].items() if key in _METADATA}
    if isinstance(status, dict):
        slim["status"] = {key: status[key] for key in _STATUS if key in status}
    return slim


def _has_identity(data: Any) -> bool:
    """Whether data is of a kind, and has a name, and a namespace if any, that are texts."""
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        return False
    metadata = data.get("metadata")
    return (
        isinstance(metadata, dict)
        and isinstance(metadata.get("name"), str)
        and isinstance(metadata.get("namespace"), str | None)
    )


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
            return [_unpacked(held) for held in self._held[index]]
        return _unpacked(self._held[index])


def _unpacked(held: bytes | Data) -> Data:
    return _decode(held) if isinstance(held, bytes) else held
