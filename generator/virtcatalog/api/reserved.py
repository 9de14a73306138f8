"""The names that KubeVirt's operator takes: it deploys common-instancetypes unless its configuration says otherwise.

Facts from pkg/virt-operator/resource/generate/components/data/common-instancetypes.
"""

from __future__ import annotations

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

INSTANCETYPES = frozenset(f"{series}.{size}" for series, sizes in _SIZES.items() for size in sizes.split())
_LINUX = """
    alpine cirros debian legacy oraclelinux sles ubuntu linux linux.efi linux.virtiotransitional
    centos.stream9 centos.stream9.desktop centos.stream9.dpdk centos.stream10 centos.stream10.desktop
    fedora fedora.arm64 fedora.s390x opensuse.leap opensuse.tumbleweed
    rhel.7 rhel.7.desktop rhel.8 rhel.8.desktop rhel.8.dpdk
    rhel.9 rhel.9.arm64 rhel.9.s390x rhel.9.desktop rhel.9.dpdk rhel.9.realtime rhel.10 rhel.10.arm64 rhel.10.s390x
"""
PREFERENCES = frozenset(_LINUX.split()) | {
    *("windows.xp", "windows.2k3"),
    *(f"windows.{name}{suffix}" for name in _WINDOWS.split() for suffix in ("", ".virtio")),
}
