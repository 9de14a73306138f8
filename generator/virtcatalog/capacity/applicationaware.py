"""ApplicationAwareResourceQuota: what AAQ counts of a VM, and whom its gate holds back.

AAQ holds Pods back until its quotas have room, where a ResourceQuota refuses them. It counts VMs in one of several
ways, which its own object chooses for the whole cluster. Source: kubevirt/application-aware-quota v1.8.0,
pkg/aaq-controller/built-in-usage-calculators/virt-launcher-usage-calc.go (CalculateUsageByConfig,
CalculateResourceLauncherVMIUsagePodResources), pkg/aaq-controller/aaq-gate-controller (execute), pkg/util/util.go
(FilterNonScheduableResources), pkg/aaq-operator/resources/cluster/aaqserver.go (DefaultNamespaceSelectorLabel).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from virtcatalog.api.core import LabelSelector, LabelSelectorRequirement
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.nodes import ApplicationAwareResourceQuota, ResourceQuota
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import listed
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pod.amounts import Amounts
from virtcatalog.kubevirt.selectors import selects

KIND: Final = "ApplicationAwareResourceQuota"
DEFAULT: Final = "DedicatedVirtualResources"
_AS_PODS: Final = ("VmiPodUsage", "IgnoreVmiCalculator")
"""Ways that count what the Pod requests; they differ while a VM migrates."""
VMI: Final = "/vmi"
"""After the names of resources that count VMs alone."""
_GATING: Final = LabelSelector(
    match_expressions=[LabelSelectorRequirement(key="application-aware-quota/enable-gating", operator="Exists")]
)
_MANAGED: Final = "-non-schedulable-resources-managed-rq-x"
"""After the name of a quota: the ResourceQuota that AAQ makes of the resources that its gate does not count."""
_OF_PODS: Final = frozenset({"pods", "cpu", "memory", "ephemeral-storage"})
_LIMITS: Final = frozenset({"limits.cpu", "limits.memory", "limits.ephemeral-storage"})
_REQUESTS: Final = frozenset({"requests.cpu", "requests.memory", "requests.ephemeral-storage"})
_ONE: Final = Quantity.of(1, "DecimalSI")


class Guest(msgspec.Struct, frozen=True):
    """What AAQ reads of a VMI: its vCPUs and its memory, as quantities are written."""

    cpus: str
    memory: str


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """How AAQ works in a cluster.

    `way` is how it counts VMs. `undecided` says why nothing can be said of its quotas, "" when it can. `notes` are for
    people: what is assumed, and which quotas hold nobody back.
    """

    way: str
    undecided: str = ""
    open_namespaces: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def usage(self, guest: Guest, pod_usage: Mapping[str, Quantity]) -> Amounts:
        """What a VM takes of a quota; `pod_usage` is what its Pod takes of a ResourceQuota."""
        if self.way in _AS_PODS:
            return dict(pod_usage)
        if self.way == "VirtualResources":
            parts = ("", "requests.", "limits.")
            amounts = {f"{part}{name}": amount for part in parts for name, amount in _guest_resources(guest).items()}
            return {"pods": _ONE, "count/pods": _ONE, **amounts}
        dedicated = {"instances": _ONE, **_guest_resources(guest)}
        return {f"{part}{name}{VMI}": amount for part in ("", "requests.") for name, amount in dedicated.items()}


def guest_of(vmi: VirtualMachineInstance) -> Guest:
    """What AAQ counts of a VMI that does not migrate: its topology and guest memory, else requests, else limits."""
    domain = vmi.spec.domain
    amounts = {**domain.resources.limits, **domain.resources.requests}
    memory = domain.memory.guest if domain.memory is not None else None
    cpus = Quantity.of(domain.cpu.vcpus) if domain.cpu is not None else amounts.get("cpu", Quantity())
    return Guest(str(cpus), str(memory if memory is not None else amounts.get("memory", Quantity())))


def gate_of(cluster: Cluster) -> Gate:
    """Return how AAQ works in a cluster."""
    quotas = cluster.application_quotas
    own = cluster.application_quota_configuration
    configuration = own.spec.configuration if own is not None else None
    way = (configuration.vmi_calculator_configuration.config_name if configuration is not None else "") or DEFAULT
    notes = []
    if quotas and own is None:
        notes.append(f"AAQ's own object (kind AAQ) is not among the manifests: {DEFAULT}, its default, counts")
    selector = own.spec.namespace_selector if own is not None else None
    namespaces = dict.fromkeys(namespace_or_default(quota.metadata.namespace) for quota in quotas)
    unknown = [name for name in namespaces if not cluster.has_namespace(name)]
    free = [
        name
        for name in namespaces
        if name not in unknown and not selects(selector or _GATING, cluster.namespace_labels(name))
    ]
    if unknown:
        notes.append(f"of {listed(unknown)} the Namespace is not among the manifests: AAQ is taken to gate its Pods")
    if free:
        notes.append(f"AAQ's namespace selector leaves out {listed(free)}: there its quotas hold nobody back")
    notes += [
        f"{KIND} {namespace_or_default(quota.metadata.namespace)}/{quota.metadata.name} holds nobody back: AAQ's gate "
        f"passes over a quota that has only {listed(sorted(quota.spec.hard))}; add pods, or a name with requests."
        for quota in quotas
        if not is_gated(quota) and any(name.endswith(VMI) for name in quota.spec.hard)
    ]
    undecided = ""
    if quotas and configuration is not None and configuration.sidecar_evaluators:
        undecided = "AAQ asks evaluators of its own (spec.configuration.sidecarEvaluators)"
    elif quotas and way not in (*_AS_PODS, "VirtualResources", DEFAULT):
        undecided = f"AAQ counts VMs by {way} (spec.configuration.vmiCalculatorConfiguration.configName)"
    return Gate(way=way, undecided=undecided, open_namespaces=frozenset(free), notes=tuple(notes))


def is_gated(quota: ApplicationAwareResourceQuota) -> bool:
    """Whether AAQ's gate minds a quota: one that has a resource of Pods, as Kubernetes knows these.

    Source: pkg/aaq-controller/aaq-evaluator/aaq-evaluator.go (Matches), which asks Kubernetes' own evaluator.
    """
    return any(map(is_of_pods, quota.spec.hard))


def is_of_pods(name: str) -> bool:
    """Whether Kubernetes counts a quota's resource in Pods: of huge pages and devices, what they request.

    Source: pkg/quota/v1/evaluator/core/pods.go (MatchingResources).
    """
    counted = _OF_PODS | _LIMITS | _REQUESTS | {"count/pods"}
    if name in counted or name.startswith(("hugepages-", "requests.hugepages-")):
        return True
    if not (name.startswith("requests.") and "/" in name):
        return False
    return "kubernetes.io/" not in name or name.startswith("requests.deviceclass.resource.kubernetes.io/")


def is_counted(name: str) -> bool:
    """Whether AAQ's gate counts a resource; of all others AAQ makes a ResourceQuota (isSchedulableResource)."""
    if name.endswith(VMI):
        return True
    return name != "requests.storage" and (name in _OF_PODS or name.startswith(("requests.", "limits.")))


def is_managed(quota: ResourceQuota, quotas: Sequence[ApplicationAwareResourceQuota]) -> bool:
    """Whether AAQ made a ResourceQuota of one of its own quotas, which says the same."""
    return any(
        (quota.metadata.namespace, quota.metadata.name) == (own.metadata.namespace, f"{own.metadata.name}{_MANAGED}")
        for own in quotas
    )


def _guest_resources(guest: Guest) -> dict[str, Quantity]:
    return {"cpu": Quantity.parse(guest.cpus), "memory": Quantity.parse(guest.memory)}
