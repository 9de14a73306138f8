import pytest

from virtcatalog.kubevirt.admission.bindings import validate_discontinued_feature_gates


@pytest.mark.parametrize(("binding", "gate"), [("macvtap", "Macvtap"), ("passt", "Passt")])
def test_a_discontinued_gate_does_not_bring_its_binding_back(causes_of, binding, gate):
    spec = f"domain.devices.interfaces: [{{name: a, {binding}: {{}}}}]"
    assert causes_of(validate_discontinued_feature_gates, spec, gates=[gate]) == ["NotSupported "]
    assert causes_of(validate_discontinued_feature_gates, spec) == []
    assert (
        causes_of(
            validate_discontinued_feature_gates, "domain.devices.interfaces: [{name: a, bridge: {}}]", gates=[gate]
        )
        == []
    )
