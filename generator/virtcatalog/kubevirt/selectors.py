"""Label and node selectors.

Source: validate-k8s-utils.go; apimachinery, pkg/apis/meta/v1/validation. Operators of node selectors
are values of the API schema, those of label selectors are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from virtcatalog.api.core import LabelSelector, LabelSelectorRequirement
from virtcatalog.api.names import dns_subdomain_problems, label_key_problems, label_value_problems
from virtcatalog.api.scheduling import NodeSelectorRequirement, NodeSelectorTerm
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid

_TAKES_VALUES = {"In": True, "NotIn": True, "Exists": False, "DoesNotExist": False}
"""The operators of label selectors."""


def label_key(key: str, field: str) -> Iterator[Cause]:
    """The key of a label."""
    for problem in label_key_problems(key):
        yield invalid(field, f"not a label's key: {problem}")


def label_selector(selector: LabelSelector | None, field: str, *, any_value: bool = False) -> Iterator[Cause]:
    """A selector of labelled objects: proper labels, and as many values as each operator takes.

    With `any_value` what is selected has keys as labels have, and any text as a value.
    """
    if selector is None:
        return
    for key, value in selector.match_labels.items():
        yield from label_key(key, f"{field}.matchLabels")
        for problem in () if any_value else label_value_problems(value):
            yield invalid(f"{field}.matchLabels", f"not a label's value: {problem}")
    for index, requirement in enumerate(selector.match_expressions):
        yield from _label_requirement(requirement, f"{field}.matchExpressions[{index}]", any_value=any_value)


def selects(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """Whether a label selector that is well formed selects these labels; an empty one selects all."""
    for key, value in selector.match_labels.items():
        if labels.get(key) != value:
            return False
    for requirement in selector.match_expressions:
        present = requirement.key in labels
        listed = present and labels[requirement.key] in requirement.values
        matches = {"In": listed, "NotIn": not listed, "Exists": present, "DoesNotExist": not present}
        if not matches[requirement.operator]:
            return False
    return True


def _label_requirement(requirement: LabelSelectorRequirement, field: str, *, any_value: bool) -> Iterator[Cause]:
    operator, values = requirement.operator, requirement.values
    if operator in _TAKES_VALUES:
        yield from _number_of_values(requirement, field)
    else:
        yield invalid(f"{field}.operator", f"{operator!r} is none of {', '.join(_TAKES_VALUES)}")
    yield from label_key(requirement.key, f"{field}.key")
    for index, value in enumerate(() if any_value else values):
        for problem in label_value_problems(value):
            yield invalid(f"{field}.values[{index}]", f"not a label's value: {problem}")


def _number_of_values(requirement: LabelSelectorRequirement | NodeSelectorRequirement, field: str) -> Iterator[Cause]:
    """Whether an operator on labels has values, as it must, or has none."""
    operator, values = requirement.operator, requirement.values
    if bool(values) is not _TAKES_VALUES[operator]:
        number = "needs one or more" if _TAKES_VALUES[operator] else "takes no"
        yield invalid(f"{field}.values", f"{operator} {number} values")


def node_selector_term(term: NodeSelectorTerm, field: str) -> Iterator[Cause]:
    """A node selector's term: expressions over labels, and over the one field that a node has (metadata.name)."""
    for index, requirement in enumerate(term.match_expressions):
        yield from _node_label(requirement, f"{field}.matchExpressions[{index}]")
    for index, requirement in enumerate(term.match_fields):
        yield from _node_field(requirement, f"{field}.matchFields[{index}]")


def _node_label(requirement: NodeSelectorRequirement, field: str) -> Iterator[Cause]:
    operator, values = requirement.operator, requirement.values
    if operator in _TAKES_VALUES:
        yield from _number_of_values(requirement, field)
    elif len(values) != 1:
        yield invalid(f"{field}.values", f"{operator} takes one value, not {len(values)}")
    yield from label_key(requirement.key, f"{field}.key")


def _node_field(requirement: NodeSelectorRequirement, field: str) -> Iterator[Cause]:
    operator, values = requirement.operator, requirement.values
    if operator not in ("In", "NotIn"):
        yield invalid(f"{field}.operator", f"a field is matched by In or NotIn, not by {operator}")
    elif len(values) != 1:
        yield invalid(f"{field}.values", f"{operator} takes one value here, not {len(values)}")
    if requirement.key != "metadata.name":
        yield invalid(f"{field}.key", f"{requirement.key!r} cannot be matched, only metadata.name can")
        return
    for index, value in enumerate(values):
        for problem in dns_subdomain_problems(value):
            yield invalid(f"{field}.values[{index}]", f"not a node's name: {problem}")
