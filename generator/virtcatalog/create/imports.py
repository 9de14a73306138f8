"""Volumes that CDI fills: `--volume-import type:TYPE,…`, and the older flags for three of the types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from virtcatalog.create import params
from virtcatalog.create.options import FlagError, VmOptions
from virtcatalog.create.storage import Storage, required_source
from virtcatalog.errors import nearest

_FLAG = "volume-import"
_COMMON: dict[str, Callable[[str], Any]] = {"size": params.amount, "type": str, "name": str, "bootorder": params.count}

#: The fields of sources that parameters fill.
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


class _Source(NamedTuple):
    """A type's parameters beside the common ones; a clone is copied from `src`, and may be of the source's size."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    clone: bool = False


#: Source: volumeImportOptions and the data volume sources in params.go.
_SOURCES = {
    "blank": _Source(),
    "gcs": _Source(("url",), ("secretref",)),
    "http": _Source(("url",), ("secretref", "certconfigmap", "extraheaders", "secretextraheaders")),
    "imageio": _Source(("url", "diskid"), ("secretref", "certconfigmap")),
    "pvc": _Source(clone=True),
    "registry": _Source((), ("url", "imagestream", "pullmethod", "secretref", "certconfigmap")),
    "s3": _Source(("url",), ("secretref", "certconfigmap")),
    "vddk": _Source(("url", "uuid", "thumbprint", "secretref", "backingfile"), ("initimageurl",)),
    "snapshot": _Source(clone=True),
    "ds": _Source(clone=True),
}

#: Deprecated flags, in the order in which they are turned into parameters of a type.
_ALIASES = (("volume-datasource", "ds"), ("volume-clone-pvc", "pvc"), ("volume-blank", "blank"))


def add_imports(storage: Storage, options: VmOptions, drawn_name: Callable[[str], str]) -> tuple[str, ...]:
    """Add the volumes that are imported, and return the warnings; `drawn_name` ends a prefix with what it draws.

    Source: withImportedVolume, aliasToVolumeImport.
    """
    texts, warnings = list(options.volume_import), []
    for flag, kind in _ALIASES:
        older = getattr(options, flag.replace("-", "_"))
        if older:
            warnings.append(f"--{flag} is deprecated: use --{_FLAG} with type:{kind} and the same parameters")
        for text in older:
            if not text:
                raise FlagError(flag, f"is empty; {params.SHAPE}")
            texts.insert(0, f"type:{kind},{text}")
    for text in texts:
        _add(storage, text, drawn_name)
    return tuple(warnings)


def _add(storage: Storage, text: str, drawn_name: Callable[[str], str]) -> None:
    kind = params.split(_FLAG, text).get("type")
    if kind is None:
        raise FlagError(_FLAG, f"type is missing: one of {', '.join(_SOURCES)}")
    if kind not in _SOURCES:
        hint = nearest(kind, _SOURCES) or f"; there are {', '.join(_SOURCES)}"
        raise FlagError(_FLAG, f"type: there is no {kind!r}{hint}")
    known = _SOURCES[kind]
    own = ("src",) if known.clone else (*known.required, *known.optional)
    given = params.read(_FLAG, text, {name: params.texts if name in _LISTS else str for name in own} | _COMMON)
    source = _cloned(kind, given) if known.clone else _filled(kind, given)
    if "size" not in given and not known.clone:
        raise FlagError(_FLAG, f"size is missing: type:{kind} has no size of its own")
    name = given["name"] if "name" in given else drawn_name("imported-volume-")
    storage.check_name(_FLAG, name)
    resources = {"requests": {"storage": given["size"]}} if "size" in given else {}
    storage.templates.append({"metadata": {"name": name}, "spec": {**source, "storage": {"resources": resources}}})
    storage.add(_FLAG, name, {"dataVolume": {"name": name}}, given.get("bootorder"))


def _filled(kind: str, given: dict[str, Any]) -> dict[str, Any]:
    for name in _SOURCES[kind].required:
        if not given.get(name):
            raise FlagError(_FLAG, f"{name} is missing: type:{kind} needs {', '.join(_SOURCES[kind].required)}")
    if kind == "registry":
        _check_registry(given)
    fields = {_FIELDS[name]: value for name, value in given.items() if name in _FIELDS and value}
    return {"source": {kind: fields}}


def _check_registry(given: dict[str, Any]) -> None:
    """Source: withVolumeSourceRegistry."""
    method = given.get("pullmethod")
    if method and method not in _PULL_METHODS:
        raise FlagError(_FLAG, f"pullmethod: there is no {method!r}, only {' and '.join(_PULL_METHODS)}")
    if bool(given.get("url")) == bool(given.get("imagestream")):
        raise FlagError(_FLAG, "type:registry needs either url or imagestream")


def _cloned(kind: str, given: dict[str, Any]) -> dict[str, Any]:
    """Source: parseVolumeSource, withVolumeSourceRefDataSource."""
    namespace, name = params.prefixed(_FLAG, required_source(_FLAG, given))
    if kind == "ds":
        return {"sourceRef": {"kind": "DataSource", "name": name} | ({"namespace": namespace} if namespace else {})}
    if not namespace:
        raise FlagError(_FLAG, f"src: type:{kind} needs the namespace of {name!r}, too: src:NAMESPACE/{name}")
    return {"source": {kind: {"name": name, "namespace": namespace}}}
