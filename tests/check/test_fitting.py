"""Instance types that no kind of node can hold."""

from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from checkouts import write
from virtcatalog.cli import main
from virtcatalog.errors import UnsupportedError

FILES = {
    "catalog/catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
    "catalog/instancetypes/m.yaml": """\
        class: m
        sizes:
          small: {vcpus: 2, memory: 4Gi}
          huge: {vcpus: 2, memory: 100Gi}
        """,
    "catalog/overlays.yaml": "production: {scope: cluster}\nlab: {scope: cluster}\n",
    "nodes.yaml": """\
        nodes:
        - name: general
          count: 1
          allocatable: {cpu: 14, memory: 60Gi}
          taints: [{key: k, effect: NoSchedule}]
        """,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)


def lines(*arguments: str) -> list[str]:
    result = CliRunner().invoke(main, ["check", *arguments])
    return [line for line in result.stdout.splitlines() if "no-node" in line]


def test_a_type_that_no_kind_of_node_can_hold() -> None:
    (line,) = lines("--nodes", "nodes.yaml")
    assert line.startswith("catalog/instancetypes/m.yaml:4:")
    assert "no kind of node can hold m.huge: general has 60 GiB of the 100.3 GiB wanted" in line


def test_nothing_is_said_of_nodes_that_nobody_knows() -> None:
    assert lines() == []


def test_nodes_of_one_environment() -> None:
    node = """\
        apiVersion: v1
        kind: Node
        metadata:
          name: node-1
          labels:
            kubernetes.io/arch: amd64
            kubevirt.io/schedulable: "true"
            machine-type.node.kubevirt.io/q35: "true"
        status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110", ephemeral-storage: 100Gi,
          devices.kubevirt.io/kvm: "9", devices.kubevirt.io/tun: "9", devices.kubevirt.io/vhost-net: "9"}}
        """
    Path("lab.yaml").write_text(dedent(node))
    (line,) = lines("-f", "lab=lab.yaml")
    assert "m.huge" in line
    assert "lab" in line
    assert "production" not in line


def test_what_is_wrong_with_the_declaration_is_told() -> None:
    Path("nodes.yaml").write_text("nodes: 1\n")
    result = CliRunner().invoke(main, ["check", "--nodes", "nodes.yaml"])
    assert (result.exit_code, "nodes.yaml:1:1: nodes: must be a list" in result.stderr) == (2, True), result.stderr


def test_a_type_that_has_no_pod_is_no_matter_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines("--nodes", "nodes.yaml")
    monkeypatch.setattr("virtcatalog.check.fitting.demand_of", lambda *_: "refused: it is odd")
    assert lines("--nodes", "nodes.yaml") == []


def test_a_type_that_is_not_modelled_is_no_matter_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise UnsupportedError("spec", "it is odd")

    monkeypatch.setattr("virtcatalog.check.fitting.demand_of", fail)
    assert lines("--nodes", "nodes.yaml") == []
