"""Label and node selectors: what is wrong with them, and what they select."""

import pytest
from reading import read

from virtcatalog.api.core import LabelSelector
from virtcatalog.api.decode import convert
from virtcatalog.api.scheduling import NodeSelectorTerm
from virtcatalog.kubevirt.selectors import label_selector, node_selector_term, selects

RULE = "must consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit"


def problems(rule, text, kind):
    causes = list(rule(convert(read(text), kind), "s"))
    assert {cause.type for cause in causes} <= {"FieldValueInvalid"}
    return [str(cause) for cause in causes]


@pytest.mark.parametrize(
    ("selector", "matching"),
    [
        ("{}", []),
        ("matchLabels: {a.example/b: c}", []),
        (
            "matchLabels: {a/b/c: d e}",
            [
                "s.matchLabels: not a label's key: 'a/b/c' has more than one '/'; a key is a name or prefix/name",
                f"s.matchLabels: not a label's value: 'd e' {RULE}",
            ],
        ),
        (
            (
                "matchExpressions: [{key: a, operator: In, values: [b]}, {key: a, operator: NotIn, values: [b, c]}, "
                "{key: a, operator: Exists}, {key: a, operator: DoesNotExist}]"
            ),
            [],
        ),
        (
            (
                "matchExpressions: [{key: a, operator: In}, {key: a, operator: NotIn}, "
                "{key: a, operator: Exists, values: [b]}, {key: a, operator: DoesNotExist, values: [b]}]"
            ),
            [
                "s.matchExpressions[0].values: In needs one or more values",
                "s.matchExpressions[1].values: NotIn needs one or more values",
                "s.matchExpressions[2].values: Exists takes no values",
                "s.matchExpressions[3].values: DoesNotExist takes no values",
            ],
        ),
        (
            "matchExpressions: [{key: a, operator: Gt, values: ['1']}]",
            ["s.matchExpressions[0].operator: 'Gt' is none of In, NotIn, Exists, DoesNotExist"],
        ),
        (
            "matchExpressions: [{key: /a, operator: In, values: [b, c d]}]",
            [
                "s.matchExpressions[0].key: not a label's key: '/a' has nothing before its '/'",
                f"s.matchExpressions[0].values[1]: not a label's value: 'c d' {RULE}",
            ],
        ),
    ],
)
def test_label_selectors(selector, matching):
    assert problems(label_selector, selector, LabelSelector) == matching
    assert list(label_selector(None, "s")) == []


@pytest.mark.parametrize(
    ("term", "matching"),
    [
        ("{}", []),
        (
            (
                "matchExpressions: [{key: a, operator: In, values: [b c]}, {key: a, operator: Exists}, "
                "{key: a, operator: Gt, values: ['1']}, {key: a, operator: Lt, values: ['1']}]"
            ),
            [],
        ),
        (
            (
                "matchExpressions: [{key: a, operator: NotIn}, {key: /a, operator: DoesNotExist, values: [b]}, "
                "{key: a, operator: Gt}, {key: a, operator: Lt, values: ['1', '2']}]"
            ),
            [
                "s.matchExpressions[0].values: NotIn needs one or more values",
                "s.matchExpressions[1].values: DoesNotExist takes no values",
                "s.matchExpressions[1].key: not a label's key: '/a' has nothing before its '/'",
                "s.matchExpressions[2].values: Gt takes one value, not 0",
                "s.matchExpressions[3].values: Lt takes one value, not 2",
            ],
        ),
        (
            (
                "matchFields: [{key: metadata.name, operator: In, values: [a.b]}, "
                "{key: metadata.name, operator: NotIn, values: [a]}]"
            ),
            [],
        ),
        (
            (
                "matchFields: [{key: metadata.name, operator: Exists}, "
                "{key: metadata.name, operator: In, values: [a, b]}, "
                "{key: metadata.uid, operator: NotIn, values: [A_]}, {key: metadata.name, operator: In, values: [A_]}]"
            ),
            [
                "s.matchFields[0].operator: a field is matched by In or NotIn, not by Exists",
                "s.matchFields[1].values: In takes one value here, not 2",
                "s.matchFields[2].key: 'metadata.uid' cannot be matched, only metadata.name can",
                (
                    "s.matchFields[3].values[0]: not a node's name: 'A_' must consist of a-z, 0-9, '-' and '.', every "
                    "part starting and ending with a letter or digit"
                ),
            ],
        ),
    ],
)
def test_terms_of_node_selectors(term, matching):
    assert problems(node_selector_term, term, NodeSelectorTerm) == matching


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ("{}", True),
        ("matchLabels: {a: b}", True),
        ("matchLabels: {a: c}", False),
        ("matchLabels: {x: b}", False),
        ("matchLabels: {a: b, c: x}", False),
        ("matchExpressions: [{key: a, operator: In, values: [x, b]}]", True),
        ("matchExpressions: [{key: a, operator: In, values: [x]}]", False),
        ("matchExpressions: [{key: x, operator: In, values: [b]}]", False),
        ("matchExpressions: [{key: a, operator: NotIn, values: [b]}]", False),
        ("matchExpressions: [{key: a, operator: NotIn, values: [x]}]", True),
        ("matchExpressions: [{key: x, operator: NotIn, values: [b]}]", True),
        ("matchExpressions: [{key: a, operator: Exists}]", True),
        ("matchExpressions: [{key: x, operator: Exists}]", False),
        ("matchExpressions: [{key: a, operator: DoesNotExist}]", False),
        ("matchExpressions: [{key: x, operator: DoesNotExist}]", True),
        ("matchExpressions: [{key: a, operator: Exists}, {key: x, operator: Exists}]", False),
    ],
)
def test_what_is_selected(selector, selected):
    assert selects(convert(read(selector), LabelSelector), {"a": "b", "c": "d"}) is selected
