"""Which kinds of a cluster's objects are read, and what of them is kept. Secrets are none of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from virtcatalog.manifests.identity import Data


class Resource(NamedTuple):
    """A kind of objects as the API serves it; `group` is "" for the core's, `selector` chooses some by labels."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True
    selector: str = ""

    @property
    def api_version(self) -> str:
        """The API version as manifests write it."""
        return f"{self.group}/{self.version}".lstrip("/")

    @property
    def path(self) -> str:
        """Where the API server lists all of them."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/{self.plural}"


_KUBEVIRT, _TYPES, _CDI, _AAQ = "kubevirt.io", "instancetype.kubevirt.io", "cdi.kubevirt.io", "aaq.kubevirt.io"

RESOURCES: Final = (
    Resource(_KUBEVIRT, "v1", "KubeVirt", "kubevirts"),
    Resource(_TYPES, "v1beta1", "VirtualMachineClusterInstancetype", "virtualmachineclusterinstancetypes", False),
    Resource(_TYPES, "v1beta1", "VirtualMachineClusterPreference", "virtualmachineclusterpreferences", False),
    Resource(_TYPES, "v1beta1", "VirtualMachineInstancetype", "virtualmachineinstancetypes"),
    Resource(_TYPES, "v1beta1", "VirtualMachinePreference", "virtualmachinepreferences"),
    Resource("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
    Resource(_CDI, "v1beta1", "DataVolume", "datavolumes"),
    Resource(_CDI, "v1beta1", "DataSource", "datasources"),
    Resource("k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition", "network-attachment-definitions"),
    Resource("pool.kubevirt.io", "v1beta1", "VirtualMachinePool", "virtualmachinepools"),
    Resource("apps", "v1", "ControllerRevision", "controllerrevisions"),
    Resource(_KUBEVIRT, "v1", "VirtualMachine", "virtualmachines"),
    Resource(_KUBEVIRT, "v1", "VirtualMachineInstance", "virtualmachineinstances"),
)
"""What tells which of Git has reached a VM: the VM, its VMI, their revisions, and what VMs refer to
and are of."""
SURROUNDINGS: Final = (
    Resource("", "v1", "Namespace", "namespaces", False),
    Resource("", "v1", "Node", "nodes", False),
    Resource("", "v1", "ResourceQuota", "resourcequotas"),
    Resource("", "v1", "LimitRange", "limitranges"),
    Resource(_AAQ, "v1alpha1", "AAQ", "aaqs", False),
    Resource(_AAQ, "v1alpha1", "ApplicationAwareResourceQuota", "applicationawareresourcequotas"),
    Resource(_AAQ, "v1alpha1", "ApplicationAwareClusterResourceQuota", "applicationawareclusterresourcequotas", False),
    Resource(_KUBEVIRT, "v1", "VirtualMachineInstanceReplicaSet", "virtualmachineinstancereplicasets"),
    Resource(_KUBEVIRT, "v1", "VirtualMachineInstancePreset", "virtualmachineinstancepresets"),
)
"""What other questions need: where Pods fit, what namespaces may have, and what else holds VMs."""
PODS: Final = Resource("", "v1", "Pod", "pods", selector="kubevirt.io=virt-launcher")
"""The Pods that machines run in, which `verify` alone looks at."""
MACHINES: Final = ("VirtualMachine", "VirtualMachineInstance", "ControllerRevision")
"""Without one of these nothing is known of any VM."""
OPTIONAL: Final = (
    *("NetworkAttachmentDefinition", "DataVolume", "DataSource", "VirtualMachinePool"),
    *("VirtualMachineInstancePreset", "VirtualMachineInstanceReplicaSet"),
    *("AAQ", "ApplicationAwareResourceQuota", "ApplicationAwareClusterResourceQuota"),
)
"""Kinds that a cluster need not serve."""

_BY_KIND: Final = {(resource.api_version, resource.kind): resource for resource in (*RESOURCES, *SURROUNDINGS, PODS)}

_START: Final = "revision-start-vm-"

_METADATA = (
    *("name", "namespace", "labels", "annotations", "uid", "generation", "creationTimestamp", "deletionTimestamp"),
    *("ownerReferences", "managedFields"),
)
_STATUS: Final[Mapping[str, tuple[str, ...]]] = {
    "VirtualMachine": (
        *("conditions", "created", "ready", "printableStatus", "instancetypeRef", "preferenceRef"),
        *("runStrategy", "stateChangeRequests"),
    ),
    "VirtualMachineInstance": (
        *("phase", "nodeName", "conditions", "migrationState", "virtualMachineRevisionName", "currentCPUTopology"),
        *("memory", "machine", "volumeStatus", "interfaces", "selinuxContext", "runtimeUser", "topologyHints"),
        *("VSOCKCID", "launcherContainerImageVersion", "guestOSInfo"),
    ),
    "VirtualMachinePool": ("replicas", "labelSelector"),
    "KubeVirt": ("observedKubeVirtVersion", "phase"),
    "PersistentVolumeClaim": ("phase", "accessModes", "capacity"),
    "DataVolume": ("phase",),
    "Node": ("allocatable", "capacity", "conditions", "nodeInfo"),
    "ResourceQuota": ("hard", "used"),
    "ApplicationAwareResourceQuota": ("hard", "used"),
}


def resource_of(version: object, kind: object) -> Resource | None:
    """Return the kind that an object of this `apiVersion` and `kind` is of, None for one that is not read."""
    return _BY_KIND.get((version, kind)) if isinstance(version, str) and isinstance(kind, str) else None


def is_start_revision(name: str) -> bool:
    """Whether a ControllerRevision holds a VM as it was started (getVMRevisionName)."""
    return name.startswith(_START)


def is_of_vm(name: str, labels: Mapping[str, str] | None) -> bool:
    """Whether KubeVirt made a revision; Deployments of others have theirs."""
    return is_start_revision(name) or any(label.startswith("instancetype.kubevirt.io/") for label in labels or ())


def version_read(manifest: Data) -> str:
    """Return the API version in which the kind of an object is read, "" for a kind that is not."""
    version, kind = manifest.get("apiVersion"), manifest.get("kind")
    group = version.partition("/")[0] if isinstance(version, str) and "/" in version else ""
    return next((of[0] for of, resource in _BY_KIND.items() if (resource.group, of[1]) == (group, kind)), "")


def slim(manifest: Data, kind: str) -> Data:
    """Return an object without what tells nothing of a VM: finalizers, sizes, what was snapshotted."""
    metadata = manifest.get("metadata")
    slimmed = {key: value for key, value in manifest.items() if key not in ("status", "metadata")}
    if isinstance(metadata, dict):
        slimmed["metadata"] = {key: metadata[key] for key in _METADATA if key in metadata}
        if kind not in ("VirtualMachine", "VirtualMachineInstance", "VirtualMachinePool"):
            slimmed["metadata"].pop("managedFields", None)
    status = manifest.get("status")
    if isinstance(status, dict):
        of_status = {key: status[key] for key in _STATUS.get(kind, ()) if key in status}
        if of_status:
            slimmed["status"] = of_status
    return slimmed
