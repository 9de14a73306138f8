"""What virtcatalog's rules say in KubeVirt's place to an AdmissionReview."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from cluster.api import Api, Manifest
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.holders import VirtualMachineInstanceReplicaSet, VirtualMachinePool
from virtcatalog.api.kinds import API_VERSIONS
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.errors import Cause, ManifestError, UnsupportedError, Warning
from virtcatalog.kubevirt.admission.vm import admit_vm, validate_pool, validate_replica_set, vm_warnings
from virtcatalog.kubevirt.admission.vmi import validate_vmi
from virtcatalog.kubevirt.causes import MOST_CAUSES
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.pipeline import admit
from virtcatalog.kubevirt.reading import T, read
from virtcatalog.kubevirt.result import Result
from virtcatalog.kubevirt.rollout.webhooks import mutate_update

A = TypeVar("A")

_VM, _VMI, _PRESET = "VirtualMachine", "VirtualMachineInstance", "VirtualMachineInstancePreset"
_CORE_VERSIONS = ("v1", "v1alpha3")
_TYPES = ("virtualmachineinstancetypes", "virtualmachineclusterinstancetypes")
_PREFERENCES = ("virtualmachinepreferences", "virtualmachineclusterpreferences")
#: The API versions of what VMs meet, for which virtcatalog has no type.
_OTHERS = {"Namespace": "v1", "Node": "v1", "NetworkAttachmentDefinition": "k8s.cni.cncf.io/v1"}


class Reviewed(NamedTuple):
    """Kinds that a webhook is asked about, as its configuration says it."""

    group: str
    plural: str
    versions: tuple[str, ...]
    operations: tuple[str, ...]


_VMS = Reviewed("kubevirt.io", "virtualmachines", _CORE_VERSIONS, ("CREATE", "UPDATE"))
_VMIS = Reviewed("kubevirt.io", "virtualmachineinstances", _CORE_VERSIONS, ("CREATE",))
MUTATED = (_VMS, _VMIS)
VALIDATED = (
    *MUTATED,
    Reviewed("kubevirt.io", "virtualmachineinstancereplicasets", _CORE_VERSIONS, ("CREATE", "UPDATE")),
    Reviewed("pool.kubevirt.io", "virtualmachinepools", ("v1alpha1", "v1beta1"), ("CREATE", "UPDATE")),
    *(
        Reviewed("instancetype.kubevirt.io", plural, ("v1beta1",), ("CREATE", "UPDATE"))
        for plural in _TYPES + _PREFERENCES
    ),
    Reviewed("template.kubevirt.io", "virtualmachinetemplates", ("v1alpha1", "v1beta1"), ("CREATE", "UPDATE")),
)


class Review(NamedTuple):
    """Why an object is refused; else what is remarked on it, and how it is changed, as a JSON patch."""

    causes: tuple[Cause, ...] = ()
    warnings: tuple[str, ...] = ()
    patch: tuple[Manifest, ...] = ()


def mutate(request: Manifest, api: Api, release: str) -> Review:
    """Change an object as KubeVirt's mutating webhooks do."""
    decide = {_VM: _mutate_vm, _VMI: _mutate_vmi}[request["kind"]["kind"]]
    return _answered(lambda cluster: decide(request, cluster), request, api, release)


def validate(request: Manifest, api: Api, release: str) -> Review:
    """Judge an object as KubeVirt's validating webhooks do."""
    return _answered(lambda cluster: _validate(request, cluster), request, api, release)


def _answered(decide: Callable[[Cluster], Review], request: Manifest, api: Api, release: str) -> Review:
    try:
        return _in_cluster(decide, request, api, release)
    except (UnsupportedError, ManifestError) as error:
        return Review((Cause("", "", str(error)),))


def _in_cluster(decide: Callable[[Cluster], A], request: Manifest, api: Api, release: str) -> A:
    """Return what is decided in a cluster that has all that is looked up meanwhile."""
    objects = list(api.items("kubevirt.io/v1", "KubeVirt"))
    if request["kind"]["kind"] == _VMI:
        objects += api.items("kubevirt.io/v1", _PRESET, request["namespace"])
    fetched: set[tuple[str, str, str]] = set()
    while True:
        looked_up: set[tuple[str, str, str]] = set()
        answer = decide(Cluster(objects, release=release).watched(looked_up))
        if looked_up <= fetched:
            return answer
        for kind, namespace, name in sorted(looked_up - fetched):
            version = API_VERSIONS.get(kind) or _OTHERS.get(kind)
            stored = api.get(version, kind, namespace, name) if version and name else None
            objects += [stored] if stored else []
        fetched |= looked_up


def _mutate_vm(request: Manifest, cluster: Cluster) -> Review:
    vm = _read(request["object"], VirtualMachine, cluster)
    if isinstance(vm, Review):
        return vm
    if request["operation"] == "CREATE":
        causes = mutate_vm(vm, cluster)
    else:
        old = _read(request["oldObject"], VirtualMachine, cluster)
        if isinstance(old, Review):
            return old
        causes = mutate_update(vm, old, cluster)
    return _refused(causes) if causes else Review(patch=(_replaced("spec", to_manifest(vm)),))


def _mutate_vmi(request: Manifest, cluster: Cluster) -> Review:
    vmi = _read(request["object"], VirtualMachineInstance, cluster)
    if isinstance(vmi, Review):
        return vmi
    causes = mutate_vmi(vmi, cluster)
    if causes:
        return _refused(causes)
    manifest = to_manifest(vmi)
    metadata = {
        **request["object"]["metadata"],
        **{key: manifest["metadata"][key] for key in ("annotations", "finalizers")},
    }
    return Review(
        patch=tuple(_replaced(key, {**manifest, "metadata": metadata}) for key in ("metadata", "spec", "status"))
    )


def _replaced(key: str, manifest: Manifest) -> Manifest:
    return {"op": "add", "path": f"/{key}", "value": manifest[key]}  # in the place of what is there


def _validate(request: Manifest, cluster: Cluster) -> Review:
    manifest = request["object"]
    match manifest["kind"]:
        case "VirtualMachine":
            vm = _read(manifest, VirtualMachine, cluster)
            if isinstance(vm, Review):
                return vm
            causes = admit_vm(vm, cluster, updated=request["operation"] == "UPDATE")
            return _refused(causes) if causes else Review(warnings=tuple(map(str, vm_warnings(vm))))
        case "VirtualMachineInstance":
            vmi = _read(manifest, VirtualMachineInstance, cluster)
            return vmi if isinstance(vmi, Review) else _refused(validate_vmi(vmi, cluster, of_user=True))
        case "VirtualMachineInstanceReplicaSet":
            replica_set = _read(manifest, VirtualMachineInstanceReplicaSet, cluster)
            if isinstance(replica_set, Review):
                return replica_set
            return _refused(validate_replica_set(replica_set, cluster.configuration))
        case "VirtualMachinePool":
            pool = _read(manifest, VirtualMachinePool, cluster)
            return pool if isinstance(pool, Review) else _refused(validate_pool(pool, cluster.configuration))
    return _refused(admit(manifest, cluster))


def _read(manifest: Manifest, kind: type[T], cluster: Cluster) -> T | Review:
    warnings: list[Warning] = []
    obj = read(manifest, kind, cluster, warnings)
    return Review(obj.causes) if isinstance(obj, Result) else obj


def _refused(causes: list[Cause]) -> Review:
    return Review(tuple(causes[:MOST_CAUSES]))
