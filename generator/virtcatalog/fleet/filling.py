"""VMs that are alike are expanded once: their own leaves (name, uid …) are filled into one printed text.

Two stand-ins that differ in every leaf are expanded. If their texts differ in nothing but these leaves, the text is a
template for all VMs that are alike; if not, every one of these VMs is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Final

import msgspec

from virtcatalog.errors import Problem
from virtcatalog.fleet.alike import Likeness, Matcher, compact, has_plain_name, likeness, maps
from virtcatalog.fleet.leaves import GENERATION, LONGEST_NAME, MAC, NAME, TEXT, TIME, UUID, VERSION, leaves_of
from virtcatalog.fleet.outcome import Expansion, Remark, located
from virtcatalog.kubevirt.identity import firmware_serial, firmware_uuid, legacy_firmware_uuid, owner_uid, vmi_uid
from virtcatalog.manifests.blocks import read_block
from virtcatalog.manifests.read import Part

if TYPE_CHECKING:
    from virtcatalog.fleet.files import Share
    from virtcatalog.kubevirt.cluster import Cluster

_WORTH_IT: Final = 4
"""After so many alike VMs, all of them expanded, the stand-ins are expanded."""
_KINDS: Final = 1 << 14
_TRIED, _EVERY = 128, 32
"""After `_TRIED` VMs in a row that are like none before, only one in `_EVERY` is compared."""
_OFTEN: Final = 32
"""After so many alike VMs a pattern is compiled that recognises further ones by their text."""
_PATTERNS: Final = 256

Expand = Callable[["Share", "Cluster"], Iterator[Expansion]]
Write = Callable[[str], str]
_EXPANDED: Final = (["admitted"], ["refused"])

_DERIVED: Final[tuple[Callable[[str, str], str], ...]] = (
    vmi_uid,
    firmware_uuid,
    firmware_serial,
    lambda _, name: legacy_firmware_uuid(name),
    lambda namespace, name: owner_uid("VirtualMachine", namespace, name),
)
"""Identities that follow from a VM's namespace and name."""


class Fillers:
    """Remembers what became of the VMs of a cluster so far, to fill it in for others that are like them."""

    def __init__(
        self,
        expand: Callable[[Share, Cluster], Iterator[Expansion]],
        cluster: Cluster,
        written: Callable[[str], str] | None,
    ) -> None:
        """`expand` says what becomes of VMs in a cluster.

        `written` is how a text of the VM is written there, None where texts are not to be filled in.
        """
        self._expand, self._cluster, self._written = expand, cluster, written
        self._namespaces = cluster.namespaces
        self._kinds: dict[bytes, int | _Filler] = {}
        """By the VMs' kind: how many of them there were, or what fills in the others."""
        self._matchers: dict[int, list[tuple[Matcher, _Filler]]] = {}
        """What finds VMs of which there are many, by how many maps are in them."""
        self._missed = 0

    def of(self, share: Share) -> list[Expansion] | None:
        """Return what becomes of a part that is a VM; None when it has to be expanded to know that."""
        if self._missed >= _TRIED and self._missed % _EVERY:
            self._missed += 1
            return None
        text = _compact(share.part) if share.part.is_vm else None
        expansions = self._filled(text, share) if text is not None else None
        self._missed = 0 if expansions is not None else self._missed + 1
        return expansions

    def _filled(self, text: bytes, share: Share) -> list[Expansion] | None:
        for matcher, template in self._matchers.get(maps(text), ()):
            values = matcher.leaves(text)
            if values is not None:
                return [template.fill(values, share)] if self._is_alone(values) else None
        leaves = leaves_of(text)
        if leaves is None or not self._is_alone(leaves.values):
            return None
        common = likeness(text, leaves)
        kind = common.kind
        number = self._kinds.get(kind, 0)
        if isinstance(number, _Filler):
            self._note_use(number, common)
            return [number.fill(leaves.values, share)]
        if number != _WORTH_IT - 1:
            self._count(kind, number)
            return None
        expansions = list(self._expand(share, self._cluster))
        filler = self._filler(common, share)
        # It has to hold for a VM that is no stand-in, too.
        if filler is not None and [filler.fill(leaves.values, share)] != expansions:
            filler = None
        self._kinds[kind] = filler or _WORTH_IT
        return expansions

    def _is_alone(self, values: Sequence[bytes]) -> bool:
        """Whether a VM's namespace holds no object of the cluster: others may be of this VM alone."""
        return values[1].decode() not in self._namespaces

    def _note_use(self, filler: _Filler, common: Likeness) -> None:
        filler.used += 1
        if filler.used == _OFTEN:
            if sum(map(len, self._matchers.values())) >= _PATTERNS:
                self._matchers.clear()
            self._matchers.setdefault(maps(common.text), []).append((Matcher(common), filler))

    def _count(self, kind: bytes, number: int) -> None:
        if number < _WORTH_IT:
            if len(self._kinds) >= _KINDS:
                self._kinds = {key: value for key, value in self._kinds.items() if isinstance(value, _Filler)}
                if len(self._kinds) > _KINDS // 2:
                    self._kinds.clear()
            self._kinds[kind] = number + 1

    def _filler(self, common: Likeness, share: Share) -> _Filler | None:
        """Make what fills in VMs of a kind, if stand-ins show how."""
        if not has_plain_name(common):
            return None
        first, second = (self._stand_in(common, share, which) for which in (0, 1))
        if first is None or second is None:
            return None
        (one, values), (other, others) = first, second
        filler = _Filler(one, values, common.sorts, self._written)
        return filler if filler.places_texts and filler.makes(other, others) else None

    def _stand_in(self, common: Likeness, share: Share, which: int) -> tuple[Expansion, list[str]] | None:
        """Expand a stand-in; return what becomes of it, and all that is its own."""
        leaves = stand_in(common.sorts, which)
        values = [leaf.decode() for leaf in leaves]
        name, namespace = values[:2]
        looked_up: set[tuple[str, str, str]] = set()
        part = Part(common.with_leaves(leaves), is_vm=True)
        expansions = list(self._expand(share._replace(part=part), self._cluster.watched(looked_up)))
        by_name = any(
            name in wanted or (namespace in wanted and kind != "Namespace")
            for kind, where, wanted in looked_up
            if where != namespace
        )
        # Elsewhere than in its own namespace, in which there is nothing, there may be something for some VMs.
        if by_name or namespace in self._namespaces or [expansion.became for expansion in expansions] not in _EXPANDED:
            return None
        return expansions[0], [*values, *(derive(namespace, name) for derive in _DERIVED)]


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


def stand_in(sorts: str, which: int) -> tuple[bytes, ...]:
    """Return leaves that no VM has by chance: the first stand-in has a short name, the second the longest."""
    return tuple(_drawn(sort, which, index) for index, sort in enumerate(sorts))


def _drawn(sort: str, which: int, index: int) -> bytes:
    chance = Random(f"{which} {index}")  # noqa: S311 - nothing has to be secret
    drawn = f"{chance.getrandbits(160):040x}"
    if index < 2:
        letter = "n" if sort == NAME else "s"
        text = f"zx{letter}j" if which == 0 else f"qk{letter}{drawn}"[:LONGEST_NAME]
    elif sort == UUID:
        text = f"{drawn[:8]}-{drawn[8:12]}-4{drawn[13:16]}-a{drawn[17:20]}-{drawn[20:32]}"
    elif sort == MAC:
        text = f"02:{drawn[0:2]}:{drawn[2:4]}:{drawn[4:6]}:{drawn[6:8]}:f{drawn[9]}"
    elif sort == TIME:
        text = f"20{31 + which}-{1 + index % 12:02}-{1 + index // 12 % 28:02}T{index // 336 % 24:02}:17:{13 + which}Z"
    elif sort in (GENERATION, VERSION):
        text = f"{7 + which}{index:03}{chance.randrange(10**8):08}"
    else:
        text = f"#{drawn}"
    return text.encode()


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

    def __init__(
        self, expansion: Expansion, values: list[str], sorts: str, written: Callable[[str], str] | None
    ) -> None:
        self._expansion, self._written = expansion, written
        self.used = 0
        self._output = _Text(expansion.output, values) if isinstance(expansion.output, str) else None
        self._remarks = [
            None if remark.about else _Text(_worded(remark.problem), values) for remark in expansion.remarks
        ]
        texts = [text for text in (self._output, *self._remarks) if text]
        self._derived = sorted(
            {number - len(sorts) for text in texts for number in text.used() if number >= len(sorts)}
        )
        self._texts = [number for number, sort in enumerate(sorts) if sort == TEXT]
        in_remarks = {number for text in self._remarks if text for number in text.used()}
        in_output = self._output.used() if self._output else set()
        #: Texts of the VM are only where `written` says how they are written.
        self.places_texts = in_remarks.isdisjoint(self._texts) and (
            written is not None or in_output.isdisjoint(self._texts)
        )

    def makes(self, other: Expansion, values: list[str]) -> bool:
        """Whether that is what becomes of a stand-in of these values."""
        one = self._expansion
        output = self._output.filled(values) if self._output else one.output
        if (output, one.became, one.faulty) != (other.output, other.became, other.faulty):
            return False
        return len(one.remarks) == len(other.remarks) and all(
            remark.about == others.about
            and (remark.problem == others.problem if text is None else text.filled(values) == _worded(others.problem))
            for remark, text, others in zip(one.remarks, self._remarks, other.remarks, strict=True)
        )

    def fill(self, leaves: Sequence[bytes], share: Share) -> Expansion:
        """Return what becomes of a VM."""
        values = b"\0".join(leaves).decode().split("\0")  # JSON holds no such character, and this is one step
        if self._written is not None:
            for number in self._texts:
                values[number] = self._written(values[number])
        name, namespace = values[0], values[1]
        derived = [""] * len(_DERIVED)
        for number in self._derived:
            derived[number] = _DERIVED[number](namespace, name)
        values += derived
        expansion = self._expansion
        output = self._output.filled(values) if self._output else expansion.output
        remarks = tuple(self._placed(values, share)) if expansion.remarks else ()
        return Expansion(expansion.became, output, remarks, expansion.faulty)

    def _placed(self, values: list[str], share: Share) -> Iterator[Remark]:
        ((manifest,), _) = share.manifests()
        vm = located(manifest, share.environment)
        for remark, text in zip(self._expansion.remarks, self._remarks, strict=True):
            field, message = text.filled(values).split("\0", 1) if text else ("", "")
            yield Remark(vm.problem(field, message)) if text else remark


def _worded(problem: Problem) -> str:
    return f"{problem.field}\0{problem.message}"
