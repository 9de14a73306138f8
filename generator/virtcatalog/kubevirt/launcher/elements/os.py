"""What the guest boots, what its firmware tells, what a reboot does: `<os>`, `<sysinfo>`, `<on_reboot>`."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from virtcatalog.api.configuration import SMBiosConfiguration
from virtcatalog.api.domainspec import ACPI, Chassis, Firmware, KernelBoot, Machine
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.launcher.architecture import Architecture
from virtcatalog.kubevirt.launcher.efi import EFI
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf, own, shared
from virtcatalog.kubevirt.memo import memo

_NVRAM_DIRECTORY = "/var/lib/libvirt/qemu/nvram"
_NON_ROOT_NVRAM_DIRECTORY = "/var/run/kubevirt-private/libvirt/qemu/nvram"
_KERNEL_BOOT_DIRECTORY = "/var/run/kubevirt/container-disks/kernel-boot"
_TABLES_DIRECTORY = "/var/run/kubevirt-private/secret"
_BOOT_MENU_MILLISECONDS = 10000


def os(
    machine: Machine | None,
    firmware: Firmware | None,
    architecture: Architecture,
    efi: EFI | None,
    nvram: str,
    volumes: Sequence[Volume],
    *,
    starts_paused: bool,
) -> Element:
    """`<os>`; a VMI that starts paused gets a boot menu, so that there is time to enter the firmware's set-up.

    `efi` and `nvram` are the UEFI firmware that was selected, and where its variables are. Source:
    pkg/virt-launcher/virtwrap/converter/compute/os.go (OSDomainConfigurator) and api/defaults.go.
    """
    name = machine.type if machine is not None and machine.type else architecture.default_machine
    element = Element("os")
    element.append(leaf("type", "hvm", arch=architecture.os_arch, machine=name))
    if efi is not None:
        _add_efi(element, efi, nvram)
    if firmware is not None:
        if firmware.kernel_boot is not None:
            _add_kernel_boot(element, firmware.kernel_boot)
        if firmware.acpi is not None:
            element.append(_acpi_tables(firmware.acpi, volumes))
    if starts_paused:
        element.append(leaf("bootmenu", enable="yes", timeout=str(_BOOT_MENU_MILLISECONDS)))
    if firmware is not None and firmware.bootloader is not None:
        bios = firmware.bootloader.bios
        if bios is not None and bios.use_serial:
            element.append(leaf("bios", useserial="yes"))
    if architecture.smbios:
        element.append(leaf("smbios", mode="sysinfo"))
    return element


def nvram_file(name: str, *, non_root: bool) -> str:
    """The path of the variables of a VMI's firmware, by the VMI's name."""
    return f"{_NON_ROOT_NVRAM_DIRECTORY if non_root else _NVRAM_DIRECTORY}/{name}_VARS.fd"


def _add_efi(parent: Element, efi: EFI, nvram: str) -> None:
    if efi.auto_selected:
        parent.set("firmware", "efi")
        features = SubElement(parent, "firmware")
        for name in ("secure-boot", "enrolled-keys"):
            SubElement(features, "feature", enabled="yes", name=name)
        if nvram:
            SubElement(parent, "nvram", format="raw").text = nvram
        return
    kind = "rom" if efi.stateless else "pflash"
    secure = "yes" if efi.secure else "no"
    parent.append(leaf("loader", efi.code, readonly="yes", secure=secure, type=kind))
    if nvram:
        SubElement(parent, "nvram", template=efi.vars).text = nvram


def _add_kernel_boot(parent: Element, boot: KernelBoot) -> None:
    texts = []
    if boot.container is not None:
        for name, path in (("kernel", boot.container.kernel_path), ("initrd", boot.container.initrd_path)):
            if path:
                texts.append((name, _artifact_path(path)))
    if boot.kernel_args:
        texts.append(("cmdline", boot.kernel_args))
    for name, text in texts:
        SubElement(parent, name).text = text


def _artifact_path(path: str) -> str:
    """Where virt-handler puts a file of the kernel boot image: all of them in one directory."""
    name = posixpath.basename(path.rstrip("/"))
    return posixpath.normpath(f"{_KERNEL_BOOT_DIRECTORY}/{name}")


def _acpi_tables(acpi: ACPI, volumes: Sequence[Volume]) -> Element:
    if not acpi.slic_name_ref and not acpi.msdm_name_ref:
        raise DomainError("spec.domain.firmware.acpi", "names no table: slicNameRef or msdmNameRef is needed")
    tables = Element("acpi")
    for kind, volume_name in (("slic", acpi.slic_name_ref), ("msdm", acpi.msdm_name_ref)):
        if not volume_name:
            continue
        field = f"spec.domain.firmware.acpi.{kind}NameRef"
        volume = next((volume for volume in volumes if volume.name == volume_name), None)
        if volume is None:
            raise DomainError(field, f"there is no volume {volume_name}")
        if volume.secret is None:
            raise DomainError(field, f"volume {volume_name} is not a secret")
        SubElement(tables, "table", type=kind).text = f"{_TABLES_DIRECTORY}/{volume_name}/{kind}.bin"
    return tables


def sysinfo(firmware: Firmware | None, smbios: SMBiosConfiguration, chassis: Chassis | None) -> Element:
    """`<sysinfo>`; libvirt gets all four tables, empty where nothing is known.

    Source: pkg/virt-launcher/virtwrap/converter/compute/sysinfo.go (SysInfoDomainConfigurator).
    """
    system = Element("system")
    for name, number in zip(*numbers_of(firmware), strict=True):
        SubElement(system, "entry", {"name": name}).text = number
    system.extend(_entries_of_cluster(smbios))
    names = () if chassis is None else ("manufacturer", "version", "serial", "asset", "sku")
    table = shared("chassis", *(leaf("entry", getattr(chassis, name), name=name) for name in names))
    return own("sysinfo", leaf("bios"), system, leaf("baseBoard"), table, type="smbios")


def numbers_of(firmware: Firmware | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of a system's numbers, and the numbers."""
    if firmware is None:
        return (), ()
    if firmware.serial:
        return ("uuid", "serial"), (firmware.uuid, firmware.serial)
    return ("uuid",), (firmware.uuid,)


@memo
def _entries_of_cluster(smbios: SMBiosConfiguration) -> Sequence[Element]:
    names = ("manufacturer", "family", "product", "sku", "version")
    return tuple(leaf("entry", getattr(smbios, name), name=name) for name in names)


_ACTIONS: dict[str | None, str] = {"Terminate": "destroy", "Reboot": "restart"}


def on_reboot(policy: str | None) -> Element | None:
    """`<on_reboot>`, absent for libvirt's own default.

    Source: pkg/virt-launcher/virtwrap/converter/compute/reboot_policy.go (RebootPolicyDomainConfigurator).
    """
    action = _ACTIONS.get(policy)
    return None if action is None else leaf("on_reboot", action)
