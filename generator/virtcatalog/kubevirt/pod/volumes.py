"""The Pod's volumes, and what of them the container `compute` mounts.

Source: pkg/virt-controller/services/rendervolumes.go and template.go (newVolumeRenderer).
"""

from __future__ import annotations

import posixpath
from typing import Any

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kubevirt import AccessCredential, VirtualMachine, VirtualMachineInstance
from virtcatalog.api.volumes import (
    CloudInitConfigDriveSource,
    CloudInitNoCloudSource,
    HostDisk,
    SysprepSource,
    Volume,
)
from virtcatalog.kubevirt.claims import Claims
from virtcatalog.kubevirt.handler import tracks_changed_blocks
from virtcatalog.kubevirt.pod.errors import PodError
from virtcatalog.kubevirt.pod.facts import PRIVATE_DIRECTORY, SHARE_DIRECTORY, Facts
from virtcatalog.kubevirt.pod.traits import has_sriov, keeps_efi, keeps_tpm, kernel_boot

CONTAINER_DISKS = f"{SHARE_DIRECTORY}/container-disks"
VIRTIOFS = "virtiofs-containers"
VIRTIOFS_DIRECTORY = f"{SHARE_DIRECTORY}/{VIRTIOFS}"
LAUNCHER_VOLUME = "launcher-volume"
KERNEL_BOOT_VOLUME = "kernel-boot-volume"
HOOKS, HOOKS_DIRECTORY = "hook-sidecar-sockets", "/var/run/kubevirt-hooks"
NETWORK_INFO, NETWORK_INFO_DIRECTORY = "network-info-annotation", "/etc/podinfo"

_SECRETS = f"{PRIVATE_DIRECTORY}/secret"
_STATE = "vm-state"
_HOST_PATHS = {"Disk": "Directory", "DiskOrCreate": "DirectoryOrCreate"}

Source = dict[str, Any]


class Volumes:
    """The Pod's volumes; the container's mounts, block devices and paths that several nodes share."""

    def __init__(self, *, image_volumes: bool) -> None:
        self.volumes: list[dict[str, Any]] = [
            {"name": "private", "emptyDir": {}},
            {"name": "public", "emptyDir": {}},
            {"name": "sockets", "emptyDir": {}},
            {"name": "virt-bin-share-dir", "emptyDir": {}},
            {"name": "libvirt-runtime", "emptyDir": {}},
            {"name": "ephemeral-disks", "emptyDir": {}},
        ]
        self.mounts: list[dict[str, Any]] = [
            {"name": "private", "mountPath": PRIVATE_DIRECTORY},
            {"name": "public", "mountPath": SHARE_DIRECTORY},
            {"name": "ephemeral-disks", "mountPath": "/var/run/kubevirt-ephemeral-disks"},
            {"name": "libvirt-runtime", "mountPath": "/var/run/libvirt"},
            {"name": "sockets", "mountPath": f"{SHARE_DIRECTORY}/sockets"},
        ]
        self.devices: list[dict[str, str]] = []
        self.shared_paths: list[str] = []
        if not image_volumes:
            self.add("container-disks", {"emptyDir": {}}, CONTAINER_DISKS, mountPropagation="HostToContainer")

    def add(self, name: str, source: Source, path: str = "", **mounted: Any) -> None:
        """Add a volume, and where it is mounted if it is."""
        self.volumes.append({"name": name, **source})
        if path:
            self.mount(name, path, **mounted)

    def mount(self, name: str, path: str, **mounted: Any) -> None:
        """Mount a volume."""
        self.mounts.append({"name": name, "mountPath": path, **mounted})


def pod_volumes(
    vmi: VirtualMachineInstance, vm: VirtualMachine | None, facts: Facts, *, sidecars: bool, non_root: bool
) -> Volumes:
    """All volumes but those that sidecars bring; PodError for a volume without a source."""
    spec, devices = vmi.spec, vmi.spec.domain.devices
    made = Volumes(image_volumes=facts.image_volumes)
    _add_configuration(made, vmi)
    claims = Claims(vmi, facts.cluster, vm)
    for position, volume in enumerate(spec.volumes):
        _add_storage(made, volume, position, claims)
    for credential in spec.access_credentials:
        secret = _secret_of(credential)
        if secret:
            name = f"{secret}-access-cred"
            made.add(name, _secret(secret), posixpath.normpath(f"{_SECRETS}/{name}"), readOnly=True)
    _add_state(made, vmi, vm, facts, non_root=non_root)
    if facts.image_volumes:
        _add_images(made, vmi, facts)
    if sidecars:
        made.add(HOOKS, {"emptyDir": {}}, HOOKS_DIRECTORY)
    if facts.has_plugins:
        made.add("kubevirt-plugin-sockets", {"emptyDir": {}}, "/var/run/kubevirt-plugin")
    if spec.domain.memory is not None and spec.domain.memory.hugepages is not None:
        made.add("hugepages", {"emptyDir": {"medium": "HugePages"}}, "/dev/hugepages")
        made.add("hugetblfs-dir", {"emptyDir": {}}, "/dev/hugepages/libvirt/qemu")
    if not devices.disable_hotplug:
        path = f"{SHARE_DIRECTORY}/hotplug-disks"
        made.add("hotplug-disks", {"emptyDir": {}}, path, mountPropagation="HostToContainer")
    if has_sriov(spec) or _tells_devices(vmi, facts):
        field = {"path": "network-info", "fieldRef": {"fieldPath": "metadata.annotations['kubevirt.io/network-info']"}}
        made.add(NETWORK_INFO, {"downwardAPI": {"items": [field]}}, NETWORK_INFO_DIRECTORY)
    if devices.filesystems:
        made.add(VIRTIOFS, {"emptyDir": {}}, VIRTIOFS_DIRECTORY)
    return made


def configuration_path(volume: Volume) -> str:
    """Where the files of a ConfigMap, secret or downward API volume are; "" of another (pkg/config)."""
    if volume.config_map is not None:
        return f"{PRIVATE_DIRECTORY}/config-map/{volume.name}"
    if volume.secret is not None:
        return f"{_SECRETS}/{volume.name}"
    return f"{PRIVATE_DIRECTORY}/downwardapi/{volume.name}" if volume.downward_api is not None else ""


def _tells_devices(vmi: VirtualMachineInstance, facts: Facts) -> bool:
    """Whether a binding plugin wants to be told of devices (BindingPluginNetworkWithDeviceInfoExist)."""
    plugins = facts.config.network_bindings
    return bool(plugins) and any(
        interface.binding is not None
        and interface.binding.name in plugins
        and plugins[interface.binding.name].downward_api == "device-info"
        for interface in vmi.spec.domain.devices.interfaces
    )


def _add_configuration(made: Volumes, vmi: VirtualMachineInstance) -> None:
    """ConfigMaps, secrets and the downward API; they are mounted where a disk shows them (withVMIConfigVolumes)."""
    configuring = {}
    for volume in vmi.spec.volumes:
        path = configuration_path(volume)
        if path:
            configuring[volume.name] = path
            made.add(volume.name, _configuration(volume))
    if configuring:
        for disk in vmi.spec.domain.devices.disks:
            if disk.name in configuring:
                made.mount(disk.name, configuring[disk.name], readOnly=True)


def _configuration(volume: Volume) -> Source:
    if volume.config_map is not None:
        source: Source = {"name": volume.config_map.name} if volume.config_map.name else {}
        if volume.config_map.optional is not None:
            source["optional"] = volume.config_map.optional
        return {"configMap": source}
    if volume.secret is not None:
        source = {"secretName": volume.secret.secret_name} if volume.secret.secret_name else {}
        if volume.secret.optional is not None:
            source["optional"] = volume.secret.optional
        return {"secret": source}
    assert volume.downward_api is not None
    fields = [to_manifest(field) for field in volume.downward_api.fields]
    return {"downwardAPI": {"items": fields} if fields else {}}


def _add_storage(made: Volumes, volume: Volume, position: int, claims: Claims) -> None:
    """What a volume needs in the Pod, unless it is to be plugged in later (withVMIVolumes)."""
    name = volume.name
    if volume.persistent_volume_claim is not None:
        claim = volume.persistent_volume_claim
        if not claim.hotpluggable:
            _mount_claim(made, name, claim.claim_name, claims)
            made.add(name, _claim(claim.claim_name, read_only=claim.read_only))
    elif volume.data_volume is not None:
        if not volume.data_volume.hotpluggable:
            _mount_claim(made, name, volume.data_volume.name, claims)
            made.add(name, _claim(volume.data_volume.name))
    elif volume.ephemeral is not None:
        source = volume.ephemeral.persistent_volume_claim
        if source is None:
            raise PodError(f"spec.volumes[{position}].ephemeral", "virt-controller crashes: the volume names no claim")
        _mount_claim(made, name, source.claim_name, claims)
        made.add(name, _claim(source.claim_name, read_only=source.read_only))
    elif volume.host_disk is not None:
        made.add(name, _host_path(volume.host_disk), _disk_directory(name))
    elif volume.downward_metrics is not None:
        source_ = {"emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}
        made.add(name, source_, f"{PRIVATE_DIRECTORY}/downwardmetric-disk")
    elif volume.cloud_init_no_cloud is not None:
        _add_cloud_init(made, name, volume.cloud_init_no_cloud)
    elif volume.cloud_init_config_drive is not None:
        _add_cloud_init(made, name, volume.cloud_init_config_drive)
    elif volume.sysprep is not None:
        source_ = _sysprep(volume.sysprep, f"spec.volumes[{position}].sysprep")
        made.add(name, source_, f"{PRIVATE_DIRECTORY}/sysprep/{name}", readOnly=True)


def _claim(name: str, *, read_only: bool = False) -> Source:
    return {"persistentVolumeClaim": {"claimName": name, "readOnly": True} if read_only else {"claimName": name}}


def _mount_claim(made: Volumes, name: str, claim_name: str, claims: Claims) -> None:
    """A block claim is a device, another a directory (addPVCToLaunchManifest)."""
    claim = claims.find(claim_name)
    if claim.block:
        made.devices.append({"name": name, "devicePath": f"/dev/{name}"})
        return
    path = _disk_directory(name)
    made.mount(name, path)
    if "ReadWriteMany" in claim.access_modes:
        made.shared_paths.append(path)


def _disk_directory(name: str) -> str:
    """Where virt-launcher finds the image of a volume (pkg/host-disk, GetMountedHostDiskDir)."""
    return f"{PRIVATE_DIRECTORY}/vmi-disks/{name}"


def _host_path(disk: HostDisk) -> Source:
    directory = disk.path[: disk.path.rfind("/") + 1]
    path = posixpath.normpath("/" + directory.lstrip("/") if directory.startswith("/") else directory)
    return {"hostPath": {"path": path, "type": _HOST_PATHS.get(disk.type, "")}}


def _secret(name: str) -> Source:
    return {"secret": {"secretName": name} if name else {}}


def _secret_of(credential: AccessCredential) -> str:
    """The secret of an access credential (withAccessCredentials)."""
    for part in (credential.ssh_public_key, credential.user_password):
        if part is not None and part.source.secret is not None:
            return part.source.secret.secret_name
    return ""


def _add_cloud_init(made: Volumes, name: str, source: CloudInitNoCloudSource | CloudInitConfigDriveSource) -> None:
    """Secrets with data for cloud-init, under both spellings of their key (handleCloudInitNoCloud, …ConfigDrive)."""
    if source.secret_ref is not None:
        _add_cloud_init_secret(made, f"{name}-udata", name, source.secret_ref.name, ("userdata", "userData"))
    if source.network_data_secret_ref is not None:
        keys = ("networkdata", "networkData")
        _add_cloud_init_secret(made, f"{name}-ndata", name, source.network_data_secret_ref.name, keys)


def _add_cloud_init_secret(made: Volumes, name: str, volume: str, secret: str, keys: tuple[str, str]) -> None:
    made.add(name, _secret(secret))
    for key in keys:
        made.mount(name, f"{_SECRETS}/{volume}/{key}", subPath=key, readOnly=True)


def _sysprep(source: SysprepSource, field: str) -> Source:
    if source.secret is not None:
        return _secret(source.secret.name)
    if source.config_map is not None:
        return {"configMap": {"name": source.config_map.name} if source.config_map.name else {}}
    raise PodError(field, "names neither a secret nor a configMap: there is nothing to mount")


def _add_state(
    made: Volumes, vmi: VirtualMachineInstance, vm: VirtualMachine | None, facts: Facts, *, non_root: bool
) -> None:
    """The claim that keeps the state of TPM, UEFI and changed blocks (withBackendStorage)."""
    tpm, efi = keeps_tpm(vmi.spec), keeps_efi(vmi.spec)
    tracking = facts.tracks_changed_blocks and vm is not None and tracks_changed_blocks(vm, facts.cluster)
    if not (tpm or efi or tracking):
        return
    made.add(_STATE, _claim(facts.backend_claim(vmi.metadata.namespace, vmi.metadata.name)))
    made.mount(_STATE, "/run/kubevirt-private/backend-storage-meta", subPath="meta")
    libvirt, swtpm, localca = "/var/lib/libvirt", "/var/lib/libvirt/swtpm", "/var/lib/swtpm-localca"
    if non_root:
        # Directories between would belong to root, and libvirt could not write there.
        libvirt = f"{PRIVATE_DIRECTORY}/libvirt"
        made.add("private-libvirt", {"emptyDir": {}}, libvirt)
        made.add("private-libvirt-qemu", {"emptyDir": {}}, f"{libvirt}/qemu")
        swtpm, localca = f"{libvirt}/qemu/swtpm", f"{PRIVATE_DIRECTORY}/var/lib/swtpm-localca"
    if tpm:
        made.mount(_STATE, swtpm, subPath="swtpm")
        made.mount(_STATE, localca, subPath="swtpm-localca")
    if efi:
        made.mount(_STATE, f"{libvirt}/qemu/nvram", subPath="nvram")
    if tracking:
        made.mount(_STATE, f"{libvirt}/qemu/cbt", subPath="cbt")


def _add_images(made: Volumes, vmi: VirtualMachineInstance, facts: Facts) -> None:
    """Container disks and the kernel that is booted, as volumes of images (withImageVolumes)."""
    found = False
    for position, volume in enumerate(vmi.spec.volumes):
        disk = volume.container_disk
        if disk is not None:
            found = True
            path = f"/var/run/kubevirt-image-volume/disk_{position}"
            made.add(volume.name, _image(disk.image, disk.image_pull_policy), path, readOnly=True)
    boot = kernel_boot(vmi.spec)
    if boot is not None:
        source = _image(boot.image, boot.image_pull_policy)
        made.add(KERNEL_BOOT_VOLUME, source, "/var/run/kubevirt-kernel-boot", readOnly=True)
    if found or boot is not None:
        made.add(LAUNCHER_VOLUME, _image(facts.launcher_image, facts.pull_policy))


def _image(reference: str, policy: str | None) -> Source:
    source = {"reference": reference} if reference else {}
    return {"image": {**source, "pullPolicy": policy} if policy else source}
