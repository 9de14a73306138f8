"""The patches and images of an object of Flux: older APIs have patches of other names, which are no texts there.

Source: fluxcd/helm-controller, api/v2beta2/helmrelease_types.go, and internal/postrender/kustomize.go before v1.0.0;
fluxcd/pkg, apis/kustomize/kustomize_types.go.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from virtcatalog.api.findings import Path, field_path
from virtcatalog.errors import Problem
from virtcatalog.manifests.fields import map_at
from virtcatalog.repositories.deployers import Deployer

_MERGE: Final = "patchesStrategicMerge"
_OLD: Final = (_MERGE, "patchesJson6902")


def faults_of_patches(deployer: Deployer, *path: str | int) -> Iterator[Problem]:
    """Yield what an API server refuses, or Flux, of the patches at a path of an object's spec."""
    version = str(deployer.resource.data.get("apiVersion"))
    for key in _OLD:
        field: Path = ("spec", *path, key)
        if deployer.get(*path, key) is not None and "beta" not in version:
            yield deployer.problem(field_path(field), f"is no field of {version}, which has patches for it")
            continue
        for index, patch in enumerate(deployer.items(*path, key)):
            if key == _MERGE and not isinstance(patch, dict):
                yield deployer.problem(field_path((*field, index)), "must be an object, not its text")
            elif key != _MERGE and not isinstance(map_at(patch).get("patch"), list):
                yield deployer.problem(field_path((*field, index)), "must have a list of operations as its patch")


def patches_at(deployer: Deployer, *path: str | int) -> dict[str, list[Any]]:
    """Return patches and images at a path of an object's spec as kustomize has them: objects and operations as texts.

    They are added to what the kustomization of a folder has.
    """
    lists = {key: list(deployer.items(*path, key)) for key in ("patches", "images", *_OLD)}
    lists[_MERGE] = [json.dumps(patch) for patch in lists[_MERGE]]
    json6902 = lists["patchesJson6902"]
    lists["patchesJson6902"] = [{**patch, "patch": json.dumps(patch["patch"])} for patch in json6902]
    return {key: items for key, items in lists.items() if items}
