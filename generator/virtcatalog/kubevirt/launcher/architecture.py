"""What differs between guest architectures, one frozen value each."""

from __future__ import annotations

import msgspec


class Architecture(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """Traits of a guest architecture.

    Source: pkg/virt-launcher/virtwrap/converter/arch and api/arch-defaulter.
    """

    name: str
    os_arch: str
    default_machine: str
    cpu_hotplug: bool = False
    smbios: bool = False
    vmport: bool = False
    rom_tuning: bool = False
    mpx_feature: bool = False
    verbose_firmware_log: bool = False
    pci_hole64_disabling: bool = False
    pcie_placement: bool = False
    pci_virtio: bool = True
    fixed_scsi_model: str = ""

    def virtio_model(self, transitional: bool | None) -> str:
        """The model of virtio devices; s390x has no PCI variants of them."""
        if not self.pci_virtio:
            return "virtio"
        return "virtio-transitional" if transitional else "virtio-non-transitional"

    def scsi_model(self, transitional: bool | None) -> str:
        """The model of the virtio SCSI controller."""
        return self.fixed_scsi_model or self.virtio_model(transitional)


AMD64 = Architecture(
    name="amd64",
    os_arch="x86_64",
    default_machine="q35",
    cpu_hotplug=True,
    smbios=True,
    vmport=True,
    rom_tuning=True,
    mpx_feature=True,
    verbose_firmware_log=True,
    pci_hole64_disabling=True,
    pcie_placement=True,
)
ARM64 = Architecture(
    name="arm64",
    os_arch="aarch64",
    default_machine="virt",
    smbios=True,
    rom_tuning=True,
    pcie_placement=True,
)
S390X = Architecture(
    name="s390x",
    os_arch="s390x",
    default_machine="s390-ccw-virtio",
    cpu_hotplug=True,
    pci_virtio=False,
    fixed_scsi_model="virtio-scsi",
)
_BY_NAME = {architecture.name: architecture for architecture in (AMD64, ARM64, S390X)}


def architecture_of(name: str) -> Architecture:
    """The traits of a VMI's `spec.architecture`; an unknown name counts as amd64."""
    return _BY_NAME.get(name, AMD64)
