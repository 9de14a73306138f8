"""VMs that only one side has, or of which a side cannot be seen."""

from virtcatalog.repositories.placeholders import Open
from virtcatalog.review.onesided import judge_opaque, judge_open
from virtcatalog.review.verdict import Verdict

SIZE = Open(("spec", "instancetype", "name"), "${SIZE}")


def test_a_vm_with_a_value_that_the_repository_lacks_is_unknown_now_and_at_its_next_start():
    reasons = (f"spec.instancetype.name {SIZE.sentence}",)
    assert judge_open([SIZE], is_deleted=False) == Verdict(
        now="unknown", reasons=reasons, next="unknown", changes=reasons
    )


def test_it_is_deleted_all_the_same_where_the_change_removes_it():
    assert judge_open([SIZE], is_deleted=True) == Verdict(now="delete", next="none")


def test_vms_that_nobody_can_see_are_unknown_now_and_at_their_next_start():
    reasons = ("the chart is not there; what it is made of changes",)
    assert judge_opaque("the chart is not there") == Verdict(
        now="unknown", reasons=reasons, next="unknown", changes=reasons
    )
