"""What virtcatalog renders is stored as it is: nothing is pruned, and applied once more it changes nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from cluster.api import Manifest
from cluster.running import RunningCluster
from kustomizing import kubectl, kustomize
from virtcatalog.cli import main

ROOT = Path(__file__).parents[2]
TREES = [
    *("output", "output/overlays/lab", "output/overlays/production"),
    *("examples/common-instancetypes", "examples/downstream"),
]


@pytest.fixture(scope="module")
def tree(request, tmp_path_factory):
    """The folder of a rendered tree."""
    if not request.param.startswith("examples/"):
        return ROOT / request.param
    folder = tmp_path_factory.mktemp("tree")
    result = CliRunner().invoke(main, ["build", str(ROOT / request.param), "--output-dir", str(folder)])
    assert result.exit_code == 0, result.stderr
    return folder


@pytest.mark.parametrize(
    ("tree", "server_side"), [*((tree, True) for tree in TREES), ("output", False)], indirect=["tree"]
)
def test_a_tree_is_stored_as_it_is_and_once_more_changes_nothing(tree, server_side, cluster):
    sent = kustomize(tree)
    for name in {manifest["metadata"].get("namespace", "default") for manifest in sent}:
        cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    try:
        _apply(cluster, tree, server_side=server_side)
        first = [cluster.api.stored(manifest) for manifest in sent]
        for manifest, stored in zip(sent, first, strict=True):
            assert {**manifest, "metadata": None} == {**_written(stored), "metadata": None}
            for key in ("labels", "annotations"):
                assert manifest["metadata"].get(key, {}).items() <= stored["metadata"].get(key, {}).items()
        _apply(cluster, tree, server_side=server_side)
        assert [cluster.api.stored(manifest) for manifest in sent] == first
    finally:
        for manifest in sent:
            if cluster.api.stored(manifest):
                cluster.api.delete(manifest)


def _apply(cluster: RunningCluster, tree: Path, *, server_side: bool) -> None:
    mode = f"--server-side={str(server_side).lower()}"
    command = [kubectl(), "--kubeconfig", str(cluster.kubeconfig), "apply", mode, "-k", str(tree)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _written(stored: Manifest) -> Manifest:
    return {key: value for key, value in stored.items() if key != "status"}
