"""`virtcatalog impact`: who depends on a part of the catalog, and what becomes of them without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from checkouts import write
from virtcatalog.cli import main

FILES = {
    "catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
    "components.yaml": """\
        hyperv: {spec: {features: {preferredHyperv: {relaxed: {}}}}}
        idle: {spec: {devices: {preferredRng: {}}}}
        """,
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n",
    "preferences/windows.yaml": """\
        preferences:
          windows.one: {components: [hyperv]}
          windows.two: {}
        """,
    "vms/server.yaml": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: server}
        spec:
          runStrategy: Always
          instancetype: {name: m.small}
          preference: {name: windows.one}
          template: {spec: {domain: {devices: {}}}}
        """,
}


@pytest.fixture(autouse=True)
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "catalog", FILES)


def run(*arguments: str, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(main, ["impact", *arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def impact(*arguments: str, stdin: str | None = None) -> Any:
    (answer,) = json.loads(run(*arguments, "-o", "json", stdin=stdin).stdout)
    return answer


def test_an_instance_type_that_a_template_names() -> None:
    answer = impact("m.small")
    assert answer["what"] == "instance type"
    assert [(use["name"], use["template"], use["inferred"]) for use in answer["uses"]] == [("server", True, False)]
    assert [verdict["next"] for verdict in answer["without"]] == ["refused"]


def test_a_class_stands_for_all_its_sizes() -> None:
    answer = impact("m")
    assert answer["what"] == "class"
    assert "VirtualMachineInstancetype/m.large" in answer["objects"]
    assert [use["objects"] for use in answer["uses"]] == [["VirtualMachineClusterInstancetype/m.small"]]


def test_a_component_that_is_mixed_into_a_preference() -> None:
    answer = impact("hyperv")
    assert answer["what"] == "component"
    assert [(place["file"], place["line"], place["message"]) for place in answer["places"]] == [
        ("catalog/preferences/windows.yaml", 2, "mixed into preferences.windows.one")
    ]
    assert answer["objects"] == [
        "VirtualMachineClusterPreference/windows.one",
        "VirtualMachinePreference/windows.one",
    ]
    (verdict,) = answer["without"]
    assert verdict["changes"] == ["domain.features.hyperv.relaxed.enabled: true is gone"]


@pytest.mark.parametrize("name", ["m.large", "windows.two", "idle"])
def test_what_nothing_depends_on(name: str) -> None:
    result = run(name)
    assert result.exit_code == 0
    assert "nothing depends on it" in result.stdout


def test_several_names_are_told_one_after_another() -> None:
    result = run("m.small", "idle")
    assert result.exit_code == 1
    assert "instance type m.small: 2 objects\n  used by 1 VM template: server\n" in result.stdout
    assert "\ncomponent idle: 0 objects\n" in result.stdout


def test_a_pattern_stands_for_all_that_it_fits_once() -> None:
    answers = json.loads(run("m.*", "m.small", "*.one", "-o", "json").stdout)
    assert [answer["name"] for answer in answers] == ["m.large", "m.small", "windows.one"]
    assert "there is no 'z.*'" in run("z.*").output


def test_an_unknown_name_is_an_error_with_the_nearest_one() -> None:
    result = run("m.smal")
    assert result.exit_code == 2
    assert "there is no 'm.smal'" in result.stderr
    assert "m.small" in result.stderr


def test_a_vm_that_infers_its_instance_type_from_a_volume() -> None:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "root",
            "namespace": "team",
            "labels": {"instancetype.kubevirt.io/default-instancetype": "m.large"},
        },
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "vm", "namespace": "team"},
        "spec": {
            "runStrategy": "Always",
            "instancetype": {"inferFromVolume": "root"},
            "template": {
                "spec": {
                    "domain": {"devices": {}},
                    "volumes": [{"name": "root", "persistentVolumeClaim": {"claimName": "root"}}],
                }
            },
        },
    }
    answer = impact("m.large", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": [claim, vm]}))
    assert [(use["name"], use["inferred"]) for use in answer["uses"]] == [("team/vm", True)]


def test_a_broken_catalog_is_an_error() -> None:
    Path("catalog/components.yaml").write_text("sized: {speck: {}}\n")
    result = run("m.small")
    assert result.exit_code == 2
    assert "catalog/components.yaml:1:" in result.stderr
