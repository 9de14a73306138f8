"""The limit on annotations: an object that a client applies is stored in one of its own annotations."""

from __future__ import annotations

from typing import Final

from virtcatalog.api.names import LAST_APPLIED
from virtcatalog.fleet.inputs import encoded
from virtcatalog.manifests.identity import Data

_MOST_BYTES: Final = 256 * 1024
"""The bytes of all annotations, keys and values (apimachinery, TotalAnnotationSizeLimitB)."""
_ESCAPED: Final = (b"<", b">", b"&")
"""What Go's JSON writes as six characters."""


def annotation_excess(manifest: Data) -> int:
    """Return by how many bytes the annotations would be too long once a client has applied an object; 0 if they fit.

    The object is written as kubectl does: compact, and with a line's end (pkg/util/apply.go, GetModifiedConfiguration).
    """
    annotations = (manifest.get("metadata") or {}).get("annotations") or {}
    own_size = sum(len(f"{key}{value}".encode()) for key, value in annotations.items() if key != LAST_APPLIED)
    applied = encoded(manifest)
    size = own_size + len(LAST_APPLIED) + len(applied) + 1
    if size <= _MOST_BYTES // 6:
        return 0
    size += sum(5 * applied.count(character) for character in _ESCAPED)
    if LAST_APPLIED in annotations:  # kubectl leaves out what it wrote before
        size -= len(encoded({LAST_APPLIED: annotations[LAST_APPLIED]}))
    return max(size - _MOST_BYTES, 0)
