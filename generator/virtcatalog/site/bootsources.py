"""What a new VM boots from unless its author says otherwise: a public image of its operating system, if one is known.

The images are those that https://github.com/kubevirt/containerdisks publishes (cmd/medius/common/registry.go, read at
25091d7c), and KubeVirt's own for tests.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from virtcatalog.site.facts import PreferenceRow
from virtcatalog.site.plainvms import IMAGE

_DISKS: Final = "quay.io/containerdisks/"
#: By how the name and version of a system begin.
_IMAGES: Final = (
    ("fedora", IMAGE),
    ("almalinux 9", _DISKS + "almalinux:9"),
    ("almalinux 10", _DISKS + "almalinux:10"),
    ("centos stream 9", _DISKS + "centos-stream:9"),
    ("centos stream 10", _DISKS + "centos-stream:10"),
    ("ubuntu", _DISKS + "ubuntu:24.04"),
    ("debian", _DISKS + "debian:13"),
    ("opensuse leap", _DISKS + "opensuse-leap:16.0"),
    ("opensuse tumbleweed", _DISKS + "opensuse-tumbleweed:1.0.0"),
    ("cirros", "quay.io/kubevirt/cirros-container-disk-demo"),
    ("alpine", "quay.io/kubevirt/alpine-container-disk-demo"),
)


class BootSource(NamedTuple):
    """A kind of the form's boot sources, and its source: a DataSource without a name where no image is known."""

    kind: str
    source: str


def boot_sources(preferences: Iterable[PreferenceRow]) -> list[BootSource]:
    """Return the boot source without a preference, then that of every preference."""
    return [BootSource("image", IMAGE), *map(_of, preferences)]


def _of(preference: PreferenceRow) -> BootSource:
    name = f"{preference.family} {preference.version}".lower()
    for system, image in _IMAGES:
        if name.startswith(system):
            return BootSource("image", image)
    # A preference that names no operating system fits any image.
    return BootSource("ds", "") if preference.system else BootSource("image", IMAGE)
