"""What kustomize knows of Kubernetes' own kinds: which are cluster-wide, and by which keys their lists merge."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from virtcatalog.api.corekinds import core_schema

#: Source: kyaml/openapi/openapi.go, precomputedIsNamespaceScoped. Kinds that it does not know count as namespaced.
_CLUSTER_SCOPED: Final = {
    "MutatingWebhookConfiguration": ("admissionregistration.k8s.io/v1", "admissionregistration.k8s.io/v1beta1"),
    "ValidatingWebhookConfiguration": ("admissionregistration.k8s.io/v1", "admissionregistration.k8s.io/v1beta1"),
    "CustomResourceDefinition": ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"),
    "APIService": ("apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1beta1"),
    "CertificateSigningRequest": ("certificates.k8s.io/v1", "certificates.k8s.io/v1beta1"),
    "FlowSchema": ("flowcontrol.apiserver.k8s.io/v1beta1",),
    "PriorityLevelConfiguration": ("flowcontrol.apiserver.k8s.io/v1beta1",),
    "IngressClass": ("networking.k8s.io/v1", "networking.k8s.io/v1beta1"),
    "RuntimeClass": ("node.k8s.io/v1", "node.k8s.io/v1beta1"),
    "PodSecurityPolicy": ("policy/v1beta1",),
    "ClusterRole": ("rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io/v1beta1"),
    "ClusterRoleBinding": ("rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io/v1beta1"),
    "PriorityClass": ("scheduling.k8s.io/v1", "scheduling.k8s.io/v1beta1"),
    "CSIDriver": ("storage.k8s.io/v1", "storage.k8s.io/v1beta1"),
    "CSINode": ("storage.k8s.io/v1", "storage.k8s.io/v1beta1"),
    "StorageClass": ("storage.k8s.io/v1", "storage.k8s.io/v1beta1"),
    "VolumeAttachment": ("storage.k8s.io/v1", "storage.k8s.io/v1beta1"),
    "ComponentStatus": ("v1",),
    "Namespace": ("v1",),
    "Node": ("v1",),
    "NodeProxyOptions": ("v1",),
    "PersistentVolume": ("v1",),
}


def is_cluster_scoped(api_version: str, kind: str) -> bool:
    """Whether kustomize is certain that objects of a kind have no namespace."""
    return api_version in _CLUSTER_SCOPED.get(kind, ())


class Shape:
    """The schema of a value of one of Kubernetes' own kinds, as far as merging needs it."""

    def __init__(self, schema: dict[str, Any], definitions: dict[str, Any]) -> None:
        self._schema, self._definitions = schema, definitions

    def field(self, name: str) -> Shape | None:
        """The schema of a field, None where there is none."""
        schema = self._resolved()
        inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
        return Shape(inner, self._definitions) if isinstance(inner, dict) else None

    def items(self) -> Shape | None:
        """The schema of a list's items."""
        inner = self._resolved().get("items")
        return Shape(inner, self._definitions) if isinstance(inner, dict) else None

    def merge_keys(self) -> tuple[str, ...] | None:
        """The keys by which items of a list are merged, none for plain values; None where the list is replaced.

        Source: kyaml/openapi/openapi.go, PatchStrategyAndKeyList.
        """
        if "merge" not in self._schema.get("x-kubernetes-patch-strategy", "").split(","):
            return None
        keys = self._schema.get("x-kubernetes-list-map-keys") or [self._schema.get("x-kubernetes-patch-merge-key")]
        return tuple(key for key in keys if key)

    def _resolved(self) -> dict[str, Any]:
        reference = self._schema.get("$ref", "")
        resolved: dict[str, Any] = self._definitions.get(reference.rpartition("/")[2], self._schema)
        return resolved


@cache
def shape_of(api_version: str, kind: str) -> Shape | None:
    """The schema of one of Kubernetes' own kinds; None for others: in those all lists are replaced."""
    schema = core_schema(api_version, kind)
    return Shape(*schema) if schema is not None else None
