"""`<os>`: machine, firmware, direct kernel boot and tables."""

import pytest
from fragments import make_context, make_vmi, part, xml

from virtcatalog.kubevirt.launcher.efi import EFI, FirmwareImages, select_efi
from virtcatalog.kubevirt.launcher.errors import DomainError

OVMF = "/usr/share/edk2/ovmf"
ALL_FILES = frozenset(
    {
        "OVMF.amdsev.fd",
        "OVMF.inteltdx.fd",
        "OVMF.inteltdx.secboot.fd",
        "OVMF_CODE.cc.fd",
        "OVMF_CODE.fd",
        "OVMF_CODE.secboot.fd",
        "OVMF_VARS.fd",
        "OVMF_VARS.secboot.fd",
    }
)
SMBIOS = '<smbios mode="sysinfo"/>'
PRIVATE = "/var/run/kubevirt-private"


def booted(text="", architecture="amd64", annotations=None, **changes):
    changes = {"firmware_files": ALL_FILES, **changes}
    return part("os", make_vmi(text, architecture, annotations), make_context(architecture, **changes))


@pytest.mark.parametrize(
    ("architecture", "expected"),
    [
        ("amd64", f'<os><type arch="x86_64" machine="q35">hvm</type>{SMBIOS}</os>'),
        ("arm64", f'<os><type arch="aarch64" machine="virt">hvm</type>{SMBIOS}</os>'),
        ("s390x", '<os><type arch="s390x" machine="s390-ccw-virtio">hvm</type></os>'),
    ],
)
def test_each_architecture_has_its_machine(architecture, expected):
    assert xml(booted(architecture=architecture)) == xml(expected)


def test_the_vmi_names_its_machine():
    assert booted("domain.machine: {type: pc-q35-rhel9.6.0}").find("type").get("machine") == "pc-q35-rhel9.6.0"


def test_a_paused_start_leaves_time_for_the_boot_menu():
    assert xml(booted("startStrategy: Paused").find("bootmenu")) == xml('<bootmenu enable="yes" timeout="10000"/>')


@pytest.mark.parametrize(
    ("bios", "expected"), [("{}", ""), ("{useSerial: false}", ""), ("{useSerial: true}", '<bios useserial="yes"/>')]
)
def test_the_bios_can_use_the_serial_console(bios, expected):
    assert xml(booted(f"domain.firmware: {{bootloader: {{bios: {bios}}}}}").find("bios")) == xml(expected)


def test_secure_boot_is_the_default_of_uefi():
    assert xml(booted("domain.firmware: {bootloader: {efi: {}}}")) == xml(
        f"""<os>
              <type arch="x86_64" machine="q35">hvm</type>
              <loader readonly="yes" secure="yes" type="pflash">{OVMF}/OVMF_CODE.secboot.fd</loader>
              <nvram template="{OVMF}/OVMF_VARS.secboot.fd">{PRIVATE}/libvirt/qemu/nvram/vm_VARS.fd</nvram>
              {SMBIOS}
            </os>"""
    )


@pytest.mark.parametrize(
    ("annotations", "non_root", "directory"),
    [
        ({}, True, f"{PRIVATE}/libvirt/qemu/nvram"),
        ({}, False, "/var/lib/libvirt/qemu/nvram"),
        ({"kubevirt.io/nonroot": ""}, False, f"{PRIVATE}/libvirt/qemu/nvram"),
    ],
)
def test_where_the_firmware_keeps_its_variables(annotations, non_root, directory):
    element = booted("domain.firmware: {bootloader: {efi: {}}}", annotations=annotations, non_root=non_root)
    assert element.find("nvram").text == f"{directory}/vm_VARS.fd"


def test_stateless_firmware_has_no_variables():
    text = "domain.firmware: {bootloader: {efi: {secureBoot: false}}}\ndomain.launchSecurity: {snp: {}}"
    element = booted(text)
    assert xml(element.find("loader")) == xml(
        f'<loader readonly="yes" secure="no" type="rom">{OVMF}/OVMF.amdsev.fd</loader>'
    )
    assert element.find("nvram") is None


def efi(secure_boot, security="null", architecture="amd64", directory=OVMF, files=ALL_FILES):
    text = f"""
        domain.firmware: {{bootloader: {{efi: {{secureBoot: {str(secure_boot).lower()}}}}}}}
        domain.launchSecurity: {security}
    """
    domain, images = make_vmi(text, architecture).spec.domain, FirmwareImages(directory, files)
    traits = make_context().release.traits
    return select_efi(
        domain.firmware, domain.launch_security, architecture, images, auto_selection=False, traits=traits
    )


@pytest.mark.parametrize(
    ("secure_boot", "security", "expected"),
    [
        (True, "null", EFI(code="OVMF_CODE.secboot.fd", vars="OVMF_VARS.secboot.fd", secure=True)),
        (False, "null", EFI(code="OVMF_CODE.secboot.fd", vars="OVMF_VARS.fd")),
        (False, "{sev: {}}", EFI(code="OVMF_CODE.cc.fd", vars="OVMF_VARS.fd")),
        (False, "{snp: {}}", EFI(code="OVMF.amdsev.fd", stateless=True)),
        (False, "{tdx: {}}", EFI(code="OVMF.inteltdx.fd", stateless=True)),
        (True, "{tdx: {}}", EFI(code="OVMF.inteltdx.secboot.fd", stateless=True)),
    ],
)
def test_which_files_a_guest_boots_with(secure_boot, security, expected):
    firmware = efi(secure_boot, security, directory="")
    assert (firmware.code.removeprefix("/"), firmware.vars.removeprefix("/")) == (expected.code, expected.vars)
    assert (firmware.secure, firmware.stateless) == (expected.secure, expected.stateless)


def test_plain_code_serves_where_the_one_for_secure_boot_is_missing():
    firmware = efi(secure_boot=False, files=ALL_FILES - {"OVMF_CODE.secboot.fd"})
    assert firmware.code == f"{OVMF}/OVMF_CODE.fd"


def test_arm64_has_files_of_its_own():
    aavmf = {"directory": "/usr/share/AAVMF", "files": frozenset({"AAVMF_CODE.fd", "AAVMF_VARS.fd"})}
    firmware = efi(secure_boot=False, architecture="arm64", **aavmf)
    assert (firmware.code, firmware.vars) == ("/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/AAVMF/AAVMF_VARS.fd")
    with pytest.raises(DomainError):
        efi(secure_boot=True, architecture="arm64", **aavmf)


@pytest.mark.parametrize(
    ("secure_boot", "security", "missing", "firmware"),
    [
        (True, "null", {"OVMF_VARS.secboot.fd"}, "UEFI firmware with"),
        (False, "null", {"OVMF_VARS.fd"}, "UEFI firmware without"),
        (False, "{sev: {}}", {"OVMF_CODE.cc.fd"}, "SEV firmware without"),
        (False, "{snp: {}}", {"OVMF.amdsev.fd"}, "SEV-SNP firmware without"),
        (True, "{tdx: {}}", {"OVMF.inteltdx.secboot.fd"}, "TDX firmware with"),
        (True, "{sev: {}}", set(), "SEV firmware with"),
        (True, "{snp: {}}", set(), "SEV-SNP firmware with"),
    ],
)
def test_firmware_that_the_launcher_lacks_is_refused(secure_boot, security, missing, firmware):
    with pytest.raises(DomainError, match=f"holds no {firmware} secure boot") as refusal:
        efi(secure_boot, security, files=ALL_FILES - missing)
    assert refusal.value.field == "spec.domain.firmware.bootloader.efi"


@pytest.mark.parametrize(
    ("architecture", "nvram"),
    [("amd64", f'<nvram format="raw">{PRIVATE}/libvirt/qemu/nvram/vm_VARS.fd</nvram>'), ("arm64", "")],
)
def test_libvirt_can_choose_the_firmware_itself(architecture, nvram):
    element = booted("domain.firmware: {bootloader: {efi: {}}}", architecture, firmware_auto_selection=True)
    assert element.get("firmware") == "efi"
    assert xml(element.find("firmware")) == xml(
        """<firmware>
             <feature enabled="yes" name="secure-boot"/>
             <feature enabled="yes" name="enrolled-keys"/>
           </firmware>"""
    )
    assert xml(element.find("nvram")) == xml(nvram)
    assert element.find("loader") is None


@pytest.mark.parametrize("text", ["{secureBoot: false}", "{}"])
def test_it_does_so_for_plain_secure_boot_only(text):
    security = "" if "false" in text else "\ndomain.launchSecurity: {tdx: {}}"
    element = booted(f"domain.firmware: {{bootloader: {{efi: {text}}}}}{security}", firmware_auto_selection=True)
    assert element.get("firmware") is None


@pytest.mark.parametrize(
    ("kernel_boot", "expected"),
    [
        ("{kernelArgs: console=ttyS0}", "<cmdline>console=ttyS0</cmdline>"),
        (
            "{container: {image: i, kernelPath: /boot/vmlinuz, initrdPath: /boot/initrd/}, kernelArgs: quiet}",
            """<kernel>/var/run/kubevirt/container-disks/kernel-boot/vmlinuz</kernel>
               <initrd>/var/run/kubevirt/container-disks/kernel-boot/initrd</initrd>
               <cmdline>quiet</cmdline>""",
        ),
        (
            "{container: {image: i, kernelPath: vmlinuz}}",
            "<kernel>/var/run/kubevirt/container-disks/kernel-boot/vmlinuz</kernel>",
        ),
        (
            "{container: {image: i, initrdPath: initrd!//}}",
            "<initrd>/var/run/kubevirt/container-disks/kernel-boot/initrd!</initrd>",
        ),
        ("{container: {image: i, kernelPath: /}}", "<kernel>/var/run/kubevirt/container-disks/kernel-boot</kernel>"),
        ("{container: {image: i}}", ""),
    ],
)
def test_a_kernel_can_be_booted_directly(kernel_boot, expected):
    element = booted(f"domain.firmware: {{kernelBoot: {kernel_boot}}}")
    parts = [part for part in element if part.tag in ("kernel", "initrd", "cmdline")]
    assert xml(parts) == xml(expected)


def test_acpi_tables_come_from_secrets():
    text = """
        domain.firmware: {acpi: {slicNameRef: s, msdmNameRef: m}}
        volumes: [{name: m, secret: {secretName: a}}, {name: s, secret: {secretName: b}}]
    """
    assert xml(booted(text).find("acpi")) == xml(
        f"""<acpi>
              <table type="slic">{PRIVATE}/secret/s/slic.bin</table>
              <table type="msdm">{PRIVATE}/secret/m/msdm.bin</table>
            </acpi>"""
    )
