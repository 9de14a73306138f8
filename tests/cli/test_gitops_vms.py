"""`virtcatalog gitops argocd` about VMs: what an Application has to ignore, and how their health is judged."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

import otheryaml
from virtcatalog.cli import main

INFERRED = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  instancetype: {inferFromVolume: root}
  dataVolumeTemplates:
  - metadata: {name: root}
    spec: {storage: {}, sourceRef: {kind: DataSource, name: fedora, namespace: default}}
  template: {spec: {domain: {devices: {}}, volumes: [{name: root, dataVolume: {name: root}}]}}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataSource
metadata: {name: fedora, namespace: default, labels: {instancetype.kubevirt.io/default-instancetype: u1.medium}}
spec: {source: {pvc: {name: fedora, namespace: os}}}
"""
PLAIN = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  template: {spec: {domain: {devices: {}, memory: {guest: %s}}}}
"""


def gitops(*arguments: str, vms: str = "") -> Result:
    return CliRunner().invoke(main, ["gitops", *arguments], input=vms)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_type_that_is_inferred_is_ignored_and_left_as_it_is():
    result = gitops("argocd", "-f", "-", vms=INFERRED)
    assert result.stdout == (
        "ignoreDifferences:\n"
        "- group: kubevirt.io\n"
        "  kind: VirtualMachine\n"
        "  jqPathExpressions:\n"
        "  # KubeVirt writes the name that it infers in the place of this.\n"
        "  - .spec.instancetype.inferFromVolume\n"
        "syncPolicy:\n"
        "  syncOptions:\n"
        "  # A sync leaves them as they are: KubeVirt would infer names anew.\n"
        "  - RespectIgnoreDifferences=true\n"
    )
    assert result.exit_code == 0


def test_what_is_added_to_a_list_is_ignored_while_it_has_that_value():
    found = otheryaml.load(gitops("argocd", "-f", "-", "--compare", "merge", vms=INFERRED).stdout)
    (rule,) = found["ignoreDifferences"]
    assert rule["jqPathExpressions"] == [
        "(.spec.dataVolumeTemplates[]?.spec.storage | select(.resources == {})).resources",
        ".spec.instancetype.inferFromVolume",
    ]
    assert "syncPolicy" not in found  # a list would be taken from the cluster as a whole


def test_vms_that_are_written_as_stored_need_nothing():
    result = gitops("argocd", "-f", "-", vms=PLAIN % "1Gi")
    assert (result.stdout, result.exit_code) == ("ignoreDifferences: []\n", 0)


def test_a_spelling_is_no_reason_to_ignore_a_field():
    result = gitops("argocd", "-f", "-", vms=PLAIN % "1024Mi")
    assert (result.stdout, result.exit_code) == ("ignoreDifferences: []\n", 1)
    assert result.stderr == (
        "1 field out of sync because of how Git writes them: `virtcatalog check --fix` writes them as stored\n"
    )


def test_health_checks_go_into_argo_cds_config_map():
    config_map = otheryaml.load(gitops("argocd", "--health", "-n", "gitops").stdout)
    assert (config_map["kind"], config_map["metadata"]["name"]) == ("ConfigMap", "argocd-cm")
    assert config_map["metadata"]["namespace"] == "gitops"
    assert [key.removeprefix("resource.customizations.health.") for key in config_map["data"]] == [
        "kubevirt.io_VirtualMachine",
        "kubevirt.io_VirtualMachineInstanceReplicaSet",
        "pool.kubevirt.io_VirtualMachinePool",
    ]


@pytest.mark.parametrize("arguments", [("flux", "--health"), ("flux", "-f", "-"), ("argocd",)])
def test_what_makes_no_sense_is_a_usage_error(arguments):
    assert gitops(*arguments).exit_code == 2
