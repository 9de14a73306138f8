"""Fields of preferences that say themselves what they fill in."""

import pytest
from reading import read, read_preference

from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.kubevirt.preference.fill import fill, filled_fields


def filled(preference, spec="{domain: {devices: {}}}"):
    vmi_spec = convert(read(spec), VirtualMachineInstanceSpec)
    wanted = read_preference(preference)
    fill(wanted, vmi_spec)
    if wanted.devices is not None:
        fill(wanted.devices, vmi_spec)
    return to_manifest(vmi_spec)


@pytest.mark.parametrize(
    ("preference", "spec", "devices"),
    [
        ("devices: {preferredVideoType: vga}", "{}", {"video": {"type": "vga"}}),
        ("devices: {preferredVideoType: vga}", "{video: {type: bochs}}", {"video": {"type": "bochs"}}),
        ("devices: {preferredVideoType: vga}", "{video: {}}", {"video": {"type": "vga"}}),
        ("devices: {preferredBlockMultiQueue: true}", "{blockMultiQueue: false}", {"blockMultiQueue": False}),
        ("devices: {preferredBlockMultiQueue: false}", "{}", {"blockMultiQueue": False}),
        ("devices: {preferredRng: {}}", "{}", {"rng": {}}),
        ("devices: {}", "{}", {}),
    ],
)
def test_what_the_vm_leaves_out_is_filled_in(preference, spec, devices):
    assert filled(preference, f"{{domain: {{devices: {spec}}}}}")["domain"]["devices"] == devices


def test_fields_of_the_spec_itself():
    spec = filled("{preferredSubdomain: a, preferredTerminationGracePeriodSeconds: 0}")
    assert (spec["subdomain"], spec["terminationGracePeriodSeconds"]) == ("a", 0)


def test_what_is_filled_in_is_a_copy():
    preference = read_preference("preferredLaunchSecurity: {sev: {}}")
    specs = [convert(read("{domain: {devices: {}}}"), VirtualMachineInstanceSpec) for _ in range(2)]
    for spec in specs:
        fill(preference, spec)
    specs[0].domain.launch_security.sev.session = "x"
    assert specs[1].domain.launch_security == preference.preferred_launch_security


def test_the_fields_are_known_by_name():
    assert filled_fields()["devices.preferredTPM"] == "domain.devices.tpm"
    assert filled_fields()["preferredSubdomain"] == "subdomain"
