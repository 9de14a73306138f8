"""Keys and passwords that reach the guest. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import (
    SSHPublicKeyAccessCredential,
    UserPasswordAccessCredential,
    VirtualMachineInstanceSpec,
)
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_access_credentials(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A credential is a key or a password, from one source, by one way for which the VM is equipped.

    Source: validateAccessCredentials.
    """
    for index, credential in enumerate(spec.access_credentials):
        field = f"{path}.accessCredentials[{index}]"
        key, password = credential.ssh_public_key, credential.user_password
        if key is not None:
            yield from _key(f"{field}.sshPublicKey", key, spec)
        if password is not None:
            yield from _password(f"{field}.userPassword", password)
        if (key is None) == (password is None):
            yield invalid(field, "a credential is either an sshPublicKey or a userPassword")


def _key(field: str, key: SSHPublicKeyAccessCredential, spec: VirtualMachineInstanceSpec) -> Iterator[Cause]:
    method = key.propagation_method
    if method.no_cloud is not None and all(volume.cloud_init_no_cloud is None for volume in spec.volumes):
        yield invalid(f"{field}.propagationMethod", "noCloud needs a volume with cloudInitNoCloud")
    if method.config_drive is not None and all(volume.cloud_init_config_drive is None for volume in spec.volumes):
        yield invalid(f"{field}.propagationMethod", "configDrive needs a volume with cloudInitConfigDrive")
    if method.qemu_guest_agent is not None and not method.qemu_guest_agent.users:
        yield invalid(f"{field}.propagationMethod.qemuGuestAgent.users", "names no user who gets the keys")
    if key.source.secret is None:
        yield invalid(f"{field}.source", "names no secret that holds the keys")
    methods = {
        "noCloud": method.no_cloud,
        "configDrive": method.config_drive,
        "qemuGuestAgent": method.qemu_guest_agent,
    }
    if sum(value is not None for value in methods.values()) != 1:
        yield invalid(f"{field}.propagationMethod", f"has to be exactly one of {', '.join(methods)}")


def _password(field: str, password: UserPasswordAccessCredential) -> Iterator[Cause]:
    if password.source.secret is None:
        yield invalid(f"{field}.source", "names no secret that holds the passwords")
    if password.propagation_method.qemu_guest_agent is None:
        yield invalid(f"{field}.propagationMethod", "has to be qemuGuestAgent")
