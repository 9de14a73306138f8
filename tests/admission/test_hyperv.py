import pytest

from virtcatalog.kubevirt.admission.firmware import validate_hyperv

AT = "spec.domain.features.hyperv"
VMX = "domain.cpu.features: [{name: vmx, policy: require}]"
ON, OFF = "{enabled: true}", "{enabled: false}"


@pytest.mark.parametrize(
    ("feature", "needed"),
    [("synic", "vpindex"), ("synictimer", "synic"), ("tlbflush", "vpindex"), ("ipi", "vpindex"), ("evmcs", "vapic")],
)
def test_features_build_on_others(causes_of, feature, needed):
    rest = f"vpindex: {ON}, " if needed == "synic" else ""
    refused = [f"Invalid {AT}.domain.features.hyperv.{feature}"]
    for state, causes in ((ON, []), (OFF, refused), ("{}", refused)):
        spec = f"domain.features.hyperv: {{{feature}: {ON}, {rest}{needed}: {state}}}\n{VMX}"
        assert causes_of(validate_hyperv, spec) == causes
    assert causes_of(validate_hyperv, f"domain.features.hyperv: {{{rest}{feature}: {ON}}}\n{VMX}") == refused
    assert causes_of(validate_hyperv, f"domain.features.hyperv: {{{feature}: {OFF}}}\n{VMX}") == []


@pytest.mark.parametrize(
    ("features", "causes"),
    [
        ("[{name: vmx, policy: require}]", []),
        ("[{name: svm, policy: disable}]", []),
        ("[]", ["Required spec.domain.cpu.features"]),
        ("[{name: svm}, {name: vmx, policy: optional}]", ["Invalid spec.domain.cpu.features[1].policy"]),
    ],
)
def test_evmcs_needs_vmx(causes_of, features, causes):
    spec = f"domain.features.hyperv: {{evmcs: {ON}, vapic: {ON}}}\ndomain.cpu.features: {features}"
    assert causes_of(validate_hyperv, spec) == causes


@pytest.mark.parametrize(
    ("features", "causes"),
    [
        ("{hyperv: {}}", []),
        ("{hypervPassthrough: {}}", []),
        ("{hyperv: {}, hypervPassthrough: {enabled: false}}", [f"Invalid {AT}"]),
    ],
)
def test_features_are_chosen_or_passed_through(causes_of, features, causes):
    assert causes_of(validate_hyperv, f"domain.features: {features}") == causes
