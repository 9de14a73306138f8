"""What the rules of a Pod ask besides: what virt-controller knows of its cluster, and what a VMI is like."""

from __future__ import annotations

from virtcatalog.api.core import PersistentVolumeClaim
from virtcatalog.api.domainspec import KernelBootContainer
from virtcatalog.api.govalues import float_of
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.names import DRAWN, LONGEST_PREFIX, namespace_or_default
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.deviceplugins import resource_kinds
from virtcatalog.kubevirt.handler import cluster_tsc_frequency
from virtcatalog.kubevirt.launcher.context import HYPERV_DIRECT
from virtcatalog.kubevirt.selectors import label_selector, selects
from virtcatalog.releases import Release

NON_ROOT_USER = 107
SHARE_DIRECTORY = "/var/run/kubevirt"
PRIVATE_DIRECTORY = "/var/run/kubevirt-private"

_REGISTRY = "quay.io/kubevirt"
_BACKEND_CLAIM = "persistent-state-for"
_RATIO_LABEL = "alpha.kubevirt.io/auto-memory-limits-ratio"
_RATIO = 2.0
_HOOKS_GATE = "LibvirtHooksServerAndClient"
_MODES = (
    ("ImageVolume", "--image-volume"),
    (_HOOKS_GATE, "--libvirt-hook-server-and-client"),
    ("PodSecondaryInterfaceNamingUpgrade", "--upgrade-ordinal-ifaces"),
    ("VGPULiveMigration", "--vgpu-dedicated-hook"),
    ("VMStatsCollector", "--vm-stats-collector"),
    ("FirmwareAutoSelection", "--firmware-auto-selection"),
)


class PodError(VirtcatalogError):
    """virt-controller sends no Pod for an admitted VMI; `field` is the VMI's, "" when none is to blame."""

    def __init__(self, field: str, message: str) -> None:
        self.field, self.message = field, message
        super().__init__(f"{field}: {message}" if field else message)


class Facts:
    """The configuration, images, and what the cluster's objects say of claims, namespaces and quotas.

    The images are those of the release, as virt-operator passes them on from a plain installation.
    Source: pkg/virt-controller/watch/application.go (initCommon).
    """

    def __init__(self, cluster: Cluster) -> None:
        config = cluster.configuration
        self.cluster = cluster
        self.config = config
        self.release: Release = config.release
        self.traits = config.release.traits
        self.launcher_image = f"{_REGISTRY}/virt-launcher:{self.release.name}"
        self.shim_image = f"{_REGISTRY}/sidecar-shim:{self.release.name}"
        self.pull_policy = config.values.image_pull_policy
        self.image_volumes = config.feature_gate("ImageVolume")
        self.cross_architecture = config.feature_gate("CrossArchitectureVirtualization")
        self.reads_networks = not config.feature_gate("ExternalNetResourceInjection")
        self.tracks_changed_blocks = config.feature_gate("IncrementalBackup")
        self.claims_gpus = config.feature_gate("GPUsWithDRA")
        self.claims_host_devices = config.feature_gate("HostDevicesWithDRA")
        self.claims_networks = config.feature_gate("NetworkDevicesWithDRA")
        self.requests_iommufd = config.feature_gate("IOMMUFD")
        self.hypervisor_device = f"devices.kubevirt.io/{'mshv' if config.hypervisor == HYPERV_DIRECT else 'kvm'}"
        self.modes = ["--hypervisor", config.hypervisor] if self.traits.launcher_is_told_hypervisor else []
        self.gated_modes = [
            flag
            for gate, flag in _MODES
            if config.feature_gate(gate) and (gate != _HOOKS_GATE or self.traits.launcher_is_told_hooks)
        ]
        developer = config.values.developer_configuration
        assert developer
        verification = developer.disk_verification
        limit = verification.memory_limit if verification else None
        self.disk_memory_limit = limit.value if limit is not None else 0
        self.copy_flags = ["--preserve=all"] if self.traits.tool_keeps_attributes else []
        self.reports_overhead = config.feature_gate("VmiMemoryOverheadReport")
        self.shares_container_paths = config.feature_gate("ContainerPathVolumes")
        self.checks_hyperv = config.feature_gate("HypervStrictCheck")
        self.separates_categories = config.feature_gate("DockerSELinuxMCSWorkaround")
        self.selinux_type = config.values.selinux_launcher_type
        self.seccomp = _seccomp(config)
        self.node_selectors = developer.node_selectors
        self.has_plugins = config.feature_gate("Plugins")
        self.non_root = not config.feature_gate("Root")
        self.permitted = None if config.permitted_host_devices is None else frozenset(resource_kinds(config))
        self.tsc_frequency = cluster_tsc_frequency(config, cluster.host)
        self.limited = _limited(cluster)
        self.support: dict[tuple[str, bool], dict[str, dict[str, str]]] = {}
        """Resources of support containers, as they are first asked for."""
        self._labelled, self._named = _backend_claims(cluster.claims)
        self._auto_cpu: dict[str, bool] = {}
        self._ratios: dict[str, float] = {}

    def backend_claim(self, namespace: str, name: str) -> str:
        """The name of the claim with a VMI's state (TPM, NVRAM): of one that exists, else of the one that is created.

        Source: pkg/storage/backend-storage/backend-storage.go (PVCForVMI, createPVC).
        """
        labelled = self._labelled.get((namespace, name))
        if labelled is not None:
            return labelled
        own = f"{_BACKEND_CLAIM}-{name}"
        return own if (namespace, own) in self._named else f"{own}-"[:LONGEST_PREFIX] + "0" * DRAWN

    def limits_cpus_of(self, namespace: str) -> bool:
        """Whether the label selector of automatic CPU limits chooses a namespace (doesVMIRequireAutoCPULimits)."""
        limits = self._auto_cpu.get(namespace)
        if limits is None:
            selector = self.config.values.auto_cpu_limit_namespace_label_selector
            good = selector is not None and not any(label_selector(selector, ""))
            limits = good and selector is not None and selects(selector, self.cluster.namespace_labels(namespace))
            self._auto_cpu[namespace] = limits
        return limits

    def memory_limit_ratio(self, namespace: str) -> float:
        """How much of the request an automatic memory limit is (renderresources.go, getMemoryLimitsRatio)."""
        known_ratio = self._ratios.get(namespace)
        if known_ratio is None:
            label = self.cluster.namespace_labels(namespace).get(_RATIO_LABEL, "")
            ratio = float_of(label)
            known_ratio = self._ratios[namespace] = _RATIO if ratio is None or ratio < 1 else ratio
        return known_ratio

    def support_amount(self, kind: str, part: str, resource: str) -> Quantity | None:
        """What the configuration says of a kind of support container (GetSupportContainerRequest, …Limit)."""
        for resources in self.config.values.support_container_resources:
            amount = getattr(resources.resources, part).get(resource)
            if resources.type == kind and amount:
                quantity: Quantity = amount
                return quantity
        return None


def _seccomp(config: Configuration) -> dict[str, str]:
    """The seccomp profile that the configuration gives launchers (template.go, renderLaunchManifest)."""
    seccomp = config.values.seccomp_configuration
    profile = seccomp.virtual_machine_instance_profile if seccomp is not None else None
    custom = profile.custom_profile if profile is not None else None
    if custom is None:
        return {}
    if custom.localhost_profile is not None:
        return {"type": "Localhost", "localhostProfile": custom.localhost_profile}
    return {"type": "RuntimeDefault"} if custom.runtime_default_profile else {}


def _limited(cluster: Cluster) -> dict[str, frozenset[str]]:
    """Namespace to the resources that quotas limit there: `limits.cpu`, `limits.memory` (…AutoResourceLimits)."""
    limited: dict[str, frozenset[str]] = {}
    for quota in cluster.quotas:
        namespace = namespace_or_default(quota.metadata.namespace)
        limited[namespace] = limited.get(namespace, frozenset()) | quota.spec.hard.keys()
    return limited


def _backend_claims(
    claims: list[PersistentVolumeClaim],
) -> tuple[dict[tuple[str, str], str], frozenset[tuple[str, str]]]:
    """The claims labelled as the state of a VMI, and all there are; those that are being deleted do not count."""
    labelled: dict[tuple[str, str], str] = {}
    names = set()
    for claim in claims:
        metadata = claim.metadata
        if metadata.deletion_timestamp is None:
            namespace = namespace_or_default(metadata.namespace)
            names.add((namespace, metadata.name))
            if _BACKEND_CLAIM in metadata.labels:
                labelled.setdefault((namespace, metadata.labels[_BACKEND_CLAIM]), metadata.name)
    return labelled, frozenset(names)


_ZERO = Quantity()


def is_pinned(vmi: VirtualMachineInstance) -> bool:
    """Whether the VMI has CPUs of its own (IsCPUDedicated) or its Pod wants the quality of service Guaranteed."""
    return has_dedicated_cpus(vmi) or _wants_guarantee(vmi)


def has_dedicated_cpus(vmi: VirtualMachineInstance) -> bool:
    """Whether the VMI has CPUs of its own."""
    cpu = vmi.spec.domain.cpu
    return cpu is not None and cpu.dedicated_cpu_placement


def _wants_guarantee(vmi: VirtualMachineInstance) -> bool:
    """Whether limits are requests, of CPU and memory (api/core/v1/types.go, WantsToHaveQOSGuaranteed)."""
    resources = vmi.spec.domain.resources
    requests, limits = resources.requests, resources.limits
    cpu = requests.get("cpu")
    if not cpu or cpu != limits.get("cpu", _ZERO):
        return False
    request, limit = requests.get("memory", _ZERO), limits.get("memory", _ZERO)
    return bool(limit) if not request else request == limit


def has_tpm(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether there is a TPM (pkg/tpm, HasDevice)."""
    tpm = spec.domain.devices.tpm
    return tpm is not None and tpm.enabled is not False


def keeps_tpm(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether the TPM keeps its state over restarts (pkg/tpm, HasPersistentDevice)."""
    tpm = spec.domain.devices.tpm
    return tpm is not None and tpm.enabled is not False and tpm.persistent is True


def keeps_efi(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether UEFI keeps its variables over restarts (pkg/storage/backend-storage, HasPersistentEFI)."""
    firmware = spec.domain.firmware
    efi = firmware.bootloader.efi if firmware is not None and firmware.bootloader is not None else None
    return efi is not None and efi.persistent is True


def kernel_boot(spec: VirtualMachineInstanceSpec) -> KernelBootContainer | None:
    """The image of the kernel that is booted directly (pkg/util, HasKernelBootContainerImage)."""
    firmware = spec.domain.firmware
    return firmware.kernel_boot.container if firmware is not None and firmware.kernel_boot is not None else None


def has_vfio(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether the VMI has devices of the host (pkg/vmitrait, HasVFIO)."""
    devices = spec.domain.devices
    return bool(devices.host_devices or devices.gpus) or has_sriov(spec)


def has_sriov(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether there is an SR-IOV interface (pkg/network/vmispec, SRIOVInterfaceExist)."""
    for interface in spec.domain.devices.interfaces:  # noqa: SIM110 - half the time of a generator
        if interface.sriov is not None:
            return True
    return False
