"""Names of the instance type and preference taken from the labels of a volume's claim, DataVolume or DataSource.

Source: pkg/instancetype/infer/handler.go and volume.go, pkg/instancetype/webhooks/vm/mutator.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from virtcatalog.api.cdi import DataVolumeSourcePVC, DataVolumeSourceSnapshot, DataVolumeSpec
from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.kubevirt import InstancetypeMatcher, PreferenceMatcher, VirtualMachine
from virtcatalog.api.names import namespace_or_default
from virtcatalog.errors import Cause, VirtcatalogError
from virtcatalog.kubevirt.matchers import Matcher, validate_matchers

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster

INSTANCETYPE_LABEL = "instancetype.kubevirt.io/default-instancetype"
PREFERENCE_LABEL = "instancetype.kubevirt.io/default-preference"
_KIND_SUFFIX = "-kind"

Default = tuple[str, str]
"""Name and kind."""


class _InferenceError(VirtcatalogError):
    """No default can be found; `ignorable` when the failure policy `Ignore` covers it."""

    def __init__(self, message: str, *, ignorable: bool = True) -> None:
        super().__init__(message)
        self.ignorable = ignorable


def infer_matchers(vm: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Check the VM's matchers and replace those that infer from a volume by what they infer; changes `vm`.

    A cause without a field is a failed inference, for which KubeVirt names none.
    """
    causes = validate_matchers(vm)
    if causes:
        return causes
    try:
        _infer_instancetype(vm, cluster)
        _infer_preference(vm, cluster)
    except _InferenceError as error:
        return [Cause("", "", str(error))]
    return []


def _infer_instancetype(vm: VirtualMachine, cluster: Cluster) -> None:
    matcher = vm.spec.instancetype
    if matcher is None or not matcher.infer_from_volume:
        return
    default = _infer(vm, matcher, INSTANCETYPE_LABEL, cluster)
    if default is None:
        vm.spec.instancetype = None
        return
    if matcher.infer_from_volume_failure_policy == "Ignore":
        # The VM's own memory is there for the case that nothing can be inferred; it would conflict now.
        vm.spec.template.spec.domain.memory = None
    vm.spec.instancetype = InstancetypeMatcher(name=default[0], kind=default[1])


def _infer_preference(vm: VirtualMachine, cluster: Cluster) -> None:
    matcher = vm.spec.preference
    if matcher is None or not matcher.infer_from_volume:
        return
    default = _infer(vm, matcher, PREFERENCE_LABEL, cluster)
    vm.spec.preference = PreferenceMatcher(name=default[0], kind=default[1]) if default else None


def _infer(vm: VirtualMachine, matcher: Matcher, label: str, cluster: Cluster) -> Default | None:
    try:
        return _from_volume(vm, matcher.infer_from_volume, label, cluster)
    except _InferenceError as error:
        if error.ignorable and matcher.infer_from_volume_failure_policy == "Ignore":
            return None
        raise


def _from_volume(vm: VirtualMachine, name: str, label: str, cluster: Cluster) -> Default:
    namespace = namespace_or_default(vm.metadata.namespace)
    for volume in vm.spec.template.spec.volumes:
        if volume.name != name:
            continue
        if volume.persistent_volume_claim is not None:
            return _from_pvc(namespace, volume.persistent_volume_claim.claim_name, label, cluster)
        if volume.data_volume is not None:
            return _from_data_volume(vm, namespace, volume.data_volume.name, label, cluster)
        raise _InferenceError(f"volume {name!r} is neither a persistentVolumeClaim nor a dataVolume: nothing to infer")
    raise _InferenceError(f"there is no volume {name!r} to infer from", ignorable=False)


def _from_labels(metadata: ObjectMeta, label: str, owner: str) -> Default:
    labels = metadata.labels
    if label not in labels:
        raise _InferenceError(f"{owner} has no label {label}{_annotated(metadata, label)}")
    return labels[label], labels.get(label + _KIND_SUFFIX, "")


def _annotated(metadata: ObjectMeta, label: str) -> str:
    """A hint at an annotation by which KubeVirt once did what it does by a label now."""
    prefix, _, name = label.rpartition("/")
    first, *others = name.split("-")
    older = f"{prefix}/{first}{''.join(map(str.capitalize, others))}"
    for key in (label, older):
        if key in metadata.annotations:
            return f" (its annotation {key} counts for nothing: labels have replaced annotations)"
    return ""


def _from_pvc(namespace: str, name: str, label: str, cluster: Cluster) -> Default:
    pvc = cluster.pvc(namespace, name)
    owner = f"PersistentVolumeClaim {namespace}/{name}"
    if pvc is None:  # it counts as one without labels
        raise _InferenceError(f"{owner} is not among the files: nothing to infer")
    return _from_labels(pvc.metadata, label, owner)


def _from_data_volume(vm: VirtualMachine, namespace: str, name: str, label: str, cluster: Cluster) -> Default:
    for template in vm.spec.data_volume_templates:
        if template.metadata.name == name:
            return _from_data_volume_spec(template.spec, namespace, label, cluster)
    data_volume = cluster.data_volume(namespace, name)
    if data_volume is None:  # CDI may have removed it: its claim has the same name
        return _from_pvc(namespace, name, label, cluster)
    if label in data_volume.metadata.labels:
        return _from_labels(data_volume.metadata, label, "")
    return _from_data_volume_spec(data_volume.spec, namespace, label, cluster)


def _from_data_volume_spec(spec: DataVolumeSpec, namespace: str, label: str, cluster: Cluster) -> Default:
    if spec.source is not None and (default := _from_source(spec.source.pvc, spec.source.snapshot, label, cluster)):
        return default
    reference = spec.source_ref
    if reference is None:
        sources = "claim, snapshot" if cluster.release.traits.infers_from_snapshots else "claim"
        raise _InferenceError(f"the DataVolume's source is no {sources} or DataSource: nothing to infer")
    if reference.kind != "DataSource":
        raise _InferenceError(f"the DataVolume's sourceRef is of kind {reference.kind!r}, not DataSource")
    if reference.namespace is not None:
        namespace = reference.namespace
    return _from_data_source(namespace, reference.name, label, cluster)


def _from_data_source(namespace: str, name: str, label: str, cluster: Cluster) -> Default:
    data_source = cluster.data_source(namespace, name)
    owner = f"DataSource {namespace}/{name}"
    if data_source is None:
        raise _InferenceError(f"{owner} is not among the files: nothing to infer")
    if label in data_source.metadata.labels:
        return _from_labels(data_source.metadata, label, "")
    source = data_source.spec.source
    if default := _from_source(source.pvc, source.snapshot, label, cluster):
        return default
    hint = _annotated(data_source.metadata, label)
    sources = "claim or snapshot" if cluster.release.traits.infers_from_snapshots else "claim"
    raise _InferenceError(f"{owner} has no label {label}{hint} and no {sources} as its source")


def _from_source(
    pvc: DataVolumeSourcePVC | None, snapshot: DataVolumeSourceSnapshot | None, label: str, cluster: Cluster
) -> Default | None:
    if pvc is not None:
        return _from_pvc(pvc.namespace, pvc.name, label, cluster)
    if snapshot is None or not cluster.release.traits.infers_from_snapshots:
        return None
    metadata = cluster.volume_snapshot(snapshot.namespace, snapshot.name)
    owner = f"VolumeSnapshot {snapshot.namespace}/{snapshot.name}"
    if metadata is None:
        raise _InferenceError(f"{owner} does not exist", ignorable=False)
    return _from_labels(metadata.metadata, label, owner)
