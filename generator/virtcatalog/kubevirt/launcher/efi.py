"""Which UEFI firmware files a VMI boots with."""

from __future__ import annotations

import msgspec

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_sev, uses_snp, uses_tdx
from virtcatalog.kubevirt.launcher.errors import DomainError


class EFI(msgspec.Struct, frozen=True, kw_only=True):
    """The firmware of one VMI: paths of its code and of the template of its variables.

    `secure` asks libvirt for secure boot; `auto_selected` leaves the choice of files to libvirt, `stateless`
    firmware keeps no variables.
    """

    code: str = ""
    vars: str = ""
    secure: bool = False
    stateless: bool = False
    auto_selected: bool = False


def boots_efi(vmi: VirtualMachineInstance) -> bool:
    """Whether the VMI boots with UEFI."""
    firmware = vmi.spec.domain.firmware
    return firmware is not None and firmware.bootloader is not None and firmware.bootloader.efi is not None


def select_efi(vmi: VirtualMachineInstance, context: Context) -> EFI | None:
    """The firmware for a VMI with UEFI, None for another; DomainError when the launcher lacks the files.

    Secure boot is on unless the VMI turns it off.
    Source: pkg/virt-launcher/virtwrap/manager.go and efi/efi.go (DetectEFIEnvironment).
    """
    firmware = vmi.spec.domain.firmware
    if firmware is None or firmware.bootloader is None or firmware.bootloader.efi is None:
        return None
    secure = firmware.bootloader.efi.secure_boot is not False
    snp, tdx = uses_snp(vmi), uses_tdx(vmi)
    sev = uses_sev(vmi) and not snp
    if secure and context.firmware_auto_selection and not (sev or snp or tdx):
        return EFI(secure=True, auto_selected=True)
    files = (
        _confidential_files(secure, context, sev=sev, snp=snp) if sev or snp or tdx else _plain_files(secure, context)
    )
    stateless = snp or (tdx and not sev)
    if not files[0] or not (stateless or files[1]):
        kind = "SEV-SNP" if snp else "SEV" if sev else "TDX" if tdx else "UEFI"
        boot = "with" if secure else "without"
        raise DomainError(
            "spec.domain.firmware.bootloader.efi",
            f"{context.firmware_directory} holds no {kind} firmware {boot} secure boot for {context.architecture.name}",
        )
    # libvirt ties a secure loader to system management mode, which TDX guests do not have.
    embedded = tdx and context.release.traits.tdx_embeds_secure_boot
    return EFI(code=files[0], vars=files[1], secure=secure and not embedded, stateless=snp or tdx)


def _plain_files(secure: bool, context: Context) -> tuple[str, str]:
    if context.architecture.name == "arm64":
        return ("", "") if secure else (_path("AAVMF_CODE.fd", context), _path("AAVMF_VARS.fd", context))
    code = _path("OVMF_CODE.secboot.fd", context)
    if secure:
        return code, _path("OVMF_VARS.secboot.fd", context)
    plain = _path("OVMF_CODE.fd", context)
    preferred = code or plain if context.release.traits.prefers_secure_boot_code else plain or code
    return preferred, _path("OVMF_VARS.fd", context)


def _confidential_files(secure: bool, context: Context, *, sev: bool, snp: bool) -> tuple[str, str]:
    if context.architecture.name == "arm64" or (secure and (sev or snp)):
        return "", ""
    if snp:
        return _path("OVMF.amdsev.fd", context), ""
    if sev:
        return _path("OVMF_CODE.cc.fd", context), _path("OVMF_VARS.fd", context)
    return _path("OVMF.inteltdx.secboot.fd" if secure else "OVMF.inteltdx.fd", context), ""


def _path(name: str, context: Context) -> str:
    return f"{context.firmware_directory}/{name}" if name in context.firmware_files else ""
