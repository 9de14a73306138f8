"""Pairs of flavors and images have the machine that nova's libvirt driver makes of them.

nova.jsonl.xz holds a case a line: the flavor and the image as `openstack … show -o json` prints them, and the domain
that nova (its `_get_guest_config`, on x86 with KVM) made of an instance with both.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from virtcatalog import Cluster, expand
from virtcatalog.bring.openstack.objects import import_resources
from virtcatalog.bring.openstack.read import read
from virtcatalog.manifests.xml import XMLElement, read_xml

FILE = Path(__file__).with_name("nova.jsonl.xz")
CASES = [json.loads(line) for line in lzma.decompress(FILE.read_bytes()).splitlines()]

#: Where a case has another machine, for a property that is lost, or that KubeVirt sees to in its own way.
DIFFERENT = {
    "ide": {"disk bus"},  # sata in its place
    "windows": {"clock"},  # local time is UTC
    # Pinned guests, and those with pages of some size, have a NUMA cell of nova's; of KubeVirt's when they ask for one.
    **{
        name: {"NUMA cells"}
        for name in ("dedicated", "isolate", "hugepages", "hugepages1g", "mmio", "numa", "realtime")
    },
}


def facts(domain: XMLElement) -> dict[str, object]:
    """What flavors and images decide of a domain."""

    def value(*path: str, of: str = "") -> str:
        element = domain.first(*path)
        return "" if element is None else element.get(of) if of else element.text

    size = {"KiB": 1024, "": 1024, "b": 1}
    memory, cpu, loader = domain.first("memory"), domain.first("cpu"), domain.first("os", "loader")
    enabled = sum(vcpu.get("enabled") == "yes" for vcpu in domain.all("vcpus", "vcpu")) or int(value("vcpu"))
    topology = domain.first("cpu", "topology")
    pins = {pin.get("cpuset") for pin in domain.all("cputune", "vcpupin")}
    emulator = value("cputune", "emulatorpin", of="cpuset")
    shape = {part: int(topology.get(part)) for part in ("cores", "threads")}
    hyperv = domain.first("features", "hyperv")
    virtio = ("virtio-non-transitional", "virtio-transitional")
    model = value("devices", "interface", "model", of="type")
    timers = domain.all("clock", "timer")
    tablets = [device.get("bus") for device in domain.all("devices", "input") if device.get("type") == "tablet"]
    return {
        "memory": int(memory.text) * size[memory.get("unit")],
        "vCPUs": enabled,
        "layout": {"sockets": enabled // (shape["cores"] * shape["threads"]), **shape},
        "pinned": len(pins) == enabled and all(pin.isdecimal() for pin in pins),
        "emulator apart": emulator.isdecimal() and emulator not in pins,
        "huge pages": domain.first("memoryBacking", "hugepages") is not None,
        "NUMA cells": len(domain.all("numatune", "memnode")),
        "CPU": cpu.get("mode"),
        "disk bus": value("devices", "disk", "target", of="bus"),
        "interface": "virtio" if model in virtio else model,
        "queues": value("devices", "interface", "driver", of="queues"),
        "firmware": (loader is not None, loader is not None and loader.get("secure") == "yes"),
        "hyperv": {enlightenment.tag: enlightenment.get("retries") for enlightenment in hyperv or ()},
        "clock": value("clock", of="offset"),
        "timers": {timer.get("name"): timer.get("tickpolicy") or timer.get("present", "yes") for timer in timers},
        "video": value("devices", "video", "model", of="type"),
        "tablets": tablets,
        "rng": len(domain.all("devices", "rng")),
        "TPM": value("devices", "tpm", of="model"),
        "hidden": value("features", "kvm", "hidden", of="state"),
        "ACPI and APIC": (len(domain.all("features", "acpi")), len(domain.all("features", "apic"))),
    }


def vm(instancetype: str, preference: str):
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "instance"},
        "spec": {
            "runStrategy": "Always",
            "instancetype": {"name": instancetype},
            "preference": {"name": preference},
            "template": {
                "spec": {
                    "domain": {"devices": {}},
                    "volumes": [{"name": "root", "containerDisk": {"image": "registry.example/root:1"}}],
                }
            },
        },
    }


def test_there_are_cases():
    assert len(CASES) >= 30
    assert set(DIFFERENT) <= {case["name"] for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_pair_makes_the_machine_that_nova_makes(case):
    resources, problems = read(json.dumps([case["flavor"], case["image"]]).encode(), "cloud.json")
    imported = import_resources(resources, {})
    assert problems == imported.problems == []
    preferences = [obj["metadata"]["name"] for obj in imported.objects if obj["kind"].endswith("Preference")]
    result = expand(vm(case["name"], preferences[-1]), Cluster(imported.objects))
    assert result.admitted, result.reasons
    ours = facts(read_xml(result.domain_xml.encode(), "ours"))
    novas = facts(read_xml(case["domain"].encode(), "nova's"))
    differing = {name: (novas[name], ours[name]) for name in novas if novas[name] != ours[name]}
    assert set(differing) == DIFFERENT.get(case["name"], set()), differing
