"""Which unit applies a change of a VM, and what its tool makes of the verdict on it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from virtcatalog.catalog.places import Source
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.repositories.model import Environment, Repository, Syncing
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.declared import as_sent, synced_verdict
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.units import ANYWHERE, Unit
from virtcatalog.review.verdict import Next, Verdict

FLUX = Syncing(tool="Flux", kind="Kustomization", waits=True, prunes=True)
KEEPING = replace(FLUX, prunes=False)
FIRST = Unit(0, "")
NEVER = "never ready: the VM does not run"


def vm(strategy: str = "Always", unit: Unit = FIRST) -> Vm:
    template = {"spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}}}
    manifest = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"runStrategy": strategy, "template": template},
    }
    return Vm(key="shop/web", manifest=manifest, environment="vms", place=Source("vm.yaml"), unit=unit)


def side(syncing: Syncing | None, name: str = "vms") -> Side:
    unit = Environment(name=name, kind="Kustomization", folder="", place=Source("k.yaml"), syncing=syncing)
    return Side(label="side", repository=Repository(environments=(unit,)), units=(name,))


def synced(verdict: Verdict, old: Vm | None, new: Vm | None, *sides: Side) -> Any:
    both = sides[0], sides[-1]
    comparison = Comparison((Side(label="a"), Side(label="b")), "", (Conditions(), Conditions()))
    return synced_verdict(verdict, old, new, both, comparison)


@pytest.mark.parametrize(
    ("following", "outcome", "reasons"),
    [("same", "applied", ()), ("changed", "applied", ()), ("refused", "waits", (NEVER,)), ("crash", "waits", (NEVER,))],
)
def test_flux_waits_for_a_new_vm_that_does_not_start(following: Next, outcome: str, reasons: tuple[str, ...]) -> None:
    sync = synced(Verdict(now="create", next=following), None, vm(), side(FLUX))
    assert (sync.tool, sync.outcome, sync.reasons) == ("Flux", outcome, reasons)


def test_a_vm_that_goes_is_pruned_by_its_unit_as_that_is_now() -> None:
    goes = Verdict(now="delete", next="none")
    assert synced(goes, vm(), None, side(FLUX), side(KEEPING)).outcome == "not applied"
    assert synced(goes, vm(), None, side(KEEPING), side(FLUX)).outcome == "applied"
    assert synced(goes, vm(), None, side(KEEPING), side(FLUX, name="others")).outcome == "not applied"
    assert synced(goes, vm(), None, side(KEEPING), Side(label="side")).outcome == "not applied"


def test_what_no_unit_applies_is_synced_by_none() -> None:
    created = Verdict(now="create", next="same")
    assert synced(created, None, vm(unit=ANYWHERE), side(FLUX)) is None
    assert synced(created, None, vm(), Side(label="side")) is None
    assert synced(created, None, vm(), side(None)) is None
    goes = Verdict(now="delete", next="none")
    assert synced(goes, vm(unit=ANYWHERE), None, side(FLUX)) is None
    assert synced(goes, vm(), None, Side(label="side"), side(FLUX)) is None
    assert synced(goes, None, None, side(FLUX)) is None


def test_a_vm_is_sent_as_it_is_written() -> None:
    comparison = Comparison((Side(label="a"), Side(label="b")), "", (Conditions(), Conditions()))
    old, new = vm(), vm("Halted")
    for sides in ((side(FLUX), side(FLUX)), (Side(label="a"), Side(label="b"))):
        assert as_sent(old, new, sides, comparison) == new.manifest
        assert as_sent(old, old, sides, comparison) == old.manifest
