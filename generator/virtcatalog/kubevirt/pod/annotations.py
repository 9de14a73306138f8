"""The Pod's labels and annotations.

Source: pkg/virt-controller/services/template.go (podLabels, generatePodAnnotations), pkg/network/pod/annotations,
pkg/network/multus/annotation.go and pkg/storage/pod/annotations.
"""

from __future__ import annotations

from hashlib import sha1
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

import msgspec

from virtcatalog.api.interfaces import Interface
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.launch.network import is_secondary, pod_link
from virtcatalog.kubevirt.pod.devices import attachment
from virtcatalog.kubevirt.pod.facts import Facts

ISTIO = "sidecar.istio.io/inject"

_FILTERED = (
    "kubectl.kubernetes.io",
    "kubevirt.io/storage-observed-api-version",
    "kubevirt.io/latest-observed-api-version",
)
_NETWORKS = "k8s.v1.cni.cncf.io/networks"
_DEFAULT_NETWORK = "v1.multus-cni.io/default-network"
_REROUTED = ("traffic.sidecar.istio.io/kubevirtInterfaces", "istio.io/reroute-virtual-interfaces")
_SKIP_HOOKS = "kubevirt.io/skip-backup-hooks"
_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_LONGEST_LABEL, _HASH_LENGTH = 63, 8


def hostname(vmi: VirtualMachineInstance) -> str:
    """The guest's host name: its own, else its VMI's name up to the first dot (pkg/util/net/dns)."""
    return vmi.spec.hostname or vmi.metadata.name.partition(".")[0][:_LONGEST_LABEL]


def pod_labels(vmi: VirtualMachineInstance) -> dict[str, str]:
    """The VMI's labels and KubeVirt's own."""
    metadata = vmi.metadata
    labels = {
        **metadata.labels,
        "kubevirt.io": "virt-launcher",
        "kubevirt.io/created-by": metadata.uid,
        "vm.kubevirt.io/name": hostname(vmi),
        "vmi.kubevirt.io/id": _identifier(metadata.name),
    }
    if ISTIO in metadata.annotations:
        labels[ISTIO] = metadata.annotations[ISTIO]
    return labels


def _identifier(name: str) -> str:
    """A VMI's name as a label holds it (pkg/apimachinery, CalculateVirtualMachineInstanceID)."""
    if len(name) <= _LONGEST_LABEL:
        return name
    digest = sha1(name.encode(), usedforsecurity=False).hexdigest()[:_HASH_LENGTH]
    return f"{name[: _LONGEST_LABEL - _HASH_LENGTH - 1]}-{digest}"


def pod_annotations(vmi: VirtualMachineInstance, facts: Facts, overhead: int) -> dict[str, str]:
    """The VMI's annotations and KubeVirt's own; `overhead` is the memory overhead in bytes."""
    metadata = vmi.metadata
    annotations = {"kubevirt.io/domain": metadata.name}
    annotations |= {key: text for key, text in metadata.annotations.items() if not key.startswith(_FILTERED)}
    annotations["kubectl.kubernetes.io/default-container"] = "compute"
    annotations["kubevirt.io/migrationTransportUnix"] = "true"
    annotations["descheduler.alpha.kubernetes.io/request-evict-only"] = ""
    _add_networks(annotations, vmi, facts)
    if metadata.annotations.get(_SKIP_HOOKS) not in _TRUE:
        _add_backup_hooks(annotations, metadata.name, metadata.namespace)
    if facts.reports_overhead:
        annotations["kubevirt.io/memory-overhead-bytes"] = str(overhead)
    return annotations


def _add_backup_hooks(annotations: dict[str, str], name: str, namespace: str) -> None:
    """Velero freezes the guest's file systems while it backs up."""
    guest = f'"--name", {quoted(name)}, "--namespace", {quoted(namespace)}]'
    annotations["pre.hook.backup.velero.io/container"] = "compute"
    annotations["pre.hook.backup.velero.io/command"] = f'["/usr/bin/virt-freezer", "--freeze", {guest}'
    annotations["pre.hook.backup.velero.io/timeout"] = "60s"
    annotations["post.hook.backup.velero.io/container"] = "compute"
    annotations["post.hook.backup.velero.io/command"] = f'["/usr/bin/virt-freezer", "--unfreeze", {guest}'


def _add_networks(annotations: dict[str, str], vmi: VirtualMachineInstance, facts: Facts) -> None:
    interfaces, networks = vmi.spec.domain.devices.interfaces, vmi.spec.networks
    if not interfaces and not networks:
        return
    by_name = {network.name: network for network in networks}
    elements = []
    for interface in interfaces:
        network = by_name.get(interface.name)
        if interface.state == "absent" or network is None:
            continue
        if network.multus is not None and is_secondary(network):
            elements.append(_attachment(vmi.metadata.namespace, network.multus.network_name, interface))
        if interface.binding is not None:
            definition = facts.config.network_bindings[interface.binding.name].network_attachment_definition
            if definition:
                elements.append(_of_plugin(vmi.metadata.namespace, definition, network.name))
    if elements:
        annotations[_NETWORKS] = msgspec.json.encode(elements).decode()
    for network in networks:
        if network.multus is not None and network.multus.default:
            annotations[_DEFAULT_NETWORK] = network.multus.network_name
            break
    if any(interface.masquerade is not None for interface in interfaces):
        for name in _REROUTED:
            annotations[name] = "k6t-eth0"


def _attachment(namespace: str, name: str, interface: Interface) -> dict[str, Any]:
    """What Multus is to attach for an interface of the guest (newAnnotationData)."""
    space, name = attachment(namespace, name)
    element = {"name": name, "namespace": space} if space else {"name": name}
    if interface.mac_address:
        element["mac"] = interface.mac_address
    return {**element, "interface": pod_link(interface.name)}


def _of_plugin(namespace: str, name: str, network: str) -> dict[str, Any]:
    """What Multus is to attach for a binding plugin (newBindingPluginAnnotationData)."""
    space, name = attachment(namespace, name)
    element: dict[str, Any] = {"name": name, "namespace": space} if space else {"name": name}
    return {**element, "cni-args": {"logicNetworkName": network}}
