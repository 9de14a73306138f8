"""What a check knows of an object, and which objects meet each other."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from msgspec.structs import replace

import otheryaml
from virtcatalog.api.kinds import CATALOG_API_VERSION
from virtcatalog.catalog.places import Source
from virtcatalog.check.finding import Rule
from virtcatalog.check.subject import Inventory, Subject
from virtcatalog.check.vms import faults

RULE = Rule("odd", "warning", "It is odd.", "It stays odd.", "Even it.")


def subject(kind: str = "ConfigMap", version: str = "v1", origin: Any = "import", **more: Any) -> Subject:
    metadata = more.pop("metadata", {"name": "a"})
    manifest = {"apiVersion": version, "kind": kind, "metadata": metadata, **more.pop("fields", {})}
    return Subject(manifest=manifest, origin=origin, place=lambda field: Source(file=f"{field or 'all'}.yaml"), **more)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (
            {"name": "a", "namespace": "n", "labels": {"x": "1"}, "annotations": {"y": "2"}},
            ("a", "n", {"x": "1"}, {"y": "2"}),
        ),
        ({"name": "a"}, ("a", "", {}, {})),
        ({"name": 5, "namespace": None, "labels": None, "annotations": [1]}, ("5", "", {}, {})),
        ({}, ("", "", {}, {})),
        (None, ("", "", {}, {})),
        ([1], ("", "", {}, {})),
    ],
)
def test_whatever_its_metadata_is(metadata: Any, expected: tuple[Any, ...]) -> None:
    odd = subject(metadata=metadata)
    assert (odd.name, odd.namespace, odd.labels, odd.annotations) == expected


@pytest.mark.parametrize(("fields", "spec"), [({}, {}), ({"spec": {"a": 1}}, {"a": 1}), ({"spec": [1]}, {})])
def test_whatever_its_spec_is(fields: dict[str, Any], spec: dict[str, Any]) -> None:
    assert subject(fields=fields).spec == spec


@pytest.mark.parametrize(
    ("kind", "version", "is_instancetype", "is_preference"),
    [
        ("VirtualMachineInstancetype", CATALOG_API_VERSION, True, False),
        ("VirtualMachineClusterInstancetype", CATALOG_API_VERSION, True, False),
        ("VirtualMachinePreference", CATALOG_API_VERSION, False, True),
        ("VirtualMachineClusterPreference", CATALOG_API_VERSION, False, True),
        ("VirtualMachineClusterInstancetype", "example.org/v1", False, False),
        ("VirtualMachinePreference", "example.org/v1", False, False),
        ("VirtualMachine", CATALOG_API_VERSION, False, False),
    ],
)
def test_types_and_preferences(kind: str, version: str, is_instancetype: bool, is_preference: bool) -> None:
    one = subject(kind, version)
    assert (one.kind, one.is_instancetype, one.is_preference) == (kind, is_instancetype, is_preference)


@pytest.mark.parametrize(
    ("own", "place", "is_in"),
    [
        (("", ""), ("lab", ""), True),
        (("", ""), ("lab", "eu"), True),
        (("lab", ""), ("lab", ""), True),
        (("lab", ""), ("prod", ""), False),
        (("lab", ""), ("", ""), False),
        (("", "lab"), ("lab", ""), True),
        (("", "eu"), ("lab", "eu"), True),
        (("", "eu"), ("lab", "us"), False),
        (("", "eu"), ("lab", ""), False),
        (("lab", "eu"), ("prod", "eu"), False),
    ],
)
def test_where_it_is(own: tuple[str, str], place: tuple[str, str], is_in: bool) -> None:
    assert subject(environment=own[0], where=own[1]).is_in(*place) is is_in


@pytest.mark.parametrize(("environment", "environments"), [("", ()), ("lab", ("lab",))])
@pytest.mark.parametrize(("field", "file"), [("spec.a", "spec.a.yaml"), ("", "all.yaml")])
def test_a_finding_about_it(environment: str, environments: tuple[str, ...], field: str, file: str) -> None:
    finding = subject(environment=environment).finding(RULE, "is odd", field)
    assert (finding.file, finding.field, finding.object) == (file, field, "ConfigMap/a")
    assert (finding.message, finding.rule, finding.severity) == ("is odd", "odd", "warning")
    assert finding.environments == environments


TYPE = subject("VirtualMachineClusterInstancetype", CATALOG_API_VERSION, metadata={"name": "type"})
PATCHED = subject(origin="environment", environment="lab", metadata={"name": "patched"})
OF_LAB = subject(environment="lab", metadata={"name": "of-lab"})
OF_EU = subject(where="eu", metadata={"name": "of-eu"})
CR = subject("KubeVirt", "kubevirt.io/v1", metadata={"name": "all"})
CR_OF_LAB = subject("KubeVirt", "kubevirt.io/v1", environment="lab", metadata={"name": "lab"})
CLAIM = subject("PersistentVolumeClaim", environment="lab", metadata={"name": "claim"})
AROUND = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "around"}}
INVENTORY = Inventory(
    release="v1.9.0",
    today=date(2026, 1, 1),
    objects=(TYPE, PATCHED, OF_LAB, OF_EU),
    companions=(CR, CR_OF_LAB, CLAIM),
    around={"alone": [AROUND]},
)


def names(manifests: Any) -> list[str]:
    return [manifest["metadata"]["name"] for manifest in manifests]


def test_what_environments_patch_is_not_declared() -> None:
    assert [one.name for one in INVENTORY.declared] == ["type", "of-lab", "of-eu"]
    assert INVENTORY.overlays == ()


@pytest.mark.parametrize(("environment", "expected"), [("", ["all"]), ("lab", ["all", "lab"]), ("prod", ["all"])])
def test_the_configurations_of_an_environment(environment: str, expected: list[str]) -> None:
    assert names(INVENTORY.configurations(environment)) == expected


@pytest.mark.parametrize(
    ("environment", "where", "expected"),
    [
        ("", "", ["type"]),
        ("lab", "", ["type", "of-lab"]),
        ("lab", "eu", ["type", "of-lab", "of-eu"]),
        ("eu", "", ["type", "of-eu"]),
        ("prod", "eu", ["type", "of-eu"]),
    ],
)
def test_the_objects_of_an_environment(environment: str, where: str, expected: list[str]) -> None:
    """Without a catalog, what manifests hold; what an environment patches is its catalog's."""
    assert names(INVENTORY.of(environment, where)) == expected


@pytest.mark.parametrize(
    ("environment", "where", "expected"),
    [
        ("", "", ["type", "all"]),
        ("lab", "", ["type", "of-lab", "all", "lab", "claim"]),
        ("lab", "eu", ["type", "of-lab", "of-eu", "all", "lab", "claim"]),
        ("lab", "alone", ["around", "type", "all"]),
    ],
)
def test_what_a_vm_meets(environment: str, where: str, expected: list[str]) -> None:
    """In a unit of a repository it meets what is there, and what is in no unit."""
    vm = subject("VirtualMachine", environment=environment, where=where)
    assert names(INVENTORY.met_by(vm, INVENTORY.companions)) == expected


@pytest.mark.parametrize(
    ("kind", "fields", "expected"),
    [
        ("kubevirt.io/v1 KubeVirt", "spec: {}", None),
        (
            "kubevirt.io/v1 KubeVirt",
            "spec: {configuration: {odd: 1}}",
            ("vm-warning", "spec.configuration.odd", "unknown field 'odd'; it is left out"),
        ),
        (
            "kubevirt.io/v1 KubeVirt",
            "spec: {configuration: 1}",
            ("invalid-declaration", "spec.configuration", "must be a map, not the number 1"),
        ),
        (
            "cdi.kubevirt.io/v1beta1 DataVolume",
            "spec: {odd: 1}",
            ("vm-warning", "spec.odd", "unknown field 'odd'; it is left out"),
        ),
        (
            f"{CATALOG_API_VERSION} VirtualMachineInstancetype",
            "spec: {cpu: {guest: 1}, memory: {guest: 1Gi}, odd: 1}",
            ("invalid-declaration", "spec.odd", "unknown field 'odd'"),
        ),
        (
            "instancetype.kubevirt.io/v1alpha9 VirtualMachineInstancetype",
            "spec: {}",
            (
                "invalid-declaration",
                "apiVersion",
                (
                    "instancetype.kubevirt.io/v1alpha9 of VirtualMachineInstancetype is not served; use "
                    "instancetype.kubevirt.io/v1beta1"
                ),
            ),
        ),
        ("v1 ConfigMap", "data: {a: b}", None),
        ("v1 ConfigMap", "data: {a: 1}", ("invalid-declaration", "data.a", "must be a string, not the number 1")),
        ("example.org/v1 Odd", "odd: 1", None),
    ],
)
def test_an_object_beside_a_template_is_what_its_api_says(
    kind: str, fields: str, expected: tuple[str, str, str] | None
) -> None:
    version, name = kind.split()
    beside = subject(name, version, origin="catalog", fields=otheryaml.load(fields))
    findings = [(finding.rule, finding.field, finding.message) for finding in faults(beside)]
    assert findings == ([] if expected is None else [expected])
    assert [*faults(replace(beside, origin="import"))] == []
