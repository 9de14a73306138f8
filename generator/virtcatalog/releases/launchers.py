"""What is in virt-launcher's image, release by release: the libvirt and QEMU that a running VM has, or migrates to.

The packages are those of KubeVirt's own images, which are built on CentOS Stream 9 (rpm/BUILD.bazel at the tag, the
variant that hack/common.sh builds by default). Machine types are named where somebody has seen them; others may be
known all the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

_NUMBER = re.compile(r"[0-9]{1,9}")


class Launcher(msgspec.Struct, frozen=True, kw_only=True):
    """The packages of one image, `VERSION-BUILD.el9`.

    `q35` is the machine type that the alias of that name stands for, "" if nobody has told. `takes_in` are the types of
    machines that an older QEMU started and this one is known to take in.
    """

    libvirt: str
    qemu: str
    q35: str = ""
    takes_in: frozenset[str] = frozenset()


def numbers(package: str) -> tuple[int, ...]:
    """The numbers of a package's version and build, for comparison: `10.1.0-20.el9` is (10, 1, 0, 20)."""
    return tuple(map(int, _NUMBER.findall(package.partition(".el")[0])))


def version(package: str) -> str:
    """The version of a package without its build: `10.1.0`."""
    return package.partition("-")[0]


EARLIER: Final[Mapping[tuple[int, int], Launcher]] = MappingProxyType(
    {(1, 6): Launcher(libvirt="10.10.0-13.el9", qemu="9.1.0-19.el9", q35="pc-q35-rhel9.6.0")}
)
"""Images of releases that are not modelled, under which VMs may still run that were never restarted.

The machine type: kubevirt/kubevirt#16386, comment of 2026-04-27, of VMs that v1.6.3 started.
"""
