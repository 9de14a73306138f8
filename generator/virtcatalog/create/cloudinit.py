"""The volume for cloud-init, with user data and network data, made of the flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from virtcatalog.create.options import FlagError, VmOptions
from virtcatalog.create.storage import CLOUD_INIT_DISK, Storage

_HEADER = "#cloud-config"
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
    if options.password_file and (password := read_file(options.password_file).strip()):
        lines += [f"password: {password}", "chpasswd: { expire: False }"]
    if options.ssh_key:
        lines += ["ssh_authorized_keys:", *(f"  - {key}" for key in options.ssh_key)]
    if options.ga_manage_ssh:
        lines += ["runcmd:", "  - [ setsebool, -P, 'virt_qemu_ga_manage_ssh', 'on' ]"]
    return "\n".join(lines)
