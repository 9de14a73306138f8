"""`virtcatalog adopt` of a fleet: what VMs have in common is told, and what a catalog could declare for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from checkouts import write
from virtcatalog.cli import main

TYPES = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
"""


def vm(name: str, cpus: int, memory: str, more: str = "") -> str:
    return f"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}}}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu: {{sockets: {cpus}}}
        memory: {{guest: {memory}}}
        devices: {{{more}}}
"""


def adopt(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["adopt", *arguments])


@pytest.fixture(autouse=True)
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    vms = [vm(f"web-{number}", 2, "4Gi") for number in range(19)]
    vms += [vm("db-1", 8, "24Gi"), vm("db-2", 8, "24Gi")]
    write(tmp_path, {"types.yaml": TYPES, "vms.yaml": "---\n".join(vms), "few.yaml": "---\n".join(vms[:20])})


def test_of_twenty_vms_each_is_explained_and_of_more_those_that_adopt_the_same_are_one_line() -> None:
    few = adopt("-f", "few.yaml", "-c", "types.yaml")
    assert few.stderr.count(": adopts VirtualMachineClusterInstancetype small") == 19
    many = adopt("-f", "vms.yaml", "-c", "types.yaml", "-o", "json")
    assert many.exit_code == 1
    assert many.stderr.splitlines() == [
        "VMS  OUTCOME  INSTANCE TYPE  PREFERENCE  SUCH AS        WHY",
        "2    nearest  small          -           default/db-1   has 8 vCPUs and 24 GiB, not 2 vCPUs and 4 GiB",
        "19   adopted  small          -           default/web-0  -",
        "21 VMs: 19 adopted, 2 nearest",
    ]


def test_sizes_that_the_catalog_lacks_are_proposed() -> None:
    result = adopt("-f", "vms.yaml", "-c", "types.yaml", "--propose")
    assert (result.exit_code, result.stderr) == (0, "1 size for 2 of 21 VMs\n")
    assert result.stdout.splitlines() == [
        "# beside small",
        "sizes:",
        "  8x24gi: {vcpus: 8, memory: 24Gi}  # default/db-1 and 1 more",
    ]


def test_what_cannot_be_read_is_said_beside_proposals() -> None:
    write(".", {"bad.yaml": vm("bad", 1, "4Gi", "disks: 3")})
    result = adopt("-f", "vms.yaml", "-f", "bad.yaml", "-c", "types.yaml", "--propose")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[0].startswith("bad.yaml:")


def test_environments_that_deploy_a_type_otherwise_are_asked_about_one_by_one() -> None:
    for name, memory in (("lab", "4Gi"), ("prod", "8Gi")):
        write(
            f"apps/{name}",
            {
                "kustomization.yaml": "resources: [vm.yaml, type.yaml]\n",
                "vm.yaml": vm(f"web-{name}", 2, "4Gi"),
                "type.yaml": TYPES.replace("4Gi", memory),
            },
        )
    (Path("apps") / ".git").mkdir()
    result = adopt("-f", "apps")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: VirtualMachineClusterInstancetype/small is not the same in lab and prod: name an environment with -e\n"
    )
    assert adopt("-f", "apps", "-e", "lab").exit_code == 0
