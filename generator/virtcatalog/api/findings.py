"""What is wrong with data: everything in it that its type would not take, with its path.

Manifests are read as the API server reads them: a field that is `null` counts as absent (apiextensions-apiserver prunes
it), a whole float as an integer. `Rules` say what else may be, in declarations that are only a part of something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final

import msgspec

from virtcatalog.api.kinds import API_VERSIONS, RETIRED, kind_type, unserved
from virtcatalog.api.shape import Anything, Either, Field, Leaf, List, Map, Shape, Struct, Version, shape_of, struct_of
from virtcatalog.api.values import QUOTE, describe, leaf_fault, structure_fault, too_new, unknown_field


class Item(str):
    """The step of a path to an item of a list that is known by its name."""

    __slots__ = ()


Path = tuple[str | int, ...]
Findings = list[tuple[Path, str]]


_GO_ZERO: Final[dict[tuple[type, ...], str | int]] = {(str,): "", (int,): 0}
_STEP: Final = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")
_NAME: Final = re.compile(r"[^.\[\]]+")
_DIGITS: Final = 10


class Rules(msgspec.Struct, frozen=True):
    """How data is read: as a whole manifest, if nothing else is said.

    In a `fragment` nothing is required and `null` stands for removal. A field that came after `release` is a fault.
    Where `whole_floats` count as integers, 2.0 is 2. Rules that `prune` drop what the type does not have, which is no
    fault then. What is `later` is not judged yet, and `as_text` says how what should be a string becomes one.
    """

    release: Version = ()
    fragment: bool = False
    whole_floats: bool = True
    prune: bool = False
    later: Callable[[Any, Shape, Path], bool] | None = None
    as_text: str = QUOTE


MANIFEST: Final = Rules()


def field_path(path: Path) -> str:
    """Write a path as the API does: `spec.disks[0].name`, `metadata.labels[example.org/x]`."""
    text = ""
    for step in path:
        text = stepped(text, step)
    return text


def stepped(field: str, step: str | int) -> str:
    """Write a step further than a field, "" for none, as `field_path` does."""
    if type(step) is str and (step.isalnum() or step.replace("-", "").replace("_", "").isalnum()):
        return f"{field}.{step}" if field else step
    return f"{field}[{step}]"


def steps(field: str) -> Path:
    """Read a path as the API writes it."""
    end = field.rfind("]") + 1  # behind it a bracket ends nowhere, and is not to be looked for again and again
    parts = [*_STEP.findall(field, 0, end), *(("", name) for name in _NAME.findall(field, end))]
    return tuple(int(key) if key.isdecimal() and len(key) < _DIGITS else key or name for key, name in parts)


def inspect_kind(obj: Any, kind: type | None = None) -> Findings:
    """Find out whether `obj` says that it is a `kind`, or any kind when None."""
    if not isinstance(obj, dict):
        return [((), f"a manifest is a map, not {describe(obj)}")]
    stated = obj.get("kind")
    version = API_VERSIONS.get(stated) if isinstance(stated, str) and (not kind or stated == kind.__name__) else None
    if version and obj.get("apiVersion") == version:
        return []
    findings: Findings = []
    names: dict[str, str] = {}
    for key in ("apiVersion", "kind"):
        value = obj.get(key)
        if isinstance(value, str) and value:
            names[key] = value
        elif kind is None or value is not None:
            findings.append(
                ((key,), "is required" if value in (None, "") else f"must be a string, not {describe(value)}")
            )
    if findings or len(names) < 2:
        return findings
    served = unserved(names["apiVersion"], names["kind"])
    if served:
        return [(("apiVersion",), _unserved(names["apiVersion"], names["kind"], *served))]
    if kind and kind is not kind_type(names["apiVersion"], names["kind"]):
        version = API_VERSIONS.get(kind.__name__)
        if version:
            wanted = f"{kind.__name__} of {version}"
            return [(("kind",), f"a {wanted} is wanted, not a {names['kind']} of {names['apiVersion']}")]
    return []


def _unserved(old_version: str, old_kind: str, version: str, kind: str) -> str:
    if (old_version, old_kind) not in RETIRED:
        return f"{old_version} of {old_kind} is not served; use {version}"
    other = "" if kind == old_kind else f" and {kind}"
    return f"{old_version} of {old_kind} is not served; convert it to {version}{other} with `virtcatalog convert`"


def inspect(obj: Any, kind: Any, rules: Rules = MANIFEST) -> tuple[Any, Findings]:
    """Return `obj` as its kind's API would see it, and everything that its type would not take, in the data's order."""
    walk = _Walk(rules)
    tidied = walk.value(obj, shape_of(kind), ())
    return tidied, walk.findings


def prune_unknown(obj: Any, kind: type[msgspec.Struct]) -> tuple[Any, Findings]:
    """Return `obj` without the fields that its type does not have, as the API server keeps it, and these fields."""
    walk = _Walk(Rules(prune=True))
    return walk.value(obj, struct_of(kind), ()), walk.pruned


def fill_gaps(obj: Any, kind: type[msgspec.Struct]) -> Any:
    """Return a copy of `obj` with the strings and numbers that it should have and has not, as Go reads them: "" and 0.

    What is no text or number at all, and what has to be one of a few words, stays missing.
    """
    return _fill(obj, struct_of(kind))


def _fill(value: Any, shape: Shape) -> Any:
    if isinstance(shape, List) and isinstance(value, list):
        return [_fill(item, shape.item) for item in value]
    if not isinstance(shape, Struct) or not isinstance(value, dict):
        return value
    filled = dict(value)
    for name, field in shape.fields.items():
        if filled.get(name) is not None:
            filled[name] = _fill(filled[name], field.shape)
        elif field.required and isinstance(field.shape, Leaf) and not field.shape.choices:
            zero = _GO_ZERO.get(field.shape.types)
            if zero is not None:
                filled[name] = zero
    return filled


def missing(fields: Mapping[str, Field], value: Mapping[Any, Any], hints: str) -> list[str]:
    """Return the required fields that a map has not, unless `hints`, what is said of others, takes one for misspelt."""
    names = (name for name, field in fields.items() if field.required and value.get(name) is None)
    return [name for name in names if f"did you mean {name!r}?" not in hints]


class _Walk:
    """One walk over data; `unknown` counts the fields among the findings that the type does not have.

    A `trial` of whether a type fits says nothing of what the type does not have: its findings are only counted.
    """

    def __init__(self, rules: Rules, *, trial: bool = False) -> None:
        self.rules, self.trial = rules, trial
        self.findings: Findings = []
        self.pruned: Findings = []
        self.unknown = 0

    def value(self, value: Any, shape: Shape, path: Path) -> Any:
        """Find what is wrong with a value, and return it tidied."""
        rules = self.rules
        if isinstance(shape, Anything) or (value is None and rules.fragment):
            return value
        if rules.later and rules.later(value, shape, path):
            return value
        if isinstance(shape, Struct) and isinstance(value, dict):
            return self._struct(value, shape, path)
        if isinstance(shape, Map) and isinstance(value, dict):
            return self._map(value, shape, path)
        if isinstance(shape, List) and isinstance(value, list):
            return [self._item(item, shape.item, (*path, index)) for index, item in enumerate(value)]
        if isinstance(shape, Either):
            return self._either(value, shape, path)
        if isinstance(shape, Leaf):
            if rules.whole_floats and int in shape.types and isinstance(value, float) and value.is_integer():
                value = int(value)
            message = leaf_fault(value, shape, rules.as_text)
        else:
            message = structure_fault(value, shape, path[-1] if path else "")
        if message:
            self.findings.append((path, message))
        return value

    def _struct(self, value: dict[Any, Any], shape: Struct, path: Path) -> dict[str, Any]:
        fields, rules = shape.fields, self.rules
        tidied, hints = {}, ""
        for key, item in value.items():
            field = fields.get(key)
            if field is None:
                if shape.strict:
                    self.unknown += 1
                    faults = self.pruned if rules.prune else self.findings
                    message = "" if self.trial and not rules.prune else unknown_field(key, fields, _around(key, fields))
                    faults.append(((*path, str(key)), message))
                    hints += message if faults is self.findings else ""
            elif rules.release and field.since > rules.release and not (item is None and rules.fragment):
                self.findings.append(((*path, key), too_new(key, field.since, rules.release)))
            elif item is not None:
                tidied[key] = self.value(item, field.shape, (*path, key))
        if not rules.fragment:
            self.findings += [((*path, name), "is required") for name in missing(fields, value, hints)]
        return tidied

    def _map(self, value: dict[Any, Any], shape: Map, path: Path) -> dict[str, Any]:
        tidied = {}
        for key, item in value.items():
            if not isinstance(key, str):
                hint = ": quote it" if key is not None else ""
                self.findings.append(((*path, str(key)), f"a key must be a string, not {describe(key)}{hint}"))
            elif item is not None:
                tidied[key] = self.value(item, shape.value, (*path, key))
        return tidied

    def _item(self, value: Any, shape: Shape, path: Path) -> Any:
        if value is None:
            self.findings.append((path, "an item of a list cannot be null"))
            return None
        return self.value(value, shape, path)

    def _either(self, value: Any, shape: Either, path: Path) -> Any:
        """Find what is wrong for the struct that fits best: whose first fault is deepest."""
        fits: list[tuple[tuple[int, int, int], Struct]] = []
        keys = value.keys() if isinstance(value, dict) else ()
        for member in sorted(shape.members, key=lambda member: sum(key not in member.fields for key in keys)):
            walk = _Walk(self.rules, trial=True)
            tidied = walk.value(value, member, path)
            if not walk.findings:
                self.pruned += walk.pruned
                return tidied
            fits.append((walk.fit(), member))
        _, best = max(fits, key=itemgetter(0))
        self.value(value, best, path)
        return value

    def fit(self) -> tuple[int, int, int]:
        """How well a type fits in which something is wrong, to be compared: how deep the first fault is comes first."""
        return min(len(at) for at, _ in self.findings), -len(self.findings), -self.unknown


def _around(key: object, fields: Mapping[str, Field]) -> str:
    """The one field among these whose own fields have this name, "" for none or several."""
    around = []
    for name, field in fields.items():
        members = field.shape.members if isinstance(field.shape, Either) else (field.shape,)
        if any(isinstance(member, Struct) and key in member.fields for member in members):
            around.append(name)
    return around[0] if len(around) == 1 else ""
