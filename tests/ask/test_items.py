"""The facts of what a catalog has: types, preferences, templates and environments, with what they cost."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog import load_catalog
from virtcatalog.ask.items import Item, items_of, items_of_catalog, titles

FILES = {
    "catalog.yaml": "name: house\nkubevirt: v1.9.0\n",
    "overlays.yaml": """
production: {clusters: [east, west], namespaces: [shop], scope: namespaced, namespace: shop}
lab: {kubevirt: v1.9.0, templates: vms}
""",
    "prices.yaml": """
currency: EUR
perHour: {cpu: 0.0125, memory: 0.0031}
licences: [{osType: windows, cpu: 0.02}, {preferences: [tux], vm: 0.5}]
environments: {lab: {cpu: 0.1}}
""",
    "instancetypes/m.yaml": """
class: m
memoryPerVcpu: 4Gi
sizes:
  small: {vcpus: 1, displayName: Small}
  large: {vcpus: 4, deprecated: {replacedBy: m.small}}
  old: {vcpus: 8, deprecated: {}}
""",
    "instancetypes/g.yaml": """
class: g
spec:
  gpus: [{name: gpu, deviceName: example.org/gpu}, {name: gpu-2, deviceName: example.org/gpu}]
  hostDevices: [{name: nic, deviceName: example.org/nic}]
  cpu: {dedicatedCPUPlacement: true}
  memory: {hugepages: {pageSize: 1Gi}}
sizes: {big: {vcpus: 4, memory: 16Gi}}
""",
    "preferences/all.yaml": """
preferences:
  tux:
    displayName: Linux
    osType: linux
    requirements: {vcpus: 2, memory: 1Gi}
    spec: {devices: {preferredDiskBus: virtio}, firmware: {preferredUseBios: true}, preferredArchitecture: arm64}
  windows: {osType: windows, spec: {firmware: {preferredEfi: {}}}}
  uefi: {spec: {firmware: {preferredUseEfi: true}, requirements: {architecture: s390x}}}
  plain: {}
""",
    "templates/tux.yaml": """
sizes: {small: {instancetype: m.small}}
workloads: {server: {}}
systems: {alpine: {preference: tux}}
defaults: {vm: {spec: {runStrategy: Halted, template: {spec: {domain: {devices: {}}}}}}}
""",
    "vms.yaml": "web.yaml.j2: {environments: {lab: {}}}\n",
    **{
        f"vms/{file}": (
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\n"
            f"spec: {{runStrategy: Always, {matchers}template: {{spec: {{domain: {{devices: {{}}}}}}}}}}\n"
        )
        for file, matchers in (
            ("web.yaml.j2", "instancetype: {name: m.small}, preference: {name: tux}, "),
            ("own.yaml", ""),
        )
    },
}


def catalog(*without: str):
    return load_catalog("catalog", {path: text.encode() for path, text in FILES.items() if path not in without})


def facts_by_name(items: list[Item]) -> dict[str, dict[str, object]]:
    facts = {f"{item.sort} {item.name}": dict(item.facts) for item in items}
    assert len(facts) == len(items)
    return facts


def test_what_is_said_of_types_and_preferences(snapshot: SnapshotAssertion) -> None:
    items = items_of(catalog().objects())
    assert facts_by_name(items) == snapshot
    assert [item.name for item in items] == [
        *("g.big", "m.small", "m.large", "m.old"),
        *("plain", "tux", "uefi", "windows"),
    ]


@pytest.mark.parametrize("environment", ["", "lab"])
def test_what_they_cost(environment: str, snapshot: SnapshotAssertion) -> None:
    loaded = catalog()
    items = items_of(loaded.objects(), loaded.prices, environment)
    costs = ("pricePerHour", "pricePerMonth", "unpriced", "licencePerVcpu", "licencePerVm", "currency")
    by_name = facts_by_name(items)
    assert {name: {key: facts[key] for key in costs if key in facts} for name, facts in by_name.items()} == snapshot


def test_what_is_said_of_templates_and_environments(snapshot: SnapshotAssertion) -> None:
    assert facts_by_name(items_of_catalog(catalog())) == snapshot
    without_any = catalog("overlays.yaml", "vms.yaml", "prices.yaml")
    assert facts_by_name(items_of_catalog(without_any)) == snapshot(name="without any")


@pytest.mark.parametrize(
    ("environments", "names"),
    [
        (["lab"], ["own", "web.lab", "templates.alpine-server-small.lab", "alpine-server-small", "lab"]),
        (["production"], ["own", "templates.alpine-server-small.production", "alpine-server-small", "production"]),
        (["none"], []),
    ],
)
def test_those_of_some_environments(environments: list[str], names: list[str]) -> None:
    assert [item.name for item in items_of_catalog(catalog(), environments)] == names


def test_facts_have_titles(snapshot: SnapshotAssertion) -> None:
    loaded = catalog()
    items = items_of(loaded.objects(), loaded.prices)
    assert {
        sort: dict(titles(sort, [item for item in items if item.sort == sort])) for sort in ("types", "preferences")
    } == (snapshot(name="with prices"))
    sorts = ("types", "preferences", "templates", "environments")
    assert {sort: dict(titles(sort, [])) for sort in sorts} == snapshot(name="without prices")
