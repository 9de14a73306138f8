"""How the domain of a VM changes, as a diff."""

from __future__ import annotations

from virtcatalog.manifests.identity import Data
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.judge import Case, Outcomes, at_next_start
from virtcatalog.review.outcome import compare, outcome


def diff_of_case(case: Case) -> str:
    """Return how the domain of a VM changes whose manifest stays as it is: at its next start, or made anew."""
    if case.comparison.gone(case.references):  # that is said, and what follows from it is no other change
        return ""
    pair = at_next_start(case, Outcomes())
    if pair is None:
        return diff_of(case.fresh, case.fresh, case.comparison)
    change = compare(*pair)
    return change.make_diff() if change is not None else ""


def diff_of(old: Data | None, new: Data | None, comparison: Comparison) -> str:
    """Return how the domain of a VM changes from one manifest to another."""
    if old is None or new is None:
        return ""
    change = compare(outcome(old, comparison.base), outcome(new, comparison.head))
    return change.make_diff() if change is not None else ""
