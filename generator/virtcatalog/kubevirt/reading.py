"""Manifests read into the API's types, as a release reads them; what is wrong with them refuses them."""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec.structs import replace

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.findings import field_path, fill_gaps
from virtcatalog.api.holders import VirtualMachineInstanceReplicaSet, VirtualMachinePool
from virtcatalog.api.kinds import API_VERSIONS
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.names import metadata_faults, namespace_or_default
from virtcatalog.errors import (
    UNKNOWN_FIELD,
    ManifestError,
    Warning,
)
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.decoding import prune_manifest
from virtcatalog.kubevirt.refusals import unreadable
from virtcatalog.kubevirt.result import Result

T = TypeVar("T", VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet, VirtualMachinePool)


def read(
    manifest: dict[str, Any], kind: type[T], cluster: Cluster, warnings: list[Warning], decoded: T | None = None
) -> T | Result:
    """Read a manifest as the API server hands it to the webhooks, or return why it does not; adds to `warnings`.

    What was `decoded` of it, with sound metadata, is not read again if the release knows all of its fields.
    """
    if cluster.configuration.invalid:
        message = f"KubeVirt ignores its whole configuration: {cluster.configuration.invalid}"
        warnings.append(Warning("Ignored", "spec.configuration", message, "KubeVirt"))
    manifest, unknown = prune_manifest(manifest, kind, cluster.release)
    if unknown:
        warnings += [replace(warning, object="") for warning in unknown if not warning.field.startswith("spec.")]
        refused_fields = [warning for warning in unknown if warning.field.startswith("spec.")]
        if refused_fields:  # the API server drops them only where nobody asks it to be strict, the webhook refuses them
            return unreadable(refused_fields, warnings, UNKNOWN_FIELD)
    if decoded is None or unknown:
        try:
            decoded = decode_manifest(manifest, kind)
        except ManifestError as error:
            # KubeVirt's webhooks read a missing name as an empty one; the API server's schema may stop it before them.
            try:
                decoded = decode_manifest(fill_gaps(manifest, kind), kind)
            except ManifestError:
                return unreadable(error.problems, warnings)
            warnings += [Warning("Missing", problem.field, problem.message) for problem in error.problems]
        # KubeVirt's webhooks would not mind, but no such object comes to them.
        refused_names = metadata_faults(manifest.get("metadata") or {})
        warnings += [Warning("Refused", field_path(path), message) for path, message in refused_names]
    obj: Any = decoded
    obj.api_version, obj.kind = API_VERSIONS[kind.__name__], kind.__name__
    obj.metadata.namespace = namespace_or_default(obj.metadata.namespace)
    return decoded


def template_warnings(template: ObjectMeta) -> list[Warning]:
    """Return what of a VM's template the API server refuses in the VMI that virt-controller makes of it.

    No webhook of KubeVirt's looks at it: the VM is stored, and never runs.
    """
    faults = metadata_faults({"labels": template.labels, "annotations": template.annotations})
    return [
        Warning("Refused", f"spec.template.{field_path(path)}", f"{message}; virt-controller cannot create the machine")
        for path, message in faults
    ]
