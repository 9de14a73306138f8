"""`<sound>`: the sound card."""

from __future__ import annotations

from virtcatalog.api.devices import SoundDevice
from virtcatalog.kubevirt.launcher.elements.address import alias
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, shared

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
