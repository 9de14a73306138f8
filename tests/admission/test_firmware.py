import pytest

from virtcatalog.kubevirt.admission.firmware import validate_acpi_tables, validate_firmware

KERNEL = "spec.domain.firmware.kernelBoot"
VOLUMES = "volumes: [{name: table, secret: {secretName: acpi}}, {name: root, containerDisk: {image: x}}]"


@pytest.mark.parametrize(
    ("acpi", "causes"),
    [
        ("{slicNameRef: table}", []),
        ("{slicNameRef: table, msdmNameRef: table}", []),
        ("{}", ["Invalid spec.acpi"]),
        ("{slicNameRef: missing}", ["Invalid spec.acpi.slicNameRef"]),
        ("{msdmNameRef: root}", ["Invalid spec.acpi.msdmNameRef"]),
        (
            "{slicNameRef: root, msdmNameRef: missing}",
            ["Invalid spec.acpi.slicNameRef", "Invalid spec.acpi.msdmNameRef"],
        ),
    ],
)
def test_acpi_tables_come_from_secrets(causes_of, acpi, causes):
    assert causes_of(validate_acpi_tables, f"{{domain.firmware.acpi: {acpi}, {VOLUMES}}}") == causes


@pytest.mark.parametrize(
    ("bootloader", "causes"),
    [
        ("{bios: {}}", []),
        ("{efi: {secureBoot: false}}", []),
        ("{efi: {secureBoot: false}, bios: {}}", ["Invalid spec.domain.firmware.bootloader"]),
    ],
)
def test_one_boot_loader(causes_of, bootloader, causes):
    assert causes_of(validate_firmware, f"domain.firmware.bootloader: {bootloader}") == causes


@pytest.mark.parametrize(
    ("efi", "domain", "causes"),
    [
        ("{}", "{}", ["Invalid spec.domain"]),
        ("{secureBoot: true}", "{features: {smm: {enabled: false}}}", ["Invalid spec.domain"]),
        ("{secureBoot: true}", "{features: {}}", ["Invalid spec.domain"]),
        ("{secureBoot: true}", "{features: {smm: {}}}", []),
        ("{}", "{features: {smm: {enabled: true}}}", []),
        ("{secureBoot: false}", "{}", []),
        ("{}", "{launchSecurity: {tdx: {}}}", []),
        ("{}", "{launchSecurity: {sev: {}}}", ["Invalid spec.domain"]),
    ],
)
def test_secure_boot_needs_smm_except_with_tdx(causes_of, efi, domain, causes):
    assert causes_of(validate_firmware, f"domain: {domain}\ndomain.firmware.bootloader.efi: {efi}") == causes


@pytest.mark.parametrize(
    ("kernel_boot", "causes"),
    [
        ("{container: {image: x, kernelPath: /boot/vmlinuz, initrdPath: /boot/initrd}, kernelArgs: quiet}", []),
        ("{container: {image: x, initrdPath: /boot/initrd/}}", []),
        ("{}", []),
        ("{kernelArgs: quiet}", [f"Invalid {KERNEL}.kernelArgs"]),
        ("{container: {image: '', kernelPath: /vmlinuz}}", [f"Required {KERNEL}.container.image"]),
        ("{container: {image: x}}", [f"Required {KERNEL}.container"]),
        ("{container: {image: x, kernelPath: boot/vmlinuz}}", [f"Invalid {KERNEL}.container.kernelPath"]),
        ("{container: {image: x, kernelPath: /boot/../vmlinuz}}", [f"Invalid {KERNEL}.container.kernelPath"]),
        ("{container: {image: x, kernelPath: //vmlinuz}}", [f"Invalid {KERNEL}.container.kernelPath"]),
        ("{container: {image: x, initrdPath: /}}", [f"Invalid {KERNEL}.container.initrdPath"]),
    ],
)
def test_direct_kernel_boot_is_complete(causes_of, kernel_boot, causes):
    assert causes_of(validate_firmware, f"domain.firmware.kernelBoot: {kernel_boot}") == causes
