"""What the form needs to make a manifest and a line for virtctl.

What a new VM boots from unless its author says otherwise is a public image of its operating system, if one is known:
those that https://github.com/kubevirt/containerdisks publishes (cmd/medius/common/registry.go, read at 25091d7c), and
KubeVirt's own for tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.catalog.model import Catalog
from virtcatalog.site import plainvms
from virtcatalog.site.domains import Domains
from virtcatalog.site.facts import PreferenceRow, TypeRow
from virtcatalog.site.prices import PriceList

_DISKS: Final = "quay.io/containerdisks/"
#: By how the name and version of a system begin.
_IMAGES: Final = (
    ("fedora", plainvms.IMAGE),
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


def form_data(
    catalog: Catalog,
    types: Sequence[TypeRow],
    preferences: Sequence[PreferenceRow],
    prices: PriceList | None,
    domains: Domains,
) -> dict[str, Any]:
    """Return the data of the form; lists are in the order of the types and preferences."""
    environments = {
        overlay.name: {
            "namespace": overlay.namespace if overlay.scope == "namespaced" else "",
            "types": [row.name for row in types if overlay.name in row.environments],
            "preferences": [row.name for row in preferences if overlay.name in row.environments],
        }
        for overlay in catalog.overlays
    }
    return {
        "domains": domains.data,
        "plain": {"name": plainvms.NAME, "image": plainvms.IMAGE},
        "families": [row.family for row in preferences],
        "needs": [f"requires {row.requirements}" if row.requirements else "" for row in preferences],
        "licences": [row.licence for row in preferences],
        "boots": [BootSource("image", plainvms.IMAGE), *map(_boot_source, preferences)],
        "environments": environments,
        "prices": msgspec.to_builtins(
            {row.name: {"price": row.cost, "prices": row.prices} for row in types if row.price}
        ),
        "currency": prices.currency if prices else "",
    }


def _boot_source(preference: PreferenceRow) -> BootSource:
    name = f"{preference.family} {preference.version}".lower()
    for system, image in _IMAGES:
        if name.startswith(system):
            return BootSource("image", image)
    # A preference that names no operating system fits any image.
    return BootSource("ds", "") if preference.system else BootSource("image", plainvms.IMAGE)
