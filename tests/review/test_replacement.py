"""The instance type and preference that take a preset's place."""

from __future__ import annotations

from typing import Any

import pytest

import otheryaml
from virtcatalog import Cluster, expand
from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.kubevirt import VirtualMachineInstancePreset
from virtcatalog.ask.replacement import Replacement, replacement

NOTHING = {"instancetype": {}, "preference": {}, "vm": (), "needed": (), "idle": ()}
ONLY_CPU = {"needed": ("memory.guest",)}


def preset(domain: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstancePreset",
        "metadata": {"name": "old"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "domain": {"devices": {}, **domain}},
    }


def suggest(domain: str) -> Replacement:
    return replacement(decode_manifest(preset(otheryaml.load(domain)), VirtualMachineInstancePreset))


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ("{}", {}),
        (
            "resources: {requests: {memory: 2Gi, cpu: 2, example.org/gpu: 1}}",
            {
                "instancetype": {"memory": {"guest": "2Gi"}, "cpu": {"guest": 2}},
                "vm": ("resources.requests[example.org/gpu]",),
            },
        ),
        ("resources: {requests: {cpu: 500m}}", {"vm": ("resources.requests[cpu]",)}),
        ("resources: {requests: {cpu: 1500m}}", {"vm": ("resources.requests[cpu]",)}),
        ("resources: {requests: {cpu: 2000m}}", {"instancetype": {"cpu": {"guest": 2}}, **ONLY_CPU}),
        (
            "{resources: {requests: {cpu: 4}}, cpu: {sockets: 2}}",
            {"instancetype": {"cpu": {"guest": 2}}, "vm": ("resources.requests[cpu]",), **ONLY_CPU},
        ),
        (
            "{resources: {requests: {memory: 2Gi}}, ioThreadsPolicy: auto}",
            {"instancetype": {"memory": {"guest": "2Gi"}, "ioThreadsPolicy": "auto"}, "needed": ("cpu.guest",)},
        ),
        (
            "resources: {requests: {}, limits: {memory: 2Gi}, overcommitGuestOverhead: true}",
            {"idle": ("resources.limits", "resources.overcommitGuestOverhead")},
        ),
        ("cpu: {sockets: 1}", {"instancetype": {"cpu": {"guest": 1}}, **ONLY_CPU}),
        ("cpu: {sockets: 2}", {"instancetype": {"cpu": {"guest": 2}}, **ONLY_CPU}),
        ("cpu: {sockets: 2, cores: 1, threads: 1}", {"instancetype": {"cpu": {"guest": 2}}, **ONLY_CPU}),
        (
            "cpu: {cores: 2}",
            {
                "instancetype": {"cpu": {"guest": 2}},
                "preference": {"cpu": {"preferredCPUTopology": "cores"}},
                **ONLY_CPU,
            },
        ),
        (
            "cpu: {sockets: 2, cores: 2, threads: 2}",
            {"instancetype": {"cpu": {"guest": 8}}, "vm": ("cpu.sockets, cpu.cores, cpu.threads",), **ONLY_CPU},
        ),
        (
            """cpu: {sockets: 2, maxSockets: 4, isolateEmulatorThread: true, realtime: {mask: 0-1},
                     numa: {guestMappingPassthrough: {}}}""",
            {
                "instancetype": {
                    "cpu": {
                        "guest": 2,
                        "maxSockets": 4,
                        "isolateEmulatorThread": True,
                        "realtime": {"mask": "0-1"},
                        "numa": {"guestMappingPassthrough": {}},
                    }
                },
                **ONLY_CPU,
            },
        ),
        (
            "cpu: {threads: 2}",
            {
                "instancetype": {"cpu": {"guest": 2}},
                "preference": {"cpu": {"preferredCPUTopology": "threads"}},
                **ONLY_CPU,
            },
        ),
        (
            "cpu: {cores: 2, threads: 2}",
            {"instancetype": {"cpu": {"guest": 4}}, "vm": ("cpu.cores, cpu.threads",), **ONLY_CPU},
        ),
        (
            "cpu: {model: Nehalem, dedicatedCpuPlacement: true, features: [{name: vmx}]}",
            {
                "instancetype": {"cpu": {"model": "Nehalem", "dedicatedCPUPlacement": True}},
                "preference": {"cpu": {"preferredCPUFeatures": [{"name": "vmx"}]}},
                "needed": ("cpu.guest", "memory.guest"),
            },
        ),
        (
            "firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223, bootloader: {efi: {secureBoot: false}}}",
            {"preference": {"firmware": {"preferredEfi": {"secureBoot": False}}}, "vm": ("firmware.uuid",)},
        ),
        (
            "firmware: {bootloader: {bios: {useSerial: true}}}",
            {"preference": {"firmware": {"preferredUseBios": True, "preferredUseBiosSerial": True}}},
        ),
        (
            "firmware: {serial: abc, bootloader: {bios: {}}}",
            {"preference": {"firmware": {"preferredUseBios": True}}, "vm": ("firmware.serial",)},
        ),
        (
            "firmware: {bootloader: {efi: {}, bios: {useSerial: true}}}",
            {"preference": {"firmware": {"preferredEfi": {}}}},
        ),
        (
            """features: {acpi: {enabled: false}, apic: {endOfInterrupt: true}, kvm: {hidden: true},
                          pvspinlock: {enabled: false}}""",
            {
                "preference": {
                    "features": {
                        "preferredAcpi": {"enabled": False},
                        "preferredApic": {"endOfInterrupt": True},
                        "preferredKvm": {"hidden": True},
                        "preferredPvspinlock": {"enabled": False},
                    }
                }
            },
        ),
        ("features: {acpi: {}}", {}),
        (
            "clock: {timezone: Europe/Berlin}",
            {"preference": {"clock": {"preferredClockOffset": {"timezone": "Europe/Berlin"}}}},
        ),
        (
            "features: {smm: {}, hyperv: {relaxed: {}}, hypervPassthrough: {enabled: true}}",
            {
                "preference": {"features": {"preferredHyperv": {"relaxed": {}}, "preferredSmm": {}}},
                "vm": ("features.hypervPassthrough",),
            },
        ),
        (
            "clock: {utc: {}, timer: {hpet: {present: false}}}",
            {
                "preference": {
                    "clock": {"preferredClockOffset": {"utc": {}}, "preferredTimer": {"hpet": {"present": False}}}
                }
            },
        ),
        ("devices: {watchdog: {name: dog}, rng: {}}", {"vm": ("devices.watchdog",), "idle": ("devices.rng",)}),
        (
            "{memory: {guest: 1Gi}, machine: {type: q35}, resources: {limits: {cpu: 1}}}",
            {"idle": ("memory", "machine", "resources.limits")},
        ),
    ],
)
def test_each_field_goes_where_it_belongs(domain: str, expected: dict[str, Any]) -> None:
    suggested = suggest(domain)
    parts = {key: getattr(suggested, key) for key in NOTHING}
    assert {**parts, "idle": tuple(sorted(suggested.idle))} == {
        **NOTHING,
        **expected,
        "idle": tuple(sorted(expected.get("idle", ()))),
    }


def test_a_preset_without_a_domain_gives_nothing() -> None:
    empty = preset({})
    del empty["spec"]["domain"]
    suggested = replacement(decode_manifest(empty, VirtualMachineInstancePreset))
    assert {key: getattr(suggested, key) for key in NOTHING} == NOTHING


def vm(**spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"domain": {"devices": {}}}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web"},
        "spec": {"runStrategy": "Always", "template": template, **spec},
    }


@pytest.mark.parametrize(
    "domain",
    [
        "{cpu: {cores: 4}, resources: {requests: {memory: 1Gi}}}",
        "{cpu: {cores: 1, threads: 2, model: Nehalem}, resources: {requests: {memory: 1Gi}}, ioThreadsPolicy: shared}",
        "{cpu: {sockets: 2}, resources: {requests: {memory: 1Gi}}, features: {smm: {}}, clock: {utc: {}}}",
    ],
)
def test_a_vm_gets_from_the_suggestion_what_it_got_from_the_preset(domain: str) -> None:
    preset_domain = otheryaml.load(domain)
    before = expand(vm(), Cluster([preset(preset_domain)]))
    suggested = suggest(domain)
    assert (suggested.vm, suggested.needed, suggested.idle) == ((), (), ())
    objects = [
        {
            "apiVersion": "instancetype.kubevirt.io/v1beta1",
            "kind": f"VirtualMachineCluster{kind}",
            "metadata": {"name": "new"},
            "spec": spec,
        }
        for kind, spec in (("Instancetype", suggested.instancetype), ("Preference", suggested.preference))
    ]
    after = expand(vm(instancetype={"name": "new"}, preference={"name": "new"}), Cluster(objects))
    assert before.vmi
    assert after.vmi
    old, new = before.vmi["spec"]["domain"], after.vmi["spec"]["domain"]
    assert new["memory"]["guest"] == old["resources"]["requests"]["memory"]
    counts = [
        {name: domain["cpu"].get(name, 1) for name in ("sockets", "cores", "threads", "model")} for domain in (old, new)
    ]
    assert counts[0] == counts[1]
    for part in ("features", "clock", "ioThreadsPolicy"):
        assert old.get(part) == new.get(part)
