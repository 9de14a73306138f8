"""VMs that are alike, expanded once: what is made of one is filled in for the others.

Two stand-ins for all VMs of a kind are expanded, which differ in everything that is a VM's own. Where what is made of
them differs in just that too, it is filled in for each VM; where it does not, each is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import msgspec

from virtcatalog.cli.expand_warnings import Told
from virtcatalog.cli.outcome import Done
from virtcatalog.cli.vms import located
from virtcatalog.errors import Problem
from virtcatalog.kubevirt.blanks import TEXT, Blank, Known, blank, compact, maps, stand_ins
from virtcatalog.kubevirt.identity import firmware_serial, firmware_uuid, legacy_firmware_uuid, owner_uid, vmi_uid
from virtcatalog.manifests.blocks import read_block
from virtcatalog.manifests.read import Part

if TYPE_CHECKING:
    from virtcatalog.cli.fleet import Share
    from virtcatalog.kubevirt.cluster import Cluster

_WORTH_IT: Final = 4
"""How many VMs there have to be of a kind, of which each has been expanded, before stand-ins are."""
_KINDS: Final = 1 << 14
_TRIED, _EVERY = 128, 32
"""After so many VMs that are like none before, only one in some is looked at."""

_OFTEN: Final = 32
"""How many VMs of a kind have been filled in when its text is made known, so that the next ones are found by it."""
_KNOWN: Final = 256

_DERIVED: Final[tuple[Callable[[str, str], str], ...]] = (
    vmi_uid,
    firmware_uuid,
    firmware_serial,
    lambda _, name: legacy_firmware_uuid(name),
    lambda namespace, name: owner_uid("VirtualMachine", namespace, name),
)
"""What is made of a VM's namespace and name."""


class Alike:
    """Knows what was made of the VMs of a cluster so far; `expand` says what becomes of some in a cluster."""

    def __init__(
        self, expand: Callable[[Share, Cluster], Iterator[Done]], cluster: Cluster, written: Callable[[str], str] | None
    ) -> None:
        """`written` is how the form writes a text within what it makes, None where that is not to be filled in."""
        self._expand, self._cluster, self._written = expand, cluster, written
        self._namespaces = cluster.namespaces
        self._found: dict[bytes, int | _Filler] = {}
        self._known: dict[int, list[tuple[Known, dict[tuple[int, int], bytes]]]] = {}
        """Texts that many VMs have, by how many maps are in them, with the kinds of these by how long names are."""
        self._missed = 0

    def of(self, share: Share) -> list[Done] | None:
        """Return what becomes of a part that is a VM; None when it has to be expanded to know that."""
        if self._missed >= _TRIED and self._missed % _EVERY:
            self._missed += 1
            return None
        text = _compact(share.part) if share.part.is_vm else None
        own, kind = self._identified(text) if text is not None else (None, b"")
        if own is None or own.values[1].decode() in self._namespaces:
            self._missed += 1
            return None
        found = self._found.get(kind, 0)
        if isinstance(found, _Filler):
            self._missed = 0
            found.used += 1
            if found.used == _OFTEN:
                self._remember(own)
            return [found.fill(own, share)]
        if found != _WORTH_IT - 1:
            self._missed += 1
            self._count(kind, found)
            return None
        done = list(self._expand(share, self._cluster))
        filler = self._filler(own, share)
        # Here it is seen whether it holds for a VM that is none of ours, too.
        self._found[kind] = filler if filler and [filler.fill(own, share)] == done else _WORTH_IT
        return done

    def _identified(self, text: bytes) -> tuple[Blank | None, bytes]:
        """Return a VM with its blanks, if it may have any, and which kind it is of."""
        for known, kinds in self._known.get(maps(text), ()):
            own = known.blank(text)
            if own is not None:
                longest = own.longest
                if longest not in kinds:
                    kinds[longest] = _kind(own)
                return own, kinds[longest]
        own = blank(text)
        return own, _kind(own) if own is not None else b""

    def _remember(self, own: Blank) -> None:
        """Know VMs by a text that many have."""
        if sum(map(len, self._known.values())) >= _KNOWN:
            self._known.clear()
        known = Known(own)
        around = self._known.setdefault(known.maps, [])
        if all(each.own.text != own.text for each, _ in around):
            around.append((known, {}))

    def _count(self, kind: bytes, number: int) -> None:
        if number < _WORTH_IT:
            if len(self._found) >= _KINDS:
                self._found = {key: value for key, value in self._found.items() if isinstance(value, _Filler)}
                if len(self._found) > _KINDS // 2:
                    self._found.clear()
            self._found[kind] = number + 1

    def _filler(self, own: Blank, share: Share) -> _Filler | None:
        """Make what fills in VMs of a kind, if stand-ins show how."""
        first, second = (self._stand_in(own, share, which) for which in (0, 1))
        if first is None or second is None:
            return None
        (one, values), (other, others) = first, second
        filler = _Filler(one, values, own.kinds, self._written)
        return filler if filler.is_known and filler.makes(other, others) else None

    def _stand_in(self, own: Blank, share: Share, which: int) -> tuple[Done, list[str]] | None:
        """Expand a VM that has stand-ins in its blanks; return what becomes of it, and all that is its own."""
        given = stand_ins(own, which)
        values = [each.decode() for each in given]
        name, namespace = values[:2]
        asked: set[tuple[str, str, str]] = set()
        part = Part(own.filled(given), is_vm=True)
        done = list(self._expand(share._replace(part=part), self._cluster.watched(asked)))
        by_name = any(
            name in wanted or (namespace in wanted and kind != "Namespace")
            for kind, where, wanted in asked
            if where != namespace
        )
        # Elsewhere than in its own namespace, in which there is nothing, there may be something for some VMs.
        if len(done) != 1 or done[0].became not in ("admitted", "refused") or by_name or namespace in self._namespaces:
            return None
        return done[0], [*values, *(derive(namespace, name) for derive in _DERIVED)]


def _compact(part: Part) -> bytes | None:
    """The VM of a part in compact JSON."""
    text = part.text if isinstance(part.text, bytes) else part.text.encode()
    if text.startswith(b"{") and not part.named:
        return compact(text)
    try:
        data: Any = msgspec.json.decode(text) if text.startswith(b"{") else read_block(text.decode())
        if isinstance(data, list):
            (data,) = data
        return msgspec.json.encode({**(part.named or {}), **data}) if isinstance(data, dict) else None
    except ValueError:
        return None


def _kind(own: Blank) -> bytes:
    return blake2b(own.identity, digest_size=16).digest()


class _Text:
    """A text that holds some of a VM's own values, to be filled with those of another."""

    def __init__(self, text: str, values: list[str]) -> None:
        index = {value: number for number, value in enumerate(values)}
        longest_first = sorted(index, key=len, reverse=True)
        self._parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
        self._numbers = [index[value] for value in self._parts[1::2]]

    def used(self) -> set[int]:
        """Return which values are in it."""
        return set(self._numbers)

    def filled(self, values: list[str]) -> str:
        """Return it with other values."""
        self._parts[1::2] = [values[number] for number in self._numbers]
        return "".join(self._parts)


class _Filler:
    """What becomes of VMs of a kind."""

    def __init__(self, done: Done, values: list[str], kinds: str, written: Callable[[str], str] | None) -> None:
        self._done, self._written = done, written
        self.used = 0
        self._made = _Text(done.made, values) if isinstance(done.made, str) else None
        self._told = [None if each.about else _Text(_said(each.problem), values) for each in done.told]
        given = len(kinds)
        texts = [text for text in (self._made, *self._told) if text]
        self._derived = sorted({number - given for text in texts for number in text.used() if number >= given})
        self._texts = [number for number, kind in enumerate(kinds) if kind == TEXT]
        #: A text of a VM's own stands where it is known how it is written.
        told = {number for text in self._told if text for number in text.used()}
        made = self._made.used() if self._made else set()
        self.is_known = told.isdisjoint(self._texts) and (written is not None or made.isdisjoint(self._texts))

    def makes(self, done: Done, values: list[str]) -> bool:
        """Whether that is what becomes of a stand-in of these values."""
        made = self._made.filled(values) if self._made else self._done.made
        return (made, self._done.became, self._done.faulty) == (done.made, done.became, done.faulty) and all(
            told.about == about.about
            and (told.problem == about.problem if text is None else text.filled(values) == _said(about.problem))
            for told, text, about in zip(self._done.told, self._told, done.told, strict=True)
        )

    def fill(self, own: Blank, share: Share) -> Done:
        """Return what becomes of a VM."""
        values = b"\0".join(own.values).decode().split("\0")  # JSON holds no such character, and this is one step
        if self._written is not None:
            for number in self._texts:
                values[number] = self._written(values[number])
        name, namespace = values[0], values[1]
        derived = [""] * len(_DERIVED)
        for number in self._derived:
            derived[number] = _DERIVED[number](namespace, name)
        values += derived
        made = self._made.filled(values) if self._made else self._done.made
        told = tuple(self._placed(values, share)) if self._done.told else ()
        return Done(self._done.became, made, told, self._done.faulty)

    def _placed(self, values: list[str], share: Share) -> Iterator[Told]:
        ((manifest,), _) = share.manifests()
        vm = located(manifest, share.environment)
        for told, text in zip(self._done.told, self._told, strict=True):
            field, message = text.filled(values).split("\0", 1) if text else ("", "")
            yield Told(vm.problem(field, message)) if text else told


def _said(problem: Problem) -> str:
    return f"{problem.field}\0{problem.message}"
