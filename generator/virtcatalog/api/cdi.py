"""CDI's DataVolume and DataSource (cdi.kubevirt.io/v1beta1)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field

from virtcatalog.api.core import (
    LabelSelector,
    PersistentVolumeClaimSpec,
    Resource,
    TypedLocalObjectReference,
    TypedObjectReference,
    VolumeResourceRequirements,
)
from virtcatalog.api.object import Object, Status, since


class PlatformOptions(Object):
    """Which of an image's platforms."""

    architecture: Annotated[str, since("v1.7")] = ""


class DataSourceRefSourceDataSource(Object):
    """The image is what another DataSource names."""

    namespace: str = field(default_factory=str)
    name: str = field(default_factory=str)


class DataVolumeSourceGCS(Object):
    """An object in Google Cloud Storage."""

    url: str
    secret_ref: str = ""


class DataVolumeSourceSnapshot(Object):
    """A volume snapshot that is cloned."""

    namespace: str
    name: str


class DataVolumeSourceS3(Object):
    """An object in S3."""

    url: str
    secret_ref: str = ""
    cert_config_map: str = ""


class DataVolumeSourcePVC(Object):
    """A claim that is cloned."""

    namespace: str
    name: str


class DataVolumeSourceHTTP(Object):
    """A URL."""

    url: str
    secret_ref: str = ""
    cert_config_map: str = ""
    extra_headers: list[str] = []
    secret_extra_headers: list[str] = []


class DataVolumeBlankImage(Object):
    """An empty image."""


class DataVolumeSourceRegistry(Object):
    """A container image, from a registry or an image stream."""

    url: str | None = None
    image_stream: str | None = None
    pull_method: str | None = None
    secret_ref: str | None = None
    cert_config_map: str | None = None
    platform: Annotated[PlatformOptions | None, since("v1.7")] = None


class DataVolumeSourceUpload(Object):
    """What a client uploads."""


class DataVolumeSourceVDDK(Object):
    """A disk of a VMware vCenter or ESXi host."""

    url: str = ""
    uuid: str = ""
    backing_file: str = ""
    thumbprint: str = ""
    secret_ref: str = ""
    init_image_url: str = field(name="initImageURL", default="")
    extra_args: Annotated[str, since("v1.7")] = ""


class DataVolumeSourceImageIO(Object):
    """A disk of an oVirt engine."""

    url: str
    disk_id: str
    secret_ref: str = ""
    cert_config_map: str = ""
    insecure_skip_verify: Annotated[bool | None, since("v1.8")] = None


class DataSourceSource(Object):
    """Where the image is: one of claim, snapshot and DataSource."""

    pvc: DataVolumeSourcePVC | None = None
    snapshot: DataVolumeSourceSnapshot | None = None
    data_source: DataSourceRefSourceDataSource | None = None


class StorageSpec(Object):
    """A claim whose gaps CDI fills from the storage profile."""

    access_modes: list[str] = []
    selector: LabelSelector | None = None
    resources: VolumeResourceRequirements = field(default_factory=VolumeResourceRequirements)
    volume_name: str = ""
    storage_class_name: str | None = None
    volume_mode: Literal["Block", "Filesystem", "FromStorageProfile"] | None = None
    data_source: TypedLocalObjectReference | None = None
    data_source_ref: TypedObjectReference | None = None


class DataVolumeSource(Object):
    """Where the data comes from: one source."""

    http: DataVolumeSourceHTTP | None = None
    s3: DataVolumeSourceS3 | None = None
    gcs: DataVolumeSourceGCS | None = None
    registry: DataVolumeSourceRegistry | None = None
    pvc: DataVolumeSourcePVC | None = None
    upload: DataVolumeSourceUpload | None = None
    blank: DataVolumeBlankImage | None = None
    imageio: DataVolumeSourceImageIO | None = None
    vddk: DataVolumeSourceVDDK | None = None
    snapshot: DataVolumeSourceSnapshot | None = None


class DataVolumeCheckpoint(Object):
    """A stage of an import in several stages."""

    previous: str
    current: str


class DataVolumeSourceRef(Object):
    """Another object that says where the data comes from; `kind` is DataSource."""

    kind: str
    name: str
    namespace: str | None = None


class DataSourceSpec(Object):
    """Where the image is."""

    source: DataSourceSource = field(default_factory=DataSourceSource)


class DataVolumeSpec(Object):
    """The claim, as `pvc` or `storage`, and where its data comes from."""

    source: DataVolumeSource | None = None
    source_ref: DataVolumeSourceRef | None = None
    pvc: PersistentVolumeClaimSpec | None = None
    storage: StorageSpec | None = None
    priority_class_name: str = ""
    content_type: str = ""
    checkpoints: list[DataVolumeCheckpoint] = []
    final_checkpoint: bool = False
    preallocation: bool | None = None


class DataSourceStatus(Status):
    """Where a DataSource leads in the end, once CDI has followed its references."""

    source: DataSourceSource = field(default_factory=DataSourceSource)


class DataVolumeStatus(Status):
    """How far the import has come, and into which claim."""

    claim_name: str = ""
    phase: str = ""


class DataSource(Resource, kw_only=True):
    """A name for an image that VMs can start from."""

    spec: DataSourceSpec
    status: DataSourceStatus | None = None


class DataVolume(Resource, kw_only=True):
    """A claim, and the data that CDI puts into it."""

    spec: DataVolumeSpec
    status: DataVolumeStatus | None = None
