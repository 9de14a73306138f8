"""Instance types and preferences by what a VM can adopt of them."""

from __future__ import annotations

from typing import Any

import pytest
from inline_vms import PREFERENCE, TYPE, machine, named, of_size

from virtcatalog.adopt.attempt import Original
from virtcatalog.adopt.candidates import Candidates, Instancetype, Reference, layout
from virtcatalog.adopt.effects import PreferenceEffects
from virtcatalog.adopt.fleet import adopt
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology
from virtcatalog.kubevirt.pipeline import expand

GPU = {"name": "gpu", "deviceName": "nvidia.com/GPU"}
DEDICATED = {"guest": 2, "dedicatedCPUPlacement": True}


def instancetype(**spec: Any) -> Instancetype:
    (only,) = Candidates([of_size("only", **spec)]).instancetypes
    return only


def vmi_of(vm: dict[str, Any]) -> VirtualMachineInstance:
    vmi = expand(vm, Candidates([]).cluster).vmi_object
    assert vmi is not None
    return vmi


def sized(cpu: str = "", memory: str = "", devices: str = "") -> VirtualMachineInstance:
    return vmi_of(machine(f"{{cpu: {{sockets: 2{cpu}}}, memory: {{guest: 4Gi{memory}}}, devices: {{{devices}}}}}"))


@pytest.mark.parametrize(
    ("spec", "with_it"),
    [
        ({"cpu": {"guest": 2, "model": "Haswell"}}, {"cpu": ", model: Haswell"}),
        ({"cpu": DEDICATED}, {"cpu": ", dedicatedCpuPlacement: true"}),
        (
            {"cpu": {**DEDICATED, "isolateEmulatorThread": True}},
            {"cpu": ", dedicatedCpuPlacement: true, isolateEmulatorThread: true"},
        ),
        ({"memory": {"guest": "4Gi", "hugepages": {"pageSize": "2Mi"}}}, {"memory": ", hugepages: {pageSize: 2Mi}"}),
        ({"gpus": [GPU]}, {"devices": "gpus: [{name: gpu, deviceName: nvidia.com/GPU}]"}),
    ],
)
def test_a_feature_counts_where_the_vm_has_another_value(spec, with_it):
    offered = instancetype(**spec)
    features = 2 if "isolateEmulatorThread" in str(spec) else 1
    assert offered.differing_features(sized()) == features
    assert offered.differing_features(sized(**with_it)) == 0
    assert instancetype().differing_features(sized(**with_it)) == 0


@pytest.mark.parametrize(("field", "value"), [("numa", {"guestMappingPassthrough": {}}), ("realtime", {"mask": "0-1"})])
def test_numa_and_realtime_count_as_features(field, value):
    hugepages = {"guest": "4Gi", "hugepages": {"pageSize": "2Mi"}}
    cpu = {"guest": 2, "dedicatedCPUPlacement": True}
    offered = instancetype(cpu={**cpu, field: value}, memory=hugepages)
    plain = instancetype(cpu=cpu, memory=hugepages)
    assert offered.differing_features(sized()) == plain.differing_features(sized()) + 1


@pytest.mark.parametrize(
    ("offered", "rest", "metadata", "only_size"),
    [
        ({}, "nodeSelector: {zone: b}", {}, True),
        ({"nodeSelector": {"zone": "a"}}, "", {}, True),
        ({"nodeSelector": {"zone": "a"}}, "nodeSelector: {zone: a}", {}, True),
        ({"nodeSelector": {"zone": "a"}}, "nodeSelector: {zone: b}", {}, False),
        ({"schedulerName": "own"}, "", {}, True),
        ({"schedulerName": "own"}, "schedulerName: own", {}, True),
        ({"schedulerName": "own"}, "schedulerName: other", {}, False),
        ({"annotations": {"a": "1"}}, "", {"b": "2"}, True),
        ({"annotations": {"a": "1"}}, "", {"a": "1"}, True),
        ({"annotations": {"a": "1"}}, "", {"a": "2"}, False),
    ],
)
def test_an_instance_type_changes_only_the_size_where_placement_and_annotations_stay(
    offered, rest, metadata, only_size
):
    vm = machine("{cpu: {sockets: 2}, memory: {guest: 4Gi}, devices: {}}", rest)
    vm["spec"]["template"]["metadata"] = {"annotations": metadata}
    assert instancetype(**offered).changes_only_size(vmi_of(vm)) is only_size


@pytest.mark.parametrize(
    ("vcpus", "gib", "distance"),
    [(2, 4, 0), (1, 4, 1), (2, 1, 2), (1, 2, 2), (4, 4, 8), (2, 8, 8), (1, 8, 9)],
    ids=["the size", "twice the vCPUs", "4 times the memory", "twice both", "half", "half the memory", "more and less"],
)
def test_a_size_that_is_half_is_as_far_as_one_that_is_256_times_as_much(vcpus, gib, distance):
    assert instancetype().distance(vcpus, gib * 2**30) == distance


def test_sizes_of_nothing_have_a_distance():
    assert instancetype(cpu={"guest": 0}).distance(1, 2**32) == 0
    assert instancetype(memory={"guest": "1"}).distance(2, 0) == 0


def test_objects_with_one_spec_are_a_group_requirements_aside():
    candidates = Candidates(
        [
            of_size("a"), of_size("b"), of_size("c", annotations={"e": "f"}), of_size("d", cpu={"guest": 4}),
            of_size("refused", memory={"guest": "4Gi", "overcommitPercent": 200}),
            named(PREFERENCE, "p", {"devices": {"preferredRng": {}}}),
            named(PREFERENCE, "q", {"devices": {"preferredRng": {}}, "requirements": {"cpu": {"guest": 2}}}),
            named(PREFERENCE, "r", {"devices": {"preferredTPM": {}}, "requirements": {"architecture": "arm64"}}),
        ]
    )  # fmt: skip
    assert [[member.name for member in group.members] for group in candidates.instancetypes] == [
        ["a", "b"], ["c"], ["d"],
    ]  # fmt: skip
    assert [[(member.name, member.architecture) for member in group.members] for group in candidates.preferences] == [
        [("p", ""), ("q", "")],
        [("r", "arm64")],
    ]
    assert [group.members[0].name for group in candidates.sized(2, 4 * 2**30)] == ["a", "c"]
    assert list(candidates.sized(2, 2**30)) == []
    assert {reference.name for reference in candidates.groups} == set("abcdpqr")


def test_who_can_name_an_object():
    kind = "VirtualMachineInstancetype"
    own, elsewhere = (named(kind, "a", of_size("a")["spec"], **metadata) for metadata in ({}, {"namespace": "other"}))
    candidates = Candidates([own, elsewhere])
    assert [*candidates.groups] == [Reference(kind, "default", "a"), Reference(kind, "other", "a")]
    assert Reference(kind, "other", "a").matcher() == {"kind": kind, "name": "a"}
    assert Reference(TYPE, "", "a").matcher() == {"name": "a"}
    assert candidates.namespaces == {"default", "other"}


def test_hints_are_the_parts_of_names_that_a_text_holds():
    candidates = Candidates([of_size(name) for name in ("centos.stream9", "CentOS.stream9.server", "fedora", ".u1")])
    assert candidates.hints("a vm of centos, stream9") == (("CentOS.stream9.server", 2), ("centos.stream9", 2))
    assert candidates.hints("stream9") == ()
    assert candidates.hints("u1") == ((".u1", 1),)


def test_layouts_of_preferences():
    ratios = {"cores": {}, "spread": {"spreadOptions": {"ratio": 4}}}
    manifests = [
        named(PREFERENCE, name, {"cpu": {"preferredCPUTopology": name, **more}}) for name, more in ratios.items()
    ]
    candidates = Candidates(manifests)
    assert {
        topology: [preference.members[0].name for preference in preferences]
        for topology, preferences in candidates.layouts(8).items()
    } == {CPUTopology(1, 8, 1): ["cores"], CPUTopology(2, 4, 1): ["spread"]}
    assert layout(8, None) == CPUTopology(8, 1, 1)


def effects_of(vm: dict[str, Any], candidates: Candidates) -> PreferenceEffects:
    return PreferenceEffects(Original(vm, expand(vm, candidates.cluster)), candidates)


@pytest.mark.parametrize(
    ("domain", "preferred", "changes"),
    [
        pytest.param("", {"devices": {"preferredDiskBus": "virtio"}}, True, id="a bus of a disk"),
        pytest.param("", {"devices": {"preferredDiskBus": "sata"}}, False, id="the default bus"),
        pytest.param("", {"devices": {"preferredRng": {}}}, True, id="a device"),
        pytest.param("", {"devices": {"preferredTPM": {}}, "requirements": {"cpu": {"guest": 9}}}, True,
                     id="requirements aside"),
        pytest.param("", {"features": {"preferredHyperv": {"relaxed": {}}}}, True, id="before the devices"),
        pytest.param("", {"preferredTerminationGracePeriodSeconds": 7}, False, id="outside the domain"),
        pytest.param("", {"machine": {"preferredMachineType": "q35"}}, False, id="the default"),
        pytest.param("rng: {}", {"devices": {"preferredRng": {}}}, False, id="what the VM has"),
        pytest.param("", {"devices": {"preferredDiskBus": "virtio", "preferredDiskDedicatedIoThread": True}}, True,
                     id="IO threads"),
        pytest.param("", {"preferredArchitecture": "arm64"}, True, id="another architecture"),
        pytest.param("", {"preferredArchitecture": "s390x", "firmware": {"preferredEfi": {}}}, False,
                     id="firmware that its architecture has not: KubeVirt makes no domain"),
        pytest.param("", {"devices": {"preferredSoundModel": "ac97"}}, False, id="of a device that the VM has not"),
        pytest.param("sound: {name: s}", {"devices": {"preferredSoundModel": "ac97"}}, True, id="of one that it has"),
        pytest.param("sound: {name: s}", {"devices": {"preferredSoundModel": "none"}}, False, id="what is refused"),
    ],
)  # fmt: skip
def test_whether_a_preference_changes_the_domain(domain, preferred, changes):
    candidates = Candidates([named(PREFERENCE, "p", preferred), named(PREFERENCE, "q", {"annotations": {"a": "b"}})])
    vm = machine(
        f"{{cpu: {{sockets: 2}}, memory: {{guest: 4Gi}}, devices: {{disks: [{{name: root}}], {domain}}}}}",
        "volumes: [{name: root, emptyDisk: {capacity: 1Gi}}]",
    )
    preference, neutral = candidates.preferences
    effects = effects_of(vm, candidates)
    assert not effects.changes_domain(None)
    assert not effects.changes_domain(neutral)
    for _ in range(2):
        assert effects.changes_domain(preference) is changes
    again = effects_of(vm, candidates)
    assert again.changes_domain(preference) is changes


def test_a_domain_that_is_not_made_is_no_change():
    """Of 8 cores a socket the domain would list 160,000 vCPUs: the search goes on, and says of the VM what it finds."""
    many = of_size("many", cpu={"guest": 8, "maxSockets": 20_000})
    candidates = Candidates([many, named(PREFERENCE, "cores", {"cpu": {"preferredCPUTopology": "cores"}})])
    vm = machine("{devices: {}}", spec="instancetype: {name: many}")
    (preference,) = candidates.preferences
    effects = effects_of(vm, candidates)
    assert effects.changes_domain(preference) is False
    assert adopt(vm, candidates).outcome == "unchanged"


def test_a_machine_that_nothing_starts_is_no_change():
    """KubeVirt fails on the features of a preference where a VM has no CPU."""
    candidates = Candidates([named(PREFERENCE, "p", {"cpu": {"preferredCPUFeatures": [{"name": "vmx"}]}})])
    (preference,) = candidates.preferences
    for cpu, changes in (("", False), ("cpu: {sockets: 2}, ", True)):
        vm = machine(f"{{{cpu}memory: {{guest: 4Gi}}, devices: {{}}}}")
        assert effects_of(vm, candidates).changes_domain(preference) is changes


def test_how_many_disks_there_are_decides_on_io_threads():
    """The one thread is the one disk's anyway; two disks have one for both, or two."""
    candidates = Candidates([named(PREFERENCE, "p", {"devices": {"preferredDiskDedicatedIoThread": True}})])
    (preference,) = candidates.preferences
    for names, changes in (("ab", True), ("a", False), ("ab", True)):
        disks = ", ".join(f"{{name: {name}, disk: {{bus: virtio}}}}" for name in names)
        volumes = ", ".join(f"{{name: {name}, emptyDisk: {{capacity: 1Gi}}}}" for name in names)
        vm = machine(
            f"{{memory: {{guest: 4Gi}}, ioThreadsPolicy: shared, devices: {{disks: [{disks}]}}}}",
            f"volumes: [{volumes}]",
        )
        assert effects_of(vm, candidates).changes_domain(preference) is changes


def test_a_preset_may_have_given_it_already():
    relaxed = {
        "domain": {"devices": {}, "features": {"hyperv": {"relaxed": {}}}},
        "selector": {"matchLabels": {"os": "windows"}},
    }
    preset = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstancePreset", "metadata": {"name": "relaxed"}}
    prefers_relaxed = named(PREFERENCE, "p", {"features": {"preferredHyperv": {"relaxed": {}}}})
    candidates = Candidates([prefers_relaxed, {**preset, "spec": relaxed}])
    (preference,) = candidates.preferences
    for os, changes in (("linux", True), ("windows", False), ("linux", True)):
        vm = machine("{memory: {guest: 4Gi}, devices: {}}")
        vm["spec"]["template"]["metadata"] = {"labels": {"os": os}}
        assert effects_of(vm, candidates).changes_domain(preference) is changes
