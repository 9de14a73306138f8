"""What a preference requires of the VM, of its instance type before all."""

import pytest
from reading import read_instancetype, read_preference, read_vmi

from virtcatalog.errors import Cause
from virtcatalog.kubevirt.preference.requirements import check_requirements, is_lack_of_size

CPU = "spec.template.spec.domain.cpu"


def lacks(preference, vmi="{}", instancetype=None):
    typed = read_instancetype(instancetype) if instancetype else None
    causes = check_requirements(typed, read_preference(preference), read_vmi(vmi)[0])
    assert {cause.type for cause in causes} <= {"FieldValueNotFound"}
    return [cause.field for cause in causes]


@pytest.mark.parametrize(
    ("preference", "vmi", "instancetype", "message"),
    [
        ("cpu: {guest: 4}", "{}", None, "4 vCPUs, the VM gives none"),
        ("cpu: {guest: 4}", "{}", "cpu: {guest: 2}", "4 vCPUs, there are 2"),
        ("cpu: {guest: 4}", "domain: {cpu: {sockets: 3}}", None, "4 vCPUs as sockets, there are 3"),
        ("memory: {guest: 2Gi}", "{}", None, "2Gi memory, there are 0"),
        ("memory: {guest: 2Gi}", "{}", "memory: {guest: 1Gi}", "2Gi memory, there are 1Gi"),
        ("architecture: arm64", "architecture: amd64", None, "architecture arm64, the VM has amd64"),
    ],
)
def test_what_is_said_of_a_lack(preference, vmi, instancetype, message):
    typed = read_instancetype(instancetype) if instancetype else None
    wanted = read_preference(f"requirements: {{{preference}}}")
    (cause,) = check_requirements(typed, wanted, read_vmi(vmi)[0])
    assert cause.message == f"the preference requires {message}"


@pytest.mark.parametrize(
    ("requirement", "vmi", "instancetype", "of_size"),
    [
        ("cpu: {guest: 4}", "{}", None, True),
        ("cpu: {guest: 4}", "domain: {cpu: {sockets: 3}}", None, True),
        ("memory: {guest: 2Gi}", "{}", None, True),
        ("memory: {guest: 4Gi}", "{}", "{}", False),
        ("architecture: arm64", "architecture: amd64", None, False),
    ],
)
def test_a_lack_of_size_is_that_of_a_vm_without_an_instance_type(requirement, vmi, instancetype, of_size):
    typed = read_instancetype(instancetype) if instancetype else None
    causes = check_requirements(typed, read_preference(f"requirements: {{{requirement}}}"), read_vmi(vmi)[0])
    assert is_lack_of_size(causes) is of_size
    assert not is_lack_of_size([*causes, Cause("FieldValueInvalid", CPU, "")])


@pytest.mark.parametrize(
    ("topology", "cpu", "fields"),
    [
        ("sockets", "sockets: 4", None),
        ("sockets", "sockets: 3, cores: 8", "sockets"),
        ("preferSockets", "cores: 8", "sockets"),
        ("cores", "cores: 4", None),
        ("cores", "sockets: 8", "cores"),
        ("threads", "threads: 4", None),
        ("threads", "sockets: 8", "threads"),
        ("any", "sockets: 2, cores: 1, threads: 2", None),
        ("any", "sockets: 3, cores: 1, threads: 1", "cores sockets threads"),
        ("any", "sockets: 8", "cores sockets threads"),
        ("spread", "sockets: 2, cores: 2", None),
        ("spread", "sockets: 1, cores: 2, threads: 8", "sockets cores"),
        ("spread, spreadOptions: {across: CoresThreads}", "cores: 2, threads: 2", None),
        ("spread, spreadOptions: {across: CoresThreads}", "sockets: 8, cores: 2, threads: 1", "cores threads"),
        ("spread, spreadOptions: {across: SocketsCoresThreads}", "sockets: 1, cores: 2, threads: 2", None),
        ("spread, spreadOptions: {across: SocketsCoresThreads}", "sockets: 1, cores: 1", "sockets cores threads"),
        ("unknown", "sockets: 1", None),
        ("any", "sockets: 65536, cores: 65536, threads: 1", "cores sockets threads"),
        ("any", "sockets: 65536, cores: 65537, threads: 1", None),
    ],
)
def test_cpu_of_a_vm_counts_in_the_preferred_topology(topology, cpu, fields):
    preference = f"{{cpu: {{preferredCPUTopology: {topology}}}, requirements: {{cpu: {{guest: 4}}}}}}"
    lacking = lacks(preference, f"domain: {{cpu: {{{cpu}}}}}")
    assert lacking == ([", ".join(f"{CPU}.{name}" for name in fields.split())] if fields else [])


def test_spread_across_what_is_not_known_counts_for_nothing():
    preference = "{cpu: {preferredCPUTopology: spread, spreadOptions: {across: x}}, requirements: {cpu: {guest: 1}}}"
    assert lacks(preference, "domain: {cpu: {sockets: 8}}") == [""]


def test_without_a_topology_sockets_count():
    assert lacks("requirements: {cpu: {guest: 2}}", "domain: {cpu: {cores: 2}}") == [f"{CPU}.sockets"]


def test_a_vm_without_cpu_has_none():
    assert lacks("requirements: {cpu: {guest: 0}}") == [CPU]


@pytest.mark.parametrize(("guest", "fields"), [(2, []), (3, ["spec.instancetype"])])
def test_cpu_of_an_instance_type(guest, fields):
    assert lacks(f"requirements: {{cpu: {{guest: {guest}}}}}", instancetype="cpu: {guest: 2}") == fields


@pytest.mark.parametrize(
    ("vmi", "instancetype", "fields"),
    [
        ("{}", None, ["spec.template.spec.domain.memory"]),
        ("domain: {memory: {}}", None, ["spec.template.spec.domain.memory"]),
        ("domain: {memory: {guest: 1Gi}}", None, ["spec.template.spec.domain.memory"]),
        ("domain: {memory: {guest: 2048Mi}}", None, []),
        ("{}", "memory: {guest: 1Gi}", ["spec.instancetype"]),
        ("{}", "memory: {guest: 2Gi}", []),
        ("domain: {memory: {guest: 2Gi}}", "memory: {guest: 1Gi}", []),
    ],
)
def test_memory(vmi, instancetype, fields):
    assert lacks("requirements: {memory: {guest: 2Gi}}", vmi, instancetype) == fields


@pytest.mark.parametrize(("architecture", "fields"), [("arm64", []), ("amd64", ["spec.template.spec.architecture"])])
def test_architecture(architecture, fields):
    assert lacks("requirements: {architecture: arm64}", f"architecture: {architecture}") == fields


def test_the_first_lack_is_told():
    preference = "requirements: {cpu: {guest: 4}, memory: {guest: 8Gi}, architecture: arm64}"
    assert lacks(preference, instancetype="{}") == ["spec.instancetype"]
    assert lacks(preference, instancetype="{cpu: {guest: 4}, memory: {guest: 8Gi}}") == [
        "spec.template.spec.architecture"
    ]


@pytest.mark.parametrize("preference", ["{}", "requirements: {}"])
def test_nothing_required(preference):
    assert lacks(preference) == []


def test_no_preference():
    assert check_requirements(None, None, read_vmi("{}")[0]) == []
