"""What a class file's sizes and variants come to."""

import pytest

P = "instancetype.kubevirt.io/"


def test_one_declaration_gives_both_kinds(catalog):
    objects = catalog.load().objects()
    cluster, namespaced = ([manifest for manifest in objects if manifest["kind"] == kind] for kind in KINDS[:2])
    assert [obj["metadata"]["name"] for obj in cluster] == ["m.large", "m.small"]
    for one, other in zip(cluster, namespaced, strict=True):
        assert one | {"kind": ""} == other | {"kind": ""}


KINDS = (
    *("VirtualMachineClusterInstancetype", "VirtualMachineInstancetype"),
    *("VirtualMachineClusterPreference", "VirtualMachinePreference"),
)


def test_objects_come_by_kind_then_by_name(catalog):
    objects = catalog.load().objects()
    assert [obj["kind"] for obj in objects] == [KINDS[0]] * 2 + [KINDS[1]] * 2 + [KINDS[2], KINDS[3]]


def test_objects_are_fresh_each_time(catalog):
    loaded = catalog.load()
    loaded.objects()[0]["spec"]["cpu"]["guest"] = 99
    assert loaded.objects()[0]["spec"]["cpu"]["guest"] == 4


def test_entries_keep_the_order_of_their_declaration_and_know_their_place(catalog):
    loaded = catalog.load()
    assert [instancetype.size for instancetype in loaded.instancetypes] == ["small", "large"]
    assert [instancetype.source.line for instancetype in loaded.instancetypes] == [4, 5]
    assert loaded.instancetypes[0].source.file.endswith("instancetypes/m.yaml")


@pytest.mark.parametrize(
    ("ratio", "size", "memory"),
    [
        ("4Gi", "{vcpus: 2}", "8Gi"),
        ("1.5Gi", "{vcpus: 1}", "1536Mi"),
        ("0.5Gi", "{vcpus: 4}", "2Gi"),
        ("4G", "{vcpus: 2}", "8G"),
        ("4Gi", "{vcpus: 1, memory: 512Mi}", "512Mi"),
        ("4Gi", "{vcpus: 1, memory: 1.5Gi}", "1.5Gi"),
        ("4Gi", "{vcpus: 2, memoryPerVcpu: 1Gi}", "2Gi"),
        ("'{{ vcpus }}Gi'", "{vcpus: 3}", "9Gi"),
        ("4Gi", "{vcpus: 1, memory: 1073741824}", "1073741824"),
        ("4Gi", "{vcpus: 4, memory: '{{ vcpus }}Gi'}", "4Gi"),
        ("9223372036854775807", "{vcpus: 1}", "9223372036854775807"),
        ("null", "{spec: {cpu: {guest: 2}, memory: {guest: 3Gi}}}", "3Gi"),
    ],
)
def test_memory_follows_the_ratio_unless_the_size_says_else(sized, ratio, size, memory):
    instancetype = sized(f"class: m\nmemoryPerVcpu: {ratio}\nsizes: {{s: {size}}}\n")
    assert instancetype["spec"]["memory"]["guest"] == memory
    assert instancetype["metadata"]["labels"][f"{P}memory"] == memory


def test_a_size_that_breaks_the_ratio_is_known(catalog):
    text = (
        "class: m\nmemoryPerVcpu: 4Gi\nsizes: {a: {vcpus: 1}, b: {vcpus: 1, memory: 1Gi}, c: {vcpus: 2, memory: 8Gi}}"
    )
    loaded = catalog.load({"instancetypes/m.yaml": text})
    assert {instancetype.size: instancetype.breaks_ratio for instancetype in loaded.instancetypes} == {
        "a": False,
        "b": True,
        "c": False,
    }


def test_variants_are_a_last_layer_over_the_sizes_that_have_them(catalog):
    text = """
        class: m
        version: 2
        memoryPerVcpu: 1Gi
        spec: {memory: {hugepages: {pageSize: 2Mi}}}
        sizes: {small: {vcpus: 1}, large: {vcpus: 4}}
        variants:
          1gi: {sizes: [large], spec: {memory: {hugepages: {pageSize: 1Gi}}}}
          fat: {memoryPerVcpu: 8Gi}
        """
    loaded = catalog.load({"instancetypes/m.yaml": text})
    by_name = {instancetype.name: instancetype for instancetype in loaded.instancetypes}
    assert list(by_name) == ["m2.small", "m2.smallfat", "m2.large", "m2.large1gi", "m2.largefat"]
    assert by_name["m2.large1gi"].spec["memory"]["hugepages"] == {"pageSize": "1Gi"}
    assert by_name["m2.large1gi"].labels[f"{P}hugepages"] == "1Gi"
    assert by_name["m2.large1gi"].labels[f"{P}size"] == "large1gi"
    assert str(by_name["m2.largefat"].memory) == "32Gi"
    assert (by_name["m2.large1gi"].variant, by_name["m2.large1gi"].version) == ("1gi", "2")


def test_names_follow_a_template(catalog):
    text = "class: compute.exclusive\nname: 'cx1.{{ size }}'\nmemoryPerVcpu: 1Gi\nsizes: {big: {vcpus: 1}}\n"
    (entry,) = catalog.load({"instancetypes/m.yaml": text}).instancetypes
    assert entry.name == "cx1.big"
    assert entry.labels[f"{P}class"] == "compute.exclusive"


@pytest.mark.parametrize(
    ("spec", "label", "value"),
    [
        ("{cpu: {dedicatedCPUPlacement: true}}", "dedicatedCPUPlacement", "true"),
        ("{cpu: {dedicatedCPUPlacement: false}}", "dedicatedCPUPlacement", None),
        ("{cpu: {isolateEmulatorThread: true}}", "isolateEmulatorThread", "true"),
        ("{cpu: {numa: {guestMappingPassthrough: {}}}}", "numa", "true"),
        ("{cpu: {realtime: {}}}", "realtime", "true"),
        ("{memory: {hugepages: {pageSize: 1Gi}}}", "hugepages", "1Gi"),
        ("{gpus: [{name: a, deviceName: b/c}]}", "gpus", "true"),
        ("{}", "gpus", None),
        ("{}", "cpu", "2"),
        ("{}", "memory", "2Gi"),
        ("{}", "size", "s"),
        ("{}", "class", "m"),
        ("{}", "version", None),
        ("{}", "vendor", "example.org"),
    ],
)
def test_labels_restate_the_spec(sized, spec, label, value):
    instancetype = sized(f"class: m\nmemoryPerVcpu: 1Gi\nspec: {spec}\nsizes: {{s: {{vcpus: 2}}}}\n")
    assert instancetype["metadata"]["labels"].get(f"{P}{label}") == value


def test_texts_become_annotations(sized):
    instancetype = sized("class: m\ndisplayName: D\ndescription: Text.\nsizes: {s: {vcpus: 1, memory: 1Gi}}\n")
    assert instancetype["metadata"]["annotations"] == {f"{P}displayName": "D", f"{P}description": "Text."}


def test_layers_run_from_the_catalog_to_the_size(catalog):
    files = {
        "catalog.yaml": """
            name: test
            kubevirt: v1.9.0
            labels: {a: catalog, b: catalog, c: catalog, d: catalog}
            instancetypes: {labels: {b: kind, c: kind, d: kind}, components: [x]}
            """,
        "components.yaml": "x: {labels: {d: component, e: component}}\n",
        "instancetypes/m.yaml": """
            class: m
            labels: {c: class, d: class}
            sizes: {s: {vcpus: 1, memory: 1Gi, labels: {d: size, e: null}}}
            """,
    }
    labels = catalog.entry("m.s", files)["metadata"]["labels"]
    assert {key: labels.get(key) for key in "abcde"} == {
        "a": "catalog",
        "b": "kind",
        "c": "class",
        "d": "size",
        "e": None,
    }


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ("sizes: {s: {}}", "3:9: sizes.s: the size has no `vcpus`"),
        ("sizes: {s: {vcpus: 0}}", "3:13: sizes.s.vcpus: 0 is out of range: it must be from 1 to 4294967295"),
        ("sizes: {s: {vcpus: two}}", "3:13: sizes.s.vcpus: must be an integer, not the string 'two'"),
        (
            "sizes: {s: {vcpus: '{{ 1.5 }}'}}",
            "3:13: sizes.s.vcpus: the number of vCPUs must be a whole number from 1, not 1.5",
        ),
        ("name: '{{ nope }}'\nsizes: {s: {vcpus: 1, memory: 1Gi}}", "3:1: name: the expression uses 'nope'"),
        ("sizes: {s: {vcpus: 1}}", "3:1: sizes: s has no `memory`, and its class no `memoryPerVcpu`"),
        ("sizes: {s: {vcpus: 1, memory: lots}}", "3:23: sizes.s.memory: 'lots' is not a quantity"),
        ("sizes: {s: {vcpus: 1, memory: 0}}", "3:23: sizes.s.memory: the memory must be more than 0"),
        ("sizes: {s: {vcpus: 1, memory: -1Gi}}", "3:23: sizes.s.memory: the memory must be more than 0, not -1Gi"),
        ("sizes: {s: {vcpus: 1, memory: 1500m}}", "3:23: sizes.s.memory: 1500m is not a whole number of bytes"),
        ("sizes: {s: {vcpus: 1, memory: 1e19}}", "3:23: sizes.s.memory: 10000000000000000000 is more memory than"),
        (
            "memoryPerVcpu: 4Ei\nsizes: {s: {vcpus: 2}}",
            "3:1: memoryPerVcpu: 2 x 4Ei is more memory than Kubernetes can",
        ),
        ("memoryPerVcpu: 2.5\nsizes: {s: {vcpus: 1}}", "3:1: memoryPerVcpu: 1 x 2500m is not a whole number of bytes"),
        (
            "sizes: {s: {vcpus: 1, memory: 1Gi, spec: {cpu: {guest: 2}}}}",
            "3:49: sizes.s.spec.cpu.guest: the size has 1 vCPUs, and this says 2; leave it out",
        ),
        (
            "sizes: {s: {vcpus: 1, memory: 1Gi, spec: {memory: {guest: 2Gi}}}}",
            "3:52: sizes.s.spec.memory.guest: the size has 1Gi of memory, and this says 2Gi; leave it out",
        ),
        (
            "sizes: {s: {vcpus: 1, memory: 1Gi}}\nvariants: {v: {sizes: [t]}}",
            "4:24: variants.v.sizes[0]: the class has no size 't'",
        ),
        ("sizes: {S: {vcpus: 1, memory: 1Gi}}", "3:9: sizes.S: Kubernetes refuses the name 'm.S'"),
        (
            f"name: {'x' * 253}{{{{ size }}}}\nsizes: {{s: {{vcpus: 1, memory: 1Gi}}}}",
            f"4:9: sizes.s: the name {'x' * 80!r}… is longer than 253 characters",
        ),
        ("sizes: 3", "3:1: sizes: must be a map, not the number 3"),
        (
            "labels: {x: 1}\nsizes: {s: {vcpus: 1, memory: 1Gi}}",
            "3:10: labels.x: must be a string, not the number 1: quote it",
        ),
        (
            "labels: {x: 'a b'}\nsizes: {s: {vcpus: 1, memory: 1Gi}}",
            "3:10: labels.x: Kubernetes refuses the label value 'a b'",
        ),
        ("labels: {-x: a}\nsizes: {s: {vcpus: 1, memory: 1Gi}}", "3:10: labels.-x: Kubernetes refuses the key '-x'"),
        (
            "labels: {instancetype.kubevirt.io/cpu: '1'}\nsizes: {s: {vcpus: 1, memory: 1Gi}}",
            "3:10: labels[instancetype.kubevirt.io/cpu]: instancetype.kubevirt.io/cpu is derived",
        ),
        (
            "spec: {gpus: [{deviceName: a/b}]}\nsizes: {s: {vcpus: 1, memory: 1Gi}}",
            "3:15: spec.gpus[0].name: is required",
        ),
        (
            "spec: {gpus: [null]}\nsizes: {s: {vcpus: 1, memory: 1Gi}}",
            "3:15: spec.gpus[0]: an item of a list cannot be null",
        ),
        (
            "spec: {cpu: {maxSocket: 1}}\nsizes: {s: {vcpus: 1, memory: 1Gi}}",
            "3:14: spec.cpu.maxSocket: unknown field 'maxSocket'; did you mean 'maxSockets'?",
        ),
        (
            "spec: {cpu: {maxSockets: '{{ size }}'}}\nsizes: {s: {vcpus: 1, memory: 1Gi}}",
            "3:14: spec.cpu.maxSockets: must be an integer, not the string 's'",
        ),
    ],
)
def test_faults_of_a_class_have_their_place(catalog, files, problem):
    problems = catalog.problems({"instancetypes/m.yaml": f"class: m\ndisplayName: M\n{files}\n"})
    assert len(problems) == 1
    assert problems[0].startswith(f"instancetypes/m.yaml:{problem}")


def test_a_missing_class_or_table_of_sizes_is_a_fault(catalog):
    problems = catalog.problems({"instancetypes/m.yaml": "displayName: M\n"})
    assert problems == [f"instancetypes/m.yaml:1:1: {key}: is required" for key in ("class", "sizes")]


def test_a_misspelt_key_is_reported_alone(catalog):
    text = "class: m\nmemoryPerVCPU: 4Gi\nsizes: {s: {vcpus: 1}, t: {vcpu: 1}}\n"
    assert catalog.problems({"instancetypes/m.yaml": text}) == [
        "instancetypes/m.yaml:2:1: memoryPerVCPU: unknown field 'memoryPerVCPU'; did you mean 'memoryPerVcpu'?",
        "instancetypes/m.yaml:3:28: sizes.t.vcpu: unknown field 'vcpu'; did you mean 'vcpus'?",
    ]
