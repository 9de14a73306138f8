"""What the API server and its webhook refuse of templates."""

import pytest
from tests.template.templates import template, vm

from virtcatalog import Cluster, UnsupportedError, admit
from virtcatalog.errors import Warning
from virtcatalog.kubevirt.template.admission import Admission, admit_template

CLUSTER = Cluster([])


def with_spec(**spec):
    manifest = template(vm(), [])
    return {**manifest, "spec": {**manifest["spec"], **spec}}


def test_a_template_that_makes_a_vm_is_admitted(causes):
    assert causes(template(vm(metadata={"name": "${A}"}), [{"name": "A", "value": "x"}])) == []


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])
def test_the_versions_that_are_served(version, causes):
    assert causes({**template(vm(), []), "apiVersion": f"template.kubevirt.io/{version}"}) == []


def test_a_release_that_does_not_serve_templates():
    with pytest.raises(UnsupportedError, match=r"VirtualMachineTemplates of KubeVirt v1\.8\.4"):
        admit(template(vm(), []), Cluster([], release="v1.8.4"))


def test_a_gate_that_is_disabled():
    developer = {"disabledFeatureGates": ["Template"]}
    kubevirt = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": {"developerConfiguration": developer}},
    }
    (cause,) = admit(template(vm(), []), Cluster([kubevirt]))
    assert (cause.type, cause.field, cause.message) == (
        "FieldValueNotSupported",
        "kind",
        "the feature gate Template is disabled: KubeVirt serves no VirtualMachineTemplates",
    )


@pytest.mark.parametrize("version", ["template.kubevirt.io/v1", "kubevirt.io/v1", None])
def test_other_versions_are_nobodys(version):
    with pytest.raises(UnsupportedError) as error:
        admit({**template(vm(), []), "apiVersion": version}, CLUSTER)
    message = f"{version!r} is no version of VirtualMachineTemplate that KubeVirt serves"
    assert (error.value.field, error.value.message) == ("apiVersion", message)


CONDITION = dict.fromkeys(("type", "status", "reason", "message", "lastTransitionTime"), "x")


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ({**template(vm(), []), "spec": None}, [("FieldValueRequired", "spec")]),
        (with_spec(virtualMachine=None), [("FieldValueRequired", "spec.virtualMachine")]),
        (with_spec(virtualMachine="x"), [("FieldValueTypeInvalid", "spec.virtualMachine")]),
        (with_spec(bogus=1), [("", "spec.bogus")]),
        (with_spec(parameters=[{"name": "A", "Value": "x"}]), [("", "spec.parameters[0].Value")]),
        (with_spec(parameters=[{"value": "x"}]), [("FieldValueRequired", "spec.parameters[0].name")]),
        (with_spec(parameters=[{"name": 5}]), [("FieldValueTypeInvalid", "spec.parameters[0].name")]),
        (
            with_spec(parameters=[{"name": "A", "required": "yes"}]),
            [("FieldValueTypeInvalid", "spec.parameters[0].required")],
        ),
        (
            with_spec(parameters=[{"name": "A", "generate": ""}]),
            [("FieldValueNotSupported", "spec.parameters[0].generate")],
        ),
        (
            with_spec(parameters=[{"name": "A", "from": "[a-z]"}]),
            [("FieldValueInvalid", "spec.parameters[0].from")],
        ),
        ({**template(vm(), []), "metadata": {}}, [("FieldValueRequired", "metadata.name")]),
        ({**template(vm(), []), "metadata": {"name": "A_b"}}, [("FieldValueInvalid", "metadata.name")]),
        (
            {**template(vm(), []), "metadata": {"name": "a", "labels": {"x": 5}}},
            [("FieldValueTypeInvalid", "metadata.labels.x")],
        ),
        ({**template(vm(), []), "metadata": {"name": "a", "bogus": 5}}, [("", "metadata.bogus")]),
        (
            {**template(vm(), []), "status": {"conditions": [{**CONDITION, "observedGeneration": "x"}]}},
            [("FieldValueTypeInvalid", "status.conditions[0].observedGeneration")],
        ),
    ],
)
def test_what_the_schema_refuses(manifest, expected, causes):
    assert causes(manifest) == expected


def test_null_is_silence(causes):
    assert causes(with_spec(message=None, parameters=[{"name": "A", "value": None, "from": None}])) == []


@pytest.mark.parametrize(
    ("manifest", "field"),
    [
        (template(vm(metadata={"name": "${A}"}), []), "spec.virtualMachine"),
        (template(vm(spec={"bogus": 1}), []), "spec.virtualMachine"),
        (template(vm(), [{"name": "A"}, {"name": "A"}]), "spec.parameters[1].name"),
        (template(vm(domain={"cpu": {"cores": "${{A}}"}, "devices": {}}), [{"name": "A"}]), "spec.virtualMachine"),
    ],
)
def test_what_the_webhook_refuses(manifest, field, causes):
    assert [at for _, at in causes(manifest)] == [field]


def test_a_required_parameter_without_a_value_leaves_the_vm_unchecked():
    parameters = [{"name": "B", "value": "x"}, {"name": "A", "required": True}]
    manifest = template(vm(metadata={"name": "${A}${B}"}, spec={"bogus": 1}), parameters)
    message = "a required parameter without a value or generator: nobody checks the VM that the template makes"
    warning = Warning("Suspect", "spec.parameters[1].value", message, "VirtualMachineTemplate/tpl")
    assert admit_template(manifest) == Admission([], [warning])


@pytest.mark.parametrize("fields", [{"value": "x"}, {"generate": "expression", "from": "[x]{1}"}])
def test_one_with_a_value_or_generator_has_it_checked(fields):
    admission = admit_template(template(vm(metadata={"name": "${A}"}), [{"name": "A", "required": True, **fields}]))
    assert (admission.causes, admission.warnings, admission.vm["metadata"]) == ([], [], {"name": "x"})


def test_generated_values_repeat_with_a_seed():
    manifest = template(vm(metadata={"name": "${A}"}), [{"name": "A", "generate": "expression", "from": "[a-z]{20}"}])
    assert admit_template(manifest, seed=1) == admit_template(manifest, seed=1)
    assert admit_template(manifest, seed=1) != admit_template(manifest, seed=2)


def test_what_is_odd_is_told_beside_what_is_refused():
    manifest = template(vm(spec={"bogus": 1}), [{"name": "A"}])
    admission = admit_template(manifest)
    assert [cause.field for cause in admission.causes] == ["spec.virtualMachine"]
    message = "A is defined but nothing refers to it"
    assert admission.warnings == [Warning("Suspect", "spec.parameters[0].name", message, "VirtualMachineTemplate/tpl")]
    assert (admission.at, admission.vm) == ("spec.virtualMachine.spec.bogus", None)


def test_keys_that_are_no_texts_become_texts(causes):
    assert causes(template(vm(metadata={"annotations": {True: "a", 5: "b", 1.5: "c"}}), [])) == []
    assert causes(template(vm(metadata={"annotations": {None: "a"}}), [])) == [
        ("FieldValueInvalid", "spec.virtualMachine.metadata.annotations")
    ]
