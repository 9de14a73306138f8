"""Which type an `apiVersion` and `kind` name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final

from virtcatalog.api.object import Object

KINDS: Final[dict[str, dict[str, str]]] = {
    "kubevirt.io/v1": {
        "VirtualMachine": "kubevirt",
        "VirtualMachineInstance": "kubevirt",
        "VirtualMachineInstanceReplicaSet": "holders",
        "VirtualMachineInstancePreset": "kubevirt",
        "KubeVirt": "operator",
    },
    "pool.kubevirt.io/v1beta1": {"VirtualMachinePool": "holders"},
    "instancetype.kubevirt.io/v1beta1": {
        "VirtualMachineInstancetype": "instancetype",
        "VirtualMachineClusterInstancetype": "instancetype",
        "VirtualMachinePreference": "instancetype",
        "VirtualMachineClusterPreference": "instancetype",
    },
    "template.kubevirt.io/v1beta1": {"VirtualMachineTemplate": "template"},
    "cdi.kubevirt.io/v1beta1": {"DataVolume": "cdi", "DataSource": "cdi"},
    "v1": {"PersistentVolumeClaim": "core"},
    "apps/v1": {"ControllerRevision": "core"},
}
"""The kinds that have a type, by the API version that KubeVirt serves and stores, with the module of each.

A module is imported when the first manifest of such a kind is read: a catalog is built without most of them.
"""

API_VERSIONS: Final = {kind: version for version, kinds in KINDS.items() for kind in kinds}

TEMPLATES_SINCE: Final = (1, 9)
"""The release from which on KubeVirt serves VirtualMachineTemplates unless its feature gate is disabled."""

READ: Final = frozenset({"KubeVirt", "DataVolume", "DataSource", "PersistentVolumeClaim", "ControllerRevision"})
"""The kinds that VMs meet in a cluster, and that others write: what is newer than virtcatalog in them is left out."""

# staging/src/kubevirt.io/api/core/v1/register.go: served besides v1, of the same shape. The alpha
# versions of the instance type API are gone from v1.9.0.
SERVED: Final = {
    "kubevirt.io/v1alpha3": "kubevirt.io/v1",
    "pool.kubevirt.io/v1alpha1": "pool.kubevirt.io/v1beta1",
    "template.kubevirt.io/v1alpha1": "template.kubevirt.io/v1beta1",
}

FLAVOR, CLUSTER_FLAVOR = "VirtualMachineFlavor", "VirtualMachineClusterFlavor"
INSTANCETYPE, CLUSTER_INSTANCETYPE = "VirtualMachineInstancetype", "VirtualMachineClusterInstancetype"
PREFERENCE, CLUSTER_PREFERENCE = "VirtualMachinePreference", "VirtualMachineClusterPreference"
CLUSTER_KINDS: Final = (CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE)
NAMESPACED_KINDS: Final = (INSTANCETYPE, PREFERENCE)
INSTANCETYPE_KINDS: Final = (CLUSTER_INSTANCETYPE, INSTANCETYPE)
PREFERENCE_KINDS: Final = (CLUSTER_PREFERENCE, PREFERENCE)
CATALOG_KINDS: Final = (*INSTANCETYPE_KINDS, *PREFERENCE_KINDS)
"""The kinds of instance types and preferences, in the order in which a catalog renders them."""

CATALOG_API_VERSION: Final = API_VERSIONS[INSTANCETYPE]
TEMPLATE: Final = "VirtualMachineTemplate"
TEMPLATE_API_VERSION: Final = API_VERSIONS[TEMPLATE]
_V1 = "kubevirt.io/v1"
RETIRED: Final[dict[tuple[str, str], tuple[str, str]]] = {
    ("kubevirt.io/v1alpha1", "VirtualMachine"): (_V1, "VirtualMachineInstance"),
    ("kubevirt.io/v1alpha1", "OfflineVirtualMachine"): (_V1, "VirtualMachine"),
    ("kubevirt.io/v1alpha1", "VirtualMachineReplicaSet"): (_V1, "VirtualMachineInstanceReplicaSet"),
    ("kubevirt.io/v1alpha1", "VirtualMachinePreset"): (_V1, "VirtualMachineInstancePreset"),
    ("kubevirt.io/v1alpha1", "Migration"): (_V1, "VirtualMachineInstanceMigration"),
    **{
        ("kubevirt.io/v1alpha2", kind): (_V1, kind)
        for kind in (
            *("VirtualMachine", "VirtualMachineInstance", "VirtualMachineInstanceReplicaSet"),
            *("VirtualMachineInstancePreset", "VirtualMachineInstanceMigration"),
        )
    },
    ("flavor.kubevirt.io/v1alpha1", FLAVOR): (CATALOG_API_VERSION, "VirtualMachineInstancetype"),
    ("flavor.kubevirt.io/v1alpha1", CLUSTER_FLAVOR): (CATALOG_API_VERSION, "VirtualMachineClusterInstancetype"),
    **{("flavor.kubevirt.io/v1alpha1", kind): (CATALOG_API_VERSION, kind) for kind in PREFERENCE_KINDS},
    **{
        (f"instancetype.kubevirt.io/{version}", kind): (CATALOG_API_VERSION, kind)
        for version in ("v1alpha1", "v1alpha2")
        for kind in CATALOG_KINDS
    },
}
"""What KubeVirt served once and serves no more, and what it serves instead, by API version and kind.

Source: pkg/api/v1/types.go, staging/src/kubevirt.io/api/{flavor,instancetype}/*/register.go of the old tags.
"""

HOLDERS: Final = {
    "VirtualMachine": "kubevirt.io",
    "VirtualMachineInstance": "kubevirt.io",
    "VirtualMachineInstanceReplicaSet": "kubevirt.io",
    "VirtualMachinePool": "pool.kubevirt.io",
}
"""The kinds that hold a VM, by their API group: others have kinds of these names, too."""


@cache
def _type(module: str, kind: str) -> type[Object]:
    kind_type: type[Object] = getattr(import_module(f"virtcatalog.api.{module}"), kind)
    return kind_type


def kind_type(api_version: str, kind: str) -> type[Object] | None:
    """Return the type of a kind, None when virtcatalog has none for it."""
    module = KINDS.get(SERVED.get(api_version, api_version), {}).get(kind)
    return _type(module, kind) if module else None


def type_of(manifest: Mapping[str, Any]) -> type[Object] | None:
    """Return the type of a manifest, None when virtcatalog has none for its kind."""
    return kind_type(str(manifest.get("apiVersion")), str(manifest.get("kind")))


def holds_vm(manifest: Any) -> bool:
    """Whether a manifest, as far as it is one, is of a kind of KubeVirt's that holds a VM, of whatever version.

    A VMI that something owns holds none of its own: it came from its owner, and will again.
    """
    kind, version = (manifest.get("kind"), manifest.get("apiVersion")) if isinstance(manifest, dict) else (None, None)
    group = HOLDERS.get(kind) if isinstance(kind, str) else None
    if group is None or (isinstance(version, str) and version.rpartition("/")[0] != group):
        return False
    metadata = manifest.get("metadata") if kind == "VirtualMachineInstance" else None
    return not (isinstance(metadata, dict) and metadata.get("ownerReferences"))


def vm_spec(manifest: dict[str, Any]) -> Any:
    """Return the spec of the VM in a manifest, which may be none: a pool has it in its template."""
    spec = manifest.get("spec")
    if manifest.get("kind") != "VirtualMachinePool" or not isinstance(spec, dict):
        return spec
    template = spec.get("virtualMachineTemplate")
    return template.get("spec") if isinstance(template, dict) else None


def replicas(manifest: dict[str, Any]) -> int | None:
    """Return how many VMs a pool or ReplicaSet stands for; None for what is one VM."""
    if manifest.get("kind") not in ("VirtualMachinePool", "VirtualMachineInstanceReplicaSet"):
        return None
    number = (manifest.get("spec") or {}).get("replicas")
    return 1 if number is None else max(int(number), 0)


def is_halted(manifest: dict[str, Any]) -> bool:
    """Whether a VM, or those of a pool, are meant not to run."""
    spec = vm_spec(manifest)
    return isinstance(spec, dict) and (spec.get("running") is False or spec.get("runStrategy") == "Halted")


def with_vm_spec(manifest: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest with another spec of its VM, where `vm_spec` finds it."""
    if manifest.get("kind") == "VirtualMachinePool":
        template = {**manifest["spec"]["virtualMachineTemplate"], "spec": spec}
        spec = {**manifest["spec"], "virtualMachineTemplate": template}
    return {**manifest, "spec": spec}


def unserved(api_version: str, kind: str) -> tuple[str, str] | None:
    """Return the API version and kind to use instead, when the kind is ours but not served under `api_version`."""
    group = api_version.rpartition("/")[0]
    if (api_version, kind) in RETIRED:
        return RETIRED[api_version, kind]
    if kind in KINDS.get(api_version, ()) or api_version in SERVED:
        return None
    served = API_VERSIONS.get(kind)
    return (served, kind) if served and served.rpartition("/")[0] == group else None


def may_matter(manifest: Any) -> bool:
    """Whether a manifest, as far as it is one, is of a kind that VMs may refer to, whether or not it can be used."""
    data = manifest if isinstance(manifest, dict) else {}
    version, kind = str(data.get("apiVersion")), str(data.get("kind"))
    return bool(kind_type(version, kind) or unserved(version, kind))
