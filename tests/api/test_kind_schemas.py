"""The JSON Schemas say what the types say, and the committed ones are fresh."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from sampling import examples
from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.schema import kind_schemas
from virtcatalog.cli.schema import command
from virtcatalog.errors import ManifestError

SCHEMAS = kind_schemas()
VALIDATORS = {schema["title"]: Draft202012Validator(schema) for schema in SCHEMAS.values()}


def decodes(manifest: dict[str, Any]) -> bool:
    try:
        decode_manifest(manifest)
    except ManifestError:
        return False
    return True


@pytest.mark.parametrize("path", SCHEMAS)
def test_schemas_are_schemas(path: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[path])
    group, _, file = path.partition("/")
    kind = SCHEMAS[path]["x-kubernetes-group-version-kind"][0]
    assert (group, file) == (kind["group"], f"{kind['kind'].lower()}_{kind['version']}.json")


def test_a_schema_tells_releases_enums_and_descriptions() -> None:
    definitions = SCHEMAS["kubevirt.io/virtualmachine_v1.json"]["$defs"]
    assert definitions["EFI"]["properties"]["persistent"] == {"type": ["boolean", "null"], "x-kubevirt-since": "v1.1"}
    assert definitions["VirtualMachineInstanceSpec"]["properties"]["dnsPolicy"]["enum"] == [
        "",
        "ClusterFirst",
        "ClusterFirstWithHostNet",
        "Default",
        "None",
        None,
    ]
    assert definitions["DomainSpec"]["required"] == ["devices"]
    assert all(definition["description"] for definition in definitions.values())


SPECS: dict[str, dict[str, Any]] = {
    "VirtualMachineClusterInstancetype": {
        "cpu": {"guest": 2, "numa": {"guestMappingPassthrough": {}}},
        "memory": {"guest": "4Gi", "overcommitPercent": 5},
        "gpus": [{"name": "g", "deviceName": "x.org/gpu"}],
        "nodeSelector": {"a": "b"},
    },
    "VirtualMachinePreference": {
        "devices": {"preferredDiskBus": "virtio", "preferredRng": {}},
        "requirements": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}},
    },
    "VirtualMachine": {
        "runStrategy": "Always",
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {
                "domain": {
                    "cpu": {"cores": 2},
                    "memory": {"guest": "1Gi"},
                    "devices": {"disks": [{"name": "a", "disk": {"bus": "virtio"}, "bootOrder": 1}]},
                },
                "dnsPolicy": "Default",
                "tolerations": [{"key": "x", "operator": "Exists"}],
                "volumes": [{"name": "a", "emptyDisk": {"capacity": "1Gi"}}],
                "livenessProbe": {"httpGet": {"port": 80}, "periodSeconds": 5},
            },
        },
    },
    "DataVolume": {"storage": {"resources": {"requests": {"storage": "1Gi"}}}, "source": {"blank": {}}},
    "KubeVirt": {"configuration": {"developerConfiguration": {"featureGates": ["HostDisk"]}}, "infra": {"replicas": 2}},
}
VERSIONS = {schema["title"]: schema["properties"]["apiVersion"]["const"] for schema in SCHEMAS.values()}


def manifest(kind: str) -> dict[str, Any]:
    spec = json.loads(json.dumps(SPECS[kind]))
    return {"apiVersion": VERSIONS[kind], "kind": kind, "metadata": {"name": "a"}, "spec": spec}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, item in items for place in [(*path, key), *places(item, (*path, key))]]


ODD = st.sampled_from(
    [None, True, 0, 1, -1, 2.0, 1.5, 2**40, "", "x", "1", "1Gi", "-5", [], [None], ["a"], {}, {"a": "b"}, {"guest": 1}]
)


@pytest.mark.parametrize("kind", SPECS)
def test_good_manifests_pass_both(kind: str) -> None:
    assert decodes(manifest(kind))
    assert VALIDATORS[kind].is_valid(manifest(kind))


@pytest.mark.parametrize("kind", SPECS)
@settings(max_examples=examples(150))
@given(data=st.data())
def test_schema_and_types_agree_on_changed_manifests(kind: str, data: st.DataObject) -> None:
    changed = manifest(kind)
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.sampled_from([place for place in places(changed) if place[0] in ("spec", "metadata")]))
        holder = changed
        for step in place[:-1]:
            holder = holder[step]
        action = data.draw(st.sampled_from(["replace", "remove", "add"]))
        if action == "remove":
            del holder[place[-1]]
        elif action == "replace" or not isinstance(holder[place[-1]], dict):
            holder[place[-1]] = deepcopy(data.draw(ODD))
        else:
            holder[place[-1]][data.draw(st.sampled_from(["name", "spec", "bogus", "cpu"]))] = deepcopy(data.draw(ODD))
    assert VALIDATORS[kind].is_valid(changed) == decodes(changed), changed


def test_schemas_in_the_repository_are_fresh() -> None:
    folder = Path(__file__).parents[2] / "schemas"
    result = CliRunner().invoke(command, ["--output-dir", str(folder), "--check"])
    assert result.exit_code == 0, f"{result.stderr}\nrun `virtcatalog schema --output-dir schemas`"


def test_command_prints_one_schema() -> None:
    result = CliRunner().invoke(command, ["VirtualMachine"])
    assert json.loads(result.stdout) == SCHEMAS["kubevirt.io/virtualmachine_v1.json"]


def test_command_lists_what_there_is() -> None:
    names = CliRunner().invoke(command, []).stdout.split()
    assert {"kubevirt.io/virtualmachine_v1", "catalog/preferences"} <= set(names)
    assert names == sorted(names)


def test_command_suggests_the_nearest_kind() -> None:
    result = CliRunner().invoke(command, ["VirtualMachin"])
    assert result.exit_code == 2
    assert "Did you mean virtualmachine?" in result.stderr


def test_command_writes_checks_and_removes_only_its_own(tmp_path: Path) -> None:
    def run(*options: str) -> tuple[int, str]:
        result = CliRunner().invoke(command, ["--output-dir", str(tmp_path), *options])
        return result.exit_code, result.stderr

    assert run("--check")[0] == 1
    assert run() == (0, "")
    assert run("--check")[0] == 0
    stale = tmp_path / "kubevirt.io/virtualmachine_v1.json"
    (tmp_path / "kubevirt.io/old_v1.json").write_text(stale.read_text())
    (tmp_path / "mine.json").write_text("{}")
    stale.write_text("{}")
    code, text = run("--check")
    assert code == 1
    assert "old_v1.json: no longer written" in text
    assert "virtualmachine_v1.json: stale" in text
    assert run() == (0, "")
    assert not (tmp_path / "kubevirt.io/old_v1.json").exists()
    assert (tmp_path / "mine.json").exists()


def test_kind_and_output_exclude_each_other() -> None:
    assert CliRunner().invoke(command, ["VirtualMachine", "--check"]).exit_code == 2
