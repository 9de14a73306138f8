"""Which volumes a VMI gives its Pod, and what of them the container `compute` mounts.

Source: pkg/virt-controller/services/rendervolumes.go and template.go (newVolumeRenderer).
"""

from __future__ import annotations

import posixpath

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
from virtcatalog.kubevirt.pod.facts import (
    PRIVATE_DIRECTORY,
    SHARE_DIRECTORY,
    Facts,
    PodError,
    has_sriov,
    keeps_efi,
    keeps_tpm,
    kernel_boot,
)
from virtcatalog.kubevirt.pod.mounts import (
    HOOKS,
    HOOKS_DIRECTORY,
    KERNEL_BOOT_VOLUME,
    LAUNCHER_VOLUME,
    NETWORK_INFO,
    NETWORK_INFO_DIRECTORY,
    VIRTIOFS,
    VIRTIOFS_DIRECTORY,
    Source,
    Volumes,
)

_SKIPS_DIGESTS = "kubevirt.io/image-volume-skip-digest-resolution"
_SECRETS = f"{PRIVATE_DIRECTORY}/secret"
_STATE = "vm-state"
_HOST_PATHS = {"Disk": "Directory", "DiskOrCreate": "DirectoryOrCreate"}


def pod_volumes(
    vmi: VirtualMachineInstance, vm: VirtualMachine | None, facts: Facts, *, sidecars: bool, non_root: bool
) -> Volumes:
    """All volumes but those that sidecars bring; PodError for a volume without a source."""
    spec, devices = vmi.spec, vmi.spec.domain.devices
    volumes = Volumes(image_volumes=facts.image_volumes)
    _add_configuration(volumes, vmi)
    claims = Claims(vmi, facts.cluster, vm)
    for position, volume in enumerate(spec.volumes):
        _add_storage(volumes, volume, position, claims)
    for credential in spec.access_credentials:
        secret = _secret_of(credential)
        if secret:
            name = f"{secret}-access-cred"
            volumes.add(name, _secret(secret), posixpath.normpath(f"{_SECRETS}/{name}"), readOnly=True)
    _add_state(volumes, vmi, vm, facts, non_root=non_root)
    if facts.image_volumes:
        _add_images(volumes, vmi, facts)
    if sidecars:
        volumes.add(HOOKS, {"emptyDir": {}}, HOOKS_DIRECTORY)
    if facts.has_plugins:
        volumes.add("kubevirt-plugin-sockets", {"emptyDir": {}}, "/var/run/kubevirt-plugin")
    if spec.domain.memory is not None and spec.domain.memory.hugepages is not None:
        volumes.add("hugepages", {"emptyDir": {"medium": "HugePages"}}, "/dev/hugepages")
        medium = {"medium": "HugePages"} if facts.traits.hugetlbfs_is_of_huge_pages else {}
        volumes.add("hugetblfs-dir", {"emptyDir": medium}, "/dev/hugepages/libvirt/qemu")
    if not devices.disable_hotplug:
        path = f"{SHARE_DIRECTORY}/hotplug-disks"
        volumes.add("hotplug-disks", {"emptyDir": {}}, path, mountPropagation="HostToContainer")
    if has_sriov(spec) or _tells_devices(vmi, facts):
        field = {"path": "network-info", "fieldRef": {"fieldPath": "metadata.annotations['kubevirt.io/network-info']"}}
        volumes.add(NETWORK_INFO, {"downwardAPI": {"items": [field]}}, NETWORK_INFO_DIRECTORY)
    if devices.filesystems:
        volumes.add(VIRTIOFS, {"emptyDir": {}}, VIRTIOFS_DIRECTORY)
    return volumes


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


def _add_configuration(volumes: Volumes, vmi: VirtualMachineInstance) -> None:
    """ConfigMaps, secrets and the downward API; they are mounted where a disk shows them (withVMIConfigVolumes)."""
    configuring = {}
    for volume in vmi.spec.volumes:
        path = configuration_path(volume)
        if path:
            configuring[volume.name] = path
            volumes.add(volume.name, _configuration(volume))
    if configuring:
        for disk in vmi.spec.domain.devices.disks:
            if disk.name in configuring:
                volumes.mount(disk.name, configuring[disk.name], readOnly=True)


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


def _add_storage(volumes: Volumes, volume: Volume, position: int, claims: Claims) -> None:
    """What a volume needs in the Pod, unless it is to be plugged in later (withVMIVolumes)."""
    name = volume.name
    if volume.persistent_volume_claim is not None:
        claim = volume.persistent_volume_claim
        if not claim.hotpluggable:
            _mount_claim(volumes, name, claim.claim_name, claims)
            volumes.add(name, _claim(claim.claim_name, read_only=claim.read_only))
    elif volume.data_volume is not None:
        if not volume.data_volume.hotpluggable:
            _mount_claim(volumes, name, volume.data_volume.name, claims)
            volumes.add(name, _claim(volume.data_volume.name))
    elif volume.ephemeral is not None:
        source = volume.ephemeral.persistent_volume_claim
        if source is None:
            raise PodError(f"spec.volumes[{position}].ephemeral", "virt-controller crashes: the volume names no claim")
        _mount_claim(volumes, name, source.claim_name, claims)
        volumes.add(name, _claim(source.claim_name, read_only=source.read_only))
    elif volume.host_disk is not None:
        volumes.add(name, _host_path(volume.host_disk), _disk_directory(name))
    elif volume.downward_metrics is not None:
        source_ = {"emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}
        volumes.add(name, source_, f"{PRIVATE_DIRECTORY}/downwardmetric-disk")
    elif volume.cloud_init_no_cloud is not None:
        _add_cloud_init(volumes, name, volume.cloud_init_no_cloud)
    elif volume.cloud_init_config_drive is not None:
        _add_cloud_init(volumes, name, volume.cloud_init_config_drive)
    elif volume.sysprep is not None:
        source_ = _sysprep(volume.sysprep, f"spec.volumes[{position}].sysprep")
        volumes.add(name, source_, f"{PRIVATE_DIRECTORY}/sysprep/{name}", readOnly=True)


def _claim(name: str, *, read_only: bool = False) -> Source:
    return {"persistentVolumeClaim": {"claimName": name, "readOnly": True} if read_only else {"claimName": name}}


def _mount_claim(volumes: Volumes, name: str, claim_name: str, claims: Claims) -> None:
    """A block claim is a device, another a directory (addPVCToLaunchManifest)."""
    claim = claims.find(claim_name)
    if claim.block:
        volumes.devices.append({"name": name, "devicePath": f"/dev/{name}"})
        return
    path = _disk_directory(name)
    volumes.mount(name, path)
    if "ReadWriteMany" in claim.access_modes:
        volumes.shared_paths.append(path)


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
    sources = [part.source for part in (credential.ssh_public_key, credential.user_password) if part is not None]
    return next((source.secret.secret_name for source in sources if source.secret is not None), "")


def _add_cloud_init(volumes: Volumes, name: str, source: CloudInitNoCloudSource | CloudInitConfigDriveSource) -> None:
    """Secrets with data for cloud-init, under both spellings of their key (handleCloudInitNoCloud, …ConfigDrive)."""
    if source.secret_ref is not None:
        _add_cloud_init_secret(volumes, f"{name}-udata", name, source.secret_ref.name, ("userdata", "userData"))
    if source.network_data_secret_ref is not None:
        keys = ("networkdata", "networkData")
        _add_cloud_init_secret(volumes, f"{name}-ndata", name, source.network_data_secret_ref.name, keys)


def _add_cloud_init_secret(volumes: Volumes, name: str, volume: str, secret: str, keys: tuple[str, str]) -> None:
    volumes.add(name, _secret(secret))
    for key in keys:
        volumes.mount(name, f"{_SECRETS}/{volume}/{key}", subPath=key, readOnly=True)


def _sysprep(source: SysprepSource, field: str) -> Source:
    if source.secret is not None:
        return _secret(source.secret.name)
    if source.config_map is not None:
        return {"configMap": {"name": source.config_map.name} if source.config_map.name else {}}
    raise PodError(field, "names neither a secret nor a configMap: there is nothing to mount")


def _add_state(
    volumes: Volumes, vmi: VirtualMachineInstance, vm: VirtualMachine | None, facts: Facts, *, non_root: bool
) -> None:
    """The claim that keeps the state of TPM, UEFI and changed blocks (withBackendStorage)."""
    tpm, efi = keeps_tpm(vmi.spec), keeps_efi(vmi.spec)
    tracking = facts.tracks_changed_blocks and vm is not None and tracks_changed_blocks(vm, facts.cluster)
    if not (tpm or efi or tracking):
        return
    volumes.add(_STATE, _claim(facts.backend_claim(vmi.metadata.namespace, vmi.metadata.name)))
    volumes.mount(_STATE, "/run/kubevirt-private/backend-storage-meta", subPath="meta")
    libvirt, swtpm, localca = "/var/lib/libvirt", "/var/lib/libvirt/swtpm", "/var/lib/swtpm-localca"
    if non_root:
        # Directories between would belong to root, and libvirt could not write there.
        libvirt = f"{PRIVATE_DIRECTORY}/libvirt"
        volumes.add("private-libvirt", {"emptyDir": {}}, libvirt)
        volumes.add("private-libvirt-qemu", {"emptyDir": {}}, f"{libvirt}/qemu")
        swtpm, localca = f"{libvirt}/qemu/swtpm", f"{PRIVATE_DIRECTORY}/var/lib/swtpm-localca"
    if tpm:
        volumes.mount(_STATE, swtpm, subPath="swtpm")
        volumes.mount(_STATE, localca, subPath="swtpm-localca")
    if efi:
        volumes.mount(_STATE, f"{libvirt}/qemu/nvram", subPath="nvram")
    if tracking:
        volumes.mount(_STATE, f"{libvirt}/qemu/cbt", subPath="cbt")


def _add_images(volumes: Volumes, vmi: VirtualMachineInstance, facts: Facts) -> None:
    """Container disks and the kernel that is booted, as volumes of images (withImageVolumes)."""
    has_disks = False
    for position, volume in enumerate(vmi.spec.volumes):
        disk = volume.container_disk
        if disk is not None:
            has_disks = True
            path = f"/var/run/kubevirt-image-volume/disk_{position}"
            volumes.add(volume.name, _image(disk.image, disk.image_pull_policy), path, readOnly=True)
    boot = kernel_boot(vmi.spec)
    if boot is not None:
        source = _image(boot.image, boot.image_pull_policy)
        volumes.add(KERNEL_BOOT_VOLUME, source, "/var/run/kubevirt-kernel-boot", readOnly=True)
    if (has_disks or boot is not None) and not skips_digests(vmi, facts):
        volumes.add(LAUNCHER_VOLUME, _image(facts.launcher_image, facts.pull_policy))


def skips_digests(vmi: VirtualMachineInstance, facts: Facts) -> bool:
    """Whether nobody asks for the digests of images that are volumes (renderLaunchManifest, withImageVolumes)."""
    return facts.traits.digests_can_be_skipped and vmi.metadata.annotations.get(_SKIPS_DIGESTS) == "true"


def _image(reference: str, policy: str | None) -> Source:
    source = {"reference": reference} if reference else {}
    return {"image": {**source, "pullPolicy": policy} if policy else source}
