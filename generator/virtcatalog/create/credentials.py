"""Access credentials: `--access-cred`, which also sets flags of cloud-init that were left out."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from virtcatalog.create import params
from virtcatalog.create.options import FlagError, VmOptions
from virtcatalog.create.storage import local_name, required_source

_FLAG = "access-cred"
_PARAMETERS = {"type": str, "src": str, "method": str, "user": str}
_CLOUD_INIT = {"nocloud": "noCloud", "configdrive": "configDrive"}


def access_credentials(options: VmOptions) -> tuple[list[dict[str, Any]], VmOptions]:
    """Return the VM's credentials, and the flags with what these imply for cloud-init.

    Source: withAccessCredential.
    """
    credentials = []
    for text in options.access_cred:
        parameters = params.read(_FLAG, text, _PARAMETERS)
        local_name(_FLAG, required_source(_FLAG, parameters), "Secret")
        kind = parameters.get("type") or "ssh"
        if kind.lower() == "ssh":
            method, options = _ssh_method(parameters, options)
            name = "sshPublicKey"
        elif kind.lower() == "password":
            method, name = _password_method(parameters), "userPassword"
        else:
            raise FlagError(_FLAG, f"type: there is no {kind!r}, only ssh and password")
        credentials.append(
            {name: {"propagationMethod": method, "source": {"secret": {"secretName": parameters["src"]}}}}
        )
    return credentials, options


def _ssh_method(parameters: dict[str, str], options: VmOptions) -> tuple[dict[str, Any], VmOptions]:
    """How SSH keys reach the guest, and the flags that this implies. Source: withAccessCredentialSSH."""
    method = parameters.get("method") or "ga"
    if method.lower() == "ga":
        user = parameters.get("user") or options.user
        if not user:
            raise FlagError(_FLAG, "user is missing: the guest agent writes a user's keys; name it here or with --user")
        if options.ga_manage_ssh is None:  # the agent may write keys only where SELinux lets it
            options = replace(options, ga_manage_ssh=True)
        return {"qemuGuestAgent": {"users": [user]}}, options
    source = method.lower()
    if source not in _CLOUD_INIT:
        raise FlagError(_FLAG, f"method: there is no {method!r} for ssh, only ga, {' and '.join(_CLOUD_INIT)}")
    _check_no_user(parameters)
    if options.cloud_init is None:
        options = replace(options, cloud_init=source)
    elif options.cloud_init.lower() != source:
        raise FlagError(_FLAG, f"method: {source} does not go with --cloud-init {options.cloud_init}")
    return {_CLOUD_INIT[source]: {}}, options


def _password_method(parameters: dict[str, str]) -> dict[str, Any]:
    """Source: withAccessCredentialPassword."""
    method = parameters.get("method") or "ga"
    if method.lower() != "ga":
        raise FlagError(_FLAG, f"method: there is no {method!r} for passwords, only ga")
    _check_no_user(parameters)
    return {"qemuGuestAgent": {}}


def _check_no_user(parameters: dict[str, str]) -> None:
    if parameters.get("user"):
        raise FlagError(_FLAG, "user: only type:ssh with method:ga takes one")
