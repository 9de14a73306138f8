import pytest

from virtcatalog.kubevirt.admission.lifecycle import validate_probes

POD = "networks: [{name: default, pod: {}}]"
MULTUS = "networks: [{name: other, multus: {networkName: net}}]"


@pytest.mark.parametrize("handler", ["httpGet: {port: 80}", "tcpSocket: {port: 22}", "exec: {}", "guestAgentPing: {}"])
@pytest.mark.parametrize("probe", ["readinessProbe", "livenessProbe"])
def test_a_probe_does_one_thing(causes_of, probe, handler):
    assert causes_of(validate_probes, f"{{{probe}: {{{handler}}}, {POD}}}") == []
    assert causes_of(validate_probes, f"{{{probe}: {{}}, {POD}}}") == [f"Required spec.{probe}"]


def test_a_probe_does_not_do_two_things(causes_of):
    spec = f"{{readinessProbe: {{exec: {{}}, guestAgentPing: {{}}}}, {POD}}}"
    assert causes_of(validate_probes, spec) == ["Invalid spec.readinessProbe"]


@pytest.mark.parametrize("networks", [MULTUS, "networks: []"])
@pytest.mark.parametrize(
    ("handler", "causes"),
    [
        ("httpGet: {port: 80}", ["Invalid spec.livenessProbe.httpGet"]),
        ("tcpSocket: {port: 22}", ["Invalid spec.livenessProbe.tcpSocket"]),
        ("exec: {}", []),
        ("guestAgentPing: {}", []),
    ],
)
def test_probes_connect_over_the_pod_network(causes_of, networks, handler, causes):
    assert causes_of(validate_probes, f"{{livenessProbe: {{{handler}}}, {networks}}}") == causes
