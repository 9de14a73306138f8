"""`<clock>`: the guest's time and timers."""

import pytest
from fragments import make_context, make_vmi, part, xml

from virtcatalog.errors import Warning
from virtcatalog.kubevirt.launcher.builder import convert
from virtcatalog.kubevirt.launcher.elements.clock import timer_faults
from virtcatalog.kubevirt.launcher.launch.sync import launch_warnings


def clock(vmi, context=None):
    return part("clock", vmi, context)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("{utc: {}}", '<clock offset="utc" adjustment="reset"/>'),
        ("{utc: {offsetSeconds: -3600}}", '<clock offset="utc" adjustment="-3600"/>'),
        ("{utc: {offsetSeconds: 0}}", '<clock offset="utc" adjustment="0"/>'),
        ("{timezone: Europe/Rome}", '<clock offset="timezone" timezone="Europe/Rome"/>'),
        ("{utc: {}, timezone: Europe/Rome}", '<clock offset="utc" adjustment="reset"/>'),
        ("{timer: {}}", "<clock/>"),
        ("{timer: {hpet: {}}}", '<clock><timer name="hpet" present="yes"/></clock>'),
        ("{timer: {hpet: {present: false}}}", '<clock><timer name="hpet" present="no"/></clock>'),
        (
            "{timer: {rtc: {tickPolicy: catchup, track: guest}}}",
            '<clock><timer name="rtc" present="yes" tickpolicy="catchup" track="guest"/></clock>',
        ),
        (
            "{timer: {hyperv: {}, kvm: {present: true}, pit: {tickPolicy: delay}}}",
            """<clock>
                 <timer name="pit" present="yes" tickpolicy="delay"/>
                 <timer name="kvmclock" present="yes"/>
                 <timer name="hypervclock" present="yes"/>
               </clock>""",
        ),
    ],
)
def test_a_clock(wanted, expected):
    assert xml(clock(make_vmi(f"domain.clock: {wanted}"))) == xml(expected)


def test_no_clock_without_a_wish():
    assert clock(make_vmi(), make_context(tsc_frequency=2_000_000_000)) is None


@pytest.mark.parametrize(
    "text",
    [
        "domain.cpu: {features: [{name: invtsc, policy: require}]}",
        "domain.cpu: {features: [{name: invtsc, policy: force}]}",
        "domain.features: {hyperv: {reenlightenment: {enabled: true}}}",
    ],
)
def test_a_tsc_that_must_tick_alike_everywhere_gets_its_frequency(text):
    expected = '<clock><timer name="tsc" frequency="2000000000"/></clock>'
    assert xml(clock(make_vmi(text), make_context(tsc_frequency=2_000_000_000))) == xml(expected)


@pytest.mark.parametrize(
    "text",
    [
        "domain.cpu: {features: [{name: invtsc}]}",
        "domain.cpu: {features: [{name: invtsc, policy: disable}]}",
        "domain.features: {hyperv: {reenlightenment: {}}}",
    ],
)
def test_other_guests_keep_their_tsc(text):
    assert clock(make_vmi(text), make_context(tsc_frequency=2_000_000_000)) is None


def test_the_tsc_comes_after_the_timers_of_the_vmi():
    vmi = make_vmi(
        """
        domain.clock: {utc: {}, timer: {hpet: {present: false}}}
        domain.features: {hyperv: {reenlightenment: {enabled: true}}}
        """
    )
    assert xml(clock(vmi, make_context(tsc_frequency=10))) == xml(
        """<clock offset="utc" adjustment="reset">
             <timer name="hpet" present="no"/>
             <timer name="tsc" frequency="10"/>
           </clock>"""
    )


def test_no_frequency_without_a_hint():
    assert clock(make_vmi("domain.cpu: {features: [{name: invtsc, policy: require}]}")) is None


POLICIES, TRACKS = "none of delay, catchup, merge, discard", "none of boot, guest, wall, realtime"


@pytest.mark.parametrize(
    ("timer", "faults"),
    [
        ("{}", []),
        ("{hyperv: {}, kvm: {}, hpet: {}, pit: {}, rtc: {}}", []),
        *((f"{{hpet: {{tickPolicy: {word}}}}}", []) for word in ("delay", "catchup", "merge", "discard")),
        *((f"{{rtc: {{track: {word}}}}}", []) for word in ("boot", "guest", "wall", "realtime")),
        (
            "{rtc: {tickPolicy: x, track: y}, pit: {tickPolicy: dely}, hpet: {tickPolicy: z}}",
            [
                ("hpet.tickPolicy", f"'z' is {POLICIES}"),
                ("pit.tickPolicy", f"'dely' is {POLICIES}; did you mean 'delay'?"),
                ("rtc.tickPolicy", f"'x' is {POLICIES}"),
                ("rtc.track", f"'y' is {TRACKS}"),
            ],
        ),
    ],
)
def test_words_that_libvirt_does_not_know(timer, faults):
    wanted = make_vmi(f"domain.clock: {{timer: {timer}}}").spec.domain.clock.timer
    assert list(timer_faults(wanted)) == [
        (field, f"libvirt refuses the domain: {message}") for field, message in faults
    ]


def test_without_timers_there_are_no_faults():
    assert list(timer_faults(None)) == []


def test_words_of_timers_are_warned_of_at_the_launch():
    vmi = make_vmi("domain.clock: {timer: {rtc: {track: y}}}")
    message = f"libvirt refuses the domain: 'y' is {TRACKS}"
    assert launch_warnings(vmi, convert(vmi, make_context())) == [
        Warning("Refused", "spec.template.spec.domain.clock.timer.rtc.track", message)
    ]
