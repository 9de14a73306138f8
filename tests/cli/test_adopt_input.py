"""What `adopt` reads of a file, and what of it is held."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent

import pytest

from virtcatalog.adopt.fleet import Vms
from virtcatalog.cli.vm_files import OnDemand, read
from virtcatalog.fleet.sources import Placed

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: NAME, namespace: shop}
spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}
"""
OTHER = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
BROKEN = VM.replace("runStrategy", "runtimeStrategy")
LIST = "apiVersion: v1\nkind: List\nitems:\n"


def named(name: str, text: str = VM) -> str:
    return text.replace("NAME", name)


def item(text: str) -> str:
    return f"- {indent(text, '  ')[2:]}"


def flow(*names: str) -> str:
    """A List of one piece: its items stand in one line each, between brackets."""
    spec = {"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}}}}}
    vms = [
        {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": name, "namespace": "shop"}}
        | {"spec": spec}
        for name in names
    ]
    return f"apiVersion: v1\nkind: List\nitems: {json.dumps(vms)}\n"


@pytest.mark.parametrize(
    ("text", "held"),
    [
        pytest.param("---\n".join((named("a"), OTHER, named("x", BROKEN), named("b"))), False, id="documents"),
        pytest.param(LIST + "".join(map(item, (named("a"), named("x", BROKEN), OTHER, named("b")))), False, id="list"),
        pytest.param("---\n".join((flow("a"), named("x", BROKEN), named("b"))), False, id="a list of one"),
        pytest.param(flow("a", "b"), True, id="one piece"),
    ],
)
def test_vms_are_read_when_they_are_asked_for_unless_several_are_in_a_piece(
    tmp_path: Path, text: str, held: bool
) -> None:
    path = tmp_path / "vms.yaml"
    path.write_text(text)
    files, problems = read([Placed(str(path))])
    (file,) = files
    assert [vm.name for vm in file.vms.values()] == ["shop/a", "shop/b"]
    assert list(file.vms) == ([0, 2] if problems else [0, 1])
    assert [problem.field for problem in problems] == ["spec.runtimeStrategy"] * (not held)
    for vm in file.vms.values():
        assert vm.manifest.data["metadata"]["name"] == vm.name.removeprefix("shop/")
        assert (vm.manifest is vm.manifest) == held
    vms: Vms = OnDemand(list(file.vms.values()))
    assert [vms[place]["metadata"]["name"] for place in range(len(vms))] == ["a", "b"]
