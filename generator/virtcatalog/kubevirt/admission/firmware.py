"""Firmware, boot loader, direct kernel boot; confidential guests; the emulated machine; Hyper-V enlightenments.

KubeVirt gives the fields of ACPI tables as `acpi` and those of SEV, SEV-SNP and TDX without `domain`, and blames the
domain as such for secure boot. Only the VMI webhook looks at Hyper-V, and it names a feature's field with
`domain.features.hyperv` twice.
Source: vmi-create-admitter.go, webhooks/amd64.go, webhooks/hyperv.go; Go's path/filepath for the patterns of machine
types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from virtcatalog.api.domainspec import Features, KernelBoot, LaunchSecurity
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause, UnsupportedError
from virtcatalog.kubevirt.admission.volumes import validate_path
from virtcatalog.kubevirt.causes import forbidden, invalid, required
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.hyperv import unfulfilled
from virtcatalog.kubevirt.memo import memo
from virtcatalog.limits import MACHINE_CHARACTERS


def validate_acpi_tables(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """An ACPI table comes from a secret's volume (validateFirmwareACPI)."""
    firmware = spec.domain.firmware
    if not firmware or firmware.acpi is None:
        return
    slic, msdm = firmware.acpi.slic_name_ref, firmware.acpi.msdm_name_ref
    if not slic and not msdm:
        yield invalid(f"{path}.acpi", "domain.firmware.acpi names no table: set slicNameRef or msdmNameRef")
    for name, volume in (("slicNameRef", slic), ("msdmNameRef", msdm)):
        if volume:
            yield from _acpi_volume(spec, volume, f"{path}.acpi.{name}")


def _acpi_volume(spec: VirtualMachineInstanceSpec, name: str, field: str) -> Iterator[Cause]:
    volume = next((volume for volume in spec.volumes if volume.name == name), None)
    if volume is None:
        yield invalid(field, f"there is no volume {name!r}")
    elif volume.secret is None:
        yield invalid(field, f"the volume {name!r} is not a secret, where an ACPI table has to come from")


def validate_firmware(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """One boot loader, a complete direct kernel boot, and secure boot only with what it needs.

    Source: validateFirmware, validateDomainSpec.
    """
    firmware = spec.domain.firmware
    if not firmware:
        return
    bootloader = firmware.bootloader
    if bootloader and bootloader.efi is not None and bootloader.bios is not None:
        yield invalid(f"{path}.domain.firmware.bootloader", "is either efi or bios, not both")
    if firmware.kernel_boot is not None:
        yield from _kernel_boot(firmware.kernel_boot, f"{path}.domain.firmware.kernelBoot")
    if not bootloader or bootloader.efi is None or bootloader.efi.secure_boot is False:
        return
    security = spec.domain.launch_security
    tdx = security is not None and security.tdx is not None and config.release.traits.tdx_embeds_secure_boot
    if not smm_is_on(spec.domain.features) and not tdx:
        yield invalid(
            f"{path}.domain",
            "EFI secure boot, which is on unless firmware.bootloader.efi.secureBoot is false, "
            "needs features.smm to be enabled",
        )


def smm_is_on(features: Features | None) -> bool:
    """System Management Mode: on when it is mentioned and not disabled (smmFeatureEnabled)."""
    return features is not None and features.smm is not None and features.smm.enabled is not False


def _kernel_boot(kernel_boot: KernelBoot, field: str) -> Iterator[Cause]:
    container = kernel_boot.container
    if container is None:
        if kernel_boot.kernel_args:
            yield invalid(
                f"{field}.kernelArgs", "arguments need a kernel: set container with an image and a kernelPath"
            )
        return
    field = f"{field}.container"
    if not container.image:
        yield required(f"{field}.image", "must name the image that holds the kernel")
    if not container.initrd_path and not container.kernel_path:
        yield required(field, "sets neither kernelPath nor initrdPath")
    if container.kernel_path:
        yield from validate_path(container.kernel_path, f"{field}.kernelPath")
    if container.initrd_path:
        yield from validate_path(container.initrd_path, f"{field}.initrdPath")


_MEMBER = r"(?:\\.|[^\\\]-])"
_MEMBERS = re.compile(rf"({_MEMBER})(?:-({_MEMBER}))?", re.DOTALL)
_WILDCARD = re.compile(rf"\*|\?|\[(\^?+)((?:{_MEMBER}(?:-{_MEMBER})?)+)\]|\\(.)|[^\\\[]", re.DOTALL)
_WELL_FORMED = re.compile(rf"(?:{_WILDCARD.pattern})*+", re.DOTALL)


def validate_machine(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    """The machine type is one that the cluster allows on this architecture (`emulatedMachines`).

    Source: validateEmulatedMachine.
    """
    machine = spec.domain.machine
    if not machine or not machine.type:
        return []
    allowed = config.emulated_machines(spec.architecture)
    if max(map(len, (machine.type, *allowed))) > MACHINE_CHARACTERS:
        message = f"a machine, or a pattern of emulatedMachines, of more than {MACHINE_CHARACTERS} characters"
        raise UnsupportedError(f"{path}.domain.machine.type", message)
    if _matches(machine.type, tuple(allowed)):
        return []
    return [invalid(f"{path}.domain.machine.type", _wording(machine.type, spec.architecture, allowed))]


def _wording(machine: str, architecture: str, allowed: Sequence[str]) -> str:
    where = f" on {architecture}" if architecture else ""
    return f"{machine!r} is not an allowed machine{where}; allowed are {', '.join(allowed) or 'none'}"


@memo
def _matches(machine: str, patterns: tuple[str, ...]) -> bool:
    return any(_match(pattern, machine) for pattern in patterns)


def _match(pattern: str, machine: str) -> bool:
    """Whether a machine is as a pattern says, each star taking as little as it can for good.

    Source: Match in Go's path/filepath.
    """
    if not _WELL_FORMED.fullmatch(pattern):
        return False
    parts = [""]
    for wildcard in _WILDCARD.finditer(pattern):
        if wildcard[0] == "*":
            parts.append("")
        else:
            parts[-1] += _translated(wildcard)
    first, *chunks = parts
    between = "".join(f"(?>[^/]*?{chunk})" for chunk in chunks[:-1])
    return re.fullmatch(f"{first}{between}{''.join(f'[^/]*{last}' for last in chunks[-1:])}", machine) is not None


def _translated(match: re.Match[str]) -> str:
    negated, members, escaped = match.groups()
    if members is None:
        return "[^/]" if match[0] == "?" else re.escape(escaped or match[0])
    ranges = [(first[-1], (last or first)[-1]) for first, last in _MEMBERS.findall(members)]
    forwards = "".join(f"{re.escape(first)}-{re.escape(last)}" for first, last in ranges if first <= last)
    return f"[{negated}{forwards}]" if forwards else "(?s:.)" if negated else "(?!)"


def validate_hyperv(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A feature needs those that it builds on, and passing the host's through excludes a choice.

    Source: ValidateVirtualMachineInstanceHyperv.
    """
    features = spec.domain.features
    if not features or features.hyperv is None:
        return
    hyperv = features.hyperv
    field = f"{path}.domain.features.hyperv"
    for name, needed in unfulfilled(hyperv):
        yield invalid(f"{field}.domain.features.hyperv.{name}", f"{name} needs {needed}, which is disabled")
    if hyperv.evmcs is not None and hyperv.evmcs.enabled is not False:
        yield from _vmx(spec, path)
    if features.hyperv_passthrough is not None:
        yield invalid(field, "excludes features.hypervPassthrough: choose features, or take what the host has")


def _vmx(spec: VirtualMachineInstanceSpec, path: str) -> Iterator[Cause]:
    """Nested virtualisation's enlightenment needs the CPU feature vmx, required."""
    cpu = spec.domain.cpu
    if not cpu or not cpu.features:
        yield required(f"{path}.domain.cpu.features", "features.hyperv.evmcs needs vmx among them, policy require")
        return
    for index, feature in enumerate(cpu.features):
        if feature.name == "vmx" and feature.policy != "require":
            yield invalid(
                f"{path}.domain.cpu.features[{index}].policy",
                f"features.hyperv.evmcs needs vmx with the policy require, not {feature.policy!r}",
            )


SECURE_EXECUTION = "SecureExecution"
GATES = {"sev": "WorkloadEncryptionSEV", "snp": "WorkloadEncryptionSEV", "tdx": "WorkloadEncryptionTDX"}


def validate_launch_security(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """One technology, its feature gate on, and nothing in the VM that excludes it (validateLaunchSecurity)."""
    security = spec.domain.launch_security
    if security is None:
        return
    if spec.architecture == "s390x":
        if not config.feature_gate(SECURE_EXECUTION):
            yield invalid(f"{path}.launchSecurity", f"needs the feature gate {SECURE_EXECUTION}, which is off")
        return
    if spec.architecture != "amd64":
        yield invalid(f"{path}.architecture", f"{spec.architecture!r} has no launchSecurity; amd64 and s390x have it")
        return
    field = f"{path}.launchSecurity"
    kinds = [kind for kind in GATES if getattr(security, kind) is not None]
    if len(kinds) != 1:
        yield forbidden(field, f"is exactly one of {', '.join(GATES)}, not {' and '.join(kinds) or 'none'}")
        return
    (kind,) = kinds
    if config.feature_gate(GATES[kind]):
        yield from _surroundings(spec, security, kind, field)
    else:
        yield invalid(field, f"{kind} needs the feature gate {GATES[kind]}, which is off")


def _surroundings(spec: VirtualMachineInstanceSpec, security: LaunchSecurity, kind: str, field: str) -> Iterator[Cause]:
    domain = spec.domain
    if kind == "tdx" and smm_is_on(domain.features):
        yield invalid(field, "tdx excludes SMM: drop features.smm")
    efi = domain.firmware.bootloader.efi if domain.firmware and domain.firmware.bootloader else None
    if efi is None:
        yield invalid(
            field,
            f"{kind} needs UEFI: set firmware.bootloader.efi{'' if kind == 'tdx' else ', with secureBoot: false'}",
        )
    else:
        if kind != "tdx" and efi.secure_boot is not False:
            yield invalid(field, f"{kind} excludes secure boot: set firmware.bootloader.efi.secureBoot to false")
        if kind != "sev" and efi.persistent:
            yield invalid(field, f"{kind} excludes persistent EFI variables: drop firmware.bootloader.efi.persistent")
    if security.sev is not None and security.sev.attestation is not None and spec.start_strategy != "Paused":
        yield invalid(field, "sev attestation needs the startStrategy Paused")
    for interface in domain.devices.interfaces:
        if interface.boot_order is not None:
            yield invalid(
                field, f"{kind} excludes booting from the network: interface {interface.name} has a bootOrder"
            )
