"""vCPUs become sockets, cores and threads as the preference likes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import read_instancetype, read_preference

from virtcatalog.api.instancetype import CPUPreferences, SpreadOptions, VirtualMachinePreferenceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.preference.topology import (
    DEPRECATED_TOPOLOGIES,
    SPREADS,
    check_spread,
    guest_topology,
    preferred_topology,
    spread_options,
)


def spread(across=None, ratio=None, older=0, topology="spread"):
    options = SpreadOptions(across=across, ratio=ratio) if across or ratio is not None else None
    cpu = CPUPreferences(preferred_cpu_topology=topology, spread_options=options)
    return VirtualMachinePreferenceSpec(cpu=cpu, prefer_spread_socket_to_core_ratio=older)


@pytest.mark.parametrize(("older", "current"), DEPRECATED_TOPOLOGIES.items())
def test_older_spellings_mean_the_same(older, current):
    assert preferred_topology(spread(topology=older)) == current
    assert guest_topology(4, spread(topology=older)) == guest_topology(4, spread(topology=current))


@pytest.mark.parametrize(
    ("preference", "expected"),
    [
        (None, (4, 1, 1)),
        (read_preference("{}"), (4, 1, 1)),
        (read_preference("cpu: {}"), (4, 1, 1)),
        (spread(topology="sockets"), (4, 1, 1)),
        (spread(topology="any"), (4, 1, 1)),
        (spread(topology="cores"), (1, 4, 1)),
        (spread(topology="threads"), (1, 1, 4)),
        (spread(topology="unknown"), (1, 1, 1)),
        (spread(), (2, 2, 1)),
        (spread(older=4), (1, 4, 1)),
        (spread("SocketsCores", 1), (4, 1, 1)),
        (spread("CoresThreads"), (1, 2, 2)),
        (spread("SocketsCoresThreads"), (1, 2, 2)),
        (spread("SocketsCoresThreads", 1), (2, 1, 2)),
        (spread("SocketsCores", 4), (1, 4, 1)),
        (spread("CoresThreads", 4), (1, 1, 4)),
        (spread("CoresThreads", 1), (1, 4, 1)),
        (spread("unknown"), (1, 1, 1)),
    ],
)
def test_four_vcpus(preference, expected):
    assert guest_topology(4, preference) == expected


@pytest.mark.parametrize("topology", ["sockets", "cores", "threads", "any", "spread"])
def test_one_vcpu_is_one_socket(topology):
    assert guest_topology(1, spread(topology=topology)) == (1, 1, 1)


@pytest.mark.parametrize(
    ("preference", "expected"),
    [
        (spread(), (2, "SocketsCores")),
        (spread(older=3), (3, "SocketsCores")),
        (spread("CoresThreads", 4, older=3), (4, "CoresThreads")),
        (spread("CoresThreads", older=3), (3, "CoresThreads")),
        (VirtualMachinePreferenceSpec(), (2, "SocketsCores")),
    ],
)
def test_spread_options(preference, expected):
    assert spread_options(preference) == expected


THREADS = "cannot be spread over 2 threads a core"


def undivided(name, unit):
    return f"cannot be spread across {name}: not divisible by {unit}"


@pytest.mark.parametrize(
    ("vcpus", "preference", "refusal"),
    [
        (4, spread(), None),
        (5, spread(), undivided("SocketsCores", 2)),
        (1, spread(), undivided("SocketsCores", 2)),
        (6, spread(ratio=3), None),
        (4, spread(older=3), undivided("SocketsCores", 3)),
        (4, spread("CoresThreads"), None),
        (3, spread("CoresThreads"), undivided("CoresThreads", 2)),
        (6, spread("SocketsCoresThreads"), undivided("SocketsCoresThreads", "2 threads of each of 2 cores")),
        (12, spread("SocketsCoresThreads", 3), None),
        (8, spread("SocketsCoresThreads"), None),
        (5, spread("SocketsCoresThreads", 1), THREADS),
        (5, spread("SocketsCoresThreads", 0), THREADS),
        (5, spread("unknown"), None),
        (5, spread(topology="cores"), None),
        (5, spread(topology="preferSpread"), undivided("SocketsCores", 2)),
        (5, None, None),
    ],
)
def test_what_does_not_divide_is_refused(vcpus, preference, refusal):
    causes = check_spread(read_instancetype(f"cpu: {{guest: {vcpus}}}"), preference)
    message = f"the instance type's {vcpus} vCPUs {refusal}"
    assert causes == ([Cause("FieldValueInvalid", "instancetype.spec.cpu.guest", message)] if refusal else [])


@pytest.mark.parametrize("across", SPREADS)
def test_a_ratio_of_zero_fails_without_a_field(across):
    """KubeVirt's webhook crashes on the division, so that the VM is refused."""
    message = "the preference spreads vCPUs at a ratio of 0, on which KubeVirt fails"
    assert check_spread(read_instancetype("cpu: {guest: 4}"), spread(across, 0)) == [Cause("", "", message)]


def test_a_vm_without_instance_type_is_not_spread():
    assert check_spread(None, spread(ratio=3)) == []


@given(st.integers(1, 512), st.sampled_from(SPREADS), st.integers(1, 16))
def test_an_admitted_spread_loses_no_vcpu(vcpus, across, ratio):
    preference = spread(across, ratio)
    if not check_spread(read_instancetype(f"cpu: {{guest: {vcpus}}}"), preference):
        sockets, cores, threads = guest_topology(vcpus, preference)
        assert sockets * cores * threads == vcpus
