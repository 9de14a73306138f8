"""Objects that are given beside a catalog: names, labels, releases, values."""

from textwrap import dedent

import pytest

TYPE = """\
    apiVersion: instancetype.kubevirt.io/v1beta1
    kind: VirtualMachineClusterInstancetype
    metadata:
      name: {name}
      labels: {labels}
    spec: {{cpu: {{guest: 2}}, memory: {{guest: 4Gi, {memory}}}}}
    """
PREFERENCE = """\
    apiVersion: instancetype.kubevirt.io/v1beta1
    kind: VirtualMachineClusterPreference
    metadata: {{name: {name}, labels: {labels}}}
    spec: {spec}
    """
LABEL = "instancetype.kubevirt.io"


def a_type(name="x.large", labels="{team: a}", memory=""):
    return TYPE.format(name=name, labels=labels, memory=memory)


def a_preference(name="p", labels="{team: a}", spec="{}"):
    return PREFERENCE.format(name=name, labels=labels, spec=spec)


def rules(findings):
    return [finding.rpartition(" ")[2].rstrip("]") for finding in findings]


@pytest.mark.parametrize(
    ("label", "value"),
    [("cpu", "4"), ("memory", "8Gi"), ("hugepages", "2Mi"), ("realtime", "true"), ("dedicatedCPUPlacement", "true")],
)
def test_a_label_that_contradicts_the_spec(imported, label, value):
    (finding,) = imported(a_type(labels=f'{{{LABEL}/{label}: "{value}"}}'))
    assert f"x.large: metadata.labels[{LABEL}/{label}]: the label says '{value}', the spec " in finding
    assert finding.startswith("beside.yaml:5:12: ")
    assert finding.endswith("[error: label-drift]")


def test_labels_that_restate_the_spec_in_their_own_way(imported):
    labels = f'{{{LABEL}/cpu: "2", {LABEL}/memory: 4096Mi, {LABEL}/hugepages: "true", {LABEL}/numa: "false"}}'
    assert imported(a_type(labels=labels, memory="hugepages: {pageSize: 2Mi}")) == []


def test_labels_of_preferences(imported):
    spec = "{requirements: {cpu: {guest: 2}}}"
    assert imported(a_preference(labels=f'{{{LABEL}/required-cpu: "2"}}', spec=spec)) == []
    assert rules(imported(a_preference(labels=f'{{{LABEL}/required-cpu: "1"}}', spec=spec))) == ["label-drift"]
    assert rules(imported(a_preference(labels=f"{{{LABEL}/required-memory: 1Gi}}", spec=spec))) == ["label-drift"]


def test_names_of_the_operator(imported, bench):
    assert rules(imported(a_type("u1.small"))) == ["reserved-name"]
    assert rules(imported(a_preference("fedora"))) == ["reserved-name"]
    assert imported(a_type("u1.small", labels=f"{{{LABEL}/vendor: kubevirt.io}}")) == []
    disabled = "name: test\nkubevirt: v1.9.0\noperator: {commonInstancetypes: disabled}\n"
    assert bench({"catalog.yaml": disabled}, manifests=a_type("u1.small")) == []


def test_names_that_kubernetes_refuses(imported):
    assert rules(imported(a_preference("P"))) == ["invalid-name"]
    assert rules(imported(a_preference(labels="{'a b': c}"))) == ["invalid-name"]
    assert rules(imported(a_preference(labels="{a: 'b c'}"))) == ["invalid-name"]


def test_keys_of_annotations_are_judged_in_lower_case(imported):
    annotated = a_preference().replace("labels:", "annotations: {Example.org/Note: x}, labels:")
    assert imported(annotated) == []
    assert rules(imported(a_preference(labels="{Example.org/Note: x}"))) == ["invalid-name"]


@pytest.mark.parametrize("name", ["v1.2xmedium", "dx1.medium1gi", "m.large.gpu", "a-b.c-d"])
def test_names_of_the_grammar(imported, name):
    assert imported(a_type(name)) == []


@pytest.mark.parametrize("name", ["large", "m.large.gpu.new", "1m.large"])
def test_names_off_the_grammar(imported, name):
    assert rules(imported(a_type(name))) == ["name-grammar"]


def test_objects_that_are_there_twice(imported, bench):
    (finding,) = imported(f"{dedent(a_type())}---\n{dedent(a_type())}")
    assert finding.endswith("x.large: is there twice, first at beside.yaml:1:1 [error: duplicate-object]")
    assert rules(bench(manifests=a_type("m.small"))) == ["duplicate-object"]
    assert bench(manifests=a_type("m.medium")) == []


def test_a_field_newer_than_the_catalogs_release(bench):
    old = {"catalog.yaml": "name: test\nkubevirt: v1.2.0\n"}
    beside = a_type(memory="maxGuest: 8Gi")
    (finding,) = bench(old, manifests=beside)
    assert "spec.memory.maxGuest: 'maxGuest' needs KubeVirt v1.3, and the catalog must work with v1.2.0" in finding
    assert finding.endswith("[error: newer-than-release]")
    assert bench(manifests=beside) == []


def test_newer_fields_of_vms_and_in_lists(bench):
    old = {"catalog.yaml": "name: test\nkubevirt: v1.2.0\n"}
    vm = """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: one}
        spec:
          runStrategy: Always
          template:
            spec:
              domain: {devices: {disks: [{name: root, disk: {}, %s}]}, memory: {guest: 1Gi}}
              volumes: [{name: root, containerDisk: {image: example.org/a}}]
        """
    assert rules(bench(old, manifests=vm % "changedBlockTracking: true")) == ["newer-than-release"]
    assert bench(old, manifests=vm % "serial: abc") == []


def test_nulls_are_dropped_by_the_api_server(imported):
    (finding,) = imported(a_preference(spec="{features: {preferredSmm: null}}"))
    assert "spec.features.preferredSmm: is null" in finding
    assert finding.endswith("[warning: null-value]")
    assert imported(a_preference(spec="{features: {preferredSmm: {}}}")) == []


def vm(**values):
    """A VM that has these: each where it stands for its like."""
    fields = {
        "annotation": "a",
        "evict": "None",
        "value": "b",
        "status": "{}",
        "time": "'2026-01-01T00:00:00Z'",
    } | values
    return """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {{name: one, annotations: {{example.org/a: {annotation}}}}}
        spec:
          runStrategy: Always
          template:
            metadata: {{creationTimestamp: {time}}}
            spec:
              evictionStrategy: {evict}
              domain: {{devices: {{disks: [{{name: root, disk: {{}}, serial: {value}}}]}}, memory: {{guest: 1Gi}}}}
              volumes: [{{name: root, containerDisk: {{image: example.org/a}}}}]
        status: {status}
        """.format(**fields)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, []),
        ({"evict": "null"}, ["spec.template.spec.evictionStrategy: is null"]),
        ({"evict": "null", "time": "null"}, ["spec.template.spec.evictionStrategy: is null"]),
        (
            {"value": "''"},
            [
                'spec.template.spec.domain.devices.disks[0].serial: is "", which is not stored',
                "spec.template.spec.domain.devices.disks[0].serial: is empty",
            ],
        ),
        ({"annotation": "''"}, []),
        ({"annotation": "null pointer"}, []),
        ({"value": "'${SERIAL}'"}, ["spec.template.spec.domain.devices.disks[0].serial: Flux would replace ${SERIAL}"]),
        ({"annotation": "'${SERIAL}'"}, ["metadata.annotations[example.org/a]: Flux would replace ${SERIAL}"]),
    ],
)
def test_values_of_a_vm(imported, values, expected):
    texts = [finding.partition("one: ")[2] for finding in imported(vm(**values)) if "[warning: " in finding]
    assert [text[: len(start)] for text, start in zip(texts, expected, strict=True)] == expected


def test_what_the_cluster_writes_into_a_status_is_nobodys_fault(imported):
    status = "{conditions: [{type: Ready, status: 'True', lastProbeTime: null, message: '${HOME}'}]}"
    assert imported(vm(status=status)) == []


def test_what_the_api_server_drops_or_rewrites_is_no_obstacle(imported):
    spec = "{devices: {preferredDiskBus: null}, requirements: {cpu: {guest: 2.0}, memory: {guest: 1Gi}}}"
    assert rules(imported(a_preference(spec=spec))) == ["null-value"]


def test_kinds_of_other_groups_are_none_of_ours(imported):
    assert imported(a_type().replace("instancetype.kubevirt.io/v1beta1", "example.org/v1")) == []


def test_null_removes_in_a_catalog(bench):
    assert bench.preference("{spec: {features: null}}") == []


def test_empty_strings(bench, imported):
    (finding,) = bench.preference('{spec: {devices: {preferredDiskBus: ""}}}')
    assert finding.startswith("preferences/two.yaml:1:44: ")
    assert finding.endswith(
        "spec.devices.preferredDiskBus: is empty: give it a value or leave it out [warning: empty-string]"
    )
    assert imported(a_preference(spec='{annotations: {flag: ""}}')) == []
    assert imported(a_preference(spec='{volumes: {preferredStorageClassName: ""}}')) != []


@pytest.mark.parametrize("text", ["${HOME}", "a ${x:=3} b", "${a_1}"])
def test_what_flux_would_blank(bench, text):
    (finding,) = bench.preference(f"{{description: '{text}'}}")
    assert "Flux would replace ${" in finding
    assert ": write $${" in finding
    assert finding.endswith("[warning: flux-substitution]")


@pytest.mark.parametrize("text", ["$HOME", "$${HOME}", "${{ x", "100 $", "$(date)"])
def test_what_flux_leaves_alone(bench, text):
    assert bench.preference(f"{{description: '{text}'}}".replace("{{", "{ {")) == []


def test_objects_that_tell_flux_to_leave_them_alone(bench):
    assert bench({"catalog.yaml": "name: test\nkubevirt: v1.9.0\ndescription: '${x}'\ngitops: {flux: {}}\n"}) == []
    annotated = "{description: '${HOME}', annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}}"
    assert bench.preference(annotated) == []


def test_an_instance_type_that_the_catalog_renders_for_a_namespace_is_there_twice(bench):
    beside = """\
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineInstancetype
        metadata: {name: m.small}
        spec: {cpu: {guest: 1}, memory: {guest: 4Gi}}
        """
    (finding,) = bench(manifests=beside)
    assert finding.endswith("m.small: is there twice, first at instancetypes/m.yaml:1:40 [error: duplicate-object]")


def test_a_pool_with_a_field_that_the_oldest_release_does_not_know(bench):
    pool = """\
        apiVersion: pool.kubevirt.io/v1beta1
        kind: VirtualMachinePool
        metadata: {name: web}
        spec:
          selector: {matchLabels: {app: web}}
          virtualMachineTemplate:
            metadata: {labels: {app: web}}
            spec:
              runStrategy: Always
              template: {spec: {serviceAccountName: web, domain: {memory: {guest: 1Gi}, devices: {}}}}
        """
    files = {"catalog.yaml": "name: test\nvendor: example.org\nkubevirt: v1.8.4\n"}
    (finding,) = bench(files, manifests=pool)
    assert "VirtualMachinePool/web: spec.virtualMachineTemplate.spec.template.spec.serviceAccountName" in finding
