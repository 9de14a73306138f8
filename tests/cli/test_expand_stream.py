"""`virtcatalog expand` over many VMs: one stream, in the order of the input."""

from __future__ import annotations

import json
from typing import Any

import pytest

from virtcatalog.cli.expand_output import FORMS
from virtcatalog.fleet import expanding, files
from virtcatalog.fleet.pool import Processes
from virtcatalog.fleet.sources import Placed
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.manifests import jsonsplit, spool
from virtcatalog.manifests.pieces import Pieces

TYPE = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterInstancetype",
    "metadata": {"name": "small"},
    "spec": {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}},
}


def vm(name: str, instancetype: str = "small", **spec: Any) -> dict[str, Any]:
    template = {"spec": {"domain": {"devices": {}}}}
    spec = {"runStrategy": "Always", "instancetype": {"name": instancetype}, "template": template, **spec}
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": name}, "spec": spec}


def listed(items: list[dict[str, Any]]) -> str:
    return json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4)


FLEET = listed([vm("one"), vm("two", running=True), vm("three", "none"), vm("four", cpu=1), vm("five"), TYPE])
"""A fleet whose instance type comes last."""


def test_what_comes_last_counts_for_the_first(run):
    result = run("-f", "-", stdin=FLEET)
    assert [line for line in result.stdout.splitlines() if line.startswith("<!--")] == [
        "<!-- default/one -->",
        "<!-- default/five -->",
    ]


def test_what_is_wrong_is_told_in_the_order_of_the_vms(run, tmp_path):
    (tmp_path / "fleet.json").write_text(FLEET)
    result = run("-f", str(tmp_path / "fleet.json"))
    names = [line.partition("VirtualMachine/")[2].partition(":")[0] for line in result.stderr.splitlines()[:-1]]
    assert names == ["two", "three", "four"]
    assert result.stderr.splitlines()[-1] == "5 VMs: 2 admitted, 2 refused, 1 unreadable"
    assert result.exit_code == 2


@pytest.mark.parametrize("form", ["xml", "json", "vmi", "explain", "disks", "sarif"])
@pytest.mark.parametrize("forks", [True, False])
def test_several_processes_print_what_one_does(run, tmp_path, monkeypatch, form, forks):
    monkeypatch.setattr(expanding, "WORTH_IT", 2)
    monkeypatch.setattr(expanding, "CHUNK", 2)
    monkeypatch.setattr(expanding, "_SECTION", 2)
    monkeypatch.setattr(Processes, "forks", forks)
    monkeypatch.setattr(spool, "_SMALL", 100)
    (tmp_path / "a.json").write_text(FLEET)
    (tmp_path / "b.yaml").write_text("".join(f"---\n{json.dumps(vm(name))}\n" for name in ("six", "seven", "eight")))
    files = "-f", str(tmp_path / "a.json"), "-f", "-", "-f", str(tmp_path / "b.yaml")
    one, two = (run(*files, "-o", form, "-j", jobs, stdin=listed([vm("nine")])) for jobs in ("1", "2"))
    assert (two.stdout, two.stderr, two.exit_code) == (one.stdout, one.stderr, one.exit_code)
    assert one.stderr.endswith("\n9 VMs: 6 admitted, 2 refused, 1 unreadable\n")


def test_sections_of_a_file_get_smaller_towards_its_end(tmp_path):
    (tmp_path / "fleet.json").write_text(listed([vm(f"vm-{number}") for number in range(500)]))
    vms = files.Fleet([Placed(str(tmp_path / "fleet.json"))])
    sections = [*vms.sections(48)]
    sizes = [section.end - section.first for section in sections]
    assert [one.end for one in sections] == [*(section.first for section in sections[1:]), 500]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-2:]) == (48, [4, 4])


def test_the_first_result_is_there_before_the_next_vm_is_read(tmp_path, monkeypatch):
    (tmp_path / "fleet.json").write_text(listed([vm(f"vm-{number}") for number in range(20)]))
    vms = files.Fleet([Placed(str(tmp_path / "fleet.json"))])
    shares, read = vms.shares(), []
    monkeypatch.setattr(vms, "shares", lambda: (read.append(share) or share for share in shares))
    expander = expanding.Expander(Cluster([TYPE]), FORMS["xml"].form, lambda *_: [], many=True)
    expansions = expanding.expand_fleet(vms, expander, None)
    assert next(expansions).became == "admitted"
    assert len(read) == 1
    assert [expansion.became for expansion in expansions] == ["admitted"] * 19
    assert len(read) == 20


def test_of_a_list_that_is_cut_off_no_vm_is_expanded(run):
    result = run("-f", "-", stdin=FLEET[: FLEET.index('"five"')])
    assert result.stdout == ""
    assert result.stderr.splitlines()[0].startswith("<stdin>:")
    assert result.stderr.splitlines()[-1] == "no VM; 1 other problem"
    assert result.exit_code == 2


def test_standard_input_is_put_aside_on_disk_when_it_is_long(run, monkeypatch):
    monkeypatch.setattr(spool, "_SMALL", 100)
    assert run("-f", "-", stdin=FLEET).stdout.count("<domain ") == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_file_that_shrinks_meanwhile_is_told(run, tmp_path, monkeypatch, jobs):
    monkeypatch.setattr(expanding, "WORTH_IT", 2)
    file = tmp_path / "fleet.json"
    file.write_text(FLEET)
    monkeypatch.setattr(spool, "_SMALL", 100)
    split = jsonsplit.split

    def shrunk(content: spool.Content, pieces: Pieces) -> None:
        split(content, pieces)
        file.write_text("{}")

    monkeypatch.setattr(jsonsplit, "split", shrunk)
    result = run("-f", str(file), "-j", jobs)
    assert "has been changed while it was read" in result.stderr
    assert result.exit_code == 2
