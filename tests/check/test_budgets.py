"""Budgets of a catalog, and VMs that never get a Pod."""

from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main

CATALOG = """\
name: test
kubevirt: v1.9.0
budgets:
- {environment: production, requests: {memory: 10Gi}}
- {namespace: team-a, requests: {cpu: 100, memory: 5Gi}}
"""
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: %s, namespace: %s}
spec:
  runStrategy: %s
  template: {spec: {domain: {memory: {guest: 4Gi}, devices: {}}}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("catalog").mkdir()
    Path("catalog/catalog.yaml").write_text(CATALOG)
    Path("catalog/overlays.yaml").write_text("production: {scope: cluster}\n")


def lines(rule: str, *vms: str) -> list[str]:
    Path("vms.yaml").write_text("---\n".join(vms))
    result = CliRunner().invoke(main, ["check", "-f", "production=vms.yaml"])
    return [line for line in result.stdout.splitlines() if rule in line]


def test_vms_beyond_a_budget() -> None:
    vms = [VM % ("a", "team-a", "Always"), VM % ("b", "team-a", "Always"), VM % ("c", "team-b", "Always")]
    (whole, team) = lines("over-budget", *vms)
    assert whole.startswith("catalog/catalog.yaml:4:")
    assert "the VMs of environment production request 12.9 GiB, and 10 GiB is the budget" in whole
    assert "the VMs of namespace team-a request 8.6 GiB, and 5 GiB is the budget" in team


def test_halted_vms_and_less_do_not_count() -> None:
    assert lines("over-budget", VM % ("a", "team-a", "Always"), VM % ("b", "team-a", "Halted")) == []


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "{environment: prodution, requests: {cpu: 1}}",
            ("'prodution' is no environment of overlays.yaml; did you mean 'production'? [error: invalid-declaration]"),
        ),
        (
            "{requests: {cpu: much}}",
            (
                "budgets[0].requests.cpu: 'much' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9 [error: "
                "invalid-declaration]"
            ),
        ),
        ("{namespace: a}", "budgets[0].requests: is required [error: invalid-declaration]"),
    ],
)
def test_what_is_wrong_with_a_budget(entry: str, message: str) -> None:
    Path("catalog/catalog.yaml").write_text(f"name: test\nkubevirt: v1.9.0\nbudgets: [{entry}]\n")
    result = CliRunner().invoke(main, ["check"])
    assert result.exit_code == 1
    assert f"{message}\n" in result.stdout


def test_a_vm_that_waits_for_its_pod_for_ever() -> None:
    plugin = dedent("""\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: a}
        spec:
          runStrategy: Always
          template:
            spec:
              domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: net, binding: {name: p}}]}}
              networks: [{name: net, pod: {}}]
        """)
    (line,) = lines("vm-without-pod", plugin)
    assert line.startswith("vms.yaml:8:")
    assert "no network binding plugin 'p' is registered" in line
