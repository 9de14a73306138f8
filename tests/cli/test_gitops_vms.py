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
        '  - (.spec.instancetype | select(.inferFromVolume == "root")).inferFromVolume\n'
        "syncPolicy:\n"
        "  syncOptions:\n"
        "  # A sync leaves them as they are: KubeVirt refuses them beside the names that it infers.\n"
        "  - RespectIgnoreDifferences=true\n"
    )
    assert result.exit_code == 0


def test_what_is_added_to_a_list_is_ignored_while_it_has_that_value():
    application = otheryaml.load(gitops("argocd", "-f", "-", "--compare", "merge", vms=INFERRED).stdout)
    (rule,) = application["ignoreDifferences"]
    assert rule["jqPathExpressions"] == [
        "(.spec.dataVolumeTemplates[]?.spec.storage | select(.resources == {})).resources",
        '(.spec.instancetype | select(.inferFromVolume == "root")).inferFromVolume',
    ]
    assert "syncPolicy" not in application  # a list would be taken from the cluster as a whole


def test_vms_that_are_written_as_stored_need_nothing():
    result = gitops("argocd", "-f", "-", vms=PLAIN % "1Gi")
    assert (result.stdout, result.exit_code) == ("ignoreDifferences: []\n", 0)


def test_a_spelling_is_no_reason_to_ignore_a_field():
    result = gitops("argocd", "-f", "-", vms=PLAIN % "1024Mi")
    assert (result.stdout, result.exit_code) == ("ignoreDifferences: []\n", 1)
    assert result.stderr == (
        "1 field out of sync because of how Git writes them: `virtcatalog check --fix` writes them as stored\n"
    )


def test_what_a_vm_needs_that_is_refused_is_not_known():
    result = gitops("argocd", "-f", "-", vms=INFERRED.replace("inferFromVolume: root", "inferFromVolume: rot"))
    assert (result.stdout, result.exit_code) == ("ignoreDifferences: []\n", 1)
    assert result.stderr == "1 VM refused, so what they need is not known: web; `virtcatalog check` says why\n"


def test_health_checks_go_into_argo_cds_config_map():
    config_map = otheryaml.load(gitops("argocd", "--health", "-n", "gitops").stdout)
    assert (config_map["kind"], config_map["metadata"]["name"]) == ("ConfigMap", "argocd-cm")
    assert config_map["metadata"]["namespace"] == "gitops"
    assert [key.removeprefix("resource.customizations.health.") for key in config_map["data"]] == [
        "kubevirt.io_VirtualMachine",
        "kubevirt.io_VirtualMachineInstance",
        "kubevirt.io_VirtualMachineInstanceReplicaSet",
        "pool.kubevirt.io_VirtualMachinePool",
        "cdi.kubevirt.io_DataVolume",
    ]


URL = "https://git.example.org/fleet.git"
STOPPED = PLAIN.replace("name: web", "name: old, namespace: web").replace("Always", "Halted")
DISK = """\
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {name: data, namespace: web}
spec: {storage: {}, source: {blank: {}}}
"""
OVERLAYS = "production: {scope: cluster}\nlab: {scope: namespaced, namespace: virt-lab}\n"


@pytest.fixture
def folder(tmp_path):
    """A folder of VMs of one namespace, of which one infers its type and one is stopped, and of a disk."""
    (tmp_path / "vms").mkdir()
    inferring = INFERRED.replace("{name: web}", "{name: web, namespace: web}")
    (tmp_path / "vms/vms.yaml").write_text("---\n".join((inferring, STOPPED % "1Gi", DISK)))
    return tmp_path


def test_an_application_of_vms_has_what_they_need(folder):
    result = gitops("argocd", "-f", "vms", "--repo-url", URL, "--cluster", "prod-1")
    assert result.exit_code == 0
    assert "    # KubeVirt writes the name that it infers in the place of this.\n" in result.stdout
    application = otheryaml.load(result.stdout)
    assert application["metadata"]["annotations"] == {"argocd.argoproj.io/sync-wave": "1"}
    rule = {
        "group": "kubevirt.io",
        "kind": "VirtualMachine",
        "jqPathExpressions": ['(.spec.instancetype | select(.inferFromVolume == "root")).inferFromVolume'],
    }
    assert application["spec"] == {
        "project": "default",
        "source": {"repoURL": URL, "targetRevision": "main", "path": "vms"},
        "destination": {"name": "prod-1", "namespace": "web"},
        "syncPolicy": {
            "automated": {"prune": False, "selfHeal": True},
            "syncOptions": ["RespectIgnoreDifferences=true"],
        },
        "ignoreDifferences": [rule],
    }


def test_an_application_of_folders_in_folders_reads_them_all(folder):
    (folder / "vms/old").mkdir()
    (folder / "vms/old/vm.yaml").write_text(STOPPED.replace("old", "older") % "1Gi")
    application = otheryaml.load(gitops("argocd", "-f", "vms", "--repo-url", URL).stdout)
    assert application["spec"]["source"]["directory"] == {"recurse": True}
    (folder / "vms/kustomization.yaml").write_text("resources: [old/vm.yaml]\n")
    application = otheryaml.load(gitops("argocd", "-f", "vms", "--repo-url", URL).stdout)
    assert "directory" not in application["spec"]["source"]


def test_an_application_that_applies_on_the_server_says_so(folder):
    application = otheryaml.load(gitops("argocd", "-f", "vms", "--repo-url", URL, "--compare", "merge").stdout)
    assert application["spec"]["syncPolicy"]["syncOptions"] == ["ServerSideApply=true"]
    assert len(application["spec"]["ignoreDifferences"][0]["jqPathExpressions"]) == 2


def test_flux_waits_for_machines_and_disks_and_not_for_vms(folder):
    source, kustomization = otheryaml.load_all(gitops("flux", "-f", "vms", "--repo-url", URL).stdout)
    spec = kustomization["spec"]
    assert (source["kind"], spec["sourceRef"]["name"]) == ("GitRepository", source["metadata"]["name"])
    assert (spec["path"], spec["wait"], spec["prune"]) == ("./vms", False, False)
    assert sorted((check["kind"], check["namespace"], check["name"]) for check in spec["healthChecks"]) == [
        ("DataVolume", "web", "data"),
        ("VirtualMachineInstance", "web", "web"),
    ]
    assert sorted(expression["kind"] for expression in spec["healthCheckExprs"]) == [
        "DataVolume",
        "VirtualMachineInstance",
    ]
    assert "dependsOn" not in spec


def test_flux_cannot_apply_a_vm_again_that_infers_its_type(folder):
    result = gitops("flux", "-f", "vms", "--repo-url", URL)
    assert "inferFromVolume of web: KubeVirt refuses it beside the name that it infers" in result.stderr
    assert result.exit_code == 1


def test_flux_syncs_vms_after_the_catalog(folder):
    catalog = folder / "catalog"
    catalog.mkdir()
    (catalog / "catalog.yaml").write_text("name: house\nkubevirt: v1.9.0\n")
    (catalog / "overlays.yaml").write_text(OVERLAYS)
    arguments = "flux", "-f", "vms", "--repo-url", URL
    chosen = otheryaml.load_all(gitops(*arguments, "--path", "output/overlays/lab").stdout)[1]
    assert chosen["spec"]["dependsOn"] == [{"name": "house-lab"}]
    assert "name the environment of these VMs by --path, for dependsOn: production, lab" in gitops(*arguments).stderr
    assert gitops(*arguments, "--path", "output/overlays/lob").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("argocd", "-f", "vms/vms.yaml"), "with --repo-url name a folder"),
        (("argocd", "-f", "."), "-f .: give what syncs it a --name"),
        (("argocd", "-f", "vms", "-f", "vms", "--name", "a"), "--name is for one folder"),
        (("argocd", "-f", "vms", "--cluster", "a", "--cluster", "b"), "--cluster is given once"),
        (("argocd", "-f", "vms", "--cluster", "lab=a"), "--cluster lab=a: of VMs give its name"),
        (("flux", "-f", "vms", "--cluster", "a"), "--cluster is for Argo CD"),
    ],
)
def test_what_syncs_a_folder_is_asked_for_rightly(folder, arguments, message):
    result = gitops(*arguments, "--repo-url", URL)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.parametrize("arguments", [("flux", "--health"), ("flux", "-f", "-"), ("argocd",)])
def test_what_makes_no_sense_is_a_usage_error(arguments):
    assert gitops(*arguments).exit_code == 2
