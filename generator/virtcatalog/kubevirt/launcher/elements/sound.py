"""`<sound>`: the sound card."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.elements.address import add_alias
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element

_MODELS = ("ich9", "ac97")


def sound(vmi: VirtualMachineInstance) -> Element | None:
    """`<sound>`, an ICH9 unless the VMI says otherwise.

    Source: pkg/virt-launcher/virtwrap/converter/compute/sound.go (SoundDomainConfigurator).
    """
    device = vmi.spec.domain.devices.sound
    if device is None:
        return None
    model = device.model or "ich9"
    if model not in _MODELS:
        raise DomainError("spec.domain.devices.sound.model", f"{model!r} is none of {', '.join(_MODELS)}")
    element = Element("sound", {"model": model})
    add_alias(element, device.name)
    return element
