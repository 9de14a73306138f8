"""The containers: virt-launcher's own and those beside it."""

import json

import pytest
from podding import GUEST, compute, named, names, pod, spec

DISK = """
domain: {memory: {guest: 1Gi}, devices: {disks: [{name: root}]}}
volumes: [{name: root, containerDisk: {image: i:1, imagePullPolicy: Always}}]
"""
KERNEL = """
domain:
  memory: {guest: 1Gi}
  firmware: {kernelBoot: {container: {image: k:1, kernelPath: /k}}}
  devices: {}
"""
NO_IMAGES = "developerConfiguration: {disabledFeatureGates: [ImageVolume]}"
PINNED = "cpu: {cores: 1, dedicatedCpuPlacement: true}, "


def flags(template=GUEST, **conditions):
    return compute(template, **conditions)["command"]


def environment(container):
    return {variable["name"]: variable.get("value") for variable in container["env"]}


@pytest.mark.parametrize(
    ("conditions", "flag", "is_given"),
    [
        ({}, "--run-as-nonroot", True),
        ({"gates": ["Root"]}, "--run-as-nonroot", False),
        ({}, "--image-volume", True),
        ({"config": NO_IMAGES}, "--image-volume", False),
        ({"gates": ["VMStatsCollector"]}, "--vm-stats-collector", True),
        ({"config": "developerConfiguration: {useEmulation: true}"}, "--allow-emulation", True),
        ({"annotations": {"kubevirt.io/keep-launcher-alive-after-failure": ""}}, "--keep-after-failure", True),
        ({"annotations": {"kubevirt.io/keep-launcher-alive-after-failure": "false"}}, "--keep-after-failure", False),
        ({"annotations": {"kubevirt.io/func-test-virt-launcher-fail-fast": ""}}, "--simulate-crash", True),
        ({"release": "v1.7.4"}, "--hypervisor", False),
        ({"release": "v1.8.4"}, "--hypervisor", True),
    ],
)
def test_flags(conditions, flag, is_given):
    assert (flag in flags(**conditions)) is is_given


def test_filters_of_libvirts_log():
    command = flags(annotations={"kubevirt.io/libvirt-log-filters": "1:qemu"})
    assert command[command.index("--libvirt-log-filters") + 1] == "1:qemu"


@pytest.mark.parametrize(
    ("labels", "config", "expected"),
    [
        ({}, "{}", {}),
        ({"logVerbosity": "2"}, "{}", {"VIRT_LAUNCHER_LOG_VERBOSITY": "2"}),
        (
            {"logVerbosity": "6"},
            "{}",
            {"VIRT_LAUNCHER_LOG_VERBOSITY": "6", "LIBVIRT_DEBUG_LOGS": "1", "VIRTIOFSD_DEBUG_LOGS": "1"},
        ),
        ({}, "developerConfiguration: {logVerbosity: {virtLauncher: 4}}", {"VIRT_LAUNCHER_LOG_VERBOSITY": "4"}),
        ({"debugLogs": "True"}, "{}", {"LIBVIRT_DEBUG_LOGS": "1"}),
        ({"virtiofsdDebugLogs": "true"}, "{}", {"VIRTIOFSD_DEBUG_LOGS": "1"}),
    ],
)
def test_how_much_is_logged(labels, config, expected):
    pod_spec = spec(labels=labels, config=config)
    variables = environment(pod_spec["containers"][0])
    assert {key: text for key, text in variables.items() if "LOG" in key} == expected
    verbosity = environment(named(pod_spec["initContainers"], "guest-console-log"))["VIRT_LAUNCHER_LOG_VERBOSITY"]
    assert verbosity == expected.get("VIRT_LAUNCHER_LOG_VERBOSITY", "2")


def test_capabilities():
    assert compute()["securityContext"] == {
        "runAsUser": 107,
        "runAsGroup": 107,
        "runAsNonRoot": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]},
    }
    assert compute(gates=["Root"])["securityContext"] == {
        "runAsUser": 0,
        "runAsNonRoot": False,
        "capabilities": {"add": ["NET_BIND_SERVICE", "SYS_NICE"]},
    }


def test_ports_of_all_interfaces():
    interface = "{name: n, masquerade: {}, ports: [{port: 80}, {port: 53, name: dns, protocol: UDP}]}"
    devices = f"devices: {{interfaces: [{interface}]}}"
    template = f"domain: {{memory: {{guest: 1Gi}}, {devices}}}\nnetworks: [{{name: n, pod: {{}}}}]"
    assert compute(template)["ports"] == [
        {"containerPort": 80, "protocol": "TCP"},
        {"name": "dns", "containerPort": 53, "protocol": "UDP"},
    ]


@pytest.mark.parametrize(
    ("probe", "expected"),
    [
        (
            "{httpGet: {port: 80}, initialDelaySeconds: 2147483647}",
            {"httpGet": {"port": 80}, "initialDelaySeconds": -(2**31) + 9, "timeoutSeconds": 1},
        ),
        (
            "{httpGet: {port: 80, path: /up}, initialDelaySeconds: 5}",
            {"httpGet": {"port": 80, "path": "/up"}, "initialDelaySeconds": 15, "timeoutSeconds": 1},
        ),
        ("{tcpSocket: {port: 22}, timeoutSeconds: 4}", {"tcpSocket": {"port": 22}, "timeoutSeconds": 4}),
        (
            "{exec: {command: [cat, /x]}, timeoutSeconds: 3}",
            {
                "exec": {
                    "command": [
                        *("virt-probe", "--domainName", "ns_vm", "--timeoutSeconds", "3"),
                        *("--command", "cat", "--", "/x"),
                    ]
                },
                "timeoutSeconds": 4,
            },
        ),
        ("{exec: {command: [virt-probe, x]}}", {"exec": {"command": ["virt-probe", "x"]}, "timeoutSeconds": 1}),
        (
            "{guestAgentPing: {}, failureThreshold: 9}",
            {
                "exec": {
                    "command": ["virt-probe", "--domainName", "ns_vm", "--timeoutSeconds", "1", "--guestAgentPing"]
                },
                "timeoutSeconds": 2,
                "failureThreshold": 9,
            },
        ),
    ],
    ids=["delay that overflows", "http", "tcp", "command", "own virt-probe", "agent"],
)
def test_probes_wait_for_libvirt_and_go_through_virt_probe(probe, expected):
    defaults = {"initialDelaySeconds": 10, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
    container = compute(f"{GUEST}\nlivenessProbe: {probe}\nreadinessProbe: {probe}")
    assert container["livenessProbe"] == container["readinessProbe"] == {**defaults, **expected}


def test_container_disks_are_volumes_of_images():
    pod_spec = spec(DISK)
    assert names(pod_spec["containers"]) == ["compute"]
    assert names(pod_spec["initContainers"]) == ["guest-console-log", "volumeroot"]
    assert named(pod_spec["volumes"], "root")["image"] == {"reference": "i:1", "pullPolicy": "Always"}
    assert (
        named(pod_spec["containers"][0]["volumeMounts"], "root")["mountPath"] == "/var/run/kubevirt-image-volume/disk_0"
    )


def test_or_containers_that_hand_them_over():
    pod_spec = spec(DISK, config=NO_IMAGES)
    assert names(pod_spec["containers"]) == ["compute", "volumeroot"]
    assert names(pod_spec["initContainers"]) == ["guest-console-log", "container-disk-binary", "volumeroot-init"]
    assert pod_spec["containers"][1]["args"][1].endswith("/disk_0")
    assert named(pod_spec["initContainers"], "container-disk-binary")["command"][1] == "--preserve=all"
    older = spec(DISK, release="v1.7.4")
    assert named(older["initContainers"], "container-disk-binary")["command"][1] == "/usr/bin/container-disk"


def test_the_kernel_that_is_booted():
    assert names(spec(KERNEL)["initContainers"]) == ["guest-console-log", "volumekernel-boot-volume"]
    pod_spec = spec(KERNEL, config=NO_IMAGES)
    assert names(pod_spec["containers"]) == ["compute", "volumekernel-boot-volume"]
    assert pod_spec["containers"][1]["args"][1].endswith("/kernel-boot")


@pytest.mark.parametrize(
    ("pinned", "config", "requests", "limits"),
    [
        ("", "{}", ("5m", "35M"), ("15m", "60M")),
        (PINNED, "{}", ("15m", "60M"), ("15m", "60M")),
        ("", "requests: {cpu: 7m}, limits: {memory: 70M, cpu: 0}", ("7m", "35M"), ("15m", "70M")),
        (PINNED, "limits: {cpu: 20m}", ("20m", "60M"), ("20m", "60M")),
    ],
    ids=["as they are", "pinned", "configured", "configured and pinned"],
)
def test_resources_of_support_containers(pinned, config, requests, limits):
    if config != "{}":
        config = f"supportContainerResources: [{{type: guest-console-log, resources: {{{config}}}}}]"
    pod_spec = spec(f"domain: {{{pinned}memory: {{guest: 1Gi}}, devices: {{}}}}", config=config)
    resources = named(pod_spec["initContainers"], "guest-console-log")["resources"]
    assert (resources["requests"]["cpu"], resources["requests"]["memory"]) == requests
    assert (resources["limits"]["cpu"], resources["limits"]["memory"]) == limits


@pytest.mark.parametrize(
    ("devices", "config", "logged"),
    [
        ("", "{}", True),
        ("autoattachSerialConsole: false", "{}", False),
        ("logSerialConsole: false", "{}", False),
        ("", "virtualMachineOptions: {disableSerialConsoleLog: {}}", False),
        ("logSerialConsole: true", "virtualMachineOptions: {disableSerialConsoleLog: {}}", True),
    ],
)
def test_the_log_of_the_serial_console(devices, config, logged):
    pod_spec = spec(f"domain: {{memory: {{guest: 1Gi}}, devices: {{{devices}}}}}", config=config)
    assert ("initContainers" in pod_spec) is logged


VIRTIOFS = """
domain: {memory: {guest: 1Gi}, devices: {filesystems: [
  {name: c, virtiofs: {}}, {name: t, virtiofs: {}}, {name: d, virtiofs: {}}]}}
volumes:
- {name: c, configMap: {name: x}}
- {name: t, serviceAccount: {serviceAccountName: robot}}
- {name: d, persistentVolumeClaim: {claimName: data}}
"""


def test_virtiofs():
    gates = ["EnableVirtioFsStorageVolumes", "EnableVirtioFsConfigVolumes"]
    pod_spec = spec(VIRTIOFS, gates=gates)
    daemons = pod_spec["containers"][1:]
    assert names(daemons) == ["virtiofs-c", "virtiofs-t", "virtiofs-d"]
    assert [daemon["args"][1] for daemon in daemons] == [
        "--shared-dir=/var/run/kubevirt-private/config-map/c",
        "--shared-dir=/var/run/secrets/kubernetes.io/serviceaccount/",
        "--shared-dir=/d",
    ]
    assert [names(daemon["volumeMounts"])[1:] for daemon in daemons] == [["c"], [], ["d"]]
    assert daemons[1]["args"][-1] == "--translate-uid=host:107:0:1"
    assert spec(VIRTIOFS, gates=gates, release="v1.8.4")["containers"][2]["args"][-1] == "--migration-mode=find-paths"


HOOKS = "hooks.kubevirt.io/hookSidecars"


def sidecars(hooks, template=GUEST, **conditions):
    return pod(template, annotations={HOOKS: json.dumps(hooks)}, gates=["Sidecar"], **conditions)["spec"]


def test_sidecars_of_the_annotation():
    hooks = [
        {"IMAGE": "s:1", "imagePullPolicy": "Always", "args": ["--x"], "unknown": 1, "pvc": None},
        {"configMap": {"name": "script", "key": "run.sh", "hookPath": "/usr/bin/onDefineDomain"}},
        {"pvc": {"name": "data", "volumePath": "/data", "sharedComputePath": "/shared"}},
    ]
    pod_spec = sidecars(hooks)
    first, second, third = pod_spec["containers"][1:]
    assert (first["name"], first["image"], first["imagePullPolicy"], first["args"]) == (
        "hook-sidecar-0",
        "s:1",
        "Always",
        ["--x"],
    )
    assert second["image"] == "quay.io/kubevirt/sidecar-shim:v1.9.0"
    assert second["volumeMounts"][1] == {"name": "script", "mountPath": "/usr/bin/onDefineDomain", "subPath": "run.sh"}
    assert third["volumeMounts"][0]["subPath"] == "hook-sidecar-2"
    assert named(pod_spec["volumes"], "script")["configMap"] == {"name": "script", "defaultMode": 0o755}
    assert named(third["volumeMounts"], "data") == {"name": "data", "mountPath": "/data"}
    assert named(pod_spec["containers"][0]["volumeMounts"], "data")["mountPath"] == "/shared"
    command = pod_spec["containers"][0]["command"]
    assert command[command.index("--hook-sidecars") + 1] == "3"
    assert first["resources"] == {}


def test_pinned_sidecars():
    pod_spec = sidecars([{"image": "s"}], f"domain: {{{PINNED}memory: {{guest: 1Gi}}, devices: {{}}}}")
    amounts = {"cpu": "200m", "memory": "64M"}
    assert pod_spec["containers"][1]["resources"] == {"requests": amounts, "limits": amounts}


def test_sidecars_of_plugins():
    config = "network: {binding: {p: {sidecarImage: s, downwardAPI: device-info}}}"
    template = """
domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: a, binding: {name: p}}, {name: b, binding: {name: p}}]}}
networks: [{name: a, pod: {}}, {name: b, multus: {networkName: n}}]
"""
    pod_spec = spec(template, config=config)
    (sidecar,) = pod_spec["containers"][1:]
    assert environment(sidecar)["NETWORK_BINDING_PLUGIN_NAME"] == "p"
    assert "network-info-annotation" in names(sidecar["volumeMounts"])
    older = spec(template, config=config, release="v1.8.4")
    assert "NETWORK_BINDING_PLUGIN_NAME" not in environment(older["containers"][1])


def test_dockers_categories_are_taken_from_all_but_virt_launcher():
    pod_spec = sidecars([{"image": "s"}], config="{selinuxLauncherType: t}")
    assert "seLinuxOptions" not in pod_spec["containers"][1]["securityContext"]
    gates = ["DockerSELinuxMCSWorkaround", "Sidecar"]
    pod_spec = pod(annotations={HOOKS: '[{"image": "s"}]'}, gates=gates)["spec"]["containers"]
    assert pod_spec[1]["securityContext"]["seLinuxOptions"] == {"level": "s0"}
    assert "seLinuxOptions" not in pod_spec[0]["securityContext"]
