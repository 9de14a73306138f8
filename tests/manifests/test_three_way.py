"""What `kubectl apply` makes of a live object of a custom resource."""

import pytest

from virtcatalog.manifests.merge import three_way


@pytest.mark.parametrize(
    ("last_applied", "wanted", "live", "expected"),
    [
        # what the cluster has added stays, also where the manifest says less than before
        ({"a": 1}, {"a": 2}, {"a": 1, "uid": "x"}, {"a": 2, "uid": "x"}),
        ({"a": 1, "b": 1}, {"b": 1}, {"a": 1, "b": 1}, {"b": 1}),
        ({"m": {"a": 1}}, {"m": {}}, {"m": {"a": 1, "added": 2}}, {"m": {"added": 2}}),
        ({"m": {"a": 1}}, {}, {"m": {"a": 1, "added": 2}}, {}),
        # what somebody else has changed is set again, what neither manifest names is not
        ({"a": 1}, {"a": 1}, {"a": 5, "b": 6}, {"a": 1, "b": 6}),
        # lists are replaced as a whole
        ({"l": [{"n": 1}]}, {"l": [{"n": 1}]}, {"l": [{"n": 1, "added": 2}]}, {"l": [{"n": 1}]}),
        # an empty map is a value where there is none
        ({}, {"m": {}}, {}, {"m": {}}),
        ({}, {"m": {}}, {"m": {"a": 1}}, {"m": {"a": 1}}),
        # null removes, and is nothing where there was null before
        ({"a": 1}, {"a": None}, {"a": 1}, {}),
        ({}, {"a": None}, {"a": 1}, {}),
        ({"a": None}, {"a": None}, {"a": 1}, {"a": 1}),
        ({}, {"m": {"a": None}}, {}, {"m": {}}),
        ({}, {"l": [{"a": None, "b": 1}]}, {}, {"l": [{"b": 1}]}),
        # another kind of value takes the place of one
        ({"a": {"b": 1}}, {"a": "text"}, {"a": {"b": 1}}, {"a": "text"}),
        ({"a": "text"}, {"a": {"b": 1}}, {"a": "text"}, {"a": {"b": 1}}),
    ],
)
def test_a_manifest_is_applied_over_the_one_before(last_applied, wanted, live, expected):
    assert three_way(last_applied, wanted, live) == expected
