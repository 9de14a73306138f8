"""What the domain takes from the cluster and the host: virt-controller, virt-handler and device plugins at work."""

import msgspec
import pytest

import otheryaml
from virtcatalog.api.configuration import SMBiosConfiguration
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.handler import build_context, tracks_changed_blocks
from virtcatalog.kubevirt.hosts import (
    HOSTS,
    BlockLimits,
    ClaimedDevice,
    DeviceAddresses,
    DirectIO,
    FirmwareDirectory,
    HostPCIDevice,
    HostProfile,
    PodLinks,
    Storage,
)
from virtcatalog.kubevirt.launcher.errors import DomainError

REFERENCE = HOSTS["reference"]


def read(text):
    return otheryaml.load(text) or {}


def kubevirt(configuration="", gates=(), annotations=None):
    values = {**read(configuration), "developerConfiguration": {"featureGates": list(gates)}}
    values["developerConfiguration"] |= read(configuration).get("developerConfiguration", {})
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"annotations": annotations or {}},
        "spec": {"configuration": values},
    }


@pytest.fixture
def context():
    """Gather the context of a VMI, given the YAML of its spec, in a cluster of YAML manifests."""

    def gather(
        spec="", *manifests, configuration="", gates=(), host=REFERENCE, architecture="amd64", vm=None, **metadata
    ):
        values = {"architecture": architecture, **read(spec)}
        values.setdefault("domain", {}).setdefault("devices", {})
        objects = [kubevirt(configuration, gates), *map(read, manifests)]
        vmi = convert({"metadata": {"name": "vm", **metadata}, "spec": values}, VirtualMachineInstance)
        return build_context(vmi, Cluster(objects, host=host), vm)

    return gather


def test_a_plain_vmi_shares_the_context_of_its_cluster():
    cluster = Cluster([])
    vmi = convert({"spec": {"domain": {"devices": {}}, "architecture": "arm64"}}, VirtualMachineInstance)
    assert build_context(vmi, cluster) is build_context(vmi, cluster)
    assert build_context(vmi, cluster).architecture.name == "arm64"
    assert build_context(vmi, cluster) != build_context(vmi, Cluster([])), "comparing what is in them takes too long"


@pytest.mark.parametrize(
    ("configuration", "gates", "field", "value"),
    [
        ("", [], "mem_balloon_stats_period", 10),
        ("memBalloonStatsPeriod: 0", [], "mem_balloon_stats_period", 0),
        ("", [], "non_root", True),
        ("", ["Root"], "non_root", False),
        ("", [], "allow_emulation", False),
        ("developerConfiguration: {useEmulation: true}", [], "allow_emulation", True),
        ("", [], "launcher_log_verbosity", 2),
        ("developerConfiguration: {logVerbosity: {virtLauncher: 7}}", [], "launcher_log_verbosity", 7),
        ("", [], "firmware_auto_selection", False),
        ("", ["FirmwareAutoSelection"], "firmware_auto_selection", True),
        ("", ["PCINUMAAwareTopology"], "pci_numa_aware_topology", True),
        ("", [], "free_page_reporting", True),
        ("virtualMachineOptions: {disableFreePageReporting: {}}", [], "free_page_reporting", False),
        ("", [], "serial_console_log", True),
        ("virtualMachineOptions: {disableSerialConsoleLog: {}}", [], "serial_console_log", False),
        ("", ["IOMMUFD"], "iommufd", False),
        ("", [], "grace_io_virtualization", False),
        ("", ["GraceIOVirtualization"], "grace_io_virtualization", True),
        ("", [], "pci_numa_aware_topology", False),
        ("", [], "bochs_for_efi_guests", True),
        ("", [], "hypervisor", "kvm"),
        ("hypervisors: [{name: hyperv-direct}]", ["ConfigurableHypervisor"], "hypervisor", "hyperv-direct"),
        ("", [], "hypervisor_available", True),
        ("hypervisors: [{name: hyperv-direct}]", ["ConfigurableHypervisor"], "hypervisor_available", False),
        ("hypervisors: [{}]", ["ConfigurableHypervisor"], "hypervisor", "kvm"),
        (
            "network: {binding: {p: {domainAttachmentType: tap}, q: {}}}",
            [],
            "binding_attachments",
            {"p": "tap"},
        ),
    ],
)
def test_what_the_configuration_says(context, configuration, gates, field, value):
    assert getattr(context(configuration=configuration, gates=gates), field) == value


def test_an_annotation_of_the_cluster_gives_guests_with_efi_a_vga_display():
    annotated = Cluster([kubevirt(annotations={"kubevirt.io/vga-display-efi-x86": ""})])
    vmi = convert({"spec": {"domain": {"devices": {}}, "architecture": "amd64"}}, VirtualMachineInstance)
    assert not build_context(vmi, annotated).bochs_for_efi_guests


def test_smbios_is_the_clusters(context):
    assert context(configuration="smbios: {manufacturer: Acme}").smbios == SMBiosConfiguration(
        manufacturer="Acme", family="KubeVirt", product="None"
    )
    whole = "smbios: {manufacturer: a, family: b, product: c, sku: d, version: e}"
    assert context(configuration=whole).smbios == SMBiosConfiguration(
        manufacturer="a", family="b", product="c", sku="d", version="e"
    )


@pytest.mark.parametrize(
    ("architecture", "directory", "file"),
    [
        ("amd64", "/usr/share/edk2/ovmf", "OVMF_VARS.fd"),
        ("arm64", "/usr/share/AAVMF", "AAVMF_VARS.fd"),
    ],
)
def test_firmware_lies_where_the_architecture_has_it(context, architecture, directory, file):
    gathered = context(architecture=architecture)
    assert gathered.firmware_directory == directory
    assert file in gathered.firmware_files


@pytest.mark.parametrize(
    ("path", "directory"),
    [
        ("/usr/share/AAVMF", "/usr/share/AAVMF"),
        ("/usr/share//x/../AAVMF/", "/usr/share/AAVMF"),
        ("//usr/share/AAVMF", "/usr/share/AAVMF"),
        ("./usr/./AAVMF/", "usr/AAVMF"),
    ],
)
def test_a_profile_lists_the_files_of_its_own_image(context, path, directory):
    entries = (
        FirmwareDirectory(path, ("a",)),
        FirmwareDirectory("/other", ("b",)),
        FirmwareDirectory(directory, ("c",)),
    )
    host = msgspec.structs.replace(REFERENCE, firmware=entries)
    gathered = context(host=host, configuration=f"ovmfPath: {path}", architecture="amd64")
    assert (gathered.firmware_directory, gathered.firmware_files) == (directory, {"a", "c"})
    bare = msgspec.structs.replace(REFERENCE, firmware=())
    assert context(host=bare).firmware_files == frozenset()


def test_s390x_and_unknown_directories_have_no_firmware(context):
    assert context(architecture="s390x").firmware_files == frozenset()
    assert context(configuration="ovmfPath: /elsewhere").firmware_files == frozenset()


@pytest.mark.parametrize(
    ("spec", "metadata", "reporting"),
    [
        ("", {}, True),
        ("domain: {devices: {autoattachMemBalloon: false}}", {}, False),
        ("domain: {devices: {}, memory: {hugepages: {pageSize: 2Mi}}}", {}, False),
        ("domain: {devices: {}, cpu: {cores: 1, dedicatedCpuPlacement: true}}", {}, False),
        ("domain: {devices: {}, cpu: {realtime: {}}}", {}, False),
        ("", {"annotations": {"kubevirt.io/free-page-reporting-disabled": "true"}}, False),
        ("", {"annotations": {"kubevirt.io/free-page-reporting-disabled": "yes"}}, True),
        ("domain: {devices: {autoattachMemBalloon: true}}", {}, True),
        ("domain: {devices: {}, cpu: {cores: 1}, memory: {guest: 1Gi}}", {}, True),
    ],
)
def test_high_performance_vmis_keep_their_free_pages(context, spec, metadata, reporting):
    assert context(spec, **metadata).free_page_reporting is reporting


def test_a_vmi_decides_about_its_console_log(context):
    assert not context("domain: {devices: {logSerialConsole: false}}").serial_console_log
    on = "domain: {devices: {logSerialConsole: true}}"
    assert context(on, configuration="virtualMachineOptions: {disableSerialConsoleLog: {}}").serial_console_log


def test_the_verbosity_label_wins(context):
    assert context(labels={"logVerbosity": "9"}).launcher_log_verbosity == 9
    for label in ("loud", "1_0", "", "٣"):
        with pytest.raises(DomainError) as error:
            context(labels={"logVerbosity": label})
        assert str(error.value) == f"metadata.labels[logVerbosity]: {label!r} is not a number"


@pytest.mark.parametrize(
    ("gates", "annotations", "non_root"),
    [
        (["Root"], {"kubevirt.io/nonroot": "true"}, True),
        (["Root"], {"kubevirt.io/nonroot": ""}, True),
        (["Root"], {}, False),
        ([], {}, True),
    ],
)
def test_a_vmi_that_began_without_root_goes_on_so(context, gates, annotations, non_root):
    assert context(gates=gates, annotations=annotations).non_root is non_root


@pytest.mark.parametrize(
    ("domain", "annotations", "cpus"),
    [
        ("cpu: {cores: 2, sockets: 2, threads: 2, PLACED}", {}, 8),
        ("cpu: {cores: 4, isolateEmulatorThread: true, PLACED}", {}, 5),
        ("cpu: {cores: 4, isolateEmulatorThread: true, PLACED}", {"PARITY": ""}, 6),
        ("cpu: {cores: 5, isolateEmulatorThread: true, PLACED}", {"PARITY": ""}, 6),
        (
            "cpu: {cores: 4, PLACED}, ioThreadsPolicy: supplementalPool, ioThreads: {supplementalPoolThreadCount: 3}",
            {},
            7,
        ),
        ("cpu: {cores: 4, PLACED}, ioThreads: {supplementalPoolThreadCount: 3}", {}, 7),
        ("cpu: {cores: 4, PLACED}, ioThreadsPolicy: auto, ioThreads: {supplementalPoolThreadCount: 3}", {}, 7),
        (
            "cpu: {cores: 4, isolateEmulatorThread: true, PLACED}, ioThreads: {supplementalPoolThreadCount: 3}",
            {"PARITY": ""},
            8,
        ),
        ("cpu: {PLACED}, resources: {limits: {cpu: 3}, requests: {cpu: 2}}", {}, 3),
        ("cpu: {PLACED}, resources: {requests: {cpu: 2}}", {}, 2),
        ("cpu: {cores: 128, PLACED}", {}, 128),
    ],
)
def test_dedicated_cpus_are_as_many_as_the_pod_asks_for(context, domain, annotations, cpus):
    parity = "alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity"
    annotations = {key.replace("PARITY", parity): value for key, value in annotations.items()}
    domain = domain.replace("PLACED", "dedicatedCpuPlacement: true")
    gathered = context(f"domain: {{devices: {{}}, {domain}}}", annotations=annotations)
    assert gathered.cpu_set == tuple(range(cpus))


def test_a_node_has_no_more_cpus_than_it_has(context):
    with pytest.raises(DomainError, match=r"spec\.domain\.cpu: the pod asks for 129 CPUs, and the node has 128$"):
        context("domain: {devices: {}, cpu: {cores: 129, dedicatedCpuPlacement: true}}")


def test_shared_cpus_are_nobodys(context):
    assert context("domain: {devices: {}, cpu: {cores: 4}}").cpu_set == ()


@pytest.mark.parametrize(
    ("feature", "configuration", "architecture", "frequency"),
    [
        ("invtsc", "", "amd64", 2_500_000_000),
        ("invtsc", "developerConfiguration: {minimumClusterTSCFrequency: 1000}", "amd64", 1000),
        ("invtsc", "developerConfiguration: {minimumClusterTSCFrequency: 1}", "amd64", 1),
        ("vmx", "", "amd64", None),
        ("invtsc", "", "arm64", None),
    ],
)
def test_a_tsc_that_must_not_change_gets_the_clusters_lowest(context, feature, configuration, architecture, frequency):
    spec = f"domain: {{devices: {{}}, cpu: {{features: [{{name: {feature}, policy: require}}]}}}}"
    assert context(spec, configuration=configuration, architecture=architecture).tsc_frequency == frequency


def test_invtsc_waits_for_a_frequency_that_makes_sense(context):
    configuration = "developerConfiguration: {minimumClusterTSCFrequency: 0}"
    features = "{name: vmx, policy: require}, {name: invtsc, policy: require}"
    with pytest.raises(DomainError) as error:
        context(f"domain: {{devices: {{}}, cpu: {{features: [{features}]}}}}", configuration=configuration)
    message = "the cluster's minimumClusterTSCFrequency is 0; a VMI with invtsc needs a positive one"
    assert str(error.value) == f"spec.domain.cpu.features: {message}"
    reenlightened = "domain: {devices: {}, features: {hyperv: {reenlightenment: {enabled: true}}}}"
    assert context(reenlightened, configuration=configuration).tsc_frequency is None


def test_a_vsock_gets_the_hosts_next_address(context):
    assert context("domain: {devices: {autoattachVSOCK: true}}").vsock_cid == 3
    assert context("domain: {devices: {autoattachVSOCK: false}}").vsock_cid is None


PERMITTED = """
permittedHostDevices:
  pciHostDevices: [{pciVendorSelector: '10DE:2342', resourceName: v/card}]
  mediatedDevices: [{mdevNameSelector: T4, resourceName: v/slice}]
  usb: [{resourceName: v/stick, selectors: []}]
"""


def test_resources_are_numbered_as_they_are_first_used_gpus_first(context):
    spec = """
    domain:
      devices:
        hostDevices: [{name: a, deviceName: v/stick}, {name: b, deviceName: v/other}, {name: c, deviceName: v/other},
          {name: d, deviceName: v/stick}, {name: e, claimName: c, requestName: r}]
        gpus: [{name: g, deviceName: v/card}]
    """
    resources = context(spec, configuration=PERMITTED).device_resources
    assert {name: (resource.kind, resource.addresses) for name, resource in resources.items()} == {
        "v/card": ("pci", ("0000:41:00.0",)),
        "v/stick": ("usb", ("2:1", "2:2")),
        "v/other": ("pci", ("0000:43:00.0", "0000:43:00.1")),
    }
    elsewhere = DeviceAddresses(pci_first_bus=10, usb_first_bus=7)
    host = msgspec.structs.replace(REFERENCE, devices=elsewhere)
    resources = context(spec, configuration=PERMITTED, host=host).device_resources
    assert [resource.addresses[0] for resource in resources.values()] == ["0000:0a:00.0", "8:1", "0000:0c:00.0"]


def test_a_resource_that_the_cluster_permits_twice_is_of_the_last_kind(context):
    twice = """
    permittedHostDevices:
      pciHostDevices: [{pciVendorSelector: '10DE:2342', resourceName: v/a}]
      mediatedDevices: [{mdevNameSelector: T4, resourceName: v/a}, {mdevNameSelector: T4, resourceName: v/b}]
      usb: [{resourceName: v/a, selectors: []}, {resourceName: v/b, selectors: []}]
    """
    spec = "domain: {devices: {gpus: [{name: a, deviceName: v/a}, {name: b, deviceName: v/b}]}}"
    resources = context(spec, configuration=twice).device_resources
    assert {name: resource.kind for name, resource in resources.items()} == {"v/a": "pci", "v/b": "mdev"}


def test_mediated_devices_have_made_up_but_steady_names(context):
    spec = "domain: {devices: {gpus: [{name: a, deviceName: v/slice}, {name: b, deviceName: v/slice}]}}"
    first, again = (context(spec, configuration=PERMITTED).device_resources["v/slice"] for _ in range(2))
    assert first.kind == "mdev"
    assert first == again
    assert first.addresses == ("81aeab0f-834b-556d-8db5-e730a39e9f41", "b570ea9d-57fd-5763-9c10-ee06585b39d2")


def test_sriov_functions_go_round_eight(context):
    interfaces = ", ".join(f"{{name: n{i}, sriov: {{}}}}" for i in range(9))
    addresses = context(f"domain: {{devices: {{interfaces: [{interfaces}]}}}}").sriov_addresses
    assert addresses["n1"] == "0000:81:01.1"
    assert addresses["n7"] == "0000:81:01.7"
    assert addresses["n8"] == "0000:81:01.0"
    host = msgspec.structs.replace(REFERENCE, devices=DeviceAddresses(sriov_bus=10, sriov_slot=31, sriov_functions=3))
    addresses = context(f"domain: {{devices: {{interfaces: [{interfaces}]}}}}", host=host).sriov_addresses
    assert (addresses["n2"], addresses["n3"]) == ("0000:0a:1f.2", "0000:0a:1f.0")
    assert context("domain: {devices: {interfaces: [{name: a, bridge: {}}]}}").sriov_addresses == {}


def test_only_sriov_interfaces_are_counted(context):
    spec = "domain: {devices: {interfaces: [{name: a, bridge: {}}, {name: b, sriov: {}}]}}"
    assert context(spec).sriov_addresses == {"b": "0000:81:01.0"}


def test_each_request_of_a_claim_is_a_pci_device_behind_those_of_resources(context):
    spec = """
    domain:
      devices:
        gpus: [{name: g, claimName: c, requestName: gpu}]
        hostDevices:
        - {name: a, deviceName: v/stick}
        - {name: again, claimName: c, requestName: gpu}
        - {name: b, claimName: c, requestName: card}
        - {name: lost, claimName: unknown, requestName: card}
    resourceClaims: [{name: c, resourceClaimName: x}]
    """
    devices = context(spec, configuration=PERMITTED).claimed_devices
    assert {pair: (device.pci_address, device.mdev_uuid) for pair, device in devices.items()} == {
        ("c", "gpu"): ("0000:42:00.0", ""),
        ("c", "card"): ("0000:43:00.0", ""),
    }


@pytest.mark.parametrize("source", ["resourceClaimName: slices", "resourceClaimTemplateName: slices"])
def test_the_profile_says_what_a_claim_gives(context, source):
    slices = ClaimedDevice(claim="slices", request="one", mdev_uuid="1-2-3")
    host = msgspec.structs.replace(REFERENCE, claimed_devices=(ClaimedDevice(claim="other", request="one"), slices))
    spec = f"""
    domain: {{devices: {{gpus: [{{name: g, claimName: c, requestName: one}}]}}}}
    resourceClaims: [{{name: c, {source}}}]
    """
    assert context(spec, host=host).claimed_devices == {("c", "one"): slices}


def test_sriov_functions_of_claims_are_numbered_with_the_others(context):
    spec = """
    domain: {devices: {interfaces: [{name: a, sriov: {}}, {name: b, sriov: {}}, {name: c, sriov: {}}]}}
    networks:
    - {name: a, multus: {networkName: x}}
    - {name: b, resourceClaim: {claimName: c, requestName: vf}}
    - {name: c, resourceClaim: {claimName: unknown, requestName: vf}}
    resourceClaims: [{name: c, resourceClaimName: nics}]
    """
    assert context(spec).sriov_addresses == {"a": "0000:81:01.0", "b": "0000:81:01.1", "c": None}
    nic = ClaimedDevice(claim="nics", request="vf", pci_address="0000:05:00.7")
    host = msgspec.structs.replace(REFERENCE, claimed_devices=(nic,))
    assert context(spec, host=host).sriov_addresses["b"] == "0000:05:00.7"
    mediated = msgspec.structs.replace(nic, pci_address="", mdev_uuid="1-2-3")
    host = msgspec.structs.replace(REFERENCE, claimed_devices=(mediated,))
    assert context(spec, host=host).sriov_addresses["b"] is None


def test_grace_gpus_are_known_by_their_resource(context):
    spec = """
    domain:
      devices:
        gpus: [{name: z, deviceName: v/card}, {name: y, deviceName: v/slice}]
        hostDevices: [{name: a, deviceName: v/card}]
    """
    gathered = context(spec, configuration=PERMITTED, gates=["GraceIOVirtualization"])
    assert gathered.grace_host_device_aliases == ("gpu-z", "hostdevice-a")
    assert context(spec, configuration=PERMITTED).grace_host_device_aliases == ()


@pytest.mark.parametrize(
    ("selector", "grace"),
    [
        ("10DE:2342", True),
        ("10de:2348", True),
        (" 0x10de : 0x2941 ", True),
        ("10DE:2343", False),
        ("8086:2342", False),
        ("10DE", False),
        ("10DE:2342:0", False),
    ],
)
def test_the_pci_ids_of_grace_gpus(context, selector, grace):
    device = f"{{pciVendorSelector: '{selector}', resourceName: v/card}}"
    permitted = f"permittedHostDevices: {{pciHostDevices: [{{pciVendorSelector: '10DE:2342'}}, {device}]}}"
    spec = "domain: {devices: {gpus: [{name: g, deviceName: v/card}, {name: h, claimName: c, requestName: r}]}}"
    gathered = context(spec, configuration=permitted, gates=["GraceIOVirtualization"])
    assert gathered.grace_host_device_aliases == (("gpu-g",) if grace else ())


def test_the_host_tells_where_its_devices_sit(context):
    card = HostPCIDevice(
        address="0000:41:00.0", numa_node=1, vendor_id="10de", device_id="2342", bar_bytes=2**30, initiator_nodes=(2, 3)
    )
    host = msgspec.structs.replace(REFERENCE, pci_devices=(card, HostPCIDevice(address="0000:42:00.0")), iommufd=True)
    gathered = context(host=host, gates=["IOMMUFD"])
    assert gathered.pci_numa_nodes == {"0000:41:00.0": 1}
    assert gathered.grace_devices == {"0000:41:00.0": card}
    assert gathered.iommufd
    assert not context(host=host).iommufd, "without its gate"
    assert gathered.numa_distances == {0: {0: 10, 1: 20}, 1: {0: 20, 1: 10}}


@pytest.mark.parametrize("cross", [True, False])
def test_what_the_profile_of_the_host_says(context, cross):
    storage = Storage(
        container_disk_format="raw",
        filesystem_block_size=512,
        block_device=BlockLimits(logical=4096),
        direct_io=DirectIO(node=False),
        preallocation=True,
    )
    host = HostProfile(
        name="other",
        architecture="arm64",
        initiator_nodes=(2, 3),
        smmuv3=True,
        storage=storage,
        pod_interface="ens3",
        pod_links=PodLinks(mtu=9000),
        vsock_cid=9,
    )
    gathered = context(
        "domain: {devices: {autoattachVSOCK: true}}",
        host=host,
        gates=["CrossArchitectureVirtualization"] if cross else [],
    )
    assert gathered.host_architecture == ("arm64" if cross else "")
    assert gathered.grace_initiator_nodes == (2, 3)
    assert gathered.smmuv3
    assert gathered.container_disk_format == "raw"
    assert gathered.filesystem_block_size == 512
    assert gathered.block_device == BlockLimits(logical=4096)
    assert gathered.direct_io == DirectIO(node=False)
    assert gathered.claims_allocated
    assert gathered.pod_interface == "ens3"
    assert gathered.pod_links == PodLinks(mtu=9000)
    assert gathered.vsock_cid == 9


def test_a_host_without_cpus_serves_no_dedicated_ones(context):
    with pytest.raises(DomainError, match="the node has 0"):
        context("domain: {devices: {}, cpu: {cores: 1, dedicatedCpuPlacement: true}}", host=HostProfile(name="bare"))


@pytest.mark.parametrize(
    ("selectors", "gates", "tracked"),
    [
        ("{virtualMachineLabelSelector: {matchLabels: {backup: daily}}}", ["IncrementalBackup"], True),
        ("{virtualMachineLabelSelector: {matchLabels: {backup: daily}}}", [], False),
        ("{virtualMachineLabelSelector: {matchLabels: {backup: never}}}", ["IncrementalBackup"], False),
        ("{namespaceLabelSelector: {matchLabels: {tier: gold}}}", ["IncrementalBackup"], True),
        (
            "{namespaceLabelSelector: {matchLabels: {kubernetes.io/metadata.name: default}}}",
            ["IncrementalBackup"],
            True,
        ),
        ("{}", ["IncrementalBackup"], False),
        ("{virtualMachineLabelSelector: {matchExpressions: [{key: a, operator: Near}]}}", ["IncrementalBackup"], False),
    ],
)
def test_changed_blocks_are_tracked_where_the_cluster_selects_the_vm(context, selectors, gates, tracked):
    namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {tier: gold}}}"
    spec = {"template": {"spec": {"domain": {"devices": {}}}}}
    vm = convert({"metadata": {"name": "vm", "labels": {"backup": "daily"}}, "spec": spec}, VirtualMachine)
    configuration = f"changedBlockTrackingLabelSelectors: {selectors}"
    gathered = context("", namespace, configuration=configuration, gates=gates, vm=vm)
    assert gathered.changed_block_tracking is tracked
    assert not context("", namespace, configuration=configuration, gates=gates).changed_block_tracking, "without a VM"


def test_without_selectors_no_changed_blocks_are_tracked():
    vm = convert(
        {"metadata": {"name": "vm"}, "spec": {"template": {"spec": {"domain": {"devices": {}}}}}}, VirtualMachine
    )
    assert not tracks_changed_blocks(vm, Cluster())
