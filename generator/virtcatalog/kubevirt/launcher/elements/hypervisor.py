"""The domain's type and emulator: hardware virtualization or software emulation."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import HYPERV_DIRECT, Context
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element

_EMULATORS = {
    "amd64": "/usr/bin/qemu-system-x86_64",
    "x86_64": "/usr/bin/qemu-system-x86_64",
    "arm64": "/usr/bin/qemu-system-aarch64",
    "aarch64": "/usr/bin/qemu-system-aarch64",
    "s390x": "/usr/bin/qemu-system-s390x",
}


def domain_type(context: Context) -> str:
    """`kvm`, `hyperv` or `qemu`; DomainError when the node can run the VMI in no way.

    Source: pkg/virt-launcher/virtwrap/converter/kvm and converter/mshv.
    """
    if context.emulates_other_architecture and context.hypervisor != HYPERV_DIRECT:
        return "qemu"
    if context.hypervisor_available:
        return "hyperv" if context.hypervisor == HYPERV_DIRECT else "kvm"
    if not context.allow_emulation:
        raise DomainError("spec.domain", f"the node lacks {context.hypervisor}, and emulation is not allowed")
    return "qemu"


def emulator(vmi: VirtualMachineInstance, context: Context) -> Element | None:
    """`<emulator>`, named only for a guest of another architecture than the node's."""
    if not context.emulates_other_architecture or context.hypervisor == HYPERV_DIRECT:
        return None
    path = _EMULATORS.get(vmi.spec.architecture)
    if path is None:
        raise DomainError("spec.architecture", f"there is no emulator for {vmi.spec.architecture}")
    element = Element("emulator")
    element.text = path
    return element
