"""`<features>`: what the hypervisor offers."""

import re

import pytest
from fragments import make_context, make_vmi, xml

from virtcatalog.kubevirt.launcher.elements.features import features
from virtcatalog.kubevirt.launcher.errors import LauncherCrashError
from virtcatalog.kubevirt.launcher.pinning import Pinning

VMPORT = '<vmport state="off"/>'


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("{}", f"<acpi/>{VMPORT}"),
        ("{acpi: {enabled: false}}", VMPORT),
        ("{apic: {}}", f"<acpi/><apic/>{VMPORT}"),
        ("{apic: {enabled: false}}", f"<acpi/>{VMPORT}"),
        ("{smm: {}}", f"<acpi/>{VMPORT}<smm/>"),
        ("{smm: {enabled: false}}", f"<acpi/>{VMPORT}"),
        ("{kvm: {hidden: true}}", f'<acpi/><kvm><hidden state="on"/></kvm>{VMPORT}'),
        ("{kvm: {}}", f'<acpi/><kvm><hidden state="off"/></kvm>{VMPORT}'),
        ("{pvspinlock: {}}", f'<acpi/><pvspinlock state="on"/>{VMPORT}'),
        ("{pvspinlock: {enabled: false}}", f'<acpi/><pvspinlock state="off"/>{VMPORT}'),
        ("{hypervPassthrough: {enabled: true}}", f'<acpi/><hyperv mode="passthrough"/>{VMPORT}'),
        ("{hypervPassthrough: {enabled: false}}", f"<acpi/>{VMPORT}"),
    ],
)
def test_a_feature(wanted, expected):
    element = features(make_vmi(f"domain.features: {wanted}"), make_context(), None)
    assert xml(element) == xml(f"<features>{expected}</features>")


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("{}", ""),
        ("{relaxed: {}}", '<relaxed state="on"/>'),
        ("{relaxed: {enabled: false}}", '<relaxed state="off"/>'),
        ("{spinlocks: {}}", '<spinlocks state="on"/>'),
        ("{spinlocks: {spinlocks: 8191}}", '<spinlocks state="on" retries="8191"/>'),
        ("{vendorid: {vendorid: mine}}", '<vendor_id state="on" value="mine"/>'),
        ("{vendorid: {enabled: false}}", '<vendor_id state="off"/>'),
        ("{synictimer: {}}", '<stimer state="on"/>'),
        ("{synictimer: {direct: {}}}", '<stimer state="on"><direct state="on"/></stimer>'),
        ("{tlbflush: {direct: {enabled: false}}}", '<tlbflush state="on"><direct state="off"/></tlbflush>'),
        ("{tlbflush: {extended: {}}}", '<tlbflush state="on"><extended state="on"/></tlbflush>'),
        (
            "{vapic: {}, vpindex: {}, runtime: {}, synic: {}, reset: {}}",
            '<vapic state="on"/><vpindex state="on"/><runtime state="on"/><synic state="on"/><reset state="on"/>',
        ),
        (
            "{frequencies: {}, reenlightenment: {}, ipi: {}, evmcs: {enabled: false}}",
            '<frequencies state="on"/><reenlightenment state="on"/><ipi state="on"/><evmcs state="off"/>',
        ),
    ],
)
def test_a_hyperv_enlightenment(wanted, expected):
    element = features(make_vmi(f"domain.features: {{hyperv: {wanted}}}"), make_context(), None)
    assert xml(element.find("hyperv")) == xml(f"<hyperv>{expected}</hyperv>")


def test_named_enlightenments_win_over_passthrough():
    vmi = make_vmi("domain.features: {hyperv: {}, hypervPassthrough: {enabled: true}}")
    assert features(vmi, make_context(), None).find("hyperv").get("mode") is None


def test_a_passthrough_that_says_neither_on_nor_off_crashes_the_launcher():
    vmi = make_vmi("domain.features: {hypervPassthrough: {}}")
    with pytest.raises(LauncherCrashError, match=re.escape("spec.domain.features.hypervPassthrough.enabled")):
        features(vmi, make_context(), None)


def test_a_vmi_that_names_no_feature_gets_none():
    assert xml(features(make_vmi(), make_context(), None)) == xml("<features/>")


@pytest.mark.parametrize("architecture", ["arm64", "s390x"])
def test_only_amd64_has_a_vmport(architecture):
    vmi = make_vmi("domain.features: {}", architecture=architecture)
    assert xml(features(vmi, make_context(architecture), None)) == xml("<features><acpi/></features>")


def test_dedicated_cpus_are_hinted_to_the_guest():
    vmi = make_vmi("domain.features: {kvm: {hidden: true}}")
    assert xml(features(vmi, make_context(), Pinning((0,))).find("kvm")) == xml(
        '<kvm><hidden state="on"/><hint-dedicated state="on"/></kvm>'
    )
    assert xml(features(make_vmi(), make_context(), Pinning((0,)))) == xml(
        '<features><kvm><hint-dedicated state="on"/></kvm></features>'
    )


def test_the_hint_is_for_amd64_only():
    vmi = make_vmi(architecture="arm64")
    assert xml(features(vmi, make_context("arm64"), Pinning((0,)))) == xml("<features/>")


def test_realtime_guests_have_no_performance_counters():
    vmi = make_vmi("domain.cpu: {realtime: {}}")
    assert features(vmi, make_context(), Pinning((0,))).find("pmu").get("state") == "off"
    assert features(vmi, make_context(), None).find("pmu") is None


def test_neither_have_tdx_guests():
    vmi = make_vmi("domain.features: {}\ndomain.launchSecurity: {tdx: {}}")
    assert features(vmi, make_context(), None).find("pmu").get("state") == "off"
    assert features(make_vmi("domain.launchSecurity: {tdx: {}}"), make_context(), None).find("pmu") is None
