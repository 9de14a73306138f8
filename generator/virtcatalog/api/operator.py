"""The KubeVirt custom resource (kubevirt.io/v1): what a cluster's administrator sets."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import field

from virtcatalog.api.configuration import KubeVirtConfiguration
from virtcatalog.api.core import LocalObjectReference, Resource
from virtcatalog.api.object import Duration, Int64, Object


class KubeVirtWorkloadUpdateStrategy(Object):
    """How running VMs are brought to a new release."""

    workload_update_methods: list[str] = []
    batch_eviction_size: Int64 | None = None
    batch_eviction_interval: Duration | None = None


class CertConfig(Object):
    """How long a certificate lives, as Go durations (`48h`)."""

    duration: Duration | None = None
    renew_before: Duration | None = None


class KubeVirtSelfSignConfiguration(Object):
    """The lives of the certificates that KubeVirt signs itself."""

    ca_rotate_interval: Duration | None = None
    cert_rotate_interval: Duration | None = None
    ca_overlap_interval: Duration | None = None
    ca: CertConfig | None = None
    server: CertConfig | None = None


class KubeVirtCertificateRotateStrategy(Object):
    """Where KubeVirt's certificates come from."""

    self_signed: KubeVirtSelfSignConfiguration | None = None


class CustomizeComponentsPatch(Object):
    """A patch for one of the operator's objects."""

    resource_name: str
    resource_type: str
    patch: str
    type: str


class Flags(Object):
    """Command line flags for KubeVirt's components."""

    api: dict[str, str] = {}
    controller: dict[str, str] = {}
    handler: dict[str, str] = {}


class CustomizeComponents(Object):
    """Patches and flags for KubeVirt's components."""

    patches: list[CustomizeComponentsPatch] = []
    flags: Flags | None = None


class ComponentConfig(Object):
    """Where components run and how many; the placement is any node placement."""

    node_placement: dict[str, Any] | None = None
    replicas: Annotated[int, msgspec.Meta(ge=0, le=255)] | None = None


class KubeVirtSpec(Object):
    """The operator's settings; only `configuration` bears on what a VM becomes."""

    image_tag: str = ""
    image_registry: str = ""
    image_pull_policy: str = ""
    image_pull_secrets: list[LocalObjectReference] = []
    monitor_namespace: str = ""
    service_monitor_namespace: str = ""
    monitor_account: str = ""
    workload_update_strategy: KubeVirtWorkloadUpdateStrategy = field(default_factory=KubeVirtWorkloadUpdateStrategy)
    uninstall_strategy: str = ""
    certificate_rotate_strategy: KubeVirtCertificateRotateStrategy = field(
        default_factory=KubeVirtCertificateRotateStrategy
    )
    product_version: str = ""
    product_name: str = ""
    product_component: str = ""
    synchronization_port: str = ""
    configuration: KubeVirtConfiguration = field(default_factory=KubeVirtConfiguration)
    infra: ComponentConfig | None = None
    workloads: ComponentConfig | None = None
    customize_components: CustomizeComponents = field(default_factory=CustomizeComponents)


class KubeVirt(Resource, kw_only=True):
    """A KubeVirt installation."""

    spec: KubeVirtSpec = field(default_factory=KubeVirtSpec)
    status: dict[str, Any] | None = None
