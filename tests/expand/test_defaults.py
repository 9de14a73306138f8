"""The values that a VM and a VMI get for what they leave open."""

import pytest
from reading import read, read_vm

from virtcatalog.api.configuration import KubeVirtConfiguration
from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.expand.cluster import Cluster
from virtcatalog.expand.configuration import Configuration
from virtcatalog.expand.defaults.hotplug import live_update_memory_problem
from virtcatalog.expand.defaults.network import NetworkDefaultError
from virtcatalog.expand.defaults.spec import set_default_vmi_spec
from virtcatalog.expand.defaults.vm import set_vm_defaults, supports_pcie_hotplug
from virtcatalog.expand.defaults.vmi import set_default_vmi


def read_vmi(text):
    """Return a VMI of the YAML of its spec, in which a key may be dotted."""
    spec = {"domain": {"devices": {}}}
    for key, value in read(text).items():
        *parents, last = key.split(".")
        place = spec
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return convert({"metadata": {"name": "vm"}, "spec": spec}, VirtualMachineInstance)


def value_at(manifest, path):
    """Follow `domain.devices.disks.0.disk`; None where it ends."""
    for step in path.split("."):
        if isinstance(manifest, list):
            manifest = manifest[int(step)] if int(step) < len(manifest) else None
        else:
            manifest = (manifest or {}).get(step)
    return manifest


@pytest.fixture
def default():
    """Give a VMI its defaults and return what is then at a path of its spec."""

    def make(text, path, config="{}", architecture="amd64", setter=None):
        configuration = Configuration(convert(read(config), KubeVirtConfiguration), architecture=architecture)
        vmi = read_vmi(text)
        if setter:
            setter(vmi.spec, configuration)
        else:
            set_default_vmi(vmi, configuration)
        return value_at(to_manifest(vmi)["spec"], path)

    return make


class TestSpec:
    """What a VM's template gets as well as a VMI."""

    @pytest.mark.parametrize(
        ("text", "path", "value"),
        [
            ("{}", "architecture", "amd64"),
            ("architecture: arm64", "architecture", "arm64"),
            ("{}", "domain.machine.type", "q35"),
            ("architecture: arm64", "domain.machine.type", "virt"),
            ("architecture: s390x", "domain.machine.type", "s390-ccw-virtio"),
            ("domain.machine: {type: pc-q35-9.2}", "domain.machine.type", "pc-q35-9.2"),
            ('domain.machine: {type: ""}', "domain.machine.type", "q35"),
            ("{}", "evictionStrategy", "None"),
            ("evictionStrategy: External", "evictionStrategy", "External"),
            ("{}", "domain.memory.guest", None),
            ("domain.resources: {requests: {memory: 1Gi}}", "domain.memory.guest", "1Gi"),
            ("domain.resources: {limits: {memory: 2Gi}}", "domain.memory.guest", "2Gi"),
            ("domain.resources: {limits: {memory: 2Gi}, requests: {memory: 1Gi}}", "domain.memory.guest", "1Gi"),
            ("{domain.memory.guest: 3Gi, domain.resources.requests: {memory: 1Gi}}", "domain.memory.guest", "3Gi"),
            ("domain.memory.hugepages: {pageSize: 2Mi}", "domain.memory.guest", "2Mi"),
            ("domain.memory.hugepages: {pageSize: large}", "domain.memory.guest", None),
            ("{}", "domain.cpu", {"cores": 1, "sockets": 1, "threads": 1}),
            ("domain.cpu: {cores: 4}", "domain.cpu", {"cores": 4}),
            ("domain.resources: {requests: {cpu: 2500m}}", "domain.cpu.sockets", 3),
            ("domain.resources: {requests: {cpu: 2}, limits: {cpu: 4}}", "domain.cpu.sockets", 4),
            ("domain.resources: {limits: {cpu: 4}}", "domain.resources.requests.cpu", "4"),
            ("domain.resources: {limits: {cpu: 4}, requests: {cpu: 2}}", "domain.resources.requests.cpu", "2"),
            ("{}", "domain.resources", {}),
        ],
    )
    def test_default(self, default, text, path, value):
        assert default(text, path, setter=set_default_vmi_spec) == value

    @pytest.mark.parametrize(
        ("image", "policy"),
        [
            ("guest", "Always"),
            ("guest:latest", "Always"),
            ("guest:1", "IfNotPresent"),
            ("guest@sha256:0", "IfNotPresent"),
        ],
    )
    def test_an_image_with_a_fixed_tag_is_pulled_once(self, default, image, policy):
        text = f'volumes: [{{name: root, containerDisk: {{image: "{image}"}}}}]'
        assert default(text, "volumes.0.containerDisk.imagePullPolicy") == policy

    def test_a_cluster_can_ask_for_more_cpu_than_kubevirt(self, default):
        path = "domain.resources.requests.cpu"
        assert default("{}", path, "cpuRequest: 250m") == "250m"
        assert default("{}", path, "cpuRequest: 0.1") is None
        assert default("domain.resources.requests: {cpu: 1}", path, "cpuRequest: 250m") == "1"
        assert default("domain.cpu.dedicatedCpuPlacement: true", path, "cpuRequest: 250m") is None

    def test_the_cluster_says_which_machine_and_eviction(self, default):
        assert default("{}", "domain.machine.type", "machineType: pc-q35-rhel9.6.0") == "pc-q35-rhel9.6.0"
        assert default("{}", "evictionStrategy", "evictionStrategy: LiveMigrate") == "LiveMigrate"
        assert default("{}", "architecture", architecture="s390x") == "s390x"

    def test_volumes_without_disk_or_filesystem_get_a_disk(self, default):
        text = """
        domain.devices.disks: [{name: b}]
        domain.devices.filesystems: [{name: c, virtiofs: {}}]
        volumes: [{name: a, emptyDisk: {capacity: 1Gi}}, {name: b, sysprep: {}}, {name: c, sysprep: {}}]
        """
        assert default(text, "domain.devices.disks", setter=set_default_vmi_spec) == [{"name": "b"}, {"name": "a"}]


class TestNetwork:
    """The pod network for those who name none."""

    @pytest.mark.parametrize(
        ("text", "config", "interfaces"),
        [
            ("{}", "{}", [{"name": "default", "bridge": {}}]),
            ("{}", "network: {defaultNetworkInterface: masquerade}", [{"name": "default", "masquerade": {}}]),
            ("domain.devices.autoattachPodInterface: true", "{}", [{"name": "default", "bridge": {}}]),
            ("domain.devices.autoattachPodInterface: false", "{}", None),
            ("networks: [{name: blue, multus: {networkName: n}}]", "{}", None),
            ("domain.devices.interfaces: [{name: x, sriov: {}}]", "{}", [{"name": "x", "sriov": {}}]),
        ],
    )
    def test_interfaces(self, default, text, config, interfaces):
        assert default(text, "domain.devices.interfaces", config) == interfaces

    def test_the_network_comes_with_the_interface(self, default):
        assert default("{}", "networks") == [{"name": "default", "pod": {}}]
        assert default("domain.devices.autoattachPodInterface: false", "networks") is None

    @pytest.mark.parametrize("network", ["permitBridgeInterfaceOnPodNetwork: false", "defaultNetworkInterface: slirp"])
    def test_a_default_that_the_cluster_does_not_permit(self, default, network):
        with pytest.raises(NetworkDefaultError):
            default("{}", "networks", f"network: {{{network}}}")
        assert default("domain.devices.autoattachPodInterface: false", "networks", f"network: {{{network}}}") is None


class TestObjects:
    """The API's own defaults."""

    @pytest.mark.parametrize(
        ("text", "path", "value"),
        [
            ("{}", "domain.features", {"acpi": {"enabled": True}}),
            ("domain.features: {acpi: {enabled: false}}", "domain.features.acpi", {"enabled": False}),
            ("domain.features: {apic: {}}", "domain.features.apic", {"enabled": True}),
            ("domain.features: {smm: {}}", "domain.features.smm", {"enabled": True}),
            ("domain.features: {smm: {enabled: false}}", "domain.features.smm", {"enabled": False}),
            ("domain.features: {pvspinlock: {}}", "domain.features.pvspinlock", {"enabled": True}),
            ("domain.features: {kvm: {}}", "domain.features.kvm", {}),
            (
                "domain.features.hyperv: {spinlocks: {}}",
                "domain.features.hyperv.spinlocks",
                {"enabled": True, "spinlocks": 4096},
            ),
            (
                "domain.features.hyperv: {spinlocks: {enabled: false}}",
                "domain.features.hyperv.spinlocks",
                {"enabled": False},
            ),
            (
                "domain.features.hyperv: {tlbflush: {direct: {}, extended: {enabled: false}}}",
                "domain.features.hyperv.tlbflush",
                {"enabled": True, "direct": {"enabled": True}, "extended": {"enabled": False}},
            ),
            (
                "domain.features.hyperv: {synictimer: {direct: {}}}",
                "domain.features.hyperv.synictimer",
                {"enabled": True, "direct": {"enabled": True}},
            ),
            (
                "domain.clock.timer: {hpet: {}, kvm: {present: false}, rtc: {}}",
                "domain.clock.timer",
                {"hpet": {"present": True}, "kvm": {"present": False}, "rtc": {"present": True}},
            ),
            ("domain.devices.disks: [{name: a}]", "domain.devices.disks.0.disk", {"bus": "sata"}),
            (
                "domain.devices.disks: [{name: a, cdrom: {}}]",
                "domain.devices.disks.0",
                {"name": "a", "cdrom": {"bus": "sata", "readonly": True, "tray": "closed"}},
            ),
            (
                "domain.devices.disks: [{name: a, cdrom: {bus: scsi, readonly: false, tray: open}}]",
                "domain.devices.disks.0.cdrom",
                {"bus": "scsi", "readonly": False, "tray": "open"},
            ),
            (
                "domain.devices.disks: [{name: a, blockSize: {matchVolume: {}}}]",
                "domain.devices.disks.0.blockSize.matchVolume",
                {"enabled": True},
            ),
            (
                'domain.devices.inputs: [{name: a, type: ""}]',
                "domain.devices.inputs.0",
                {"name": "a", "type": "tablet", "bus": "usb"},
            ),
            (
                "domain.devices.gpus: [{name: a, deviceName: g, virtualGPUOptions: {display: {ramFB: {}}}}]",
                "domain.devices.gpus.0.virtualGPUOptions.display.ramFB",
                {"enabled": True},
            ),
            (
                "readinessProbe: {guestAgentPing: {}, periodSeconds: 7}",
                "readinessProbe",
                {
                    "guestAgentPing": {},
                    "periodSeconds": 7,
                    "timeoutSeconds": 1,
                    "successThreshold": 1,
                    "failureThreshold": 3,
                },
            ),
            ("livenessProbe: {tcpSocket: {port: 1}}", "livenessProbe.periodSeconds", 10),
            ("domain.firmware: {uuid: 0d1e}", "domain.firmware.uuid", "0d1e"),
        ],
    )
    def test_default(self, default, text, path, value):
        assert default(text, path) == value


class TestHyperv:
    """Enlightenments bring along what they need."""

    @pytest.mark.parametrize(
        ("hyperv", "brought", "state"),
        [
            ("evmcs: {}", "vapic", True),
            ("ipi: {}", "vpindex", True),
            ("tlbflush: {}", "vpindex", True),
            ("synic: {}", "vpindex", True),
            ("synictimer: {}", "synic", True),
            ("synictimer: {}", "vpindex", True),
            ("ipi: {enabled: false}", "vpindex", None),
            ("relaxed: {}", "vpindex", None),
            ("ipi: {}, vpindex: {enabled: false}", "vpindex", False),
        ],
    )
    def test_dependency(self, default, hyperv, brought, state):
        path = f"domain.features.hyperv.{brought}.enabled"
        assert default(f"domain.features.hyperv: {{{hyperv}}}", path) is state

    @pytest.mark.parametrize(
        ("cpu", "features"),
        [
            ("{}", [{"name": "vmx", "policy": "require"}]),
            ("{features: [{name: pcid}]}", [{"name": "pcid"}, {"name": "vmx", "policy": "require"}]),
            ("{features: [{name: vmx, policy: disable}]}", [{"name": "vmx", "policy": "require"}]),
        ],
    )
    def test_evmcs_requires_vmx(self, default, cpu, features):
        text = f"{{domain.features.hyperv: {{evmcs: {{}}}}, domain.cpu: {cpu}}}"
        assert default(text, "domain.cpu.features") == features

    def test_evmcs_without_its_own_need_leaves_the_cpu_alone(self, default):
        text = "domain.features.hyperv: {evmcs: {}, vapic: {enabled: false}}"
        assert default(text, "domain.cpu.features") is None


class TestArchitecture:
    """What differs between architectures."""

    @pytest.mark.parametrize(
        ("architecture", "bus"), [("amd64", "sata"), ("arm64", "virtio"), ("s390x", "virtio"), ("riscv64", "sata")]
    )
    @pytest.mark.parametrize("target", ["disk", "cdrom", "lun"])
    def test_disk_bus(self, default, architecture, bus, target):
        text = f"{{architecture: {architecture}, domain.devices.disks: [{{name: a, {target}: {{}}}}]}}"
        assert default(text, f"domain.devices.disks.0.{target}.bus") == bus

    @pytest.mark.parametrize(
        ("architecture", "watchdog"),
        [
            ("amd64", {"name": "w", "i6300esb": {"action": "reset"}}),
            ("s390x", {"name": "w", "diag288": {"action": "reset"}}),
            ("arm64", {"name": "w"}),
        ],
    )
    def test_watchdog(self, default, architecture, watchdog):
        text = f"{{architecture: {architecture}, domain.devices.watchdog: {{name: w}}}}"
        assert default(text, "domain.devices.watchdog") == watchdog

    def test_a_watchdog_action_stays(self, default):
        text = "domain.devices.watchdog: {name: w, i6300esb: {action: poweroff}}"
        assert default(text, "domain.devices.watchdog.i6300esb.action") == "poweroff"

    @pytest.mark.parametrize(
        ("architecture", "firmware"),
        [("arm64", {"efi": {"secureBoot": False}}), ("amd64", None), ("s390x", None)],
    )
    def test_arm64_boots_by_efi(self, default, architecture, firmware):
        assert default(f"architecture: {architecture}", "domain.firmware.bootloader") == firmware

    def test_an_arm64_bios_is_left_for_admission(self, default):
        text = "{architecture: arm64, domain.firmware.bootloader: {bios: {}}}"
        assert default(text, "domain.firmware.bootloader") == {"bios": {}}

    def test_s390x_has_no_acpi_unless_it_asks(self, default):
        assert default("architecture: s390x", "domain.features.acpi.enabled") is False
        text = "{architecture: s390x, domain.features: {acpi: {enabled: true}}}"
        assert default(text, "domain.features.acpi.enabled") is True

    @pytest.mark.parametrize(
        ("text", "config", "model"),
        [
            ("{}", "{}", "host-model"),
            ("{}", "cpuModel: Haswell", "Haswell"),
            ("domain.cpu: {model: Skylake}", "cpuModel: Haswell", "Skylake"),
            ("architecture: arm64", "cpuModel: Haswell", "host-passthrough"),
            ("architecture: s390x", "{}", "host-model"),
        ],
    )
    def test_cpu_model(self, default, text, config, model):
        assert default(text, "domain.cpu.model", config) == model


class TestHotplug:
    """How far CPU and memory may grow."""

    @pytest.mark.parametrize(
        ("text", "config", "sockets"),
        [
            ("{}", "{}", 4),
            ("domain.cpu: {sockets: 2, cores: 1, threads: 1}", "{}", 8),
            ("domain.cpu: {sockets: 2, maxSockets: 3}", "{}", 3),
            ("domain.cpu: {sockets: 2}", "liveUpdateConfiguration: {maxHotplugRatio: 2}", 4),
            ("domain.cpu: {sockets: 2}", "liveUpdateConfiguration: {maxCpuSockets: 6}", 6),
            ("domain.cpu: {sockets: 9}", "liveUpdateConfiguration: {maxCpuSockets: 6}", 9),
            ("domain.cpu: {sockets: 32, cores: 8, threads: 1}", "{}", 64),
            ("domain.cpu: {sockets: 200, cores: 1, threads: 4}", "{}", 200),
            ("{}", "vmRolloutStrategy: Stage", None),
            ("architecture: arm64", "{}", None),
            ("architecture: s390x", "{}", 4),
        ],
    )
    def test_max_sockets(self, default, text, config, sockets):
        assert default(text, "domain.cpu.maxSockets", config) == sockets

    @pytest.mark.parametrize(
        ("text", "config", "max_guest"),
        [
            ("domain.memory: {guest: 2Gi}", "{}", "8Gi"),
            ("domain.memory: {guest: 2Gi, maxGuest: 3Gi}", "{}", "3Gi"),
            ("domain.memory: {guest: 2Gi}", "liveUpdateConfiguration: {maxGuest: 6Gi}", "6Gi"),
            ("domain.memory: {guest: 8Gi}", "liveUpdateConfiguration: {maxGuest: 6Gi}", None),
            ("domain.memory: {guest: 2Gi}", "vmRolloutStrategy: Stage", None),
            ("{architecture: arm64, domain.memory: {guest: 2Gi}}", "{}", None),
            ("{architecture: s390x, domain.memory: {guest: 2Gi}}", "{}", None),
            ("domain.memory: {guest: 512Mi}", "{}", None),
            ("{}", "{}", None),
        ],
    )
    def test_max_guest(self, default, text, config, max_guest):
        assert default(text, "domain.memory.maxGuest", config) == max_guest

    @pytest.mark.parametrize(
        ("text", "possible"),
        [
            ("domain.memory: {guest: 2Gi, maxGuest: 4Gi}", True),
            ("domain.memory: {guest: 2049Mi, maxGuest: 4Gi}", False),
            ("domain.memory: {guest: 2Gi, maxGuest: 4097Mi}", False),
            ("domain.memory: {guest: 5Gi, maxGuest: 4Gi}", False),
            ("domain.memory: {guest: 1022Mi, maxGuest: 4Gi}", False),
            ("domain.memory: {maxGuest: 4Gi}", False),
            ("domain.memory: {guest: 2560Mi, maxGuest: 4Gi, hugepages: {pageSize: 2Mi}}", True),
            ("domain.memory: {guest: 2560Mi, maxGuest: 4Gi, hugepages: {pageSize: 1Gi}}", False),
            ("{domain.memory: {guest: 2Gi, maxGuest: 4Gi}, domain.cpu: {realtime: {}}}", False),
            ("{domain.memory: {guest: 2Gi, maxGuest: 4Gi}, domain.cpu: {numa: {}}}", True),
            (
                "{domain.memory: {guest: 2Gi, maxGuest: 4Gi}, domain.cpu: {numa: {guestMappingPassthrough: {}}}}",
                False,
            ),
            ("{domain.memory: {guest: 2Gi, maxGuest: 4Gi}, domain.launchSecurity: {sev: {}}}", False),
            ("{domain.memory: {guest: 2Gi, maxGuest: 4Gi}, architecture: s390x}", False),
        ],
    )
    def test_memory_hotplug(self, text, possible):
        spec = read_vmi(text).spec
        spec.architecture = spec.architecture or "amd64"
        assert (live_update_memory_problem(spec, spec.domain.memory.max_guest) == "") is possible


class TestVirtualMachine:
    """What only a VM gets."""

    SOURCE = """
    apiVersion: cdi.kubevirt.io/v1beta1
    kind: DataSource
    metadata: {name: %s, namespace: %s, labels: {template.kubevirt.io/architecture: %s}}
    spec: {source: {%s}}
    """
    TEMPLATE = "dataVolumeTemplates: [{metadata: {name: d}, spec: {sourceRef: {kind: DataSource, name: image%s}}}]"

    @pytest.mark.parametrize(
        ("template", "architecture"),
        [
            (TEMPLATE % "", "arm64"),
            (TEMPLATE % ", namespace: images", "s390x"),
            (TEMPLATE % ", namespace: pointers", "s390x"),
            (TEMPLATE % ", namespace: odd", "amd64"),
            (TEMPLATE % ", namespace: nowhere", "amd64"),
            ("dataVolumeTemplates: [{metadata: {name: d}, spec: {source: {blank: {}}}}]", "amd64"),
            ("{}", "amd64"),
        ],
    )
    def test_the_architecture_is_that_of_the_image(self, template, architecture):
        sources = [
            self.SOURCE % ("image", "default", "arm64", ""),
            self.SOURCE % ("image", "images", "s390x", ""),
            self.SOURCE % ("image", "pointers", "arm64", "dataSource: {name: image, namespace: images}"),
            self.SOURCE % ("image", "odd", "vax", ""),
        ]
        vm = read_vm(template)
        set_vm_defaults(vm, Cluster(map(read, sources)))
        assert vm.spec.template.spec.architecture == architecture

    def test_an_architecture_that_is_set_stays(self):
        vm = read_vm(self.TEMPLATE % "", "architecture: amd64")
        set_vm_defaults(vm, Cluster([read(self.SOURCE % ("image", "default", "arm64", ""))]))
        assert vm.spec.template.spec.architecture == "amd64"
        assert vm.spec.template.spec.domain.machine.type == "q35"

    @pytest.mark.parametrize(
        ("architecture", "machine", "supported"),
        [
            ("amd64", "q35", True),
            ("amd64", "pc-q35-9.2", True),
            ("amd64", "pc-i440fx-7.2", False),
            ("arm64", "virt-9", True),
            ("s390x", "s390-ccw-virtio", False),
        ],
    )
    def test_pcie_hotplug(self, architecture, machine, supported):
        vm = read_vm("{}", f"{{architecture: {architecture}, domain: {{devices: {{}}, machine: {{type: {machine}}}}}}}")
        assert supports_pcie_hotplug(vm.spec.template.spec) is supported
