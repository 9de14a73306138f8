"""Changes of instance types and preferences between two published states, and release notes made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from virtcatalog.catalog.lock import published
from virtcatalog.catalog.model import Catalog, Entry, Instancetype, Published
from virtcatalog.errors import counted
from virtcatalog.escaping import markdown
from virtcatalog.manifests.difference import Difference, differences
from virtcatalog.publish.environments import broken
from virtcatalog.publish.promise import NOUNS, sections
from virtcatalog.render.features import natural


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


class Changes(msgspec.Struct, frozen=True):
    """What differs from the last release: a line of Markdown each, by name."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deprecated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        """Whether there is anything to publish."""
        return bool(self.added or self.changed or self.deprecated or self.removed)


def changes(catalog: Catalog) -> Changes:
    """Return what the catalog changes in what was published last; everything is added when nothing was."""
    added, changed, deprecated, removed = [], [], [], []
    for section, entries, was in sections(catalog):
        for step in steps(was, {name: published(entry) for name, entry in entries.items()}):
            entry_name = f"{NOUNS[section].capitalize()} `{step.name}`"
            if step.removed:
                removed.append(entry_name + _replacement((step.was.deprecated if step.was else None) or {}))
                continue
            if step.added:
                gist = _gist(entries[step.name])
                added.append(f"{entry_name}: {gist}" if gist else entry_name)
            elif differences := "; ".join(_changed(step)):
                changed.append(f"{entry_name}: {differences}")
            if step.deprecated and step.now:
                deprecated.append(entry_name + _replacement(step.now.deprecated or {}))
    environments = catalog.lock.environments if catalog.lock else {}
    if environments:
        added += [f"Environment `{overlay.name}`" for overlay in catalog.overlays if overlay.name not in environments]
    for item in broken(catalog):
        change = item.change
        place = f"In `{item.environment}`" + (f", {NOUNS[change.section]} `{change.name}`" if change.name else "")
        reason = _replacement(change.left_out.deprecated or {}) if change.left_out else ""
        (removed if item.gone else changed).append(f"{place}: {markdown(change.text)}{reason}")
    return Changes(tuple(added), tuple(changed), tuple(deprecated), tuple(removed))


def notes(version: str, before: str, changes: Changes) -> str:
    """Return the change summary as Markdown."""
    lines = [f"## {version}", ""]
    if not changes.any:
        return "\n".join([*lines, f"No changes since {before}.", ""])
    for title, text, items in (
        ("Added", "", changes.added),
        ("Changed", "VMs that exist keep the revision that they were created with.", changes.changed),
        ("Deprecated", "", changes.deprecated),
        ("Removed", "VMs that exist keep their revision; new ones must name something else.", changes.removed),
    ):
        if items:
            lines += [f"### {title}", "", *([text, ""] if text else []), *(f"- {item}" for item in items), ""]
    return "\n".join(lines)


def _changed(step: Step) -> Iterator[str]:
    yield from (markdown(str(field)) for field in step.fields)
    if step.restored:
        yield "no longer deprecated"
    elif step.relabelled:
        yield "labels or annotations"


def _gist(entry: Entry) -> str:
    if isinstance(entry, Instancetype):
        return f"{counted(entry.vcpus, 'vCPU')}, {entry.memory}"
    return markdown(entry.display_name)


def _replacement(deprecated: dict[str, str]) -> str:
    text = f": use `{deprecated['replacedBy']}`" if deprecated.get("replacedBy") else ""
    return text + (f"{',' if text else ':'} until {deprecated['sunset']}" if deprecated.get("sunset") else "")
