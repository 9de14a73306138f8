"""What a row of types or preferences says of one that has everything, and of one that has the least."""

from __future__ import annotations

from msgspec.structs import asdict

from virtcatalog import load_catalog
from virtcatalog.site.facts import preference_rows, types

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
    least, most = types(CATALOG, None, {"g.most": 3})
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
