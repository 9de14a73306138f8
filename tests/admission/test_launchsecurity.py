import pytest

from virtcatalog.kubevirt.admission.firmware import validate_launch_security

EFI = "firmware: {bootloader: {efi: {secureBoot: false}}}"
SECURE_EFI = "firmware: {bootloader: {efi: {}}}"
PERSISTENT_EFI = "firmware: {bootloader: {efi: {secureBoot: false, persistent: true}}}"
BIOS = "firmware: {bootloader: {bios: {}}}"
REFUSED = ["Invalid spec.launchSecurity"]
GATES = ["WorkloadEncryptionSEV", "WorkloadEncryptionTDX"]


@pytest.mark.parametrize(
    ("security", "firmware", "causes"),
    [
        ("sev: {}", EFI, []),
        ("snp: {}", EFI, []),
        ("tdx: {}", EFI, []),
        ("sev: {}", SECURE_EFI, REFUSED),
        ("snp: {}", SECURE_EFI, REFUSED),
        ("tdx: {}", SECURE_EFI, []),
        ("sev: {}", PERSISTENT_EFI, []),
        ("snp: {}", PERSISTENT_EFI, REFUSED),
        ("tdx: {}", PERSISTENT_EFI, REFUSED),
        ("sev: {}", BIOS, REFUSED),
        ("tdx: {}", "firmware: {}", REFUSED),
    ],
)
def test_firmware_of_confidential_guests(causes_of, security, firmware, causes):
    spec = f"domain: {{devices: {{}}, launchSecurity: {{{security}}}, {firmware}}}"
    assert causes_of(validate_launch_security, spec, gates=GATES) == causes


@pytest.mark.parametrize("security", ["{}", "{sev: {}, snp: {}}", "{sev: {}, tdx: {}}"])
def test_exactly_one_technology(causes_of, security):
    spec = f"domain.launchSecurity: {security}"
    assert causes_of(validate_launch_security, spec, gates=GATES) == ["Forbidden spec.launchSecurity"]


def test_each_technology_needs_its_gate(causes_of):
    sev, tdx = (f"domain: {{devices: {{}}, launchSecurity: {{{kind}: {{}}}}, {EFI}}}" for kind in ("sev", "tdx"))
    off = "developerConfiguration.disabledFeatureGates: [WorkloadEncryptionSEV]"
    assert causes_of(validate_launch_security, sev) == []
    assert causes_of(validate_launch_security, sev, off) == REFUSED
    assert causes_of(validate_launch_security, tdx) == REFUSED
    snp = sev.replace("sev: {}", "snp: {}")
    assert causes_of(validate_launch_security, snp, off) == REFUSED
    assert causes_of(validate_launch_security, tdx, gates=["WorkloadEncryptionTDX"]) == []


@pytest.mark.parametrize(("features", "causes"), [("{smm: {}}", REFUSED), ("{smm: {enabled: false}}", []), ("{}", [])])
def test_tdx_excludes_smm(causes_of, features, causes):
    spec = f"domain: {{devices: {{}}, launchSecurity: {{tdx: {{}}}}, features: {features}, {EFI}}}"
    assert causes_of(validate_launch_security, spec, gates=GATES) == causes


@pytest.mark.parametrize(("start", "causes"), [("startStrategy: Paused", []), ("hostname: x", REFUSED)])
def test_sev_attestation_starts_paused(causes_of, start, causes):
    spec = f"{{domain: {{devices: {{}}, launchSecurity: {{sev: {{attestation: {{}}}}}}, {EFI}}}, {start}}}"
    assert causes_of(validate_launch_security, spec) == causes


def test_no_network_boot(causes_of):
    interfaces = "interfaces: [{name: a, bootOrder: 1}, {name: b}, {name: c, bootOrder: 2}]"
    spec = f"domain: {{devices: {{{interfaces}}}, launchSecurity: {{snp: {{}}}}, {EFI}}}"
    assert causes_of(validate_launch_security, spec) == REFUSED * 2


@pytest.mark.parametrize(
    ("architecture", "causes"),
    [("s390x", []), ("arm64", ["Invalid spec.architecture"]), ("''", ["Invalid spec.architecture"])],
)
def test_other_architectures(causes_of, architecture, causes):
    assert (
        causes_of(validate_launch_security, f"{{architecture: {architecture}, domain.launchSecurity: {{}}}}") == causes
    )
