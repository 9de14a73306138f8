"""VMs that are refused for a fault of their type or preference are told beside that fault."""

from __future__ import annotations

from copy import deepcopy

import pytest

import otheryaml
from virtcatalog.catalog.places import Source
from virtcatalog.check.faults import Faults
from virtcatalog.check.report import text
from virtcatalog.check.rules import RULES

IDE = {"preferences/linux.yaml": "preferences: {linux.one: {spec: {devices: {preferredDiskBus: ide}}}}"}
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}, namespace: default}}
spec:
  instancetype: {{name: m.small}}
  preference: {{name: linux.one}}
  runStrategy: Always
  template:
    spec:
      domain: {{devices: {{}}}}
      volumes: [{{name: {volume}, containerDisk: {{image: registry.example.org/linux:1}}}}]
"""


def vm(name, volume="root"):
    return VM.format(name=name, volume=volume)


def test_one_mistake_in_a_preference_is_one_finding(bench):
    (finding,) = bench.findings(IDE, manifests="---\n".join((vm("web"), vm("db", volume="data"))))
    assert finding.rule == "preference-refused"
    assert finding.field == "spec.devices.preferredDiskBus"
    assert [(vm.object, vm.file, vm.line) for vm in finding.vms] == [
        ("VirtualMachine/default/db", "beside.yaml", 22),
        ("VirtualMachine/default/web", "beside.yaml", 10),
    ]


def test_what_else_is_wrong_with_such_a_vm_is_its_own_finding(bench):
    scratch = "[{name: scratch, emptyDisk: {capacity: 1Gi}}, "
    serial = "devices: {disks: [{name: scratch, disk: {}, serial: a b}]}"
    web = vm("web").replace("volumes: [", f"volumes: {scratch}").replace("devices: {}", serial)
    by_rule = {finding.rule: finding for finding in bench.findings(IDE, manifests=web)}
    assert [vm.object for vm in by_rule["preference-refused"].vms] == ["VirtualMachine/default/web"]
    assert by_rule["vm-refused"].field == "spec.template.spec.domain.devices.disks[0].serial"


def test_a_vm_that_would_be_refused_with_any_preference_has_its_own_finding(bench):
    bus = vm("web").replace("devices: {}", "devices: {disks: [{name: root, disk: {bus: ide}}]}")
    findings = bench.findings(IDE, manifests=bus)
    assert {finding.rule: len(finding.vms) for finding in findings} == {"preference-refused": 0, "vm-refused": 0}


def test_a_fault_that_is_allowed_hides_no_vm(bench):
    allow = "allow: [{rule: preference-refused, reason: It is for another release.}]\n"
    catalog = {"catalog.yaml": f"name: test\nvendor: example.org\nkubevirt: v1.9.0\n{allow}"}
    (finding,) = bench.findings({**IDE, **catalog}, manifests=vm("web"))
    assert (finding.rule, finding.object) == ("vm-refused", "VirtualMachine/default/web")


def test_a_fault_in_one_environment(bench):
    overlays = """\
    lab:
      patches: [{select: {names: [linux.one]}, spec: {devices: {preferredDiskBus: ide}}}]
    production: {}
    """
    one = {"overlays.yaml": overlays, "vms/one.yaml": vm("web").replace(", namespace: default", "")}
    (finding,) = bench.findings(one)
    assert (finding.rule, finding.environments) == ("preference-refused", ("lab",))
    assert [vm.object for vm in finding.vms] == ["VirtualMachine/web"]


def test_a_warning_for_which_vms_are_refused_is_an_error(bench):
    bytes_ = {
        "instancetypes/m.yaml": "{class: m, sizes: {small: {vcpus: 1, memory: 4}, large: {vcpus: 1, memory: 4Gi}}}"
    }
    (finding,) = bench.findings(bytes_, manifests=vm("web"))
    assert (finding.rule, finding.severity) == ("memory-in-bytes", "error")
    assert [vm.object for vm in finding.vms] == ["VirtualMachine/default/web"]
    (finding,) = bench.findings(bytes_)
    assert (finding.rule, finding.severity) == ("memory-in-bytes", "warning")


def test_huge_pages_that_do_not_divide_the_memory(bench):
    pages = """\
    class: m
    spec: {memory: {hugepages: {pageSize: 1Gi}}}
    sizes: {small: {vcpus: 1, memory: 1536Mi}, large: {vcpus: 1, memory: 4Gi}}
    """
    (finding,) = bench.findings({"instancetypes/m.yaml": pages}, manifests=vm("web"))
    assert (finding.rule, finding.object) == ("hugepages", "VirtualMachineClusterInstancetype/m.small")
    assert [vm.object for vm in finding.vms] == ["VirtualMachine/default/web"]


def test_many_vms_take_one_line(bench):
    findings = bench.findings(IDE, manifests="---\n".join(vm(f"web-{number}") for number in range(9)))
    (_, below) = text(findings, RULES).splitlines()
    assert below.startswith("  9 VMs are refused for it: VirtualMachine/default/web-0 (beside.yaml:10), ")
    assert below.endswith(" and 6 more")


def test_pages_of_a_size_that_nothing_has_are_the_fault_of_the_size_alone(bench):
    pages = "class: m\nsizes: {small: {vcpus: 1, memory: 4Gi}}\nspec: {memory: {hugepages: {pageSize: 2M}}}\n"
    plain = {"preferences/linux.yaml": "preferences: {linux.one: {}}"}
    (finding,) = bench.findings({"instancetypes/m.yaml": pages, **plain}, manifests=vm("web"))
    assert (finding.rule, finding.field) == ("hugepages", "spec.memory.hugepages.pageSize")
    assert finding.message == "no processor has huge pages of 2M; did you mean 2Mi?"
    assert [vm.object for vm in finding.vms] == ["VirtualMachine/default/web"]


def test_a_preference_that_no_type_satisfies_refuses_its_vms(bench):
    large = {"preferences/linux.yaml": "preferences: {linux.one: {requirements: {vcpus: 1, memory: 512Gi}}}"}
    findings = bench.findings(large, manifests=vm("web"))
    (finding,) = [finding for finding in findings if finding.rule == "unusable-preference"]
    assert finding.severity == "error"
    assert [vm.object for vm in finding.vms] == ["VirtualMachine/default/web"]
    assert "vm-refused" not in {finding.rule for finding in findings}


def test_a_word_that_libvirt_does_not_know_of_a_timer(bench):
    clock = "preferences: {linux.one: {spec: {clock: {preferredTimer: {pit: {tickPolicy: dely}}}}}}"
    (finding,) = bench.findings({"preferences/linux.yaml": clock}, manifests=vm("web"))
    assert (finding.rule, finding.field) == ("timer-word", "spec.clock.preferredTimer.pit.tickPolicy")
    assert finding.message.endswith("'dely' is none of delay, catchup, merge, discard; did you mean 'delay'?")


def test_a_word_of_a_timer_in_a_vm(bench):
    own = vm("web").replace("domain: {", "domain: {clock: {timer: {rtc: {track: gest}}}, ")
    plain = {"preferences/linux.yaml": "preferences: {linux.one: {}}"}
    (finding,) = bench.findings(plain, manifests=own)
    assert (finding.rule, finding.field) == ("vm-warning", "spec.template.spec.domain.clock.timer.rtc.track")


def test_names_that_nearly_agree_within_a_vm(bench):
    disks = "domain: {devices: {disks: [{name: rot, disk: {}}]}}"
    plain = {"preferences/linux.yaml": "preferences: {linux.one: {}}"}
    (finding,) = bench.findings(plain, manifests=vm("web").replace("domain: {devices: {}}", disks))
    assert finding.message.startswith("no volume is named 'rot'; did you mean 'root'?")


def test_an_access_mode_that_there_is_none_of_is_told_at_its_line(bench):
    template = "metadata: {name: data}, spec: {source: {blank: {}}, storage: {accessModes: [ReadWritMany]}}"
    own = vm("web", volume="data").replace(
        "containerDisk: {image: registry.example.org/linux:1}", "dataVolume: {name: data}"
    )
    own = own.replace("  runStrategy: Always\n", f"  runStrategy: Always\n  dataVolumeTemplates:\n  - {{{template}}}\n")
    plain = {"preferences/linux.yaml": "preferences: {linux.one: {}}"}
    (finding,) = bench.findings(plain, manifests=own)
    assert (finding.line, finding.field) == (9, "spec.dataVolumeTemplates[0].spec.storage.accessModes")


TYPE = "{cpu: {guest: 1, maxSockets: 2}, memory: {guest: 4, hugepages: {pageSize: 3Gi}}}"
PREFERENCE = "{devices: {preferredDiskBus: ide}, requirements: {cpu: {guest: 2}, memory: {guest: 512}}}"


def mended(kind, spec, *faults, environment=""):
    """An object named `m` without what these faults (rule, field, what they are about, environments) are about."""
    manifest = {"kind": kind, "metadata": {"name": "m"}, "spec": otheryaml.load(spec)}
    before = deepcopy(manifest)
    findings = [
        RULES[rule].at(Source("m.yaml"), "message", field=field, about=about, environments=environments)
        for rule, field, about, environments in faults
    ]
    after = Faults(findings).mended(manifest, environment)
    assert manifest == before
    assert after | {"spec": {}} == before | {"spec": {}}
    return after["spec"]


@pytest.mark.parametrize(
    ("kind", "spec", "rule", "field", "expected"),
    [
        (
            "Instancetype",
            TYPE,
            "hugepages",
            "spec.memory.guest",
            "{cpu: {guest: 1, maxSockets: 2}, memory: {guest: 4}}",
        ),
        (
            "Instancetype",
            TYPE,
            "huge-page-size",
            "spec.memory.hugepages.pageSize",
            "{cpu: {guest: 1, maxSockets: 2}, memory: {guest: 4}}",
        ),
        (
            "Instancetype",
            TYPE,
            "instancetype-refused",
            "spec.cpu.maxSockets",
            "{cpu: {guest: 1}, memory: {guest: 4, hugepages: {pageSize: 3Gi}}}",
        ),
        (
            "Instancetype",
            TYPE,
            "memory-in-bytes",
            "spec.memory.guest",
            "{cpu: {guest: 1, maxSockets: 2}, memory: {guest: 4Gi, hugepages: {pageSize: 3Gi}}}",
        ),
        (
            "Instancetype",
            TYPE,
            "memory-in-bytes",
            "memoryPerVcpu",
            "{cpu: {guest: 1, maxSockets: 2}, memory: {guest: 4Gi, hugepages: {pageSize: 3Gi}}}",
        ),
        ("Instancetype", TYPE, "instancetype-refused", "", TYPE),
        ("Instancetype", TYPE, "instancetype-refused", "spec.gpus[0].name", TYPE),
        ("Instancetype", TYPE, "decimal-memory", "spec.cpu", TYPE),
        (
            "Preference",
            PREFERENCE,
            "preference-refused",
            "spec.devices.preferredDiskBus",
            "{devices: {}, requirements: {cpu: {guest: 2}, memory: {guest: 512}}}",
        ),
        (
            "Preference",
            PREFERENCE,
            "preference-refused",
            "",
            "{requirements: {cpu: {guest: 2}, memory: {guest: 512}}}",
        ),
        ("Preference", PREFERENCE, "unusable-preference", "", "{devices: {preferredDiskBus: ide}}"),
        (
            "Preference",
            PREFERENCE,
            "memory-in-bytes",
            "spec.requirements.memory.guest",
            "{devices: {preferredDiskBus: ide}, requirements: {cpu: {guest: 2}, memory: {guest: 512Gi}}}",
        ),
    ],
)
@pytest.mark.parametrize("scope", ["Cluster", ""])
def test_an_object_without_what_is_at_fault(kind, spec, rule, field, expected, scope):
    about = f"VirtualMachineCluster{kind}/m"
    assert mended(f"VirtualMachine{scope}{kind}", spec, (rule, field, about, ())) == otheryaml.load(expected)


@pytest.mark.parametrize(
    ("kind", "about", "environments", "environment"),
    [
        ("VirtualMachineInstancetype", "VirtualMachineInstancetype/lab/other", (), ""),
        ("VirtualMachineInstancetype", "VirtualMachinePreference/lab/m", (), ""),
        ("VirtualMachineInstancetype", "VirtualMachineInstancetype/lab/m", ("lab",), "production"),
        ("VirtualMachine", "VirtualMachineInstancetype/lab/m", (), ""),
    ],
)
def test_a_fault_of_something_else_mends_nothing(kind, about, environments, environment):
    fault = ("instancetype-refused", "spec.cpu", about, environments)
    assert mended(kind, TYPE, fault, environment=environment) == otheryaml.load(TYPE)


def test_each_fault_of_an_object_is_mended():
    about = "VirtualMachineInstancetype/lab/m"
    faults = [
        ("hugepages", "spec.memory.guest", about, ()),
        ("instancetype-refused", "spec.cpu.maxSockets", about, ("lab",)),
        ("instancetype-refused", "spec.cpu.guest", about, ("production",)),
    ]
    expected = {"cpu": {"guest": 1}, "memory": {"guest": 4}}
    assert mended("VirtualMachineInstancetype", TYPE, *faults, environment="lab") == expected
