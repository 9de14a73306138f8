"""Random VMs, as an API server stores or refuses them, and as virtcatalog says that it does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, islice
from typing import Any

from cluster.api import Api, ApiError, Manifest
from duel.__main__ import questions
from virtcatalog import Cluster, UnsupportedError, admit
from virtcatalog.api.decode import manifest_name, to_manifest
from virtcatalog.api.kinds import CLUSTER_KINDS
from virtcatalog.errors import ManifestError
from virtcatalog.gitops.stored import set_schema_defaults
from virtcatalog.kubevirt.pipeline import create_vmi

Question = dict[str, Any]
#: What the API server's schemas alone refuse: docs/fidelity.md has them among the known differences.
_SCHEMA_ALONE = (
    "containerPath.path: Invalid value",
    "must be of type integer with format int32",
    "memLock: Unsupported value",
    "rebootPolicy: Unsupported value",
)


def differences(api: Api, release: str, seed: int, number: int, counts: Counter[str]) -> Iterator[str]:
    """Create random VMs in their clusters; yield what is not as virtcatalog says, and count what became of them."""
    drawn = islice(questions(seed, release), number)
    for _, group in groupby(drawn, key=lambda question: json.dumps({**question, "vm": None, "name": None})):
        alike = list(group)
        there, unlike = _made(api, alike[0], release, counts)
        yield from unlike
        cluster = Cluster(there, release=release)
        for question in alike:
            yield from _unlike(api, question["vm"], cluster, counts)
        for manifest in there[1:]:
            api.delete(manifest)
        api.replace({**there[0], "spec": {}})


def _made(api: Api, question: Question, release: str, counts: Counter[str]) -> tuple[list[Manifest], list[str]]:
    """Make the cluster of a question: the KubeVirt CR and the objects that the API server takes; say what is unlike."""
    kubevirt = next(api.items("kubevirt.io/v1", "KubeVirt"))
    developer = {**question["config"].get("developerConfiguration", {}), "featureGates": question["featureGates"]}
    kubevirt["spec"] = {"configuration": {**question["config"], "developerConfiguration": developer}}
    there, unlike = [], []
    for manifest in (kubevirt, *question["objects"]):
        refused = _refused(manifest, release)
        try:
            stored = api.replace(manifest) if manifest is kubevirt else api.create(manifest)
        except ApiError as error:
            if manifest is kubevirt:  # what its schema asks for is not all known here
                counts["KubeVirt CRs refused" if refused else "KubeVirt CRs refused by the schema alone"] += 1
                there.append(api.replace({**manifest, "spec": {}}))
            elif not refused and not _by_schema_alone(error):
                unlike.append(f"{manifest_name(manifest)}: the API server refuses it: {error}\n{json.dumps(manifest)}")
            continue
        there.append(stored)
        if manifest is kubevirt:
            counts["KubeVirt CRs stored"] += 1
        if refused:
            unlike.append(f"{manifest_name(manifest)}: the API server takes it: {refused}\n{json.dumps(manifest)}")
        elif manifest["kind"] != "PersistentVolumeClaim" and stored["spec"] != manifest["spec"]:
            unlike.append(f"{manifest_name(manifest)} is stored otherwise:\n{_apart(manifest['spec'], stored['spec'])}")
    return there, unlike


def _refused(manifest: Manifest, release: str) -> str:
    """Why virtcatalog says that an object is refused, "" where it is not."""
    try:
        cluster = Cluster([manifest], release=release)
    except ManifestError as error:
        return str(error)
    return "; ".join(map(str, admit(manifest, cluster))) if manifest["kind"] in CLUSTER_KINDS else ""


def _unlike(api: Api, vm: Manifest, cluster: Cluster, counts: Counter[str]) -> Iterator[str]:
    """Create a VM; say how what is stored or refused differs from what virtcatalog says."""
    try:
        result = create_vmi(vm, cluster, staged=True)
    except UnsupportedError:
        counts["unsupported"] += 1
        return
    text, causes = json.dumps(vm), sorted({cause.field for cause in result.causes})
    try:
        stored = api.create(vm)
    except ApiError as error:
        counts["refused"] += 1
        if _by_schema_alone(error):
            counts["refused by the schema alone"] += 1
        elif result.refused_by != "vm":
            yield f"the API server refuses it: {error}\n{text}"
        elif "admission webhook" in str(error) and sorted({cause.get("field", "") for cause in error.causes}) != causes:
            yield f"the webhook names other fields than {causes}: {error}\n{text}"
        return
    api.delete(vm)
    counts["stored"] += 1
    if result.refused_by == "vm":
        yield f"the API server stores it: {', '.join(map(str, result.causes))}\n{text}"
        return
    expected = to_manifest(result.stages.mutated)["spec"] if result.stages else (result.vm or {})["spec"]
    set_schema_defaults(expected)  # nobody sees a difference in what runs
    if stored["spec"] != expected and (result.stages or not _expanded_later(cluster)):
        yield f"it is stored otherwise:\n{_apart(expected, stored['spec'])}\n{text}"


def _by_schema_alone(error: ApiError) -> bool:
    return any(text in str(error) for text in _SCHEMA_ALONE)


def _expanded_later(cluster: Cluster) -> bool:
    """Whether what virtcatalog shows of a refused VM is what virt-controller has made of it."""
    return cluster.configuration.instancetype_reference_policy != "reference"


def _apart(expected: Any, stored: Any, path: str = "spec") -> str:
    """Say where two values differ."""
    if isinstance(expected, dict) and isinstance(stored, dict):
        keys = sorted(expected.keys() | stored.keys())
        return "\n".join(
            _apart(expected.get(key), stored.get(key), f"{path}.{key}")
            for key in keys
            if expected.get(key) != stored.get(key)
        )
    return f"  {path}: expected {json.dumps(expected)}, stored {json.dumps(stored)}"
