"""The Pod on one page.

Source: pkg/virt-controller/services/template.go (RenderLaunchManifest) and pkg/virt-controller/watch/vmi/lifecycle.go
(sync).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.names import NON_ROOT
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import MIGRATION_TARGET_ANNOTATION
from virtcatalog.kubevirt.launcher.elements.clock import needs_tsc_frequency
from virtcatalog.kubevirt.pod.annotations import ISTIO, hostname, pod_annotations, pod_labels
from virtcatalog.kubevirt.pod.containers import Container, compute_container, grace_period, log_verbosity
from virtcatalog.kubevirt.pod.facts import NON_ROOT_USER, Facts, PodError, is_pinned, kernel_boot
from virtcatalog.kubevirt.pod.overhead import overhead
from virtcatalog.kubevirt.pod.resources import compute_resources
from virtcatalog.kubevirt.pod.selectors import affinity, node_selector, reservations
from virtcatalog.kubevirt.pod.sidecars import add_sidecar_volumes, sidecar_container, sidecars
from virtcatalog.kubevirt.pod.support import (
    console_log_container,
    disk_containers,
    image_containers,
    tool_container,
    virtiofs_containers,
)
from virtcatalog.kubevirt.pod.volumes import pod_volumes, skips_digests

_TARGET_NODE = "kubevirt.io/migrationTargetNodeName"
_PADDING = 15


def render_pod(vmi: VirtualMachineInstance, cluster: Cluster, vm: VirtualMachine | None) -> dict[str, Any]:
    """The virt-launcher Pod of an admitted VMI as virt-controller sends it; PodError where it sends none.

    `vm`, when there is one, tells of data volume templates and changed block tracking. Pods have no name before the
    API server gives them one, and their namespace is the VMI's.
    """
    facts = cluster.computed(Facts)
    _check(vmi, facts)
    pinned, non_root = is_pinned(vmi), facts.non_root or NON_ROOT in vmi.metadata.annotations
    memory = Quantity.total([term.amount for term in overhead(vmi, facts)])
    resources = compute_resources(vmi, facts, memory)
    hooks = sidecars(vmi, facts)
    volumes = pod_volumes(vmi, vm, facts, sidecars=bool(hooks), non_root=non_root)
    verbosity = log_verbosity(vmi, facts)
    reserved = reservations(vmi, vm, facts)
    add_sidecar_volumes(volumes, hooks)
    compute = compute_container(
        vmi, facts, volumes, resources, sidecars=len(hooks), non_root=non_root, verbosity=verbosity
    )
    containers = [compute]
    if not facts.image_volumes:
        containers += disk_containers(vmi, facts, pinned=pinned, init=False)
    containers += virtiofs_containers(vmi, facts, pinned=pinned)
    for number, hook in enumerate(hooks):
        containers.append(sidecar_container(number, hook, facts, pinned=pinned, non_root=non_root))
    spec: dict[str, Any] = {
        "hostname": hostname(vmi),
        "securityContext": _security(facts, non_root=non_root),
        "terminationGracePeriodSeconds": grace_period(vmi) + _PADDING,
        "restartPolicy": "Never",
        "containers": containers,
        "nodeSelector": node_selector(vmi, facts),
        "volumes": volumes.volumes,
        "readinessGates": [{"conditionType": "kubevirt.io/virtual-machine-unpaused"}],
        "enableServiceLinks": False,
    }
    before = list(_init_containers(vmi, facts, verbosity, pinned=pinned, non_root=non_root))
    if before:
        spec["initContainers"] = before
    _add_scheduling(spec, vmi, reserved, facts)
    _add_services(spec, vmi)
    if facts.separates_categories:
        for container in containers[1:]:
            options = {"type": facts.selinux_type, "level": "s0"} if facts.selinux_type else {"level": "s0"}
            container["securityContext"] = {**container["securityContext"], "seLinuxOptions": options}
    labels = pod_labels(vmi)
    labels |= dict.fromkeys(reserved, "")
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": f"virt-launcher-{vmi.metadata.name}-",
            "namespace": vmi.metadata.namespace,
            "labels": labels,
            "annotations": pod_annotations(vmi, facts, memory.value),
            "ownerReferences": [
                {
                    "apiVersion": "kubevirt.io/v1",
                    "kind": "VirtualMachineInstance",
                    "name": vmi.metadata.name,
                    "uid": vmi.metadata.uid,
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": spec,
    }


def _check(vmi: VirtualMachineInstance, facts: Facts) -> None:
    """Raise PodError for what virt-controller waits for, in vain, before it makes a Pod (sync)."""
    annotations, labels = vmi.metadata.annotations, vmi.metadata.labels
    if annotations.get(MIGRATION_TARGET_ANNOTATION) == "true" and _TARGET_NODE not in labels:
        raise PodError("", "the VMI receives a migration: virt-controller makes its Pod when one comes")
    if (
        facts.tsc_frequency is None
        and vmi.spec.architecture == "amd64"
        and needs_tsc_frequency(vmi.spec.domain.cpu, vmi.spec.domain.features)
    ):
        minimum = facts.config.minimum_cluster_tsc_frequency
        message = f"the cluster's minimumClusterTSCFrequency is {minimum}, and the guest needs a positive one to start"
        raise PodError("spec.domain", message)
    if facts.shares_container_paths:
        return
    shared = {filesystem.name for filesystem in vmi.spec.domain.devices.filesystems}
    for position, volume in enumerate(vmi.spec.volumes if shared else ()):
        if volume.container_path is not None and volume.name in shared:
            message = "needs the feature gate ContainerPathVolumes"
            raise PodError(f"spec.volumes[{position}].containerPath", message)


def _security(facts: Facts, *, non_root: bool) -> dict[str, Any]:
    """The Pod's `securityContext` (computePodSecurityContext, alignPodMultiCategorySecurity)."""
    context: dict[str, Any] = {"fsGroup": NON_ROOT_USER, "runAsUser": NON_ROOT_USER if non_root else 0}
    if non_root:
        context |= {"runAsGroup": NON_ROOT_USER, "runAsNonRoot": True}
    if facts.seccomp:
        context["seccompProfile"] = dict(facts.seccomp)
    if facts.selinux_type:
        context["seLinuxOptions"] = {"type": facts.selinux_type}
    return context


def _init_containers(
    vmi: VirtualMachineInstance, facts: Facts, verbosity: int, *, pinned: bool, non_root: bool
) -> Iterator[Container]:
    console = console_log_container(vmi, facts, verbosity, pinned=pinned)
    if console is not None:
        yield console
    if facts.image_volumes:
        if not skips_digests(vmi, facts):
            yield from image_containers(vmi, facts, pinned=pinned)
    elif kernel_boot(vmi.spec) is not None or any(volume.container_disk is not None for volume in vmi.spec.volumes):
        yield tool_container(facts, pinned=pinned, non_root=non_root)
        yield from disk_containers(vmi, facts, pinned=pinned, init=True)


def _add_scheduling(spec: dict[str, Any], vmi: VirtualMachineInstance, reserved: list[str], facts: Facts) -> None:
    of_vmi = vmi.spec
    where = affinity(vmi, reserved, facts)
    if where is not None:
        spec["affinity"] = where
    if of_vmi.scheduler_name:
        spec["schedulerName"] = of_vmi.scheduler_name
    if of_vmi.tolerations:
        spec["tolerations"] = [to_manifest(toleration) for toleration in of_vmi.tolerations]
    if of_vmi.topology_spread_constraints:
        spec["topologySpreadConstraints"] = [
            to_manifest(constraint) for constraint in of_vmi.topology_spread_constraints
        ]
    if of_vmi.resource_claims:
        spec["resourceClaims"] = [to_manifest(resource_claim) for resource_claim in of_vmi.resource_claims]
    if of_vmi.priority_class_name:
        spec["priorityClassName"] = of_vmi.priority_class_name
    if facts.config.values.default_runtime_class:
        spec["runtimeClassName"] = facts.config.values.default_runtime_class


def _add_services(spec: dict[str, Any], vmi: VirtualMachineInstance) -> None:
    """Names, secrets and the service account."""
    of_vmi = vmi.spec
    if of_vmi.subdomain:
        spec["subdomain"] = of_vmi.subdomain
    if of_vmi.dns_policy:
        spec["dnsPolicy"] = of_vmi.dns_policy
    if of_vmi.dns_config is not None:
        spec["dnsConfig"] = to_manifest(of_vmi.dns_config)
    disks = [volume.container_disk for volume in of_vmi.volumes if volume.container_disk is not None]
    secrets = dict.fromkeys(disk.image_pull_secret for disk in (*disks, kernel_boot(of_vmi)) if disk is not None)
    references = [{"name": secret} for secret in secrets if secret]
    if references:
        spec["imagePullSecrets"] = references
    accounts = [volume.service_account for volume in of_vmi.volumes if volume.service_account is not None]
    account = accounts[0].service_account_name if accounts else ""
    if of_vmi.service_account_name or account:
        spec["serviceAccountName"] = of_vmi.service_account_name or account
    injected = vmi.metadata.annotations.get(ISTIO, "").lower() == "true"
    spec["automountServiceAccountToken"] = bool(account) or injected
