"""An instance type gives a VM its size, and conflicts with a VM that has one."""

import pytest
from aliasing import scribble
from hypothesis import given
from hypothesis import strategies as st
from instancetype_cases import CASES, CONFLICTS
from reading import read_instancetype, read_preference, read_vm, read_vmi

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import CPU, Memory
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.instancetype.apply import apply_instancetype, apply_to_vmi, overcommitted
from virtcatalog.kubevirt.matchers import set_annotations
from virtcatalog.releases import DEFAULT


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_applies(case):
    instancetype, (spec, metadata) = read_instancetype(case.instancetype), read_vmi(case.before)
    assert apply_instancetype(instancetype, None, spec, metadata) == []
    wanted, wanted_metadata = read_vmi(case.after)
    wanted.domain.cpu = wanted.domain.cpu or CPU()
    wanted.domain.cpu.sockets, wanted.domain.cpu.cores, wanted.domain.cpu.threads = 2, 1, 1
    wanted.domain.memory = wanted.domain.memory or Memory()
    wanted.domain.memory.guest = Quantity.parse("2Gi")
    assert (spec, metadata) == (wanted, wanted_metadata)


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_shares_nothing_with_the_catalog(case):
    instancetype, (spec, metadata) = read_instancetype(case.instancetype), read_vmi(case.before)
    untouched = clone(instancetype)
    apply_instancetype(instancetype, None, spec, metadata)
    scribble(spec)
    metadata.annotations["scribbled"] = "on"
    assert instancetype == untouched


@pytest.mark.parametrize("case", CONFLICTS, ids=[case.id for case in CONFLICTS])
def test_conflicts(case):
    instancetype, (spec, metadata) = read_instancetype(case.instancetype), read_vmi(case.vmi)
    assert apply_instancetype(instancetype, None, spec, metadata) == case.fields


def test_conflicts_are_causes_and_keep_the_preference_away():
    spec, metadata = read_vmi("{domain: {cpu: {cores: 1}}, annotations: {k: own}}")
    preference = read_preference("preferredSubdomain: lab")
    causes = apply_to_vmi("a.b", read_instancetype("annotations: {k: v}"), preference, spec, metadata, DEFAULT.traits)
    message = "the instance type decides this: remove it from the VM"
    assert causes == [Cause("FieldValueInvalid", field, message) for field in ("a.b.domain.cpu.cores", "annotations.k")]
    assert spec.subdomain == ""


def test_a_preference_comes_after_its_instance_type():
    spec, metadata = read_vmi("{}")
    preference = read_preference("{annotations: {a: preferred}, preferredLaunchSecurity: {tdx: {}}}")
    instancetype = read_instancetype("{annotations: {a: typed}, launchSecurity: {snp: {}}}")
    assert apply_to_vmi("spec", instancetype, preference, spec, metadata, DEFAULT.traits) == []
    assert metadata.annotations == {"a": "typed"}
    assert spec.domain.launch_security.tdx is None


@pytest.mark.parametrize(
    ("guest", "percent", "requested"),
    [
        ("2Gi", 50, "1Gi"),
        ("4Gi", 15, "3650722304"),  # KubeVirt computes in 32-bit floating point
        ("4G", 15, "3400M"),
        ("2Gi", 100, "0"),
        ("1Gi", 1, "1063004416"),
        ("256Gi", 2**31 - 1, "-5368709Ti"),
        ("512Gi", 2**31 - 1, "-8Ei"),
        ("100Ti", 2**31 - 1, "-8Ei"),
    ],
)
def test_overcommit(guest, percent, requested):
    assert str(overcommitted(Quantity.parse(guest), percent)) == requested


@given(st.integers(1, 2**42), st.integers(1, 100))
def test_overcommit_is_the_share_left_over(units, percent):
    requested = overcommitted(Quantity.of(units), percent).value
    assert requested == pytest.approx(units * (100 - percent) / 100, rel=1e-5, abs=units * 1e-6 + 1)


def test_overcommit_below_zero_is_none():
    spec, metadata = read_vmi("{}")
    apply_instancetype(read_instancetype("memory: {overcommitPercent: -5}"), None, spec, metadata)
    assert spec.domain.resources.requests == {}


@pytest.mark.parametrize(
    ("matchers", "annotations"),
    [
        ("{}", {}),
        (
            "{instancetype: {name: t}, preference: {name: p}}",
            {"kubevirt.io/cluster-instancetype-name": "t", "kubevirt.io/cluster-preference-name": "p"},
        ),
        (
            """instancetype: {name: t, kind: VirtualMachineInstancetypes}
preference: {name: p, kind: virtualmachinepreference}""",
            {"kubevirt.io/instancetype-name": "t", "kubevirt.io/preference-name": "p"},
        ),
        ("instancetype: {name: t, kind: Bogus}", {}),
    ],
)
def test_vmi_is_annotated_with_the_names(matchers, annotations):
    metadata = ObjectMeta()
    set_annotations(read_vm(matchers), metadata)
    assert metadata.annotations == annotations
