"""The VMI's webhook after the VM's: it validates what the preference and the VMI's own defaults add."""

import pytest
from reading import read

from virtcatalog import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi

ROOT = "volumes: [{name: root, containerDisk: {image: guest}}]"
FRAMEBUFFER = "deviceName: d, virtualGPUOptions: {display: {ramFB: {}}}"


def start(template="{}", preference="{}", configuration="{}", of_type=None):
    """Start a VM; `of_type` are the annotations of its instance type, if it has one."""
    template = read(template)
    domain = template.setdefault("domain", {})
    domain.setdefault("devices", {})
    if of_type is None:
        domain["memory"] = {"guest": "1Gi"}
    spec = {"runStrategy": "Always", "preference": {"name": "p"}, "template": {"spec": template}}
    objects = [{"kind": "VirtualMachineClusterPreference", "metadata": {"name": "p"}, "spec": read(preference)}]
    if of_type is not None:
        spec["instancetype"] = {"name": "t"}
        sized = {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}, "annotations": of_type}
        objects.append({"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "t"}, "spec": sized})
    objects = [{"apiVersion": "instancetype.kubevirt.io/v1beta1", **obj} for obj in objects]
    kubevirt = {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"}}
    objects.append({**kubevirt, "spec": {"configuration": read(configuration)}})
    manifest = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "vm"}, "spec": spec}
    return create_vmi(manifest, Cluster(objects))


REFUSED = {
    "sockets that overflow what they may grow to": (
        "domain: {cpu: {sockets: 2147483649, cores: 1, threads: 1}}",
        "{}",
        "liveUpdateConfiguration: {maxHotplugRatio: 2}",
        "spec.domain.cpu.sockets",
    ),
    "the preferred model of the default interface": (
        "{}",
        "devices: {preferredInterfaceModel: fast}",
        "{}",
        "spec.domain.devices.interfaces[0].model",
    ),
    "the bus that a disk of downward metrics gets": (
        "{domain: {devices: {disks: [{name: m, disk: {}}]}}, volumes: [{name: m, downwardMetrics: {}}]}",
        "{}",
        "developerConfiguration: {featureGates: [DownwardMetrics]}",
        "spec.domain.devices.disks[0].disk.bus",
    ),
    "the preferred type of the default input device": (
        "{}",
        "devices: {preferredAutoattachInputDevice: true, preferredInputType: mouse}",
        "{}",
        "spec.domain.devices.inputs[0].type",
    ),
    "the bus that a disk gets": (
        f"{{domain: {{devices: {{disks: [{{name: root, disk: {{readonly: true}}}}]}}}}, {ROOT}}}",
        "{}",
        "{}",
        "spec.domain.devices.disks[0].disk.bus",
    ),
    "the preferred cache of a volume without a disk": (
        ROOT,
        "devices: {preferredDiskCache: warm}",
        "{}",
        "spec.domain.devices.disks[0].cache",
    ),
    "framebuffers that are on": (
        f"domain: {{devices: {{gpus: [{{name: a, {FRAMEBUFFER}}}, {{name: b, {FRAMEBUFFER}}}]}}}}",
        "{}",
        "{permittedHostDevices: {mediatedDevices: [{mdevNameSelector: d, resourceName: d}]}}",
        "spec.GPUs",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_vmi_webhook_refuses(what):
    template, preference, configuration, field = REFUSED[what]
    result = start(template, preference, configuration)
    assert (result.refused_by, [cause.field for cause in result.causes]) == ("vmi", [field])


def test_the_preference_comes_to_what_defaults_add():
    preference = (
        "devices: {preferredAutoattachInputDevice: true, preferredInputBus: virtio, preferredInputType: tablet,"
    )
    preference += " preferredInterfaceModel: e1000e, preferredDiskBus: scsi, preferredDiskIO: native}"
    devices = start(ROOT, preference).vmi["spec"]["domain"]["devices"]
    assert devices["disks"] == [{"name": "root", "disk": {"bus": "scsi"}, "io": "native"}]
    assert devices["inputs"] == [{"name": "default-0", "bus": "virtio", "type": "tablet"}]
    assert devices["interfaces"] == [{"name": "default", "bridge": {}, "model": "e1000e"}]


def test_each_has_the_annotations_that_are_its_own():
    result = start(preference="annotations: {a: preference, b: preference}", of_type={"a": "type"})
    annotations = result.vmi["metadata"]["annotations"]
    assert (annotations["a"], annotations["b"]) == ("type", "preference")
    assert annotations["kubevirt.io/cluster-preference-name"] == "p"
    assert result.vm["spec"]["template"]["metadata"]["annotations"].keys() == {"kubevirt.io/pci-topology-version"}


def test_an_instance_type_that_names_itself_otherwise_is_refused_by_the_controller():
    result = start(of_type={"kubevirt.io/cluster-instancetype-name": "other"})
    assert (result.refused_by, result.vmi) == ("controller", None)
    assert [reason.message for reason in result.reasons] == ["the instance type decides this: remove it from the VM"]
