"""What the API server's schema refuses of a VM's DataVolumes, before any webhook sees the VM."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.cdi import StorageSpec
from virtcatalog.api.core import PersistentVolumeClaimSpec
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid

_ACCESS_MODES = frozenset({"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"})


def validate_data_volume_schema(vm: VirtualMachine) -> Iterator[Cause]:
    """What the webhook's schema wants of the claims; it names no field (pkg/util/openapi/openapi.go)."""
    for index, template in enumerate(vm.spec.data_volume_templates):
        if any(entry.fields_v1 for entry in template.metadata.managed_fields):
            yield invalid("", f"spec.dataVolumeTemplates[{index}].metadata.managedFields: fieldsV1 has to be empty")
        spec, place = template.spec, f"spec.dataVolumeTemplates[{index}].spec"
        for kind, claim in (("pvc", spec.pvc), ("storage", spec.storage)):
            if claim is not None and (claim.access_modes or claim.data_source or claim.data_source_ref):
                yield from _claim_schema(claim, f"{place}.{kind}")


def _claim_schema(claim: PersistentVolumeClaimSpec | StorageSpec, place: str) -> Iterator[Cause]:
    for mode in claim.access_modes:
        if mode not in _ACCESS_MODES:
            yield invalid("", f"{place}.accessModes: {mode!r} is no access mode")
    for name, source in (("dataSource", claim.data_source), ("dataSourceRef", claim.data_source_ref)):
        if source is not None and source.api_group is None:
            yield invalid("", f"{place}.{name}.apiGroup: must be set")
