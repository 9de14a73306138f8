"""What KubeVirt's releases do differently: each trait shows in a VM, or in an object, of its own."""

import xml.etree.ElementTree as ET

import msgspec
import pytest
from reading import read
from test_pipeline import vm

from virtcatalog import Cluster, expand
from virtcatalog.errors import CRASH, UNKNOWN_FIELD
from virtcatalog.kubevirt.admission.instancetypes import warnings
from virtcatalog.kubevirt.hosts import HOSTS, FirmwareDirectory, HostPCIDevice
from virtcatalog.releases import PREVIEWS, RELEASES, Traits

OLD, MIDDLE, NEW = THESE = "v1.7.4", "v1.8.4", "v1.9.0"


def kubevirt(configuration="{}", gates=()):
    values = read(configuration)
    values.setdefault("developerConfiguration", {})["featureGates"] = list(gates)
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": values},
    }


def ask(release, template="{}", *, gates=(), configuration="{}", objects="[]", architecture="amd64", host=None, **more):
    """Expand a VM of the YAML of its template's spec under a release."""
    objects = [kubevirt(configuration, gates), *read(objects)]
    cluster = Cluster(objects, release=release, architecture=architecture, host=host or HOSTS["reference"])
    return expand(vm(template=template, **more), cluster)


def outcome(result):
    """Who refuses the VM, and the fields of the causes."""
    return result.refused_by, sorted({cause.field for cause in result.causes})


ADMITTED = (None, [])
VM, VMI = "spec.template.spec", "spec"
INTERFACE = "domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: n, %s}]}}, networks: [{name: n, %s}]"
INTERFACES = f"{VM}.domain.devices.interfaces[0]"
TDX = "{domain: {launchSecurity: {tdx: {}}, firmware: {bootloader: {efi: {}}}, memory: {guest: 1Gi}, devices: {}}}"
DEDICATED = "{domain: {cpu: {sockets: 2, dedicatedCpuPlacement: true%s}, memory: {guest: 1Gi}, devices: {}%s}}"


BLOCK_CLAIM = """
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: c, namespace: default}
  spec: {volumeMode: Block, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""


@pytest.mark.parametrize(
    ("template", "options", "old", "middle", "new"),
    [
        pytest.param(
            "{domain: {devices: {video: {type: vga}}, memory: {guest: 1Gi}}}",
            {},
            ("vm", [f"{VM}.video"]),
            ("vm", [f"{VM}.video"]),
            ADMITTED,
            id="beta gates wait to be named, and video's is GA at last",
        ),
        pytest.param(
            "{domain: {devices: {panicDevices: [{model: isa}]}, memory: {guest: 1Gi}}}",
            {},
            ("vm", [f"{VM}.domain.devices.panicDevices"]),
            ("vm", [f"{VM}.domain.devices.panicDevices"]),
            ADMITTED,
            id="panic devices",
        ),
        pytest.param(
            "{domain: {devices: {}, launchSecurity: {}, memory: {guest: 1Gi}}}",
            {"architecture": "s390x"},
            ("vm", [f"{VM}.launchSecurity"]),
            ("vm", [f"{VM}.launchSecurity"]),
            ADMITTED,
            id="secure execution",
        ),
        pytest.param(
            "{architecture: arm64}",
            {},
            ("vm", [f"{VM}.architecture"]),
            ADMITTED,
            ADMITTED,
            id="foreign_architecture_needs_gate",
        ),
        pytest.param(
            "{architecture: arm64}",
            {"gates": ["MultiArchitecture"]},
            ADMITTED,
            ADMITTED,
            ADMITTED,
            id="MultiArchitecture",
        ),
        pytest.param(
            "{domain: {devices: {}, memory: {guest: 1Gi}, features: {smm: {}}, firmware: {bootloader: {efi: {}}}}}",
            {"architecture": "arm64"},
            ("vmi", [f"{VMI}.domain.firmware.bootloader.efi.secureboot"]),
            ADMITTED,
            ADMITTED,
            id="arm64_secure_boot",
        ),
        pytest.param(
            "{domain: {devices: {}, memory: {guest: 1Gi, hugepages: {pageSize: big}}}}",
            {},
            ("vm", [f"{VM}.domain.hugepages.size"]),
            ("vm", [f"{VM}.domain.memory.hugepages.pageSize"]),
            ("vm", [f"{VM}.domain.memory.hugepages.pageSize"]),
            id="hugepages_field",
        ),
        pytest.param(
            "{domain: {devices: {filesystems: [{name: f, virtiofs: {}}]}, memory: {guest: 1Gi}},"
            " volumes: [{name: f, configMap: {name: c}}]}",
            {},
            ("vm", [f"{VM}.domain.devices.filesystems"]),
            ADMITTED,
            ADMITTED,
            id="configuration is shared behind a gate",
        ),
        pytest.param(
            "{domain: {devices: {filesystems: [{name: f, virtiofs: {}}, {name: g, virtiofs: {}}]},"
            " memory: {guest: 1Gi}}, volumes: [{name: f, configMap: {name: c}},"
            " {name: g, persistentVolumeClaim: {claimName: c}}]}",
            {"gates": ["ExperimentalVirtiofsSupport"]},
            ADMITTED,
            ("vm", [f"{VM}.domain.devices.filesystems"]),
            ("vm", [f"{VM}.domain.devices.filesystems"]),
            id="experimental_virtiofs_gate",
        ),
        pytest.param(
            TDX,
            {"gates": ["WorkloadEncryptionTDX"]},
            ("vm", [f"{VM}.domain"]),
            ("vm", [f"{VM}.domain"]),
            ADMITTED,
            id="tdx_embeds_secure_boot",
        ),
        pytest.param(
            "{domain: {devices: {gpus: [{name: g, deviceName: nvidia.com/grace}]}, memory: {guest: 1Gi}}}",
            {
                "configuration": "{permittedHostDevices: {pciHostDevices: [{pciVendorSelector: '10de:2342',"
                " resourceName: nvidia.com/grace}]}}"
            },
            ADMITTED,
            ADMITTED,
            ("vm", [f"{VM}.domain.devices.gpus[0].deviceName"]),
            id="grace_gpus",
        ),
        pytest.param(
            f"{{{INTERFACE % ('macvtap: {}', 'multus: {networkName: m}')}}}",
            {},
            ("vm", [f"{INTERFACES}.name"]),
            ("vm", ["spec.domain.devices.interfaces[0].macvtap"]),
            ("vm", ["spec.domain.devices.interfaces[0].macvtap"]),
            id="passt_and_macvtap_gates",
        ),
        pytest.param(
            f"{{{INTERFACE % ('model: virtio', 'pod: {}')}}}",
            {},
            ("launcher", []),
            ("launcher", []),
            ("vm", [INTERFACES]),
            id="interface_needs_binding, crashes_on_unbound_interfaces",
        ),
        pytest.param(
            f"{{{INTERFACE % ('bridge: {}, binding: {name: b}', 'pod: {}')}}}",
            {},
            ("vm", [f"{INTERFACES}.binding"]),
            ("vm", [f"{INTERFACES}.binding"]),
            ("vm", [INTERFACES]),
            id="a plugin beside a binding",
        ),
        pytest.param(
            f"{{{INTERFACE % ('bridge: {}, state: absent', 'resourceClaim: null')}}}",
            {},
            ("vm", [f"{INTERFACES}.state", f"{VM}.networks[0]"]),
            ("vm", [f"{INTERFACES}.state", f"{VM}.networks[0]"]),
            ("vm", [f"{VM}.networks[0]"]),
            id="untyped_network_is_default",
        ),
        pytest.param(
            f"{{{INTERFACE % ('masquerade: {}, ports: [{port: 0}]', 'pod: {}')}}}",
            {},
            ("vm", [f"{INTERFACES}.ports[0]"]),
            ("vm", [f"{INTERFACES}.ports[0]"]),
            ("vm", [f"{INTERFACES}.ports[0].port"]),
            id="port_field",
        ),
        pytest.param(
            f"{{{INTERFACE % ('masquerade: {}, ports: [{port: 65536}]', 'pod: {}')}}}",
            {},
            ADMITTED,
            ADMITTED,
            ("vm", [f"{INTERFACES}.ports[0].port"]),
            id="highest_port",
        ),
        pytest.param(
            "{domain: {devices: {hostDevices: [{name: h, deviceName: x/h, claimName: c}]}, memory: {guest: 1Gi}}}",
            {"gates": ["HostDevices"]},
            ADMITTED,
            ("vm", [f"{VM}.domain.devices.hostDevices"]),
            ("vm", [f"{VM}.domain.devices.hostDevices"]),
            id="host_devices_from_claims",
        ),
        pytest.param(
            "{domain: {devices: {gpus: [{name: g}]}, memory: {guest: 1Gi}}}",
            {},
            ("vm", [f"{VM}.spec.domain.devices.gpus"]),
            ("vm", [f"{VM}.domain.devices.gpus"]),
            ("vm", [f"{VM}.domain.devices.gpus"]),
            id="a GPU from nowhere",
        ),
        pytest.param(
            "{domain: {devices: {gpus: [{name: g, deviceName: d, claimName: ''}]}, memory: {guest: 1Gi}}}",
            {},
            ("vm", [f"{VM}.spec.domain.devices.gpus"]),
            ("vm", [f"{VM}.domain.devices.gpus"]),
            ADMITTED,
            id="keeps_empty_claim_names: GPUs",
        ),
        pytest.param(
            "{domain: {devices: {hostDevices: [{name: h, deviceName: d, requestName: ''}]}, memory: {guest: 1Gi}}}",
            {"gates": ["HostDevices"]},
            ADMITTED,
            ("vm", [f"{VM}.domain.devices.hostDevices"]),
            ADMITTED,
            id="keeps_empty_claim_names: host devices",
        ),
        pytest.param(
            "{resourceClaims: [{name: c}]}",
            {},
            ADMITTED,
            ADMITTED,
            ("vm", [f"{VM}.resourceClaims[0]"]),
            id="resource_claims_are_checked",
        ),
        pytest.param(
            "{domain: {devices: {disks: [{name: d, disk: {}, blockSize: {custom: {logical: 8192, physical: 8192}}}]},"
            " memory: {guest: 1Gi}}, volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]}",
            {"architecture": "s390x"},
            ADMITTED,
            ADMITTED,
            ("launcher", []),
            id="s390x_block_size_limit",
        ),
    ],
)
def test_who_refuses_what(template, options, old, middle, new):
    outcomes = {release: outcome(ask(release, template, **options)) for release in THESE}
    assert outcomes == {OLD: old, MIDDLE: middle, NEW: new}


VGPU = "{permittedHostDevices: {mediatedDevices: [{mdevNameSelector: m, resourceName: x/vgpu}]}}"
USB = "{permittedHostDevices: {usb: [{resourceName: x/stick, selectors: [{vendor: '1', product: '2'}]}]}}"
PLUGIN = "{network: {binding: {tap: {domainAttachmentType: tap}}}}"
CLAIM = "volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]"
TRACKED = "{changedBlockTrackingLabelSelectors: {virtualMachineLabelSelector: {}}}"
ANNOTATED = {"kubevirt.io/placePCIDevicesOnRootComplex": "true"}
MAC = "02:00:00:00:00:07"


@pytest.mark.parametrize(
    ("template", "options", "path", "old", "middle", "new"),
    [
        pytest.param(
            "{domain: {devices: {}, memory: {guest: 1Gi}, firmware: {bootloader: {efi: {secureBoot: false}}}}}",
            {},
            "os/loader",
            "/usr/share/OVMF/OVMF_CODE.secboot.fd",
            "/usr/share/OVMF/OVMF_CODE.secboot.fd",
            "/usr/share/edk2/ovmf/OVMF_CODE.secboot.fd",
            id="the launcher's firmware",
        ),
        pytest.param(
            TDX.replace("efi: {}", "efi: {secureBoot: false}"),
            {"gates": ["WorkloadEncryptionTDX"]},
            "launchSecurity/quoteGenerationService/@path",
            None,
            None,
            "/var/run/tdx-qgs/qgs.socket",
            id="tdx_quotes",
        ),
        pytest.param(
            "{domain: {devices: {disks: [{name: d, lun: {bus: scsi, reservation: true}}]}, memory: {guest: 1Gi}}, "
            f"{CLAIM}}}",
            {"gates": ["PersistentReservation"]},
            "devices/disk/source/reservations/@migration",
            None,
            None,
            "yes",
            id="reservations_migrate",
        ),
        pytest.param(
            f"{{domain: {{devices: {{disks: [{{name: d, disk: {{}}}}]}}, memory: {{guest: 1Gi}}}}, {CLAIM}}}",
            {"gates": ["ExpandDisks"]},
            "devices/disk/expandDisksEnabled",
            "true",
            "true",
            None,
            id="expand_disks_gate",
        ),
        pytest.param(
            "{domain: {devices: {gpus: [{name: g, deviceName: x/gpu, virtualGPUOptions: {display: {enabled: true}}}]},"
            " memory: {guest: 1Gi}}}",
            {},
            "devices/hostdev/@display",
            None,
            None,
            "on",
            id="pci_vgpu_display",
        ),
        pytest.param(
            "{domain: {devices: {gpus: [{name: g, deviceName: x/vgpu}]}, memory: {guest: 1Gi}}}",
            {"configuration": VGPU},
            "devices/hostdev/source/address/@bus",
            "",
            None,
            None,
            id="omits_empty_address_attributes",
        ),
        pytest.param(
            "{domain: {devices: {hostDevices: [{name: h, deviceName: x/stick}]}, memory: {guest: 1Gi}}}",
            {"configuration": USB, "gates": ["HostDevices"]},
            "devices/hostdev/source/address/@type",
            "",
            None,
            None,
            id="the address of a USB device has a bus, and no type",
        ),
        pytest.param(
            DEDICATED
            % (
                ", isolateEmulatorThread: true",
                ", ioThreadsPolicy: supplementalPool, ioThreads: {supplementalPoolThreadCount: 1}",
            ),
            {},
            "cputune/emulatorpin/@cpuset",
            "crash",
            "2",
            "3",
            id="pins_supplemental_iothreads_first",
        ),
        pytest.param(
            f"{{{INTERFACE % (f'binding: {{name: tap}}, macAddress: {MAC!r}', 'pod: {}')}}}",
            {"configuration": PLUGIN, "converted": True},
            "devices/interface/mac/@address",
            None,
            MAC,
            MAC,
            id="converts_mac_address",
        ),
        pytest.param(
            f"{{{INTERFACE % ('state: down', 'pod: {}')}}}",
            {"converted": True},
            "devices/interface/link/@state",
            "down",
            None,
            "refused",
            id="link_state_needs_tap",
        ),
        pytest.param(
            "{domain: {devices: {rng: {}}, memory: {guest: 1Gi}}}",
            {"architecture": "s390x", "annotations": ANNOTATED},
            "devices/rng/address/@type",
            "pci",
            None,
            None,
            id="root_complex_needs_pcie",
        ),
        pytest.param(
            "{domain: {devices: {disks: [{name: d, disk: {}}]}, memory: {guest: 1Gi}},"
            " volumes: [{name: d, persistentVolumeClaim: {claimName: c, hotpluggable: true}}]}",
            {"configuration": TRACKED, "gates": ["IncrementalBackup", "HotplugVolumes"]},
            "devices/disk/driver/@type",
            "raw",
            "qcow2",
            "qcow2",
            id="tracks_hotplugged_disks",
        ),
        pytest.param(
            "{domain: {devices: {disks: [{name: d, disk: {}}]}, memory: {guest: 1Gi}},"
            " volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]}",
            {"configuration": TRACKED, "gates": ["IncrementalBackup"], "objects": BLOCK_CLAIM},
            "devices/disk/driver/@io",
            None,
            "native",
            "native",
            id="judges_images_below_overlays",
        ),
    ],
)
def test_what_the_domain_shows(template, options, path, old, middle, new):
    assert {release: shown(release, template, path, **options) for release in THESE} == {
        OLD: old,
        MIDDLE: middle,
        NEW: new,
    }


def shown(release, template, path, *, converted=False, annotations=None, **options):
    """The text of an element of the domain, or one of its attributes; None where there is none."""
    if annotations:
        options["spec"] = msgspec.json.encode(
            {"template": {"metadata": {"annotations": annotations}, "spec": read(template)}}
        ).decode()
    result = ask(release, template, **options)
    xml = result.converted_xml if converted else result.domain_xml
    if xml is None:
        return "crash" if result.reasons[0].type == CRASH else "refused"
    domain = ET.fromstring(xml)
    element, _, attribute = path.partition("/@")
    child = domain.find(element)
    return None if child is None else child.get(attribute) if attribute else child.text


CRASHES = {
    "pinned IO threads": (DEDICATED % (", isolateEmulatorThread: true", ", ioThreadsPolicy: auto"), "amd64", [OLD]),
    "maxSockets": (DEDICATED % (", maxSockets: 4", ""), "arm64", [OLD, MIDDLE]),
    "IO threads over sockets that are not there": (
        DEDICATED % (", maxSockets: 4", ", ioThreadsPolicy: auto"),
        "amd64",
        [OLD, MIDDLE],
    ),
    "ioThreads without a count": (DEDICATED % ("", ", ioThreadsPolicy: shared, ioThreads: {}"), "amd64", [OLD, MIDDLE]),
}


@pytest.mark.parametrize("name", CRASHES)
def test_a_crash_of_virt_launcher_is_told_from_a_refusal(name):
    template, architecture, crashing = CRASHES[name]
    template = template.replace("devices: {}", "devices: {disks: [{name: d, disk: {bus: virtio}}]}")
    template = f"{template[:-1]}, volumes: [{{name: d, persistentVolumeClaim: {{claimName: c}}}}]}}"
    for release in THESE:
        result = ask(release, template, architecture=architecture)
        if release not in crashing:
            assert result.admitted, (release, result.reasons)
            continue
        assert outcome(result) == ("launcher", [])
        (reason,) = result.reasons
        assert reason.type == CRASH
        assert reason.message.startswith(f"KubeVirt {release} crashes on this VM: ")


def test_pinned_iothreads_follow_the_numbers_of_the_vcpus():
    template = (
        "{domain: {cpu: {cores: 2, dedicatedCpuPlacement: true}, memory: {guest: 1Gi}, ioThreadsPolicy: auto,"
        " ioThreads: {supplementalPoolThreadCount: 2}, devices: {disks: [{name: d, disk: {bus: virtio}}]}},"
        " volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]}"
    )
    pins = ET.fromstring(ask(MIDDLE, template).domain_xml).findall("cputune/iothreadpin")
    assert [(pin.get("iothread"), pin.get("cpuset")) for pin in pins] == [("1", "3"), ("2", "4")]


def test_without_secure_boot_the_releases_prefer_other_firmware():
    files = ("OVMF_CODE.fd", "OVMF_CODE.secboot.fd", "OVMF_VARS.fd")
    directories = tuple(FirmwareDirectory(path, files) for path in ("/usr/share/OVMF", "/usr/share/edk2/ovmf"))
    host = msgspec.structs.replace(HOSTS["reference"], firmware=directories)
    template = "{domain: {devices: {}, memory: {guest: 1Gi}, firmware: {bootloader: {efi: {secureBoot: false}}}}}"
    assert shown(MIDDLE, template, "os/loader", host=host) == "/usr/share/OVMF/OVMF_CODE.fd"
    assert shown(NEW, template, "os/loader", host=host) == "/usr/share/edk2/ovmf/OVMF_CODE.secboot.fd"


NUMA = """
domain:
  cpu: {sockets: 2, dedicatedCpuPlacement: true, numa: {guestMappingPassthrough: {}}}
  memory: {guest: 1Gi, hugepages: {pageSize: 2Mi}}
  devices: {gpus: [{name: g, deviceName: x/gpu}]}
"""


def test_strict_placement_near_numa_nodes():
    gates = ["PCINUMAAwareTopology", "NUMA"]
    assert ask(MIDDLE, NUMA, gates=gates).admitted
    assert outcome(ask(NEW, NUMA, gates=gates)) == ("launcher", [])
    near = HostPCIDevice(address="0000:41:00.0", numa_node=0)
    host = msgspec.structs.replace(HOSTS["reference"], pci_devices=(near,))
    models = [f"devices/controller[@model='{model}']" for model in ("pcie-expander-bus", "pcie-root-port")]
    for release, expected in ((OLD, False), (MIDDLE, True), (NEW, True)):
        domain = ET.fromstring(ask(release, NUMA, gates=gates, host=host).converted_xml)
        assert all((domain.find(model) is not None) is expected for model in models), release


SNAPSHOT = """
- {apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshot,
   metadata: {name: s, namespace: default, labels: {instancetype.kubevirt.io/default-preference: p}}}
- {apiVersion: instancetype.kubevirt.io/v1beta1, kind: VirtualMachineClusterPreference, metadata: {name: p}, spec: {}}
"""


def test_defaults_are_inferred_from_snapshots_at_last():
    spec = (
        "{preference: {inferFromVolume: d}, dataVolumeTemplates: [{metadata: {name: d}, spec: {storage: {resources:"
        " {requests: {storage: 1Gi}}}, source: {snapshot: {name: s, namespace: default}}}}]}"
    )
    volumes = "{volumes: [{name: d, dataVolume: {name: d}}]}"
    results = {release: ask(release, volumes, spec=spec, objects=SNAPSHOT) for release in (*THESE, "release-1.8")}
    assert [outcome(result) for result in results.values()] == [("vm", [""]), ("vm", [""]), ADMITTED, ADMITTED]
    assert results[MIDDLE].causes[0].message == "the DataVolume's source is no claim or DataSource: nothing to infer"
    assert results[NEW].vm["spec"]["preference"] == {"name": "p"}


PREFERENCE = """
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterPreference
  metadata: {name: p}
  spec: {devices: {preferredPanicDeviceModel: hyperv, preferredVideoType: virtio}}
"""


def test_a_preferred_panic_device_and_a_preferred_video_type():
    devices_of = {}
    for release in THESE:
        result = ask(release, gates=["PanicDevices"], spec="{preference: {name: p}}", objects=PREFERENCE)
        devices = result.vmi["spec"]["domain"]["devices"]
        warned = [(warning.type, warning.object, warning.field) for warning in result.warnings]
        devices_of[release] = devices.get("panicDevices"), devices.get("video"), warned
    pruned = ("Pruned", "VirtualMachineClusterPreference/p", "spec.devices.preferredVideoType")
    assert devices_of == {
        OLD: (None, None, [pruned]),
        MIDDLE: (None, None, [pruned]),
        NEW: ([{"model": "hyperv"}], {"type": "virtio"}, []),
    }


def test_launch_security_of_an_instance_type_is_deprecated_at_last():
    manifest = read("""
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterInstancetype
        metadata: {name: i}
        spec: {cpu: {guest: 1}, memory: {guest: 1Gi}, launchSecurity: {sev: {}}}
        """)
    fields = [[warning.field for warning in warnings(manifest, RELEASES[release])] for release in THESE]
    assert fields == [[], [], ["spec.launchSecurity"]]


def test_a_field_of_a_vm_that_came_later_is_refused_and_named():
    template = "{serviceAccountName: app}"
    assert ask(NEW, template).admitted
    result = ask(MIDDLE, template)
    assert outcome(result) == ("vm", [""])
    (reason,) = result.reasons
    assert (reason.type, reason.field) == (UNKNOWN_FIELD, f"{VM}.serviceAccountName")
    assert reason.message == "KubeVirt v1.8.4 does not know the field, which came with v1.9"


def test_releases_do_not_mix_in_one_process():
    template = "{domain: {devices: {}, memory: {guest: 1Gi}, firmware: {bootloader: {efi: {secureBoot: false}}}}}"
    manifest = vm(template=template)
    clusters = {release: Cluster([], release=release) for release in THESE}
    alone = {release: expand(manifest, Cluster([], release=release)) for release in THESE}
    for _ in range(2):
        for release, cluster in clusters.items():
            result = expand(manifest, cluster)
            assert (result.vmi, result.domain_xml) == (alone[release].vmi, alone[release].domain_xml)
            assert f"KubeVirt {release} -->" in result.domain_xml


def test_every_trait_differs_somewhere_and_says_where():
    for field in msgspec.structs.fields(Traits):
        values = {getattr(release.traits, field.name) for release in (*RELEASES.values(), *PREVIEWS.values())}
        assert len(values) > 1, field.name
