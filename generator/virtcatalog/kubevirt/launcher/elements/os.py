"""`<os>`: machine type, firmware, direct kernel boot, SMBIOS and ACPI tables."""

from __future__ import annotations

import posixpath

from virtcatalog.api.annotations import NON_ROOT
from virtcatalog.api.domainspec import ACPI, Firmware, KernelBoot
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.efi import EFI, select_efi
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf

_NVRAM_DIRECTORY = "/var/lib/libvirt/qemu/nvram"
_NON_ROOT_NVRAM_DIRECTORY = "/var/run/kubevirt-private/libvirt/qemu/nvram"
_KERNEL_BOOT_DIRECTORY = "/var/run/kubevirt/container-disks/kernel-boot"
_TABLES_DIRECTORY = "/var/run/kubevirt-private/secret"
_BOOT_MENU_MILLISECONDS = 10000


def os(vmi: VirtualMachineInstance, context: Context) -> Element:
    """`<os>`; a VMI that starts paused gets a boot menu, so that there is time to enter the firmware's set-up.

    Source: pkg/virt-launcher/virtwrap/converter/compute/os.go (OSDomainConfigurator) and api/defaults.go.
    """
    machine, firmware = vmi.spec.domain.machine, vmi.spec.domain.firmware
    name = machine.type if machine is not None and machine.type else context.architecture.default_machine
    efi = select_efi(vmi, context)
    parts = _own_parts(vmi, firmware)
    element = Element("os")
    element.append(leaf("type", "hvm", arch=context.architecture.os_arch, machine=name))
    if efi is not None:
        _add_efi(element, efi, _nvram(efi, vmi, context))
    element.extend(parts)
    if context.architecture.smbios:
        element.append(leaf("smbios", mode="sysinfo"))
    return element


def _nvram(efi: EFI, vmi: VirtualMachineInstance, context: Context) -> str:
    """The path of the firmware's variables, empty where it keeps none."""
    # libvirt keeps the variables of arm64's secure firmware itself, outside a flash image.
    if efi.stateless or (efi.auto_selected and vmi.spec.architecture == "arm64"):
        return ""
    non_root = context.non_root or NON_ROOT in vmi.metadata.annotations
    return f"{_NON_ROOT_NVRAM_DIRECTORY if non_root else _NVRAM_DIRECTORY}/{vmi.metadata.name}_VARS.fd"


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


def _own_parts(vmi: VirtualMachineInstance, firmware: Firmware | None) -> list[Element]:
    """What few VMs have: direct kernel boot, ACPI tables, a boot menu, the firmware's messages on the serial port."""
    parts: list[Element] = []
    if firmware is not None:
        if firmware.kernel_boot is not None:
            _add_kernel_boot(parts, firmware.kernel_boot)
        if firmware.acpi is not None:
            parts.append(_acpi_tables(firmware.acpi, vmi))
    if vmi.spec.start_strategy == "Paused":
        parts.append(leaf("bootmenu", enable="yes", timeout=str(_BOOT_MENU_MILLISECONDS)))
    if firmware is not None and firmware.bootloader is not None:
        bios = firmware.bootloader.bios
        if bios is not None and bios.use_serial:
            parts.append(leaf("bios", useserial="yes"))
    return parts


def _add_kernel_boot(parts: list[Element], boot: KernelBoot) -> None:
    texts = []
    if boot.container is not None:
        for name, path in (("kernel", boot.container.kernel_path), ("initrd", boot.container.initrd_path)):
            if path:
                texts.append((name, _artifact_path(path)))
    if boot.kernel_args:
        texts.append(("cmdline", boot.kernel_args))
    for name, text in texts:
        parts.append(Element(name))
        parts[-1].text = text


def _artifact_path(path: str) -> str:
    """Where virt-handler puts a file of the kernel boot image: all of them in one directory."""
    name = posixpath.basename(path.rstrip("/"))
    return posixpath.normpath(f"{_KERNEL_BOOT_DIRECTORY}/{name}")


def _acpi_tables(acpi: ACPI, vmi: VirtualMachineInstance) -> Element:
    if not acpi.slic_name_ref and not acpi.msdm_name_ref:
        raise DomainError("spec.domain.firmware.acpi", "names no table: slicNameRef or msdmNameRef is needed")
    tables = Element("acpi")
    for kind, volume_name in (("slic", acpi.slic_name_ref), ("msdm", acpi.msdm_name_ref)):
        if not volume_name:
            continue
        field = f"spec.domain.firmware.acpi.{kind}NameRef"
        volume = next((volume for volume in vmi.spec.volumes if volume.name == volume_name), None)
        if volume is None:
            raise DomainError(field, f"there is no volume {volume_name}")
        if volume.secret is None:
            raise DomainError(field, f"volume {volume_name} is not a secret")
        SubElement(tables, "table", type=kind).text = f"{_TABLES_DIRECTORY}/{volume_name}/{kind}.bin"
    return tables
