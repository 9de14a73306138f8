"""What becomes of instance types and preferences from one published state to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from virtcatalog.catalog.release import Published
from virtcatalog.manifests.difference import Difference, differences
from virtcatalog.render.natural import natural


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One object, before and after; None where it is not there. `fields` are those of its spec that differ."""

    name: str
    was: Published | None = None
    now: Published | None = None
    fields: tuple[Difference, ...] = ()

    @property
    def added(self) -> bool:
        """Whether it is new."""
        return self.was is None

    @property
    def removed(self) -> bool:
        """Whether it is gone."""
        return self.now is None

    @property
    def deprecated(self) -> bool:
        """Whether it is deprecated since then, or otherwise."""
        return (
            self.now is not None
            and self.now.deprecated is not None
            and (self.was is None or self.was.deprecated != self.now.deprecated)
        )

    @property
    def restored(self) -> bool:
        """Whether it is deprecated no longer."""
        return bool(self.was and self.now and self.was.deprecated is not None and self.now.deprecated is None)

    @property
    def relabelled(self) -> bool:
        """Whether nothing else than labels or annotations differs."""
        return (
            self.was is not None
            and self.now is not None
            and not self.fields
            and self.was.deprecated == self.now.deprecated
            and self.was.metadata != self.now.metadata
        )


def steps(before: Mapping[str, Published], after: Mapping[str, Published]) -> Iterator[Step]:
    """Yield what differs, by name."""
    for name in sorted(before.keys() | after.keys(), key=natural):
        was, now = before.get(name), after.get(name)
        fields = tuple(differences(was.spec, now.spec)) if was and now else ()
        step = Step(name=name, was=was, now=now, fields=fields)
        if step.added or step.removed or fields or step.deprecated or step.restored or step.relabelled:
            yield step
