"""Names: what Kubernetes takes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from virtcatalog.limits import ANNOTATION_BYTES

_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LABEL_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


def name_fault(name: str) -> str:
    """Say why Kubernetes refuses an object of this name, or "" (RFC 1123 subdomain, at most 253 characters)."""
    if len(name) > 253:
        return f"the name {_short(name)} is longer than 253 characters"
    if not _SUBDOMAIN.fullmatch(name):
        return (
            f"Kubernetes refuses the name {_short(name)}: it may have lower-case letters, digits, '-' "
            "and '.', and each part starts and ends with a letter or digit"
        )
    return ""


def namespace_fault(name: str) -> str:
    """Say why Kubernetes refuses a namespace of this name, or "" (RFC 1123 label, at most 63 characters)."""
    if len(name) > 63 or not _DNS_LABEL.fullmatch(name):
        return (
            f"Kubernetes refuses the namespace {_short(name)}: it may have at most 63 lower-case letters, digits "
            "and '-', and starts and ends with a letter or digit"
        )
    return ""


def key_fault(key: str) -> str:
    """Say why Kubernetes refuses a label or annotation of this key, or ""."""
    prefix, slash, name = key.rpartition("/")
    if (slash and name_fault(prefix)) or len(name) > 63 or not _LABEL_NAME.fullmatch(name):
        return (
            f"Kubernetes refuses the key {_short(key)}: it is [DNS name/]name, "
            "the name of at most 63 letters, digits, '-', '_' and '.'"
        )
    return ""


def label_fault(value: str) -> str:
    """Say why Kubernetes refuses a label of this value, or ""."""
    if value and (len(value) > 63 or not _LABEL_NAME.fullmatch(value)):
        return (
            f"Kubernetes refuses the label value {_short(value)}: it may have at most 63 letters, digits, '-', '_' "
            "and '.', and starts and ends with a letter or digit"
        )
    return ""


def annotations_fault(annotations: Mapping[str, str]) -> str:
    """Say why Kubernetes refuses all annotations of an object, or ""."""
    if sum(len(key) + len(value) for key, value in annotations.items()) * 4 <= ANNOTATION_BYTES:
        return ""
    size = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
    if size <= ANNOTATION_BYTES:
        return ""
    return f"the annotations have {size:,} bytes together, and Kubernetes takes {ANNOTATION_BYTES:,}"


def _short(name: str) -> str:
    return repr(name) if len(name) <= 80 else f"{name[:80]!r}…"
