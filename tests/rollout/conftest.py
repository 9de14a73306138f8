"""A VM that runs and can be edited: a manifest written short, asked in a cluster before and after."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import otheryaml
from virtcatalog import Cluster, Rollout, rollout

VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu: {sockets: 2, cores: 1, threads: 1}
        memory: {guest: 2Gi}
        devices:
          disks: [{name: root, disk: {bus: virtio}}]
          interfaces: [{name: default, masquerade: {}}]
      networks: [{name: default, pod: {}}]
      volumes: [{name: root, containerDisk: {image: "registry.example.org/web:1"}}]
"""


def edited(manifest: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A copy with values set by path: `template__spec__hostname="x"` below `spec`; None removes."""
    copied = deepcopy(manifest)
    for path, value in changes.items():
        *steps, last = path.split("__")
        place = copied["spec"]
        for step in steps:
            place = place.setdefault(step, {}) if isinstance(place, dict) else place[int(step)]
        if value is None:
            place.pop(last, None)
        else:
            place[last] = value
    return copied


def kubevirt(**configuration: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": configuration},
    }


@pytest.fixture
def vm() -> dict[str, Any]:
    return otheryaml.load(VM)


def roll(old: dict[str, Any], new: dict[str, Any], *objects: dict[str, Any], **options: Any) -> Rollout:
    """What becomes of a VM in a cluster that stays as it is, or has `later` objects instead."""
    later = options.pop("later", objects)
    of_cluster = {key: options.pop(key) for key in ("release", "architecture") if key in options}
    return rollout(old, new, Cluster(objects, **of_cluster), Cluster(later, **of_cluster), **options)


def shown(found: Any) -> dict[str, Any]:
    """Changes by path."""
    return {each.path: each.value for each in found}
