"""`virtcatalog template`: whole runs."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main

TEMPLATE = """\
apiVersion: template.kubevirt.io/v1beta1
kind: VirtualMachineTemplate
metadata: {name: web}
spec:
  message: ${NAME} is ready
  parameters:
  - {name: NAME, generate: expression, from: 'web-[a-z]{4}', description: The name.}
  - {name: CPUS, value: "2"}
  - {name: SPARE}
  virtualMachine:
    metadata: {name: "${NAME}"}
    spec:
      runStrategy: Halted
      template: {spec: {domain: {cpu: {cores: "${{CPUS}}"}, devices: {}, memory: {guest: 2Gi}}}}
"""
OPENSHIFT = """\
kind: Template
metadata: {name: web, labels: {a: b}, uid: x}
labels: {lost: "yes"}
parameters: [{name: NAME, required: true}]
objects:
- kind: VirtualMachine
  metadata: {name: "${NAME}"}
  spec: {runStrategy: Halted, template: {spec: {domain: {cpu: {cores: 2}, devices: {rng: {}}, memory: {guest: 4Gi}}}}}
"""
CATALOG = """\
class: m
sizes: {small: {vcpus: 2, memory: 4Gi}, large: {vcpus: 4, memory: 16Gi}}
"""
PREFERENCES = "preferences: {linux.any: {spec: {devices: {preferredRng: {}}}}}\n"


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TEMPLATE)
    Path("o.yaml").write_text(OPENSHIFT)
    Path("p.yaml").write_text("NAME: db-1\nCPUS: 4\n")
    Path("catalog/instancetypes").mkdir(parents=True)
    Path("catalog/catalog.yaml").write_text("name: x\nkubevirt: v1.9.0\n")
    Path("catalog/instancetypes/m.yaml").write_text(CATALOG)
    Path("catalog/preferences").mkdir()
    Path("catalog/preferences/linux.yaml").write_text(PREFERENCES)


def run(*arguments, **options):
    result = CliRunner().invoke(main, ["template", *arguments], **options)
    return f"exit {result.exit_code}\n--- stdout\n{result.stdout}--- stderr\n{result.stderr}"


@pytest.mark.parametrize(
    "arguments",
    [
        ["process", "-f", "t.yaml", "-p", "NAME=web-1"],
        ["process", "-f", "t.yaml", "--seed", "1", "-o", "json"],
        ["process", "-f", "t.yaml", "--params-file", "p.yaml", "-o", "yaml"],
        ["process", "-f", "t.yaml", "--print-params"],
        ["process", "-f", "t.yaml", "-p", "NAMES=x"],
        ["process", "-f", "t.yaml", "-p", "NAME=a", "-p", "CPUS=two"],
        ["process", "-f", "missing.yaml"],
        ["process", "-f", "t.yaml", "--local"],
        ["process", "--name", "web"],
        ["process"],
        ["convert", "-f", "o.yaml"],
        ["convert", "-f", "t.yaml"],
        ["convert", "-f", "o.yaml", "--instancetype", "m.small", "--preference", "linux.any"],
        ["convert", "-f", "o.yaml", "--instancetype", "m.large"],
        ["convert", "-f", "o.yaml", "--instancetype", "m.smal"],
    ],
    ids=" ".join,
)
def test_runs(arguments, snapshot):
    assert run(*arguments) == snapshot


def test_standard_input_is_a_template_too():
    assert "name: web-1\n" in run("process", "-f", "-", "-p", "NAME=web-1", input=TEMPLATE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty: there is nothing to read"),
        ("spec: {", "t.yaml:2:1: is not YAML: the text ends where a value is wanted"),
        ("spec: {parameters: x}\n", "t.yaml:1:8: spec.parameters: must be a list, not the string 'x'"),
        ("a: &a [*a]\n", "t.yaml:1:4: holds itself through an alias"),
        ("kind: x\n--- kind: y\n", "t.yaml:2:1: after --- stands 'kind: y': put it on a line of its own"),
        (
            "spec: {parameters: [{name: A, required: 'yes'}]}\n",
            "required: must be true or false, not the string 'yes'",
        ),
        (
            "metadata: {creationTimestamp: soon}\n",
            "must be a time such as 2026-01-31T12:00:00Z, not the string 'soon'",
        ),
        (
            "spec: {virtualMachine: {a: .nan}}\n",
            "is not a number that JSON can hold; quote it if it is text",
        ),
        ("- " * 500, "is nested more than 200 levels deep"),
        ('{"a":' * 300 + "1" + "}" * 300, "t.yaml:1:1: is nested more than 200 levels deep"),
        ('{"a":' * 99999, "is nested more than 200 levels deep"),
    ],
)
def test_bad_texts_have_a_place(text, message):
    Path("t.yaml").write_text(text)
    output = run("process", "-f", "t.yaml")
    assert output.startswith("exit 2\n--- stdout\n--- stderr\n")
    assert f"{message}\n" in output


def test_expand_says_how_a_template_becomes_a_vm():
    result = CliRunner().invoke(main, ["expand", "-f", "t.yaml"])
    assert result.exit_code == 2
    assert "no VirtualMachine in t.yaml; `virtcatalog template process` makes one of a template" in result.stderr


def test_keys_that_stand_twice_are_told():
    Path("t.yaml").write_text(TEMPLATE.replace("metadata: {name: web}", "metadata: {name: web}\nkind: Again"))
    assert "t.yaml:4:1: the key 'kind' is here twice, first in line 2: this one counts" in run(
        "process", "-f", "t.yaml"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["process", "web", "-f", "t.yaml"], "Error: the template is either web or in t.yaml: give one"),
        (["process", "web", "--name", "db"], "Error: the name is either web or db: give one"),
        (["process"], "Error: which template? Give its file with -f"),
        (
            ["process", "web"],
            "error: the template 'web' is in a cluster, and virtcatalog asks none: get it with kubectl and give -f -",
        ),
        (
            ["convert", "-f", "o.yaml", "--instancetype", "m.smal"],
            "error: there is no virtualmachineclusterinstancetype 'm.smal'; did you mean 'm.small'?",
        ),
        (
            ["convert", "-f", "o.yaml", "--preference", "VirtualMachinePreference/x"],
            "error: there is no virtualmachinepreference 'x'",
        ),
        (["process", "-f", "-"], "<stdin>: is empty: there is nothing to read\n1 problem"),
        (["process", "-f", "gone.yaml"], "gone.yaml: there is no such file or folder\n1 problem"),
    ],
)
def test_what_is_wrong_is_said(arguments, message):
    result = CliRunner().invoke(main, ["template", *arguments], input="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.rpartition("\n\n")[2] == f"{message}\n"


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (
            "requirements: {cpu: {guest: 8}}",
            "spec.instancetype: {}: the preference requires 8 vCPUs, there are 2 (refused by the VM webhook)",
        ),
        (
            "cpu: {preferredCPUTopology: spread, spreadOptions: {ratio: 3}}",
            "instancetype.spec.cpu.guest: {}: the instance type's 2 vCPUs cannot be spread across SocketsCores: not di",
        ),
    ],
)
def test_a_vm_that_is_refused_with_what_it_would_take_is_told_why(spec, why):
    Path("catalog/preferences/linux.yaml").write_text(f"preferences: {{linux.any: {{spec: {{{spec}}}}}}}\n")
    pair = "with VirtualMachineClusterInstancetype m.small and VirtualMachineClusterPreference linux.any"
    output = run("convert", "-f", "o.yaml", "--instancetype", "m.small", "--preference", "linux.any")
    assert output.startswith(f"exit 1\n--- stdout\n--- stderr\n{why.format(pair)}")


def test_a_template_that_names_a_type_may_take_a_preference_and_no_other_type():
    named = OPENSHIFT.replace("cpu: {cores: 2}, ", "").replace(", memory: {guest: 4Gi}", "")
    Path("o.yaml").write_text(named.replace("Halted,", "Halted, instancetype: {name: m.small},"))
    output = run("convert", "-f", "o.yaml", "--preference", "linux.any")
    assert output.startswith("exit 0\n")
    assert "adopts VirtualMachineClusterPreference linux.any, domain unchanged" in output
    output = run("convert", "-f", "o.yaml", "--instancetype", "m.large")
    assert output.startswith("exit 2\n--- stdout\n--- stderr\n")
    assert output.endswith("VM has a spec.instancetype already: remove that, or do not give --instancetype\n")


def test_a_type_of_a_namespace_is_named_with_its_kind():
    output = run("convert", "-f", "o.yaml", "--instancetype", "VirtualMachineInstancetype/m.small")
    assert "      instancetype:\n        kind: VirtualMachineInstancetype\n        name: m.small\n" in output
    assert "--- stderr\nwith VirtualMachineInstancetype m.small the domain is another one:\n" in output
