"""VMs that only one side has, or of which a side cannot be seen."""

from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.repositories.placeholders import Open
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.onesided import judge_opaque, judge_open, judge_template
from virtcatalog.review.side import Side
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


def test_of_a_new_template_that_is_not_modelled_nobody_knows_what_its_vms_are():
    nothing = Side(label="side", objects={"": []})
    comparison = Comparison((nothing, nothing), "", (Conditions(), Conditions()))
    spec = {"template": {"spec": {"domain": {"machine": {"type": "q" * 257}, "devices": {}}}}}
    head = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "web"}}
    verdict = judge_template(None, {**head, "spec": {"runStrategy": "Halted", **spec}}, comparison, ())
    assert (verdict.template, verdict.now, verdict.next) == (True, "unchanged", "unknown")
    assert [change.partition(": ")[0] for change in verdict.changes] == [
        "the VM template is new",
        "spec.template.spec.domain.machine.type",
    ]
