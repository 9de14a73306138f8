"""What changes of a deployed VM is changed in the file that it is written in, if it stands there."""

from __future__ import annotations

import pytest

from virtcatalog.adopt.written import ElsewhereError, carried


@pytest.mark.parametrize(
    ("deployed", "changed", "written", "expected"),
    [
        ({"a": 1}, {"a": 1}, {"a": "${A}"}, {"a": "${A}"}),
        ({"a": 1, "b": 2}, {"a": 1}, {"b": 2}, {}),
        ({"a": 1}, {"a": 2}, {"a": 1, "own": 3}, {"a": 2, "own": 3}),
        ({"a": 1}, {"a": 1, "new": {"b": 2}}, {"a": "${A}"}, {"a": "${A}", "new": {"b": 2}}),
        ([{"a": 1, "b": 2}, 3], [{"a": 1}, 3], [{"a": 1, "b": 2}, "${C}"], [{"a": 1}, "${C}"]),
        ([1, 2], [1], [1, 2], [1]),
    ],
)
def test_a_change_is_carried_to_what_is_written(deployed, changed, written, expected):
    assert carried(deployed, changed, written) == expected


@pytest.mark.parametrize(
    ("deployed", "changed", "written", "field"),
    [
        ({"a": 1}, {"a": 2}, {"a": "${A}"}, ("a",)),
        ({"a": 1}, {"a": 2}, {}, ("a",)),
        ({"a": {"b": 1, "c": 2}}, {}, {"a": {"b": 1, "c": 3}}, ("a", "c")),
        ({"a": {"b": 1, "c": 2}}, {}, {"a": {"c": 2}}, ("a", "b")),
        ({"a": {"b": 1}}, {}, {"a": 1}, ("a",)),
        ({"a": {"b": 1}}, {}, {"a": {"b": 1, "own": 2}}, ("a",)),
        ({}, {"new": 1}, {"new": 2}, ("new",)),
        ([{"a": 1}], [{"a": 2}], [{"a": 3}], (0, "a")),
        ([1, 2], [1, 3], [1, 2, 4], ()),
        ([1, 2], [1], [1, 3], ()),
    ],
)
def test_what_is_written_otherwise_is_not_changed(deployed, changed, written, field):
    with pytest.raises(ElsewhereError) as raised:
        carried(deployed, changed, written)
    assert raised.value.field == field
    assert str(raised.value) == "is written otherwise than it is deployed: by a patch, a variable or a transformer"
