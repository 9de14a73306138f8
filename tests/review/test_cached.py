"""With a cache diff says the same, and expands only what is new."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import fleets
import pytest

from sampling import thorough
from virtcatalog.fleet.cache import Cache
from virtcatalog.fleet.pool import Processes
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.releases import RELEASES
from virtcatalog.review import cached, judge
from virtcatalog.review.compare import review
from virtcatalog.review.dumps import Dump
from virtcatalog.review.report import as_data
from virtcatalog.review.side import Side

Data = dict[str, Any]
BOTH = Conditions(), Conditions()


def sides(*objects: list[Data]) -> tuple[Side, Side]:
    base, head = (Side(label="side", objects={"": obj}) for obj in objects)
    return base, head


def run(objects: tuple[list[Data], list[Data]], vms: list[Data], cache: Cache | None, conditions: Any = BOTH) -> Data:
    return as_data(review(*sides(*objects), conditions, [Dump(vms)], cache=cache))


@pytest.fixture
def expanded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the VMs that are expanded, from now on."""
    names: list[str] = []
    outcome = judge.outcome

    def note(vm: Data, cluster: Any) -> Any:
        names.append(vm["metadata"]["name"])
        return outcome(vm, cluster)

    monkeypatch.setattr(judge, "outcome", note)
    return names


@pytest.mark.parametrize("seed", range(6))
def test_changes_of_everything_around_the_vms_say_the_same(tmp_path: Path, seed: int) -> None:
    """One folder for all of it: whatever is taken for something else would show."""
    chance, cache = Random(seed), Cache(str(tmp_path))
    vms, objects = fleets.fleet(25, chance), fleets.catalog()
    for _ in range(6):
        base, head = fleets.changed(objects, chance), fleets.changed(objects, chance)
        if chance.random() < 0.3:
            base, head = ([*objects, fleets.kubevirt(chance.choice(fleets.CONFIGURATIONS))] for objects in (base, head))
        releases = (chance.choice(list(RELEASES.values())) for _ in range(2)) if chance.random() < 0.2 else (None, None)
        conditions = tuple(
            Conditions(release=release, architecture=chance.choice(("amd64", "amd64", "arm64"))) for release in releases
        )
        plain = run((base, head), vms, None, conditions)
        assert run((base, head), vms, cache, conditions) == plain
        assert run((base, head), vms, cache, conditions) == plain
        vms = [vm for vm in vms if chance.random() < 0.9] + fleets.fleet(3, chance)
        chance.shuffle(vms)


def test_a_second_run_expands_nothing(tmp_path: Path, expanded: list[str]) -> None:
    cache, chance = Cache(str(tmp_path)), Random(1)
    vms, objects = fleets.fleet(40, chance), (fleets.catalog(), fleets.changed(fleets.catalog(), chance))
    first = run(objects, vms, cache)
    assert expanded
    expanded.clear()
    assert run(objects, vms, cache) == first
    assert not expanded


def test_only_what_is_new_is_expanded(tmp_path: Path, expanded: list[str]) -> None:
    cache, chance = Cache(str(tmp_path)), Random(2)
    vms, objects = fleets.fleet(30, chance), (fleets.catalog(), fleets.changed(fleets.catalog(), Random(3)))
    run(objects, vms, cache)
    new = fleets.vm("brand-new", "large", "linux")
    new["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 77
    expanded.clear()
    run(objects, [*vms, new], cache)
    assert set(expanded) == {"brand-new"}


def test_a_further_change_is_looked_at_in_the_vms_that_it_changes(tmp_path: Path, expanded: list[str]) -> None:
    cache, before = Cache(str(tmp_path)), fleets.catalog()
    vms = [fleets.vm("one", "small", "linux"), fleets.vm("two", "large", "linux")]

    def grown(*names: str) -> list[Data]:
        objects = fleets.catalog()
        for obj in objects:
            if obj["metadata"]["name"] in names:
                obj["spec"]["memory"]["guest"] = "16Gi"
        return objects

    run((before, grown("small")), vms, cache)
    expanded.clear()
    run((before, grown("small", "large")), vms, cache)
    assert set(expanded) == {"two"}


def test_what_is_kept_and_cannot_be_read_is_found_again(
    tmp_path: Path, expanded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, chance = Cache(str(tmp_path)), Random(4)
    vms, objects = fleets.fleet(10, chance), (fleets.catalog(), fleets.changed(fleets.catalog(), chance))
    first = run(objects, vms, cache)
    monkeypatch.setattr(Cache, "get", lambda _cache, _key: b"\x93nonsense")
    expanded.clear()
    assert run(objects, vms, cache) == first
    assert expanded


@thorough
def test_other_processes_and_the_cache_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(5)
    vms, objects = fleets.fleet(60, chance), (fleets.catalog(), fleets.changed(fleets.catalog(), chance))
    alone = run(objects, vms, None)
    monkeypatch.setattr(cached, "WORTH_IT", 2)
    monkeypatch.setattr(cached, "forked", lambda: Processes(2))
    cache = Cache(str(tmp_path))
    run(objects, vms[::2], cache)
    assert run(objects, vms, cache) == alone
    assert run(objects, vms[::-1], cache) == run(objects, vms[::-1], None)
