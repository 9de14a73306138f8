"""VirtualMachineTemplates of OpenShift Templates."""

import pytest
from tests.template.templates import vm

from virtcatalog import TemplateError
from virtcatalog.kubevirt.template.process import convert_template


def openshift(*objects, **fields):
    metadata = {"name": "linux", "namespace": "ns", "labels": {"a": "b"}, "annotations": {"c": "d"}, "uid": "u"}
    return {"kind": "Template", "metadata": metadata, "objects": list(objects), "labels": {"x": "y"}, **fields}


def test_the_one_object_is_the_vm():
    parameters = [{"name": "NAME", "value": "web"}]
    machine = vm(domain={"cpu": {"cores": 2.0}, "devices": {}})
    assert convert_template(openshift(machine, message="hello", parameters=parameters)) == {
        "apiVersion": "template.kubevirt.io/v1beta1",
        "kind": "VirtualMachineTemplate",
        "metadata": {"name": "linux", "namespace": "ns", "labels": {"a": "b"}, "annotations": {"c": "d"}},
        "spec": {"message": "hello", "parameters": parameters, "virtualMachine": machine},
    }


def test_what_it_does_not_say_is_not_there():
    bare = {"metadata": {"uid": "u"}, "objects": [vm()]}
    converted = convert_template(bare)
    assert list(converted) == ["apiVersion", "kind", "spec"]
    assert converted["spec"] == {"virtualMachine": vm()}


@pytest.mark.parametrize("number", [0, 2])
def test_a_template_for_vms_holds_one_object(number):
    with pytest.raises(TemplateError) as error:
        convert_template(openshift(*[vm()] * number))
    (cause,) = error.value.causes
    assert (cause.type, cause.field, cause.message) == (
        "",
        "objects",
        f"a template for VMs holds one object, and this one holds {number}",
    )
    with pytest.raises(TemplateError, match="holds 0"):
        convert_template({**openshift(), "objects": None})
