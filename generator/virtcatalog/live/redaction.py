"""What a dump must not hold: user data and network data of guests, and what opens the sources of disks.

It is replaced as soon as it is read.

VMs, VMIs, the revisions that they were started with and `kubectl apply`'s own note of a manifest have it alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from virtcatalog.api.names import IGNITION, LAST_APPLIED
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.plainjson import is_too_deep

REDACTED: Final = "redacted"
"""What stands in the place of a text, so that a VM without it is one with other user data, and not a refused one."""
_SOURCES: Final = ("cloudInitNoCloud", "cloudInitConfigDrive")
_TEXTS: Final[dict[str, str]] = {
    "userData": REDACTED,
    "networkData": REDACTED,
    "userDataBase64": "cmVkYWN0ZWQ=",
    "networkDataBase64": "cmVkYWN0ZWQ=",
}


def redacted(manifest: Data) -> Data:
    """Return an object without the texts that a guest alone is to read; the object is not changed."""
    parts: Data = {key: _cleaned(manifest[key]) for key in ("spec", "data") if key in manifest}
    cleaned = {**manifest, **parts}
    metadata = manifest.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(metadata, dict) and isinstance(annotations, dict):
        cleaned["metadata"] = {**metadata, "annotations": _annotations(annotations)}
    return cleaned


def _annotations(annotations: Data) -> Data:
    cleaned = {key: REDACTED if key == IGNITION else value for key, value in annotations.items()}
    if LAST_APPLIED in cleaned:
        try:
            applied = json.loads(cleaned[LAST_APPLIED])
        except (TypeError, ValueError, RecursionError):
            applied = None
        if isinstance(applied, dict) and not is_too_deep(cleaned[LAST_APPLIED].encode()):
            cleaned[LAST_APPLIED] = json.dumps(redacted(applied), separators=(",", ":"), sort_keys=True)
        else:  # it is no manifest, and nobody knows what it holds
            del cleaned[LAST_APPLIED]
    return cleaned


def _cleaned(value: Any) -> Any:
    """A part of an object without these texts, wherever in it they are; what has none is shared."""
    if isinstance(value, dict):
        cleaned = value
        for key, item in value.items():
            if key in _CLEAN:
                clean = _CLEAN[key](item)
            elif isinstance(item, (dict, list)):
                clean = _cleaned(item)
            else:
                continue
            if clean is not item:
                if cleaned is value:
                    cleaned = dict(value)
                cleaned[key] = clean
        return cleaned
    if isinstance(value, list):
        for item in value:
            if isinstance(item, (dict, list)):
                return [_cleaned(item) for item in value]
    return value


def _source(source: Any) -> Any:
    """The user data and network data of a volume."""
    if not isinstance(source, dict):
        return _cleaned(source)
    return {name: _TEXTS.get(str(name), text) for name, text in source.items()}


def _url(url: Any) -> Any:
    return _without_credentials(url) if isinstance(url, str) else _cleaned(url)


def _headers(headers: Any) -> Any:
    return [REDACTED for _ in headers] if isinstance(headers, list) else REDACTED


def _labels(annotations: Any) -> Any:
    return _annotations(annotations) if isinstance(annotations, dict) else _cleaned(annotations)


def _without_credentials(url: str) -> str:
    """The URL of a disk's source without its user and its query, in which tokens are."""
    scheme, separator, rest = url.partition("://") if "://" in url else ("", "", url)
    rest = rest.partition("?")[0].partition("#")[0]
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


_CLEAN: Final[Mapping[str, Callable[[Any], Any]]] = {
    "cloudInitNoCloud": _source,
    "cloudInitConfigDrive": _source,
    "url": _url,
    "extraHeaders": _headers,
    "annotations": _labels,
}
