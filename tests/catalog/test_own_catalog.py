"""This repository's own catalog, and its schemas."""

from pathlib import Path

import jsonschema
import pytest

from virtcatalog.api.names import RESERVED_INSTANCETYPES, RESERVED_PREFERENCES
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.schema import catalog_schemas
from virtcatalog.manifests.document import Text

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def own():
    return load_catalog(ROOT / "catalog")


def test_four_classes_of_five_sizes(own):
    types = {
        instancetype.name: (instancetype.vcpus, str(instancetype.memory), instancetype.breaks_ratio)
        for instancetype in own.instancetypes
    }
    assert len(types) == 20
    sizes = {"xsmall": 1, "small": 1, "medium": 2, "large": 4, "xlarge": 8}
    for series, gib in {"c": 2, "m": 4, "r": 8, "g": 4}.items():
        for size, vcpus in sizes.items():
            if size != "xsmall":
                assert types[f"{series}.{size}"] == (vcpus, f"{vcpus * gib}Gi", False)
        assert types[f"{series}.xsmall"][2]


def test_no_name_is_the_operators(own):
    assert not {instancetype.name for instancetype in own.instancetypes} & RESERVED_INSTANCETYPES
    assert not {preference.name for preference in own.preferences} & RESERVED_PREFERENCES


def test_every_preference_says_what_it_is_for_and_what_it_needs(own):
    for preference in own.preferences:
        assert preference.display_name, preference.name
        assert preference.os_type == preference.name.split(".")[0]
        assert preference.labels["instancetype.kubevirt.io/arch"] in ("amd64", "arm64", "s390x")
        assert {"cpu", "memory", "architecture"} <= preference.spec["requirements"].keys()


def test_every_windows_since_7_has_a_variant_with_virtio(own):
    names = {preference.name for preference in own.preferences if preference.os_type == "windows"}
    plain = {name for name in names if not name.endswith(".virtio")}
    assert {name for name in plain if f"{name}.virtio" not in names} == {"windows.windowsxp", "windows.windows2k3"}


def test_environments(own):
    production, lab = own.overlay("production"), own.overlay("lab")
    deprecated = {declared.name for declared in (*own.instancetypes, *own.preferences) if declared.deprecated}
    names = {obj["metadata"]["name"] for obj in own.objects() if production.includes(obj)}
    assert deprecated
    assert deprecated <= names
    assert (lab.namespace, lab.labels["instancetype.kubevirt.io/vendor"]) == ("virt-lab", "lab.virtcatalog.example.com")


def test_vm_templates_use_the_catalog(own):
    names = (
        {instancetype.name for instancetype in own.instancetypes},
        {preference.name for preference in own.preferences},
    )
    assert len(own.vms) >= 8
    assert [vm.environment for vm in own.vms if vm.name == "web-server"] == ["production", "lab"]
    for vm in own.vms:
        assert vm.manifest["spec"]["instancetype"]["name"] in names[0]
        assert vm.manifest["spec"]["preference"]["name"] in names[1]


DECLARED = [path for path in sorted((ROOT / "catalog").rglob("*.yaml")) if path.parent.name != "vms"]


@pytest.mark.parametrize("path", DECLARED, ids=[path.relative_to(ROOT).as_posix() for path in DECLARED])
def test_files_name_a_schema_and_keep_to_it(path):
    text = path.read_text()
    schema = text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    name = (path.parent / schema).resolve().relative_to(ROOT / "schemas").as_posix()
    (data,) = [data for _, data in Text(text).documents()]
    jsonschema.Draft202012Validator(catalog_schemas()[name]).validate(data)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("instancetypes", {"class": "m", "sizes": {"s": {"vcpu": 1}}}),
        ("instancetypes", {"class": "m", "sizes": {"s": {"vcpus": "many"}}}),
        ("instancetypes", {"sizes": {}}),
        ("preferences", {"preferences": {"x": {"spec": {"devices": {"preferredDiskBuz": "sata"}}}}}),
        ("components", {"x": {"components": "y"}}),
        ("catalog", {"name": "x", "kubevirt": "1.9"}),
        ("overlays", {"lab": {"scope": "everywhere"}}),
        ("vms", {"x.yaml.j2": {"environment": {}}}),
    ],
)
def test_schemas_refuse_what_loading_refuses(name, data):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(catalog_schemas()[f"catalog/{name}.json"]).validate(data)


def test_schemas_are_schemas_and_describe_the_keys():
    for schema in catalog_schemas().values():
        jsonschema.Draft202012Validator.check_schema(schema)
    size = catalog_schemas()["catalog/instancetypes.json"]["$defs"]["Size"]
    assert all(key_schema.get("description") for key_schema in size["properties"].values())
