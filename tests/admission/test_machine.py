import pytest

from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.admission.firmware import validate_machine

REFUSED = ["Invalid spec.domain.machine.type"]


@pytest.mark.parametrize(
    ("architecture", "machine", "causes"),
    [
        ("amd64", "q35", []),
        ("amd64", "pc-q35-rhel9.6.0", []),
        ("amd64", "", []),
        ("amd64", "pc-i440fx-7.2", REFUSED),
        ("amd64", "virt", REFUSED),
        ("arm64", "virt-9.0", []),
        ("arm64", "q35", REFUSED),
        ("s390x", "s390-ccw-virtio", []),
        ("s390x", "q35", REFUSED),
    ],
)
def test_the_machine_is_one_of_the_architectures(causes_of, architecture, machine, causes):
    assert causes_of(validate_machine, f"{{architecture: {architecture}, domain.machine.type: '{machine}'}}") == causes


@pytest.mark.parametrize(
    ("pattern", "machine", "allowed"),
    [
        ("pc-*", "pc-i440fx-7.2", True),
        ("pc-*", "pc-q35/x", False),
        *[("*a*b*c", machine, True) for machine in ("abc", "xaxbxc", "abbcc", "aabbabc")],
        *[("*a*b*c", machine, False) for machine in ("xaxxc", "xbxaxc", "xxbxc", "axbx", "axbcx")],
        ("q3?", "q35", True),
        ("q3?", "q3", False),
        ("q3[4-6]", "q35", True),
        ("q3[^4-6]", "q35", False),
        ("q.5", "q35", False),
        (r"q\*", "q*", True),
        (r"q\*", "q35", False),
        ("q3[z-a]", "q35", False),
        *[(pattern, machine, False) for pattern, machine in (("q3[", "q3["), ("q3[-5]", "q35"), ("q3[5-]", "q35"))],
        *[(pattern, machine, False) for pattern, machine in (("q3[^]", "q3^"), ("q3[]5]", "q35"), ("q3\\", "q3\\"))],
        *[(pattern, "q35", True) for pattern in ("q3[a||5]", "q3[[5]", "q3[&&5]", r"q3[\5]", r"q3[\]-\5x5]")],
    ],
)
def test_allowed_machines_are_file_name_patterns(causes_of, pattern, machine, allowed):
    config = f"emulatedMachines: ['{pattern}']"
    assert causes_of(validate_machine, f"domain.machine.type: '{machine}'", config) == ([] if allowed else REFUSED)


def test_stars_of_a_pattern_are_not_tried_again(causes_of):
    """Each with each of the others, these would take years."""
    config = f"emulatedMachines: ['{'*a' * 100}b', '{'[' * 256}']"
    assert causes_of(validate_machine, f"domain.machine.type: {'a' * 256}", config) == REFUSED


@pytest.mark.parametrize(("pattern", "machine"), [("a*" * 129, "q35"), ("*", "a" * 257)])
def test_long_machines_and_patterns_are_not_matched(causes_of, pattern, machine):
    with pytest.raises(UnsupportedError) as caught:
        causes_of(validate_machine, f"domain.machine.type: {machine}", f"emulatedMachines: ['{pattern}']")
    message = "a machine, or a pattern of emulatedMachines, of more than 256 characters"
    assert (caught.value.field, caught.value.message) == ("spec.domain.machine.type", message)


@pytest.mark.parametrize(("pattern", "machine"), [("a*" * 128, "q35"), ("q*", "a" * 256)])
def test_machines_and_patterns_of_256_characters_are(causes_of, pattern, machine):
    assert causes_of(validate_machine, f"domain.machine.type: {machine}", f"emulatedMachines: ['{pattern}']") == REFUSED
