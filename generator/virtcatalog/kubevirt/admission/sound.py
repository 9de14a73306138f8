"""Sound devices. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_sound(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A sound device has a name and a known model (validateSoundDevices)."""
    sound = spec.domain.devices.sound
    if sound is None:
        return
    if sound.model not in ("", "ich9", "ac97"):
        yield invalid(f"{path}.Sound", f"{sound.model!r} is no model of sound device; ich9 and ac97 are")
    if not sound.name:
        yield invalid(f"{path}.Sound", "domain.devices.sound has no name")
