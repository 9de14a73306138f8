"""Which UEFI firmware files a VMI boots with."""

from __future__ import annotations

import posixpath

import msgspec

from virtcatalog.api.domainspec import Firmware, LaunchSecurity
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_sev, uses_snp, uses_tdx
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.releases import Traits


class FirmwareImages(msgspec.Struct, frozen=True):
    """The UEFI firmware in the launcher's image: a directory, and the names of the files in it."""

    directory: str
    files: frozenset[str]

    def path(self, name: str) -> str:
        """The path of a file, "" where the image lacks it."""
        return posixpath.join(self.directory, name) if name in self.files else ""


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


def boots_efi(firmware: Firmware | None) -> bool:
    """Whether the VMI boots with UEFI."""
    return firmware is not None and firmware.bootloader is not None and firmware.bootloader.efi is not None


def select_efi(
    firmware: Firmware | None,
    security: LaunchSecurity | None,
    architecture: str,
    images: FirmwareImages,
    *,
    auto_selection: bool,
    traits: Traits,
) -> EFI | None:
    """The firmware for a VMI with UEFI, None for another; DomainError when the launcher lacks the files.

    Secure boot is on unless the VMI turns it off; `auto_selection`: libvirt may choose the files.
    Source: pkg/virt-launcher/virtwrap/manager.go and efi/efi.go (DetectEFIEnvironment).
    """
    if firmware is None or firmware.bootloader is None or firmware.bootloader.efi is None:
        return None
    secure = firmware.bootloader.efi.secure_boot is not False
    snp, tdx = uses_snp(security), uses_tdx(security)
    sev = uses_sev(security) and not snp
    confidential = sev or snp or tdx
    if secure and auto_selection and not confidential:
        return EFI(secure=True, auto_selected=True)
    if confidential:
        files = _confidential_files(secure, architecture, images, sev=sev, snp=snp)
    else:
        files = _plain_files(secure, architecture, images, prefers_secure=traits.prefers_secure_boot_code)
    stateless = snp or (tdx and not sev)
    if not files[0] or not (stateless or files[1]):
        kind = "SEV-SNP" if snp else "SEV" if sev else "TDX" if tdx else "UEFI"
        boot = "with" if secure else "without"
        raise DomainError(
            "spec.domain.firmware.bootloader.efi",
            f"{images.directory} holds no {kind} firmware {boot} secure boot for {architecture}",
        )
    # libvirt ties a secure loader to system management mode, which TDX guests do not have.
    embedded = tdx and traits.tdx_embeds_secure_boot
    return EFI(code=files[0], vars=files[1], secure=secure and not embedded, stateless=snp or tdx)


def keeps_variables(efi: EFI, architecture: str) -> bool:
    """Whether the firmware has a file of variables: libvirt itself keeps those of arm64's secure firmware elsewhere."""
    return not (efi.stateless or (efi.auto_selected and architecture == "arm64"))


def _plain_files(secure: bool, architecture: str, images: FirmwareImages, *, prefers_secure: bool) -> tuple[str, str]:
    if architecture == "arm64":
        return ("", "") if secure else (images.path("AAVMF_CODE.fd"), images.path("AAVMF_VARS.fd"))
    code = images.path("OVMF_CODE.secboot.fd")
    if secure:
        return code, images.path("OVMF_VARS.secboot.fd")
    plain = images.path("OVMF_CODE.fd")
    preferred = code or plain if prefers_secure else plain or code
    return preferred, images.path("OVMF_VARS.fd")


def _confidential_files(
    secure: bool, architecture: str, images: FirmwareImages, *, sev: bool, snp: bool
) -> tuple[str, str]:
    if architecture == "arm64" or (secure and (sev or snp)):
        return "", ""
    if snp:
        return images.path("OVMF.amdsev.fd"), ""
    if sev:
        return images.path("OVMF_CODE.cc.fd"), images.path("OVMF_VARS.fd")
    return images.path("OVMF.inteltdx.secboot.fd" if secure else "OVMF.inteltdx.fd"), ""
