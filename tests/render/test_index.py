"""The index of an output tree: README.md for people, catalog.json for consoles."""

import json
from textwrap import dedent

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog, Deprecation, Instancetype, Preference, Template
from virtcatalog.catalog.places import Source
from virtcatalog.render.features import natural
from virtcatalog.render.index import catalog_json, readme

FILES = {
    "catalog.yaml": "name: house\ndescription: Ours.\nvendor: example.org\nkubevirt: v1.9.0\n",
    "instancetypes/z.yaml": """\
        class: zoo
        version: 1
        name: "z1.{{ size }}"
        displayName: Zoo
        description: For animals.
        memoryPerVcpu: 4Gi
        spec: {memory: {hugepages: {pageSize: 2Mi}}}
        sizes:
          large: {vcpus: 4, spec: {ioThreadsPolicy: auto}}
          tiny: {vcpus: 1, memory: 1Gi, deprecated: {replacedBy: z1.large, sunset: 2030-01-31}}
        """,
    "preferences/linux.yaml": """\
        defaults: {osType: linux}
        preferences:
          linux.rhel10: {displayName: Ten, requirements: {vcpus: 2, memory: 4Gi}}
          linux.rhel7: {displayName: Seven}
          linux.rhel9: {displayName: Nine, arch: arm64}
        """,
}


@pytest.fixture
def catalog(tmp_path):
    for place, text in FILES.items():
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(text))
    return load_catalog(tmp_path)


def test_the_readme_of_a_tree_lists_what_is_in_it(catalog):
    assert readme(catalog) == dedent("""\
        # house

        <!-- Rendered by virtcatalog from the catalog's declarations. -->

        Ours.

        For KubeVirt v1.9.0 and later.

        ## Instance types

        ### z1: Zoo

        For animals.

        All of them: 2Mi hugepages.

        | Name | vCPUs | Memory | Memory per vCPU | Features | Deprecated |
        | --- | --- | --- | --- | --- | --- |
        | `z1.tiny` | 1 | 1Gi | 1Gi (not 4Gi) |  | use `z1.large`, until 2030-01-31 |
        | `z1.large` | 4 | 16Gi | 4Gi | IO threads: auto |  |

        ## Preferences

        ### Linux

        | Name | Operating system | vCPUs required | Memory required | Architecture |
        | --- | --- | --- | --- | --- |
        | `linux.rhel7` | Seven |  |  |  |
        | `linux.rhel9` | Nine |  |  | arm64 |
        | `linux.rhel10` | Ten | 2 | 4Gi |  |
        """)


def test_catalog_json_has_what_a_form_needs(catalog):
    document = json.loads(catalog_json(catalog))
    assert document["kinds"]["preferences"] == {
        "cluster": "VirtualMachineClusterPreference",
        "namespaced": "VirtualMachinePreference",
    }
    tiny = next(instancetype for instancetype in document["instancetypes"] if instancetype["name"] == "z1.tiny")
    assert (tiny["class"], tiny["size"], tiny["vcpus"], tiny["memoryBytes"]) == ("zoo", "tiny", 1, 2**30)
    assert tiny["deprecated"] == {"replacedBy": "z1.large", "sunset": "2030-01-31"}
    assert tiny["labels"]["instancetype.kubevirt.io/deprecated"] == "true"
    needs = {preference["name"]: preference["requirements"] for preference in document["preferences"]}
    assert needs["linux.rhel10"] == {"vcpus": 2, "memory": "4Gi", "memoryBytes": 4 * 2**30}
    assert needs["linux.rhel9"] == {"architecture": "arm64"}


@pytest.mark.parametrize("names", [["rhel7", "rhel10"], ["a", "a1", "a1b", "b"], ["m1.2x", "m1.10x", "m2.1x"]])
def test_numbers_in_names_are_sorted_as_numbers(names):
    assert sorted(set(names), key=natural) == names


HERE = Source(file="catalog.yaml")


def entry(kind, name, **fields):
    """An instance type or preference of whatever else is said."""
    metadata = {"spec": {}, "labels": {"b": "2", "a": "1"}, "annotations": {}, "source": HERE}
    return kind(name=name, **{**metadata, **fields})


def size(name, vcpus, memory, **fields):
    return entry(
        Instancetype, name, **{"series": "m", "size": "s", **fields}, vcpus=vcpus, memory=Quantity.parse(memory)
    )


def template(name, system, workload, size, **fields):
    metadata = {
        "spec": {},
        "labels": {},
        "annotations": {},
        "file": "t",
        "source": HERE,
        "declared": lambda field: HERE,
    }
    return Template(name=name, system=system, workload=workload, size=size, **metadata, **fields)


WHOLE = Catalog(
    path="catalog",
    name="house",
    version="v3",
    vendor="example.org",
    kubevirt="v1.8.0",
    instancetypes=(
        size("m.10x", 3, "1Gi", version="2", display_name="M *two*", description=" Odd.\n", deprecated=Deprecation()),
        size(
            "m.2x", 3, "1Gi", version="2", spec={"ioThreadsPolicy": "auto"}, deprecated=Deprecation(sunset="2030-01-31")
        ),
        size("m.1x", 1, "1536Mi", version="2", memory_per_vcpu=Quantity.parse("1Gi"), display_name="M *two*"),
        size(
            "n1.a", 2, "4Gi", series="n", spec={"ioThreadsPolicy": "auto"}, deprecated=Deprecation(replaced_by="n2.a")
        ),
        size("n2.a", 2, "4Gi", series="n", spec={"ioThreadsPolicy": "auto"}),
        size("o.a", 1, "1Gi", series="o", spec={"ioThreadsPolicy": "auto"}, description="One | only"),
    ),
    preferences=(
        entry(Preference, "z", base="z", os_type="windows", spec={"preferredArchitecture": "arm64"}),
        entry(Preference, "l10", base="l", os_type="linux", spec={"requirements": {"architecture": "s390x"}}),
        entry(Preference, "l9", base="l", os_type="linux", spec={"requirements": {"cpu": {"guest": 2}}}),
        entry(
            Preference, "any", base="any", display_name="Any <b>", spec={"requirements": {"memory": {"guest": "1Gi"}}}
        ),
    ),
    overlays=(
        Overlay(name="lab", scope="both", namespace="vms", description="To try.", source=HERE),
        Overlay(name="prod", scope="cluster", source=HERE),
    ),
    templates=(
        template("l-web-s", "l", "web", "s", preference="l9", instancetype="m.1x", environments=("lab",)),
        template("l-web-m", "l", "web", "m", preference="l10", display_name="L", description="Web."),
        template("l-web-l", "l", "web", "l", preference="l9"),
        template("l-db-s", "l", "db", "s"),
    ),
)


def test_every_table_of_the_index(snapshot: SnapshotAssertion) -> None:
    assert readme(WHOLE) == snapshot
    assert catalog_json(WHOLE) == snapshot


def test_an_index_of_nothing_has_no_tables(snapshot: SnapshotAssertion) -> None:
    empty = Catalog(path="catalog", name="house", kubevirt="v1.9.0", instancetypes=(), preferences=(), overlays=())
    assert readme(empty) == (
        "# house\n\n<!-- Rendered by virtcatalog from the catalog's declarations. -->\n\n"
        "For KubeVirt v1.9.0 and later.\n"
    )
    assert catalog_json(empty) == snapshot
