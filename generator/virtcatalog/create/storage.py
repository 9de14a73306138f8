"""The volumes of a VM that is being created, their boot order, and the templates of their DataVolumes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from virtcatalog.api.names import dns_label_problems
from virtcatalog.create import params
from virtcatalog.create.options import FlagError, VmOptions

CLOUD_INIT_DISK, SYSPREP_DISK = "cloudinitdisk", "sysprepdisk"
_VOLUME: dict[str, Callable[[str], Any]] = {"name": str, "src": str, "bootorder": params.count}
_SYSPREP = {"src": str, "type": str}
_SYSPREP_KINDS = {"configmap": "configMap", "secret": "secret"}


class Storage:
    """Collects volumes in the order in which they are added, which is the boot order where no boot order is set."""

    def __init__(self) -> None:
        self.volumes: list[dict[str, Any]] = []
        self.templates: list[dict[str, Any]] = []
        self.disks: list[dict[str, Any]] = []

    def volume(self, name: str) -> dict[str, Any] | None:
        """Return the volume of a name, None when there is none."""
        return next((volume for volume in self.volumes if volume["name"] == name), None)

    def first(self) -> str:
        """Return the name of the volume that boots first, "" without any."""
        if self.disks:
            return str(min(self.disks, key=lambda disk: disk["bootOrder"])["name"])
        return str(self.volumes[0]["name"]) if self.volumes else ""

    def check_name(self, flag: str, name: str) -> None:
        """Raise FlagError for a name that is no DNS label or has been used."""
        if problems := dns_label_problems(name):
            raise FlagError(flag, f"the volume's name cannot be used: {'; '.join(problems)}")
        self.check_unused(flag, name)

    def check_unused(self, flag: str, name: str) -> None:
        """Raise FlagError for a name that another volume has."""
        if self.volume(name):
            raise FlagError(flag, f"there is already a volume with the name {name!r}")

    def add(self, flag: str, name: str, source: dict[str, Any], boot_order: int | None = None) -> None:
        """Add a volume, and a disk for it when it has a boot order. Source: addDiskWithBootOrder."""
        self.volumes.append({"name": name, **source})
        if boot_order is None:
            return
        if boot_order == 0:
            raise FlagError(flag, "bootorder: counts from 1")
        if any(disk["bootOrder"] == boot_order for disk in self.disks):
            raise FlagError(flag, f"bootorder: {boot_order} was given to another volume already")
        self.disks.append({"bootOrder": boot_order, "name": name})


def add_containerdisks(storage: Storage, options: VmOptions, vm_name: str) -> None:
    """Add the volumes of container images. Source: withContainerdiskVolume."""
    flag = "volume-containerdisk"
    for index, text in enumerate(options.volume_containerdisk):
        parameters = params.read(flag, text, _VOLUME)
        image = required_source(flag, parameters)
        name = parameters.get("name") or f"{vm_name}-containerdisk-{index}"
        storage.check_name(flag, name)
        storage.add(flag, name, {"containerDisk": {"image": image}}, parameters.get("bootorder"))


def add_claims(storage: Storage, options: VmOptions) -> None:
    """Add the volumes of claims. Source: withPvcVolume."""
    flag = "volume-pvc"
    for text in options.volume_pvc:
        parameters = params.read(flag, text, _VOLUME)
        claim = local_name(flag, required_source(flag, parameters), "claim")
        name = parameters.get("name") or claim
        storage.check_name(flag, name)
        storage.add(flag, name, {"persistentVolumeClaim": {"claimName": claim}}, parameters.get("bootorder"))


def add_sysprep(storage: Storage, options: VmOptions) -> None:
    """Add the volume of Windows' answer files. Source: withSysprepVolume."""
    if options.volume_sysprep is None:
        return
    flag = "volume-sysprep"
    parameters = params.read(flag, options.volume_sysprep, _SYSPREP)
    source = required_source(flag, parameters)
    local_name(flag, source, "ConfigMap or Secret")
    storage.check_unused(flag, SYSPREP_DISK)
    kind = parameters.get("type") or "configmap"
    if kind.lower() not in _SYSPREP_KINDS:
        raise FlagError(flag, f"type: there is no {kind!r}, only {' and '.join(_SYSPREP_KINDS)}")
    storage.add(flag, SYSPREP_DISK, {"sysprep": {_SYSPREP_KINDS[kind.lower()]: {"name": source}}})


def required_source(flag: str, parameters: dict[str, Any]) -> str:
    """Return the parameter `src`; FlagError when it is missing or empty."""
    if not parameters.get("src"):
        raise FlagError(flag, "src is missing: it has to name what the volume or credential is taken from")
    return str(parameters["src"])


def local_name(flag: str, source: str, noun: str) -> str:
    """Return the name of an object of the VM's own namespace; FlagError when another namespace is named."""
    namespace, name = params.prefixed(flag, source)
    if namespace:
        raise FlagError(flag, f"src: the {noun} has to be in the VM's own namespace: src:{name}")
    return name
