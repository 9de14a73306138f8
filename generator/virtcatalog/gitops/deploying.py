"""The object of Argo CD or Flux that syncs a folder of VMs, with what these VMs need and no more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import indent

import msgspec

from virtcatalog.api.kinds import holds_vm
from virtcatalog.catalog.labels import SYNC_WAVE
from virtcatalog.gitops.ignoring import Needs, rules_text
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, identity
from virtcatalog.render.gitops import Origin

_RUNNING = ("Always", "RerunOnFailure")
_READY = {
    "VirtualMachineInstance": ("Running",),
    "DataVolume": ("Succeeded", "WaitForFirstConsumer", "PendingPopulation"),
}
"""The phases in which an object is ready; a disk is that, too, while it waits for the VM that uses it."""
_VERSIONS = {"VirtualMachineInstance": "kubevirt.io/v1", "DataVolume": "cdi.kubevirt.io/v1beta1"}


class Fleet(msgspec.Struct, frozen=True):
    """VMs, and what lies beside them, in a folder (`path`) of a repository; the object that syncs it has the `name`.

    `is_deep`: some of their files are in folders below it, and kustomize does not build it.
    """

    name: str
    path: str
    manifests: Sequence[Data]
    is_deep: bool = False

    @property
    def namespace(self) -> str:
        """The namespace that all VMs are in, "" for several or none."""
        namespaces = {identity(manifest)[1] for manifest in self.manifests if holds_vm(manifest)}
        return namespaces.pop() if len(namespaces) == 1 else ""

    @property
    def inferring(self) -> list[str]:
        """The VMs that KubeVirt refuses when Flux applies them again: beside the name that it infers."""
        vms = [manifest for manifest in self.manifests if manifest.get("kind") == "VirtualMachine"]
        return [
            identity(vm)[2] for vm in vms if any(map_at(vm, "spec", part).get("inferFromVolume") for part in MATCHERS)
        ]


def application_text(origin: Origin, fleet: Fleet, needs: Needs, cluster: str, namespace: str, *, merges: bool) -> str:
    """Return an Application as YAML, with a comment on each field that it ignores; `merges`: it applies on the server.

    It prunes nothing: whoever deletes a VM deletes its disks. It is in a later wave than that of the catalog.
    """
    options = ["ServerSideApply=true"] if merges else []
    options += ["RespectIgnoreDifferences=true"] if needs.respects else []
    sync: Data = {"automated": {"prune": False, "selfHeal": True}, **({"syncOptions": options} if options else {})}
    source: Data = {"repoURL": origin.url, "targetRevision": origin.target, "path": fleet.path}
    if fleet.is_deep:
        source["directory"] = {"recurse": True}  # Argo CD reads the files of the folder itself, and no others
    destination = {"name": cluster, **({"namespace": fleet.namespace} if fleet.namespace else {})}
    manifest = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": fleet.name, "namespace": namespace, "annotations": {SYNC_WAVE: "1"}},
        "spec": {
            "project": "default",
            "source": source,
            "destination": destination,
            "syncPolicy": sync,
        },
    }
    return dump(manifest) + (indent(rules_text(needs), "  ") if needs.ignored else "")


def kustomization(fleet: Fleet, source: Data, after: Sequence[str], namespace: str) -> Data:
    """Return a Kustomization of Flux: it comes `after` others, and waits for machines and disks, not for VMs.

    It prunes nothing: whoever deletes a VM deletes its disks.
    """
    checks = list(_health_checks(fleet.manifests))
    kinds = dict.fromkeys(check["kind"] for check in checks)
    spec: Data = {
        "interval": "1h",
        "retryInterval": "2m",
        "timeout": "15m",
        "sourceRef": {"kind": source["kind"], "name": source["metadata"]["name"]},
        "path": f"./{fleet.path}",
        "prune": False,
        "deletionPolicy": "Orphan",
        "wait": False,
    }
    if after:
        spec["dependsOn"] = [{"name": name} for name in after]
    if checks:
        spec["healthChecks"] = checks
        spec["healthCheckExprs"] = [_about(kind) | health_expressions(kind) for kind in kinds]
    return {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": fleet.name, "namespace": namespace},
        "spec": spec,
    }


def _health_checks(manifests: Sequence[Data]) -> Iterator[Data]:
    """What is ready once the VMs run: the machine of each VM that Git has run, and disks that are made beside them."""
    for manifest in manifests:
        kind, namespace, name = identity(manifest)
        spec = map_at(manifest, "spec")
        if kind == "VirtualMachine" and (spec.get("running") is True or spec.get("runStrategy") in _RUNNING):
            yield _check("VirtualMachineInstance", namespace, name)
        elif kind in _VERSIONS:
            yield _check(kind, namespace, name)


def _check(kind: str, namespace: str, name: str) -> Data:
    return {**_about(kind), "name": name, "namespace": namespace or "default"}


def _about(kind: str) -> Data:
    return {"apiVersion": _VERSIONS[kind], "kind": kind}


def health_expressions(kind: str) -> Data:
    """Return the expressions by which Flux takes an object of a kind for ready or failed."""
    ready = " || ".join(f"status.phase == '{phase}'" for phase in _READY[kind])
    current = f"has(status.phase) && ({ready})" if len(_READY[kind]) > 1 else f"has(status.phase) && {ready}"
    return {"current": current, "failed": "has(status.phase) && status.phase == 'Failed'"}
