"""What VMs of Git meet: the cluster's objects, and those that only their own environment has."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.live.clusters import Clusters, ClusterView
from virtcatalog.live.reading import read_snapshot

IN_CLUSTER = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: u.small}
spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
"""


def in_git(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": name},
        "spec": {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}},
    }


@pytest.fixture
def clusters(tmp_path: Path) -> Clusters:
    """Of a repository whose environments have a type each, and one that is in the cluster, too."""
    (tmp_path / "dump.yaml").write_text(IN_CLUSTER)
    objects = {"lab": [in_git("lab.small"), in_git("u.small")], "production": [in_git("production.small")]}
    side: Any = SimpleNamespace(objects_in=lambda environment, _: objects[environment], views=None)
    return Clusters(side, read_snapshot([str(tmp_path / "dump.yaml")]), Conditions(), ())


def names(view: ClusterView) -> list[str]:
    return view.cluster.names("VirtualMachineClusterInstancetype", "")


def vm(environment: str) -> Any:
    return SimpleNamespace(environment=environment, unit="")


def test_a_vm_meets_the_cluster_and_what_its_own_environment_has(clusters: Clusters) -> None:
    assert sorted(names(clusters.of(vm("lab")))) == ["lab.small", "u.small"]
    assert sorted(names(clusters.of(vm("production")))) == ["production.small", "u.small"]
    assert sorted(names(clusters.of(None))) == ["u.small"]


def test_vms_of_one_environment_meet_the_same_objects(clusters: Clusters) -> None:
    assert clusters.of(vm("lab")) is clusters.of(vm("lab"))
