"""The DataVolumes that a VM brings along. Source: pkg/storage/admitters/data-volume-template.go.

KubeVirt names their field `dataVolumeTemplate` when it looks into one, `dataVolumeTemplates` when it looks at its
namespace.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.cdi import DataVolumeSource
from virtcatalog.api.kubevirt import DataVolumeTemplateSpec, VirtualMachine, VirtualMachineSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid, required

DEFAULT_NAMESPACE = "default"
_SOURCES = DataVolumeSource.__struct_fields__


def validate_data_volume_templates(spec: VirtualMachineSpec, path: str) -> Iterator[Cause]:
    """Each template is complete, the first mistake counts, and a volume of the VM uses it.

    Source: ValidateDataVolumeTemplate.
    """
    if not spec.data_volume_templates:
        return
    used = set()
    for volume in spec.template.spec.volumes:
        if volume.persistent_volume_claim is not None:
            used.add(volume.persistent_volume_claim.claim_name)
        if volume.data_volume is not None:
            used.add(volume.data_volume.name)
    for index, template in enumerate(spec.data_volume_templates):
        field = f"{path}.dataVolumeTemplate[{index}]"
        cause = _mistake(template, field)
        if cause is not None:
            yield cause
        elif template.metadata.name not in used:
            yield required(field, f"no volume of the template uses the DataVolume {template.metadata.name!r}")


def validate_data_volume_namespaces(vm: VirtualMachine) -> Iterator[Cause]:
    """A DataVolume that comes with a VM lives in the VM's namespace.

    Source: validateVirtualMachineDataVolumeTemplateNamespace.
    """
    for index, template in enumerate(vm.spec.data_volume_templates):
        namespace = template.metadata.namespace
        if namespace and namespace != (vm.metadata.namespace or DEFAULT_NAMESPACE):
            yield invalid(f"spec.dataVolumeTemplates[{index}]", f"namespace {namespace!r} is not the VM's")


def _mistake(template: DataVolumeTemplateSpec, field: str) -> Cause | None:
    spec = template.spec
    if not template.metadata.name:
        return required(f"{field}.name", "metadata.name must be set")
    claim = spec.pvc or spec.storage
    if claim is None or (spec.pvc and spec.storage):
        which = "neither" if claim is None else "both"
        return invalid(f"{field}.PVC.Storage", f"spec needs either pvc or storage, but has {which}")
    populated = claim.data_source is not None or claim.data_source_ref is not None
    sourced = spec.source is not None or spec.source_ref is not None
    if populated and sourced:
        return invalid(f"{field}.source", "source and sourceRef do not go with dataSource or dataSourceRef")
    if not populated and not sourced:
        return invalid(f"{field}.source.sourceRef", "spec needs source, sourceRef, dataSource or dataSourceRef")
    if spec.source is not None:
        count = sum(1 for source in _SOURCES if getattr(spec.source, source) is not None)
        if count != 1:
            return invalid(f"{field}.source", f"source needs exactly one kind of source, but has {count}")
    return None
