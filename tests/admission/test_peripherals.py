"""Input, sound, video and panic devices, VSOCK."""

import pytest

from virtcatalog.kubevirt.admission.devices import (
    validate_inputs,
    validate_panic_devices,
    validate_sound,
    validate_video,
    validate_vsock,
)


@pytest.mark.parametrize(
    ("device", "causes"),
    [
        ("type: tablet", []),
        ("type: tablet, bus: usb", []),
        ("type: tablet, bus: virtio", []),
        ("type: tablet, bus: ps2", ["Invalid spec.domain.devices.inputs[0].bus"]),
        ("type: keyboard", ["Invalid spec.domain.devices.inputs[0].type"]),
        (
            "type: mouse, bus: ps2",
            ["Invalid spec.domain.devices.inputs[0].bus", "Invalid spec.domain.devices.inputs[0].type"],
        ),
    ],
)
def test_an_input_device_is_a_tablet(causes_of, device, causes):
    assert causes_of(validate_inputs, f"domain.devices.inputs: [{{name: pointer, {device}}}]") == causes


@pytest.mark.parametrize(
    ("sound", "causes"),
    [
        ("{name: s}", []),
        ("{name: s, model: ich9}", []),
        ("{name: s, model: ac97}", []),
        ("{name: s, model: sb16}", ["Invalid spec.Sound"]),
        ("{name: '', model: sb16}", ["Invalid spec.Sound"] * 2),
    ],
)
def test_a_sound_device_has_a_name_and_a_known_model(causes_of, sound, causes):
    assert causes_of(validate_sound, f"domain.devices.sound: {sound}") == causes


@pytest.mark.parametrize(
    ("devices", "causes"),
    [
        ("{video: {type: vga}}", []),
        ("{video: {type: vga}, autoattachGraphicsDevice: true}", []),
        ("{autoattachGraphicsDevice: false}", []),
        ("{video: {type: vga}, autoattachGraphicsDevice: false}", ["Invalid spec.video"]),
    ],
)
def test_a_video_type_needs_a_graphics_device(causes_of, devices, causes):
    assert causes_of(validate_video, f"domain.devices: {devices}") == causes


@pytest.mark.parametrize("model", ["hyperv", "isa", "pvpanic"])
def test_panic_device_models(causes_of, model):
    assert causes_of(validate_panic_devices, f"domain.devices.panicDevices: [{{}}, {{model: {model}}}]") == []


def test_other_panic_devices(causes_of):
    spec = "domain.devices.panicDevices: [{}, {model: s390}]"
    assert causes_of(validate_panic_devices, spec) == ["Invalid spec.domain.devices.panicDevices[1].model"]
    spec = "{architecture: s390x, domain.devices.panicDevices: [{}]}"
    assert causes_of(validate_panic_devices, spec) == ["Invalid spec.domain.devices.panicDevices"]


@pytest.mark.parametrize(
    ("attach", "gates", "causes"),
    [
        ("true", ["VSOCK"], []),
        ("true", [], ["Invalid spec.domain.devices.autoattachVSOCK"]),
        ("false", [], []),
    ],
)
def test_vsock_needs_its_gate(causes_of, attach, gates, causes):
    assert causes_of(validate_vsock, f"domain.devices.autoattachVSOCK: {attach}", gates=gates) == causes
