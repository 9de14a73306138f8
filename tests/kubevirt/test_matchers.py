"""How a VM names its instance type and preference, and what a VMI is told of them."""

import pytest
from reading import read, read_vm

from virtcatalog.api.core import ObjectMeta
from virtcatalog.kubevirt.matchers import (
    MATCHERS,
    apply_annotations,
    instancetype_kind,
    preference_kind,
    set_annotations,
    validate_matchers,
)


@pytest.mark.parametrize(
    ("spelt", "instancetype", "preference"),
    [
        ("", "VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference"),
        ("VirtualMachineInstancetype", "VirtualMachineInstancetype", None),
        ("virtualmachineinstancetypes", "VirtualMachineInstancetype", None),
        ("VirtualMachineClusterInstancetypes", "VirtualMachineClusterInstancetype", None),
        ("VIRTUALMACHINEPREFERENCE", None, "VirtualMachinePreference"),
        ("virtualmachineclusterpreferences", None, "VirtualMachineClusterPreference"),
        ("Instancetype", None, None),
    ],
)
def test_kinds_in_any_spelling(spelt, instancetype, preference):
    assert (instancetype_kind(spelt), preference_kind(spelt)) == (instancetype, preference)
    assert [kind_of(spelt) for kind_of in MATCHERS.values()] == [instancetype, preference]


NAMELESS = "FieldValueNotFound spec.{}: give name or inferFromVolume"
POLICY = "FieldValueInvalid spec.{}.inferFromVolumeFailurePolicy: 'Never' is not a failure policy: use Ignore or Reject"


@pytest.mark.parametrize("field", ["instancetype", "preference"])
@pytest.mark.parametrize(
    ("matcher", "causes"),
    [
        ("{name: a}", []),
        ("{name: a, kind: B}", []),
        ("{inferFromVolume: v}", []),
        ("{inferFromVolume: v, inferFromVolumeFailurePolicy: Ignore}", []),
        ("{inferFromVolume: v, inferFromVolumeFailurePolicy: Reject}", []),
        ("{}", [NAMELESS]),
        ("{kind: B}", [NAMELESS]),
        (
            "{inferFromVolume: v, name: a, kind: B, inferFromVolumeFailurePolicy: Never}",
            [
                "FieldValueNotSupported spec.{}.name: name and inferFromVolume exclude each other",
                "FieldValueNotSupported spec.{}.kind: kind and inferFromVolume exclude each other",
                POLICY,
            ],
        ),
        ("{name: a, inferFromVolumeFailurePolicy: Never}", [POLICY]),
    ],
)
def test_rules_for_matchers(field, matcher, causes):
    refusals = validate_matchers(read_vm(f"{field}: {matcher}"))
    assert [f"{cause.type} {cause}" for cause in refusals] == [cause.format(field) for cause in causes]


def test_the_instance_type_s_come_first():
    refusals = validate_matchers(read_vm("{instancetype: {}, preference: {}}"))
    assert [cause.field for cause in refusals] == ["spec.instancetype"]
    assert validate_matchers(read_vm()) == []


@pytest.mark.parametrize(
    ("own", "of_type", "conflicts"),
    [
        ("{}", "{a: x, b: y}", []),
        ("{a: x, c: z}", "{a: x, b: y}", []),
        ("{a: z, b: z}", "{a: x, b: y}", ["annotations.a", "annotations.b"]),
    ],
)
def test_annotations_of_an_instance_type_are_added(own, of_type, conflicts):
    metadata = ObjectMeta(annotations=read(own))
    assert apply_annotations(read(of_type), metadata) == conflicts
    assert metadata.annotations == read(of_type) | read(own)


@pytest.mark.parametrize(
    ("spec", "annotations"),
    [
        ("{}", {}),
        (
            "{instancetype: {name: a}, preference: {name: b}}",
            {"kubevirt.io/cluster-instancetype-name": "a", "kubevirt.io/cluster-preference-name": "b"},
        ),
        (
            (
                "{instancetype: {name: a, kind: VirtualMachineInstancetype}, "
                "preference: {name: b, kind: VirtualMachinePreference}}"
            ),
            {"kubevirt.io/instancetype-name": "a", "kubevirt.io/preference-name": "b"},
        ),
        ("{instancetype: {name: a, kind: No}, preference: {name: b, kind: No}}", {}),
    ],
)
def test_a_vmi_is_told_their_names(spec, annotations):
    metadata = ObjectMeta()
    set_annotations(read_vm(spec), metadata)
    assert metadata.annotations == annotations
