"""VirtualMachineInstancePresets: which apply to a VMI, and what they change in it."""

import pytest
from aliasing import scribble
from reading import read

from virtcatalog.api.clock import Clock, ClockOffsetUTC
from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.errors import Cause, Warning
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.defaults.presets import applied_presets, apply_presets, preset_warnings

APPLIED = "virtualmachinepreset.kubevirt.io/"


def preset(name="a", domain="{}", selector="matchLabels: {os: linux}", namespace="default"):
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstancePreset",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": read(f"{{{selector}}}"), "domain": {"devices": {}, **read(domain)}},
    }


def vmi_of(domain="{}", labels="{os: linux}", annotations="{}"):
    metadata = {"name": "vm", "namespace": "default", "labels": read(labels), "annotations": read(annotations)}
    spec = {"domain": {"devices": {}, **read(domain)}}
    return convert({"metadata": metadata, "spec": spec}, VirtualMachineInstance)


def apply(vmi, *presets):
    """Return the causes and the names of the presets that were applied."""
    causes = apply_presets(vmi, Cluster(presets))
    return causes, [key.removeprefix(APPLIED) for key in vmi.metadata.annotations if key.startswith(APPLIED)]


@pytest.mark.parametrize(
    ("selector", "labels", "selected"),
    [
        ("matchLabels: {os: linux}", "{os: linux, a: b}", True),
        ("matchLabels: {os: linux}", "{os: windows}", False),
        ("matchLabels: {os: linux}", "{}", False),
        ("", "{}", True),
        ("matchExpressions: [{key: os, operator: In, values: [linux, bsd]}]", "{os: bsd}", True),
        ("matchExpressions: [{key: os, operator: In, values: [linux, bsd]}]", "{}", False),
        ("matchExpressions: [{key: os, operator: NotIn, values: [linux]}]", "{os: linux}", False),
        ("matchExpressions: [{key: os, operator: NotIn, values: [linux]}]", "{}", True),
        ("matchExpressions: [{key: os, operator: Exists}]", '{os: ""}', True),
        ("matchExpressions: [{key: os, operator: Exists}]", "{}", False),
        ("matchExpressions: [{key: os, operator: DoesNotExist}]", "{}", True),
        ("matchExpressions: [{key: os, operator: DoesNotExist}]", "{os: linux}", False),
        ("matchLabels: {a: b}, matchExpressions: [{key: os, operator: Exists}]", "{os: linux}", False),
    ],
)
def test_a_preset_selects_by_labels(selector, labels, selected):
    vmi = vmi_of(labels=labels)
    assert apply(vmi, preset(domain="cpu: {cores: 4}", selector=selector)) == ([], ["a"] if selected else [])
    assert (vmi.spec.domain.cpu is not None) is selected


def test_a_preset_of_another_namespace_does_not_count():
    assert apply(vmi_of(), preset(domain="cpu: {cores: 4}", namespace="other")) == ([], [])


@pytest.mark.parametrize(("value", "applied"), [('"true"', []), ('"false"', ["a"])])
def test_a_vmi_can_exclude_itself(value, applied):
    vmi = vmi_of(annotations=f"{{virtualmachineinstancepresets.admission.kubevirt.io/exclude: {value}}}")
    assert apply(vmi, preset(domain="cpu: {cores: 4}")) == ([], applied)


FIELDS = {
    "resources.requests[memory]": ("resources: {requests: {memory: 1Gi}}", "resources: {requests: {memory: 2Gi}}"),
    "cpu": ("cpu: {cores: 4}", "cpu: {cores: 2}"),
    "firmware": ("firmware: {uuid: a}", "firmware: {uuid: b}"),
    "clock offset": ("clock: {timezone: UTC}", "clock: {timezone: CET}"),
    "clock.timer": ("clock: {utc: {}, timer: {hpet: {}}}", "clock: {utc: {}, timer: {kvm: {}}}"),
    "features": ("features: {apic: {}}", "features: {smm: {}}"),
    "devices.watchdog": ("devices: {watchdog: {name: a}}", "devices: {watchdog: {name: b}}"),
    "ioThreadsPolicy": ("ioThreadsPolicy: auto", "ioThreadsPolicy: shared"),
}
FRAGMENTS = list(FIELDS.values())


@pytest.mark.parametrize(("fragment", "_other"), FRAGMENTS)
def test_a_preset_fills_in_what_the_vmi_leaves_open(fragment, _other):
    vmi = vmi_of()
    assert apply(vmi, preset(domain=fragment)) == ([], ["a"])
    assert to_manifest(vmi.spec.domain) == to_manifest(vmi_of(fragment).spec.domain)


@pytest.mark.parametrize(("fragment", "other"), FRAGMENTS)
def test_a_preset_overrides_nothing(fragment, other):
    vmi = vmi_of(other)
    causes, applied = apply(vmi, preset(domain=fragment))
    assert (causes, applied) == ([], [])
    assert to_manifest(vmi.spec.domain) == to_manifest(vmi_of(other).spec.domain)


@pytest.mark.parametrize(("fragment", "_other"), FRAGMENTS)
def test_a_preset_that_the_vmi_agrees_with_counts_as_applied(fragment, _other):
    assert apply(vmi_of(fragment), preset(domain=fragment)) == ([], ["a"])


def test_a_clock_gets_the_timer_that_it_lacks():
    vmi = vmi_of("clock: {timezone: CET}")
    assert apply(vmi, preset(domain="clock: {timezone: UTC, timer: {hpet: {}}}")) == ([], ["a"])
    assert to_manifest(vmi.spec.domain.clock) == {"timezone": "CET", "timer": {"hpet": {}}}


def test_one_setting_that_holds_is_enough():
    vmi = vmi_of("cpu: {cores: 2}")
    assert apply(vmi, preset(domain="{cpu: {cores: 4}, ioThreadsPolicy: auto}")) == ([], ["a"])
    assert vmi.spec.domain.cpu.cores == 2


@pytest.mark.parametrize("field", FIELDS)
def test_presets_that_contradict_each_other_are_refused(field):
    one, other = FIELDS[field]
    assert apply(vmi_of(), preset("a", one), preset("b", other)) == (
        [Cause("", "", f"the presets contradict each other: a and b on {field}")],
        [],
    )


def test_every_contradiction_is_named():
    presets = (
        preset("a", "{cpu: {cores: 1}, ioThreadsPolicy: auto}"),
        preset("b", "{cpu: {cores: 2}, ioThreadsPolicy: shared}"),
        preset("c", "{cpu: {cores: 2}, clock: {utc: {offsetSeconds: 1}}}"),
        preset("d", "{clock: {utc: {offsetSeconds: 2}}}"),
    )
    message = (
        "the presets contradict each other: a and b on cpu, ioThreadsPolicy; a and c on cpu; c and d on clock offset"
    )
    assert apply(vmi_of(), *presets) == ([Cause("", "", message)], [])


def test_a_clock_with_an_offset_in_utc_and_one_in_a_timezone_contradict():
    presets = (preset("a", "clock: {utc: {}}"), preset("b", "clock: {timezone: CET}"))
    assert apply(vmi_of(), *presets) == (
        [Cause("", "", "the presets contradict each other: a and b on clock offset")],
        [],
    )


@pytest.mark.parametrize(
    ("one", "other", "agree"), [("1Gi", "1Gi", True), ("1Gi", "1024Mi", False), ("2Gi", "+2Gi", False)]
)
def test_requests_of_two_presets_agree_when_they_are_written_alike(one, other, agree):
    """`1Gi` and `1024Mi` are two texts of one amount."""
    presets = (
        preset(name, f"{{resources: {{requests: {{memory: {text}}}}}}}") for name, text in (("a", one), ("b", other))
    )
    causes, _ = apply(vmi_of(), *presets)
    assert (causes == []) is agree


def test_kubevirt_fails_on_a_preset_without_a_domain():
    empty = preset()
    del empty["spec"]["domain"]
    message = "preset a has no spec.domain, on which KubeVirt fails"
    assert apply(vmi_of(), empty) == ([Cause("", "", message)], [])
    assert apply(vmi_of(labels="{os: windows}"), empty) == ([], [])


def test_presets_that_agree_apply_together():
    vmi = vmi_of()
    assert apply(vmi, preset("b", "cpu: {cores: 4}"), preset("a", "ioThreadsPolicy: auto")) == ([], ["a", "b"])
    assert (vmi.spec.domain.cpu.cores, vmi.spec.domain.io_threads_policy) == (4, "auto")


def test_a_selector_that_cannot_be_evaluated_refuses_every_vmi():
    odd = preset(selector="matchExpressions: [{key: os, operator: Near}]")
    message = "preset a: spec.selector.matchExpressions[0].operator: 'Near' is none of In, NotIn, Exists, DoesNotExist"
    assert apply(vmi_of(), odd) == apply(vmi_of(labels="{}"), odd) == ([Cause("", "", message)], [])


def test_each_applied_preset_is_remarked_on():
    vmi = vmi_of()
    assert preset_warnings(vmi, Cluster()) == []
    presets = [preset("a", "cpu: {cores: 4}"), preset("b", "ioThreadsPolicy: auto"), preset("c", selector="")]
    apply(vmi, *presets)
    assert vmi.metadata.annotations == {f"{APPLIED}a": "kubevirt.io/v1", f"{APPLIED}b": "kubevirt.io/v1"}
    message = "presets are deprecated: use an instance type and a preference"
    assert preset_warnings(vmi, Cluster(presets)) == [
        Warning("Deprecated", "", message, f"VirtualMachineInstancePreset/default/{name}") for name in "ab"
    ]
    assert applied_presets(vmi) == ["a", "b"]


def test_a_vmi_that_excludes_itself_is_not_remarked_on():
    excluded = preset(domain="cpu: {cores: 4}")
    vmi = vmi_of("cpu: {cores: 2}", annotations="{virtualmachineinstancepresets.admission.kubevirt.io/exclude: 'true'}")
    assert warnings_of(vmi, excluded) == []


def test_a_vmi_shares_nothing_with_its_preset():
    cluster, vmi = Cluster([preset(domain="{cpu: {cores: 4}, firmware: {serial: a}, clock: {utc: {}}}")]), vmi_of()
    apply_presets(vmi, cluster)
    scribble(vmi.spec.domain)
    domain = cluster.presets("default")[0].spec.domain
    assert (domain.cpu.cores, domain.firmware.serial, domain.clock) == (4, "a", Clock(utc=ClockOffsetUTC()))


def warnings_of(vmi, *presets):
    assert apply_presets(vmi, Cluster(presets)) == []
    warnings = [warning for warning in preset_warnings(vmi, Cluster(presets)) if warning.type == "Ignored"]
    return [(warning.object.rpartition("/")[2], warning.field, warning.message) for warning in warnings]


def test_requests_count_as_a_whole():
    first = preset("a", "resources: {requests: {cpu: 1}}")
    second = preset("b", "resources: {requests: {memory: 1Gi}}")
    assert warnings_of(vmi_of(), first, second) == [("b", "spec.domain.resources.requests.memory", "'1Gi' is left out")]


def test_of_two_presets_that_disagree_it_is_said_which_one_is_kept():
    """Clocks with different timers, of which one says nothing, do not contradict each other."""
    zones = [preset("a", "clock: {timezone: CET}"), preset("b", "clock: {timezone: CET, timer: {kvm: {}}}")]
    assert warnings_of(vmi_of(), *zones) == []
    timers = [preset("a", "cpu: {cores: 4}"), preset("b", "cpu: {cores: 4}"), preset("c", "ioThreadsPolicy: auto")]
    assert warnings_of(vmi_of("cpu: {cores: 2}"), *timers) == [
        (name, "spec.domain.cpu.cores", "the VM's own is kept, not 4") for name in "ab"
    ]
    amounts = [preset(name, f"resources: {{requests: {{cpu: {cpu}}}}}") for name, cpu in (("a", "1"), ("b", "1"))]
    assert warnings_of(vmi_of("resources: {requests: {cpu: 2}}"), *amounts) == [
        (name, "spec.domain.resources.requests.cpu", "the VM's own is kept, not '1'") for name in "ab"
    ]


def test_what_the_vm_says_itself_is_kept_and_told():
    assert warnings_of(vmi_of("cpu: {cores: 2}"), preset(domain="cpu: {cores: 4}")) == [
        ("a", "spec.domain.cpu.cores", "the VM's own is kept, not 4")
    ]
    assert warnings_of(vmi_of("cpu: {cores: 4}"), preset(domain="cpu: {cores: 4}")) == []
    assert warnings_of(vmi_of("cpu: {cores: 4}"), preset(domain="cpu: {threads: 2}")) == [
        ("a", "spec.domain.cpu.threads", "2 is left out")
    ]
    assert warnings_of(
        vmi_of("devices: {watchdog: {name: w}}"), preset(domain="devices: {watchdog: {name: v}, rng: {}}")
    ) == [("a", "spec.domain.devices.watchdog.name", "the VM's own is kept, not 'v'")]


@pytest.mark.parametrize(
    ("place", "own", "others", "value"),
    [
        ("resources.requests.memory", "2Gi", "1Gi", "'1Gi'"),
        ("cpu.model", "Penryn", "Haswell", "'Haswell'"),
        ("firmware.uuid", "b", "a", "'a'"),
        ("features.apic.enabled", "true", "false", "False"),
        ("clock.timezone", "CET", "UTC", "'UTC'"),
        ("clock.timer.hpet.tickPolicy", "delay", "merge", "'merge'"),
        ("devices.watchdog.name", "b", "a", "'a'"),
        ("ioThreadsPolicy", "auto", "shared", "'shared'"),
    ],
)
def test_every_part_that_a_preset_fills_in_may_be_the_vms_own(place, own, others, value):
    def domain(text):
        steps = place.split(".")
        return ": {".join(steps) + f": {text}" + "}" * (len(steps) - 1)

    assert warnings_of(vmi_of(domain(own)), preset(domain=domain(others))) == [
        ("a", f"spec.domain.{place}", f"the VM's own is kept, not {value}")
    ]


def test_of_what_a_preset_cannot_fill_in_nothing_is_said():
    assert warnings_of(vmi_of(), preset(domain="{devices: {rng: {}, sound: {name: s}}, memory: {guest: 1Gi}}")) == []
