"""What of a VM or pool is not as in Git: changed by hand, not synced yet, or without a meaning; and who wins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from virtcatalog.live.compare import Synced
from virtcatalog.live.machine import POWER, power
from virtcatalog.live.managers import Managers, Writer
from virtcatalog.live.verdict import IN_GIT, Field, Noise, Reason, Wins
from virtcatalog.manifests.difference import Difference, item_names, shown
from virtcatalog.manifests.identity import Data

#: What KubeVirt draws at random for a machine: a new VM of the same manifest gets another one.
_DRAWN: Final = ("uuid", "serial")
_POOLS: Final = ("kubemacpool.io/transaction-timestamp",)
_HAND: Final = ("hand", "virtctl")


def not_in_git(metadata: Data, managers: Managers) -> Reason:
    """Say of a VM or pool that Git has none of its name."""
    synced_by, since = managers.synced_by, str(metadata.get("creationTimestamp") or "")
    if synced_by:
        message = f"{synced_by} brought it, and no manifest of it is left"
        return Reason(kind="deleted-in-git", message=message, since=since, wins="hand")
    return Reason(kind="unmanaged", message="nothing in it says that it came from Git", since=since, wins="hand")


def switched(manifest: Data, live: Data, managers: Managers) -> Iterator[Reason]:
    """Yield why a VM is switched on or off by somebody: its run strategy is not Git's."""
    wanted, now = power(manifest.get("spec")), power(live.get("spec"))
    if wanted == now or not wanted or not now:
        return  # a VM without a spec says nothing
    halted = now == "Halted"
    if not halted and wanted != "Halted":
        return  # another way to run is a field as any other
    writer = next(filter(None, (managers.writer(("spec", key)) for key in POWER)), None)
    field = Field("spec.runStrategy", now, wanted, writer, IN_GIT)
    wins = _wins(managers)
    if writer is not None and writer.role in ("gitops", "apply"):
        yield Reason(kind="behind", fields=(field,), wins=wins, since=writer.when)
        return
    since = writer.when if writer is not None else ""
    yield Reason(kind="stopped" if halted else "started", fields=(field,), wins=wins, since=since)


def differing(result: Synced, live: Data, wanted: Data, managers: Managers, noise: list[Noise]) -> Iterator[Reason]:
    """Yield what of a VM or pool is not as in Git: by hand, or not synced yet; what means nothing is `noise`."""
    by_hand: list[Field] = []
    waiting_for_sync: list[Field] = []
    stays: list[Field] = []
    for change in result.changes:
        if _is_power(change, wanted, live):
            continue
        if _is_drawn(change, live):
            noise.append(Noise(change.field, "kubemacpool gives it again", change.old, change.new))
            continue
        writer = managers.writer(change.path)
        applied = _applied(result.before, change)
        field = Field(change.field, change.old, change.new, writer, IN_GIT, applied)
        # What was applied and is there no more, somebody took away.
        hand = writer.role in _HAND if writer is not None else applied is not None and _is_same(applied, change.new)
        (by_hand if hand else waiting_for_sync).append(field)
    unclear: list[Field] = []
    for extra in result.extras:
        writer = managers.writer(extra.path)
        if (why := _why_extra(extra, writer)) is None:
            stays.append(Field(extra.field, extra.new, None, writer))
        elif _may_have_been_in_git(writer, result):
            unclear.append(Field(extra.field, extra.new, None, writer))
        else:
            noise.append(Noise(extra.field, why, extra.new))
    for default in result.defaults:
        writer, drawn = managers.writer(default.path), default.path[-1] in _DRAWN
        if writer is not None and writer.role in _HAND and writer.when > managers.created and not drawn:
            stays.append(Field(default.field, default.new, None, writer))
            continue
        why = "drawn at random for this VM" if drawn else "KubeVirt gives a new VM something else by default today"
        noise.append(Noise(default.field, why, default.new, default.old))
    noise += [
        Noise(spelling.field, "Git writes the same otherwise", spelling.old, spelling.new)
        for spelling in result.spellings
    ]
    if by_hand:
        last = max((field.writer.when for field in by_hand if field.writer is not None), default="")
        yield Reason(kind="edited", fields=tuple(by_hand), wins=_wins(managers), since=last)
    if stays:
        last = max((field.writer.when for field in stays if field.writer is not None), default="")
        message = "Git does not set it, and a sync leaves it"
        yield Reason(kind="edited", message=message, fields=tuple(stays), wins="hand", since=last)
    if waiting_for_sync:
        yield Reason(kind="behind", fields=tuple(waiting_for_sync), wins=_wins(managers))
    if unclear:
        message = "Git does not set it: it was taken out of Git, or a webhook added it when it was applied"
        yield Reason(kind="behind", message=message, fields=tuple(unclear))


def _why_extra(extra: Difference, writer: Writer | None) -> str | None:
    """Why a field of the cluster's that Git has not means nothing; None when it does."""
    if writer is None:
        return "virt-controller names what it stored" if extra.path[-1] == "revisionName" else None
    if writer.role == "kubevirt":
        return f"{writer.manager} wrote it"
    if writer.role in ("gitops", "apply"):
        return "filled in when Git's manifest was applied"
    return None


def _may_have_been_in_git(writer: Writer | None, result: Synced) -> bool:
    """Whether what applied a field notes nowhere what it applied, as Helm does: the field may be gone from Git."""
    return writer is not None and writer.role in ("gitops", "apply") and not result.before


def _is_power(change: Difference, manifest: Data, live: Data) -> bool:
    """Whether a change switches a VM on or off, of which `switched` tells, or only says otherwise that it is off."""
    wanted, now = power(manifest.get("spec")), power(live.get("spec"))
    return change.path in [("spec", key) for key in POWER] and "Halted" in (wanted, now)


def _is_drawn(difference: Difference, live: Data) -> bool:
    annotations = live["metadata"].get("annotations") or {}
    return difference.path[-1] == "macAddress" and any(key in annotations for key in _POOLS)


def _applied(before: Data | None, change: Difference) -> object:
    """What Git had of a field when it was last applied, None where it had nothing, or that is not known.

    Of a list that only changes its order, the names of its items, as the change has them.
    """
    value: Any = before
    for step in change.path:
        value = value.get(step) if isinstance(value, dict) else None
    names = item_names(value) if isinstance(value, list) and isinstance(change.new, list) else None
    return value if names is None else [*map(str, names)]


def _is_same(one: object, other: object) -> bool:
    return shown(one) == shown(other)


def _wins(managers: Managers) -> Wins:
    """Who has their way when nobody does anything more: what syncs the VM from Git, else whoever wrote last."""
    return "git" if managers.synced_by else "hand"
