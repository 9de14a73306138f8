"""What a row of types or preferences says of one that has everything, and of one that has the least."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import asdict

from virtcatalog import load_catalog
from virtcatalog.catalog.model import Deprecation
from virtcatalog.site.facts import _devices, _retirement, preference_rows, type_rows

CATALOG = load_catalog(
    "catalog",
    {
        "catalog.yaml": b"name: house\nkubevirt: v1.9.0\n",
        "overlays.yaml": b"lab: {scope: cluster}\nprod: {scope: cluster, deprecated: false}\n",
        "instancetypes/g.yaml": b"""
class: g
sizes:
  least: {vcpus: 1, memory: 512Mi}
  most:
    vcpus: 2
    memory: 8Gi
    displayName: All
    description: Has all.
    deprecated: {replacedBy: g.least, sunset: 2030-01-31}
    spec:
      cpu: {dedicatedCPUPlacement: true}
      memory: {hugepages: {pageSize: 2Mi}}
      gpus: [{name: a, deviceName: x/y}, {name: b, deviceName: x/y}]
""",
        "preferences/p.yaml": b"""
preferences:
  least: {}
  linux.most:
    displayName: Fedora 42
    description: Has all.
    osType: linux
    deprecated: {replacedBy: least}
    requirements: {vcpus: 2, memory: 2Gi}
    spec:
      devices: {preferredDiskBus: virtio, preferredInterfaceModel: virtio, preferredTPM: {}}
      requirements: {architecture: arm64}
      firmware: {preferredEfi: {secureBoot: true}}
""",
    },
)


def test_a_type_that_has_everything_and_one_that_has_the_least() -> None:
    least, most = type_rows(CATALOG, None, {"g.most": 3})
    assert asdict(least) == {
        "name": "g.least",
        "title": "",
        "description": "",
        "series": "g",
        "vcpus": 1,
        "memory": 2**29,
        "ratio": 0.5,
        "gpus": 0,
        "page": "",
        "dedicated": False,
        "features": (),
        "tags": (),
        "environments": ("lab", "prod"),
        "deprecated": False,
        "retirement": "",
        "replacement": "",
        "sunset": "",
        "price": None,
        "prices": {},
        "vms": 0,
    }
    assert asdict(most) == {
        "name": "g.most",
        "title": "All",
        "description": "Has all.",
        "series": "g",
        "vcpus": 2,
        "memory": 2**33,
        "ratio": 4.0,
        "gpus": 2,
        "page": "2Mi",
        "dedicated": True,
        "features": ("dedicated CPUs", "2Mi hugepages", "2 GPUs (x/y)"),
        "tags": ("dedicated", "2Mi", "2 GPUs"),
        "environments": ("lab",),
        "deprecated": True,
        "retirement": "deprecated, use g.least, served until 2030-01-31",
        "replacement": "g.least",
        "sunset": "2030-01-31",
        "price": None,
        "prices": {},
        "vms": 3,
    }


def test_a_preference_that_has_everything_and_one_that_has_the_least() -> None:
    least, most = preference_rows(CATALOG, None, {"linux.most": 3})
    assert asdict(least) == {
        "name": "least",
        "title": "",
        "family": "least",
        "version": "",
        "description": "",
        "system": "",
        "vcpus": 0,
        "memory": 0,
        "architecture": "",
        "firmware": "",
        "devices": (),
        "environments": ("lab", "prod"),
        "deprecated": False,
        "retirement": "",
        "licence": "",
        "vms": 0,
    }
    assert asdict(most) == {
        "name": "linux.most",
        "title": "Fedora 42",
        "family": "Fedora",
        "version": "42",
        "description": "Has all.",
        "system": "linux",
        "vcpus": 2,
        "memory": 2**31,
        "architecture": "arm64",
        "firmware": "UEFI, secure boot",
        "devices": ("disks on virtio", "virtio interfaces", "TPM"),
        "environments": ("lab",),
        "deprecated": True,
        "retirement": "deprecated, use least",
        "licence": "",
        "vms": 3,
    }


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({}, []),
        ({"preferredDiskBus": "sata"}, ["disks on sata"]),
        ({"preferredCdromBus": "scsi"}, ["CD-ROMs on scsi"]),
        ({"preferredInterfaceModel": "e1000e"}, ["e1000e interfaces"]),
        ({"preferredVideoType": "vga"}, ["vga graphics"]),
        ({"preferredSoundModel": "ich9"}, ["ich9 sound"]),
        ({"preferredTPM": {}}, ["TPM"]),
        ({"preferredRng": {}}, ["entropy"]),
        ({"preferredDiskBus": ""}, []),
        (
            {"preferredRng": {}, "preferredTPM": {}, "preferredSoundModel": "ac97", "preferredDiskBus": "virtio"},
            ["disks on virtio", "ac97 sound", "TPM", "entropy"],
        ),
    ],
)
def test_the_devices_of_a_preference_in_words(spec: dict[str, Any], words: list[str]) -> None:
    assert _devices(spec) == words


@pytest.mark.parametrize(
    ("deprecated", "words"),
    [
        (None, ""),
        (Deprecation(), "deprecated"),
        (Deprecation(replaced_by="a"), "deprecated, use a"),
        (Deprecation(sunset="2030-01-31"), "deprecated, served until 2030-01-31"),
        (Deprecation(replaced_by="a", sunset="2030-01-31"), "deprecated, use a, served until 2030-01-31"),
    ],
)
def test_what_is_deprecated_in_words(deprecated: Deprecation | None, words: str) -> None:
    assert _retirement(deprecated) == words
