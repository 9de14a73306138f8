"""A VM that runs and can be edited: a manifest written short, asked in a cluster before and after.

Tests name what their rule decides; `__snapshots__` holds the whole outcome of each rollout, sentences and all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
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


@pytest.fixture
def typed(vm: dict[str, Any]) -> dict[str, Any]:
    """The VM with a type, that its CPUs and memory are of, and a preference."""
    vm = edited(vm, instancetype={"name": "small"}, preference={"name": "server"})
    for field in ("cpu", "memory"):
        del vm["spec"]["template"]["spec"]["domain"][field]
    return vm


def lines(outcome: Rollout) -> list[str]:
    """All that an outcome says, a line for each value that is not empty."""
    plain = outcome.to_dict() | {
        "restartFields": list(outcome.restart.fields) if outcome.restart else [],
        "obstacles": list(outcome.obstacles),
        "reasons": list(map(str, outcome.reasons)),
    }
    return list(_lines("", plain))


def _lines(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict) and "op" not in value:
        for name, below in value.items():
            yield from _lines(f"{key}.{name}" if key else name, below)
    elif isinstance(value, list):
        for item in value:
            yield from _lines(key, item)
    elif value not in ("", None, False):
        yield f"{key}: {value if isinstance(value, str) else json.dumps(value)}"


@pytest.fixture
def roll(snapshot) -> Callable[..., Rollout]:
    """Roll a VM out, and hold all of the outcome by the test's snapshot.

    The cluster stays as it is, or has `later` objects instead.
    """

    def rolled(old: dict[str, Any], new: dict[str, Any], *objects: dict[str, Any], **options: Any) -> Rollout:
        later = options.pop("later", objects)
        of_cluster = {key: options.pop(key) for key in ("release", "architecture") if key in options}
        outcome = rollout(old, new, Cluster(objects, **of_cluster), Cluster(later, **of_cluster), **options)
        assert lines(outcome) == snapshot
        return outcome

    return rolled


def shown(changes: Any) -> dict[str, Any]:
    """Changes by path."""
    return {change.path: change.value for change in changes}
