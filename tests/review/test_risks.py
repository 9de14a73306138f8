"""What an installed guest may not survive: a rule each, and nothing where nothing of it changes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import otheryaml
from conformance import rollouts
from sampling import thorough
from virtcatalog import Cluster, expand
from virtcatalog.review.outcome import compare, outcome
from virtcatalog.review.risks import risks
from virtcatalog.review.verdict import Risk

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
ROOT, DATA = "{name: root, disk: {bus: virtio}}", "{name: data, disk: {bus: virtio}}"
MEMORY = "memory: {guest: 2Gi}"
SPEC = "    spec:\n      domain"
GATES = ["EnableVirtioFsConfigVolumes", "WorkloadEncryptionSEV", "HostDisk"]
CLUSTER = [
    {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {
            "configuration": {
                "developerConfiguration": {"featureGates": GATES},
                "architectureConfiguration": {"amd64": {"emulatedMachines": ["q35*", "pc-q35*", "pc"]}},
                "network": {"binding": {"plug": {"domainAttachmentType": "tap"}}},
                "permittedHostDevices": {
                    "pciHostDevices": [{"pciVendorSelector": "10DE:1", "resourceName": "example.org/gpu"}]
                },
            }
        },
    },
    *(
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "shop"},
            "spec": {"accessModes": [mode], "resources": {"requests": {"storage": "1Gi"}}},
        }
        for name, mode in (("shared", "ReadWriteMany"), ("own", "ReadWriteOnce"))
    ),
]
SMALL = "- {name: data, emptyDisk: {capacity: 1Gi}}"


def of(old: str, new: str) -> tuple[Risk, ...]:
    """The risks of a VM when one text becomes the other."""
    cluster = Cluster(CLUSTER)
    results = [expand(otheryaml.load(text), cluster) for text in (old, new)]
    assert [str(reason) for result in results for reason in result.reasons] == []
    return risks(*results)


def changed(*changes: tuple[str, str]) -> str:
    """The VM with other text here and there."""
    text = VM
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def added(field: str) -> tuple[str, str]:
    """Another field of the domain."""
    return MEMORY, f"{field}\n        {MEMORY}"


RISKS = [
    (
        ("bootloader: {efi: {secureBoot: false}}", "bootloader: {bios: {}}"),
        "boot",
        "UEFI without Secure Boot → BIOS",
    ),
    (("secureBoot: false", "secureBoot: true"), "boot", "Secure Boot is on"),
    ((ROOT, "{name: root, disk: {bus: sata}}"), "boot", "virtio → sata: a guest needs the driver when it boots"),
    ((DATA, "{name: data, bootOrder: 1, disk: {bus: virtio}}"), "boot", "from disk 'data' instead of disk 'root'"),
    ((NIC, "{name: default, bootOrder: 1, masquerade: {}}"), "boot", "from NIC 'default' instead of disk 'root'"),
    ((f"{ROOT}, {DATA}", f"{DATA}, {ROOT}"), "boot", "from disk 'data' instead of disk 'root'"),
    ((DATA, "{name: data, disk: {bus: sata}}"), "disks", "data vdb → sda"),
    ((NIC, "{name: default, model: e1000, masquerade: {}}"), "network", "virtio → e1000: a guest needs the driver"),
    ((NIC, "{name: default, macAddress: '02:00:00:00:00:01', masquerade: {}}"), "network", "another MAC"),
    ((NIC, "{name: default, acpiIndex: 3, masquerade: {}}"), "network", "another ACPI index, none → 3"),
    (
        (NIC, "{name: default, pciAddress: '0000:05:00.0', masquerade: {}}"),
        "network",
        "from root port 1 to 0000:05:00.0",
    ),
    (("          tpm: {}\n", ""), "tpm", "the TPM is gone"),
    (added("clock: {timezone: Europe/Berlin}"), "clock", "UTC → Europe/Berlin: Linux expects UTC there"),
    (added("clock: {utc: {offsetSeconds: 3600}}"), "clock", "UTC → UTC+3600s"),
    (added("cpu: {model: Nehalem}"), "activation", "host-model → Nehalem"),
    (("firmware: {", "firmware: {serial: a1, "), "activation", "SMBIOS serial"),
    (
        ("firmware: {", "firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223, "),
        "activation",
        "SMBIOS uuid",
    ),
    (added("machine: {type: pc-q35-7.2}"), "activation", "machine q35 → pc-q35-7.2"),
    (
        ("features: {smm", "features: {acpi: {enabled: false}, smm"),
        "boot",
        "ACPI is off: other guests than Linux",
    ),
    (
        ("firmware: {", "firmware: {kernelBoot: {container: {image: a, kernelPath: /k}}, "),
        "boot",
        "it boots the kernel /k of an image instead of what is on its disk",
    ),
    (added("launchSecurity: {sev: {}}"), "boot", "its memory is encrypted"),
    ((ROOT, "{name: root, disk: {bus: scsi}}"), "boot", "Windows has no driver for virtio of its own"),
    (
        (ROOT, "{name: root, disk: {bus: virtio}, blockSize: {custom: {logical: 4096, physical: 4096}}}"),
        "boot",
        "disk 'root' has blocks of another size, 512 bytes → 4096 bytes",
    ),
    (
        (DATA, "{name: data, disk: {bus: virtio}, blockSize: {custom: {logical: 4096, physical: 4096}}}"),
        "disks",
        "disk 'data' has blocks of another size, 512 bytes → 4096 bytes",
    ),
    ((DATA, "{name: data, disk: {bus: virtio, readonly: true}}"), "disks", "disk 'data' is read-only"),
    ((DATA, "{name: data, disk: {bus: sata}}"), "disks", "disk 'data' virtio → sata: a guest needs the driver"),
    ((NIC, "{name: default, bridge: {}}"), "network", "masquerade → bridge: the guest gets another address"),
    ((NIC, "{name: default, sriov: {}}"), "network", "masquerade → sriov: the guest gets another address"),
    ((NIC, "{name: default, passtBinding: {}}"), "network", "masquerade → passt: the guest gets another address"),
    ((NIC, "{name: default, binding: {name: plug}}"), "network", "masquerade → plug: the guest gets another address"),
    (("devices:\n", "devices:\n          useVirtioTransitional: true\n"), "network", "to slot 1 of a bridge"),
]


@pytest.mark.parametrize(("change", "kind", "reason"), RISKS)
def test_a_risk_has_its_reason(change: tuple[str, str], kind: str, reason: str) -> None:
    assert [risk for risk in of(VM, changed(change)) if risk.kind == kind and reason in risk.reason]


FIRMWARE = [
    ("bootloader: {bios: {}}", "bootloader: {efi: {secureBoot: false}}", "boot", "BIOS → UEFI"),
    ("bootloader: {efi: {}}", "bootloader: {bios: {}}", "boot", "UEFI with Secure Boot → BIOS"),
    ("bootloader: {bios: {}}", "bootloader: {efi: {persistent: true}}", "boot", "with Secure Boot and kept variables"),
    ("bootloader: {efi: {}}", "bootloader: {efi: {secureBoot: false}}", "boot", "Secure Boot is off"),
    (
        "bootloader: {efi: {secureBoot: false, persistent: true}}",
        "bootloader: {efi: {secureBoot: false}}",
        "nvram",
        "Secure Boot keys and settings of its own are lost",
    ),
]


@pytest.mark.parametrize(("old", "new", "kind", "reason"), FIRMWARE)
def test_a_risk_of_the_firmware(old: str, new: str, kind: str, reason: str) -> None:
    firmware = "bootloader: {efi: {secureBoot: false}}"
    assert [(risk.kind, reason in risk.reason) for risk in of(changed((firmware, old)), changed((firmware, new)))] == [
        (kind, True)
    ]


def test_all_that_is_said_of_each_change(snapshot: object) -> None:
    firmware = "bootloader: {efi: {secureBoot: false}}"
    changes: dict[str, tuple[str, str]] = {}
    for (old, new), _, _ in RISKS:
        other = changed((old, new))
        changes |= {f"{old} -> {new}": (VM, other), f"{new} -> {old}": (other, VM)}
    changes |= {f"{old} -> {new}": (changed((firmware, old)), changed((firmware, new))) for old, new, _, _ in FIRMWARE}
    assert {
        " ".join(name.split()): [f"{risk.kind}: {risk.reason}" for risk in of(*pair)] for name, pair in changes.items()
    } == snapshot


def test_another_firmware_is_named() -> None:
    (risk,) = of(VM, changed(("bootloader: {efi: {secureBoot: false}}", "bootloader: {bios: {}}")))
    assert risk.reason.startswith("UEFI without Secure Boot → BIOS: ")
    assert risk.reason.endswith("a guest that was installed under UEFI does not boot under BIOS")


def test_a_tpm_that_no_longer_keeps_its_state() -> None:
    persistent = changed(("tpm: {}", "tpm: {persistent: true}"))
    assert [(risk.kind, risk.reason) for risk in of(persistent, VM)] == [
        ("tpm", "the TPM's state is no longer kept: what is sealed to it (BitLocker) is lost")
    ]
    assert of(VM, persistent) == ()


def on_claims(**fields: Any) -> str:
    """The VM with its disks on claims of these names, hotpluggable where a name ends with `+`."""
    text = VM
    for name, old in (("root", "containerDisk: {image: registry.example.org/web}"), ("data", SMALL[15:-1])):
        claim = fields.pop(name)
        plugged = ", hotpluggable: true" if claim.endswith("+") else ""
        text = text.replace(old, f"persistentVolumeClaim: {{claimName: {claim.rstrip('+')}{plugged}}}")
    return text.replace("runStrategy: Always", fields.pop("strategy", "runStrategy: Always"))


def test_what_is_installed_stays_on_the_old_claim() -> None:
    before = on_claims(root="a", data="b")
    lost = "is another one, claim {} → {}: what {} on the old one stays there"
    assert of(before, on_claims(root="c", data="b")) == (
        Risk("boot", f"disk 'root' {lost.format('a', 'claim c', 'is installed')}"),
    )
    assert of(before, on_claims(root="a", data="c")) == (
        Risk("disks", f"disk 'data' {lost.format('b', 'claim c', 'the guest has')}"),
    )
    moved = on_claims(root="c", data="b", strategy="runStrategy: Always\n  updateVolumesStrategy: Migration")
    assert of(before, moved) == ()  # KubeVirt copies it
    halted = on_claims(root="c", data="b", strategy="runStrategy: Halted\n  updateVolumesStrategy: Migration")
    assert [risk.kind for risk in of(before, halted)] == ["boot"]
    same = before.replace("persistentVolumeClaim: {claimName: a}", "dataVolume: {name: a}")
    assert of(before, same) == ()
    without_claim = before.replace("persistentVolumeClaim: {claimName: b}", "emptyDisk: {capacity: 1Gi}")
    assert [risk.reason.partition(":")[0] for risk in of(before, without_claim)] == [
        "disk 'data' is another one, claim b → one without a claim"
    ]
    assert of(without_claim, before) == ()
    blocks = before.replace("{name: data, disk", "{name: data, blockSize: {matchVolume: {}}, disk")
    assert [risk.reason.partition(":")[0] for risk in of(before, blocks)] == [
        "disk 'data' has blocks of another size, 512 bytes → its volume's"
    ]


def test_a_disk_that_is_gone_is_missed_unless_it_can_be_unplugged() -> None:
    def without(text: str) -> str:
        lines = [line for line in text.splitlines() if "- {name: data" not in line]
        return "\n".join(lines).replace(f", {DATA}", "")

    reason = "disk 'data' (claim b) is gone: a guest that mounts it may not come up"
    before = on_claims(root="a", data="b")
    assert of(before, without(before)) == (Risk("disks", reason),)
    plugged = on_claims(root="a", data="b+")
    assert of(plugged, without(plugged)) == ()
    assert of(VM, without(VM)) == ()  # an emptyDisk holds nothing that outlives a machine
    no_root = before.replace("- {name: root, persistentVolumeClaim: {claimName: a}}\n", "").replace(f"{ROOT}, ", "")
    assert not any("a guest that mounts it" in risk.reason for risk in of(before, no_root))  # it does not boot


def test_another_serial_is_missed_by_what_names_the_disk_by_it() -> None:
    first, second = (changed((DATA, f"{{name: data, serial: {serial}, disk: {{bus: virtio}}}}")) for serial in "ab")
    reason = "disk 'data' has another serial, a → b: what names it by that does not find it"
    assert of(first, second) == (Risk("disks", reason),)
    assert of(VM, first) == ()  # nothing named it so


def test_another_network_and_a_kernel_that_is_no_longer_booted() -> None:
    bridged = changed((NIC, "{name: default, bridge: {}}"), ("pod: {}", "multus: {networkName: blue}"))
    assert of(bridged, bridged.replace("blue", "green")) == (
        Risk("network", "NIC 'default' is on another network, blue → green: its addresses may not be valid there"),
    )
    kernel = changed(("firmware: {", "firmware: {kernelBoot: {container: {image: a, kernelPath: /k}}, "))
    assert of(kernel, VM)[0].reason == "it boots what is on its disk instead of the kernel /k of an image"
    assert of(kernel, kernel.replace("image: a", "image: b")) == ()


def test_guests_older_than_virtio_1_0_need_transitional_devices() -> None:
    transitional = changed(("devices:\n", "devices:\n          useVirtioTransitional: true\n"))
    risks = of(transitional, VM)
    assert (risks[0].kind, "a guest older than virtio 1.0" in risks[0].reason) == ("boot", True)
    assert "boot" not in {risk.kind for risk in of(VM, transitional)}


PC = (
    ("features: {smm: {enabled: true}}", "machine: {type: pc}"),
    ("firmware: {bootloader: {efi: {secureBoot: false}}}", "firmware: {bootloader: {bios: {}}}"),
)


@pytest.mark.parametrize(
    ("slot", "moved"),
    [
        ("03", []),  # where it is anyway
        (
            "0a",
            [
                "NIC 'default' moves on the PCI bus, from 0000:00:03.0 to 0000:00:0a.0: Linux names it by its place",
                "disk 'data' on another PCI address: Windows may take data offline",
            ],
        ),
        (
            "04",
            [
                "NIC 'default' moves on the PCI bus, from 0000:00:03.0 to 0000:00:04.0: Linux names it by its place",
            ],
        ),
    ],
)
def test_the_machine_pc_has_one_bus_of_which_a_device_takes_a_slot(slot: str, moved: list[str]) -> None:
    before = changed(*PC)
    addressed = before.replace(NIC, f"{{name: default, pciAddress: '0000:00:{slot}.0', masquerade: {{}}}}")
    assert [risk.reason for risk in of(before, addressed)] == moved


def test_host_devices_that_move_are_called_as_the_vm_calls_them() -> None:
    before = changed(("devices:\n", "devices:\n          gpus: [{name: a-gpu, deviceName: example.org/gpu}]\n"))
    after = before.replace("interfaces: [", "filesystems: [{name: settings, virtiofs: {}}]\n          interfaces: [")
    after = after.replace(SMALL, f"{SMALL}\n      - {{name: settings, configMap: {{name: settings}}}}")
    assert [risk.reason for risk in of(before, after) if risk.kind == "devices"] == [
        "host device 'a-gpu' on another PCI address: udev rules and DPDK name it by that"
    ]


def test_a_conventional_nic_on_q35_has_a_slot_of_a_bridge_that_takes_its_port() -> None:
    old = changed((NIC, "{name: default, model: e1000e, masquerade: {}}"))
    new = old.replace("e1000e", "e1000")
    assert [risk.reason for risk in of(old, new)] == [
        "NIC 'default' e1000e → e1000: a guest needs the driver",
        "NIC 'default' moves on the PCI bus, from root port 1 to slot 1 of a bridge: Linux names it by its place",
    ]


def test_another_chipset_is_one_risk() -> None:
    bios = ("firmware: {bootloader: {efi: {secureBoot: false}}}", "firmware: {bootloader: {bios: {}}}")
    pc = changed(bios, added("machine: {type: pc}"))
    assert of(changed(bios), pc) == (
        Risk("boot", "machine q35 → pc: another chipset, with its disks and NICs at other addresses"),
    )


@pytest.mark.parametrize(
    ("old", "new", "needs"),
    [("sata", "virtio", "Windows has no driver for virtio of its own"), ("virtio", "sata", "")],
)
def test_what_depends_on_the_guest_is_said_so(old: str, new: str, needs: str) -> None:
    disks = [changed((ROOT, f"{{name: root, disk: {{bus: {bus}}}}}")) for bus in (old, new)]
    assert of(*disks)[0].reason.partition("when it boots")[2].removeprefix("; ") == needs
    models = {"sata": "e1000", "virtio": "virtio"}
    nics = [changed((NIC, f"{{name: default, model: {models[bus]}, masquerade: {{}}}}")) for bus in (old, new)]
    assert of(*nics)[0].reason.partition("needs the driver")[2].removeprefix("; ") == needs


@pytest.mark.parametrize(
    ("change", "moved"),
    [
        # Behind the interfaces three root ports are kept free, into which a second one fits.
        ((("interfaces: [", f"interfaces: [{NIC.replace('default', 'n')}, "),), {"network"}),
        (((NIC, f"{NIC}, {NIC.replace('default', 'n')}"),), set()),
        # A filesystem comes before all others, a controller between the interfaces and the disks.
        (
            (
                ("devices:\n", "devices:\n          filesystems: [{name: settings, virtiofs: {}}]\n"),
                (SMALL, f"{SMALL}\n      - {{name: settings, configMap: {{name: settings}}}}"),
            ),
            {"network", "disks"},
        ),
        ((("devices:\n", "devices:\n          inputs: [{name: t, type: tablet, bus: usb}]\n"),), {"disks"}),
        ((("devices:\n", "devices:\n          rng: {}\n"),), set()),
        ((("devices:\n", "devices:\n          watchdog: {name: w, i6300esb: {action: poweroff}}\n"),), set()),
    ],
)
def test_what_comes_before_a_device_moves_it_on_the_pci_bus(
    change: tuple[tuple[str, str], ...], moved: set[str]
) -> None:
    networks = ("networks: [", "networks: [{name: n, multus: {networkName: n}}, ")
    interfaces = any("name: n," in new for _, new in change)
    changes = [(old, new.replace("{name: n, masquerade", "{name: n, bridge")) for old, new in change]
    risks = of(VM, changed(*changes, *([networks] if interfaces else [])))
    assert {risk.kind for risk in risks if "PCI" in risk.reason} == moved


def test_devices_on_the_root_complex_move_with_each_interface() -> None:
    annotated = (SPEC, f"    metadata: {{annotations: {{kubevirt.io/placePCIDevicesOnRootComplex: 'true'}}}}\n{SPEC}")
    second = (
        (NIC, f"{NIC}, {{name: n, bridge: {{}}}}"),
        ("networks: [", "networks: [{name: n, multus: {networkName: n}}, "),
    )
    (risk,) = of(changed(annotated), changed(annotated, *second))
    assert (risk.kind, risk.reason) == ("disks", "disk 'data' on another PCI address: Windows may take data offline")
    # The annotation itself moves all of them.
    assert {risk.kind for risk in of(VM, changed(annotated))} == {"network", "disks"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (((SMALL, "- {name: data, persistentVolumeClaim: {claimName: own}}"),), "claim 'own' is not shared"),
        (
            ((SMALL, "- {name: data, persistentVolumeClaim: {claimName: other}}"),),
            "claim 'other' has no known access modes",
        ),
        (((SMALL, "- {name: data, hostDisk: {path: /data/disk.img, type: Disk}}"),), "the host disk is not shared"),
        (((NIC, "{name: default, bridge: {}}"),), "has a binding that does not migrate"),
        (
            (
                added("features: {hypervPassthrough: {enabled: true}}"),
                ("        features: {smm: {enabled: true}}\n", ""),
            ),
            "hypervPassthrough keeps it on its node",
        ),
        ((("devices:\n", "devices:\n          gpus: [{name: gpu, deviceName: example.org/gpu}]\n"),), "GPU keeps it"),
        ((added("launchSecurity: {sev: {}}"),), "a confidential guest stays on its node"),
    ],
)
def test_a_vm_that_can_no_longer_migrate(change: tuple[tuple[str, str], ...], reason: str) -> None:
    new = changed(*change)
    risk_reasons = [risk.reason for risk in of(VM, new) if risk.kind == "migration"]
    assert len(risk_reasons) == 1
    assert risk_reasons[0].startswith("it can no longer migrate live: ")
    assert reason in risk_reasons[0]
    assert "migration" not in {risk.kind for risk in of(new, VM)}


def test_a_shared_claim_and_one_that_was_not_shared_before_are_no_risk() -> None:
    shared, own = (
        changed((SMALL, f"- {{name: data, persistentVolumeClaim: {{claimName: {name}}}}}"))
        for name in ("shared", "own")
    )
    assert of(VM, shared) == ()
    assert [risk.kind for risk in of(own, own.replace("masquerade", "bridge"))] == ["network"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("guest: 2Gi", "guest: 4Gi"),
        ("image: registry.example.org/web", "image: registry.example.org/other"),
        (SPEC, f"    metadata: {{labels: {{a: b}}}}\n{SPEC}"),
        ("disk: {bus: virtio}}]", "disk: {bus: virtio}, cache: none, io: native}]"),
        (MEMORY, f"cpu: {{sockets: 2}}\n        {MEMORY}"),
        ("devices:\n", "devices:\n          rng: {}\n"),
        (MEMORY, f"resources: {{requests: {{cpu: 2}}}}\n        {MEMORY}"),
    ],
)
def test_nothing_is_a_risk_of_which_nothing_changes(old: str, new: str) -> None:
    assert of(VM, changed((old, new))) == ()


HARMLESS = (("metadata", "labels"), ("metadata", "annotations"))
REQUESTS = ("spec", "template", "spec", "domain", "resources")


def without(manifest: dict[str, Any], *places: tuple[str, ...]) -> dict[str, Any]:
    """A manifest without what is at these places."""
    manifest = deepcopy(manifest)
    for *steps, last in places:
        part: Any = manifest
        for step in steps:
            part = part.get(step) or {}
        part.pop(last, None)
    return manifest


def bare(manifest: dict[str, Any]) -> dict[str, Any]:
    """What is left of a VM without labels, annotations and what it asks of its node."""
    return without(manifest, *HARMLESS, *(("spec", "template", *place) for place in HARMLESS), REQUESTS)


def is_harmless(pair: rollouts.Pair) -> bool:
    """Whether a pair has nothing but other labels, annotations and requests, or the same in other words."""
    objects = [[without(obj, *HARMLESS) for obj in side.get("objects", ())] for side in (pair.old, pair.new)]
    same_objects = "objects" not in pair.new or objects[0] == objects[1]
    others = all(key in ("vm", "objects") or pair.new[key] == pair.old.get(key) for key in pair.new)
    return others and same_objects and bare(pair.old["vm"]) == bare(pair.new.get("vm", pair.old["vm"]))


@thorough
def test_no_false_alarm_where_only_labels_annotations_or_requests_change() -> None:
    pairs = [pair for pair in rollouts.pairs() if is_harmless(pair)]
    compared = 0
    for pair in pairs:
        old, new = rollouts.case(pair, {}), rollouts.case(pair, pair.new)
        outcomes = outcome(old.vm, old.cluster()), outcome(new.vm, new.cluster())
        results = [of.result for of in outcomes if of.result is not None and of.result.admitted]
        if len(results) == 2:
            change = compare(*outcomes)
            assert risks(*results) == (), pair.name
            assert change is None or change.kind in ("vmi", "pod"), pair.name
            compared += 1
    assert compared >= 169


@pytest.mark.parametrize("mode", ["Block", "Filesystem"])
def test_a_vm_whose_claim_goes_does_not_start(mode: str) -> None:
    vm: dict[str, Any] = otheryaml.load(VM)
    vm["spec"]["template"]["spec"]["volumes"][0] = {"name": "root", "persistentVolumeClaim": {"claimName": "disk"}}
    spec = {"accessModes": ["ReadWriteOnce"], "volumeMode": mode, "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": "disk", "namespace": "shop"}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}
    with_claim, without = outcome(vm, Cluster([claim])), outcome(vm, Cluster([]))
    change = compare(with_claim, without)
    assert change is not None
    assert change.summary[0] == "claim disk is gone"
    assert with_claim.result is not None
    assert without.result is not None
    (risk,) = risks(with_claim.result, without.result)
    assert risk.kind == "boot"
    assert risk.reason.startswith("claim disk of disk 'root' is gone")
    assert risks(without.result, with_claim.result) == ()
