"""The devices of a VMI but disks and interfaces: which there are, and which of them need a feature gate.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.devices import GPU
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Volume
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_inputs(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """An input device is a tablet on the virtio or the USB bus (validateInputDevices)."""
    for index, device in enumerate(spec.domain.devices.inputs):
        field = f"{path}.domain.devices.inputs[{index}]"
        if device.bus not in ("", "virtio", "usb"):
            yield invalid(f"{field}.bus", f"{device.bus!r} is no bus for input devices; virtio and usb are")
        if device.type != "tablet":
            yield invalid(f"{field}.type", f"{device.type!r} is no type of input device; tablet is the only one")


def validate_sound(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A sound device has a name and a known model (validateSoundDevices)."""
    sound = spec.domain.devices.sound
    if sound is None:
        return
    if sound.model not in ("", "ich9", "ac97"):
        yield invalid(f"{path}.Sound", f"{sound.model!r} is no model of sound device; ich9 and ac97 are")
    if not sound.name:
        yield invalid(f"{path}.Sound", "domain.devices.sound has no name")


VIDEO_GATE = "VideoConfig"


def validate_video(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A type of video needs its feature gate, and who wants no graphics device cannot choose one.

    Source: validateVideoConfig.
    """
    devices = spec.domain.devices
    if devices.video is None:
        return
    if not config.feature_gate(VIDEO_GATE):
        yield invalid(f"{path}.video", f"domain.devices.video needs the feature gate {VIDEO_GATE}, which is off")
    elif devices.autoattach_graphics_device is False:
        yield invalid(f"{path}.video", "domain.devices.video needs autoattachGraphicsDevice, which is false")


PANIC_GATE = "PanicDevices"
PANIC_MODELS = ("hyperv", "isa", "pvpanic")


def validate_panic_devices(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A panic device has a known model, and s390x has one of its own (validatePanicDevices)."""
    devices = spec.domain.devices.panic_devices
    if not devices:
        return
    field = f"{path}.domain.devices.panicDevices"
    if not config.feature_gate(PANIC_GATE):
        yield invalid(field, f"panic devices need the feature gate {PANIC_GATE}, which is off")
        return
    if (spec.architecture or config.default_architecture) == "s390x":
        yield invalid(field, "s390x takes no panic devices: it has one built in")
    for index, device in enumerate(devices):
        if device.model is not None and device.model not in PANIC_MODELS:
            yield invalid(
                f"{field}[{index}].model", f"{device.model!r} is no model; models are {', '.join(PANIC_MODELS)}"
            )


def validate_vsock(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A VSOCK device needs its feature gate (validateVSOCK)."""
    if spec.domain.devices.autoattach_vsock and not config.feature_gate("VSOCK"):
        yield invalid(f"{path}.domain.devices.autoattachVSOCK", "needs the feature gate VSOCK, which is off")


def validate_downward_metrics(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """The device needs a feature gate; so does the volume (see `volumes`) (validateDownwardMetrics)."""
    if spec.domain.devices.downward_metrics is not None and not config.feature_gate("DownwardMetrics"):
        yield invalid(f"{path}.domain.devices.downwardMetrics", "needs the feature gate DownwardMetrics")


def validate_gpus(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """One vGPU at most can have a display with a RAM framebuffer (validateMDEVRamFB)."""
    unsaid = config.release.traits.ramfb_is_on_unless_off
    if sum(_has_ram_framebuffer(gpu, unsaid=unsaid) for gpu in spec.domain.devices.gpus) > 1:
        yield invalid(f"{path}.GPUs", "only one vGPU can have a display with ramFB: disable it for the others")


def _has_ram_framebuffer(gpu: GPU, *, unsaid: bool) -> bool:
    """A display has one by default; a `ramFB` whose `enabled` says nothing counts as `unsaid`.

    Source: countConfiguredMDEVRamFBs.
    """
    options = gpu.virtual_gpu_options
    display = options.display if options is not None else None
    if display is None or display.enabled is False:
        return False
    if display.ram_fb is None:
        return True
    return unsaid if display.ram_fb.enabled is None else display.ram_fb.enabled


def validate_host_devices(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Host devices at all; which of them are permitted shows when the pod is made.

    Source: validateHostDevicesWithPassthroughEnabled.
    """
    if spec.domain.devices.host_devices and not config.feature_gate("HostDevices"):
        yield invalid(f"{path}.HostDevices", "hostDevices need the feature gate HostDevices")


STORAGE_GATE = "EnableVirtioFsStorageVolumes"
CONFIGURATION_GATE = "EnableVirtioFsConfigVolumes"
BOTH_GATE = "ExperimentalVirtiofsSupport"


def validate_filesystems(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Storage is shared only behind a feature gate, and so is configuration until its gate is GA.

    Source: validateFilesystemsWithVirtIOFSEnabled.
    """
    filesystems = spec.domain.devices.filesystems
    if not filesystems:
        return
    both = config.release.traits.experimental_virtiofs_gate and config.feature_gate(BOTH_GATE)
    share_storage = both or config.feature_gate(STORAGE_GATE)
    share_configuration = both or config.feature_gate(CONFIGURATION_GATE)
    if share_storage and share_configuration:
        return
    volumes = {volume.name: volume for volume in spec.volumes}
    for filesystem in filesystems:
        volume = volumes.get(filesystem.name)
        if volume is None:
            continue
        gate = ""
        if volume.persistent_volume_claim is not None or volume.data_volume is not None:
            gate = "" if share_storage else STORAGE_GATE
        elif _is_configuration(volume):
            gate = "" if share_configuration else CONFIGURATION_GATE
        if gate:
            message = f"filesystem {filesystem.name!r}: sharing its volume needs the feature gate {gate}"
            yield invalid(f"{path}.domain.devices.filesystems", message)


def _is_configuration(volume: Volume) -> bool:
    return (
        volume.config_map is not None
        or volume.secret is not None
        or volume.service_account is not None
        or volume.downward_api is not None
    )
