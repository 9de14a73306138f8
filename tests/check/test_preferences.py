"""Preferences that KubeVirt refuses, and pairs that never fit."""

import pytest

SECURE = "{spec: {firmware: {preferredEfi: {secureBoot: true}}%s}}"


def test_a_preference_that_no_vm_can_use_is_an_error(bench):
    (finding,) = bench.preference(SECURE % "")
    assert "VirtualMachineClusterPreference/linux.two" in finding
    assert "needs features.smm" in finding
    assert finding.endswith("[error: preference-refused]")
    assert bench.preference(SECURE % ", features: {preferredSmm: {}}") == []


@pytest.mark.parametrize(
    ("cpu", "field"),
    [
        ("{preferredCPUTopology: towers}", "spec.cpu.preferredCPUTopology"),
        ("{preferredCPUTopology: spread, spreadOptions: {across: Towns}}", "spec.cpu.spreadOptions.across"),
        (
            "{preferredCPUTopology: spread, spreadOptions: {across: CoresThreads, ratio: 4}}",
            "spec.cpu.spreadOptions.ratio",
        ),
    ],
)
def test_the_preference_webhook(bench, cpu, field):
    (finding,) = bench.preference(f"{{spec: {{cpu: {cpu}}}}}")
    assert f"linux.two: {field}: " in finding
    assert finding.endswith("[error: webhook-refusal]")


def test_deprecated_topologies_are_warnings(bench):
    (finding,) = bench.preference("{spec: {cpu: {preferredCPUTopology: preferCores}}}")
    assert finding == (
        "preferences/two.yaml:1:40: VirtualMachineClusterPreference/linux.two: spec.cpu.preferredCPUTopology: "
        "preferCores is deprecated: use cores [warning: deprecated-field]"
    )
    assert bench.preference("{spec: {cpu: {preferredCPUTopology: cores}}}") == []


def test_a_ratio_of_zero_is_found_without_a_crash(bench):
    (finding,) = bench.preference("{spec: {cpu: {preferredCPUTopology: spread, spreadOptions: {ratio: 0}}}}")
    assert finding.endswith("[error: preference-refused]")


def test_a_cdrom_bus_is_tried_out(bench):
    (finding,) = bench.preference("{spec: {devices: {preferredCdromBus: floppy}}}")
    assert finding.endswith("[error: preference-refused]")
    assert bench.preference("{spec: {devices: {preferredCdromBus: sata}}}") == []


def test_a_requirement_must_be_spreadable(bench):
    findings = bench.preference("{spec: {cpu: {preferredCPUTopology: spread}}, requirements: {vcpus: 3}}")
    assert [finding.rpartition(" ")[2] for finding in findings] == ["spread-requirement]"]
    assert "linux.two: spec.requirements.cpu.guest: " in findings[0]
    assert bench.preference("{spec: {cpu: {preferredCPUTopology: spread}}, requirements: {vcpus: 4}}") == []


def test_sizes_that_meet_the_requirements_and_do_not_divide_are_noted(bench):
    (finding,) = bench.preference("{spec: {cpu: {preferredCPUTopology: spread}}}")
    assert "cannot spread the vCPUs of m.small" in finding
    assert finding.endswith("[note: spread-remainder]")


def test_unusable_preferences(bench):
    (finding,) = bench.preference("{requirements: {vcpus: 64}}")
    assert "linux.two: no instance type fits it; m.large: the preference requires 64 vCPUs, there are 4" in finding
    assert finding.endswith("[warning: unusable-preference]")


def test_unusable_instance_types(bench):
    (finding,) = bench({"instancetypes/n.yaml": "{class: nn, sizes: {nano: {vcpus: 1, memory: 512Mi}}}"})
    assert finding == (
        "instancetypes/n.yaml:1:21: VirtualMachineClusterInstancetype/nn.nano: no preference fits it; linux.one: "
        "the preference requires 1Gi memory, there are 512Mi [warning: unusable-instancetype]"
    )


def test_a_preference_for_another_architecture_is_usable(bench):
    assert bench.preference("{arch: arm64}") == []
    assert bench.preference("{spec: {requirements: {architecture: arm64}}}") == []


def test_a_preference_must_not_prefer_another_architecture_than_it_requires(bench):
    (finding,) = bench.preference("{spec: {preferredArchitecture: amd64, requirements: {architecture: arm64}}}")
    assert "the preference requires architecture arm64, the VM has amd64" in finding
    assert finding.endswith("[error: preference-refused]")


def test_without_preferences_instance_types_are_for_those_of_the_operator(bench):
    assert bench({"preferences/linux.yaml": None}) == []


def test_what_an_environment_leaves_over_must_be_usable(bench):
    overlay = "small: {select: {names: [m.small, linux.*]}}\nall: {}\n"
    preference = "preferences: {linux.two: {requirements: {vcpus: 4}}}"
    (finding,) = bench({"overlays.yaml": overlay, "preferences/two.yaml": preference})
    assert finding.startswith(
        "overlays.yaml:1:1: VirtualMachineClusterPreference/linux.two: no instance type fits it; "
    )
    assert finding.endswith("(in small) [warning: unusable-preference]")


def test_what_a_preference_misspells_is_told_at_its_own_field(bench):
    (finding,) = bench.preference("{spec: {devices: {preferredInterfaceModel: virtoi}}}")
    assert finding == (
        "preferences/two.yaml:1:44: VirtualMachineClusterPreference/linux.two: spec.devices.preferredInterfaceModel: "
        "a VM with it is refused: spec.template.spec.domain.devices.interfaces[0].model: interface 'default': model "
        "'virtoi' is none of e1000, e1000e, igb, ne2k_pci, pcnet, rtl8139, virtio; did you mean 'virtio'? "
        "(refused by the VMI webhook) [error: preference-refused]"
    )


def test_a_refusal_of_several_fields_is_told_at_what_is_around_them(bench):
    (finding,) = bench.preference(SECURE % "")
    assert "linux.two: spec.firmware.preferredEfi: a VM with it is refused" in finding


def test_a_refusal_that_two_fields_lead_to_each_on_its_own(bench):
    (finding,) = bench.preference("{spec: {devices: {preferredDiskBus: ide, preferredCdromBus: ide}}}")
    assert finding == (
        "preferences/two.yaml:1:34: VirtualMachineClusterPreference/linux.two: spec.devices: a VM with it is refused: "
        "spec.template.spec.domain.devices.disks[0].cdrom.bus: disk 'cdrom': bus 'ide' is none of scsi, sata, usb "
        "(refused by the VM webhook) [error: preference-refused]"
    )


def test_a_refusal_for_what_is_required_alone_names_no_field(bench):
    (finding,) = bench.preference("{spec: {requirements: {architecture: riscv}}}")
    assert finding == (
        "preferences/two.yaml:1:15: VirtualMachineClusterPreference/linux.two: a VM with it is refused: "
        "spec.template.spec.architecture: 'riscv' is none of amd64, arm64, s390x (refused by the VMI webhook) "
        "[error: preference-refused]"
    )


def test_a_preference_that_is_not_modelled_is_not_judged(bench):
    assert bench.preference(f"{{spec: {{machine: {{preferredMachineType: {'q' * 500}}}}}}}") == []
    kubevirt = f"""\
        apiVersion: kubevirt.io/v1
        kind: KubeVirt
        metadata: {{name: kubevirt, namespace: kubevirt}}
        spec: {{configuration: {{architectureConfiguration: {{amd64: {{emulatedMachines: [{"q" * 500}]}}}}}}}}
        """
    assert bench(manifests=kubevirt) == []


def test_a_kind_of_guest_that_is_almost_a_usual_one(bench):
    (finding,) = bench.preference("{osType: linus}")
    assert "'linus' is none of the usual ones; did you mean 'linux'?" in finding
    assert finding.endswith("[warning: os-type]")
    assert bench.preference("{osType: freebsd}") == []


def test_an_amount_in_powers_of_ten(bench):
    (finding,) = bench.preference("{requirements: {memory: 1G}}")
    assert "spec.requirements.memory.guest: 1G counts in powers of ten; did you mean 1Gi?" in finding
    assert finding.endswith("[warning: decimal-memory]")
    assert bench.preference("{requirements: {memory: 1Gi}}") == []


def test_an_amount_without_its_unit(bench):
    (finding,) = bench.preference("{requirements: {memory: 512}}")
    assert "spec.requirements.memory.guest: 512 is 512 bytes; did you mean 512Gi?" in finding
    assert finding.endswith("[warning: memory-in-bytes]")
    assert bench.preference("{requirements: {memory: 536870912}}") == []
