"""How VMs are shared out: here or by an executor, how many at a time, and what is asked of their form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from virtcatalog.cli.expand_output import FORMS
from virtcatalog.errors import UnsupportedError
from virtcatalog.fleet import expanding
from virtcatalog.fleet.expanding import Expander, expand_fleet
from virtcatalog.fleet.files import Fleet, Section, Share
from virtcatalog.fleet.outcome import Expansion, Form, Located, Remark
from virtcatalog.fleet.pool import START
from virtcatalog.fleet.sources import Placed
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.result import Result
from virtcatalog.manifests.read import Part


def share(length: int) -> Share:
    return Share(Part("x" * length))


@pytest.mark.parametrize(
    ("lengths", "batches"),
    [
        ([], []),
        ([1] * 32, [32]),
        ([1] * 80, [32, 32, 16]),
        ([1 << 18, 1], [1, 1]),
        ([(1 << 18) - 1, 1, 1], [2, 1]),
        ([1 << 17] * 5, [2, 2, 1]),
    ],
)
def test_vms_go_together_until_they_are_thirty_two_or_a_quarter_of_a_mebibyte(
    lengths: list[int], batches: list[int]
) -> None:
    assert [len(batch) for batch in expanding._batches(map(share, lengths))] == batches


class Here:
    """Expands nothing, and notes how many shares it gets at once."""

    def __init__(self) -> None:
        self.got: list[int] = []

    def shares(self, shares: Iterable[Share]) -> Iterator[Any]:
        batch = list(shares)
        self.got.append(len(batch))
        return iter(batch)


class Elsewhere(NamedTuple):
    """An executor that does here what it is asked for."""

    forks: bool
    calls: list[Any]

    def worth(self, number: int, least: int) -> bool:
        self.calls.append((number, least))
        return number >= least

    def results(self, function: Callable[..., Any], items: Iterable[Any], *extra: Any) -> Iterator[Any]:
        for item in items:
            self.calls.append(len(item) if isinstance(item, list) else item.end - item.first)
            yield function(item, *extra)


def vm(name: str) -> str:
    return f"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}}}
spec:
  runStrategy: Always
  template: {{spec: {{domain: {{memory: {{guest: 1Gi}}, devices: {{}}}}}}}}
---
"""


@pytest.fixture
def fleet(tmp_path: Any) -> Callable[[int], Fleet]:
    def of_size(number: int) -> Fleet:
        (tmp_path / "fleet.yaml").write_text("".join(vm(f"vm-{index}") for index in range(number)))
        return Fleet([Placed(str(tmp_path / "fleet.yaml"))])

    return of_size


@pytest.mark.parametrize("number", [1, 5])
def test_the_first_vm_waits_for_no_other(fleet: Callable[[int], Fleet], number: int) -> None:
    here = Here()
    results = list(expand_fleet(fleet(number), here, None))  # type: ignore[arg-type]
    assert (len(results), here.got) == (number, [1, number - 1])


@pytest.mark.skipif(START != "fork", reason="spawned processes cost more")
@pytest.mark.parametrize(
    ("number", "forks", "sizes"),
    [
        (499, True, []),
        (500, False, [*[48] * 10, 20]),
        (500, True, [*[48] * 3, *[32] * 4, *[16] * 14, 4]),
    ],
)
def test_many_vms_go_to_an_executor(fleet: Callable[[int], Fleet], number: int, forks: bool, sizes: list[int]) -> None:
    executor = Elsewhere(forks, [])
    here = Here()
    assert len(list(expand_fleet(fleet(number), here, executor))) == number  # type: ignore[arg-type]
    assert executor.calls == [(number, 500), *sizes]
    assert here.got == (sizes or [1, 498])


class Pieces(NamedTuple):
    """A file of so many pieces."""

    pieces: int


@pytest.mark.parametrize(
    ("pieces", "most", "sizes"),
    [
        (0, 24, []),
        (1, 24, [1]),
        (17, 192, [16, 1]),
        (100, 24, [12, 10, 8, 8, 6, 6, 6, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]),
        (9, 11, [1] * 9),
    ],
)
def test_sections_of_a_file_are_smaller_towards_its_end(pieces: int, most: int, sizes: list[int]) -> None:
    fleet = Fleet([])
    fleet._streams = [(Pieces(0), ""), (Pieces(pieces), "")]  # type: ignore[list-item]
    starts = [sum(sizes[:index]) for index in range(len(sizes) + 1)]
    assert list(fleet.sections(most)) == [Section(1, *ends) for ends in pairwise(starts)]


def nothing(_vm: Located, _result: Any) -> list[Remark]:
    return []


def of(text: str) -> Share:
    return Share(Part(text, "vm.yaml", is_vm=True))


@pytest.mark.parametrize(("options", "many"), [({}, False), ({"many": True}, True)])
def test_a_form_is_told_whether_there_are_more_vms(options: dict[str, bool], many: bool) -> None:
    expander = Expander(Cluster(), Form(lambda outcome, more: more), nothing, **options)
    assert list(expander.shares([of(vm("a"))])) == [Expansion("admitted", many)]


WITHOUT_POD = vm("a").replace(
    "devices: {}}", "devices: {disks: [{name: s, cdrom: {}}]}}, volumes: [{name: s, sysprep: {}}]"
)


def test_a_vm_without_a_pod_is_at_fault_where_that_is_asked_for() -> None:
    form = Form(lambda outcome, _: outcome.result.admitted)
    assert list(Expander(Cluster(), form, nothing).shares([of(WITHOUT_POD)])) == [Expansion("admitted", True)]
    (expansion,) = Expander(Cluster(), form, nothing, pods=True).shares([of(WITHOUT_POD)])
    assert (expansion.became, expansion.output, expansion.faulty) == ("admitted", True, True)
    (remark,) = expansion.remarks
    assert str(remark.problem) == (
        "vm.yaml:6:115: VirtualMachine/a: spec.template.spec.volumes[0].sysprep: no Pod is made: "
        "names neither a secret nor a configMap: there is nothing to mount"
    )


@pytest.mark.parametrize(
    ("text", "became", "problems"),
    [
        ("kind: [", "", ["vm.yaml:2:1: is not YAML: the text ends where a value is wanted"]),
        (
            vm("a").replace("runStrategy: Always", "runStrategy: []\n  running: 1"),
            "unreadable",
            [
                "vm.yaml:5:3: VirtualMachine/a: spec.runStrategy: must be a string, not a list",
                "vm.yaml:6:3: VirtualMachine/a: spec.running: must be true or false, not the number 1",
            ],
        ),
    ],
)
def test_what_cannot_be_read_is_told(text: str, became: str, problems: list[str]) -> None:
    (expansion,) = Expander(Cluster(), FORMS["xml"].form, nothing).shares([of(text)])
    assert (expansion.became, expansion.output, expansion.faulty) == (became, None, False)
    assert [str(remark.problem) for remark in expansion.remarks] == problems


def test_all_vms_go_through_a_stage_before_the_next_one(
    fleet: Callable[[int], Fleet], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first has two stages, the second three; the third is not supported."""
    log: list[str] = []

    def stages(manifest: dict[str, Any], *_: Any, **__: Any) -> Any:
        name = manifest["metadata"]["name"]
        for stage in range({"vm-0": 2, "vm-1": 3, "vm-2": 0}[name]):
            log.append(f"{name} {stage}")
            yield
        if name == "vm-2":
            raise UnsupportedError("spec.template", "unlike any other")
        return Result(refused_by="vm")

    monkeypatch.setattr(expanding, "expand_in_stages", stages)
    expander = Expander(Cluster([]), Form(lambda outcome, _: outcome.vm.name), nothing)
    expansions = list(expander.shares(fleet(3).shares()))
    assert log == ["vm-0 0", "vm-1 0", "vm-0 1", "vm-1 1", "vm-1 2"]
    assert [(vm.became, vm.output) for vm in expansions] == [
        ("refused", "default/vm-0"),
        ("refused", "default/vm-1"),
        ("unsupported", None),
    ]
