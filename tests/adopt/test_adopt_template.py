"""Templates whose VMs take an instance type and a preference."""

import pytest

from virtcatalog import expand, process
from virtcatalog.adopt.candidates import Candidates, Reference
from virtcatalog.adopt.rewrite import adopt_in_template
from virtcatalog.adopt.shrink import Names
from virtcatalog.errors import UnsupportedError

TYPE = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterInstancetype",
    "metadata": {"name": "m.small"},
    "spec": {"cpu": {"guest": 1}, "memory": {"guest": "4Gi"}},
}
PREFERENCE = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterPreference",
    "metadata": {"name": "linux"},
    "spec": {"devices": {"preferredDiskBus": "virtio", "preferredRng": {}}},
}
CANDIDATES = Candidates([TYPE, PREFERENCE])
BOTH = Names(
    Reference("VirtualMachineClusterInstancetype", "", "m.small"),
    Reference("VirtualMachineClusterPreference", "", "linux"),
)


def template(domain, parameters=()):
    devices = {"disks": [{"name": "${DISK}", "disk": {"bus": "virtio"}}], "rng": {}}
    spec = {
        "domain": {"devices": devices, **domain},
        "volumes": [{"name": "${DISK}", "emptyDisk": {"capacity": "1Gi"}}],
    }
    vm = {"metadata": {"name": "${NAME}"}, "spec": {"runStrategy": "Halted", "template": {"spec": spec}}}
    own = [{"name": "NAME", "generate": "expression", "from": "vm-[a-z]{3}"}, {"name": "DISK", "value": "root"}]
    return {"metadata": {"name": "t"}, "spec": {"virtualMachine": vm, "parameters": [*own, *parameters]}}


def test_what_type_and_preference_say_goes_and_references_stay():
    adopted = adopt_in_template(template({"cpu": {"sockets": 1}, "memory": {"guest": "4Gi"}}), BOTH, CANDIDATES)
    vm = adopted.template["spec"]["virtualMachine"]
    assert vm["spec"]["instancetype"] == {"name": "m.small"}
    assert vm["spec"]["preference"] == {"name": "linux"}
    assert vm["metadata"] == {"name": "${NAME}"}
    assert vm["spec"]["template"]["spec"]["domain"] == {"devices": {"disks": [{"name": "${DISK}"}]}}
    assert (adopted.adoption.outcome, adopted.dropped) == ("adopted", ())


def test_the_domain_is_the_same():
    before = template({"cpu": {"sockets": 1}, "memory": {"guest": "4Gi"}})
    after = adopt_in_template(before, BOTH, CANDIDATES).template
    old, new = (
        expand(process(template_data, {"NAME": "vm"}).vm, CANDIDATES.cluster).domain_xml
        for template_data in (before, after)
    )
    assert old == new is not None


def test_parameters_that_nothing_refers_to_any_more_go():
    own = template({"memory": {"guest": "${MEMORY}"}, "cpu": {"cores": "${{CPUS}}"}}, [
        {"name": "MEMORY", "value": "4Gi"}, {"name": "CPUS", "value": "1"}, {"name": "UNUSED"},
    ])  # fmt: skip
    adopted = adopt_in_template(own, BOTH, CANDIDATES)
    assert adopted.dropped == ("MEMORY", "CPUS")
    assert [parameter["name"] for parameter in adopted.template["spec"]["parameters"]] == ["NAME", "DISK", "UNUSED"]
    assert len(own["spec"]["parameters"]) == 5


def test_another_size_is_told():
    adopted = adopt_in_template(template({"cpu": {"cores": 2}, "memory": {"guest": "8Gi"}}), BOTH, CANDIDATES)
    assert adopted.adoption.outcome == "nearest"
    assert {"memory", "vcpu"} <= {change.place for change in adopted.adoption.shrunk.domain}
    assert "memory" not in adopted.template["spec"]["virtualMachine"]["spec"]["template"]["spec"]["domain"]


def test_one_of_both_alone():
    only = Names(None, BOTH.preference)
    adopted = adopt_in_template(template({"memory": {"guest": "4Gi"}}), only, CANDIDATES)
    spec = adopted.template["spec"]["virtualMachine"]["spec"]
    assert "instancetype" not in spec
    assert spec["template"]["spec"]["domain"]["memory"] == {"guest": "4Gi"}


@pytest.mark.parametrize("parameters", [[{"name": "HOST", "required": True}]])
def test_a_required_value_is_made_up(parameters):
    own = template({"memory": {"guest": "4Gi"}}, parameters)
    own["spec"]["virtualMachine"]["spec"]["template"]["spec"]["hostname"] = "${HOST}"
    adopted = adopt_in_template(own, BOTH, CANDIDATES)
    assert adopted.template["spec"]["virtualMachine"]["spec"]["template"]["spec"]["hostname"] == "${HOST}"


def test_a_vm_that_is_refused_gets_nothing():
    own = template({"memory": {"guest": "4Gi"}})
    own["spec"]["virtualMachine"]["spec"]["template"]["spec"]["volumes"] = []
    adopted = adopt_in_template(own, BOTH, CANDIDATES)
    assert adopted.template is None
    assert [reason.field for reason in adopted.adoption.reasons]


def test_fields_that_a_parameter_gives_as_a_whole_cannot_go():
    own = template({"cpu": "${{CPU}}", "memory": {"guest": "4Gi"}}, [{"name": "CPU", "value": '{"sockets": 1}'}])
    with pytest.raises(UnsupportedError) as raised:
        adopt_in_template(own, BOTH, CANDIDATES)
    assert (raised.value.field, raised.value.message) == (
        "spec.virtualMachine",
        "what goes from this VM depends on the values of its parameters",
    )
