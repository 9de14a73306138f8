"""From which stage the leaves of a VMI are: what the stages make is compared, and taken apart where it differs.

What stages make is of the API's types; fields have the API's names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat, zip_longest
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.api.devices import Devices, Disk
from virtcatalog.api.domainspec import DomainSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.ask.leaves import ABSENT, NESTED, STEPS, Manifest, items

SAID, OF_INSTANCETYPE, OF_PREFERENCE, OF_BOTH, MADE, FINISHED = range(6)
"""Where a leaf is from: what the VM's author wrote; virt-controller or the VM's webhook, which took it from instance
type, preference or both, or from neither; the VMI's webhook."""

_REMEMBERED: Final = 1 << 12


class Values(NamedTuple):
    """A part of a VMI, or a leaf, as stages make it; None or ABSENT where they make nothing of it.

    The VM's webhook does not look at the instance type. Without an instance type or preference that the VM does not
    have, the value is the same.
    """

    final: Any
    mutated: Any
    mutated_without_preference: Any
    started: Any
    started_without_instancetype: Any
    started_without_preference: Any
    started_without_both: Any


Known = dict[bytes, Mapping[str, int]]
"""Origins of parts of domains that many VMs have alike, by all that they depend on.

What the API server reads of a part that an author wrote follows from that part alone.
"""


class Origins:
    """Where leaves are from by field, in the order in which parts of the VMI are added.

    `said` returns what the VM's author wrote at a field, as the API server reads it. What is `known` is added to.
    """

    def __init__(self, said: Callable[[str], Any], known: Known) -> None:
        self.found: dict[str, int] = {}
        self._said, self._known = said, known

    def add(self, field: str, item: Any, written: Any, values: Sequence[Any]) -> None:
        """Add the leaves of a part of the VMI's manifest, for which the VM's author wrote something or ABSENT."""
        if item == written:
            self._add_said(field, item)
        elif item.__class__ not in NESTED or not item:
            self.found[field] = self._of_leaf(field, item, written, values)
        elif not written and _is_started(*values):
            self._add_all(field, item, _of_matchers(*values[3:]))
        elif item.__class__ is list:
            told = written if isinstance(written, list) else ()
            lists = [value if value.__class__ is list else () for value in values]
            rows = zip(item, zip_longest(told, *lists, fillvalue=ABSENT), strict=False)
            # Of other lists, many have something of their VM's alone, such as addresses.
            add = self._add_once if lists[0] and lists[0][0].__class__ is Disk else self.add
            for index, (part, (given, *row)) in enumerate(rows):
                if part == given:
                    self._add_said(field + STEPS[index], part)
                else:
                    add(field + STEPS[index], part, given, row)
        else:
            self._add_parts(field, item, written if isinstance(written, dict) else {}, values)

    def _add_parts(self, field: str, item: Manifest, written: Manifest, values: Sequence[Any]) -> None:
        """Add the leaves of a struct or a map with keys of its author's."""
        kind = values[0].__class__
        blank = {} if kind is dict else _BLANKS[kind]
        wholes = [value if value.__class__ is kind else blank for value in values]
        getters = _GETTERS[kind]
        add = self._add_known if kind is DomainSpec or kind is Devices else self.add
        for step, part in item.items():
            told, below = written.get(step, ABSENT), field + STEPS[step]
            if told == part:
                self._add_said(below, part)
                continue
            if kind is dict:
                row = [*map(dict.get, wholes, repeat(step), repeat(ABSENT))]
            else:
                row = [*map(getters[step], wholes)]
            if part.__class__ in NESTED and part:
                add(below, part, told, row)
            else:
                self.found[below] = self._of_leaf(below, part, told, row)

    def _add_known(self, field: str, item: Any, written: Any, values: Sequence[Any]) -> None:
        """Do as `add` does, once for what many VMs have alike: what neither their authors nor their webhook made."""
        if written or values[1]:
            self.add(field, item, written, values)
        else:
            self._add_once(field, item, written, values)

    def _add_once(self, field: str, item: Any, written: Any, values: Sequence[Any]) -> None:
        """Do as `add` does, once for all parts of which it has the same to go by."""
        key = _PACK((field, written, values))
        known = self._known.get(key)
        if known is None:
            alone = Origins(self._said, self._known)
            alone.add(field, item, written, values)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[key] = alone.found
        self.found |= known

    def _add_said(self, field: str, item: Any) -> None:
        if item.__class__ in NESTED and item:
            self._add_all(field, item, SAID)
        else:
            self.found[field] = SAID

    def _add_all(self, field: str, value: Any, origin: int) -> None:
        """Add the leaves of a map or list, which are all from the same."""
        for step, item in items(value):
            if item.__class__ in NESTED and item:
                self._add_all(field + STEPS[step], item, origin)
            else:
                self.found[field + STEPS[step]] = origin

    def _of_leaf(self, field: str, item: Any, written: Any, values: Sequence[Any]) -> int:
        """The first stage that gave the leaf its value."""
        if written is not ABSENT and written is not None and self._said(field) == item:
            return SAID
        if values[0].__class__ is Quantity:
            if values[0] == values[1] and self._said(field) == item:  # some are written out where nobody said them
                return SAID
            # Equal amounts may be written in other ways.
            values = [str(value) if value.__class__ is Quantity else value for value in values]
        final, mutated, mutated_without_preference, started, typeless, bare, neither = values
        if final == mutated:
            return MADE if mutated == mutated_without_preference else OF_PREFERENCE
        return _of_matchers(started, typeless, bare, neither) if final == started else FINISHED


def _of_matchers(started: Any, typeless: Any, bare: Any, neither: Any) -> int:
    """The instance type or the preference; both when both are needed for the value, or either alone gives it.

    What one of them makes otherwise is not told of both: it is that one that the field needs.
    """
    if typeless != started:
        return OF_BOTH if bare != started else OF_INSTANCETYPE
    if bare != started:
        return OF_PREFERENCE
    return OF_BOTH if neither != started else MADE


def _is_started(final: Any, mutated: Any, _mutated: Any, started: Any, typeless: Any, bare: Any, neither: Any) -> bool:
    """Whether virt-controller made a part as a whole: without instance type or preference the same, or nothing."""
    return (
        not mutated
        and final == started
        and (not typeless or typeless == started)
        and (not bare or bare == started)
        and (not neither or neither == started)
    )


def _packed(value: Any) -> Any:
    return msgspec.msgpack.Ext(0, b"") if value is ABSENT else str(value)


class _Getters(dict[type, Mapping[str, Callable[[Any], Any]]]):
    """How to get the fields of an API type by their names in manifests; of a map, nobody knows before."""

    def __missing__(self, kind: type) -> Mapping[str, Callable[[Any], Any]]:
        names: Iterable[tuple[str, str]] = ()
        if issubclass(kind, msgspec.Struct):
            names = zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)
        found = self[kind] = {name: attrgetter(attribute) for name, attribute in names}
        return found


class _Blanks(dict[type, Any]):
    """What has, in each field of an API type, what is not written out; ABSENT where the type writes whatever it has."""

    def __missing__(self, kind: type[msgspec.Struct]) -> Any:
        found = self[kind] = SimpleNamespace(
            **{field.name: _unwritten(field) for field in msgspec.structs.fields(kind)}
        )
        return found


def _unwritten(field: msgspec.structs.FieldInfo) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return field.default_factory() if field.default_factory in (list, dict) else ABSENT


_GETTERS: Final = _Getters()
_BLANKS: Final = _Blanks()
_PACK: Final = msgspec.msgpack.Encoder(enc_hook=_packed).encode
