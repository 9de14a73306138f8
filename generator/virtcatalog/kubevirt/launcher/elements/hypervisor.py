"""The domain's type and emulator: hardware virtualization or software emulation."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.context import HYPERV_DIRECT
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, leaf

_EMULATORS = {
    "amd64": "/usr/bin/qemu-system-x86_64",
    "x86_64": "/usr/bin/qemu-system-x86_64",
    "arm64": "/usr/bin/qemu-system-aarch64",
    "aarch64": "/usr/bin/qemu-system-aarch64",
    "s390x": "/usr/bin/qemu-system-s390x",
}


def domain_type(hypervisor: str, *, available: bool, emulation_allowed: bool, other_architecture: bool) -> str:
    """`kvm`, `hyperv` or `qemu`; DomainError when the node can run the VMI in no way.

    Source: pkg/virt-launcher/virtwrap/converter/kvm and converter/mshv.
    """
    if other_architecture and hypervisor != HYPERV_DIRECT:
        return "qemu"
    if available:
        return "hyperv" if hypervisor == HYPERV_DIRECT else "kvm"
    if not emulation_allowed:
        raise DomainError("spec.domain", f"the node lacks {hypervisor}, and emulation is not allowed")
    return "qemu"


def emulator(architecture: str, hypervisor: str, *, other_architecture: bool) -> Element | None:
    """`<emulator>`, named only for a guest of another architecture than the node's."""
    if not other_architecture or hypervisor == HYPERV_DIRECT:
        return None
    path = _EMULATORS.get(architecture)
    if path is None:
        raise DomainError("spec.architecture", f"there is no emulator for {architecture}")
    return leaf("emulator", path)
