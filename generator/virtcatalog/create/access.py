"""How users get into a created VM: cloud-init's volume, and `--access-cred`, which sets flags of cloud-init, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from virtcatalog.create import params
from virtcatalog.create.options import FlagError, VmOptions
from virtcatalog.create.storage import CLOUD_INIT_DISK, Storage, local_name, required_source

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


_HEADER = "#cloud-config"
_BLANKS = "".join(filter(str.isspace, map(chr, {*range(0x3001)} - {*range(0x1C, 0x20)})))  # to Go, separators are none
_SOURCES = {"nocloud": "cloudInitNoCloud", "configdrive": "cloudInitConfigDrive"}
_DATA = ("password_file", "ssh_key", "ga_manage_ssh", "cloud_init_user_data", "cloud_init_network_data")


def add_cloud_init(storage: Storage, options: VmOptions, read_file: Callable[[str], str]) -> tuple[str, ...]:
    """Add the volume for cloud-init when some flag asks for it, and return the warnings. Source: cloudInitConfig.

    `read_file` returns the text of a file; an error of its own has to be a VirtcatalogError.
    """
    data = [f"--{flag.replace('_', '-')}" for flag in _DATA if getattr(options, flag) is not None]
    if not data and options.user is None and options.cloud_init is None:
        return ()
    warnings = []
    if options.password_file is not None:
        warnings.append("--password-file: the password is in the VM in clear text")
    storage.check_unused("cloud-init", CLOUD_INIT_DISK)
    kind = "nocloud" if options.cloud_init is None else options.cloud_init.lower()
    if kind == "none":
        if data:
            warnings.append(f"--cloud-init: is none, so nothing comes of {', '.join(data)}")
        return tuple(warnings)
    if kind not in _SOURCES:
        raise FlagError("cloud-init", f"there is no {options.cloud_init!r}, only {', '.join(_SOURCES)} and none")
    source: dict[str, Any] = {}
    if options.cloud_init_network_data:
        source["networkDataBase64"] = options.cloud_init_network_data
    if options.cloud_init_user_data:
        source["userDataBase64"] = options.cloud_init_user_data
    else:
        source["userData"] = _user_data(options, read_file)
    if options.cloud_init is not None or source != {"userData": _HEADER}:
        storage.add("cloud-init", CLOUD_INIT_DISK, {_SOURCES[kind]: source})
    return tuple(warnings)


def _user_data(options: VmOptions, read_file: Callable[[str], str]) -> str:
    """Source: buildCloudInitConfig."""
    lines = [_HEADER]
    if options.user:
        lines.append(f"user: {options.user}")
    if options.password_file and (password := read_file(options.password_file).strip(_BLANKS)):
        lines += [f"password: {password}", "chpasswd: { expire: False }"]
    if options.ssh_key:
        lines += ["ssh_authorized_keys:", *(f"  - {key}" for key in options.ssh_key)]
    if options.ga_manage_ssh:
        lines += ["runcmd:", "  - [ setsebool, -P, 'virt_qemu_ga_manage_ssh', 'on' ]"]
    return "\n".join(lines)
