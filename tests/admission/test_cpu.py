import pytest

from virtcatalog.kubevirt.admission.cpu import (
    validate_cpu_features,
    validate_dedicated_cpus,
    validate_emulator_thread,
    validate_max_sockets,
)
from virtcatalog.kubevirt.configuration import Configuration

DEDICATED = "Invalid spec.domain.cpu.dedicatedCpuPlacement"
RESOURCES = "Invalid spec.domain.resources"


@pytest.mark.parametrize(
    ("cpu", "resources", "causes"),
    [
        ("cores: 2", "", []),
        ("", "requests: {cpu: 2}", []),
        ("", "limits: {cpu: 2}", []),
        ("cores: 2", "requests: {cpu: 2}, limits: {cpu: 2}", []),
        ("", "", [DEDICATED]),
        ("cores: 2", "requests: {cpu: 3}", [DEDICATED]),
        ("cores: 2, sockets: 2, threads: 2", "requests: {cpu: 8}", []),
        ("", "requests: {cpu: 2}, limits: {cpu: 3}", [DEDICATED]),
        ("", "requests: {cpu: 1500m}", [f"{RESOURCES}.requests.cpu"]),
        ("", "limits: {cpu: 1500m}", [f"{RESOURCES}.limits.cpu"]),
        ("cores: 1, threads: 2", "", []),
        ("cores: 1, threads: 3", "", [DEDICATED]),
        ("cores: 1", "requests: {memory: 1Gi}, limits: {memory: 2Gi}", [f"{RESOURCES}.requests.memory"]),
        ("cores: 1", "requests: {memory: 1Gi}, limits: {memory: 1024Mi}", []),
        ("cores: 1", "requests: {memory: 1Gi}, limits: {memory: 0}", []),
        ("cores: 1", "requests: {memory: 0}, limits: {memory: 1Gi}", []),
        ("cores: 1", "requests: {memory: 1Gi}, limits: {memory: 1}", [f"{RESOURCES}.requests.memory"]),
        ("cores: 1", "requests: {memory: 1}, limits: {memory: 1Gi}", [f"{RESOURCES}.requests.memory"]),
        ("", "requests: {cpu: 1}, limits: {cpu: 3}", [DEDICATED]),
        ("", "requests: {cpu: 3}, limits: {cpu: 1}", [DEDICATED]),
        ("cores: 2", "limits: {cpu: 2}", []),
        ("cores: 2", "limits: {cpu: 3}", [DEDICATED]),
        ("cores: 2", "requests: {cpu: 2}, limits: {cpu: 3}", [DEDICATED]),
        ("cores: 2", "requests: {cpu: 3}, limits: {cpu: 2}", [DEDICATED]),
        ("cores: 2", "requests: {cpu: 3}, limits: {cpu: 3}", [DEDICATED]),
        ("cores: 2", "requests: {cpu: 0}", []),
        ("", "requests: {cpu: 0}, limits: {cpu: 0}", [DEDICATED]),
        ("", "requests: {cpu: 1}", []),
        ("", "limits: {cpu: 1}", []),
        ("cores: 1", "requests: {cpu: 1m}", [f"{RESOURCES}.requests.cpu"]),
        ("cores: 2", "requests: {cpu: -1500m}", []),
        ("cores: 2", "limits: {cpu: -1500m}", []),
        ("cores: 2", "requests: {cpu: -500m}", []),
        ("cores: 2", "requests: {cpu: 1}", [DEDICATED]),
        ("cores: 2", "limits: {cpu: 1}", [DEDICATED]),
    ],
)
def test_dedicated_cpus_are_whole_and_counted_once(causes_of, cpu, resources, causes):
    spec = f"""
    domain.cpu: {{dedicatedCpuPlacement: true, {cpu}}}
    domain.memory.guest: 1Gi
    domain.resources: {{{resources}}}
    """
    assert causes_of(validate_dedicated_cpus, spec) == causes


@pytest.mark.parametrize(
    ("memory", "causes"),
    [
        ("domain.memory.guest: 1Gi", []),
        ("domain.memory.hugepages: {}", []),
        ("domain.resources.limits.memory: 1Gi", []),
        ("domain.resources.requests.memory: 1Gi", []),
        ("domain.memory.guest: 0", [f"{RESOURCES}.limits.memory"]),
        ("domain.memory: {}", [f"{RESOURCES}.limits.memory"]),
        ("hostname: x", [f"{RESOURCES}.limits.memory"]),
    ],
)
def test_dedicated_cpus_need_known_memory(causes_of, memory, causes):
    assert (
        causes_of(validate_dedicated_cpus, f"domain.cpu: {{dedicatedCpuPlacement: true, cores: 1}}\n{memory}") == causes
    )


def test_cores_have_one_thread_on_arm64(causes_of):
    spec = "{architecture: arm64, domain.memory.guest: 1Gi, domain.cpu: {dedicatedCpuPlacement: true, threads: 2}}"
    assert causes_of(validate_dedicated_cpus, spec) == ["Invalid spec.architecture"]


@pytest.mark.parametrize(
    ("architecture", "threads", "number"), [("''", 2, 1), ("''", 1, 0), ("amd64", 2, 0), ("''", 3, 2)]
)
def test_the_cluster_s_architecture_counts_where_a_vm_names_none(causes_of, architecture, threads, number):
    def rule(spec, path, _config):
        return validate_dedicated_cpus(spec, path, Configuration(architecture="arm64"))

    cpu = f"{{dedicatedCpuPlacement: true, threads: {threads}}}"
    spec = f"{{architecture: {architecture}, domain.memory.guest: 1Gi, domain.cpu: {cpu}}}"
    assert len(causes_of(rule, spec)) == number


def test_without_dedicated_cpus_none_of_this_matters(causes_of):
    assert causes_of(validate_dedicated_cpus, "domain.cpu: {cores: 1, threads: 8}") == []


@pytest.mark.parametrize(
    ("dedicated", "causes"), [("true", []), ("false", ["Invalid spec.domain.cpu.isolateEmulatorThread"])]
)
def test_the_emulator_is_isolated_on_dedicated_cpus_only(causes_of, dedicated, causes):
    spec = f"domain.cpu: {{isolateEmulatorThread: true, dedicatedCpuPlacement: {dedicated}}}"
    assert causes_of(validate_emulator_thread, spec) == causes


def test_a_cpu_features_policy_is_known(causes_of):
    policies = ["force", "require", "optional", "disable", "forbid", ""]
    features = ", ".join(f"{{name: x, policy: '{policy}'}}" for policy in policies)
    assert causes_of(validate_cpu_features, f"domain.cpu.features: [{features}]") == []
    assert causes_of(validate_cpu_features, "domain.cpu.features: [{name: x}, {name: y, policy: maybe}]") == [
        "NotSupported spec.domain.cpu.features[1].policy"
    ]


@pytest.mark.parametrize(
    ("cpu", "causes"),
    [
        ("{sockets: 2, maxSockets: 2}", []),
        ("{sockets: 3}", []),
        ("{sockets: 3, maxSockets: 2}", ["Invalid spec.domain.cpu.sockets"]),
    ],
)
def test_sockets_are_within_the_most_that_can_be_plugged(causes_of, cpu, causes):
    assert causes_of(validate_max_sockets, f"domain.cpu: {cpu}") == causes
