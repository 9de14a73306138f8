"""The leaves of a manifest, and which of them another has as well."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.ask.leaves import ABSENT, changed, drop_defaults, leaves

WHOLE = {
    "kind": "X",
    "metadata": {"labels": {"app": "web", "example.org/tier": "front"}},
    "spec": {"disks": [{"name": "a"}, {"name": "b", "bus": "sata"}], "cpu": {}, "hooks": []},
}


FIELDS = ("spec.disks[0].name", "spec.disks[1].name", "spec.disks[1].bus", "spec.cpu", "spec.hooks")


def test_leaves_are_scalars_and_what_is_empty_in_their_order_and_at_the_keys_that_were_asked_for() -> None:
    assert [*leaves(WHOLE, ["metadata", "spec", "status"])] == [
        ("metadata.labels.app", "web"),
        ("metadata.labels[example.org/tier]", "front"),
        ("spec.disks[0].name", "a"),
        ("spec.disks[1].name", "b"),
        ("spec.disks[1].bus", "sata"),
        ("spec.cpu", {}),
        ("spec.hooks", []),
    ]


@pytest.mark.parametrize(
    ("other", "fields"),
    [
        (WHOLE["spec"], set()),
        ({**WHOLE["spec"], "more": 1}, set()),
        ({**WHOLE["spec"], "cpu": {"cores": 1}}, {"spec.cpu"}),
        ({**WHOLE["spec"], "disks": [{"name": "a", "boot": 1}, {"name": "c", "bus": "sata"}]}, {"spec.disks[1].name"}),
        ({**WHOLE["spec"], "disks": []}, {"spec.disks[0].name", "spec.disks[1].name", "spec.disks[1].bus"}),
        ({**WHOLE["spec"], "disks": "a", "cpu": [], "hooks": {}}, {*FIELDS}),
        ({**WHOLE["spec"], "disks": {"0": {"name": "a"}}, "cpu": 3, "hooks": None}, {*FIELDS}),
    ],
)
def test_changed_is_what_another_has_otherwise_or_not_at_all(other: Any, fields: set[str]) -> None:
    assert changed(WHOLE, {"spec": other}, ["spec"]) == fields


def test_only_empty_maps_that_are_not_given_are_dropped() -> None:
    value = {"a": {}, "b": {"c": {}, "d": {}, "e": []}, "f": [{"g": {}}], "h": 1}
    drop_defaults(value, {"a": {}, "b": {"d": None}, "f": [{}], "h": 2})
    assert value == {"a": {}, "b": {"c": ABSENT, "d": ABSENT, "e": []}, "f": [{"g": ABSENT}], "h": 1}
