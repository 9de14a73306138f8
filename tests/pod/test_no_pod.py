"""Where virt-controller makes no Pod of an admitted VM, and what the VM's author is told."""

import pickle

import pytest
from podding import GUEST, cluster_of, expanded

from virtcatalog import expand
from virtcatalog.errors import UnsupportedError

SPEC = "spec.template.spec"
GPU = "domain: {memory: {guest: 1Gi}, devices: {gpus: [{name: a, deviceName: x/y}, {name: b, %s}]}}"
PERMITTED = "permittedHostDevices: {pciHostDevices: [{pciVendorSelector: '1:2', resourceName: x/y}]}"
HOOKS = "hooks.kubevirt.io/hookSidecars"
PATH = """
domain: {memory: {guest: 1Gi}, devices: {filesystems: [{name: p, virtiofs: {}}]}}
volumes: [{name: p, containerPath: {path: /x}}]
"""
PLUGIN = """
domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: n, binding: {name: p}}]}}
networks: [{name: n, pod: {}}]
"""
SYSPREP = """
domain: {memory: {guest: 1Gi}, devices: {disks: [{name: s, cdrom: {}}]}}
volumes: [{name: s, sysprep: {}}]
"""
REENLIGHTENED = "domain: {memory: {guest: 1Gi}, features: {hyperv: {reenlightenment: {enabled: true}}}, devices: {}}"


@pytest.mark.parametrize(
    ("template", "conditions", "field", "message"),
    [
        (GPU % "deviceName: other", {"config": PERMITTED}, f"{SPEC}.domain.devices.gpus[1].deviceName", "'other'"),
        (
            PLUGIN,
            {},
            f"{SPEC}.domain.devices.interfaces[0].binding.name",
            "'p'",
        ),
        (
            SYSPREP,
            {},
            f"{SPEC}.volumes[0].sysprep",
            "neither",
        ),
        (
            GUEST,
            {"annotations": {HOOKS: "{}"}, "gates": ["Sidecar"]},
            f"spec.template.metadata.annotations[{HOOKS}]",
            "no JSON list",
        ),
        (
            GUEST,
            {"annotations": {HOOKS: '[{"image": 1}]'}, "gates": ["Sidecar"]},
            f"spec.template.metadata.annotations[{HOOKS}]",
            "no JSON list",
        ),
        (GUEST, {"labels": {"logVerbosity": "high"}}, "spec.template.metadata.labels.logVerbosity", "'high'"),
        (PATH, {}, f"{SPEC}.volumes[0].containerPath", "ContainerPathVolumes"),
        (GUEST, {"spec": {"runStrategy": "WaitAsReceiver"}, "gates": ["DecentralizedLiveMigration"]}, "", "migration"),
        (
            REENLIGHTENED,
            {"config": "developerConfiguration: {minimumClusterTSCFrequency: -1}"},
            f"{SPEC}.domain",
            "minimumClusterTSCFrequency is -1",
        ),
        (
            GUEST,
            {"config": "developerConfiguration: {cpuAllocationRatio: 10000000}"},
            "",
            "as 1/10000000 CPUs are too few to be written",
        ),
    ],
    ids=["device", "plugin", "sysprep", "no list", "no sidecar", "verbosity", "path", "receiver", "frequency", "share"],
)
def test_why(template, conditions, field, message):
    result = expanded(template, **conditions)
    assert result.pod is None
    assert result.pod_error.field.replace("[logVerbosity]", ".logVerbosity") == field
    assert message in result.pod_error.message
    assert result.pod_error.by == "controller"


def test_permission_is_asked_where_there_is_a_list_and_not_for_claims():
    assert expanded(GPU % "deviceName: other").pod
    claimed = "domain: {memory: {guest: 1Gi}, devices: {gpus: [{name: a, claimName: c, requestName: r}]}}"
    template = f"{claimed}\nresourceClaims: [{{name: c, resourceClaimName: c}}]"
    assert expanded(template, config=PERMITTED).pod["spec"]["containers"][0]["resources"]["claims"] == [
        {"name": "c", "request": "r"}
    ]


def test_a_vm_that_is_refused_has_neither():
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "vm"},
        "spec": {"running": True, "runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}}}}},
    }
    result = expand(vm, cluster_of())
    assert (result.admitted, result.pod, result.pod_error) == (False, None, None)


def test_a_vm_without_a_domain_may_have_a_pod():
    result = expanded("domain: {cpu: {cores: 200, dedicatedCpuPlacement: true}, memory: {guest: 1Gi}, devices: {}}")
    assert result.refused_by == "launcher"
    assert result.pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "200"


def test_other_kinds_are_blamed_at_their_own_fields():
    template = {"domain": {"memory": {"guest": "1Gi"}, "devices": {"disks": [{"name": "s", "cdrom": {}}]}}}
    template["volumes"] = [{"name": "s", "sysprep": {}}]
    vmi = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {"name": "v"},
        "spec": template,
    }
    result = expand(vmi, cluster_of())
    assert result.pod_error.field == "spec.volumes[0].sysprep"
    assert pickle.loads(pickle.dumps(result)).holder == "VirtualMachineInstance"


def test_what_no_number_can_hold_is_not_guessed():
    objects = """
- {apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: ns}, spec: {hard: {limits.memory: 1Gi}}}
- {apiVersion: v1, kind: Namespace, metadata: {name: ns, labels: {alpha.kubevirt.io/auto-memory-limits-ratio: inf}}}
"""
    with pytest.raises(UnsupportedError, match="beyond all numbers"):
        _ = expanded(objects=objects).pod
    with pytest.raises(UnsupportedError, match="no sensible number"):
        _ = expanded(config="additionalGuestMemoryOverheadRatio: '1e300'").pod


def test_a_pod_is_the_callers_own():
    result = expanded()
    assert result.pod is result.pod
    other = expanded().pod
    result.pod["spec"]["containers"][0]["resources"]["requests"]["memory"] = "0"
    assert expanded().pod == other
