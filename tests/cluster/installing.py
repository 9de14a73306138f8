"""What a cluster has before anybody uses it: kinds, and a KubeVirt that runs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from ruamel.yaml import YAML

from cluster.api import Api, Manifest
from cluster.programs import HERE, PATIENCE, ClusterError
from virtcatalog.api.kinds import TEMPLATES_SINCE
from virtcatalog.releases import find_release

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def install(api: Api, definitions: Sequence[Manifest], release: str) -> None:
    """Serve kinds, and say in a KubeVirt CR that the release is deployed."""
    kinds = [*definitions, *_others(release)]
    for definition in kinds:
        api.ask("POST", _DEFINITIONS, definition)
    _await(api, len(kinds))
    kubevirt = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {},
    }
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kubevirt"}})
    api.create(kubevirt)
    observed = {"phase": "Deployed", "observedKubeVirtVersion": release, "targetKubeVirtVersion": release}
    api.merge(kubevirt, {"status": observed}, "/status")


def _others(release: str) -> Iterator[Manifest]:
    """The kinds of kinds.yaml that there are beside a release."""
    for spec in YAML(typ="safe").load((HERE / "kinds.yaml").read_text(encoding="utf-8")):
        if spec["group"] == "template.kubevirt.io" and find_release(release).minor < TEMPLATES_SINCE:
            continue
        yield {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{spec['names']['plural']}.{spec['group']}"},
            "spec": spec,
        }


def _await(api: Api, number: int) -> None:
    """Wait until as many kinds are served; ClusterError says which are not, and why."""
    late = time.monotonic() + PATIENCE
    while True:
        conditions = {
            item["metadata"]["name"]: {
                condition["type"]: condition for condition in item["status"].get("conditions") or ()
            }
            for item in api.ask("GET", _DEFINITIONS)["items"]
        }
        unserved = {
            name: by_type
            for name, by_type in conditions.items()
            if by_type.get("Established", {}).get("status") != "True"
        }
        if len(conditions) == number and not unserved:
            return
        if time.monotonic() > late:
            raise ClusterError(f"not served in time: {unserved}")
        time.sleep(0.1)
