"""Access credentials: `--access-cred`, which decides on flags of cloud-init that were not given."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from virtcatalog.create import params
from virtcatalog.create.options import FlagError, VmOptions
from virtcatalog.create.storage import local_name, required_source

_FLAG = "access-cred"
_KNOWN = {"type": str, "src": str, "method": str, "user": str}
_CLOUD_INIT = {"nocloud": "noCloud", "configdrive": "configDrive"}


def access_credentials(options: VmOptions) -> tuple[list[dict[str, Any]], VmOptions]:
    """Return the VM's credentials, and the flags as these leave them. Source: withAccessCredential."""
    found = []
    for text in options.access_cred:
        given = params.read(_FLAG, text, _KNOWN)
        local_name(_FLAG, required_source(_FLAG, given), "Secret")
        kind = given.get("type") or "ssh"
        if kind.lower() == "ssh":
            method, options = _ssh(given, options)
            name = "sshPublicKey"
        elif kind.lower() == "password":
            method, name = _password(given), "userPassword"
        else:
            raise FlagError(_FLAG, f"type: there is no {kind!r}, only ssh and password")
        found.append({name: {"propagationMethod": method, "source": {"secret": {"secretName": given["src"]}}}})
    return found, options


def _ssh(given: dict[str, str], options: VmOptions) -> tuple[dict[str, Any], VmOptions]:
    """How keys come in. Source: withAccessCredentialSSH."""
    method = given.get("method") or "ga"
    if method.lower() == "ga":
        user = given.get("user") or options.user
        if not user:
            raise FlagError(_FLAG, "user is missing: the guest agent writes a user's keys; name it here or with --user")
        if options.ga_manage_ssh is None:  # the agent may write keys only where SELinux lets it
            options = replace(options, ga_manage_ssh=True)
        return {"qemuGuestAgent": {"users": [user]}}, options
    source = method.lower()
    if source not in _CLOUD_INIT:
        raise FlagError(_FLAG, f"method: there is no {method!r} for ssh, only ga, {' and '.join(_CLOUD_INIT)}")
    _without_user(given)
    if options.cloud_init is None:
        options = replace(options, cloud_init=source)
    elif options.cloud_init.lower() != source:
        raise FlagError(_FLAG, f"method: {source} does not go with --cloud-init {options.cloud_init}")
    return {_CLOUD_INIT[source]: {}}, options


def _password(given: dict[str, str]) -> dict[str, Any]:
    """Source: withAccessCredentialPassword."""
    method = given.get("method") or "ga"
    if method.lower() != "ga":
        raise FlagError(_FLAG, f"method: there is no {method!r} for passwords, only ga")
    _without_user(given)
    return {"qemuGuestAgent": {}}


def _without_user(given: dict[str, str]) -> None:
    if given.get("user"):
        raise FlagError(_FLAG, "user: only type:ssh with method:ga takes one")
