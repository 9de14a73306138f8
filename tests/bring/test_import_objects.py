"""A set of instance types and preferences as a catalog: what is found in it, and that nothing is changed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling import ALL, thorough
from virtcatalog.bring.objects.catalog import draft, prove
from virtcatalog.bring.objects.facts import difference, flatten, laid_over, tree
from virtcatalog.bring.objects.families import globs, unit
from virtcatalog.bring.objects.naming import component_name
from virtcatalog.bring.objects.read import collected
from virtcatalog.catalog.load import load_catalog
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.difference import leaves
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.merge import merge

ROOT = Path(__file__).parents[2]
OWN = "instancetype.kubevirt.io/"
VERSION = f"{OWN}v1beta1"
CLUSTER = {"types": "VirtualMachineClusterInstancetype", "preferences": "VirtualMachineClusterPreference"}
NAMESPACED = {"types": "VirtualMachineInstancetype", "preferences": "VirtualMachinePreference"}
RNG = {"devices": {"preferredRng": {}}}
DERIVED = ("class", "cpu", "memory", "size")


def make(kind: str, name: str, spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": VERSION, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def a_type(name: str, vcpus: int = 1, memory: str = "1Gi", *, cpu: Any = (), mem: Any = (), **others: Any) -> Any:
    namespace = others.pop("namespace", "")
    metadata = {key: others.pop(key) for key in ("labels", "annotations") if key in others}
    spec = {"cpu": {"guest": vcpus, **dict(cpu)}, "memory": {"guest": memory, **dict(mem)}, **others}
    if namespace:
        return make(NAMESPACED["types"], name, spec, namespace=namespace, **metadata)
    return make(CLUSTER["types"], name, spec, **metadata)


def preference(name: str, spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    kind = NAMESPACED if "namespace" in metadata else CLUSTER
    return make(kind["preferences"], name, spec or {}, **metadata)


def read(*objects: dict[str, Any]) -> list[dict[str, Any]]:
    return collected(
        [("x.json", json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}).encode())], []
    ).manifests


def catalog(*objects: dict[str, Any], relabel: bool = False) -> dict[str, Any]:
    """The files of the catalog that some objects become, as data; it is proved."""
    manifests = read(*objects)
    drafted = draft(manifests, "house", relabel=relabel)
    prove(drafted, manifests, relabel=relabel)
    return {path: next(Text(text).documents())[1] for path, text in drafted.files.items()}


def labelled(name: str, vcpus: int, memory: str, series: str, size: str, **others: Any) -> Any:
    labels = {"class": series, "size": size, "cpu": str(vcpus), "memory": memory}
    return a_type(name, vcpus, memory, labels={OWN + key: value for key, value in labels.items()}, **others)


class TestTypes:
    def test_a_class_has_a_ratio_and_sizes_in_their_order(self):
        files = catalog(
            labelled("m.large", 4, "16Gi", "m", "large"),
            labelled("m.tiny", 1, "512Mi", "m", "tiny"),
            labelled("m.small", 1, "4Gi", "m", "small"),
        )
        assert files["instancetypes/m.yaml"] == {
            "class": "m",
            "memoryPerVcpu": "4Gi",
            "sizes": {"tiny": {"vcpus": 1, "memory": "512Mi"}, "small": {"vcpus": 1}, "large": {"vcpus": 4}},
        }
        assert list(files["instancetypes/m.yaml"]["sizes"]) == ["tiny", "small", "large"]

    def test_names_are_made_of_class_and_version(self):
        objects = [labelled(f"gp2-{size}", 1, "1Gi", "general", size) for size in ("a", "b")]
        for obj in objects:
            obj["metadata"]["labels"][f"{OWN}version"] = "2"
        file = catalog(*objects)["instancetypes/gp.yaml"]
        assert (file["class"], file["version"], file["name"]) == ("general", 2, "gp{{ version }}-{{ size }}")

    def test_sizes_that_differ_in_one_thing_are_variants(self):
        pages = {"": "2Mi", "1gi": "1Gi"}
        objects = [
            labelled(
                f"r.{size}{suffix}", count, f"{count}Gi", "r", size + suffix, mem={"hugepages": {"pageSize": page}}
            )
            for size, count in (("a", 1), ("b", 2))
            for suffix, page in pages.items()
        ]
        for instancetype, page in zip(objects, [*pages.values()] * 2, strict=True):
            instancetype["metadata"]["labels"][f"{OWN}hugepages"] = page
        file = catalog(*objects)["instancetypes/r.yaml"]
        assert list(file["sizes"]) == ["a", "b"]
        assert file["variants"] == {"1gi": {"spec": {"memory": {"hugepages": {"pageSize": "1Gi"}}}}}

    def test_a_variant_of_some_sizes_names_them(self):
        sizes = [("a", 1, "2Mi"), ("b", 2, "2Mi"), ("c", 3, "2Mi"), ("ax", 1, "1Gi"), ("bx", 2, "1Gi")]
        files = catalog(
            *(a_type(f"r.{size}", count, "1Gi", mem={"hugepages": {"pageSize": page}}) for size, count, page in sizes)
        )
        assert files["instancetypes/r.yaml"]["variants"]["x"]["sizes"] == ["a", "b"]

    def test_limits_that_follow_the_size_are_expressions(self):
        files = catalog(
            a_type("m.a", 2, "2Gi", cpu={"maxSockets": 4}, mem={"maxGuest": "8Gi"}),
            a_type("m.b", 4, "4Gi", cpu={"maxSockets": 8}, mem={"maxGuest": "16Gi"}),
        )
        spec = files["instancetypes/m.yaml"]["spec"]
        assert spec == {"cpu": {"maxSockets": "{{ vcpus * 2 }}"}, "memory": {"maxGuest": "{{ memory * 4 }}"}}

    def test_texts_that_follow_the_size_are_expressions(self):
        files = catalog(
            *(
                a_type(f"m.{size}", count, f"{count}Gi", annotations={f"{OWN}displayName": f"{size}, {count}Gi"})
                for size, count in (("a", 1), ("b", 2), ("c", 4))
            )
        )
        assert files["instancetypes/m.yaml"]["displayName"] == "{{ size }}, {{ memory }}"

    @pytest.mark.parametrize("names", [("web",), ("web", "db-big", "gpu.a100"), ("a.b.c", "a.b.d", "a.e")])
    def test_any_names_do(self, names):
        files = catalog(*(a_type(name, index + 1) for index, name in enumerate(names)))
        assert sum(len(data["sizes"]) for path, data in files.items() if path.startswith("inst")) == len(names)

    def test_labels_that_objects_do_not_have_are_left_out_for_all(self):
        files = catalog(a_type("a.b"), a_type("c.d", 2))
        assert files["catalog.yaml"]["instancetypes"] == {"labels": {OWN + key: None for key in DERIVED}}
        assert "instancetypes" not in catalog(a_type("a.b"), a_type("c.d", 2), relabel=True)["catalog.yaml"]

    def test_a_label_that_contradicts_its_object_is_an_error(self):
        wrong = a_type("a.b", labels={f"{OWN}cpu": "4"})
        with pytest.raises(ManifestError) as error:
            catalog(wrong)
        assert "4 would be 1 (a catalog derives it from `vcpus`; --relabel takes that)" in str(error.value)
        catalog(wrong, relabel=True)

    def test_what_is_deprecated_says_by_what(self):
        labels, annotations = {f"{OWN}deprecated": "true"}, {f"{OWN}replacedBy": "a.c"}
        files = catalog(a_type("a.b", labels=labels, annotations=annotations), a_type("a.c"))
        assert files["instancetypes/a.yaml"]["sizes"]["b"]["deprecated"] == {"replacedBy": "a.c"}


class TestPreferences:
    def test_what_most_have_is_the_default_of_their_file(self):
        virtio = {"devices": {"preferredDiskBus": "virtio"}}
        files = catalog(
            *(preference(name, virtio) for name in "abc"), preference("d", {"devices": {"preferredDiskBus": "sata"}})
        )
        assert files["preferences/other.yaml"] == {
            "defaults": {"spec": virtio},
            "preferences": {"a": {}, "b": {}, "c": {}, "d": {"spec": {"devices": {"preferredDiskBus": "sata"}}}},
        }

    def test_what_several_layers_say_is_a_component(self):
        secure = {"features": {"preferredSmm": {}}, "firmware": {"preferredEfi": {"secureBoot": True}}}
        labels = [{f"{OWN}os-type": system} for system in ("linux", "windows")]
        files = catalog(
            *(preference(f"x-{index}", secure, labels=label) for index, label in enumerate(labels)), preference("y")
        )
        assert files["components.yaml"] == {"secureboot": {"spec": secure}}
        assert files["preferences/windows.yaml"]["preferences"]["x-1"]["components"] == ["secureboot"]

    def test_a_name_within_a_name_is_a_variant(self):
        file = catalog(
            preference("rhel.9", {"preferredSubdomain": "a"}),
            preference("rhel.9.dpdk", {"preferredSubdomain": "a", "devices": {"preferredRng": {}}}),
            preference("rhel.8", {"preferredSubdomain": "b"}),
            preference("rhel.8.dpdk", {"preferredSubdomain": "b", "devices": {"preferredRng": {}}}),
        )["preferences/rhel.yaml"]
        assert file["variants"] == {"dpdk": {"spec": {"devices": {"preferredRng": {}}}}}
        assert list(file["preferences"]) == ["rhel.8", "rhel.9"]

    def test_each_entry_of_a_file_has_a_line_of_its_own(self):
        objects = read(
            *(preference(f"rhel.{version}", {"preferredSubdomain": str(version)}) for version in (8, 9)),
            *(preference(f"rhel.{version}.dpdk", {"preferredSubdomain": str(version), **RNG}) for version in (8, 9)),
        )
        assert draft(objects, "house").files["preferences/rhel.yaml"] == dedent(
            """\
            variants:
              dpdk: {spec: {devices: {preferredRng: {}}}}
            preferences:
              rhel.8: {spec: {preferredSubdomain: "8"}}
              rhel.9: {spec: {preferredSubdomain: "9"}}
            """
        )

    def test_what_a_variant_does_not_have_is_taken_away(self):
        files = catalog(preference("a", {"firmware": {"preferredEfi": {}}}), preference("a.bios"))
        assert files["preferences/other.yaml"]["preferences"]["a"]["variants"] == {"bios": {"spec": {"firmware": None}}}

    @pytest.mark.parametrize(
        ("path", "together"),
        [
            ("metadata labels a", "metadata labels a"),
            ("spec annotations a", "spec annotations a"),
            ("spec requirements cpu guest", "spec requirements"),
            ("spec machine preferredMachineType", "spec machine"),
            ("spec clock preferredTimer hpet", "spec features"),
            ("spec features preferredAcpi", "spec features"),
            ("spec features preferredSmm enabled", "spec firmware"),
            ("spec firmware preferredEfi secureBoot", "spec firmware"),
            ("spec devices preferredDiskBus", "spec devices preferredDiskBus"),
            ("spec devices preferredInputBus", "spec devices input"),
        ],
    )
    def test_what_is_said_together_stays_in_one_layer(self, path, together):
        assert unit(tuple(path.split())) == tuple(together.split())

    @pytest.mark.parametrize(
        ("firmware", "word"),
        [
            ({"preferredEfi": {"secureBoot": True}}, "secureboot"),
            ({"preferredUseEfi": True, "preferredUseSecureBoot": True}, "secureboot"),
            ({"preferredUseBios": True}, "bios"),
            ({"preferredUseEfi": True}, "efi"),
            ({"preferredEfi": {"secureBoot": False}}, "efi"),
            ({"preferredEfi": {"persistent": True}}, "efi-persistent"),
        ],
    )
    def test_are_named_by_their_firmware(self, firmware, word):
        assert component_name({("spec", *path): value for path, value in leaves({"firmware": firmware})}) == word

    def test_requirements_and_architectures_have_their_short_forms(self):
        spec = {
            "preferredArchitecture": "arm64",
            "requirements": {"architecture": "arm64", "cpu": {"guest": 2}, "memory": {"guest": "1.5Gi"}},
        }
        labels = {"arch": "arm64", "preferred-architecture": "arm64", "required-architecture": "arm64"}
        labels |= {"required-cpu": "2", "required-memory": "1.5Gi", "os-type": "linux"}
        files = catalog(preference("a", spec, labels={OWN + key: value for key, value in labels.items()}))
        assert files["preferences/linux.yaml"]["preferences"]["a"] == {
            "osType": "linux",
            "arch": "arm64",
            "requirements": {"vcpus": 2, "memory": "1.5Gi"},
        }

    @pytest.mark.parametrize(
        "specs",
        [
            [{"devices": {}}, {"devices": {"preferredRng": {}}}, {}],
            [{"requirements": {}}, {"requirements": {"cpu": {"guest": 1}}}, {}],
            [{"requirements": {"architecture": "amd64"}}, {"preferredArchitecture": "amd64"}],
            [{"clock": {"preferredTimer": {"hpet": {}}}}, {"clock": {"preferredTimer": {"hpet": {"present": False}}}}],
        ],
    )
    def test_empty_maps_are_something(self, specs):
        catalog(*(preference(f"p{index}", spec) for index, spec in enumerate(specs)))

    def test_braces_are_no_expressions(self):
        text = 'use {{ x }}, {% y %} or {# z #}: "\\" é 😀\n'
        catalog(
            preference("p", {"annotations": {"a/b": text}}, annotations={"c": text, "openshift.io/display-name": text})
        )


class TestScopes:
    def test_both_scopes_alike_are_the_base(self):
        objects = [make(kind["types"], "a.b", a_type("a.b")["spec"]) for kind in (CLUSTER, NAMESPACED)]
        assert "overlays.yaml" not in catalog(*objects)

    def test_one_scope_is_an_environment(self):
        assert catalog(a_type("a.b"))["overlays.yaml"] == {"cluster": {}}
        only = make(NAMESPACED["types"], "a.b", a_type("a.b")["spec"])
        assert catalog(only)["overlays.yaml"]["namespaced"]["select"] == {"kinds": [NAMESPACED["types"]]}

    def test_namespaces_are_environments_with_what_they_say_otherwise(self):
        files = catalog(a_type("a.b"), a_type("a.c", 2), a_type("a.b", 4, namespace="lab"))
        assert files["overlays.yaml"] == {
            "cluster": {},
            "lab": {
                "scope": "namespaced",
                "namespace": "lab",
                "select": {"names": ["a.b"]},
                "patches": [
                    {"select": {"names": ["a.b"], "kinds": [NAMESPACED["types"]]}, "spec": {"cpu": {"guest": 4}}}
                ],
            },
        }

    def test_labels_and_annotations_may_differ_between_namespaces(self):
        files = catalog(
            a_type("a.b"),
            a_type("a.c", 2),
            a_type("a.b", namespace="lab", labels={"team": "lab"}, annotations={"x.io/y": "z"}),
        )
        (patch,) = files["overlays.yaml"]["lab"]["patches"]
        assert patch["metadata"] == {"labels": {"team": "lab"}, "annotations": {"x.io/y": "z"}}

    def test_a_type_and_a_preference_may_have_one_name(self):
        files = catalog(a_type("web"), preference("web"), preference("web", namespace="lab"))
        assert set(files["overlays.yaml"]) == {"cluster", "lab-preferences"}


class TestReading:
    def test_what_a_cluster_writes_is_left_out(self):
        written = {"uid": "u", "resourceVersion": "1", "generation": 2, "creationTimestamp": "2026-01-01T00:00:00Z"}
        applied = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
        one = a_type("a.b", annotations=applied)
        one["metadata"] |= written
        assert read(one) == [a_type("a.b")]

    def test_the_same_object_twice_is_one(self):
        assert len(read(a_type("a.b"), a_type("a.b"))) == 1
        with pytest.raises(
            ManifestError, match=r"is here a second time, and is another object; the first is x\.json:1:"
        ):
            read(a_type("a.b"), a_type("a.b", 2))

    def test_old_versions_are_to_be_converted(self):
        with pytest.raises(ManifestError, match=r"convert it to .* with `virtcatalog convert`"):
            read({**a_type("a.b"), "apiVersion": f"{OWN}v1alpha2"})

    def test_other_objects_are_named(self):
        others = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
        content = json.dumps(others) + json.dumps(a_type("a.b"))
        assert collected([("x", content.encode())], []).other_names == ["ConfigMap/x"]


@pytest.fixture(scope="module")
def objects():
    return load_catalog(ROOT / "examples/common-instancetypes").objects()


class TestUpstream:
    def test_becomes_a_catalog_as_short_as_one_by_hand(self, objects):
        drafted = draft(objects, "common")
        assert prove(drafted, objects, relabel=False) == []
        assert drafted.environments == ()
        assert sum(text.count("\n") for text in drafted.files.values()) <= 450

    def test_is_not_searched_in_any_order(self, objects):
        assert draft(objects[::-1], "common").files == draft(objects, "common").files

    def test_its_lines_are_for_people(self, objects):
        files = draft(objects, "common").files
        assert max(len(line) for text in files.values() for line in text.splitlines()) <= 120
        assert "  8xlarge: {vcpus: 64}\n" in files["instancetypes/n.yaml"]
        assert "disk-virtio: {spec: {devices: {preferredDiskBus: virtio}}}\n" in files["components.yaml"]
        assert (
            '  annotations: {iconClass: "icon-{{ name }}", tags: "hidden,kubevirt,{{ name }}"}\n'
            in (files["preferences/linux.yaml"])
        )


LEAVES = st.sampled_from(["a", "b", 1, True, {}, [1]])
TREES = st.recursive(
    st.dictionaries(st.sampled_from("pqr"), LEAVES, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("pqr"), inner | LEAVES, max_size=3),
    max_leaves=8,
)


@given(TREES, TREES)
def test_a_difference_laid_over_is_what_was_wanted(below: dict[str, Any], wanted: dict[str, Any]) -> None:
    one, other = flatten({"spec": below}), flatten({"spec": wanted})
    patch = difference(one, other)
    assert laid_over(one, patch) == other
    assert merge({"spec": below}, tree(patch)) == {"spec": wanted}


@given(st.sets(st.from_regex(r"[ab]{1,3}(\.[ab]{1,2})?", fullmatch=True), min_size=1), st.data())
def test_globs_match_just_their_names(all_names: set[str], data: st.DataObject) -> None:
    from fnmatch import fnmatchcase

    names = sorted(data.draw(st.sets(st.sampled_from(sorted(all_names)), min_size=1)))
    patterns = globs(names, sorted(all_names))
    assert [
        name for name in sorted(all_names) if not patterns or any(fnmatchcase(name, glob) for glob in patterns)
    ] == names


RHEL = "rhel.10 rhel.11 rhel.12 rhel.13 rhel.14 rhel.7 rhel.8"
WINDOWS = "win.10 win.11 win.2k12 win.2k16 win.2k19 win.2k22 linux fedora"


@pytest.mark.parametrize(
    ("names", "all_names", "patterns"),
    [
        ("a b", "b a", ""),
        ("a b c d", "a b c d e", "a b c d"),
        ("a b c d e", "a b c d e f", "a b c d e"),
        ("rhel.10 rhel.11 rhel.12 rhel.13", RHEL, "rhel.10 rhel.11 rhel.12 rhel.13"),
        ("rhel.10 rhel.11 rhel.12 rhel.13 rhel.14", RHEL, "rhel.1*"),
        ("rhel.10 rhel.11 rhel.12 rhel.13 rhel.14 rhel.7", RHEL, "rhel.1* rhel.7"),
        ("rhel.10 rhel.11 rhel.12 rhel.13 rhel.7", RHEL, "rhel.7 rhel.10 rhel.11 rhel.12 rhel.13"),
        ("win.10 win.11 win.2k12 win.2k16 win.2k19", WINDOWS, "win.1* win.2k1*"),
        ("linux win.2k12 win.2k16 win.2k19 win.2k22 win.11", WINDOWS, "linux win.2* win.11"),
        ("ab abc abd xa xb", "ab abc abd xa xb y", "a* x*"),
    ],
)
def test_many_names_are_as_few_globs_as_match_them_alone(names: str, all_names: str, patterns: str) -> None:
    assert " ".join(globs(names.split(), all_names.split())) == patterns


PAGES = st.sampled_from(["2Mi", "1Gi"])
PREFERENCE_SPECS = st.fixed_dictionaries(
    {},
    optional={
        "devices": st.fixed_dictionaries(
            {},
            optional={
                "preferredDiskBus": st.sampled_from(["virtio", "sata", "scsi"]),
                "preferredInterfaceModel": st.sampled_from(["virtio", "e1000"]),
                "preferredRng": st.just({}),
                "preferredAutoattachInputDevice": st.booleans(),
                "preferredTPM": st.sampled_from([{}, {"persistent": True}]),
            },
        ),
        "features": st.fixed_dictionaries({}, optional={"preferredSmm": st.just({}), "preferredAcpi": st.just({})}),
        "firmware": st.fixed_dictionaries(
            {}, optional={"preferredEfi": st.sampled_from([{}, {"secureBoot": True}, {"persistent": True}])}
        ),
        "cpu": st.fixed_dictionaries({"preferredCPUTopology": st.sampled_from(["cores", "sockets"])}),
        "annotations": st.dictionaries(st.sampled_from(["a/b", "c"]), st.sampled_from(["x", "{{ y }}"]), max_size=2),
        "requirements": st.fixed_dictionaries(
            {},
            optional={
                "cpu": st.fixed_dictionaries({"guest": st.integers(1, 3)}),
                "memory": st.fixed_dictionaries({"guest": st.sampled_from(["1Gi", "512Mi"])}),
                "architecture": st.sampled_from(["amd64", "arm64"]),
            },
        ),
        "preferredArchitecture": st.sampled_from(["amd64", "arm64"]),
        "preferredTerminationGracePeriodSeconds": st.sampled_from([0, 60, 3600]),
    },
)
TYPE_SPECS = st.fixed_dictionaries(
    {
        "cpu": st.fixed_dictionaries(
            {"guest": st.integers(1, 8)},
            optional={"maxSockets": st.integers(1, 16), "dedicatedCPUPlacement": st.booleans(), "model": st.just("")},
        ),
        "memory": st.fixed_dictionaries(
            {"guest": st.sampled_from(["1Gi", "2Gi", "4Gi", "8Gi", "512Mi", "1.5Gi", "4096Mi"])},
            optional={"hugepages": st.fixed_dictionaries({"pageSize": PAGES}), "maxGuest": st.just("16Gi")},
        ),
    },
    optional={
        "ioThreadsPolicy": st.sampled_from(["auto", "shared"]),
        "gpus": st.just([{"name": "g", "deviceName": "a/b"}]),
    },
)
NAMES = st.sampled_from(
    ["a", "a.b", "a.b.c", "a.c", "b.c", "m1.x", "m1.xl", "m1.2xl", "m2.x", "r-9", "r-9.x", "yes", "1e3"]
)
PAIRS = st.dictionaries(st.sampled_from(["team", "x.io/y", "z"]), st.sampled_from(["a", "b", "a.b"]), max_size=2)
SETS = st.tuples(
    st.dictionaries(NAMES, st.tuples(TYPE_SPECS, PAIRS), max_size=8),
    st.dictionaries(NAMES, st.tuples(PREFERENCE_SPECS, PAIRS), max_size=8),
    st.sampled_from([(CLUSTER,), (NAMESPACED,), (CLUSTER, NAMESPACED)]),
)


@thorough
@settings(deadline=None, max_examples=200)
@given(SETS)
def test_any_objects_come_back(
    sets: tuple[Mapping[str, Any], Mapping[str, Any], tuple[Mapping[str, str], ...]],
) -> None:
    objects = [
        make(kinds[section], name, spec, labels=pairs, annotations=pairs)
        for section, named in zip(("types", "preferences"), sets[:2], strict=True)
        for name, (spec, pairs) in named.items()
        for kinds in sets[2]
    ]
    if objects:
        manifests = read(*objects)
        drafted = draft(manifests, "house")
        assert prove(drafted, manifests, relabel=False) == []
        prove(draft(manifests, "house", relabel=True), manifests, relabel=True)


FRAGMENTS = st.fixed_dictionaries(
    {},
    optional={
        "displayName": st.sampled_from(["A", "{{ name }}!"]),
        "labels": PAIRS,
        "components": st.lists(st.sampled_from(["one", "two"]), unique=True, max_size=1),
    },
)
CATALOGS = st.fixed_dictionaries(
    {
        "catalog.yaml": st.fixed_dictionaries(
            {"name": st.just("house"), "kubevirt": st.just("v1.9.0")},
            optional={"vendor": st.just("example.org"), "annotations": PAIRS},
        ),
        "components.yaml": st.just(
            {
                "one": {"spec": {"annotations": {"one": "x"}}},
                "two": {"labels": {"two": "x"}, "spec": {"annotations": {"one": "y"}}},
            }
        ),
        "instancetypes/m.yaml": st.fixed_dictionaries(
            {
                "class": st.sampled_from(["m", "memory"]),
                "memoryPerVcpu": st.sampled_from(["1Gi", "4Gi"]),
                "sizes": st.dictionaries(
                    st.sampled_from(["s", "m", "l", "2xl"]),
                    st.fixed_dictionaries({"vcpus": st.integers(1, 4)}, optional={"memory": st.just("512Mi")}),
                    min_size=1,
                ),
            },
            optional={
                "version": st.sampled_from([1, "v2"]),
                "displayName": st.sampled_from(["M", "{{ size }} {{ memory }}"]),
                "spec": st.just({"cpu": {"maxSockets": "{{ vcpus }}"}}),
                "components": st.just(["one"]),
                "variants": st.just({"x": {"spec": {"memory": {"hugepages": {"pageSize": "2Mi"}}}}}),
            },
        ),
        "preferences/p.yaml": st.fixed_dictionaries(
            {
                "preferences": st.dictionaries(
                    st.sampled_from(["linux.a", "linux.b", "win"]),
                    st.tuples(FRAGMENTS, st.dictionaries(st.sampled_from(["x", "y.z"]), FRAGMENTS, max_size=2)).map(
                        lambda base: {**base[0], "variants": base[1]}
                    ),
                    min_size=1,
                )
            },
            optional={"defaults": FRAGMENTS.map(lambda defaults: {**defaults, "osType": "linux", "arch": "arm64"})},
        ),
    }
)


@settings(deadline=None, max_examples=200 if ALL else 60)
@given(CATALOGS)
def test_the_objects_of_any_catalog_come_back(files: Mapping[str, Any]) -> None:
    loaded = load_catalog("house", {path: json.dumps(data).encode() for path, data in files.items()})
    objects = loaded.objects()
    drafted = draft(objects, "house")
    assert prove(drafted, objects, relabel=False) == []
    assert drafted.environments == ()


def test_published_objects_of_upstream_come_back_where_they_lie_beside() -> None:
    beside = ROOT.parent / "shared/conformance/common-instancetypes.json.gz"
    if not beside.exists():
        pytest.skip("the published objects are not beside the repository")
    manifests = collected([("x", gzip.decompress(beside.read_bytes()))], []).manifests
    drafted = draft(manifests, "common")
    assert (len(manifests), prove(drafted, manifests, relabel=False)) == (244, [])
    assert sum(text.count("\n") for text in drafted.files.values()) <= 450
