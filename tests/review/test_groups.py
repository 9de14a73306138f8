"""VMs that meet the same are one group, whatever each is called, and whatever its addresses are."""

from __future__ import annotations

from virtcatalog.review.groups import Group, grouped, of_all, of_one
from virtcatalog.review.verdict import Cause, Risk, Verdict


def verdict(name: str, number: int) -> Verdict:
    """The verdict on a VM that says its own name and addresses."""
    return Verdict(
        vm=f"shop/{name}",
        now="restart",
        next="changed",
        reasons=(f"volumes[{name}-root] cannot change while the VM runs",),
        changes=(f"firmware.uuid: 5d307ca9-b3ef-428c-8861-06e72d69f22{number} is new",),
        risks=(Risk("network", f"NIC 'default' has another MAC, generated → 02:00:00:00:00:0{number}"),),
        because=(Cause(f"volumes[{name}-root]", "vms.yaml", number),),
    )


def test_names_and_addresses_of_their_own_part_no_vms() -> None:
    (group,) = grouped([verdict("web-1", 1), verdict("web-2", 2)])
    assert group.vms == ("shop/web-1", "shop/web-2")
    assert group.verdict.reasons == ("volumes[web-1-root] cannot change while the VM runs (and of 1 more VM)",)
    assert group.verdict.changes == ("firmware.uuid: … is new",)
    assert group.verdict.risks == (Risk("network", "NIC 'default' has another MAC, generated → …"),)
    assert group.verdict.because == (Cause("volumes[web-1-root]", "vms.yaml", 1),)
    assert group.elsewhere == 1


def test_one_vm_alone_is_told_with_its_own() -> None:
    one = verdict("web-1", 1)
    assert grouped([one]) == [Group(one, ("shop/web-1",))]


def test_what_is_said_of_all_is_said_of_each_by_its_name() -> None:
    of_db = of_one(of_all(verdict("web-1", 1), "web-1"), "db-7")
    assert of_db.reasons == ("volumes[db-7-root] cannot change while the VM runs",)


def test_a_plain_word_is_too_likely_one_of_libvirts() -> None:
    disk = Verdict(vm="shop/disk", next="changed", changes=("domain.devices.disk: a → b",))
    assert of_all(disk, "disk") == disk
