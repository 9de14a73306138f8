"""The values that a VM and a VMI get for what they leave open: spec, network and the API's own."""

import pytest
from defaulting import default

from virtcatalog.kubevirt.defaults.spec import NetworkDefaultError, set_default_vmi_spec


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
            ("domain.cpu: {threads: 2}", "domain.cpu", {"threads": 2}),
            ("domain.cpu: {sockets: 2}", "domain.cpu", {"sockets": 2}),
            ("domain.resources: {requests: {cpu: 4294967297}}", "domain.cpu.sockets", 1),
            ("domain.resources: {requests: {memory: 0}, limits: {memory: 2Gi}}", "domain.memory.guest", "2Gi"),
            ("domain.resources: {limits: {cpu: 4}, requests: {cpu: 0}}", "domain.resources.requests.cpu", "4"),
            ("domain.resources: {limits: {cpu: 0}}", "domain.resources.requests.cpu", None),
            (
                "volumes: [{name: a, containerDisk: {image: 'i:1', imagePullPolicy: Never}}, {name: b, sysprep: {}}]",
                "volumes",
                [
                    {"name": "a", "containerDisk": {"image": "i:1", "imagePullPolicy": "Never"}},
                    {"name": "b", "sysprep": {}},
                ],
            ),
        ],
    )
    def test_default(self, text, path, value):
        assert default(text, path, setter=set_default_vmi_spec) == value

    @pytest.mark.parametrize(
        ("image", "policy"),
        [
            ("guest", "Always"),
            ("guest:latest", "Always"),
            ("guest:1", "IfNotPresent"),
            ("guest@sha256:0", "IfNotPresent"),
            ("registry:5000/guest", "IfNotPresent"),
            ("guest:latest-1", "IfNotPresent"),
            ("guest:1@sha256:0", "IfNotPresent"),
        ],
    )
    def test_an_image_with_a_fixed_tag_is_pulled_once(self, image, policy):
        text = f'volumes: [{{name: root, containerDisk: {{image: "{image}"}}}}]'
        assert default(text, "volumes.0.containerDisk.imagePullPolicy") == policy

    def test_a_cluster_can_ask_for_more_cpu_than_kubevirt(self):
        path = "domain.resources.requests.cpu"
        assert default("{}", path, "cpuRequest: 250m") == "250m"
        assert default("{}", path, "cpuRequest: 0.1") is None
        assert default("domain.resources.requests: {cpu: 1}", path, "cpuRequest: 250m") == "1"
        assert default("domain.cpu.dedicatedCpuPlacement: true", path, "cpuRequest: 250m") is None

    def test_the_cluster_says_which_machine_and_eviction(self):
        assert default("{}", "domain.machine.type", "machineType: pc-q35-rhel9.6.0") == "pc-q35-rhel9.6.0"
        assert default("{}", "evictionStrategy", "evictionStrategy: LiveMigrate") == "LiveMigrate"
        assert default("{}", "architecture", architecture="s390x") == "s390x"

    def test_volumes_without_disk_or_filesystem_get_a_disk(self):
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
            ("{}", "network: {defaultNetworkInterface: ''}", [{"name": "default", "bridge": {}}]),
            ("{}", "network: {defaultNetworkInterface: masquerade}", [{"name": "default", "masquerade": {}}]),
            ("domain.devices.autoattachPodInterface: true", "{}", [{"name": "default", "bridge": {}}]),
            ("domain.devices.autoattachPodInterface: false", "{}", None),
            ("networks: [{name: blue, multus: {networkName: n}}]", "{}", None),
            ("domain.devices.interfaces: [{name: x, sriov: {}}]", "{}", [{"name": "x", "sriov": {}}]),
        ],
    )
    def test_interfaces(self, text, config, interfaces):
        assert default(text, "domain.devices.interfaces", config) == interfaces

    def test_the_network_comes_with_the_interface(self):
        assert default("{}", "networks") == [{"name": "default", "pod": {}}]
        assert default("domain.devices.autoattachPodInterface: false", "networks") is None

    @pytest.mark.parametrize(
        ("network", "message"),
        [
            (
                "permitBridgeInterfaceOnPodNetwork: false",
                "the cluster does not permit a bridge interface on the pod network",
            ),
            ("defaultNetworkInterface: slirp", "the cluster's default interface slirp is gone since v1.3"),
        ],
    )
    def test_a_default_that_the_cluster_does_not_permit(self, network, message):
        with pytest.raises(NetworkDefaultError) as error:
            default("{}", "networks", f"network: {{{network}}}")
        assert str(error.value) == message
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
            (
                "livenessProbe: {timeoutSeconds: 2, periodSeconds: 1, successThreshold: 2, failureThreshold: 1}",
                "livenessProbe",
                {"timeoutSeconds": 2, "periodSeconds": 1, "successThreshold": 2, "failureThreshold": 1},
            ),
            (
                "readinessProbe: {timeoutSeconds: -2, periodSeconds: -1, successThreshold: -2, failureThreshold: -1}",
                "readinessProbe",
                {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3},
            ),
            ("domain.clock: {timezone: UTC}", "domain.clock", {"timezone": "UTC"}),
            (
                "domain.devices.disks: [{name: a, lun: {}}]",
                "domain.devices.disks.0",
                {"name": "a", "lun": {"bus": "sata"}},
            ),
            (
                "domain.devices.disks: [{name: a, blockSize: {custom: {logical: 512, physical: 512}}}]",
                "domain.devices.disks.0.blockSize",
                {"custom": {"logical": 512, "physical": 512}},
            ),
            (
                "domain.devices.inputs: [{name: a, type: tablet, bus: virtio}]",
                "domain.devices.inputs.0",
                {"name": "a", "type": "tablet", "bus": "virtio"},
            ),
            (
                "domain.devices.gpus: [{name: a, deviceName: g, virtualGPUOptions: {}}]",
                "domain.devices.gpus",
                [{"name": "a", "deviceName": "g", "virtualGPUOptions": {}}],
            ),
            (
                "domain.features.hyperv: {spinlocks: {spinlocks: 8191}, tlbflush: {}, synictimer: {enabled: false}}",
                "domain.features.hyperv",
                {
                    "spinlocks": {"enabled": True, "spinlocks": 8191},
                    "tlbflush": {"enabled": True},
                    "synictimer": {"enabled": False},
                    "vpindex": {"enabled": True},
                },
            ),
            ("domain.firmware: {uuid: 0d1e}", "domain.firmware.uuid", "0d1e"),
        ],
    )
    def test_default(self, text, path, value):
        assert default(text, path) == value
