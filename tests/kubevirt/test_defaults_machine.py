"""The values that a VM and a VMI get for what they leave open: enlightenments, architectures, hotplug, a VM's own."""

import pytest
from defaulting import default, read_vmi
from reading import read, read_vm

from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.defaults.hotplug import live_update_memory_problem
from virtcatalog.kubevirt.defaults.spec import set_vm_defaults
from virtcatalog.kubevirt.launcher.pci import supports_pcie_hotplug


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
    def test_dependency(self, hyperv, brought, state):
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
    def test_evmcs_requires_vmx(self, cpu, features):
        text = f"{{domain.features.hyperv: {{evmcs: {{}}}}, domain.cpu: {cpu}}}"
        assert default(text, "domain.cpu.features") == features

    def test_evmcs_that_is_off_requires_nothing(self):
        text = "domain.features.hyperv: {evmcs: {enabled: false}}"
        assert default(text, "domain.cpu.features") is None
        assert default(text, "domain.features.hyperv") == {"evmcs": {"enabled": False}}

    def test_what_cannot_be_fulfilled_ends_the_looking(self):
        """The first need that is off: those behind it bring nothing along, those before it have."""
        hyperv = "evmcs: {}, ipi: {}, vpindex: {enabled: false}, synictimer: {}"
        assert default(f"domain.features.hyperv: {{{hyperv}}}", "domain.features.hyperv") == {
            "evmcs": {"enabled": True},
            "vapic": {"enabled": True},
            "ipi": {"enabled": True},
            "vpindex": {"enabled": False},
            "synictimer": {"enabled": True},
        }
        assert default(f"domain.features.hyperv: {{{hyperv}}}", "domain.cpu.features") is None

    def test_evmcs_without_its_own_need_leaves_the_cpu_alone(self):
        text = "domain.features.hyperv: {evmcs: {}, vapic: {enabled: false}}"
        assert default(text, "domain.cpu.features") is None


class TestArchitecture:
    """What differs between architectures."""

    @pytest.mark.parametrize("target", ["disk", "cdrom", "lun"])
    def test_a_bus_that_is_set_stays(self, target):
        text = f"domain.devices.disks: [{{name: a, {target}: {{bus: scsi}}}}]"
        assert default(text, f"domain.devices.disks.0.{target}.bus") == "scsi"

    @pytest.mark.parametrize(
        ("architecture", "bus"), [("amd64", "sata"), ("arm64", "virtio"), ("s390x", "virtio"), ("riscv64", "sata")]
    )
    @pytest.mark.parametrize("target", ["disk", "cdrom", "lun"])
    def test_disk_bus(self, architecture, bus, target):
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
    def test_watchdog(self, architecture, watchdog):
        text = f"{{architecture: {architecture}, domain.devices.watchdog: {{name: w}}}}"
        assert default(text, "domain.devices.watchdog") == watchdog

    def test_a_watchdog_action_stays(self):
        text = "domain.devices.watchdog: {name: w, i6300esb: {action: poweroff}}"
        assert default(text, "domain.devices.watchdog.i6300esb.action") == "poweroff"

    @pytest.mark.parametrize(
        ("architecture", "watchdog"),
        [("s390x", "diag288: {action: poweroff}"), ("s390x", "diag288: {}"), ("amd64", "i6300esb: {}")],
    )
    def test_a_watchdog_without_an_action_resets(self, architecture, watchdog):
        text = f"{{architecture: {architecture}, domain.devices.watchdog: {{name: w, {watchdog}}}}}"
        model = watchdog.partition(":")[0]
        action = "poweroff" if "poweroff" in watchdog else "reset"
        assert default(text, "domain.devices.watchdog") == {"name": "w", model: {"action": action}}

    @pytest.mark.parametrize(
        ("release", "bootloader", "secure"),
        [("v1.9.0", "efi: {}", False), ("v1.9.0", "efi: {secureBoot: true}", True), ("v1.7.4", "efi: {}", None)],
    )
    def test_efi_of_arm64_that_does_not_say_is_not_secure(self, release, bootloader, secure):
        text = f"{{architecture: arm64, domain.firmware.bootloader: {{{bootloader}}}}}"
        assert default(text, "domain.firmware.bootloader.efi.secureBoot", release=release) is secure

    @pytest.mark.parametrize(
        ("architecture", "firmware"),
        [("arm64", {"efi": {"secureBoot": False}}), ("amd64", None), ("s390x", None)],
    )
    def test_arm64_boots_by_efi(self, architecture, firmware):
        assert default(f"architecture: {architecture}", "domain.firmware.bootloader") == firmware

    def test_an_arm64_bios_is_left_for_admission(self):
        text = "{architecture: arm64, domain.firmware.bootloader: {bios: {}}}"
        assert default(text, "domain.firmware.bootloader") == {"bios": {}}

    def test_s390x_has_no_acpi_unless_it_asks(self):
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
    def test_cpu_model(self, text, config, model):
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
            ("domain.cpu: {sockets: 128, cores: 1, threads: 1}", "{}", 512),
            ("domain.cpu: {sockets: 129, cores: 1, threads: 1}", "{}", 512),
            ("domain.cpu: {sockets: 43, cores: 3, threads: 1}", "{}", 170),
            ("domain.cpu: {sockets: 1073741825, cores: 1, threads: 1}", "{}", 4),
            ("domain.cpu: {sockets: 2, cores: 1073741824, threads: 4}", "{}", 8),
            ("domain.cpu: {sockets: 200, cores: 1, threads: 4}", "{}", 200),
            ("{}", "vmRolloutStrategy: Stage", None),
            ("architecture: arm64", "{}", None),
            ("architecture: s390x", "{}", 4),
        ],
    )
    def test_max_sockets(self, text, config, sockets):
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
            ("domain.memory: {guest: 1Gi}", "liveUpdateConfiguration: {maxHotplugRatio: 3}", "3Gi"),
            ("domain.memory: {}", "liveUpdateConfiguration: {maxGuest: 6Gi}", None),
            ("{}", "{}", None),
        ],
    )
    def test_max_guest(self, text, config, max_guest):
        assert default(text, "domain.memory.maxGuest", config) == max_guest

    SIZED = "domain.memory: {guest: 2Gi, maxGuest: 4Gi}"

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("domain.memory: {guest: 2Gi, maxGuest: 4Gi}", ""),
            ("domain.memory: {guest: 2Gi, maxGuest: 2Gi}", ""),
            ("domain.memory: {guest: 1Gi, maxGuest: 4Gi}", ""),
            ("domain.memory: {guest: 1026Mi, maxGuest: 1028Mi}", ""),
            ("domain.memory: {guest: 2560Mi, maxGuest: 4Gi, hugepages: {pageSize: 2Mi}}", ""),
            ("domain.memory: {guest: 3Gi, maxGuest: 4Gi, hugepages: {pageSize: 1Gi}}", ""),
            (f"{{{SIZED}, domain.cpu: {{numa: {{}}}}}}", ""),
            (f"{{{SIZED}, domain.cpu: {{realtime: {{}}}}}}", "a realtime VM cannot have memory hotplug"),
            (
                f"{{{SIZED}, domain.cpu: {{numa: {{guestMappingPassthrough: {{}}}}}}}}",
                "a VM with NUMA passthrough cannot have memory hotplug",
            ),
            (f"{{{SIZED}, domain.launchSecurity: {{sev: {{}}}}}}", "an encrypted VM cannot have memory hotplug"),
            ("domain.memory: {maxGuest: 4Gi}", "memory hotplug needs memory.guest"),
            ("domain.memory: {guest: 5Gi, maxGuest: 4Gi}", "memory.guest 5Gi is above maxGuest 4Gi"),
            (
                "domain.memory: {guest: 2049Mi, maxGuest: 4Gi}",
                "memory hotplug needs memory.guest to be a multiple of 2Mi, not 2049Mi",
            ),
            ("domain.memory: {guest: 2Gi, maxGuest: 4097Mi}", "maxGuest must be a multiple of 2Mi, not 4097Mi"),
            (
                "domain.memory: {guest: 2560Mi, maxGuest: 4Gi, hugepages: {pageSize: 1Gi}}",
                "memory hotplug needs memory.guest to be a multiple of 1Gi, not 2560Mi",
            ),
            (
                "domain.memory: {guest: 2Gi, maxGuest: 2562Mi, hugepages: {pageSize: 1Gi}}",
                "maxGuest must be a multiple of 1Gi, not 2562Mi",
            ),
            (f"{{{SIZED}, architecture: s390x}}", "only amd64 has memory hotplug"),
            (
                "domain.memory: {guest: 1022Mi, maxGuest: 4Gi}",
                "memory hotplug needs at least 1Gi of guest memory, not 1022Mi",
            ),
        ],
    )
    def test_memory_hotplug(self, text, problem):
        spec = read_vmi(text).spec
        spec.architecture = spec.architecture or "amd64"
        assert live_update_memory_problem(spec, spec.domain.memory.max_guest) == problem


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
            ((TEMPLATE % "").replace("DataSource", "datasource"), "arm64"),
            ((TEMPLATE % "").replace("DataSource", "Image"), "amd64"),
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
            ("s390x", "q35", False),
            ("''", "q35", True),
            ("amd64", "microvirt", False),
        ],
    )
    def test_pcie_hotplug(self, architecture, machine, supported):
        vm = read_vm("{}", f"{{architecture: {architecture}, domain: {{devices: {{}}, machine: {{type: {machine}}}}}}}")
        assert supports_pcie_hotplug(vm.spec.template.spec) is supported

    def test_a_machine_that_is_not_named_has_pcie_hotplug(self):
        assert supports_pcie_hotplug(read_vm("{}", "architecture: arm64").spec.template.spec)
        assert not supports_pcie_hotplug(read_vm("{}", "architecture: s390x").spec.template.spec)

    def test_the_first_image_that_tells_its_architecture_counts(self):
        reference = "{metadata: {name: d}, spec: {sourceRef: {kind: DataSource, name: image, namespace: %s}}}"
        vm = read_vm(f"dataVolumeTemplates: [{', '.join(reference % name for name in ('none', 'one', 'other'))}]")
        sources = [self.SOURCE % ("image", "one", "arm64", ""), self.SOURCE % ("image", "other", "s390x", "")]
        set_vm_defaults(vm, Cluster(map(read, sources)))
        assert vm.spec.template.spec.architecture == "arm64"
        assert vm.spec.template.spec.domain.machine.type == "virt"

    def test_the_vms_namespace_is_that_of_the_image(self):
        vm = read_vm(self.TEMPLATE % "")
        vm.metadata.namespace = "team"
        set_vm_defaults(vm, Cluster([read(self.SOURCE % ("image", "team", "arm64", ""))]))
        assert vm.spec.template.spec.architecture == "arm64"

    def test_a_machine_type_that_is_set_stays(self):
        machine = "domain: {devices: {}, machine: {type: %s}}"
        for text, machine_type in (("pc-q35-9.2", "pc-q35-9.2"), ("''", "q35")):
            vm = read_vm("{}", f"{{{machine % text}}}")
            set_vm_defaults(vm, Cluster())
            assert vm.spec.template.spec.domain.machine.type == machine_type
