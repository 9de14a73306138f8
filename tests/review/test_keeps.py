"""A change of types and preferences passes by a machine for which KubeVirt has stored them."""

from __future__ import annotations

from random import Random

import fleets
import pytest

from sampling import thorough
from virtcatalog.review import judge
from virtcatalog.review.dumps import Dump, others, vms_of
from virtcatalog.review.reviewer import Reviewer
from virtcatalog.review.side import Side
from virtcatalog.review.verdict import Verdict


def review(seed: int) -> list[Verdict]:
    chance = Random(seed)
    before = fleets.catalog()
    configuration = fleets.kubevirt(chance.choice(fleets.CONFIGURATIONS))
    objects = before, fleets.changed(before, chance)
    dumps = [Dump(fleets.fleet(60, chance))]
    reviewer = Reviewer(
        *(Side(label="side", objects={"": [*obj, configuration]}) for obj in objects), shared=others(dumps)
    )
    reviewer.vms(vms_of(dumps))
    return reviewer.done().verdicts


@thorough
def test_following_the_machine_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    keeps, spared = judge._keeps, []

    def note(case: judge.Case, old: judge.Outcome) -> bool:
        spared.append(keeps(case, old))
        return spared[-1]

    for seed in range(12):
        monkeypatch.setattr(judge, "_keeps", note)
        report = review(seed)
        monkeypatch.setattr(judge, "_keeps", lambda *_: False)
        assert review(seed) == report, seed
    assert 50 < sum(spared) < len(spared) - 50
