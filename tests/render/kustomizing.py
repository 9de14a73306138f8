"""kubectl's kustomize, which CI must have and a laptop may lack."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml


def kustomize(folder: Path) -> list[dict[str, Any]]:
    """What `kubectl kustomize` makes of a folder."""
    if not shutil.which("kubectl"):
        if os.environ.get("CI"):
            pytest.fail("CI needs kubectl")
        pytest.skip("kubectl is not installed")
    done = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(yaml.load_all(done.stdout, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def by_identity(manifests: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """The manifests by kind and name, of which there is one each."""
    found = {(each["kind"], each["metadata"]["name"]): each for each in manifests}
    assert len(found) == len(manifests)
    return found
