"""What of a VM and its cluster comes into the Pod: one case for each rule, whose snapshot is all that it changes."""

import pytest
from podding import GUEST, expanded

PROBE = "{exec: {command: ['true']}}"
PING = "{guestAgentPing: {}}"
PERMITTED = """
permittedHostDevices:
  pciHostDevices: [{pciVendorSelector: '1:2', resourceName: x/y}]
  mediatedDevices: [{mdevNameSelector: m, resourceName: x/m}]
"""


def guest(text="", devices="", more=""):
    """A template with 1Gi of memory."""
    between = ", " if text else ""
    return f"domain: {{memory: {{guest: 1Gi}}, devices: {{{devices}}}{between}{text}}}\n{more}"


def resources(requests="", limits="", more=""):
    return f"domain: {{devices: {{}}, resources: {{requests: {{{requests}}}, limits: {{{limits}}}}}{more}}}"


def volumes(source, disk="disk: {}", more=""):
    return guest(devices=f"disks: [{{name: v, {disk}}}]", more=f"volumes: [{{name: v, {source}}}]\n{more}")


def network(interface, networks="{name: n, multus: {networkName: lan}}"):
    return guest(devices=f"interfaces: [{interface}]", more=f"networks: [{networks}]")


def quota(*limits, labels="{}"):
    hard = ", ".join(f"limits.{limit}: 100Gi" for limit in limits)
    return f"""
- {{apiVersion: v1, kind: ResourceQuota, metadata: {{name: q, namespace: ns}}, spec: {{hard: {{{hard}}}}}}}
- {{apiVersion: v1, kind: Namespace, metadata: {{name: ns, labels: {labels}}}}}
"""


def hooks(text):
    return {"gates": ["Sidecar"], "annotations": {"hooks.kubevirt.io/hookSidecars": text}}


def plugins(text):
    return {"config": f"network: {{binding: {text}}}"}


EVEN = {"alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity": ""}
RATIO = "alpha.kubevirt.io/auto-memory-limits-ratio"
TWO_PLUGINS = network(
    "{name: b, binding: {name: q}}, {name: n, binding: {name: p}}, {name: c, binding: {name: p}}",
    "{name: n, pod: {}}, {name: b, multus: {networkName: x}}, {name: c, multus: {networkName: y}}",
)
BOOT = "firmware: {kernelBoot: {container: {image: k, kernelPath: /k, imagePullSecret: s, imagePullPolicy: Always}}}"
DISK = "containerDisk: {image: d, imagePullSecret: s}"
HYPERV = ["runtime", "reset", "frequencies", "tlbflush", "ipi", "vpindex", "synic", "synictimer"]
ENLIGHTENED = ": {}, ".join([*HYPERV, ""])
NO_IMAGES = "developerConfiguration: {disabledFeatureGates: [ImageVolume]}"

CASES = {
    # Memory
    "liveness by command": (guest(more=f"livenessProbe: {PROBE}"), {}),
    "readiness by command": (guest(more=f"livenessProbe: {PING}\nreadinessProbe: {PROBE}"), {}),
    "downward metrics": (
        volumes("downwardMetrics: {}", "disk: {bus: virtio}"),
        {"gates": ["DownwardMetrics"]},
    ),
    "requested memory": (resources("memory: 2Gi"), {}),
    "limited memory": (resources("", "memory: 2Gi"), {}),
    "requested and limited memory": (resources("memory: 2Gi", "memory: 4Gi"), {}),
    "requested memory beside the guest's": (
        resources("memory: 2Gi", "", ", memory: {guest: 1Gi}"),
        {},
    ),
    "pages alone": ("domain: {memory: {hugepages: {pageSize: 1Gi}}, devices: {}}", {}),
    "more memory than the guest's pages": (
        resources("memory: 2Gi", "memory: 3Gi", ", memory: {guest: 1Gi, hugepages: {pageSize: 2Mi}}"),
        {},
    ),
    "overcommitted memory": (GUEST, {"config": "developerConfiguration: {memoryOvercommit: 150}"}),
    "overhead that is no number": (GUEST, {"config": "additionalGuestMemoryOverheadRatio: x"}),
    "overhead that stays": (GUEST, {"config": "additionalGuestMemoryOverheadRatio: '1.000000001'"}),
    "as much overhead as can be counted": (GUEST, {"config": "additionalGuestMemoryOverheadRatio: '3.2e10'"}),
    "more overhead than can be counted": (GUEST, {"config": "additionalGuestMemoryOverheadRatio: '3.3e10'"}),
    "less than no overhead": (GUEST, {"config": "additionalGuestMemoryOverheadRatio: '-3.2e10'"}),
    "even less overhead": (GUEST, {"config": "additionalGuestMemoryOverheadRatio: '-3.3e10'"}),
    "less overhead": (GUEST, {"config": "additionalGuestMemoryOverheadRatio: '0.5'"}),
    "guaranteed, with limited memory": (resources("cpu: 1", "cpu: 1, memory: 1Gi"), {}),
    "not guaranteed in memory": (resources("cpu: 1, memory: 1Gi", "cpu: 1, memory: 2Gi"), {}),
    "not guaranteed in CPUs": (resources("cpu: 1, memory: 1Gi", "cpu: 2, memory: 1Gi"), {}),
    "ephemeral storage": (resources("memory: 1Gi, ephemeral-storage: 1Gi", "ephemeral-storage: 2Gi"), {}),
    "a quota of memory": (GUEST, {"objects": quota("memory")}),
    "a quota of memory, with a ratio": (GUEST, {"objects": quota("memory", labels=f"{{{RATIO}: '1.25'}}")}),
    "a quota of memory, with a ratio below 1": (GUEST, {"objects": quota("memory", labels=f"{{{RATIO}: '0.5'}}")}),
    "a quota of memory, with a ratio of 1": (GUEST, {"objects": quota("memory", labels=f"{{{RATIO}: '1'}}")}),
    "a quota of CPUs": (guest("cpu: {cores: 3}"), {"objects": quota("cpu")}),
    "limits of CPUs by the namespace": (
        guest("cpu: {cores: 3}"),
        {
            "config": "autoCPULimitNamespaceLabelSelector: {matchLabels: {limit: cpu}}",
            "objects": "[{apiVersion: v1, kind: Namespace, metadata: {name: ns, labels: {limit: cpu}}}]",
        },
    ),
    "limits of CPUs by another namespace": (
        guest("cpu: {cores: 3}"),
        {
            "config": "autoCPULimitNamespaceLabelSelector: {matchLabels: {limit: cpu}}",
            "objects": "[{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {limit: cpu}}}]",
        },
    ),
    "limits of CPUs by a bad selector": (
        guest("cpu: {cores: 3}"),
        {"config": "autoCPULimitNamespaceLabelSelector: {matchExpressions: [{key: a, operator: Is}]}"},
    ),
    "a quota of what is limited": (
        resources("", "cpu: 2, memory: 2Gi"),
        {"objects": quota("cpu", "memory")},
    ),
    # CPUs
    "one CPU at a time": (guest("cpu: {cores: 3}"), {"config": "developerConfiguration: {cpuAllocationRatio: 1}"}),
    "a third of a CPU": (guest("cpu: {cores: 1}"), {"config": "developerConfiguration: {cpuAllocationRatio: 3}"}),
    "ten CPUs at a third": (guest("cpu: {cores: 10}"), {"config": "developerConfiguration: {cpuAllocationRatio: 3}"}),
    "threads for IO": (guest("ioThreadsPolicy: supplementalPool, ioThreads: {supplementalPoolThreadCount: 2}"), {}),
    "dedicated CPUs": (guest("cpu: {cores: 2, sockets: 2, dedicatedCpuPlacement: true}"), {}),
    "a dedicated CPU for the emulator": (
        guest("cpu: {cores: 2, dedicatedCpuPlacement: true, isolateEmulatorThread: true}"),
        {},
    ),
    "an even number of dedicated CPUs": (
        guest("cpu: {cores: 2, dedicatedCpuPlacement: true, isolateEmulatorThread: true}"),
        {"annotations": EVEN},
    ),
    "an odd number of dedicated CPUs, made even": (
        guest("cpu: {cores: 3, dedicatedCpuPlacement: true, isolateEmulatorThread: true}"),
        {"annotations": EVEN},
    ),
    "dedicated CPUs and threads for IO": (
        guest(
            "cpu: {cores: 2, dedicatedCpuPlacement: true}, "
            "ioThreadsPolicy: supplementalPool, ioThreads: {supplementalPoolThreadCount: 2}"
        ),
        {},
    ),
    "features of CPUs": (
        guest("cpu: {model: M, features: [{name: a}, {name: b, policy: require}, {name: c, policy: forbid}]}"),
        {},
    ),
    "features of host-model": (guest("cpu: {features: [{name: a}, {name: b, policy: optional}]}"), {}),
    # Devices
    "emulation": (GUEST, {"config": "developerConfiguration: {useEmulation: true}"}),
    "no network": (guest(devices="autoattachPodInterface: false"), {}),
    "another NIC": (network("{name: n, masquerade: {}, model: e1000e}", "{name: n, pod: {}}"), {}),
    "VSOCK": (guest(devices="autoattachVSOCK: true"), {"gates": ["VSOCK"]}),
    "IOMMUFD": (GUEST, {"gates": ["IOMMUFD"]}),
    "two devices of a kind": (
        guest(devices="hostDevices: [{name: a, deviceName: x/y}, {name: b, deviceName: x/y}]"),
        {"config": PERMITTED, "gates": ["HostDevices"]},
    ),
    "a mediated GPU": (guest(devices="gpus: [{name: a, deviceName: x/m}]"), {"config": PERMITTED}),
    "a device that is not permitted": (
        guest(devices="hostDevices: [{name: a, deviceName: x/y}, {name: b, deviceName: x/z}]"),
        {"config": PERMITTED, "gates": ["HostDevices"]},
    ),
    "claims of GPUs and devices": (
        guest(
            devices="gpus: [{name: a, claimName: c, requestName: g}], "
            "hostDevices: [{name: b, claimName: c, requestName: h}]",
            more="resourceClaims: [{name: c, resourceClaimName: r}]",
        ),
        {"gates": ["GPUsWithDRA", "HostDevices", "HostDevicesWithDRA"]},
    ),
    "SNP": (
        guest("launchSecurity: {snp: {}}, firmware: {bootloader: {efi: {secureBoot: false}}}"),
        {"gates": ["WorkloadEncryptionSEV"]},
    ),
    "Secure Execution": (
        guest("launchSecurity: {}"),
        {"architecture": "s390x", "gates": ["SecureExecution"]},
    ),
    # Nodes
    "enlightenments": (guest(f"features: {{hyperv: {{{ENLIGHTENED}}}}}"), {"gates": ["HypervStrictCheck"]}),
    "enlightenments that are off": (
        guest("features: {hyperv: {runtime: {enabled: false}}}"),
        {"gates": ["HypervStrictCheck"]},
    ),
    "an architecture for its nodes": (GUEST, {"gates": ["CrossArchitectureVirtualization"]}),
    "another architecture for its nodes": (
        GUEST,
        {"architecture": "arm64", "gates": ["CrossArchitectureVirtualization"]},
    ),
    "a machine type": (guest("machine: {type: pc-q35-9}"), {}),
    "spread": (
        guest(
            more="topologySpreadConstraints: "
            "[{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]"
        ),
        {},
    ),
    # Networks
    "two networks": (
        network(
            "{name: a, masquerade: {}}, {name: n, bridge: {}, macAddress: '02:00:00:00:00:01'}",
            "{name: a, pod: {}}, {name: n, multus: {networkName: other/lan}}",
        ),
        {},
    ),
    "a default network": (
        network("{name: n, bridge: {}}", "{name: n, multus: {networkName: other/lan, default: true}}"),
        {},
    ),
    "networks of plugins": (
        TWO_PLUGINS,
        plugins("{p: {networkAttachmentDefinition: space/p}, q: {networkAttachmentDefinition: q, sidecarImage: s}}"),
    ),
    "sidecars of plugins": (
        TWO_PLUGINS,
        plugins(
            "{p: {sidecarImage: i, downwardAPI: device-info, computeResourceOverhead: {requests: {memory: 1Mi}}}, "
            "q: {sidecarImage: j, computeResourceOverhead: {requests: {cpu: 1}}}}"
        ),
    ),
    "ports": (
        network(
            "{name: n, masquerade: {}, ports: [{port: 80}, {name: dns, port: 53, protocol: UDP}]}",
            "{name: n, pod: {}}",
        ),
        {},
    ),
    # Sidecars
    "a sidecar by its annotation": (
        GUEST,
        hooks(
            '[{"Image": "i", "imagePullPolicy": "Always", "command": ["c"], "args": ["a"], "plugin": "no"}, '
            'null, {"configMap": {"name": "m", "key": "k", "hookPath": "/h"}}, '
            '{"configMap": {"name": "m2", "hookPath": "/h"}, '
            '"pvc": {"name": "c", "volumePath": "/v", "sharedComputePath": "/s"}}]'
        ),
    ),
    "no sidecars": (GUEST, hooks("null")),
    "sidecars of root": (GUEST, {**hooks('[{"image": "i"}]'), "gates": ["Sidecar", "Root"]}),
    "resources of support containers": (
        guest(
            devices="disks: [{name: v}], filesystems: [{name: f, virtiofs: {}}]",
            more=f"volumes: [{{name: v, {DISK}}}, {{name: f, configMap: {{name: c}}}}]",
        ),
        {
            "config": "supportContainerResources: ["
            "{type: container-disk, resources: {requests: {cpu: 2m}, limits: {memory: 50M}}}, "
            "{type: virtiofs, resources: {limits: {cpu: 0}}}, {type: virtiofs, resources: {limits: {cpu: 7m}}}]",
            "gates": ["EnableVirtioFsConfigVolumes"],
        },
    ),
    # Containers
    "a kernel and a disk by containers": (
        volumes(DISK).replace("domain: {", f"domain: {{{BOOT}, "),
        {"config": NO_IMAGES},
    ),
    "a kernel and a disk by containers, of dedicated CPUs": (
        volumes(DISK).replace("domain: {", f"domain: {{{BOOT}, cpu: {{cores: 1, dedicatedCpuPlacement: true}}, "),
        {"config": NO_IMAGES},
    ),
    "a kernel and a disk by containers, of root": (
        volumes(DISK).replace("domain: {", f"domain: {{{BOOT}, "),
        {"config": NO_IMAGES, "gates": ["Root"]},
    ),
    "a kernel by an image": (guest(BOOT), {}),
    "a token of a service account": (
        guest(
            devices="filesystems: [{name: f, virtiofs: {}}]",
            more="volumes: [{name: f, serviceAccount: {serviceAccountName: a}}]",
        ),
        {"gates": ["EnableVirtioFsConfigVolumes"]},
    ),
    "no console": (guest(devices="autoattachSerialConsole: false"), {}),
    "no log of the console": (guest(devices="logSerialConsole: false"), {}),
    "no logs of consoles": (GUEST, {"config": "virtualMachineOptions: {disableSerialConsoleLog: {}}"}),
    "the log of one console": (
        guest(devices="logSerialConsole: true"),
        {"config": "virtualMachineOptions: {disableSerialConsoleLog: {}}"},
    ),
    "a talkative launcher": (GUEST, {"config": "developerConfiguration: {logVerbosity: {virtLauncher: 6}}"}),
    "a launcher that talks as far as 5": (
        GUEST,
        {"config": "developerConfiguration: {logVerbosity: {virtLauncher: 5}}"},
    ),
    "verbosity by label": (GUEST, {"labels": {"logVerbosity": "-1", "debugLogs": "True"}}),
    **{
        f"verbosity {number}": (GUEST, {"labels": {"logVerbosity": number}})
        for number in ("+3", "9223372036854775807", "-9223372036854775808", "-9223372036854775809", "3.0", "-")
    },
    "verbosity of a 64-bit number": (GUEST, {"labels": {"logVerbosity": "9223372036854775808"}}),
    "an emulated launcher that stays": (
        GUEST,
        {
            "config": "developerConfiguration: {useEmulation: true}",
            "annotations": {"kubevirt.io/keep-launcher-alive-after-failure": "true"},
        },
    ),
    "a launcher that does not stay": (
        GUEST,
        {"annotations": {"kubevirt.io/keep-launcher-alive-after-failure": "false"}},
    ),
    "a launcher that crashes": (GUEST, {"annotations": {"kubevirt.io/func-test-virt-launcher-fail-fast": "x"}}),
    "a probe over HTTP": (
        guest(
            more="livenessProbe: {httpGet: {port: 80}, initialDelaySeconds: -10, timeoutSeconds: 3, periodSeconds: 1, "
            "failureThreshold: 1, successThreshold: 1}\nreadinessProbe: {tcpSocket: {port: 1}, failureThreshold: 5}"
        ),
        {},
    ),
    "a probe of virt-probe's own": (guest(more="livenessProbe: {exec: {command: [virt-probe, a]}}"), {}),
    "a probe with a timeout": (guest(more="livenessProbe: {guestAgentPing: {}, timeoutSeconds: 5}"), {}),
    "no grace": (guest(more="terminationGracePeriodSeconds: 0"), {}),
    "every mode of the launcher": (
        GUEST,
        {"gates": ["VGPULiveMigration", "VMStatsCollector", "FirmwareAutoSelection"]},
    ),
    "no mode of the launcher": (
        GUEST,
        {
            "config": "developerConfiguration: {disabledFeatureGates: "
            "[ImageVolume, LibvirtHooksServerAndClient, PodSecondaryInterfaceNamingUpgrade]}"
        },
    ),
    "another hypervisor": (
        GUEST,
        {"config": "hypervisors: [{name: hyperv-direct}]", "gates": ["ConfigurableHypervisor"]},
    ),
    "a limit for the check of disks": (
        GUEST,
        {"config": "developerConfiguration: {diskVerification: {memoryLimit: 1Gi}}"},
    ),
    # Volumes
    "an ephemeral volume that is read": (
        volumes("ephemeral: {persistentVolumeClaim: {claimName: c, readOnly: true}}"),
        {},
    ),
    "an ephemeral volume without a claim": (volumes("ephemeral: {}"), {}),
    "fields of the Pod": (
        volumes("downwardAPI: {fields: [{path: p, fieldRef: {fieldPath: metadata.name}}]}"),
        {},
    ),
    "a ConfigMap that may be missing": (volumes("configMap: {name: c, optional: true}"), {}),
    "an answer file by a secret": (volumes("sysprep: {secret: {name: s}}", "cdrom: {}"), {}),
    "a disk of the host": (volumes("hostDisk: {path: /a/b.img, type: Disk}"), {"gates": ["HostDisk"]}),
    "state of UEFI, of root": (
        guest("firmware: {bootloader: {efi: {persistent: true, secureBoot: false}}}"),
        {"gates": ["Root"]},
    ),
    "state of a TPM": (guest(devices="tpm: {persistent: true}"), {}),
    "a TPM that is off": (guest(devices="tpm: {enabled: false}"), {}),
    "no hotplug": (guest(devices="disableHotplug: true"), {}),
    "a reserved LUN": (
        volumes("persistentVolumeClaim: {claimName: c}", "lun: {reservation: true}"),
        {"gates": ["PersistentReservation"]},
    ),
    # Names and services
    "names": (guest(more="hostname: h\nsubdomain: s\ndnsPolicy: Default\ndnsConfig: {searches: [a.example]}"), {}),
    "a service account": (guest(more="volumes: [{name: v, serviceAccount: {serviceAccountName: a}}]"), {}),
    "a service account of the VM": (guest(more="serviceAccountName: a"), {}),
    "an injected proxy": (GUEST, {"annotations": {"sidecar.istio.io/inject": "TRUE"}}),
    "what the configuration has of Pods": (
        GUEST,
        {"config": "{imagePullPolicy: Never, defaultRuntimeClass: r, developerConfiguration: {nodeSelectors: {a: b}}}"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_by_its_snapshot(case):
    template, conditions = CASES[case]
    expanded(template, **conditions)
