"""Whether a machine that runs under one release's launcher migrates to a node with another's.

A live migration takes the running machine along, as libvirt started it: what the new launcher would make of the VM does
not matter, only whether its libvirt and QEMU take the machine in. Each rule is one reported case, or says what nobody
has told; its docstring names where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.releases.launchers import Launcher, numbers, version

Fate = Literal["migrates", "restart", "unknown"]
"""`restart`: the VM has to be restarted before anything moves it. `unknown`: it cannot be told."""

_KERNEL = re.compile(r"([0-9]{1,6})\.([0-9]{1,6})")
_USO = (6, 2)
"""The Linux release that brought USO to tap devices and to virtio-net."""
_HOST_MODEL, _HOST_PASSTHROUGH = "host-model", "host-passthrough"


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a cluster says of a machine that runs; "" and None where it does not.

    `machine` is its machine type, `migrated` whether it has migrated since its start, `stuck` why it cannot, `kernel`
    that of its node, `guest_kernel` and `guest` what the guest agent says that runs in it.
    """

    machine: str = ""
    migrated: bool | None = None
    stuck: str = ""
    kernel: str = ""
    guest_kernel: str = ""
    guest: str = ""


class Move(msgspec.Struct, frozen=True):
    """What becomes of a machine that has to move to the new launcher, and why."""

    fate: Fate
    reasons: tuple[str, ...] = ()


def move(vmi: VirtualMachineInstance, seen: Seen, stays: Sequence[str], old: Launcher, new: Launcher) -> Move:
    """Say whether a machine migrates; `stays` is what keeps it on its node, whatever runs there."""
    if stays or seen.stuck:
        return Move("restart", tuple(f"it cannot migrate live: {why}" for why in stays or (seen.stuck,)))
    if (old.libvirt, old.qemu) == (new.libvirt, new.qemu):
        return Move("migrates")
    if numbers(new.qemu) < numbers(old.qemu) or numbers(new.libvirt) < numbers(old.libvirt):
        return Move("unknown", (f"whether libvirt {new.libvirt} and QEMU {new.qemu} take in what newer ones started",))
    machine = machine_type(vmi, seen, old)
    obstacles = [*_threads(vmi, old, new), *_segmentation(vmi, seen, machine, old, new)]
    obstacles += [*_machine(machine, old, new), *_selectors(vmi, seen, old, new), *_deprecated_features(vmi, old, new)]
    restart = tuple(text for fate, text in obstacles if fate == "restart")
    unknown = tuple(text for fate, text in obstacles if fate == "unknown")
    return Move("restart", restart) if restart else Move("unknown", unknown) if unknown else Move("migrates")


def machine_type(vmi: VirtualMachineInstance, seen: Seen, old: Launcher) -> str:
    """The machine type that a machine runs with, as far as it is known: an alias stands for what OLD made of it."""
    declared = vmi.spec.domain.machine.type if vmi.spec.domain.machine is not None else ""
    return seen.machine or (old.q35 or declared if declared in ("", "q35") else declared)


def _threads(vmi: VirtualMachineInstance, old: Launcher, new: Launcher) -> Iterator[tuple[Fate, str]]:
    """From QEMU 10.0 on ht is a CPU feature wherever a socket has several threads; libvirt before 11.10 refuses that.

    Source: libvirt's release notes of v11.10.0 ("Fix incoming migration to QEMU 10.0.0 and newer");
    harvester/harvester#11615 and kubevirt/kubevirt#16386 (comment of 2026-05-21), of host-model. No feature is too many
    for host-passthrough: libvirt's src/cpu/cpu_x86.c (virCPUx86UpdateLive). Cores count as threads do: QEMU's
    target/i386/cpu.c (cpu_x86_cpuid).
    """
    if not (numbers(old.qemu) < (10, 0) <= numbers(new.qemu) and numbers(new.libvirt) < (11, 10)):
        return
    cpu = vmi.spec.domain.cpu
    if vmi.spec.architecture not in ("", "amd64") or cpu is None or (cpu.cores or 1) * (cpu.threads or 1) == 1:
        return
    model = cpu.model or _HOST_MODEL
    if model == _HOST_PASSTHROUGH:
        return
    launchers = f"libvirt {version(new.libvirt)} with QEMU {version(new.qemu)}"
    if any(feature.name == "ht" for feature in cpu.features):
        yield "unknown", f"whether {launchers} takes in a CPU that names the feature ht itself"
    elif model == _HOST_MODEL:
        yield "restart", f"{launchers} refuses a host-model CPU with several cores or threads a socket (ht)"
    else:
        yield "unknown", f"whether {launchers} takes in several cores or threads a socket of {model} (ht)"


def _segmentation(
    vmi: VirtualMachineInstance, seen: Seen, machine: str, old: Launcher, new: Launcher
) -> Iterator[tuple[Fate, str]]:
    """QEMU 9.1.0-20.el9 has no USO in pc-q35-rhel9.6.0, which builds before it give guests on kernels that have it.

    Source: kubevirt/kubevirt#16386 (description; comment of 2026-09-02, which names RHEL-80313) and #19000.
    """
    if not numbers(old.qemu) < (9, 1, 0, 20) <= numbers(new.qemu):
        return
    if vmi.spec.architecture not in ("", "amd64") or machine not in ("", "pc-q35-rhel9.6.0"):
        return
    interfaces = vmi.spec.domain.devices.interfaces
    if not any(interface.model in ("", "virtio") and interface.sriov is None for interface in interfaces):
        return
    kernel = _release(seen.kernel)
    if kernel is None:
        yield "unknown", "whether its NIC offloads UDP (USO), which QEMU no longer does: the kernel of its node tells"
    elif kernel >= _USO:
        yield from _guest_segmentation(seen, new)


def _guest_segmentation(seen: Seen, new: Launcher) -> Iterator[tuple[Fate, str]]:
    """The guest's driver has to ask for USO; those of Linux do from 6.2 on, and enterprise kernels may before."""
    guest = _release(seen.guest_kernel)
    if seen.guest == "mswindows" or guest is None or (guest < _USO and ".el" in seen.guest_kernel):
        yield "unknown", "whether the driver of its NIC offloads UDP (USO), which QEMU no longer does: its guest tells"
    elif guest >= _USO:
        yield "restart", f"QEMU {new.qemu} does not load its NIC: Features unsupported (USO, of node and guest kernel)"


def _machine(machine: str, old: Launcher, new: Launcher) -> Iterator[tuple[Fate, str]]:
    """The machine type has to be known there, too; builds of one version of QEMU are taken to know the same types."""
    if version(old.qemu) == version(new.qemu) or machine in new.takes_in:
        return
    if machine and machine != "q35":
        label = f"machine-type.node.kubevirt.io/{machine}"
        yield "unknown", f"whether QEMU {new.qemu} has its machine type: nodes that have it are labelled {label}"
    else:
        yield "unknown", "which machine type it runs with: status.machine of its VMI tells"


def _selectors(vmi: VirtualMachineInstance, seen: Seen, old: Launcher, new: Launcher) -> Iterator[tuple[Fate, str]]:
    """The Pod of a host-model VM that has migrated keeps selecting labels of CPU features, which nodes may lose.

    Source: pkg/virt-controller/watch/migration/migration.go (prepareNodeSelectorForHostCpuModel);
    kubevirt/kubevirt#17812.
    """
    cpu = vmi.spec.domain.cpu
    model = cpu.model if cpu is not None else ""
    same = version(old.qemu) == version(new.qemu) and version(old.libvirt) == version(new.libvirt)
    if vmi.spec.architecture == "arm64" or model not in ("", _HOST_MODEL) or same:
        return
    if seen.migrated is None:
        yield "unknown", "whether it has migrated since its start, as its CPU is host-model: status of its VMI tells"
    elif seen.migrated:
        labels = "labels cpu-feature.node.kubevirt.io/… that its Pod selects since it migrated"
        yield "unknown", f"whether new nodes have all {labels} (host-model)"


def _deprecated_features(vmi: VirtualMachineInstance, old: Launcher, new: Launcher) -> Iterator[tuple[Fate, str]]:
    """From libvirt 11.6 on, a host-model CPU of s390x starts without deprecated features.

    Source: libvirt's release notes of v11.6.0.
    """
    model = vmi.spec.domain.cpu.model if vmi.spec.domain.cpu is not None else ""
    changes = numbers(old.libvirt) < (11, 6) <= numbers(new.libvirt)
    if changes and vmi.spec.architecture == "s390x" and model in ("", _HOST_MODEL):
        yield "unknown", f"whether libvirt {version(new.libvirt)} takes in a host-model CPU with deprecated features"


def _release(kernel: str) -> tuple[int, int] | None:
    """The major and minor number of a Linux kernel's release; None for what is none."""
    matched = _KERNEL.match(kernel)
    return (int(matched[1]), int(matched[2])) if matched is not None else None
