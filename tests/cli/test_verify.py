"""What `verify` prints of answers that few clusters give."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

import otheryaml
from virtcatalog.cli import table, verify
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.live.verify import Answer, Finding, Tally


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "columns_of_terminal", lambda: None)


def tally(number: int, left_out: int = 0) -> Tally:
    findings = tuple(Finding(f"shop/vm-{index:02}", "spec.x", index, None) for index in range(number))
    off = tuple(f"shop/off-{index:02}: is off" for index in range(left_out))
    return Tally("vmi", 20, 20 - number, findings, off)


def printed(*tallies: Tally) -> tuple[str, str]:
    @click.command()
    def command() -> None:
        verify._table(tallies)

    result = CliRunner().invoke(command, catch_exceptions=False)
    return result.stdout, result.stderr


HEAD = "STAGE  COMPARED  AGREE  NOT COMPARED\n"


def lines(number: int) -> str:
    return "".join(f"vmi: shop/vm-{index:02}: spec.x: ours {index}, the cluster's none\n" for index in range(number))


@pytest.mark.parametrize(
    ("tallies", "out", "err"),
    [
        ((), f"{HEAD}no VM runs of which it is known what it was started with\n", ""),
        ((tally(0),), f"{HEAD}vmi    20        20     0\n", ""),
        ((tally(10),), f"{HEAD}vmi    20        10     0\n{lines(10)}", ""),
        ((tally(11),), f"{HEAD}vmi    20        9      0\n{lines(10)}vmi: and 1 more differences\n", ""),
        (
            (tally(0, 11),),
            f"{HEAD}vmi    20        20     11\n",
            "".join(f"vmi: not compared: shop/off-{index:02}: is off\n" for index in range(10)),
        ),
    ],
)
def test_ten_differences_of_a_stage_are_shown(tallies: tuple[Tally, ...], out: str, err: str) -> None:
    assert printed(*tallies) == (out, err)


def test_a_report_in_markdown_is_no_markup_of_strangers() -> None:
    odd = Tally("pod", 2, 1, (Finding("shop/a_b", "", "<x>", "*"),), ("x",))
    assert verify._markdown(odd) == (
        "### pod: 1 of 2 agree, 1 not compared\n\n- shop/a\\_b: ours \\<x\\>, the cluster's \\*\n\n"
    )
    assert verify._markdown(tally(0)) == "### vmi: 20 of 20 agree, 0 not compared\n\n"


def test_a_report_as_data() -> None:
    assert verify._as_data(tally(1)) == {
        "stage": "vmi",
        "compared": 20,
        "agree": 19,
        "findings": [{"vm": "shop/vm-00", "field": "spec.x", "ours": 0, "theirs": None}],
        "left_out": (),
    }


def test_domains_are_found_by_the_names_of_their_vms(tmp_path: Path) -> None:
    (tmp_path / "shop_a.xml").write_text("<domain/>")
    find = verify.domains_in(str(tmp_path))
    assert find is not None
    assert [find(name) for name in ("shop/a", "shop/b", "shop/a/c")] == [b"<domain/>", None, None]
    assert verify.domains_in(None) is None
    with pytest.raises(VirtcatalogError) as caught:
        verify.domains_in(str(tmp_path / "shop_a.xml"))
    assert str(caught.value) == f"{tmp_path}/shop_a.xml: is no folder"


SOUND = "{runStrategy: Halted, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}"
REFUSED = SOUND.replace("devices: {}", "devices: {disks: [{name: a}]}")
WHY = "spec.template.spec.domain.devices.disks[0].name: no volume is named 'a' (refused by the VM webhook)"


@pytest.mark.parametrize(
    ("spec", "theirs", "finding"),
    [
        (SOUND, "", None),
        (SOUND, "no", ("taken", "no")),
        (REFUSED, "", (WHY, "taken")),
        (REFUSED, "no", None),
    ],
)
def test_a_vm_of_git_is_taken_by_both_or_by_one(
    spec: str, theirs: str, finding: tuple[str, str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no VM is not asked about, nor is a VM of which a value is open."""
    vm = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "a", "namespace": "shop"}}
    vm["spec"] = otheryaml.load(spec)
    vms = [(vm, ()), (vm, ("spec.runStrategy",)), (vm | {"kind": "VirtualMachineInstance"}, ())]
    side = SimpleNamespace(vms=[SimpleNamespace(manifest=manifest, open=values) for manifest, values in vms])
    monkeypatch.setattr("virtcatalog.cli.sides.side_of_git", lambda _: side)
    monkeypatch.setattr("virtcatalog.live.client.kubeconfig.access", lambda *_: None)
    monkeypatch.setattr("virtcatalog.live.client.dryrun.DryRun", lambda _: SimpleNamespace(refusal=lambda _: theirs))
    (answer,) = verify._admission("git", None, None, Cluster([]))
    findings = () if finding is None else (Finding("shop/a", "", *finding),)
    assert answer == Answer("admission", "shop/a", findings)
