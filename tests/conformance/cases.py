"""The cases: VMs, the clusters that they are asked in, and what KubeVirt makes of them.

`cases.jsonl.xz` holds a case a line, as JSON:

name, group   identity, with the release; what the case is about
releases      where KubeVirt was asked: names repeat where it answers differently
vm            the VirtualMachine's manifest
objects       other manifests of the cluster
arch          the architecture of VMs that name none
config, featureGates  spec.configuration of the KubeVirt resource
useCatalog    whether the cluster has the objects of examples/common-instancetypes, too
expected      KubeVirt's answers, as `views` has them: admission; objects (of the instance types and preferences that
              their own webhooks refuse: kind/name, and the causes' fields); vmi; xml (as virt-launcher's converter
              makes it); launch (as libvirt gets it); pod, or podError where there is none

It is made by `take.py`. The host of all of them is the profile `reference`.
"""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from virtcatalog import Cluster, load_catalog

FILE = Path(__file__).with_name("cases.jsonl.xz")
EXAMPLE = Path(__file__).parents[2] / "examples" / "common-instancetypes"
DEFAULT_RELEASE = "v1.9.0"
CATALOG_KINDS = {
    "VirtualMachineInstancetype",
    "VirtualMachineClusterInstancetype",
    "VirtualMachinePreference",
    "VirtualMachineClusterPreference",
}
_EVERY = 10

Manifest = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """What KubeVirt of one release makes of one VM."""

    release: str
    name: str
    group: str
    vm: Manifest
    objects: list[Manifest]
    arch: str
    config: dict[str, Any]
    featureGates: list[str]  # noqa: N815
    useCatalog: bool  # noqa: N815
    expected: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.release} {self.name}"

    def cluster(self) -> Cluster:
        """The cluster that the VM is asked in."""
        developer = {**self.config.get("developerConfiguration", {}), "featureGates": self.featureGates}
        kubevirt = {
            "apiVersion": "kubevirt.io/v1",
            "kind": "KubeVirt",
            "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
            "spec": {"configuration": {**self.config, "developerConfiguration": developer}},
        }
        objects = [kubevirt, *(catalog() if self.useCatalog else ()), *self.objects]
        release = {} if self.release == DEFAULT_RELEASE else {"release": self.release}
        return Cluster(objects, architecture=self.arch, **release)


@cache
def catalog() -> tuple[Manifest, ...]:
    """The 244 objects of common-instancetypes, of our own declarations."""
    return tuple(load_catalog(EXAMPLE).objects())


@cache
def cases() -> tuple[Case, ...]:
    """Every case, by group, name and release."""
    with lzma.open(FILE, "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    return tuple(Case(release=release, **fields) for fields in read for release in fields.pop("releases"))


@cache
def spread() -> tuple[Case, ...]:
    """Some 500 cases: one of each release and group for each stage that it may end in, and every tenth besides."""
    kinds = {(case.release, case.group, *case.expected): case for case in reversed(cases())}
    chosen = {*map(id, kinds.values()), *map(id, cases()[::_EVERY])}
    return tuple(case for case in cases() if id(case) in chosen)
