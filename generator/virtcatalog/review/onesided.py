"""Verdicts on VMs that come or go, on those of which nobody knows what they are, and on VM templates."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from virtcatalog.api.kinds import is_halted
from virtcatalog.errors import listed
from virtcatalog.manifests.identity import Data, Identity
from virtcatalog.repositories.placeholders import Open
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.holders import all_of, none_of
from virtcatalog.review.judge import next_of, without_objects
from virtcatalog.review.outcome import Outcome, compare, deleted_claims, outcome, refusals, removed_claims
from virtcatalog.review.requests import requests_of
from virtcatalog.review.verdict import LOST, Next, Risk, Verdict


def judge_created(new: Data, comparison: Comparison, references: Sequence[Identity] | None) -> Verdict:
    """Return the verdict on a VM that is new; `references` are those that it has."""
    after = outcome(new, comparison.head)
    reasons = comparison.gone(references) or tuple(refusals(after))
    if after.result is None:
        return Verdict(now="unknown", reasons=reasons, next="unknown")
    if after.result.refused_by == "vm":
        return Verdict(now="refused", part=none_of(new), reasons=reasons, next="none")
    requests = None if is_halted(new) else requests_of(None, after, (new, new), "create")
    verdict = Verdict(now="create", part=all_of(new), next=_broken(after), changes=reasons, requests=requests)
    gone = removed_claims(after.result, comparison.base)
    if not gone or verdict.next != "same":
        return verdict
    reason = f"claim {listed(gone)} is gone with this change, and the VM does not start"
    return replace(verdict, next="changed", risks=(Risk("boot", reason),))


def judge_deleted(old: Data, comparison: Comparison) -> Verdict:
    """Return the verdict on a VM that goes."""
    before = outcome(old, comparison.base)
    requests = None if is_halted(old) else requests_of(before, None, (old, old), "delete")
    part = all_of(old)
    disks = deleted_claims(before.result, comparison.head, of_pool=part is not None) if before.result else []
    lost = "those of its VMs" if part is not None else listed(disks)
    risks = (Risk("disks", f"{LOST}: {lost}"),) if disks else ()
    return Verdict(now="delete", part=part, next="none", requests=requests, risks=risks)


def judge_open(fields: Sequence[Open], *, is_deleted: bool) -> Verdict:
    """Return the verdict on a VM that depends on values that are not in the repository."""
    if is_deleted:
        return Verdict(now="delete", next="none")
    reasons = tuple(f"{field.field} {field.sentence}" for field in fields)
    return Verdict(now="unknown", reasons=reasons, next="unknown", changes=reasons)


def judge_opaque(reason: str) -> Verdict:
    """Return the verdict on VMs that nobody can see: what they are made of changes, and is not rendered."""
    reasons = (f"{reason}; what it is made of changes",)
    return Verdict(now="unknown", reasons=reasons, next="unknown", changes=reasons)


def judge_template(
    old: Data | None, new: Data | None, comparison: Comparison, references: Sequence[Identity] | None
) -> Verdict:
    """Return the verdict on a VM template, what is made of it from now on; `references` are those that it has then."""
    before = outcome(old, comparison.base) if old is not None else None
    after = outcome(new, comparison.head) if new is not None else None
    if before is None or after is None:
        if after is None:
            return Verdict(template=True, next="none", changes=("the VM template is gone",))
        broken = _broken(after)
        changes = ("the VM template is new", *refusals(after))
        return Verdict(template=True, next="changed" if broken == "same" else broken, changes=changes)
    change = without_objects(compare(before, after), comparison.gone(references))
    if change is None:
        return Verdict(template=True)
    requests = requests_of(before, after, (old, new), "template")
    return Verdict(template=True, next=next_of(change), changes=change.summary, requests=requests)


def _broken(of: Outcome) -> Next:
    if of.result is None:
        return "unknown"
    return "same" if of.result.admitted else "crash" if of.crashes else "refused"
