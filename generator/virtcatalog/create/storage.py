"""The volumes of a VM that is being created, their boot order, templates of DataVolumes, and volumes that CDI fills.

CDI's are `--volume-import type:TYPE,…`, and the older flags for three of the types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from virtcatalog.api.names import dns_label_problems
from virtcatalog.create import params
from virtcatalog.create.options import FlagError, VmOptions, random_name
from virtcatalog.errors import nearest_or_all

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


_FLAG = "volume-import"
_COMMON: dict[str, Callable[[str], Any]] = {"size": params.amount, "type": str, "name": str, "bootorder": params.count}

#: Parameters by name, with the field of a DataVolume's source that each fills.
_FIELDS = {
    "url": "url",
    "uuid": "uuid",
    "thumbprint": "thumbprint",
    "diskid": "diskId",
    "secretref": "secretRef",
    "certconfigmap": "certConfigMap",
    "extraheaders": "extraHeaders",
    "secretextraheaders": "secretExtraHeaders",
    "imagestream": "imageStream",
    "pullmethod": "pullMethod",
    "initimageurl": "initImageURL",
    "backingfile": "backingFile",
}
_LISTS = {"extraheaders", "secretextraheaders"}
_PULL_METHODS = ("pod", "node")


class _ImportType(NamedTuple):
    """The parameters of a type of `--volume-import` beside the common ones.

    A clone is copied from `src`, and has the size of its source unless `size` is set.
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    clone: bool = False


#: Source: volumeImportOptions and the data volume sources in params.go.
_IMPORTS = {
    "blank": _ImportType(),
    "gcs": _ImportType(("url",), ("secretref",)),
    "http": _ImportType(("url",), ("secretref", "certconfigmap", "extraheaders", "secretextraheaders")),
    "imageio": _ImportType(("url", "diskid"), ("secretref", "certconfigmap")),
    "pvc": _ImportType(clone=True),
    "registry": _ImportType((), ("url", "imagestream", "pullmethod", "secretref", "certconfigmap")),
    "s3": _ImportType(("url",), ("secretref", "certconfigmap")),
    "vddk": _ImportType(("url", "uuid", "thumbprint", "secretref", "backingfile"), ("initimageurl",)),
    "snapshot": _ImportType(clone=True),
    "ds": _ImportType(clone=True),
}

#: Deprecated flags, in the order in which they are turned into parameters of a type.
_ALIASES = (("volume-datasource", "ds"), ("volume-clone-pvc", "pvc"), ("volume-blank", "blank"))


def add_imports(storage: Storage, options: VmOptions) -> tuple[str, ...]:
    """Add the volumes that are imported, and return the warnings. Source: withImportedVolume, aliasToVolumeImport."""
    texts, warnings = list(options.volume_import), []
    for flag, kind in _ALIASES:
        deprecated_texts = getattr(options, flag.replace("-", "_"))
        if deprecated_texts:
            warnings.append(f"--{flag} is deprecated: use --{_FLAG} with type:{kind} and the same parameters")
        for text in deprecated_texts:
            if not text:
                raise FlagError(flag, f"is empty; {params.SHAPE}")
            texts.insert(0, f"type:{kind},{text}")
    for text in texts:
        _add_import(storage, text)
    return tuple(warnings)


def _add_import(storage: Storage, text: str) -> None:
    kind = params.split(_FLAG, text).get("type")
    if kind is None:
        raise FlagError(_FLAG, f"type is missing: one of {', '.join(_IMPORTS)}")
    if kind not in _IMPORTS:
        raise FlagError(_FLAG, f"type: there is no {kind!r}{nearest_or_all(kind, _IMPORTS)}")
    import_type = _IMPORTS[kind]
    own = ("src",) if import_type.clone else (*import_type.required, *import_type.optional)
    parameters = params.read(_FLAG, text, {name: params.texts if name in _LISTS else str for name in own} | _COMMON)
    source = _clone_source(kind, parameters) if import_type.clone else _import_source(kind, parameters)
    if "size" not in parameters and not import_type.clone:
        raise FlagError(_FLAG, f"size is missing: type:{kind} has no size of its own")
    name = parameters["name"] if "name" in parameters else random_name("imported-volume-")
    storage.check_name(_FLAG, name)
    resources = {"requests": {"storage": parameters["size"]}} if "size" in parameters else {}
    storage.templates.append({"metadata": {"name": name}, "spec": {**source, "storage": {"resources": resources}}})
    storage.add(_FLAG, name, {"dataVolume": {"name": name}}, parameters.get("bootorder"))


def _import_source(kind: str, parameters: dict[str, Any]) -> dict[str, Any]:
    for name in _IMPORTS[kind].required:
        if not parameters.get(name):
            raise FlagError(_FLAG, f"{name} is missing: type:{kind} needs {', '.join(_IMPORTS[kind].required)}")
    if kind == "registry":
        _check_registry(parameters)
    fields = {_FIELDS[name]: value for name, value in parameters.items() if name in _FIELDS and value}
    return {"source": {kind: fields}}


def _check_registry(parameters: dict[str, Any]) -> None:
    """Source: withVolumeSourceRegistry."""
    method = parameters.get("pullmethod")
    if method and method not in _PULL_METHODS:
        raise FlagError(_FLAG, f"pullmethod: there is no {method!r}, only {' and '.join(_PULL_METHODS)}")
    if bool(parameters.get("url")) == bool(parameters.get("imagestream")):
        raise FlagError(_FLAG, "type:registry needs either url or imagestream")


def _clone_source(kind: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Source: parseVolumeSource, withVolumeSourceRefDataSource."""
    namespace, name = params.prefixed(_FLAG, required_source(_FLAG, parameters))
    if kind == "ds":
        return {"sourceRef": {"kind": "DataSource", "name": name} | ({"namespace": namespace} if namespace else {})}
    if not namespace:
        raise FlagError(_FLAG, f"src: type:{kind} needs the namespace of {name!r}, too: src:NAMESPACE/{name}")
    return {"source": {kind: {"name": name, "namespace": namespace}}}
