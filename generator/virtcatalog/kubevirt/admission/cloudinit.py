"""The data that a cloud-init volume carries: one source each for user and network data, and not too much inline.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go (validateVolumes).
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator

from virtcatalog.api.core import LocalObjectReference
from virtcatalog.api.volumes import CloudInitConfigDriveSource, CloudInitNoCloudSource
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid

MAX_INLINE_BYTES = 2048
_SHORT = MAX_INLINE_BYTES // 4
"""So many characters are not too many bytes."""
_ALPHABET = re.compile(r"[A-Za-z0-9+/]*")
_LINE_BREAKS = str.maketrans("", "", "\r\n")


def validate_cloud_init(source: CloudInitNoCloudSource | CloudInitConfigDriveSource, field: str) -> Iterator[Cause]:
    """`field` is the path of the source, `….cloudInitNoCloud` or `….cloudInitConfigDrive` (validateVolumes)."""
    users = _count(source.secret_ref, source.user_data_base64, source.user_data)
    networks = _count(source.network_data_secret_ref, source.network_data_base64, source.network_data)
    if users > 1 or source.user_data_base64 or len(source.user_data) > _SHORT:
        yield from _data("user", users, source.user_data_base64, source.user_data, field)
    if networks > 1 or source.network_data_base64 or len(source.network_data) > _SHORT:
        yield from _data("network", networks, source.network_data_base64, source.network_data, field)
    if not users and not networks:
        yield invalid(field, "cloud-init needs user data or network data")


def _count(secret: LocalObjectReference | None, base64: str, plain: str) -> int:
    return (secret is not None and secret.name != "") + (base64 != "") + (plain != "")


def _data(kind: str, count: int, base64: str, plain: str, field: str) -> Iterator[Cause]:
    size = 0
    if base64:
        size, correct = _decoded_size(base64)
        if not correct:
            yield invalid(f"{field}.{kind}DataBase64", f"{kind}DataBase64 is not base64")
    if plain:
        size = len(plain.encode(errors="surrogatepass"))
    if count > 1:
        yield invalid(field, f"cloud-init {kind} data needs one source, but has {count}")
    if size > MAX_INLINE_BYTES:
        yield invalid(
            field,
            f"cloud-init {kind} data has {size} bytes, {MAX_INLINE_BYTES} are allowed inline: "
            "put it in a Secret and name that",
        )


def _decoded_size(text: str) -> tuple[int, bool]:
    """The bytes that base64 text stands for, up to the first mistake, and whether there is none."""
    text = text.translate(_LINE_BREAKS)
    try:
        return len(b64decode(text, validate=True)), True
    except ValueError:
        prefix = _ALPHABET.match(text)
        return (prefix.end() if prefix else 0) // 4 * 3, False
