import pytest

from virtcatalog.api.core import ObjectMeta
from virtcatalog.kubevirt.admission.grace import validate_grace, validate_grace_annotations

PERMITTED = """
permittedHostDevices.pciHostDevices:
- {pciVendorSelector: '10de:2342', resourceName: nvidia.com/grace}
- {pciVendorSelector: '10DE:*', resourceName: nvidia.com/any}
- {pciVendorSelector: '10de:1eb8', resourceName: nvidia.com/t4}
- {pciVendorSelector: '8086:2342', resourceName: intel.com/other}
"""
GATES = ["GraceIOVirtualization", "PCINUMAAwareTopology", "IOMMUFD"]
GPU = "Invalid spec.domain.devices.gpus[0].deviceName"


def vm(resource, architecture="arm64", rest="domain.cpu.dedicatedCpuPlacement: true", kind="gpus"):
    return f"{{architecture: {architecture}, domain.devices.{kind}: [{{name: g, deviceName: {resource}}}], {rest}}}"


@pytest.mark.parametrize(
    ("resource", "gates", "causes"),
    [
        ("nvidia.com/grace", GATES, []),
        ("nvidia.com/grace", [], [GPU]),
        ("nvidia.com/any", GATES, [GPU]),
        ("nvidia.com/any", [], []),
        ("nvidia.com/t4", [], []),
        ("intel.com/other", [], []),
        ("unknown.com/other", [], []),
    ],
)
def test_grace_gpus_are_told_by_their_pci_ids(causes_of, resource, gates, causes):
    assert causes_of(validate_grace, vm(resource), PERMITTED, gates) == causes


@pytest.mark.parametrize(
    ("selector", "grace", "unclear"),
    [
        *((f"10de:{product}", True, False) for product in ("2342", "2348", "2941")),
        ("0x10DE : 0x2342", True, False),
        ("10DE:*", False, True),
        ("10de:2343", False, False),
        ("10df:2342", False, False),
        ("10de", False, False),
        ("10de:23425", False, False),
        ("nvidia:2342", False, False),
        ("", False, False),
    ],
)
def test_selectors_of_grace_gpus(judged, selector, grace, unclear):
    permitted = f"permittedHostDevices.pciHostDevices: [{{pciVendorSelector: '{selector}', resourceName: x/y}}]"
    assert bool(judged(validate_grace, vm("x/y"), permitted)) is grace
    assert bool(judged(validate_grace, vm("x/y"), permitted, GATES)) is unclear


def test_host_devices_can_be_grace_gpus(causes_of):
    spec = vm("nvidia.com/grace", kind="hostDevices")
    assert causes_of(validate_grace, spec, PERMITTED) == ["Invalid spec.domain.devices.hostDevices[0].deviceName"]


@pytest.mark.parametrize(
    ("spec", "gates", "causes"),
    [
        (
            vm("nvidia.com/grace", architecture="amd64"),
            GATES,
            ["Invalid spec.architecture", "Invalid spec.domain.machine.type"],
        ),
        (
            vm("nvidia.com/grace", rest="domain.cpu: {}, domain.machine.type: sbsa-ref"),
            GATES,
            ["Invalid spec.domain.machine.type", "Required spec.domain.cpu.dedicatedCpuPlacement"],
        ),
        (vm("nvidia.com/grace"), GATES[:2], ["Invalid spec.domain.devices"]),
        (vm("nvidia.com/grace"), GATES[:1], ["Invalid spec.domain.devices"] * 2),
    ],
)
def test_a_grace_gpu_needs_its_surroundings(causes_of, spec, gates, causes):
    assert causes_of(validate_grace, spec, PERMITTED, gates) == causes


@pytest.mark.parametrize("annotation", ["kubevirt.io/placePCIDevicesOnRootComplex", "kubevirt.io/disablePCIHole64"])
def test_a_grace_gpu_excludes_annotations_on_pci(causes_of, annotation):
    def found_with(resource, value):
        metadata = ObjectMeta(annotations={annotation: value})
        return causes_of(
            lambda spec, _path, config: validate_grace_annotations(spec, metadata, "metadata", config),
            vm(resource),
            PERMITTED,
        )

    assert found_with("nvidia.com/grace", "true") == [f"Invalid metadata.annotations[{annotation}]"]
    assert found_with("nvidia.com/grace", "false") == []
    assert found_with("nvidia.com/t4", "true") == []
