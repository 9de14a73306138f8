"""Published objects that are added, removed, changed or renamed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from virtcatalog.api.findings import Path
from virtcatalog.api.kinds import CATALOG_KINDS, TEMPLATE
from virtcatalog.environments import BASE
from virtcatalog.manifests.difference import leaves
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.manifests.textdiff import unified

Change = Literal["added", "removed", "changed", "renamed"]

#: How much of two specs must be the same for one to be the other renamed, and how many leaves they need to tell.
SIMILAR, ENOUGH = 0.8, 5
_MOST_PAIRS = 250_000


class ObjectChange(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to one object; `old` and `new` are its manifests. `deployed` are the environments that have it so,
    and the namespace there.

    `same_as` names the object of the same kind of change whose diff is this one's too, mostly its other scope.
    """

    change: Change
    old: Data | None = None
    new: Data | None = None
    deployed: tuple[tuple[str, str], ...] = ((BASE, ""),)
    diff: str = ""
    same_as: str = ""

    @property
    def manifest(self) -> Data:
        """The object as it is, or as it was."""
        return self.new or self.old or {}

    @property
    def name(self) -> str:
        """`Kind/namespace/name`, without the namespace when it has none."""
        return "/".join(part for part in identity(self.manifest) if part)

    @property
    def old_name(self) -> str:
        """What a renamed object was called."""
        return (self.old or {}).get("metadata", {}).get("name", "") if self.change == "renamed" else ""

    @property
    def environments(self) -> tuple[str, ...]:
        """The environments whose own change it is; none where it is the base's."""
        names = tuple(environment for environment, _ in self.deployed)
        return () if BASE in names else names

    @property
    def title(self) -> str:
        """What happened to which object, and where."""
        where = f" in {', '.join(self.environments)}" if self.environments else ""
        return f"{self.change} {self.called()}{where}"

    def called(self, quoted: Callable[[str], str] = str) -> str:
        """Return what it is called, and what it was called; a form may have its own way to write names."""
        was = f" (was {quoted(self.old_name)})" if self.old_name else ""
        return f"{quoted(self.name)}{was}"

    @property
    def spec_changes(self) -> bool:
        """Whether more than labels and annotations changes."""
        return self.old is None or self.new is None or _content(self.old) != _content(self.new)


def compare_objects(
    base: Mapping[str, Sequence[Data]], head: Mapping[str, Sequence[Data]], labels: tuple[str, str] = ("base", "head")
) -> list[ObjectChange]:
    """Compare the objects of every environment that either side has.

    An environment's own change of an object is told apart only where it is not the base's.
    """
    changes: list[ObjectChange] = []
    bodies: dict[tuple[str, str, str], str] = {}
    alike: dict[tuple[str, str, str, str], list[int]] = {}
    for environment in dict.fromkeys([*base, *head]):
        for change in _compare(base.get(environment, ()), head.get(environment, ()), labels):
            kind, namespace, name = identity(change.manifest)
            # An environment's namespace and labels are in the context of the diff, and all over an added object.
            content = _lines(change.diff, "+-") if change.change in ("changed", "renamed") else change.change
            # A catalog's objects are the same in whichever namespace an environment deploys them.
            key = (kind, "" if kind in (*CATALOG_KINDS, TEMPLATE) else namespace, name, content)
            where = environment, namespace
            for index in alike.get(key, ()):
                if environment not in dict(changes[index].deployed):
                    changes[index] = replace(changes[index], deployed=(*changes[index].deployed, where))
                    break
            else:
                alike.setdefault(key, []).append(len(changes))
                body = _lines(change.diff, "+- @").replace(kind, "")
                twin = bodies.setdefault((change.change, name, body), change.name)
                same_as = twin if twin != change.name else ""
                changes.append(replace(change, deployed=(where,), same_as=same_as))
    return changes


def _compare(base: Iterable[Data], head: Iterable[Data], labels: tuple[str, str]) -> Iterator[ObjectChange]:
    before = {identity(obj): obj for obj in base}
    after = {identity(obj): obj for obj in head}
    renamed = renames(before.values(), after.values())
    new = [key for key in after if key not in before]
    changes = []
    for key, old in before.items():
        if key in after and after[key] != old:
            changes.append(_change("changed", old, after[key], labels))
        elif key in renamed:
            changes.append(_change("renamed", old, after[renamed[key]], labels))
        elif key not in after:
            changes.append(_change("removed", old, None, labels))
    taken = set(renamed.values())
    changes += [_change("added", None, after[key], labels) for key in new if key not in taken]
    yield from sorted(changes, key=lambda change: (*identity(change.manifest),))


def _change(kind: Change, old: Data | None, new: Data | None, labels: tuple[str, str]) -> ObjectChange:
    def headed(label: str, manifest: Data | None) -> str:
        return f"{label}/{'/'.join(part for part in identity(manifest) if part)}" if manifest else "/dev/null"

    diff = unified(dump(old) if old else "", dump(new) if new else "", headed(labels[0], old), headed(labels[1], new))
    return ObjectChange(change=kind, old=old, new=new, diff=diff)


def renames(base: Iterable[Data], head: Iterable[Data]) -> dict[Identity, Identity]:
    """Return what objects are called that went with others that came, and are these but for their names."""
    before, after = {identity(obj): obj for obj in base}, {identity(obj): obj for obj in head}
    gone, new = [key for key in before if key not in after], [key for key in after if key not in before]
    return dict(_renames(gone, new, before, after)) if gone and new else {}


def _renames(
    gone: Sequence[Identity], new: Sequence[Identity], before: Mapping[Identity, Data], after: Mapping[Identity, Data]
) -> Iterator[tuple[Identity, Identity]]:
    """Pair objects that went with objects of their kind that came: equal specs first, then the most alike."""
    if len(gone) * len(new) > _MOST_PAIRS:
        return
    specs = {key: dict(leaves(_content((before if key in before else after)[key]))) for key in (*gone, *new)}
    scored = []
    for old in gone:
        for other in new:
            if old[:2] != other[:2]:
                continue
            score = _alike(specs[old], specs[other])
            if score == 1 or (score >= SIMILAR and min(len(specs[old]), len(specs[other])) >= ENOUGH):
                scored.append((score, SequenceMatcher(None, old[2], other[2]).ratio(), old, other))
    taken: set[Identity] = set()
    for *_, old, other in sorted(scored, key=lambda pair: (-pair[0], -pair[1], pair[2:])):
        if old not in taken and other not in taken:
            taken |= {old, other}
            yield old, other


def _alike(one: Mapping[Path, Any], other: Mapping[Path, Any]) -> float:
    every = one.keys() | other.keys()
    alike = sum(key in one and key in other and one[key] == other[key] for key in every)
    return alike / len(every) if every else 1.0


def _content(manifest: Data) -> Data:
    """The manifest without what it is called and labelled."""
    return {key: value for key, value in manifest.items() if key not in ("apiVersion", "kind", "metadata")}


def _lines(diff: str, starts: str) -> str:
    """The lines of a diff that start so, without the names of what is compared."""
    return "\n".join(line for line in diff.splitlines()[2:] if line[:1] in starts)
