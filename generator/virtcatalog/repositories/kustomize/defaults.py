"""The fields that kustomize's transformers look at of themselves. Source: api/internal/konfig/builtinpluginconsts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from virtcatalog.repositories.kustomize.config import Config, Specs, Target
from virtcatalog.repositories.kustomize.fieldspecs import FieldSpec

_PODS: Final = {
    "Pod": "spec",
    "PodTemplate": "template/spec",
    **dict.fromkeys(("Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job"), "spec/template/spec"),
    "CronJob": "spec/jobTemplate/spec/template/spec",
}
"""Where kinds have a Pod's spec."""
_RUNNING: Final = ("Pod", "StatefulSet", "Deployment", "ReplicationController", "CronJob", "Job", "DaemonSet")
_RBAC, _NETWORKING = "rbac.authorization.k8s.io", "networking.k8s.io"
_HOOKS: Final = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
_POD_SELECTORS: Final = (
    "affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
    "affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    "affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
    "affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    "topologySpreadConstraints/labelSelector/matchLabels",
)


@cache
def default_config() -> Config:
    """Return kustomize's own field specs."""
    names = (FieldSpec("metadata/name"),)
    metadata = tuple(_in_metadata("labels"))
    return Config(
        prefixes=names,
        suffixes=names,
        namespaces=(
            FieldSpec("metadata/name", "Namespace", create=True),
            FieldSpec("spec/service/namespace", "APIService", "apiregistration.k8s.io", create=True),
            FieldSpec(
                "spec/conversion/webhook/clientConfig/service/namespace",
                "CustomResourceDefinition",
                "apiextensions.k8s.io",
            ),
        ),
        selectors=(*_selectors(), *metadata),
        templates=metadata,
        annotations=tuple(_in_metadata("annotations")),
        variables=tuple(_variables()),
        images=tuple(
            FieldSpec(f"{prefix}{field}", create=True)
            for prefix in ("spec", "spec/template/spec")
            for field in ("/containers[]/image", "/initContainers[]/image", "/volumes[]/image/reference")
        ),
        replicas=tuple(
            FieldSpec("spec/replicas", kind, create=True)
            for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
        ),
        references=dict(_references()),
    )


def _in_metadata(key: str) -> Iterable[FieldSpec]:
    """Where labels or annotations of objects and of their templates are."""
    stateful = "apps" if key == "labels" else ""
    yield FieldSpec(f"metadata/{key}", create=True)
    yield FieldSpec(f"spec/template/metadata/{key}", "ReplicationController", version="v1", create=True)
    for kind in ("Deployment", "ReplicaSet", "DaemonSet"):
        yield FieldSpec(f"spec/template/metadata/{key}", kind, create=True)
    yield FieldSpec(f"spec/template/metadata/{key}", "StatefulSet", stateful, create=True)
    if key == "labels":
        yield FieldSpec("spec/volumeClaimTemplates[]/metadata/labels", "StatefulSet", "apps", create=True)
    yield FieldSpec(f"spec/template/metadata/{key}", "Job", "batch", create=True)
    yield FieldSpec(f"spec/jobTemplate/metadata/{key}", "CronJob", "batch", create=True)
    yield FieldSpec(f"spec/jobTemplate/spec/template/metadata/{key}", "CronJob", "batch", create=True)


def _selectors() -> Iterable[FieldSpec]:
    for kind in ("Service", "ReplicationController"):
        yield FieldSpec("spec/selector", kind, version="v1", create=True)
    for kind, group in (("Deployment", ""), ("ReplicaSet", ""), ("DaemonSet", ""), ("StatefulSet", "apps")):
        yield FieldSpec("spec/selector/matchLabels", kind, group, create=True)
    for kind in ("Deployment", "StatefulSet"):
        for path in _POD_SELECTORS:
            yield FieldSpec(f"spec/template/spec/{path}", kind, "apps")
    yield FieldSpec("spec/selector/matchLabels", "Job", "batch")
    yield FieldSpec("spec/jobTemplate/spec/selector/matchLabels", "CronJob", "batch")
    yield FieldSpec("spec/selector/matchLabels", "PodDisruptionBudget", "policy")
    for path in ("podSelector", "ingress/from/podSelector", "egress/to/podSelector"):
        yield FieldSpec(f"spec/{path}/matchLabels", "NetworkPolicy", _NETWORKING)


def _variables() -> Iterable[FieldSpec]:
    for kind, prefix in _PODS.items():
        if kind != "PodTemplate":
            for part in ("containers", "initContainers"):
                for field in ("args", "command", "env/value", "volumeMounts/mountPath"):
                    yield FieldSpec(f"{prefix}/{part}/{field}", kind)
        if kind not in ("PodTemplate", "CronJob", "StatefulSet"):
            yield FieldSpec(f"{prefix}/volumes/nfs/server", kind)
    yield FieldSpec("spec/jobTemplate/spec/template/volumes/nfs/server", "CronJob")
    yield FieldSpec("spec/template/metadata/annotations", "Deployment")
    for path in ("spec/rules/host", "spec/tls/hosts", "spec/tls/secretName"):
        yield FieldSpec(path, "Ingress")
    for path in ("spec/ports/port", "spec/ports/targetPort"):
        yield FieldSpec(path, "Service")
    yield FieldSpec("spec/volumeClaimTemplates/spec/nfs/server", "StatefulSet")
    yield FieldSpec("spec/nfs/server", "PersistentVolume")
    yield FieldSpec("metadata/labels")
    yield FieldSpec("metadata/annotations")


def _references() -> Iterable[tuple[Target, Specs]]:
    scaled = (FieldSpec("spec/scaleTargetRef/name", "HorizontalPodAutoscaler"),)
    for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"):
        yield ("", "", kind), scaled
    of_roles = tuple(FieldSpec("rules/resourceNames", kind) for kind in ("Role", "ClusterRole"))
    annotation = "metadata/annotations/nginx.ingress.kubernetes.io\\/"
    yield (
        ("", "v1", "ConfigMap"),
        (
            *_of_pods("configMap", "name"),
            FieldSpec("spec/configSource/configMap", "Node"),
            *of_roles,
            FieldSpec(f"{annotation}fastcgi-params-configmap", "Ingress"),
        ),
    )
    yield (
        ("", "v1", "Secret"),
        (
            *_of_pods("secret", "secretName"),
            FieldSpec("spec/tls/secretName", "Ingress"),
            FieldSpec("metadata/annotations/ingress.kubernetes.io\\/auth-secret", "Ingress"),
            *(FieldSpec(f"{annotation}{name}", "Ingress") for name in ("auth-secret", "auth-tls-secret")),
            FieldSpec("imagePullSecrets/name", "ServiceAccount"),
            *(
                FieldSpec(f"parameters/{name}", "StorageClass")
                for name in ("secretName", "adminSecretName", "userSecretName", "secretRef")
            ),
            *of_roles,
            FieldSpec(
                "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
                *("Service", "serving.knative.dev", "v1"),
            ),
            FieldSpec("spec/azureFile/secretName", "PersistentVolume"),
        ),
    )
    yield (
        ("", "v1", "Service"),
        (
            FieldSpec("spec/serviceName", "StatefulSet", "apps"),
            *(
                FieldSpec(f"spec/{path}", "Ingress")
                for path in (
                    *("rules/http/paths/backend/serviceName", "backend/serviceName"),
                    *("rules/http/paths/backend/service/name", "defaultBackend/service/name"),
                )
            ),
            FieldSpec("spec/service/name", "APIService", "apiregistration.k8s.io"),
            *(FieldSpec("webhooks/clientConfig/service", kind, "admissionregistration.k8s.io") for kind in _HOOKS),
        ),
    )
    bindings = tuple(FieldSpec("roleRef/name", kind, _RBAC) for kind in ("RoleBinding", "ClusterRoleBinding"))
    yield (_RBAC, "", "Role"), bindings[:1]
    yield (_RBAC, "", "ClusterRole"), bindings
    subjects = tuple(FieldSpec("subjects", kind, _RBAC) for kind in ("RoleBinding", "ClusterRoleBinding"))
    yield ("", "v1", "ServiceAccount"), (*subjects, *_of_running("serviceAccountName"))
    yield ("", "v1", "PersistentVolumeClaim"), tuple(_of_running("volumes/persistentVolumeClaim/claimName"))
    yield (
        ("", "v1", "PersistentVolume"),
        (FieldSpec("spec/volumeName", "PersistentVolumeClaim"), FieldSpec("rules/resourceNames", "ClusterRole")),
    )
    yield (
        ("storage.k8s.io", "v1", "StorageClass"),
        (
            *(FieldSpec("spec/storageClassName", kind) for kind in ("PersistentVolume", "PersistentVolumeClaim")),
            FieldSpec("spec/volumeClaimTemplates/spec/storageClassName", "StatefulSet"),
        ),
    )
    yield ("scheduling.k8s.io", "v1", "PriorityClass"), tuple(_of_running("priorityClassName"))
    yield ("networking.k8s.io/v1", "v1", "IngressClass"), (FieldSpec("spec/ingressClassName", "Ingress"),)
    policies = "admissionregistration.k8s.io"
    binding = FieldSpec("spec/policyName", "ValidatingAdmissionPolicyBinding", policies)
    yield (policies, "", "ValidatingAdmissionPolicy"), (binding,)


def _of_pods(source: str, key: str) -> Iterable[FieldSpec]:
    """Where Pods name a ConfigMap or a Secret."""
    for kind, prefix in _PODS.items():
        version = "v1" if kind == "Pod" else ""
        fields = [f"volumes/{source}/{key}", f"volumes/projected/sources/{source}/name"]
        for part in ("containers", "initContainers"):
            fields += [f"{part}/env/valueFrom/{source}KeyRef/name", f"{part}/envFrom/{source}Ref/name"]
        fields += ["imagePullSecrets/name"] * (source == "secret")
        for field in fields:
            yield FieldSpec(f"{prefix}/{field}", kind, version=version)


def _of_running(field: str) -> Iterable[FieldSpec]:
    for kind in _RUNNING:
        yield FieldSpec(f"{_PODS.get(kind, 'spec/template/spec')}/{field}", kind)
