"""VM templates: plain manifests, and templates rendered for environments."""

import pytest

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: {name}
spec:
  runStrategy: Always
  instancetype: {{name: m.small}}
  template:
    spec:
      domain: {{devices: {{}}}}
"""
TEMPLATE = VM.replace("{name}", "web").replace("{{", "{").replace("}}", "}").replace("m.small", "{{ size }}")
OVERLAYS = "production: {}\nlab: {scope: namespaced, namespace: virt-lab}\n"


def test_a_plain_manifest(catalog):
    (vm,) = catalog.load({"vms/small/one.yaml": VM.format(name="one")}).vms
    assert (vm.key, vm.name, vm.file, vm.environment) == ("small/one", "one", "vms/small/one.yaml", "")
    assert vm.manifest["spec"]["instancetype"] == {"name": "m.small"}
    assert vm.source.line == 1


def test_a_file_may_hold_companions_and_several_vms(catalog):
    claim = "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
    one, two = catalog.load({"vms/x.yaml": VM.format(name="a") + "---\n" + VM.format(name="b") + claim}).vms
    assert [one.key, two.key] == ["x.a", "x.b"]
    assert [companion["metadata"]["name"] for companion in two.companions] == ["data"]
    assert two.source.line == 12


def test_a_template_is_rendered_for_each_environment(catalog):
    files = {
        "overlays.yaml": OVERLAYS,
        "vms/web.yaml.j2": TEMPLATE
        + "  # {{ environment }} {{ namespace }} {{ instancetypeKind }} {{ preferenceKind }} {{ gpu }}\n",
        "vms.yaml": "web.yaml.j2: {parameters: {size: m.small}, environments: {production: {size: m.large}, lab: }}\n",
    }
    production, lab = catalog.load(files).vms
    assert (production.key, lab.key) == ("web.production", "web.lab")
    assert production.manifest["spec"]["instancetype"]["name"] == "m.large"
    assert (lab.environment, lab.parameters) == ("lab", {"size": "m.small"})


def test_a_template_without_environments_is_rendered_once_with_the_parameters_of_the_catalog(catalog):
    (vm,) = catalog.load({"vms/web.yaml.j2": TEMPLATE.replace("{{ size }}", "{{ gpu }}")}).vms
    assert (vm.key, vm.manifest["spec"]["instancetype"]["name"]) == ("web", "example.org/gpu")


@pytest.mark.parametrize(
    ("vms", "problem"),
    [
        ("wep.yaml.j2: {}", "vms.yaml:1:1: [wep.yaml.j2]: there is no vms/wep.yaml.j2; did you mean 'web.yaml.j2'?"),
        ("plain.yaml: {}", "vms.yaml:1:1: [plain.yaml]: vms/plain.yaml is no template: those are named *.yaml.j2"),
        (
            "web.yaml.j2: {environments: {prod: {size: x}}}",
            "vms.yaml:1:30: [web.yaml.j2].environments.prod: overlays.yaml has no environment",
        ),
        (
            "web.yaml.j2: {parameters: {size: x}, environments: {lab: {sise: x}}}",
            "vms.yaml:1:59: [web.yaml.j2].environments.lab.sise: the template has no parameter 'sise'",
        ),
        (
            "web.yaml.j2: {parameters: {size: null}, environments: {lab: {}}}",
            "vms.yaml:1:56: [web.yaml.j2].environments.lab: the parameter 'size' has no value",
        ),
        ("web.yaml.j2: {parameter: {}}", "vms.yaml:1:15: [web.yaml.j2].parameter: unknown field 'parameter'"),
        (
            "web.yaml.j2: {parameters: {syze: x}}",
            "vms/web.yaml.j2:7:27: the expression uses 'size', which is unknown here",
        ),
    ],
)
def test_faults_of_renderings_have_their_place(catalog, vms, problem):
    files = {
        "overlays.yaml": OVERLAYS,
        "vms/web.yaml.j2": TEMPLATE,
        "vms/plain.yaml": VM.format(name="one"),
        "vms.yaml": vms,
    }
    assert any(text.startswith(problem) for text in catalog.problems(files))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            ("runStrategy", "runStategy"),
            "6:3: spec.runStategy: unknown field 'runStategy'; did you mean 'runStrategy'?",
        ),
        (("name: one", "name: One"), "4:3: metadata.name: Kubernetes refuses the name 'One'"),
        (("name: one", "labels: {}"), "3:1: metadata.name: the VirtualMachine has no name"),
        (
            ("kubevirt.io/v1", "kubevirt.io/v2"),
            "1:1: apiVersion: a VirtualMachine is of kubevirt.io/v1, not 'kubevirt.io/v2'",
        ),
        (
            ("kubevirt.io/v1", "kubevirt.io/v1alpha3"),
            "1:1: apiVersion: a VirtualMachine is of kubevirt.io/v1, not 'kubevirt.io/v1alpha3'",
        ),
        (("kind: VirtualMachine", "kind: Pod"), "1:1: holds no VirtualMachine"),
        (("devices: {}", "devices: []"), "10:16: spec.template.spec.domain.devices: must be a map, not a list"),
        (("Always\n", "Always\n  runStrategy: Halted\n"), "7:3: the key 'runStrategy' is here twice, first in line 6"),
        (("apiVersion", "["), "1:2: is not YAML"),
    ],
)
def test_faults_of_a_vm_have_their_place(catalog, change, problem):
    texts = catalog.problems({"vms/one.yaml": VM.format(name="one").replace(*change)})
    assert any(text.startswith(f"vms/one.yaml:{problem}") for text in texts), texts


def test_a_fault_of_a_rendering_is_where_the_template_says_so(catalog):
    files = {
        "overlays.yaml": OVERLAYS,
        "vms.yaml": "web.yaml.j2: {parameters: {size: x}, environments: {lab: {}}}\n",
        "vms/web.yaml.j2": "{% if true %}\n# a comment\n{% endif %}\n" + TEMPLATE.replace("runStrategy", "runStategy"),
    }
    (text,) = catalog.problems(files)
    assert text.startswith("vms/web.yaml.j2:9:3: spec.runStategy: unknown field 'runStategy'; did you mean")
    assert text.endswith("(rendered for lab)")


def test_fields_newer_than_the_oldest_release_are_faults(catalog):
    files = {
        "catalog.yaml": "name: x\nkubevirt: v1.3.0\n",
        "preferences/linux.yaml": "preferences: {}\n",
        "vms/one.yaml": VM.format(name="one").replace("devices: {}", "devices: {video: {type: virtio}}"),
    }
    (text,) = catalog.problems(files)
    assert "'video' needs KubeVirt v1." in text


def test_of_overlays_that_cannot_be_read_no_environment_is_missed(catalog):
    vm = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: a}, spec: {template: {}}}\n"
    files = {"overlays.yaml": "", "vms.yaml": "a.yaml.j2: {environments: {lab: {}}}\n", "vms/a.yaml.j2": vm}
    assert catalog.problems(files) == ["overlays.yaml: is empty"]
