"""What the API server's schema refuses of a VM's DataVolumes, before any webhook sees the VM."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.cdi import DataVolumeSpec, StorageSpec
from virtcatalog.api.core import PersistentVolumeClaimSpec
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import Cause, nearest
from virtcatalog.kubevirt.causes import invalid

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")


def validate_data_volume_schema(vm: VirtualMachine) -> Iterator[Cause]:
    """What the webhook's schema wants of the claims; it names no field (pkg/util/openapi/openapi.go)."""
    for index, template in enumerate(vm.spec.data_volume_templates):
        if any(entry.fields_v1 for entry in template.metadata.managed_fields):
            yield invalid("", f"spec.dataVolumeTemplates[{index}].metadata.managedFields: fieldsV1 has to be empty")
        for kind, claim in _claims(template.spec):
            for mode in claim.access_modes:
                if mode not in _ACCESS_MODES:
                    place = f"spec.dataVolumeTemplates[{index}].spec.{kind}.accessModes"
                    yield invalid("", f"{place}: {mode!r} is no access mode{nearest(mode, _ACCESS_MODES)}")


def validate_mutated_data_volume_schema(vm: VirtualMachine) -> Iterator[Cause]:
    """What that schema wants of the VM as the mutating webhook writes it: an apiGroup left out is a null there."""
    for index, template in enumerate(vm.spec.data_volume_templates):
        for kind, claim in _claims(template.spec):
            for name, source in (("dataSource", claim.data_source), ("dataSourceRef", claim.data_source_ref)):
                if source is not None and source.api_group is None:
                    place = f"spec.dataVolumeTemplates[{index}].spec.{kind}.{name}"
                    yield invalid("", f"{place}.apiGroup: must be set")


def _claims(spec: DataVolumeSpec) -> list[tuple[str, PersistentVolumeClaimSpec | StorageSpec]]:
    return [(kind, claim) for kind, claim in (("pvc", spec.pvc), ("storage", spec.storage)) if claim is not None]
