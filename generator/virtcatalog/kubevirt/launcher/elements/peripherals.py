"""Small devices: `<rng>`, `<panic>`, `<vsock>`, `<watchdog>`, `<tpm>`, `<memballoon>`, `<sound>`, `<filesystem>`.

And `<iommufd>`, a child of the domain itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.devices import Filesystem, PanicDevice, SoundDevice, TPMDevice, Watchdog
from virtcatalog.kubevirt.launcher.elements.address import alias
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf, own, shared
from virtcatalog.kubevirt.memo import memo


def iommufd(descriptor: bool) -> Element | None:
    """`<iommufd>`, absent unless the pod got the file descriptor.

    Source: pkg/virt-launcher/virtwrap/converter/compute/iommufd.go (IOMMUFDConfigurator).
    """
    return leaf("iommufd", enabled="yes", fdgroup="iommu") if descriptor else None


@memo
def rng(model: str, iommu: bool) -> Element:
    """`<rng>`, fed from the host's /dev/urandom.

    Source: pkg/virt-launcher/virtwrap/converter/compute/rng.go (RNGDomainConfigurator).
    """
    driver = [leaf("driver", iommu="on")] if iommu else []
    return shared("rng", leaf("backend", "/dev/urandom", model="random"), *driver, model=model)


def panics(devices: Sequence[PanicDevice]) -> list[Element]:
    """A `<panic>` for each panic device; without a model libvirt chooses.

    Source: pkg/virt-launcher/virtwrap/converter/compute/panic_devices.go (PanicDevicesDomainConfigurator).
    """
    return [leaf("panic") if device.model is None else leaf("panic", model=device.model) for device in devices]


def vsock(cid: int | None) -> Element | None:
    """`<vsock>` with the address that virt-controller gives the VMI, if it does; always of virtio 1.0.

    Source: pkg/virt-launcher/virtwrap/converter/compute/vsock.go (VSOCKDomainConfigurator).
    """
    if cid is None:
        return None
    return own("vsock", leaf("cid", auto="no", address=str(cid)), model="virtio-non-transitional")


def watchdog(device: Watchdog | None, architecture: str) -> Element | None:
    """`<watchdog>`: an i6300esb on amd64, a diag288 on s390x; arm64 has none.

    Source: pkg/virt-launcher/virtwrap/converter/compute/watchdog.go (WatchdogDomainConfigurator).
    """
    if device is None:
        return None
    field = "spec.domain.devices.watchdog"
    if architecture == "arm64":
        raise DomainError(field, "arm64 machines have no watchdog")
    model, wanted = ("diag288", device.diag288) if architecture == "s390x" else ("i6300esb", device.i6300esb)
    if wanted is None:
        raise DomainError(field, f"a watchdog on {architecture} has to be {model}")
    return shared("watchdog", alias(device.name), model=model, action=wanted.action)


def tpm(device: TPMDevice | None) -> Element | None:
    """`<tpm>` unless the VMI has none or turns it off; the one that keeps its state is of the newer model.

    Source: pkg/virt-launcher/virtwrap/converter/compute/tpm.go (TPMDomainConfigurator).
    """
    if device is None or device.enabled is False:
        return None
    return _tpm(bool(device.persistent))


@memo
def _tpm(persistent: bool) -> Element:
    state = {"persistent_state": "yes"} if persistent else {}
    backend = leaf("backend", type="emulator", version="2.0", **state)
    return shared("tpm", backend, model="tpm-crb" if persistent else "tpm-tis")


@memo
def memballoon(attached: bool, model: str, free_page_reporting: bool, stats_period: int, iommu: bool) -> Element:
    """`<memballoon>`, which must say so when there is none, or libvirt adds one.

    Source: pkg/virt-launcher/virtwrap/converter/compute/balloon.go (BalloonDomainConfigurator).
    """
    if not attached:
        return leaf("memballoon", model="none")
    stats = [leaf("stats", period=str(stats_period))] if stats_period else []
    driver = [leaf("driver", iommu="on")] if iommu else []
    reporting = "on" if free_page_reporting else "off"
    return shared("memballoon", *stats, *driver, model=model, freePageReporting=reporting)


_MODELS = ("ich9", "ac97")


def sound(device: SoundDevice | None) -> Element | None:
    """`<sound>`, an ICH9 unless the VMI says otherwise.

    Source: pkg/virt-launcher/virtwrap/converter/compute/sound.go (SoundDomainConfigurator).
    """
    if device is None:
        return None
    model = device.model or "ich9"
    if model not in _MODELS:
        raise DomainError("spec.domain.devices.sound.model", f"{model!r} is none of {', '.join(_MODELS)}")
    return shared("sound", alias(device.name), model=model)


_SOCKETS = "/var/run/kubevirt/virtiofs-containers"


def filesystems(shared: Sequence[Filesystem]) -> list[Element]:
    """A `<filesystem>` for each filesystem of the VMI; its virtiofsd runs in a container of its own.

    Source: pkg/virt-launcher/virtwrap/converter/storage/virtiofs.go (VirtiofsConfigurator).
    """
    elements = []
    for filesystem in shared:
        element = Element("filesystem", {"type": "mount", "accessMode": "passthrough"})
        SubElement(element, "driver", {"type": "virtiofs", "queue": "1024"})
        SubElement(element, "source", {"dir": "", "socket": f"{_SOCKETS}/{filesystem.name}.sock"})
        SubElement(element, "target", {"dir": filesystem.name} if filesystem.name else {})
        elements.append(element)
    return elements
