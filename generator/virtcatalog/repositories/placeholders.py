"""Values that are not in the repository: an open `${VAR}` of Flux, a `{{ }}` of a template, what SOPS has encrypted.

Where a value only names something, or is text for the guest, anything may stand in its place: KubeVirt takes it, and
what a change does to the VM is the same. Everywhere else it decides what the VM is, and is left open: no verdict is
given on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5

import msgspec

from virtcatalog.api.findings import Path, field_path
from virtcatalog.manifests.identity import Data

_OPEN: Final = re.compile(
    r"\$\{[^{}\n]*\}|\$\([A-Za-z_][\w.-]*\)|\{\{[^\n]*?\}\}|\{%[^\n]*?%\}|ENC\[[^\]\n]*\]|<path:[^>\n]*>"
)
_MARKS: Final = (b"${", b"$(", b"{{", b"{%", b"ENC[", b"<path:")
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_LONGEST: Final = 40
_SHOWN: Final = 60


class Open(NamedTuple):
    """A field whose value is not in the repository, and what stands there."""

    path: Path
    text: str

    @property
    def field(self) -> str:
        """The field as the API names it."""
        return field_path(self.path)

    @property
    def sentence(self) -> str:
        """Why nothing can be said of what has the field."""
        text = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}…"
        return f"is {text!r}, and its value is not in the repository"


class Filled(NamedTuple):
    """An object with something in the place of values that are not there, and without the fields that are `open`."""

    data: Data
    open: tuple[Open, ...] = ()


def fill(data: Data) -> Filled:
    """Return an object as far as it can be judged."""
    if not _may_be_open(data):
        return Filled(data)
    open_values: list[Open] = []
    filled = _filled(data, (), open_values)
    return Filled(filled, tuple(open_values))


def _may_be_open(data: Data) -> bool:
    try:
        text = msgspec.json.encode(data)
    except (OverflowError, ValueError):  # a number or a character that msgspec does not write
        return True
    # No mark has a character that JSON writes otherwise, and compact JSON itself makes none.
    return any(mark in text for mark in _MARKS)


_LEFT_OUT: Final = object()


def _filled(value: Any, path: Path, open_values: list[Open]) -> Any:
    if isinstance(value, dict):
        mapping = {}
        for key, inner in value.items():
            if _OPEN.search(key):
                open_values.append(Open((*path, key), key))
            elif (result := _filled(inner, (*path, key), open_values)) is not _LEFT_OUT:
                mapping[key] = result
        return mapping
    if isinstance(value, list):
        items = [_filled(item, (*path, index), open_values) for index, item in enumerate(value)]
        return [item for item in items if item is not _LEFT_OUT]
    if not isinstance(value, str) or not _OPEN.search(value):
        return value
    shape = "/".join("*" if isinstance(step, int) else step for step in path)
    for pattern, make in _MAKERS.items():
        if pattern.search(shape):
            return make(value)
    open_values.append(Open(path, value))
    return _LEFT_OUT


def _name(text: str) -> str:
    """A name that says which variable it is: `${APP_NAME}-db` is `app-name-db`."""
    return _OPEN.sub(
        lambda match: "-".join(_WORD.findall(match[0].removeprefix("ENC[")))[:_LONGEST].lower() or "x", text
    )


def _same(text: str) -> str:
    return text


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=5).hexdigest()


def _mac(text: str) -> str:
    digits = f"02{_digest(text)}"
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def _uuid(text: str) -> str:
    return str(uuid5(NAMESPACE_URL, _digest(text)))


def _base64(text: str) -> str:
    from base64 import b64encode

    return b64encode(text.encode(errors="surrogatepass")).decode()


#: What may stand in the place of an open value, by the end of the path of its field; any other field stays open.
_MAKERS: Final[Mapping[re.Pattern[str], Callable[[str], str]]] = {
    re.compile(pattern): make
    for pattern, make in {
        # what something is called
        r"(?:^|/)metadata/(?:name|namespace|generateName)$": _name,
        r"(?:^|/)metadata/labels/[^/]+$": _name,
        r"(?:^|/)(?:volumes|disks|interfaces|networks|filesystems)/\*/name$": _name,
        r"/networks/\*/multus/networkName$": _name,
        r"(?:^|/)(?:claimName|secretName|serviceAccountName|storageClassName|priorityClassName|schedulerName)$": _name,
        r"/volumes/\*/(?:dataVolume|configMap|sysprep/\w+|\w+/secretRef|\w+/networkDataSecretRef)/name$": _name,
        r"(?:^|/)spec/(?:hostname|subdomain)$": _name,
        r"/(?:nodeSelector|tolerations|affinity|topologySpreadConstraints)/": _name,
        r"(?:^|/)(?:source|sourceRef)/(?:\w+/)?(?:name|namespace|secretRef|certConfigMap)$": _name,
        # text for the guest, and places that something is fetched from
        r"(?:^|/)metadata/annotations/[^/]+$": _same,
        r"/cloudInit\w+/(?:userData|networkData)$": _same,
        r"/cloudInit\w+/(?:userData|networkData)Base64$": _base64,
        r"/(?:containerDisk|kernelBoot/container)/(?:image|imagePullSecret)$": _same,
        r"/(?:source|dataSource)/\w+/url$": _same,
        r"/accessCredentials/": _name,
        # what only has to be of a certain form
        r"/interfaces/\*/macAddress$": _mac,
        r"/firmware/uuid$": _uuid,
        r"/(?:firmware|disks/\*)/serial$": _name,
        r"/resources/(?:requests|limits)/storage$": lambda _: "1Gi",
    }.items()
}
