"""What an installed guest may not survive: a rule each, and nothing where nothing of it changes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import otheryaml
from conformance import rollouts
from virtcatalog import Cluster, expand
from virtcatalog.review.risks import risks

VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        memory: {guest: 2Gi}
        features: {smm: {enabled: true}}
        firmware: {bootloader: {efi: {secureBoot: false}}}
        devices:
          disks: [{name: root, disk: {bus: virtio}}, {name: data, disk: {bus: virtio}}]
          interfaces: [{name: default, masquerade: {}}]
          tpm: {}
      networks: [{name: default, pod: {}}]
      volumes:
      - {name: root, containerDisk: {image: registry.example.org/web}}
      - {name: data, emptyDisk: {capacity: 1Gi}}
"""
NIC = "{name: default, masquerade: {}}"
DATA = ", {name: data, disk: {bus: virtio}}"


def kinds(old: str, new: str) -> dict[str, str]:
    """The risks of a VM whose text changes so, by their kinds."""
    assert VM.count(old) == 1, old
    vmis = [expand(otheryaml.load(text), Cluster([])).vmi_object for text in (VM, VM.replace(old, new))]
    assert vmis[0] is not None
    assert vmis[1] is not None
    return {risk.kind: risk.reason for risk in risks(*vmis)}


@pytest.mark.parametrize(
    ("old", "new", "kind", "reason"),
    [
        ("bootloader: {efi: {secureBoot: false}}", "bootloader: {bios: {}}", "boot", "UEFI → BIOS"),
        ("secureBoot: false", "secureBoot: true", "boot", "Secure Boot is on"),
        ("{name: root, disk: {bus: virtio}}", "{name: root, disk: {bus: sata}}", "boot", "virtio → sata"),
        (
            "{name: data, disk: {bus: virtio}}",
            "{name: data, bootOrder: 1, disk: {bus: virtio}}",
            "boot",
            "from disk 'data'",
        ),
        ("{name: data, disk: {bus: virtio}}", "{name: data, disk: {bus: sata}}", "disks", "data vdb → sda"),
        (NIC, "{name: default, model: e1000, masquerade: {}}", "network", "virtio → e1000"),
        (NIC, "{name: default, macAddress: '02:00:00:00:00:01', masquerade: {}}", "network", "another MAC"),
        (NIC, "{name: default, pciAddress: '0000:05:00.0', masquerade: {}}", "network", "at PCI chosen → 0000:05:00.0"),
        ("          tpm: {}\n", "", "tpm", "the TPM is gone"),
        ("memory: {guest", "clock: {timezone: Europe/Berlin}\n        memory: {guest", "clock", "UTC → Europe/Berlin"),
        ("memory: {guest", "cpu: {model: Nehalem}\n        memory: {guest", "activation", "host-model → Nehalem"),
        ("firmware: {", "firmware: {serial: a1, ", "activation", "SMBIOS serial"),
        ("memory: {guest", "machine: {type: pc-q35-7.2}\n        memory: {guest", "activation", "machine q35 → pc"),
    ],
)
def test_a_risk_has_its_reason(old: str, new: str, kind: str, reason: str) -> None:
    found = kinds(old, new)
    assert reason in found[kind]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("guest: 2Gi", "guest: 4Gi"),
        ("image: registry.example.org/web", "image: registry.example.org/other"),
        ("    spec:\n      domain", "    metadata: {labels: {a: b}}\n    spec:\n      domain"),
        ("memory: {guest", "resources: {requests: {cpu: 2}}\n        memory: {guest"),
    ],
)
def test_nothing_is_a_risk_of_which_nothing_changes(old: str, new: str) -> None:
    assert kinds(old, new) == {}


def is_harmless(pair: rollouts.Pair) -> bool:
    """Whether only labels, annotations and requests of a machine change; of its firmware the answers do not tell."""
    following = pair.expected.get("afterRestart")
    places = ("/labels", "/annotations", "/spec/domain/resources")
    return (
        bool(following)
        and not following["refusedBy"]
        and all(path.startswith(places) for _, path, _ in following["changes"])
        and firmware(pair.old["vm"]) == firmware(pair.new.get("vm", pair.old["vm"]))
    )


def firmware(vm: dict[str, Any]) -> Any:
    return vm["spec"]["template"]["spec"]["domain"].get("firmware")


def test_no_false_alarm_where_only_labels_or_requests_change() -> None:
    looked_at = 0
    for pair in rollouts.pairs():
        if looked_at < 40 and is_harmless(pair):
            found = rollouts.rollout(deepcopy(pair))
            after = found.following.result.vmi_object if found.following and found.following.result else None
            if found.machine_before is not None and after is not None:
                assert risks(found.machine_before, after) == (), pair.name
                looked_at += 1
    assert looked_at == 40
