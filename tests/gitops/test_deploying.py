"""The objects of Argo CD and Flux that sync a folder of VMs, whole."""

from __future__ import annotations

from typing import Any

import pytest

import otheryaml
from gitops.vms import vm
from virtcatalog.gitops.deploying import Fleet, application_text, health_expressions, kustomization
from virtcatalog.gitops.ignoring import Ignored, Needs
from virtcatalog.render.gitops import Origin

ORIGIN = Origin(name="fleet", url="https://git.example.org/fleet.git")
SOURCE = {"kind": "GitRepository", "metadata": {"name": "fleet"}}
WEB = vm("memory: {guest: 1Gi}")
INFERRED = '(.spec.instancetype | select(.inferFromVolume == "root")).inferFromVolume'
Data = dict[str, Any]


def named(name: str, namespace: str = "shop", **spec: Any) -> Data:
    return {**WEB, "metadata": {"name": name, "namespace": namespace}, "spec": {**WEB["spec"], **spec}}


def disk(name: str, **metadata: str) -> Data:
    return {"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume", "metadata": {"name": name, **metadata}}


def ignored(in_list: bool = False) -> Ignored:
    return Ignored("kubevirt.io", "VirtualMachine", INFERRED, "KubeVirt writes it.", in_list)


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
  namespace: argocd
  annotations:
    argocd.argoproj.io/sync-wave: '1'
spec:
  project: default
  source:
    repoURL: https://git.example.org/fleet.git
    targetRevision: main
    path: vms/shop
%s  destination:
    name: in-cluster
%s  syncPolicy:
    automated:
      prune: false
      selfHeal: true
%s"""
NAMESPACE = "    namespace: shop\n"
RULES = f"""\
  ignoreDifferences:
  - group: kubevirt.io
    kind: VirtualMachine
    jqPathExpressions:
    # KubeVirt writes it.
    - {INFERRED}
"""


@pytest.mark.parametrize(
    ("manifests", "is_deep", "needs", "merges", "parts"),
    [
        ([WEB], False, Needs((), 0), False, ("", NAMESPACE, "")),
        ([WEB], True, Needs((), 3), False, ("    directory:\n      recurse: true\n", NAMESPACE, "")),
        ([WEB, named("b", "lab")], False, Needs((), 0), False, ("", "", "")),
        ([disk("a")], False, Needs((), 0), False, ("", "", "")),
        ([WEB], False, Needs((), 0), True, ("", NAMESPACE, "    syncOptions:\n    - ServerSideApply=true\n")),
        (
            [WEB],
            False,
            Needs((ignored(),), 0),
            False,
            ("", NAMESPACE, f"    syncOptions:\n    - RespectIgnoreDifferences=true\n{RULES}"),
        ),
        (
            [WEB],
            False,
            Needs((ignored(),), 0),
            True,
            (
                "",
                NAMESPACE,
                f"    syncOptions:\n    - ServerSideApply=true\n    - RespectIgnoreDifferences=true\n{RULES}",
            ),
        ),
        ([WEB], False, Needs((ignored(in_list=True),), 0), False, ("", NAMESPACE, RULES)),
    ],
)
def test_an_application_has_what_its_fleet_needs(manifests, is_deep, needs, merges, parts):
    fleet = Fleet("shop", "vms/shop", manifests, is_deep)
    text = application_text(ORIGIN, fleet, needs, "in-cluster", "argocd", merges=merges)
    assert text == APPLICATION % parts


@pytest.mark.parametrize(
    ("manifests", "namespace"),
    [
        ([], ""),
        ([named("a")], "shop"),
        ([named("a"), named("b")], "shop"),
        ([named("a"), named("b", "lab")], ""),
        ([named("a"), disk("b", namespace="lab")], "shop"),
        ([named("a", "")], ""),
    ],
)
def test_the_namespace_of_a_fleet(manifests, namespace):
    assert Fleet("a", "vms", manifests).namespace == namespace


def test_the_vms_that_infer_their_type_or_preference():
    manifests = [
        named("type", instancetype={"inferFromVolume": "root"}),
        named("preference", preference={"inferFromVolume": "root"}, instancetype=None),
        named("by-name", instancetype={"name": "m.small"}, preference={"name": "fedora"}),
        {**named("no-vm", instancetype={"inferFromVolume": "root"}), "kind": "VirtualMachineClone"},
        {"kind": "VirtualMachine", "metadata": {"name": "empty"}},
        {"metadata": {"name": "kindless"}},
    ]
    assert Fleet("a", "vms", manifests).inferring == ["type", "preference"]


MACHINE_EXPRESSIONS = {
    "current": "has(status.phase) && status.phase == 'Running'",
    "failed": "has(status.phase) && status.phase == 'Failed'",
}
DISK_EXPRESSIONS = {
    "current": "has(status.phase) && (status.phase == 'Succeeded' || status.phase == 'WaitForFirstConsumer' || "
    "status.phase == 'PendingPopulation')",
    "failed": "has(status.phase) && status.phase == 'Failed'",
}
MACHINES = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance"}
DISKS = {"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume"}


def test_when_flux_takes_an_object_for_ready_or_failed():
    assert health_expressions("VirtualMachineInstance") == MACHINE_EXPRESSIONS
    assert health_expressions("DataVolume") == DISK_EXPRESSIONS


def flux(manifests: list[Data], after: list[str]) -> Data:
    manifest = kustomization(Fleet("shop", "vms/shop", manifests), SOURCE, after, "flux-system")
    spec = manifest.pop("spec")
    assert manifest == {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": "shop", "namespace": "flux-system"},
    }
    return spec


SPEC = otheryaml.load("""\
interval: 1h
retryInterval: 2m
timeout: 15m
sourceRef: {kind: GitRepository, name: fleet}
path: ./vms/shop
prune: false
deletionPolicy: Orphan
wait: false
""")


def test_a_kustomization_depends_on_others_and_waits_for_its_disks():
    assert flux([], []) == SPEC
    assert flux([disk("a")], ["house-lab", "house"]) == {
        **SPEC,
        "dependsOn": [{"name": "house-lab"}, {"name": "house"}],
        "healthChecks": [{**DISKS, "name": "a", "namespace": "default"}],
        "healthCheckExprs": [{**DISKS, **DISK_EXPRESSIONS}],
    }


def test_flux_waits_for_the_machine_of_each_vm_that_runs_and_for_disks():
    running = {**named("running", running=True)}
    del running["spec"]["runStrategy"]
    pool = {"kind": "VirtualMachinePool", "metadata": {"name": "pool"}, "spec": {"runStrategy": "Always"}}
    strategies = ("Always", "RerunOnFailure", "Halted", "Manual", "Once")
    vms = [named(strategy.lower(), runStrategy=strategy) for strategy in strategies]
    machine = {"kind": "VirtualMachineInstance", "metadata": {"name": "alone"}}
    spec = flux([*vms, running, pool, machine, disk("a", namespace="lab"), {"kind": "VirtualMachine"}], [])
    assert spec["healthChecks"] == [
        {**MACHINES, "name": "always", "namespace": "shop"},
        {**MACHINES, "name": "rerunonfailure", "namespace": "shop"},
        {**MACHINES, "name": "running", "namespace": "shop"},
        {**MACHINES, "name": "alone", "namespace": "default"},
        {**DISKS, "name": "a", "namespace": "lab"},
    ]
    assert spec["healthCheckExprs"] == [{**MACHINES, **MACHINE_EXPRESSIONS}, {**DISKS, **DISK_EXPRESSIONS}]
