"""Matchers held against the objects that there are."""

from virtcatalog.create.vm import completed


def kind_of(*kinds, matcher):
    objects = [{"kind": kind, "metadata": {"name": "m"}} for kind in kinds]
    return completed({"spec": {"instancetype": matcher}}, objects)["spec"]["instancetype"]


def test_a_name_that_only_a_namespaced_object_has_gets_its_kind():
    named = {"name": "m"}
    assert kind_of("VirtualMachineInstancetype", matcher=named) == {"kind": "virtualmachineinstancetype", "name": "m"}
    assert kind_of("VirtualMachineInstancetype", "VirtualMachineClusterInstancetype", matcher=named) == named
    assert kind_of("VirtualMachinePreference", matcher=named) == named
    assert kind_of(matcher=named) == named


def test_what_is_said_stays():
    for matcher in ({"name": "m", "kind": "virtualmachineclusterinstancetype"}, {"inferFromVolume": "m"}):
        assert kind_of("VirtualMachineInstancetype", matcher=matcher) == matcher
