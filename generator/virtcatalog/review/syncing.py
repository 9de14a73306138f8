"""What the tool that applies a VM makes of a change to it."""

from __future__ import annotations

from virtcatalog.gitops.outcome import Change, Synced, sent, synced
from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.model import Environment
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.verdict import Verdict


def synced_verdict(
    verdict: Verdict, old: Vm | None, new: Vm | None, sides: tuple[Side, Side], comparison: Comparison
) -> Synced | None:
    """Return what the sync of a VM's unit makes of a change; None where no object of Flux or Argo CD applies it."""
    unit = _unit(old, new, sides)
    if unit is None:
        return None
    manifests = old.manifest if old is not None else None, new.manifest if new is not None else None
    breaks = verdict.next in ("refused", "crash")
    return synced(Change(*manifests, comparison.base, comparison.head, verdict.now, breaks), unit)


def as_sent(old: Vm, new: Vm, sides: tuple[Side, Side], comparison: Comparison) -> Data:
    """Return the manifest of a VM that changes, as the tool of its unit sends it."""
    unit = _unit(old, new, sides)
    if unit is None or old.manifest == new.manifest:
        return new.manifest
    return sent(old.manifest, new.manifest, comparison.base, unit)


def _unit(old: Vm | None, new: Vm | None, sides: tuple[Side, Side]) -> Environment | None:
    """The unit that applies the change: of a VM that goes, the one that had it, as that is now if it is still there."""
    before, after = (side.repository for side in sides)
    if new is not None:
        return after.environments[new.unit.number] if after is not None and new.unit.number >= 0 else None
    if old is None or before is None or old.unit.number < 0:
        return None
    names = sides[1].units
    if after is not None and old.environment in names:
        return after.environments[names.index(old.environment)]
    return before.environments[old.unit.number]
