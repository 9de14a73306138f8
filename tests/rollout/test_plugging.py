"""CPUs and memory that are plugged in: each rule by itself, on a VMI in one state or another."""

import pytest

import otheryaml
from rollout.conftest import kubevirt
from virtcatalog import Cluster
from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.rollout.live import followed, note_pci_topology, place, plug_cpus, plug_memory
from virtcatalog.kubevirt.rollout.running import Guest, Restart, Running, SyncError


def spec(domain, **fields):
    return convert(
        {"architecture": "amd64", "domain": {"devices": {}, **otheryaml.load(domain)}, **fields},
        VirtualMachineInstanceSpec,
    )


def vm(of_vm=(), of_template=()):
    template = {"metadata": {"annotations": dict(of_template)}}
    return convert({"metadata": {"annotations": dict(of_vm)}, "spec": {"template": template}}, VirtualMachine)


def running(domain, guest=None, config=None, **conditions):
    conditions.setdefault("LiveMigratable", True)
    vmi = VirtualMachineInstance(spec=spec(domain))
    cluster = Cluster([kubevirt(**(config or {}))])
    return Running(cluster, vm(), vmi=vmi, conditions=conditions, guest=guest or Guest())


def domain_of(outcome):
    """What a plug gives: the VMI's domain, a restart, or nothing."""
    if not isinstance(outcome, VirtualMachineInstanceSpec):
        return outcome
    domain = to_manifest(outcome)["domain"]
    return {key: value for key, value in domain.items() if key != "devices" and value}


def refusal(plug, *arguments):
    with pytest.raises(SyncError) as error:
        plug(*arguments)
    (cause,) = error.value.causes
    return error.value.by, cause.type, cause.field, cause.message


class TestCPUs:
    VMI = "cpu: {sockets: 2, cores: 1, threads: 1, maxSockets: 4}"

    @pytest.mark.parametrize("wanted", ["{}", "cpu: {sockets: 2}", "cpu: {sockets: 2, cores: 8}"])
    def test_of_as_many_sockets_nothing_comes(self, wanted):
        assert plug_cpus(running(self.VMI), spec(wanted)) is None

    def test_of_a_machine_without_a_topology_nothing_comes(self):
        assert plug_cpus(running("{}"), spec("cpu: {sockets: 2}")) is None

    @pytest.mark.parametrize(
        ("sockets", "architecture", "outcome"),
        [
            (4, "amd64", {"cpu": {"sockets": 4, "cores": 1, "threads": 1, "maxSockets": 4}}),
            (3, "s390x", {"cpu": {"sockets": 3, "cores": 1, "threads": 1, "maxSockets": 4}}),
            (3, "arm64", Restart("cpu-arm", "arm64 has no CPU hotplug")),
            (5, "arm64", Restart("cpu-max", "5 sockets are more than the 4 that can be plugged in")),
            (1, "arm64", Restart("cpu-reduced", "sockets cannot be taken out while the guest runs: 2 → 1")),
        ],
    )
    def test_some_numbers_take_a_restart(self, sockets, architecture, outcome):
        wanted = spec(f"cpu: {{sockets: {sockets}, cores: 1, threads: 1}}")
        wanted.architecture = architecture
        assert domain_of(plug_cpus(running(self.VMI), wanted)) == outcome

    @pytest.mark.parametrize("sockets", [1, 4, 5])
    def test_one_change_at_a_time(self, sockets):
        field, message = "spec.template.spec.domain.cpu.sockets", "another CPU hotplug is in progress"
        wanted = spec(f"cpu: {{sockets: {sockets}}}")
        assert refusal(plug_cpus, running(self.VMI, HotVCPUChange=True), wanted) == ("controller", "", field, message)

    def test_a_change_that_has_ended_is_none(self):
        assert plug_cpus(running(self.VMI, HotVCPUChange=False), spec("cpu: {sockets: 4}")) is not None

    @pytest.mark.parametrize(
        ("vmi", "wanted", "ratio", "grown"),
        [
            ("{}", "{}", 10, None),
            ("{requests: {cpu: 500m}}", "{}", 10, {"requests": {"cpu": "500m"}}),
            ("{requests: {cpu: 500m}}", "{requests: {cpu: 1}}", 10, {"requests": {"cpu": "1300m"}}),
            ("{limits: {cpu: 500m}}", "{requests: {cpu: 0}, limits: {cpu: 1}}", 10, {"limits": {"cpu": "1300m"}}),
            ("{}", "{requests: {cpu: 1}}", 10, {"requests": {"cpu": "800m"}}),
            (
                "{requests: {cpu: 1, memory: 1Gi}}",
                "{requests: {cpu: 1}}",
                10,
                {"requests": {"cpu": "1800m", "memory": "1Gi"}},
            ),
            ("{requests: {cpu: 500m}}", "{requests: {cpu: 1}}", 1, {"requests": {"cpu": "8500m"}}),
        ],
    )
    def test_what_is_asked_of_the_node_grows_with_the_vcpus(self, vmi, wanted, ratio, grown):
        """Two sockets more, of two cores with two threads each: eight vCPUs."""
        topology = "cpu: {sockets: 2, cores: 2, threads: 2, maxSockets: 4}"
        machine = running(
            f"{{{topology}, resources: {vmi}}}", config={"developerConfiguration": {"cpuAllocationRatio": ratio}}
        )
        outcome = domain_of(
            plug_cpus(machine, spec(f"{{cpu: {{sockets: 4, cores: 2, threads: 2}}, resources: {wanted}}}"))
        )
        assert outcome.get("resources") == grown


def guest(current="2Gi", at_boot="2Gi"):
    return Guest(1, *(amount and Quantity.parse(amount) for amount in (at_boot, current)))


class TestMemory:
    VMI = "memory: {guest: 2Gi, maxGuest: 8Gi}"

    @pytest.mark.parametrize(
        ("vmi", "wanted", "of_guest"),
        [
            (VMI, "{}", guest()),
            (VMI, "memory: {}", guest()),
            (VMI, "memory: {guest: 2Gi}", guest()),
            (VMI, "memory: {guest: 2048Mi}", guest()),
            (VMI, "memory: {guest: 4Gi}", guest(current=None)),
            ("{}", "memory: {guest: 4Gi}", guest()),
            ("memory: {maxGuest: 8Gi}", "memory: {guest: 4Gi}", guest()),
        ],
    )
    def test_where_nothing_is_asked_for_or_known_nothing_comes(self, vmi, wanted, of_guest):
        assert plug_memory(running(vmi, of_guest), spec(wanted)) is None

    @pytest.mark.parametrize(
        ("wanted", "fields", "outcome"),
        [
            ("4Gi", {}, {"memory": {"guest": "4Gi", "maxGuest": "8Gi"}}),
            ("4Gi", {"guest": guest(at_boot=None)}, {"memory": {"guest": "4Gi", "maxGuest": "8Gi"}}),
            ("4Gi", {"guest": guest(at_boot="4Gi")}, {"memory": {"guest": "4Gi", "maxGuest": "8Gi"}}),
            (
                "4Gi",
                {"guest": guest(at_boot="5Gi")},
                Restart("memory-lower", "the VM was started with 5Gi, which is more than 4Gi"),
            ),
            (
                "2Gi",
                {"HotMemoryChange": False},
                Restart("memory-failed", "plugging memory in has failed before"),
            ),
            (
                "4Gi",
                {"LiveMigratable": False},
                Restart("memory-not-migratable", "memory comes with a live migration, which the VM cannot do"),
            ),
            (
                "4Gi",
                {"domain": "memory: {guest: 2Gi}"},
                Restart("memory-unavailable", "the VM was started without room for more memory"),
            ),
            ("16Gi", {}, Restart("memory-unsupported", "memory.guest 16Gi is above maxGuest 8Gi")),
        ],
    )
    def test_some_amounts_take_a_restart(self, wanted, fields, outcome):
        machine = running(**{"domain": self.VMI, "guest": guest(), **fields})
        assert domain_of(plug_memory(machine, spec(f"memory: {{guest: {wanted}}}"))) == outcome

    def test_one_change_at_a_time(self):
        field, message = "spec.template.spec.domain.memory.guest", "another memory hotplug is in progress"
        machine = running(self.VMI, guest(), HotMemoryChange=True)
        assert refusal(plug_memory, machine, spec("memory: {guest: 4Gi}")) == ("controller", "", field, message)
        assert plug_memory(machine, spec("memory: {guest: 2Gi}")) is None

    @pytest.mark.parametrize(
        ("vmi", "wanted", "grown"),
        [
            ("{}", "{}", None),
            ("{requests: {memory: 3Gi}}", "{}", {"requests": {"memory": "5Gi"}}),
            ("{requests: {memory: 1Gi}}", "{}", {"requests": {"memory": "4Gi"}}),
            ("{requests: {memory: 2Gi}}", "{}", {"requests": {"memory": "4Gi"}}),
            ("{requests: {memory: 0}}", "{}", {"requests": {"memory": "0"}}),
            ("{limits: {memory: 3Gi}}", "{}", {"limits": {"memory": "3Gi"}}),
            ("{limits: {memory: 3Gi}}", "{limits: {memory: 9Gi}}", {"limits": {"memory": "5Gi"}}),
            ("{}", "{limits: {memory: 9Gi}}", {"limits": {"memory": "2Gi"}}),
            ("{limits: {memory: 3Gi}}", "{limits: {memory: 0}}", {"limits": {"memory": "3Gi"}}),
            (
                "{requests: {memory: 1Gi, cpu: 1}, limits: {memory: 3Gi}}",
                "{limits: {memory: 9Gi}}",
                {"requests": {"memory": "4Gi", "cpu": "1"}, "limits": {"memory": "3Gi"}},
            ),
        ],
    )
    def test_what_is_asked_of_the_node_grows_with_the_guest(self, vmi, wanted, grown):
        machine = running(f"{{{self.VMI}, resources: {vmi}}}", guest())
        outcome = domain_of(plug_memory(machine, spec(f"{{memory: {{guest: 4Gi}}, resources: {wanted}}}")))
        assert outcome.get("resources") == grown


EVICT = "descheduler.alpha.kubernetes.io/evict"
STAY = "descheduler.alpha.kubernetes.io/prefer-no-eviction"
SKIP = "kubevirt.io/skip-backup-hooks"


@pytest.mark.parametrize(
    ("vmi", "of_vm", "of_template", "after"),
    [
        ({"a": "1"}, {"b": "2"}, {"c": "3"}, {"a": "1"}),
        ({}, {}, {EVICT: "true", STAY: "true"}, {EVICT: "true", STAY: "true"}),
        ({EVICT: "true", STAY: "true"}, {}, {STAY: "other"}, {STAY: "other"}),
        ({}, {EVICT: "true"}, {SKIP: "true"}, {}),
        ({"a": "1"}, {SKIP: "true"}, {}, {"a": "1", SKIP: "true"}),
        ({SKIP: "true", "a": "1"}, {}, {}, {"a": "1"}),
    ],
)
def test_annotations_follow_the_vm_and_its_template(vmi, of_vm, of_template, after):
    assert followed(vm(of_vm, of_template), vmi) == after


def test_annotations_of_both_do_not_follow_at_once():
    message = "kubevirt.io/skip-backup-hooks and an annotation for the descheduler cannot change at once"
    assert refusal(followed, vm({SKIP: "a"}, {EVICT: "a"}), {}) == ("controller", "", "metadata.annotations", message)


PCI, SLOTS = "kubevirt.io/pci-topology-version", "kubevirt.io/pci-interface-slot-count"


@pytest.mark.parametrize(
    ("vmi", "template", "after"),
    [
        ({}, {}, {}),
        ({PCI: "v3"}, {}, {PCI: "v3"}),
        ({PCI: "v3", SLOTS: "4"}, {"a": "1"}, {"a": "1", PCI: "v3", SLOTS: "4"}),
        ({PCI: "v3", SLOTS: "4"}, {PCI: "v2"}, {PCI: "v2"}),
        ({SLOTS: "4"}, {}, {}),
    ],
)
def test_the_template_keeps_the_pci_topology_of_its_machine(vmi, template, after):
    of_vm = vm(of_template=template)
    note_pci_topology(of_vm, vmi)
    assert of_vm.spec.template.metadata.annotations == after


def test_where_a_machine_may_go_changes_step_by_step():
    placed = {
        "affinity": {"nodeAffinity": {}},
        "nodeSelector": {"zone": "a"},
        "tolerations": [{"key": "a", "operator": "Exists"}],
    }
    fields = list(placed)
    steps = place(spec("{}"), spec("{}", **placed))
    assert steps == [spec("{}", **{key: placed[key] for key in fields[: number + 1]}) for number in range(3)]
    assert place(spec("{}", **placed), spec("{}", **placed, hostname="other")) == []
    assert place(spec("{}", **placed), spec("{}", affinity=placed["affinity"], tolerations=placed["tolerations"])) == [
        spec("{}", affinity=placed["affinity"], tolerations=placed["tolerations"])
    ]
