"""Names: Kubernetes' syntaxes for them and for labels, KubeVirt's annotations, and names that its operator takes.

Source: apimachinery, pkg/util/validation/validation.go; pkg/virt-operator/resource/generate/components/data
(common-instancetypes).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from virtcatalog.api.findings import Path
from virtcatalog.limits import ANNOTATION_BYTES

DEPRECATED_LABEL: Final = "instancetype.kubevirt.io/deprecated"
"""A label of instance types and preferences."""
REPLACED_BY: Final = "instancetype.kubevirt.io/replacedBy"
SUNSET: Final = "instancetype.kubevirt.io/sunset"
"""Annotations of those that are deprecated: what to use instead, and the day on which they go."""

DISABLE_PCI_HOLE64: Final = "kubevirt.io/disablePCIHole64"
EVEN_PARITY: Final = "alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity"
IGNITION: Final = "kubevirt.io/ignitiondata"
NON_ROOT: Final = "kubevirt.io/nonroot"
PLACE_ON_ROOT_COMPLEX: Final = "kubevirt.io/placePCIDevicesOnRootComplex"
QGS_SOCKET: Final = "kubevirt.io/qgs-socket-path"

APPLIED_PRESET: Final = "virtualmachinepreset.kubevirt.io/"
"""Before the name of each preset that a VMI got something from."""
LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""An annotation: the manifest, as kubectl or Argo CD applied it last."""

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(rf"{_LABEL.pattern}(\.{_LABEL.pattern})*")
_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_MAX_LABEL, _MAX_SUBDOMAIN = 63, 253
DRAWN: Final = 5
LONGEST_PREFIX: Final = 58
"""How many letters the API server draws behind a `generateName`, and how many characters of that it keeps.

Source: apiserver, pkg/storage/names/generate.go."""


@lru_cache(maxsize=4096)
def dns_label_problems(value: str) -> tuple[str, ...]:
    """What keeps a value from being a DNS label (RFC 1123); nothing when it is one."""
    problems = []
    if len(value) > _MAX_LABEL:
        problems.append(f"{value!r} has {len(value)} characters, more than {_MAX_LABEL}")
    if not _LABEL.fullmatch(value):
        problems.append(
            f"{value!r} must not contain dots"
            if _SUBDOMAIN.fullmatch(value)
            else f"{value!r} must consist of a-z, 0-9 and '-', and start and end with a letter or digit"
        )
    return tuple(problems)


@lru_cache(maxsize=4096)
def dns_subdomain_problems(value: str) -> tuple[str, ...]:
    """What keeps a value from being a DNS subdomain (RFC 1123); nothing when it is one."""
    problems = []
    if len(value) > _MAX_SUBDOMAIN:
        problems.append(f"{value!r} has {len(value)} characters, more than {_MAX_SUBDOMAIN}")
    if not _SUBDOMAIN.fullmatch(value):
        problems.append(
            f"{value!r} must consist of a-z, 0-9, '-' and '.', every part starting and ending with a letter or digit"
        )
    return tuple(problems)


@lru_cache(maxsize=4096)
def label_key_problems(key: str) -> tuple[str, ...]:
    """What keeps a text from being the key of a label (`name` or `example.com/name`); nothing when it is one."""
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        return (f"{key!r} has more than one '/'; a key is a name or prefix/name",)
    problems = []
    if slash:
        problems += (
            [f"the prefix {problem}" for problem in dns_subdomain_problems(prefix)]
            if prefix
            else [f"{key!r} has nothing before its '/'"]
        )
    if not name:
        problems.append(f"{key!r} has no name")
    elif len(name) > _MAX_LABEL:
        problems.append(f"the name {name!r} has {len(name)} characters, more than {_MAX_LABEL}")
    if not _NAME.fullmatch(name):
        problems.append(f"the name {name!r} {_NAME_RULE}")
    return tuple(problems)


@lru_cache(maxsize=4096)
def label_value_problems(value: str) -> tuple[str, ...]:
    """What keeps a text from being the value of a label; nothing when it is one."""
    problems = []
    if len(value) > _MAX_LABEL:
        problems.append(f"{value!r} has {len(value)} characters, more than {_MAX_LABEL}")
    if value and not _NAME.fullmatch(value):
        problems.append(f"{value!r} {_NAME_RULE}")
    return tuple(problems)


_NAME_RULE = "must consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit"


def name_fault(name: str) -> str:
    """Say why Kubernetes refuses an object of this name, or "" (RFC 1123 subdomain, at most 253 characters)."""
    if len(name) > _MAX_SUBDOMAIN:
        return f"the name {_short(name)} is longer than {_MAX_SUBDOMAIN} characters"
    if not _SUBDOMAIN.fullmatch(name):
        return (
            f"Kubernetes refuses the name {_short(name)}: it may have lower-case letters, digits, '-' "
            "and '.', and each part starts and ends with a letter or digit"
        )
    return ""


def segment_fault(name: str) -> str:
    """Say why Kubernetes refuses an object of this name whose kind takes any name that can stand in a URL, or "".

    Source: IsValidPathSegmentName in apimachinery, pkg/api/validation/path/name.go.
    """
    if name in (".", "..") or "/" in name or "%" in name:
        return f"Kubernetes refuses the name {_short(name)}: it may have no '/' and no '%', and is not '.' or '..'"
    return ""


def namespace_fault(name: str) -> str:
    """Say why Kubernetes refuses a namespace of this name, or "" (RFC 1123 label, at most 63 characters)."""
    if dns_label_problems(name):
        return (
            f"Kubernetes refuses the namespace {_short(name)}: it may have at most 63 lower-case letters, digits "
            "and '-', and starts and ends with a letter or digit"
        )
    return ""


def key_fault(key: str) -> str:
    """Say why Kubernetes refuses a label or annotation of this key, or ""."""
    if label_key_problems(key):
        return (
            f"Kubernetes refuses the key {_short(key)}: it is [DNS name/]name, "
            "the name of at most 63 letters, digits, '-', '_' and '.'"
        )
    return ""


def label_fault(value: str) -> str:
    """Say why Kubernetes refuses a label of this value, or ""."""
    if value and not (len(value) <= _MAX_LABEL and _NAME.fullmatch(value)):
        return (
            f"Kubernetes refuses the label value {_short(value)}: it may have at most 63 letters, digits, '-', '_' "
            "and '.', and starts and ends with a letter or digit"
        )
    return ""


def pair_fault(field: str, key: str, value: str) -> str:
    """Say why Kubernetes refuses a pair of `labels` or `annotations`, or "".

    It judges annotations' keys in lower case. Source: ValidateAnnotations in apimachinery,
    pkg/api/validation/objectmeta.go.
    """
    return (key_fault(key) or label_fault(value)) if field == "labels" else key_fault(key.lower())


def annotations_fault(annotations: Mapping[str, str]) -> str:
    """Say why Kubernetes refuses all annotations of an object, or ""."""
    if (sum(map(len, annotations)) + sum(map(len, annotations.values()))) * 4 <= ANNOTATION_BYTES:
        return ""
    size = sum(len(text.encode(errors="surrogatepass")) for pair in annotations.items() for text in pair)
    if size <= ANNOTATION_BYTES:
        return ""
    return f"the annotations have {size:,} bytes together, and Kubernetes takes {ANNOTATION_BYTES:,}"


def namespace_or_default(namespace: Any) -> str:
    """Return the namespace that a namespaced object is in; one that names none is in `default`."""
    return str(namespace or "default")


def metadata_faults(metadata: Mapping[str, Any], api_version: str = "v1") -> Iterator[tuple[Path, str]]:
    """Yield why the API server refuses an object with such metadata, with the paths of what it refuses.

    What is missing or of the wrong type is left to who reads the object as its type. Source: ValidateObjectMetaAccessor
    in apimachinery, pkg/api/validation/objectmeta.go.
    """
    for key, name_fault_of in _SEGMENT_NAMES if api_version.rpartition("/")[0] in SEGMENT_GROUPS else _NAMES:
        name = metadata.get(key)
        if name and isinstance(name, str) and (fault := name_fault_of(name)):
            yield ("metadata", key), fault
    annotations = _texts(metadata.get("annotations"))
    for field, pairs in (("labels", _texts(metadata.get("labels"))), ("annotations", annotations)):
        for key, value in pairs.items():
            if fault := pair_fault(field, key, value):
                yield ("metadata", field, key), fault
    if annotations and (fault := annotations_fault(annotations)):
        yield ("metadata", "annotations"), fault


def _generated_name_fault(prefix: str) -> str:
    """The fault of a `generateName`, in which a dash at the end is nothing, or of the names that it makes.

    Source: maskTrailingDash in apimachinery, pkg/api/validation/generic.go.
    """
    masked = f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix
    return (name_fault(masked) and name_fault(prefix)) or name_fault(f"{prefix[:LONGEST_PREFIX]}{'x' * DRAWN}")


_NAMES = (("name", name_fault), ("generateName", _generated_name_fault), ("namespace", namespace_fault))
_SEGMENT_NAMES = (("name", segment_fault), ("generateName", segment_fault), ("namespace", namespace_fault))
SEGMENT_GROUPS = frozenset(
    (
        *("rbac.authorization.k8s.io", "certificates.k8s.io"),
        *("authorization.openshift.io", "user.openshift.io", "oauth.openshift.io", "image.openshift.io"),
    )
)
"""The API groups with names such as `system:node`. Source: ValidateRBACName in pkg/apis/rbac/validation/validation.go,
ValidateCertificateRequestName in pkg/apis/certificates/validation/validation.go; OpenShift's are served by its own
API servers."""


def _texts(data: Any) -> dict[str, str]:
    if not data or not isinstance(data, dict):
        return {}
    return {key: value for key, value in data.items() if isinstance(key, str) and isinstance(value, str)}


def _short(name: str) -> str:
    return repr(name) if len(name) <= 80 else f"{name[:80]!r}…"


_LARGE = "large xlarge 2xlarge 4xlarge 8xlarge"
_SIZES = {
    "cx1": f"medium {_LARGE} " + " ".join(f"{size}1gi" for size in f"medium {_LARGE}".split()),
    "d1": f"nano micro small medium 2xmedium {_LARGE}",
    "m1": f"{_LARGE} " + " ".join(f"{size}1gi" for size in _LARGE.split()),
    "n1": f"medium {_LARGE}",
    "o1": f"nano micro small medium {_LARGE}",
    "rt1": f"micro small medium {_LARGE}",
    "u1": f"nano micro small medium 2xmedium {_LARGE}",
}
_WINDOWS = "10 11 7 2k8 2k12 2k16 2k19 2k22 2k25"

RESERVED_INSTANCETYPES: Final = frozenset(
    f"{series}.{size}" for series, sizes in _SIZES.items() for size in sizes.split()
)
_LINUX = """
    alpine cirros debian legacy oraclelinux sles ubuntu linux linux.efi linux.virtiotransitional
    centos.stream9 centos.stream9.desktop centos.stream9.dpdk centos.stream10 centos.stream10.desktop
    fedora fedora.arm64 fedora.s390x opensuse.leap opensuse.tumbleweed
    rhel.7 rhel.7.desktop rhel.8 rhel.8.desktop rhel.8.dpdk
    rhel.9 rhel.9.arm64 rhel.9.s390x rhel.9.desktop rhel.9.dpdk rhel.9.realtime rhel.10 rhel.10.arm64 rhel.10.s390x
"""
RESERVED_PREFERENCES = frozenset(_LINUX.split()) | {
    *("windows.xp", "windows.2k3"),
    *(f"windows.{name}{suffix}" for name in _WINDOWS.split() for suffix in ("", ".virtio")),
}
