"""Preferred firmware, the deprecated fields included.

Source: pkg/instancetype/preference/apply/firmware.go.
"""

from __future__ import annotations

from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import BIOS, EFI, Bootloader, DomainSpec, Firmware
from virtcatalog.api.instancetype import FirmwarePreferences


def apply_firmware(preference: FirmwarePreferences, domain: DomainSpec) -> None:
    """Fill in the bootloader: BIOS before EFI, `preferredEfi` before the fields that it replaces.

    Its details are filled in on a bootloader that the VM chose, too, except where `preferredEfi` was taken.

    Source: applyFirmwarePreferences.
    """
    if domain.firmware is None:
        domain.firmware = Firmware()
    if domain.firmware.bootloader is None:
        domain.firmware.bootloader = Bootloader()
    bootloader = domain.firmware.bootloader
    silent = bootloader.bios is None and bootloader.efi is None
    if silent:
        if preference.preferred_use_bios:
            bootloader.bios = BIOS()
        elif preference.preferred_efi is not None:
            bootloader.efi = clone(preference.preferred_efi)
            return
        elif preference.preferred_use_efi:
            bootloader.efi = EFI()
    bios, efi = bootloader.bios, bootloader.efi
    if preference.preferred_use_bios_serial is not None and bios is not None and bios.use_serial is None:
        bios.use_serial = preference.preferred_use_bios_serial
    if preference.preferred_use_secure_boot is not None and efi is not None and efi.secure_boot is None:
        efi.secure_boot = preference.preferred_use_secure_boot
