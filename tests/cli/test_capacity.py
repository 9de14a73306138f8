"""`virtcatalog capacity`: whole runs over small clusters."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from virtcatalog.cli import main
from virtcatalog.fleet import filling

FILES = {
    "nodes.yaml": """\
        nodes:
        - {name: general, count: 2, allocatable: {cpu: 14, memory: 60Gi}}
        - name: gpu
          count: 1
          allocatable: {cpu: 14, memory: 60Gi, nvidia.com/A10: 2}
          taints: [{key: gpu, effect: NoSchedule}]
        """,
    "types.yaml": """\
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterInstancetype
        metadata: {name: small}
        spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
        ---
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterInstancetype
        metadata: {name: huge}
        spec: {cpu: {guest: 4}, memory: {guest: 100Gi}}
        """,
    "quota.yaml": """\
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: team, namespace: default}
        spec: {hard: {requests.memory: 10Gi, limits.memory: 40Gi, persistentvolumeclaims: "4"}}
        """,
}


def vm(name: str, instancetype: str = "small", **spec: Any) -> str:
    vmi_spec = json.dumps({"domain": {"devices": {}}, **spec})
    return dedent(f"""\
        ---
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {{name: {name}}}
        spec: {{runStrategy: Always, instancetype: {{name: {instancetype}}}, template: {{spec: {vmi_spec}}}}}
        """)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(dedent(text))
    return tmp_path


def run(*arguments: str, vms: str = "") -> Result:
    Path("vms.yaml").write_text(vms or "{apiVersion: v1, kind: Namespace, metadata: {name: x}}")
    files = [part for name in ("types.yaml", "vms.yaml") for part in ("-f", name)]
    result = CliRunner().invoke(main, ["capacity", *files, *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def answer(*arguments: str, vms: str = "") -> Any:
    return json.loads(run("-o", "json", *arguments, vms=vms).stdout)


def test_the_whole_report(snapshot: SnapshotAssertion) -> None:
    vms = vm("web-1") + vm("web-2") + vm("web-3") + vm("monster", "huge") + vm("lost", nodeSelector={"zone": "moon"})
    result = run("--nodes", "nodes.yaml", "-f", "quota.yaml", vms=vms)
    assert result.exit_code == 1
    assert result.stdout == snapshot
    assert result.stderr == "3 nodes, 5 VMs, 2 VMs fit no node, 3 VMs are refused or held back by quotas or limits\n"


def test_everything_fits() -> None:
    Path("types.yaml").write_text(dedent(FILES["types.yaml"]).partition("---")[0])
    result = run("--nodes", "nodes.yaml", vms=vm("web"))
    assert result.exit_code == 0, result.stdout
    assert "any one node may fail" in result.stdout


def test_what_is_over_its_quota_is_red() -> None:
    Path("vms.yaml").write_text(vm("a") + vm("b") + vm("c"))
    files = ("-f", "types.yaml", "-f", "vms.yaml", "-f", "quota.yaml")
    result = CliRunner().invoke(main, ["capacity", *files, "--nodes", "nodes.yaml", "--color", "always"], color=True)
    (quotas,) = (part for part in result.stdout.split("\n\n") if "Quota" in part)
    lines = quotas.splitlines()
    assert {("over" in line, "\x1b[31m" in line) for line in lines} == {(False, False), (True, True)}


def test_a_type_of_which_nothing_fits_is_red() -> None:
    arguments = ["capacity", "-f", "types.yaml", "--nodes", "nodes.yaml", "--color", "always"]
    result = CliRunner().invoke(main, arguments, color=True)
    (_, *lines) = result.stdout.partition("INSTANCE TYPE")[2].split("\n\n")[0].splitlines()
    assert {line.removeprefix("\x1b[31m").split()[0]: line.startswith("\x1b[31m") for line in lines} == {
        "small": False,
        "huge": True,
    }


def test_a_quota_that_cannot_be_judged_is_no_success() -> None:
    Path("types.yaml").write_text(dedent(FILES["types.yaml"]).partition("---")[0])
    Path("aaq.yaml").write_text(
        dedent("""\
        apiVersion: aaq.kubevirt.io/v1alpha1
        kind: AAQ
        metadata: {name: aaq}
        spec: {configuration: {sidecarEvaluators: [{name: labels}]}}
        ---
        apiVersion: aaq.kubevirt.io/v1alpha1
        kind: ApplicationAwareResourceQuota
        metadata: {name: team}
        spec: {hard: {requests.cpu/vmi: 1}}
        """)
    )
    result = run("--nodes", "nodes.yaml", "-f", "aaq.yaml", vms=vm("web"))
    assert result.exit_code == 1
    assert (
        "cannot be judged: ApplicationAwareResourceQuota/default/team: AAQ asks evaluators of its own" in result.stdout
    )
    assert result.stderr == "3 nodes, 1 VM, 1 quota not judged\n"


def test_types_by_kind_of_node() -> None:
    types = {
        instancetype["name"]: instancetype
        for instancetype in answer("--nodes", "nodes.yaml", vms=vm("web"))["instancetypes"]
    }
    small = types["small"]
    assert [(kind["kind"], kind["least"], kind["short_of"]) for kind in small["kinds"]] == [
        ("general", 13, "memory"),
        ("gpu", 0, "taints"),
    ]
    assert (small["empty"], small["beside"]) == (26, 25)
    assert types["huge"]["empty"] == 0


def of_a_kind(kind: int, number: int) -> str:
    """A VM as JSON on a line: VMs of a kind differ in their names, and in what is made of these."""
    name = f"{'abc'[kind]}-{number}"
    of_vm: dict[str, Any] = {"domain": {"devices": {}}, "terminationGracePeriodSeconds": kind}
    if kind == 0:  # each of these wants a node of its own
        term = {"labelSelector": {"matchLabels": {"app": name}}, "topologyKey": "kubernetes.io/hostname"}
        of_vm["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if kind == 1:  # these are refused
        of_vm["domain"]["cpu"] = {"cores": 2}
    template = {"metadata": {"labels": {"app": name}}, "spec": of_vm}
    spec = {"runStrategy": "Halted" if number % 2 else "Always", "instancetype": {"name": "small"}}
    return json.dumps(
        {
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "metadata": {"name": name, "namespace": f"team-{number}"},
            "spec": {**spec, "template": template},
        }
    )


def test_what_is_filled_in_for_vms_that_are_alike_is_what_each_of_them_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("fleet.jsonl").write_text("\n".join(of_a_kind(number % 3, number) for number in range(60)))
    arguments = ("--nodes", "nodes.yaml", "-f", "fleet.jsonl", "-f", "quota.yaml")
    filled: list[object] = []
    fill = filling._Filler.fill
    monkeypatch.setattr(filling._Filler, "fill", lambda *arguments: filled.append(fill(*arguments)) or filled[-1])
    result = run("-o", "json", *arguments)
    assert len(filled) > 30
    monkeypatch.setattr(filling.Fillers, "of", lambda *_: None)
    plainly = run("-o", "json", *arguments)
    assert (result.stdout, result.stderr) == (plainly.stdout, plainly.stderr)
    assert len(json.loads(result.stdout)["vms"]) == 40
    assert result.stderr.endswith("40 VMs, 20 VMs make no Pod\n")


def test_a_vm_that_cannot_be_read_is_told_also_among_those_that_are_alike() -> None:
    lines = [of_a_kind(2, number) for number in range(20)]
    lines[10] = lines[10].replace('"terminationGracePeriodSeconds": 2', '"hostname": 7')
    Path("fleet.jsonl").write_text("\n".join(lines))
    result = run("--nodes", "nodes.yaml", "-f", "fleet.jsonl")
    assert result.exit_code == 2
    assert "fleet.jsonl:11:" in result.stderr
    assert "must be a string" in result.stderr


def test_a_vm_that_runs_is_where_its_vmi_is() -> None:
    running = dedent("""\
        ---
        apiVersion: kubevirt.io/v1
        kind: VirtualMachineInstance
        metadata:
          name: web
          namespace: default
          ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachine, name: web, uid: u}]
        spec: {domain: {devices: {}}}
        status: {nodeName: gpu-1, phase: Running}
        """)
    (placed,) = answer("--nodes", "nodes.yaml", vms=vm("web") + running)["vms"]
    assert (placed["node"], placed["kinds"]) == ("gpu-1", ["general"])


def test_halted_vms_take_no_room_and_pools_take_as_many_as_they_say() -> None:
    pool = {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "pool"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"a": "b"}},
            "virtualMachineTemplate": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {
                    "runStrategy": "Always",
                    "instancetype": {"name": "small"},
                    "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"domain": {"devices": {}}}},
                },
            },
        },
    }
    vms = vm("halted").replace("Always", "Halted") + "---\n" + json.dumps(pool)
    report = answer("--nodes", "nodes.yaml", vms=vms)
    assert [(vm["name"], bool(vm["node"])) for vm in report["vms"]] == [
        ("default/halted", False),
        ("default/pool-0", True),
        ("default/pool-1", True),
        ("default/pool-2", True),
    ]
    assert report["packing"]["placed"] == 3


def test_other_pods_take_room_where_they_run() -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "system", "namespace": "kube-system"},
        "spec": {
            "nodeName": "general-1",
            "containers": [{"name": "c", "image": "i", "resources": {"requests": {"memory": "59Gi"}}}],
        },
    }
    report = answer("--nodes", "nodes.yaml", vms=json.dumps(pod))
    (small,) = (instancetype for instancetype in report["instancetypes"] if instancetype["name"] == "small")
    assert (small["empty"], small["beside"]) == (26, 13)
    for phase in ("Succeeded", "Failed"):
        over = answer("--nodes", "nodes.yaml", vms=json.dumps({**pod, "status": {"phase": phase}}))
        (small,) = (instancetype for instancetype in over["instancetypes"] if instancetype["name"] == "small")
        assert (small["empty"], small["beside"]) == (26, 26)


def test_quotas_and_the_limits_that_kubevirt_sets_itself() -> None:
    report = answer("--nodes", "nodes.yaml", "-f", "quota.yaml", vms=vm("a") + vm("b") + vm("c"))
    lines = {quota["resource"]: quota for quota in report["quotas"]}
    assert lines["requests.memory"]["hard"] == "10Gi"
    assert [refusal["vm"] for refusal in report["refusals"]] == ["default/c"]
    assert report["automaticLimits"] == [{"namespace": "default", "resource": "memory", "vms": 3}]
    assert report["notJudged"] == ["persistentvolumeclaims"]


def test_a_vm_that_makes_no_pod_is_told_and_counts_for_nothing() -> None:
    broken = vm("a", volumes=[{"name": "s", "sysprep": {}}]).replace(
        '"devices": {}', '"devices": {"disks": [{"name": "s", "cdrom": {}}]}'
    )
    result = run("--nodes", "nodes.yaml", vms=broken)
    assert result.exit_code == 1
    assert "default/a: no Pod is made: spec.volumes[0].sysprep" in result.stderr


def test_vms_that_make_no_pod_for_one_reason_are_one_line() -> None:
    result = run("--nodes", "nodes.yaml", vms="".join(vm(name, "nowhere") for name in "abcde"))
    (line,) = [line for line in result.stderr.splitlines() if "nowhere" in line]
    assert line.startswith("default/a, default/b, default/c and 2 more: ")
    assert result.stderr.endswith("5 VMs make no Pod\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there are no nodes: name a dump of the cluster with -f, or declare them with --nodes"),
        (("--nodes", "none.yaml"), "none.yaml: there is no such file or folder"),
        (("--nodes", "types.yaml"), "holds 2 documents, and one is wanted"),
        (("--nodes", "nodes.yaml", "-e", "lab"), "is no catalog that has environments"),
    ],
)
def test_what_cannot_be_answered(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert f"{message}\n" in result.stderr


def test_nodes_of_a_dump_may_say_more_than_is_known() -> None:
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n", "labels": {"kubevirt.io/schedulable": "true", "kubernetes.io/arch": "amd64"}},
        "spec": {"podCIDR": "10.0.0.0/24", "newer": 1},
        "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}, "features": {"x": True}},
    }
    (kind,) = answer(vms=json.dumps(node))["kinds"]
    assert (kind["name"], kind["nodes"]) == ("8cpu-32Gi", 1)


def test_of_many_that_do_not_fit_the_first_are_told():
    types = "".join(
        f"""\
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {{name: t{number}}}
spec: {{cpu: {{guest: 1}}, memory: {{guest: {100 + number}Gi}}}}
"""
        for number in range(12)
    )
    Path("types.yaml").write_text(types)
    Path("vms.yaml").write_text("".join(vm(f"vm-{number}", f"t{number}") for number in range(12)))
    arguments = ("capacity", "--nodes", "nodes.yaml", "-f", "types.yaml", "-f", "quota.yaml", "-f", "vms.yaml")
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert len([line for line in lines if line.endswith(": fits no node, not even an empty one")]) == 10
    assert "and 2 more VMs fit no node: see -o json" in lines
    assert len([line for line in lines if " does not fit: ResourceQuota/default/team allows " in line]) == 10
    assert "and 2 more VMs do not fit: see -o json" in lines


def test_vms_of_a_repository_that_land_in_several_clusters_are_asked_about_one_by_one():
    for name in ("a", "b"):
        Path(f"apps/{name}").mkdir(parents=True)
        Path(f"apps/{name}/kustomization.yaml").write_text("resources: [vm.yaml]\n")
        Path(f"apps/{name}/vm.yaml").write_text(vm(name).replace("---\n", ""))
        Path(f"apps/{name}.yaml").write_text(
            dedent(f"""\
                apiVersion: argoproj.io/v1alpha1
                kind: Application
                metadata: {{name: {name}, namespace: argocd}}
                spec:
                  project: default
                  source: {{repoURL: https://git.example.org/apps.git, path: apps/{name}}}
                  destination: {{name: cluster-{name}, namespace: default}}
                """)
        )
    Path(".git").mkdir()
    result = CliRunner().invoke(main, ["capacity", "--nodes", "nodes.yaml", "-c", "types.yaml", "-f", "."])
    assert result.exit_code == 2
    assert "Error: these VMs land in several clusters, " in result.stderr
