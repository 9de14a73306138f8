"""What a new VM boots from unless its author says otherwise: a public image of its operating system, if one is known.

The images are those of https://github.com/kubevirt/containerdisks, and KubeVirt's own for tests.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from virtcatalog.site.facts import PreferenceRow
from virtcatalog.site.plainvms import IMAGE

_DISKS: Final = "quay.io/containerdisks/"
#: By words of a family's name; `{}` is the first word of the version.
_IMAGES: Final = (
    ("fedora", IMAGE),
    ("centos stream", _DISKS + "centos-stream:{}"),
    ("ubuntu", _DISKS + "ubuntu:24.04"),
    ("debian", _DISKS + "debian:12"),
    ("opensuse leap", _DISKS + "opensuse-leap:15.6"),
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
    version = preference.version.split()
    for family, image in _IMAGES:
        if preference.family.lower().startswith(family) and (version or "{}" not in image):
            return BootSource("image", image.format(*version[:1]))
    # A preference that names no operating system fits any image.
    return BootSource("ds", "") if preference.system else BootSource("image", IMAGE)
