"""`<features>`: what the hypervisor offers."""

import pytest
from fragments import TWO_NODES, make_context, make_vmi, part, xml

DEDICATED = "domain.cpu: {sockets: 1, dedicatedCpuPlacement: true}"
OWN_CPU = make_context(topology=TWO_NODES, cpu_set=(0,))
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
    element = part("features", make_vmi(f"domain.features: {wanted}"))
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
    element = part("features", make_vmi(f"domain.features: {{hyperv: {wanted}}}"))
    assert xml(element.find("hyperv")) == xml(f"<hyperv>{expected}</hyperv>")


def test_named_enlightenments_win_over_passthrough():
    vmi = make_vmi("domain.features: {hyperv: {}, hypervPassthrough: {enabled: true}}")
    assert part("features", vmi).find("hyperv").get("mode") is None


def test_a_vmi_that_names_no_feature_gets_none():
    assert xml(part("features", make_vmi())) == xml("<features/>")


@pytest.mark.parametrize("architecture", ["arm64", "s390x"])
def test_only_amd64_has_a_vmport(architecture):
    vmi = make_vmi("domain.features: {}", architecture=architecture)
    assert xml(part("features", vmi)) == xml("<features><acpi/></features>")


def test_dedicated_cpus_are_hinted_to_the_guest():
    vmi = make_vmi(f"domain.features: {{kvm: {{hidden: true}}}}\n{DEDICATED}")
    assert xml(part("features", vmi, OWN_CPU).find("kvm")) == xml(
        '<kvm><hidden state="on"/><hint-dedicated state="on"/></kvm>'
    )
    assert xml(part("features", make_vmi(DEDICATED), OWN_CPU)) == xml(
        '<features><kvm><hint-dedicated state="on"/></kvm></features>'
    )


def test_the_hint_is_for_amd64_only():
    vmi = make_vmi(DEDICATED, architecture="arm64")
    context = make_context("arm64", topology=TWO_NODES, cpu_set=(0,))
    assert xml(part("features", vmi, context)) == xml("<features/>")


def test_realtime_guests_have_no_performance_counters():
    realtime = "{realtime: {}, dedicatedCpuPlacement: %s, sockets: 1}"
    pinned, shared = (make_vmi(f"domain.cpu: {realtime % own}") for own in ("true", "false"))
    assert part("features", pinned, OWN_CPU).find("pmu").get("state") == "off"
    assert part("features", shared).find("pmu") is None


def test_neither_have_tdx_guests():
    vmi = make_vmi("domain.features: {}\ndomain.launchSecurity: {tdx: {}}")
    assert part("features", vmi).find("pmu").get("state") == "off"
    assert part("features", make_vmi("domain.launchSecurity: {tdx: {}}")).find("pmu") is None
