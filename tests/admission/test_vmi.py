"""The list of rules: all run, in any VMI, with the fields that each webhook gives."""

import pytest

from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.admission import vmi as rules
from virtcatalog.kubevirt.admission.vmi import validate_vmi, validate_vmi_spec
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.releases import RELEASES


def vmi(metadata=None, **spec):
    domain = {"devices": {}, "memory": {"guest": "1Gi"}, **spec.pop("domain", {})}
    manifest = {"metadata": metadata or {}, "spec": {"architecture": "amd64", "domain": domain, **spec}}
    return convert(manifest, VirtualMachineInstance)


def refused(vmi):
    return {cause.field for cause in validate_vmi(vmi, Cluster([]))}


def test_a_plain_vmi_is_admitted():
    assert refused(vmi()) == set()


def test_every_rule_speaks_whatever_the_others_find():
    fields = refused(
        vmi(
            {"annotations": {"hooks.kubevirt.io/hookSidecars": "[]"}},
            hostname="-",
            evictionStrategy="Move",
            domain={"machine": {"type": "pc"}, "devices": {"disks": [{"name": "a", "disk": {}}]}},
            architecture="riscv64",
            volumes=[{"name": "b", "emptyDisk": {"capacity": "1Gi"}}],
        )
    )
    assert fields == {
        "spec.hostname",
        "spec.domain.machine.type",
        "spec.domain.devices.disks[0].name",
        "spec.evictionStrategy",
        "spec.domain.volumes[0].name",
        "metadata.annotations",
        "spec.architecture",
    }


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"domain": {"memory": {}}}, ""),
        ({"volumes": [{"name": "b", "emptyDisk": {"capacity": "1Gi"}}]}, "spec.domain.volumes[0].name"),
        ({"domain": {"features": {"hyperv": {}, "hypervPassthrough": {}}}}, "spec.domain.features.hyperv"),
        ({"domain": {"devices": {"video": {"type": "qxl"}}}}, "spec.domain.devices.video.type"),
        ({"domain": {"devices": {"watchdog": {"name": "w"}}}}, "spec.domain.devices.watchdog"),
    ],
)
def test_what_a_template_may_and_a_vmi_may_not(spec, field):
    assert refused(vmi(**spec)) == {field}
    assert validate_vmi_spec(vmi(**spec).spec, "spec.template.spec", Cluster([]).configuration) == []


def test_labels_of_kubevirt_may_be_on_the_vmi_that_kubevirt_makes():
    assert refused(vmi({"labels": {"kubevirt.io/nodeName": "node-1"}})) == set()


def test_fields_begin_with_the_place_of_the_spec():
    spec = vmi(hostname="-", evictionStrategy="Move").spec
    causes = validate_vmi_spec(spec, "spec.template.spec", Cluster([]).configuration)
    assert [cause.field for cause in causes] == ["spec.template.spec.hostname", "spec.template.spec.evictionStrategy"]


def test_a_discontinued_binding_is_refused():
    devices = {"interfaces": [{"name": "a", "macvtap": {}}]}
    fields = refused(vmi(domain={"devices": devices}, networks=[{"name": "a", "multus": {"networkName": "net"}}]))
    assert "spec.domain.devices.interfaces[0].macvtap" in fields


WRONG = {
    "hostname": "hostname: '-'",
    "subdomain": "subdomain: '-'",
    "memory_requests": "domain.resources.requests: {memory: -1}",
    "memory_limits": "domain.resources.limits: {memory: -1}",
    "hugepages": "domain.memory.hugepages: {pageSize: x}",
    "guest_memory": "{domain.memory.guest: 2Gi, domain.resources.limits: {memory: 1Gi}}",
    "machine": "domain.machine.type: pc",
    "acpi_tables": "domain.firmware.acpi: {}",
    "cpu_requests": "domain.resources.requests: {cpu: -1}",
    "cpu_limits": "domain.resources.limits: {cpu: -1}",
    "dedicated_cpus": "domain.cpu.dedicatedCpuPlacement: true",
    "numa": "domain.cpu.numa: {guestMappingPassthrough: {}}",
    "emulator_thread": "domain.cpu.isolateEmulatorThread: true",
    "cpu_features": "domain.cpu.features: [{name: vmx, policy: x}]",
    "max_sockets": "domain.cpu: {sockets: 2, maxSockets: 1}",
    "start_strategy": "startStrategy: ''",
    "realtime": "domain.cpu.realtime: {}",
    "affinity": "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}",
    "topology_spread": "topologySpreadConstraints: [{maxSkew: 0, topologyKey: a, whenUnsatisfiable: ScheduleAnyway}]",
    "foreign_architecture": "architecture: arm64",
    "networks": "networks: [{name: a}]",
    "resource_claims": "domain.devices.gpus: [{name: a}]",
    "disk_volumes": "domain.devices.disks: [{name: a}]",
    "inputs": "domain.devices.inputs: [{name: a, type: mouse}]",
    "io_threads_policy": "domain.ioThreadsPolicy: ''",
    "probes": "livenessProbe: {}",
    "disks": "domain.devices.disks: [{name: a, bootOrder: 0}]",
    "firmware": "domain.firmware.bootloader: {efi: {}, bios: {}}",
    "volumes": "volumes: [{name: a}]",
    "container_disks": "volumes: [{name: a, containerDisk: {image: a, path: a}}]",
    "utility_volumes": "utilityVolumes: [{name: a, claimName: a}]",
    "access_credentials": "accessCredentials: [{}]",
    "dns": "dnsPolicy: None",
    "eviction_strategy": "evictionStrategy: ''",
    "gpus": "domain.devices.gpus: [{name: a, virtualGPUOptions: &o {display: {}}}, {name: b, virtualGPUOptions: *o}]",
    "host_devices": "domain.devices.hostDevices: [{name: a}]",
    "grace": "domain.devices.hostDevices: [{name: a, deviceName: nvidia.com/grace}]",
    "sound": "domain.devices.sound: {name: ''}",
    "launch_security": "domain.launchSecurity: {}",
    "vsock": "domain.devices.autoattachVSOCK: true",
    "persistent_reservations": "domain.devices.disks: [{name: a, lun: {reservation: true}}]",
    "downward_metrics": "domain.devices.downwardMetrics: {}",
    "filesystems": "{domain.devices.filesystems: [{name: a, virtiofs: {}}], volumes: [{name: a, secret: {}}]}",
    "video": "domain.devices.video: {}",
    "panic_devices": "domain.devices.panicDevices: [{}]",
    "reboot_policy": "domain.rebootPolicy: Reboot",
    "reserved_overhead": "domain.memory.reservedOverhead: {}",
    "service_account": "serviceAccountName: '-'",
}
OF_VMIS = {
    "discontinued_feature_gates",
    "discontinued_bindings",
    "volume_disks",
    "memory_is_set",
    "hyperv",
    "architecture",
}
OF_METADATA = {"metadata", "annotations", "grace_annotations"}
CONFIGURATION = """
permittedHostDevices.pciHostDevices: [{pciVendorSelector: '10de:2342', resourceName: nvidia.com/grace}]
vmRolloutStrategy: Stage
"""


def test_every_rule_has_an_example():
    names = {name.removeprefix("validate_") for name in vars(rules) if name.startswith("validate_")}
    assert names == WRONG.keys() | OF_VMIS | OF_METADATA | {"vmi", "vmi_spec"}


@pytest.mark.parametrize("name", WRONG)
def test_a_rule_is_asked_where_it_has_something_to_say(causes_of, name):
    rule, count = getattr(rules, f"validate_{name}"), 0
    for release in RELEASES.values():
        causes = causes_of(rule, WRONG[name], CONFIGURATION, release=release)
        assert set(causes) <= set(causes_of(validate_vmi_spec, WRONG[name], CONFIGURATION, release=release))
        count += len(causes)
    assert count
