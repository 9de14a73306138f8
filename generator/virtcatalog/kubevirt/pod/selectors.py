"""On which nodes the Pod may run: node selector and affinity.

Source: pkg/virt-controller/services/nodeselectorrenderer.go, template.go (newNodeSelectorRenderer,
setNodeAffinityForPod), pkg/storage/reservation/pr.go and pkg/virt-controller/watch/topology/tsc.go.
"""

from __future__ import annotations

from typing import Any

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.devices import FeatureState
from virtcatalog.api.domainspec import FeatureHyperv
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.kubevirt.claims import Claims
from virtcatalog.kubevirt.identity import pvc_uid
from virtcatalog.kubevirt.launcher.elements.clock import needs_tsc_frequency
from virtcatalog.kubevirt.launcher.elements.launchsecurity import (
    uses_secure_execution,
    uses_sev,
    uses_snp,
    uses_tdx,
)
from virtcatalog.kubevirt.pod.facts import Facts, has_dedicated_cpus

_ARCHITECTURE = "kubernetes.io/arch"
_FEATURE = "cpu-feature.node.kubevirt.io/"
_HYPERV = "hyperv.node.kubevirt.io/"
_OBSOLETE_HOST_MODEL = "node-labeller.kubevirt.io/obsolete-host-model"
_HOST_MODELS = ("host-model", "host-passthrough")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def node_selector(vmi: VirtualMachineInstance, facts: Facts) -> dict[str, str]:
    """The labels that a node must have."""
    spec, domain = vmi.spec, vmi.spec.domain
    selector = {"kubevirt.io/schedulable": "true"}
    if spec.architecture:
        selector[_ARCHITECTURE] = spec.architecture.lower()
    selector |= facts.node_selectors
    selector |= spec.node_selector
    if facts.cross_architecture and spec.architecture:
        selector.pop(_ARCHITECTURE, None)
    wanted = []
    cpu = domain.cpu
    if has_dedicated_cpus(vmi):
        wanted.append(facts.traits.cpu_manager_label)
    if facts.checks_hyperv and domain.features is not None and domain.features.hyperv is not None:
        wanted += _hyperv_labels(domain.features.hyperv)
    if cpu is not None and cpu.model:
        if cpu.model not in _HOST_MODELS:
            wanted.append(f"cpu-model.node.kubevirt.io/{cpu.model}")
        wanted += [f"{_FEATURE}{feature.name}" for feature in cpu.features if feature.policy in ("", "require")]
    if domain.machine is not None and domain.machine.type:
        wanted.append(f"machine-type.node.kubevirt.io/{domain.machine.type}")
    if spec.architecture == "amd64" and facts.tsc_frequency and needs_tsc_frequency(cpu, domain.features):
        wanted.append(f"scheduling.node.kubevirt.io/tsc-frequency-{facts.tsc_frequency}")
    if cpu is not None and cpu.realtime is not None:
        wanted.append("kubevirt.io/realtime")
    if domain.launch_security is not None:
        wanted += _security_labels(vmi)
    if facts.cross_architecture and spec.architecture:
        wanted.append(f"kubevirt.io/vm-arch-{spec.architecture}")
    for label in wanted:
        selector[label] = "true"
    return selector


def _security_labels(vmi: VirtualMachineInstance) -> list[str]:
    security = vmi.spec.domain.launch_security
    policy = security.sev.policy if security is not None and security.sev is not None else None
    labels = {
        "kubevirt.io/sev": uses_sev(security),
        "kubevirt.io/sev-es": policy is not None and policy.encrypted_state is True,
        "kubevirt.io/sev-snp": uses_snp(security),
        "kubevirt.io/s390-pv": uses_secure_execution(security, vmi.spec.architecture),
        "kubevirt.io/tdx": uses_tdx(security),
    }
    return [label for label, wanted in labels.items() if wanted]


def _hyperv_labels(hyperv: FeatureHyperv) -> list[str]:
    """The enlightenments that need something of the node's kernel (hypervNodeSelectors)."""
    features = {
        "vpindex": hyperv.vpindex,
        "runtime": hyperv.runtime,
        "reset": hyperv.reset,
        "synic": hyperv.synic,
        "synictimer": hyperv.synictimer,
        "frequencies": hyperv.frequencies,
        "reenlightenment": hyperv.reenlightenment,
        "tlbflush": hyperv.tlbflush,
        "ipi": hyperv.ipi,
    }
    labels = [f"{_HYPERV}{name}" for name, feature in features.items() if feature is not None and feature.enabled]
    evmcs: FeatureState | None = hyperv.evmcs
    if evmcs is not None and evmcs.enabled is not False:
        labels.append("cpu-vendor.node.kubevirt.io/Intel")
    return labels


def affinity(vmi: VirtualMachineInstance, reserved: list[str], facts: Facts) -> dict[str, Any] | None:
    """The VMI's affinity, and what KubeVirt adds: nodes to stay away from, and Pods that reserve the same LUN.

    `reserved` are the labels of the claims that the VMI reserves.
    """
    spec = vmi.spec
    rules: dict[str, Any] = {} if spec.affinity is None else to_manifest(spec.affinity)
    rejected = list(_rejected(vmi))
    if rejected:
        of_nodes = rules.setdefault("nodeAffinity", {})
        if _REQUIRED in of_nodes:
            for term in of_nodes[_REQUIRED]["nodeSelectorTerms"]:
                term.setdefault("matchExpressions", []).extend(_absent(label) for label in rejected)
        else:
            expressions = [_absent(label) for label in rejected]
            of_nodes[_REQUIRED] = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    if reserved:
        rules.setdefault("podAntiAffinity", {}).setdefault(_REQUIRED, []).extend(_apart(label) for label in reserved)
    if facts.cross_architecture and spec.architecture:
        expression = {"key": _ARCHITECTURE, "operator": "In", "values": [spec.architecture.lower()]}
        term = {"weight": 100, "preference": {"matchExpressions": [expression]}}
        rules.setdefault("nodeAffinity", {}).setdefault(_PREFERRED, []).append(term)
    return rules if rules or spec.affinity is not None else None


def _rejected(vmi: VirtualMachineInstance) -> list[str]:
    """Labels that a node must not have: of obsolete host models and of features that the guest must not see."""
    cpu = vmi.spec.domain.cpu
    features = [_OBSOLETE_HOST_MODEL] if cpu is None or cpu.model in ("", "host-model") else []
    if cpu is not None:
        features += [f"{_FEATURE}{feature.name}" for feature in cpu.features if feature.policy == "forbid"]
    return features


def _absent(label: str) -> dict[str, str]:
    return {"key": label, "operator": "DoesNotExist"}


def _apart(label: str) -> dict[str, Any]:
    selector = {"matchExpressions": [{"key": label, "operator": "Exists"}]}
    return {"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}


def reservations(vmi: VirtualMachineInstance, vm: VirtualMachine | None, facts: Facts) -> list[str]:
    """Labels of the claims whose LUNs the VMI reserves, sorted (PersistentReservationPVCLabels)."""
    if not facts.traits.reservations_keep_apart:
        return []
    reserving = [disk.name for disk in vmi.spec.domain.devices.disks if disk.lun is not None and disk.lun.reservation]
    if not reserving:
        return []
    reserved = set()
    claims = Claims(vmi, facts.cluster, vm)
    for volume in vmi.spec.volumes:
        claim, data = volume.persistent_volume_claim, volume.data_volume
        name = claim.claim_name if claim is not None else data.name if data is not None else ""
        if name and volume.name in reserving:
            pvc = claims.find(name)
            reserved.add(f"pr.kubevirt.io/{pvc.uid or pvc_uid(vmi.metadata.namespace, name)}")
    return sorted(reserved)
