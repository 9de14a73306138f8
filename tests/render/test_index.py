"""The index of an output tree: README.md for people, catalog.json for consoles."""

import json
from textwrap import dedent

import pytest

from virtcatalog.catalog.load import load_catalog
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


def test_readme(catalog):
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
    tiny = next(each for each in document["instancetypes"] if each["name"] == "z1.tiny")
    assert (tiny["class"], tiny["size"], tiny["vcpus"], tiny["memoryBytes"]) == ("zoo", "tiny", 1, 2**30)
    assert tiny["deprecated"] == {"replacedBy": "z1.large", "sunset": "2030-01-31"}
    assert tiny["labels"]["instancetype.kubevirt.io/deprecated"] == "true"
    needs = {each["name"]: each["requirements"] for each in document["preferences"]}
    assert needs["linux.rhel10"] == {"vcpus": 2, "memory": "4Gi", "memoryBytes": 4 * 2**30}
    assert needs["linux.rhel9"] == {"architecture": "arm64"}


@pytest.mark.parametrize("names", [["rhel7", "rhel10"], ["a", "a1", "a1b", "b"], ["m1.2x", "m1.10x", "m2.1x"]])
def test_natural_order(names):
    assert sorted(set(names), key=natural) == names
