"""Confidential guests: SEV, SEV-SNP, TDX. Source: vmi-create-admitter.go, webhooks/amd64.go.

KubeVirt names the field without `domain`.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.domainspec import LaunchSecurity
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.firmware import smm_is_on
from virtcatalog.kubevirt.causes import forbidden, invalid
from virtcatalog.kubevirt.configuration import Configuration

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
    elif not config.feature_gate(GATES[kinds[0]]):
        yield invalid(field, f"{kinds[0]} needs the feature gate {GATES[kinds[0]]}, which is off")
    else:
        yield from _surroundings(spec, security, kinds[0], field)


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
