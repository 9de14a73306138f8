"""Labels and annotations of a VMI. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.annotations import IGNITION
from virtcatalog.api.core import ObjectMeta
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid, not_supported
from virtcatalog.kubevirt.configuration import Configuration

RESERVED_LABELS = frozenset(
    {
        "kubevirt.io/created-by",
        "kubevirt.io/migrationJobUID",
        "kubevirt.io/nodeName",
        "kubevirt.io/migrationTargetNodeName",
        "kubevirt.io/schedulable",
        "kubevirt.io/install-strategy",
    }
)
SIDECARS = "hooks.kubevirt.io/hookSidecars"


def validate_metadata(metadata: ObjectMeta, path: str, config: Configuration) -> Iterator[Cause]:
    """What a user writes there: no label that KubeVirt keeps for itself, no annotation whose feature is off.

    Source: ValidateVirtualMachineInstanceMetadata.
    """
    if not RESERVED_LABELS.isdisjoint(metadata.labels):
        reserved = sorted(RESERVED_LABELS.intersection(metadata.labels))
        yield not_supported(f"{path}.labels", f"{', '.join(reserved)}: KubeVirt keeps these labels for itself")
    yield from validate_annotations(metadata, path, config)


def validate_annotations(metadata: ObjectMeta, path: str, config: Configuration) -> Iterator[Cause]:
    """Ignition data and sidecars need their feature gates."""
    annotations = metadata.annotations
    if not annotations:
        return
    if annotations.get(IGNITION) and not config.feature_gate("ExperimentalIgnitionSupport"):
        yield invalid(
            f"{path}.annotations", f"{IGNITION} needs the feature gate ExperimentalIgnitionSupport, which is off"
        )
    if annotations.get(SIDECARS) and not config.feature_gate("Sidecar"):
        yield invalid(f"{path}.annotations", f"{SIDECARS} needs the feature gate Sidecar, which is off")
