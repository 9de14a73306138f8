"""VMs made of templates: parameters, what refers to them, and what becomes of it."""

import json

import pytest
from tests.template.templates import template, vm

import virtcatalog
from virtcatalog import ManifestError, TemplateError, process
from virtcatalog.kubevirt.template import substitute
from virtcatalog.kubevirt.template.process import as_written
from virtcatalog.kubevirt.template.substitute import Substitution


def annotations(values, **parameters):
    """What becomes of annotations in a template with parameters of these values."""
    manifest = template(
        vm(metadata={"annotations": values}), [{"name": name, "value": value} for name, value in parameters.items()]
    )
    return process(manifest).vm["metadata"]["annotations"]


def test_the_vm_is_written_as_kubevirt_writes_it():
    result = process(
        template({"metadata": {"name": "${NAME}"}, "spec": {"template": {}}}, [{"name": "NAME"}]), {"NAME": "a"}
    )
    assert result.vm == {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "a"},
        "spec": {"template": {"metadata": {}, "spec": {"domain": {"devices": {}, "resources": {}}}}},
        "status": {},
    }


class TestSubstitution:
    @pytest.mark.parametrize(
        ("text", "written"),
        [
            ("${A}", "x"),
            ("a${A}b${A}", "axbx"),
            ("${A}${B}", "xy"),
            ("$${A}", "$x"),
            ("\\${A}", "\\x"),
            ("${A", "${A"),
            ("${ A }", "${ A }"),
            ("$A", "$A"),
            ("z${{A}}", "z${{A}}"),
            ("${{A}} ", "${{A}} "),
        ],
    )
    def test_references_in_texts(self, text, written):
        assert annotations({"a": text, "unused": "${A}${B}"}, A="x", B="y")["a"] == written

    def test_references_in_keys(self):
        assert annotations({"${A}": "v", "b${A}": "w"}, A="k") == {"k": "v", "bk": "w"}

    def test_a_value_that_looks_like_a_reference_takes_the_place_of_one_that_follows(self):
        assert annotations({"a": "${A}-${B}"}, A="${B}", B="x") == {"a": "x-${B}"}
        assert annotations({"a": "${A}B}-${B}"}, A="${", B="x") == {"a": "x-${B}"}
        assert annotations({"a": "${A}{B}-${B}"}, A="$", B="x") == {"a": "x-${B}"}
        assert annotations({"a": "$${A}B}-${B}"}, A="{", B="x") == {"a": "x-${B}"}

    @pytest.mark.parametrize(
        ("value", "number"),
        [("4", 4), (" 4 ", 4), ("4.0", 4), ("1e1", 10)],
    )
    def test_a_whole_double_reference_is_a_number(self, value, number):
        manifest = template(vm(domain={"cpu": {"cores": "${{A}}"}, "devices": {}}), [{"name": "A", "value": value}])
        assert process(manifest).vm["spec"]["template"]["spec"]["domain"]["cpu"] == {"cores": number}

    @pytest.mark.parametrize(
        "value",
        [
            *["True", "yes", "00", "NaN", "1e400", "", "x"],
            pytest.param("[" * 500 + "]" * 500, id="levels"),
            pytest.param("[" * 100_000 + "]" * 100_000, id="more levels than json takes"),
        ],
    )
    def test_what_is_no_json_is_a_text(self, value):
        assert annotations({"a": "${{A}}"}, A=value) == {"a": value}

    def test_texts_in_lists(self):
        manifest = template(vm(metadata={"finalizers": ["${A}", "b"]}), [{"name": "A", "value": "a"}])
        assert process(manifest).vm["metadata"]["finalizers"] == ["a", "b"]

    def test_of_two_keys_that_come_to_be_the_same_the_one_that_changed_counts(self):
        assert annotations({"${A}": "changed", "k": "stayed"}, A="k") == {"k": "changed"}
        assert annotations({"k": "stayed", "${A}": "changed"}, A="k") == {"k": "changed"}

    def test_a_list_of_the_value_is_not_looked_into(self):
        manifest = template(vm(metadata={"finalizers": "${{A}}"}), [{"name": "A", "value": '["${A}"]'}])
        assert process(manifest).vm["metadata"]["finalizers"] == ["${A}"]

    def test_null_and_keys_that_are_no_texts_are_refused(self, refusal):
        ((_, field, message),) = refusal(template(vm(metadata={"labels": "${{A}}"}), [{"name": "A", "value": "null"}]))
        assert (field, "cannot stand for null" in message) == ("spec.parameters", True)
        ((_, field, message),) = refusal(
            template(vm(metadata={"labels": {"${{A}}": "x"}}), [{"name": "A", "value": "1"}])
        )
        assert (field, "a key is a text" in message) == ("spec.parameters", True)

    def test_the_work_is_limited(self, refusal):
        many = {str(number): "${A}" for number in range(40)}
        assert (
            "more than 16777216 characters"
            in refusal(template(vm(metadata={"annotations": many}), [{"name": "A", "value": "x" * 2**20}]))[0][2]
        )
        nested = template(vm(metadata={"annotations": {"a": "${A}" * 50_000}}), [{"name": "A", "value": "${"}])
        assert "refer to each other too often" in refusal(nested)[0][2]

    def test_characters_count_before_and_after_values_are_put_in(self, monkeypatch):
        monkeypatch.setattr(substitute, "PROCESSED_CHARACTERS", 24)
        values, data = {"A": "xyz"}, {"key": ["${A}-${A}", "${{A}}"]}
        assert Substitution(values).in_object([data, "abc"]) == [{"key": ["xyz-xyz", "xyz"]}, "abc"]
        with pytest.raises(ValueError, match="more than 24 characters"):
            Substitution(values).in_object([data, "abcd"])

    def test_as_often_as_values_refer_to_each_other(self, monkeypatch, refusal):
        manifest = template(vm(metadata={"name": "${A}-${B}-"}), [{"name": "A", "value": "${B}"}, {"name": "B"}])
        work = len("${A}-${B}-") + len("${B}-${B}-")
        monkeypatch.setattr(substitute, "SUBSTITUTION_WORK", work)
        assert process(manifest).vm["metadata"] == {"name": "-${B}-"}
        monkeypatch.setattr(substitute, "SUBSTITUTION_WORK", work - 1)
        assert len(refusal(manifest)) == 1


class TestNamespace:
    @pytest.mark.parametrize("namespace", ["vms", "${{NS}}", "${NS", "a${{NS}}"])
    def test_one_that_stands_there_is_removed(self, namespace):
        manifest = template(vm(metadata={"namespace": namespace, "name": "${NS}"}), [{"name": "NS", "value": "n"}])
        assert process(manifest).vm["metadata"] == {"name": "n"}

    def test_one_of_a_parameter_stays(self):
        manifest = template(vm(metadata={"namespace": "a-${NS}"}), [{"name": "NS", "value": "n"}])
        assert process(manifest).vm["metadata"]["namespace"] == "a-n"


class TestParameters:
    def test_given_values_replace_the_templates_own(self):
        manifest = template(vm(metadata={"name": "${A}"}), [{"name": "A", "value": "a"}])
        assert process(manifest, {"A": "b"}).vm["metadata"]["name"] == "b"
        assert manifest["spec"]["parameters"] == [{"name": "A", "value": "a"}]

    def test_one_that_is_not_there_is_named_with_what_is(self, refusal):
        assert refusal(template(vm(), [{"name": "NAME"}]), {"NAMES": "x"}) == [
            ("", "spec.parameters", "the template has no parameter 'NAMES'; did you mean 'NAME'?")
        ]
        assert refusal(template(vm(), []), {"A": "x"})[0][2] == "the template has no parameter 'A': it has none"

    @pytest.mark.parametrize(("names", "listed"), [("ABCDE", "A, B, C, D, E"), ("ABCDEF", "A, B, C, D, E, …")])
    def test_some_of_those_that_are_there_are_listed(self, names, listed, refusal):
        parameters = [{"name": name} for name in names]
        assert refusal(template(vm(), parameters), {"wrong": "x", "bad": "x"}) == [
            ("", "spec.parameters", f"the template has no parameter 'bad': it has {listed}"),
            ("", "spec.parameters", f"the template has no parameter 'wrong': it has {listed}"),
        ]

    def test_generated_values_are_told_and_repeat_with_a_seed(self):
        manifest = template(
            vm(metadata={"name": "${A}"}), [{"name": "A", "generate": "expression", "from": "vm-[a-z]{8}"}]
        )
        result = process(manifest, seed=1)
        assert result.generated == {"A": result.vm["metadata"]["name"]} == process(manifest, seed=1).generated
        assert result.generated["A"].startswith("vm-")
        assert process(manifest).generated != process(manifest).generated
        assert process(manifest, {"A": "mine"}).generated == {}

    @pytest.mark.parametrize(
        ("parameters", "type_", "field"),
        [
            ([{"name": ""}], "FieldValueInvalid", "spec.parameters[0].name"),
            ([{"name": "A"}, {"name": "A"}], "FieldValueDuplicate", "spec.parameters[1].name"),
            ([{"name": "A", "required": True}], "FieldValueRequired", "spec.parameters[0].value"),
            ([{"name": "A", "generate": "magic"}], "FieldValueInvalid", "spec.parameters[0].generate"),
            ([{"name": "A", "generate": "expression"}], "FieldValueInvalid", "spec.parameters[0].from"),
            (
                [{"name": "A", "generate": "expression", "from": "[z-a]{1}"}],
                "FieldValueInvalid",
                "spec.parameters[0].from",
            ),
        ],
    )
    def test_the_first_that_is_wrong_is_refused(self, parameters, type_, field, refusal):
        ((cause, where, message),) = refusal(template(vm(), parameters))
        assert (cause, where, bool(message)) == (type_, field, True)

    def test_a_value_makes_the_generator_no_matter(self):
        manifest = template(vm(metadata={"name": "${A}"}), [{"name": "A", "value": "a", "generate": "magic"}])
        assert process(manifest).vm["metadata"]["name"] == "a"


class TestReferences:
    def test_an_undefined_parameter_is_refused_wherever_it_stands(self, refusal):
        manifest = template(vm(metadata={"name": "${A}", "labels": {"${B}": "x"}}), [{"name": "C"}], message="${D}")
        assert [(type_, field) for type_, field, _ in refusal(manifest)] == 3 * [
            ("FieldValueInvalid", "spec.virtualMachine")
        ]
        assert [message.split()[4].strip(",") for *_, message in refusal(manifest)] == ["A", "B", "D"]

    @pytest.mark.parametrize(("name", "at"), [("${B}", "spec.virtualMachine"), ("a", "spec.message")])
    def test_an_undefined_parameter_of_the_message_alone_is_the_message_s_fault(self, name, at):
        with pytest.raises(TemplateError) as error:
            process(template(vm(metadata={"name": name}), [], message="${D}"))
        assert error.value.at == at

    def test_what_nothing_refers_to_is_told(self):
        warned = process(template(vm(), [{"name": "A"}, {"name": "MY-PARAM"}])).warnings
        assert [(warning.field, warning.message) for warning in warned] == [
            ("spec.parameters[0].name", "A is defined but nothing refers to it"),
            ("spec.parameters[1].name", "MY-PARAM is defined but nothing refers to it"),
        ]

    def test_values_that_refer_to_each_other_are_told(self):
        parameters = [{"name": "A", "value": "${B}"}, {"name": "B", "value": "x${A}"}]
        result = process(template(vm(metadata={"annotations": {"a": "${A}", "b": "${B}"}}), parameters))
        assert result.vm["metadata"]["annotations"] == {"a": "${B}", "b": "x${A}"}
        assert [(warning.field, warning.message) for warning in result.warnings] == [
            (
                "spec.parameters[0].value",
                "refers to B, and a value is put in as it is: write what it means; B refers to A in turn",
            ),
            (
                "spec.parameters[1].value",
                "refers to A, and a value is put in as it is: write what it means; A refers to B in turn",
            ),
        ]

    def test_a_value_that_refers_to_itself_is_told_so_once(self):
        parameters = [{"name": "A", "value": "${A}${A}${C}"}, {"name": "B", "value": "${A}"}]
        result = process(template(vm(metadata={"name": "${A}${B}"}), parameters))
        assert [(warning.field, warning.message) for warning in result.warnings] == [
            ("spec.parameters[0].value", "refers to A, and a value is put in as it is: write what it means"),
            ("spec.parameters[1].value", "refers to A, and a value is put in as it is: write what it means"),
        ]

    def test_warnings_are_of_this_kind(self):
        parameters = [{"name": "A"}, {"name": "B", "value": "${B}"}]
        result = process(template(vm(metadata={"name": "${B}"}), parameters))
        assert [(warning.type, warning.field) for warning in result.warnings] == [
            ("Suspect", "spec.parameters[0].name"),
            ("Suspect", "spec.parameters[1].value"),
        ]


class TestConversion:
    @pytest.mark.parametrize(
        ("spec", "field"),
        [
            ({"bogus": 1}, "spec.bogus"),
            ({"RunStrategy": "Always"}, "spec.RunStrategy"),
            ({"dataVolumeTemplates": [{"spec": {"bogus": 1}}]}, "spec.dataVolumeTemplates[0].spec.bogus"),
        ],
    )
    def test_unknown_fields_are_refused(self, spec, field, refusal):
        ((_, where, message),) = refusal(template(vm(spec=spec), []))
        assert (where, message) == ("spec.virtualMachine", f"makes no VirtualMachine: it has no field {field}")

    def test_unknown_fields_of_the_instances_are_dropped_and_case_does_not_matter(self):
        manifest = template(vm(domain={"CPU": {"CORES": 2}, "bogus": 1, "devices": {}}), [])
        domain = process(manifest).vm["spec"]["template"]["spec"]["domain"]
        assert domain == {"cpu": {"cores": 2}, "devices": {}, "resources": {}}

    def test_a_wrong_type_names_its_field(self):
        with pytest.raises(TemplateError) as error:
            process(template(vm(domain={"cpu": {"cores": "2"}, "devices": {}}), []))
        assert error.value.at == "spec.virtualMachine.spec.template.spec.domain.cpu.cores"
        assert "spec.template.spec.domain.cpu.cores: must be an integer, not the string '2'" in str(error.value)

    def test_a_number_that_no_json_holds_is_refused(self, refusal):
        assert len(refusal(template(vm(domain={"cpu": {"cores": 10**400}}), []))) == 1

    @pytest.mark.parametrize(
        ("value", "written"),
        [(1.0, "1"), (-2.0, "-2"), (0.5, "0.5"), (1e20, "100000000000000000000"), (1e21, "1e+21"), (-1e21, "-1e+21")],
    )
    def test_numbers_are_whole_where_they_can_be(self, value, written):
        assert json.dumps(as_written({"b": [value], "a": True})) == f'{{"a": true, "b": [{written}]}}'

    @pytest.mark.parametrize("object_", [None, "x", 5, [1]])
    def test_what_is_no_object_is_refused(self, object_, refusal):
        assert refusal(template(object_, []))[0][1] in ("spec.virtualMachine", "spec.virtualMachine.raw")

    def test_a_manifest_that_is_no_template(self):
        with pytest.raises(ManifestError, match="parameters: must be a list, not the string 'x'"):
            process({"spec": {"parameters": "x"}})


def test_the_message_has_the_values():
    result = process(template(vm(), [{"name": "A", "value": "x"}], message="use ${A}"))
    assert result.message == "use x"
    assert process(template(vm(), [{"name": "A", "value": "1"}], message="${{A}}")).message == "1"


def test_it_is_public():
    assert virtcatalog.process is process
    assert {"Processed", "TemplateError", "process"} <= set(virtcatalog.__all__)
