"""What a dump must not hold: user data and network data of guests, and what opens the sources of disks.

It is replaced as soon as it is read.

VMs, VMIs, the revisions that they were started with and `kubectl apply`'s own note of a manifest have it alike.
"""

from __future__ import annotations

import json
from typing import Any, Final

from virtcatalog.api.names import IGNITION, LAST_APPLIED
from virtcatalog.manifests.identity import Data

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
        if isinstance(applied, dict):
            cleaned[LAST_APPLIED] = json.dumps(redacted(applied), separators=(",", ":"), sort_keys=True)
        else:  # it is no manifest, and nobody knows what it holds
            del cleaned[LAST_APPLIED]
    return cleaned


def _cleaned(value: Any) -> Any:
    """A part of an object without these texts, wherever in it they are; what has none is shared."""
    if isinstance(value, list):
        return [_cleaned(item) if isinstance(item, dict | list) else item for item in value]
    if not isinstance(value, dict):
        return value
    cleaned: dict[str, Any] = {}
    for key, item in value.items():
        if key in _SOURCES and isinstance(item, dict):
            cleaned[key] = {name: _TEXTS.get(str(name), text) for name, text in item.items()}
        elif key == "url" and isinstance(item, str):
            cleaned[key] = _without_credentials(item)
        elif key == "extraHeaders":
            cleaned[key] = [REDACTED for _ in item] if isinstance(item, list) else REDACTED
        elif key == "annotations" and isinstance(item, dict):
            cleaned[key] = _annotations(item)
        else:
            cleaned[key] = _cleaned(item) if isinstance(item, dict | list) else item
    return cleaned


def _without_credentials(url: str) -> str:
    """The URL of a disk's source without its user and its query, in which tokens are."""
    scheme, separator, rest = url.partition("://") if "://" in url else ("", "", url)
    rest = rest.partition("?")[0].partition("#")[0]
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
