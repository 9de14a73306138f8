"""What commands print of values that few runs have: many of a kind, none, one and several, as a user reads it."""

from __future__ import annotations

from fractions import Fraction

import click
import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.api.quantity import Quantity
from virtcatalog.ask.why import Reason
from virtcatalog.bring.imports import Verdict
from virtcatalog.bring.vmware.fates import Brought
from virtcatalog.bring.vmware.hardware import GuestHardware
from virtcatalog.bring.vmware.machine import Attribute, Machine
from virtcatalog.bring.vmware.manifest import System, Target
from virtcatalog.bring.vmware.mapping import Mapping
from virtcatalog.capacity.applicationaware import KIND
from virtcatalog.capacity.packing import Failure
from virtcatalog.capacity.quota import Judgement, Line, Refusal
from virtcatalog.capacity.report import KindFit, Packed, Report, TypeFit, VMFit
from virtcatalog.cli import capacity_output, expand_output, rightsize, table
from virtcatalog.cli.explain import _Answer, _lines
from virtcatalog.cli.importing.vmware_output import Tally
from virtcatalog.cli.man import Page, markdown, pages, roff
from virtcatalog.errors import Reason as RefusalReason
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.pod.overhead import Term
from virtcatalog.rightsize.metrics import Usage
from virtcatalog.rightsize.sizes import Advice


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "columns_of_terminal", lambda: 200)


GIB = 2**30
NOTHING = Packed(nodes=0, used_nodes=0, placed=0, left=0, total={}, used={}, lost={})


def report(
    *vms: VMFit,
    types: tuple[TypeFit, ...] = (),
    packed: Packed = NOTHING,
    failures: tuple[Failure, ...] = (),
    quota: Judgement | None = None,
) -> Report:
    judgement = quota or Judgement(lines=(), refusals=(), automatic={})
    return Report(kinds=(), types=types, vms=vms, packed=packed, failures=failures, quota=judgement, podless=())


def homeless(number: int, reasons: int = 1, kinds: tuple[str, ...] = ()) -> VMFit:
    texts = tuple(("general", place + 1, "CPU", f"has {number}, {place}") for place in range(reasons))
    return VMFit(name=f"ns/vm-{number:02}", kinds=kinds, reasons=texts)


PLACED = Packed(
    nodes=3,
    used_nodes=2,
    placed=1001,
    left=4,
    total={"cpu": 12000, "memory": 64 * GIB, "pods": 110, "example.org/gpu": 4, "example.org/none": 0},
    used={
        "cpu": 3000,
        "memory": 16 * GIB,
        "pods": 3,
        "example.org/gpu": 1,
        "example.org/none": 0,
        "devices.kubevirt.io/kvm": 3,
        "ephemeral-storage": 50,
    },
    lost={"cpu": 1000, "memory": 0},
)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(report(homeless(1), packed=PLACED, failures=(Failure("n", "k", 3, ()),)), id="room"),
        pytest.param(
            report(
                VMFit(name="ns/off", kinds=("k",), halted=True),
                packed=PLACED,
                failures=(Failure("n1", "k", 30, ("a", "b")), Failure("n2", "k", 1, ("a",)), Failure("n3", "k", 9, ())),
            ),
            id="one halted, two nodes may not fail",
        ),
        pytest.param(
            report(
                VMFit(name="ns/off", kinds=("k",), halted=True),
                VMFit(name="ns/off-2", kinds=("k",), halted=True),
                failures=(Failure("n1", "k", 1, ("a",)), Failure("n3", "k", 9, ())),
            ),
            id="two halted, one node may not fail",
        ),
        pytest.param(report(*(homeless(number) for number in range(10))), id="ten ways to fit nowhere"),
        pytest.param(report(*(homeless(number) for number in range(11))), id="eleven ways"),
        pytest.param(report(*(homeless(min(number, 10)) for number in range(13))), id="thirteen, the last three alike"),
        pytest.param(report(homeless(1, 10), homeless(2, 11), homeless(3, 12)), id="ten reasons and more"),
        pytest.param(
            report(homeless(1, kinds=("general", "gpu")), homeless(1, kinds=("general", "gpu")), homeless(2, 0)),
            id="two alike that an empty node could run",
        ),
    ],
)
def test_vms_without_a_node(answer: Report, snapshot: SnapshotAssertion) -> None:
    assert "\n".join(capacity_output.fleet_lines(answer)) == snapshot


def test_instance_types_and_how_many_fit(capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    fits = (KindFit(kind="a", least=2, most=2, short_of="cpu"), KindFit(kind="b", least=0, most=0, short_of="memory"))
    none = (KindFit(kind="a", least=0, most=0, short_of="cpu"), KindFit(kind="b", least=0, most=0, short_of="x/gpu"))
    ranged = (KindFit(kind="a", least=1, most=3, short_of=""),)
    pages = {"hugepages-2Mi": 2 * GIB, "hugepages-1Gi": 4 * GIB, "memory": GIB}
    types = (
        TypeFit(name="small", wanted={"cpu": 1500, "memory": 2 * GIB}, kinds=fits, empty=1234, beside=1000),
        TypeFit(name="none", wanted={}, kinds=none),
        TypeFit(name="paged", wanted=pages, kinds=ranged, empty=3, beside=0),
        TypeFit(name="refused", refused="refused: because"),
    )
    capacity_output.print_text(report(types=types))
    assert capsys.readouterr().out == snapshot


def refusals(number: int) -> tuple[Refusal, ...]:
    return tuple(Refusal(f"ns/vm-{place:02}", "ResourceQuota/ns/q", "allows nothing") for place in range(number))


@pytest.mark.parametrize("number", [1, 10, 11, 12])
def test_refusals_of_quotas(number: int, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    judgement = Judgement(lines=(), refusals=refusals(number), automatic={})
    capacity_output.print_text(report(quota=judgement))
    assert capsys.readouterr().out == snapshot


def test_quotas(capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    amounts = [("pods", "3", "3"), ("requests.cpu", "4", "4001m"), ("limits.memory", "1Gi", "512Mi")]
    lines = tuple(
        Line(
            namespace="ns",
            kind=kind,
            quota="q",
            resource=resource,
            hard=Quantity.parse(hard),
            requested=Quantity.parse(requested),
        )
        for kind in ("ResourceQuota", KIND)
        for resource, hard, requested in amounts
    )
    judgement = Judgement(
        lines=lines,
        refusals=(),
        automatic={("ns", "memory"): 2, ("ns", "cpu"): 1, ("a", "cpu"): 1200},
        unjudged=("persistentvolumeclaims", "services"),
        undecided=("Kind/q: it is so", "Kind/r: it is otherwise"),
        notes=("it is assumed",),
    )
    capacity_output.print_text(report(quota=judgement))
    assert capsys.readouterr().out == snapshot


PODS = {"cpu": 4000, "memory": 8 * GIB, "x/gpu": 1}
ADVICES = (
    Advice(vm="ns/fits", outcome="fits", usage=Usage(1, GIB), old="m"),
    Advice(vm="ns/without", outcome="unknown", reasons=("one", "two")),
    Advice(vm="ns/half", outcome="unknown", usage=Usage(cpu=1.239), old="m", reasons=("the metrics have no memory",)),
    Advice(vm="ns/other-half", outcome="unknown", usage=Usage(memory=1.5 * GIB), old="m"),
    Advice(vm="ns/stays", outcome="stays", usage=Usage(0.5, GIB), old="m", reasons=("it | is *so*",)),
    Advice(
        vm="ns/smaller",
        outcome="smaller",
        usage=Usage(0.5, GIB),
        old="m",
        new="s",
        now="restart",
        notes=("a note",),
        reasons=("a reason",),
        before=PODS,
        after={"cpu": 1000, "memory": 8 * GIB, "hugepages-2Mi": GIB},
        saves=Fraction(5, 7),
    ),
    Advice(
        vm="ns/larger",
        outcome="larger",
        usage=Usage(5, 9 * GIB),
        old="m",
        new="l",
        now="live",
        before={"cpu": 1000},
        after=PODS,
        saves=Fraction(-5, 7),
    ),
    Advice(vm="ns/a-larger", outcome="larger", usage=Usage(5, 9 * GIB), old="m", new="l", saves=Fraction(0)),
)


def test_sizes_that_would_do(capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    rightsize.print_text(ADVICES)
    assert capsys.readouterr().out == snapshot(name="text")
    assert rightsize.as_markdown(ADVICES) == snapshot(name="Markdown")
    assert rightsize.as_data(ADVICES) == snapshot(name="data")
    assert rightsize.as_rows(ADVICES) == snapshot(name="rows")
    rightsize.print_text(ADVICES[:1])
    assert capsys.readouterr().out == ""


REASON = Reason(kind="VM", object="ns/web", field="spec.x", value="1", without="2")
TYPED = Reason(kind="instance type", object="m", field="spec.y", value="", without="", otherwise=True)
ONE, TWO = (Term(Quantity.parse(amount), cause) for amount, cause in (("100Mi", "the guest"), ("1536Ki", "its pages")))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(_Answer("ns/web", "1", (), (), ()), id="KubeVirt's own"),
        pytest.param(_Answer("ns/web", "1", (REASON, TYPED), (), ("vm.yaml:1:2", "")), id="two reasons"),
        pytest.param(_Answer("ns/web", "1", (REASON,), (ONE, TWO, TWO), ("",)), id="a sum"),
    ],
)
def test_why_a_field_is_as_it_is(answer: _Answer, snapshot: SnapshotAssertion) -> None:
    assert "\n".join(_lines("cpu", answer)) == snapshot


def tally(lost: int, unproven: int = 0, **outcomes: int) -> Tally:
    result = Tally()
    result.outcomes.update(outcomes)
    for number in range(lost):
        fates = [(Attribute(f"a.{number}", "x", "s", 0, "vm.ovf", 1 + number, 2), Verdict("lost", f"why {number}"))]
        result.ledger.add("web", fates * (number + 1))
    unsure = Attribute("u", "x", "s"), Verdict("unproven", "perhaps")
    fine = Attribute("c", "x", "s"), Verdict("carried", "there")
    result.ledger.add("web", [unsure] * unproven + [fine] * 1001)
    return result


@pytest.mark.parametrize(
    "account",
    [
        pytest.param(tally(0), id="no VM"),
        pytest.param(tally(0, exact=1), id="one VM"),
        pytest.param(tally(3, 1, exact=1000, larger=2, none=3, refused=4), id="of each kind"),
        pytest.param(tally(2, exact=2), id="as many as are shown"),
        pytest.param(tally(4, exact=2), id="two more than are shown"),
    ],
)
def test_what_became_of_machines(
    account: Tally, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    account.left_out.update({"template": 2, "VM without a disk": 1})
    account.tell(2, "yaml")
    assert capsys.readouterr().err == snapshot
    assert account.fine is (not account.outcomes["refused"] and account.ledger.counts["lost"] == 0)


def test_a_machine_that_is_refused_is_told_with_its_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    def brought(name: str, hardware: GuestHardware | None) -> Brought:
        machine = Machine(name, "", "vms.csv", 3, (), 2, 4 * GIB, (), (), (), column=1)
        reasons = (
            RefusalReason(field="spec.x", message="is wrong", type="FieldValueInvalid", by="vm"),
            RefusalReason(field="spec.y", message="is missing", type="FieldValueRequired", by="vmi"),
        )
        system, target = System(None, "", "none", None), Target(Mapping(), "ns")
        return Brought(machine, name, {}, system, target, {}, reasons=reasons, hardware=hardware)

    hardware = GuestHardware(2, 1, 4 * GIB, "bios", False, False, {}, {})
    account = Tally()
    list(account.counted([brought("bad", None), brought("good", hardware)]))
    account.tell(5, "yaml")
    assert capsys.readouterr().err == (
        "vms.csv:3:1: ns/bad: spec.x: is wrong (refused by the VM webhook)\n"
        "vms.csv:3:1: ns/bad: spec.y: is missing (refused by the VMI webhook)\n"
        "2 VMs: 1 with none, 1 refused; 0 attributes: 0 carried, 0 the host's, 0 lost\n"
    )


PAGES = (
    Page("virtcatalog", "virtcatalog [OPTIONS]", "All of it.", (), (), (), ("virtcatalog a", "virtcatalog a b")),
    Page(
        "virtcatalog a b",
        "virtcatalog a b [X]",
        "Do <it> now.",
        ("With *stars*, a_b, [c] and d|e.", ".begins with a dot"),
        (("-o, --output [a|b]", "What | to print."), ("-q", "Say “nothing”.")),
        ("virtcatalog a b x", 'virtcatalog a b "y\\z"'),
        (),
    ),
)


@pytest.mark.parametrize("page", PAGES, ids=["a group", "a command"])
def test_pages_of_commands(page: Page, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("virtcatalog.cli.man.__version__", "VERSION")
    assert roff(page) == snapshot(name="roff")
    assert markdown(page) == snapshot(name="Markdown")


def test_examples_and_options_of_a_command_are_read_line_by_line() -> None:
    @click.command(
        epilog="""\b
Examples:
  virtcatalog x a      the first

  virtcatalog x b
"""
    )
    @click.option("-o", "--output", metavar="FILE", help="Where to.")
    def command(output: str) -> None:
        """Do it.

        At once, and
        on two lines.
        """

    command.name = "x"
    (page,) = pages(command, click.Context(click.Group("virtcatalog"), info_name="virtcatalog"))
    assert page._asdict() == {
        "name": "virtcatalog x",
        "usage": "virtcatalog x [OPTIONS]",
        "summary": "Do it.",
        "paragraphs": ("At once, and on two lines.",),
        "options": (("-o, --output FILE", "Where to."), ("--help", "Show this message and exit.")),
        "examples": ("virtcatalog x a      the first", "virtcatalog x b"),
        "commands": (),
    }


def test_why_a_pod_is_not_modelled_stands_beside_the_vmi() -> None:
    class Unmodelled:
        pod_error = ""

        @property
        def pod(self) -> object:
            raise UnsupportedError("spec.domain.x", "x is not modelled")

    pod = expand_output._pod(Unmodelled())
    assert pod == {
        "pod": None,
        "podError": {"field": "spec.domain.x", "message": "not supported by virtcatalog: x is not modelled"},
    }
