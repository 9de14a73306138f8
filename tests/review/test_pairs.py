"""Any two of the small states that reviews are tested with: no VM is silent, and forms and directions say the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from test_reviews import CASES, Data, reviewed

from sampling import examples
from virtcatalog.api.kinds import holds_vm
from virtcatalog.fleet.inputs import located
from virtcatalog.review.html import html
from virtcatalog.review.markdown import markdown
from virtcatalog.review.report import Report, as_data
from virtcatalog.review.text import text

STATES = [state for case in CASES.values() for state in case]
REVERSED = {"added": "removed", "removed": "added", "changed": "changed", "renamed": "renamed"}


@st.composite
def states(draw: st.DrawFn) -> list[Data]:
    """The objects of a state, and what is around the VMs of another one."""
    first, second = draw(st.sampled_from(STATES)), draw(st.sampled_from(STATES))
    around = (manifest for manifest in second if not holds_vm(manifest))
    return list({located(manifest): manifest for manifest in (*around, *first)}.values())


def forms(report: Report) -> list[str]:
    """The report as text, Markdown and HTML, without what these put around words."""
    return [" ".join(text(report, 200, full=True).split()), markdown(report).replace("\\", ""), html(report)]


@given(states(), states())
@settings(max_examples=examples(90), deadline=None)
def test_a_vm_that_differs_is_named_in_all_forms_and_the_way_back_has_the_same_objects(
    base: list[Data], head: list[Data]
) -> None:
    report = reviewed(base, head)
    judged = {verdict.vm for verdict in report.fleet.verdicts}
    before, after = ({located(manifest): manifest for manifest in side if holds_vm(manifest)} for side in (base, head))
    for which in before.keys() | after.keys():
        name = "/".join(which[1:])
        quiet = any(name in remark for remark in report.remarks) or name in report.fleet.unknown
        broken = any(problem.object.endswith(f"/{which[2]}") for problem in report.problems)
        assert before.get(which) == after.get(which) or name in judged or quiet or broken, which
    written, comment, page = forms(report)
    for form in (written, comment, page):
        assert [name for name in judged if name not in form] == []
    assert report.headline in written
    assert report.headline in comment
    data = as_data(report)
    assert {vm["vm"] for vm in data["vms"]} == judged
    assert report.status == (2 if data["problems"] or data["notCompared"]["vms"] else int(data["differs"]))
    back = reviewed(head, base)
    changes = sorted((REVERSED[change.change], change.old_name or change.manifest["metadata"]["name"])
                     for change in report.objects)  # fmt: skip
    assert changes == sorted((change.change, change.manifest["metadata"]["name"]) for change in back.objects)
    assert report.differs == back.differs
