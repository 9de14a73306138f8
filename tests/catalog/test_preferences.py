"""What a file of preferences comes to."""

import pytest

P = "instancetype.kubevirt.io/"


def test_defaults_lie_below_entries_and_those_below_variants(catalog):
    text = """
        defaults: {osType: linux, labels: {a: default, b: default, c: default}}
        preferences:
          linux.one:
            labels: {b: entry, c: entry}
            variants: {desktop: {labels: {c: variant}}}
          linux.two:
        """
    loaded = catalog.load({"preferences/linux.yaml": text})
    labels = {preference.name: {key: preference.labels[key] for key in "abc"} for preference in loaded.preferences}
    assert labels == {
        "linux.one": {"a": "default", "b": "entry", "c": "entry"},
        "linux.one.desktop": {"a": "default", "b": "entry", "c": "variant"},
        "linux.two": {"a": "default", "b": "default", "c": "default"},
    }
    assert [(preference.base, preference.variant) for preference in loaded.preferences][1] == ("linux.one", "desktop")


@pytest.mark.parametrize(
    ("text", "requirements"),
    [
        (
            "{vcpus: 2, memory: 4Gi, arch: arm64}",
            {"cpu": {"guest": 2}, "memory": {"guest": "4Gi"}, "architecture": "arm64"},
        ),
        ("{memory: 1.5Gi}", {"memory": {"guest": "1.5Gi"}}),
        ("{memory: 1073741824}", {"memory": {"guest": "1073741824"}}),
    ],
)
def test_requirements_are_short_for_the_spec(catalog, text, requirements):
    preference = catalog.entry("x", {"preferences/linux.yaml": f"preferences: {{x: {{requirements: {text}}}}}\n"})
    assert preference["spec"]["requirements"] == requirements


def test_a_variant_changes_or_removes_single_requirements(catalog):
    text = """
        preferences:
          x:
            requirements: {vcpus: 2, memory: 4Gi}
            variants:
              more: {requirements: {vcpus: 8}}
              less: {requirements: {vcpus: null}}
              none: {requirements: null}
        """
    loaded = catalog.load({"preferences/linux.yaml": text})
    requirements = {preference.variant: preference.spec.get("requirements") for preference in loaded.preferences}
    assert requirements["more"] == {"cpu": {"guest": 8}, "memory": {"guest": "4Gi"}}
    assert requirements["less"] == {"memory": {"guest": "4Gi"}}
    assert requirements["none"] is None


@pytest.mark.parametrize(
    ("entry", "labels"),
    [
        ("{osType: linux}", {"os-type": "linux"}),
        ("{arch: arm64}", {"arch": "arm64", "preferred-architecture": "arm64", "required-architecture": "arm64"}),
        ("{spec: {preferredArchitecture: s390x}}", {"arch": "s390x", "preferred-architecture": "s390x"}),
        ("{requirements: {arch: amd64}}", {"arch": "amd64", "required-architecture": "amd64"}),
        ("{requirements: {vcpus: 2, memory: 4Gi}}", {"required-cpu": "2", "required-memory": "4Gi"}),
    ],
)
def test_labels_restate_the_declaration(catalog, entry, labels):
    preference = catalog.entry("x", {"preferences/linux.yaml": f"preferences: {{x: {entry}}}\n"})
    assert preference["metadata"]["labels"] == {P + key: value for key, value in labels.items()} | {
        f"{P}vendor": "example.org"
    }


def test_the_architecture_is_but_a_label_before_kubevirt_1_7(catalog):
    files = {
        "catalog.yaml": "name: x\nkubevirt: v1.6.0\n",
        "preferences/linux.yaml": "preferences: {x: {arch: arm64}}\n",
    }
    preference = catalog.entry("x", files)
    assert preference["metadata"]["labels"] == {f"{P}arch": "arm64"}
    assert preference["spec"] == {}


def test_the_display_name_is_an_annotation(catalog):
    preference = catalog.entry(
        "x", {"preferences/linux.yaml": "preferences: {x: {displayName: X, description: Text.}}\n"}
    )
    assert preference["metadata"]["annotations"] == {"openshift.io/display-name": "X", f"{P}description": "Text."}


def test_expressions_know_the_name_and_the_variant(catalog):
    text = "defaults: {annotations: {tags: 'hidden,{{ name }}{{ variant }}'}}\npreferences: {x: {variants: {v: {}}}}\n"
    tags = {
        preference.name: preference.annotations["tags"]
        for preference in catalog.load({"preferences/linux.yaml": text}).preferences
    }
    assert tags == {"x": "hidden,x", "x.v": "hidden,xv"}


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (
            "{requirements: {vcpu: 1}}",
            "1:34: preferences.x.requirements.vcpu: unknown field 'vcpu'; did you mean 'vcpus'?",
        ),
        (
            "{requirements: {vcpus: 0}}",
            "1:34: preferences.x.requirements.vcpus: 0 is out of range: it must be from 1 to 4294967295",
        ),
        ("{requirements: {memory: much}}", "1:34: preferences.x.requirements.memory: 'much' is not a quantity"),
        ("{requirements: {memory: 0}}", "1:34: preferences.x.requirements.memory: the memory must be more than 0"),
        ("{requirements: {memory: '{{ 1 }}Mib'}}", "1:34: preferences.x.requirements.memory: '1Mib' is not a quantity"),
        (
            "{labels: {instancetype.kubevirt.io/vendor: me}}",
            "1:28: preferences.x.labels[instancetype.kubevirt.io/vendor]: instancetype.kubevirt.io/vendor",
        ),
        (
            "{annotations: {openshift.io/display-name: me}}",
            "1:33: preferences.x.annotations[openshift.io/display-name]: openshift.io/display-name is derived",
        ),
        (
            "{spec: {devices: {preferredDiskBus: [x]}}}",
            "1:36: preferences.x.spec.devices.preferredDiskBus: must be a string, not a list",
        ),
        (
            "{labels: {Example.org/A: d}}",
            "1:28: preferences.x.labels[Example.org/A]: Kubernetes refuses the key 'Example.org/A'",
        ),
        ("{annotations: {A/b/C: d}}", "1:33: preferences.x.annotations[A/b/C]: Kubernetes refuses the key 'a/b/c'"),
        ("{annotations: {a/b/c: d}}", "1:33: preferences.x.annotations[a/b/c]: Kubernetes refuses the key 'a/b/c'"),
        ("{osType: 'a b'}", "1:15: preferences.x: Kubernetes refuses the label value 'a b'"),
        (
            "{deprecated: {sunset: someday}}",
            "1:32: preferences.x.deprecated.sunset: 'someday' is not a date such as 2027-06-01",
        ),
        (
            "{deprecated: {sunset: 2027-02-30}}",
            "1:32: preferences.x.deprecated.sunset: '2027-02-30' is not a date such as 2027-06-01",
        ),
        ("{deprecated: {replacedBy: z}}", "1:32: preferences.x.deprecated.replacedBy: 'z' is no object of the catalog"),
        ("{deprecated: {replacedBy: x}}", "1:32: preferences.x.deprecated.replacedBy: 'x' is the object itself"),
        ("{deprecated: true}", "1:19: preferences.x.deprecated: must be a map, not the boolean true"),
        ("{components: [nope]}", "1:32: preferences.x.components[0]: there is no component 'nope'"),
        ("3", "1:15: preferences.x: must be a map, not the number 3"),
        ("{variants: [a]}", "1:19: preferences.x.variants: must be a map, not a list"),
    ],
)
def test_faults_of_a_preference_have_their_place(catalog, entry, problem):
    problems = catalog.problems({"preferences/linux.yaml": f"preferences: {{x: {entry}}}\n"})
    assert len(problems) == 1
    assert problems[0].startswith(f"preferences/linux.yaml:{problem}")


def test_a_key_of_an_annotation_is_judged_in_lower_case(catalog):
    text = "preferences: {x: {annotations: {Example.org/Note: any}}}\n"
    manifest = catalog.entry("x", {"preferences/linux.yaml": text})
    assert manifest["metadata"]["annotations"]["Example.org/Note"] == "any"


def test_a_fault_of_a_shared_fragment_is_reported_once_and_there(catalog):
    files = {
        "components.yaml": "a: {spec: {preferredTerminationGracePeriodSeconds: '{{ name }}'}}\n",
        "preferences/linux.yaml": "defaults: {components: [a]}\npreferences: {x: {}}\n",
    }
    (problem,) = catalog.problems(files)
    assert problem.startswith("components.yaml:1:12: a.spec.preferredTerminationGracePeriodSeconds: must be an integer")


@pytest.mark.parametrize(
    ("release", "field", "since"),
    [
        ("v1.8.0", "spec: {preferredLaunchSecurity: {}}", "v1.9"),
        ("v1.6.9", "requirements: {arch: arm64}", "v1.7"),
        ("v1.3.0", "spec: {firmware: {preferredEfi: {}}}", "v1.4"),
    ],
)
def test_fields_newer_than_the_oldest_release_are_faults(catalog, release, field, since):
    files = {
        "catalog.yaml": f"name: x\nkubevirt: {release}\n",
        "preferences/linux.yaml": f"preferences: {{x: {{{field}}}}}\n",
    }
    (problem,) = catalog.problems(files)
    assert f"needs KubeVirt {since}, and the catalog must work with {release[:4]}" in problem


def test_deprecation_is_a_label_and_annotations(catalog):
    text = """
        preferences:
          x: {}
          w: {deprecated: {replacedBy: x, sunset: 2027-06-01}, variants: {z: {deprecated: null}}}
        """
    by_name = {preference.name: preference for preference in catalog.load({"preferences/linux.yaml": text}).preferences}
    assert by_name["w"].labels[f"{P}deprecated"] == "true"
    assert by_name["w"].annotations == {f"{P}replacedBy": "x", f"{P}sunset": "2027-06-01"}
    assert by_name["w.z"].deprecated is None
    assert f"{P}deprecated" not in by_name["w.z"].labels


def test_a_class_is_deprecated_size_by_size(catalog):
    files = {
        "instancetypes/m.yaml": """
            class: m
            deprecated: {replacedBy: 'm2.{{ size }}'}
            sizes: {s: {vcpus: 1, memory: 1Gi}}
            """,
        "instancetypes/m2.yaml": "class: m\nversion: 2\nsizes: {s: {vcpus: 1, memory: 1Gi}}\n",
    }
    first, second = catalog.load(files).instancetypes
    assert (first.name, first.deprecated.replaced_by) == ("m.s", "m2.s")
    assert second.deprecated is None
