import pytest

from virtcatalog.kubevirt.admission.affinity import PREFERRED, REQUIRED, validate_affinity, validate_topology_spread

TERM = f"spec.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0]"
POD_TERM = f"spec.podAffinity.{REQUIRED}[0]"


def node_term(term):
    return f"affinity.nodeAffinity.{REQUIRED}: {{nodeSelectorTerms: [{term}]}}"


@pytest.mark.parametrize(
    ("requirement", "causes"),
    [
        ("{key: zone, operator: In, values: [a, b]}", []),
        ("{key: zone, operator: In}", ["values"]),
        ("{key: zone, operator: NotIn}", ["values"]),
        ("{key: zone, operator: Exists}", []),
        ("{key: zone, operator: DoesNotExist, values: [a]}", ["values"]),
        ("{key: cpus, operator: Gt, values: ['4']}", []),
        ("{key: cpus, operator: Lt}", ["values"]),
        ("{key: cpus, operator: Gt, values: ['4', '5']}", ["values"]),
        ("{key: a/b/c, operator: Exists}", ["key"]),
    ],
)
def test_node_labels(causes_of, requirement, causes):
    expected = [f"Invalid {TERM}.matchExpressions[0].{field}" for field in causes]
    assert causes_of(validate_affinity, node_term(f"{{matchExpressions: [{requirement}]}}")) == expected


@pytest.mark.parametrize(
    ("requirement", "causes"),
    [
        ("{key: metadata.name, operator: In, values: [node-1]}", []),
        ("{key: metadata.name, operator: In, values: [node-1, node-2]}", ["values"]),
        ("{key: metadata.name, operator: Exists, values: [node-1]}", ["operator"]),
        ("{key: metadata.name, operator: NotIn, values: [Node]}", ["values[0]"]),
        ("{key: spec.podCIDR, operator: In, values: [Node]}", ["key"]),
    ],
)
def test_node_fields(causes_of, requirement, causes):
    expected = [f"Invalid {TERM}.matchFields[0].{field}" for field in causes]
    assert causes_of(validate_affinity, node_term(f"{{matchFields: [{requirement}]}}")) == expected


def test_required_node_affinity_has_terms(causes_of):
    assert causes_of(validate_affinity, node_term("")) == [f"Invalid spec.nodeAffinity.{REQUIRED}.nodeSelectorTerms"]


@pytest.mark.parametrize(("weight", "valid"), [(0, False), (1, True), (100, True), (101, False)])
def test_weights_are_from_1_to_100(causes_of, weight, valid):
    node = f"affinity.nodeAffinity.{PREFERRED}: [{{weight: {weight}, preference: {{}}}}]"
    pod = f"affinity.podAntiAffinity.{PREFERRED}: [{{weight: {weight}, podAffinityTerm: {{topologyKey: zone}}}}]"
    assert causes_of(validate_affinity, node) == ([] if valid else [f"Invalid spec.nodeAffinity.{PREFERRED}[0].weight"])
    assert causes_of(validate_affinity, pod) == (
        [] if valid else [f"Invalid spec.podAntiAffinity.{PREFERRED}[0].weight"]
    )


@pytest.mark.parametrize(
    ("term", "causes"),
    [
        ("topologyKey: kubernetes.io/hostname", []),
        ("topologyKey: ''", ["topologyKey"] * 3),
        ("topologyKey: zone, labelSelector: {matchLabels: {app: web}}", []),
        ("topologyKey: zone, labelSelector: {matchLabels: {-app: web}}", ["labelSelector.matchLabels"]),
        ("topologyKey: zone, namespaceSelector: {matchLabels: {app: -}}", ["namespaceSelector.matchLabels"]),
        ("topologyKey: zone, namespaces: [dev, Prod]", ["namespace"]),
    ],
)
def test_pod_affinity(causes_of, term, causes):
    expected = [f"Invalid {POD_TERM}.{field}" for field in causes]
    assert causes_of(validate_affinity, f"affinity.podAffinity.{REQUIRED}: [{{{term}}}]") == expected


@pytest.mark.parametrize(
    ("requirement", "causes"),
    [
        ("{key: app, operator: In, values: [web]}", []),
        ("{key: app, operator: In}", ["values"]),
        ("{key: app, operator: Exists, values: [web]}", ["values"]),
        ("{key: app, operator: Gt, values: ['1']}", ["operator"]),
        ("{key: app, operator: NotIn, values: [web, -]}", ["values[1]"]),
        ("{key: '', operator: Exists}", ["key"] * 2),
    ],
)
def test_label_selectors(causes_of, requirement, causes):
    selector = f"{{matchExpressions: [{requirement}]}}"
    spec = f"affinity.podAffinity.{REQUIRED}: [{{topologyKey: zone, labelSelector: {selector}}}]"
    expected = [f"Invalid {POD_TERM}.labelSelector.matchExpressions[0].{field}" for field in causes]
    assert causes_of(validate_affinity, spec) == expected


@pytest.mark.parametrize(
    ("constraint", "causes"),
    [
        ("maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule", []),
        ("maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule", ["[0].maxSkew"]),
        ("maxSkew: 1, topologyKey: '', whenUnsatisfiable: DoNotSchedule", ["[0].topologyKey"]),
        (
            "maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {a: -}}",
            [".labelSelector.matchLabels"],
        ),
    ],
)
def test_spread_constraints(causes_of, constraint, causes):
    expected = [f"Invalid spec.topologySpreadConstraints{field}" for field in causes]
    assert causes_of(validate_topology_spread, f"topologySpreadConstraints: [{{{constraint}}}]") == expected


def test_no_spread_constraint_is_said_twice(causes_of):
    hard = "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}"
    soft = "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}"
    assert causes_of(validate_topology_spread, f"topologySpreadConstraints: [{hard}, {soft}]") == []
    assert causes_of(validate_topology_spread, f"topologySpreadConstraints: [{hard}, {soft}, {hard}]") == [
        "Invalid spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}"
    ]
