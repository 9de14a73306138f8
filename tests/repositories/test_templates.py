"""Templates of ApplicationSets without `goTemplate`: parameters are flat, and each is a text."""

import pytest

from virtcatalog.repositories.parameters import filled, flat


def test_parameters_are_flat():
    nested = {"a": {"b": 1, "c": [True, {"d": "x"}]}, "e": None, "f": [], "path[0]": "vms"}
    assert flat(nested) == {"a.b": "1", "a.c.0": "true", "a.c.1.d": "x", "e": "<nil>", "path[0]": "vms"}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{name}}-{{ path[1] }}", "web-prod"),
        ("{{sizes.0}}{{sizes.1}}", "24"),
        ("{{none}}", "<nil>"),
        ("{{sizes[0]}} {{missing}}", "{{sizes[0]}} {{missing}}"),
    ],
)
def test_a_parameter_that_there_is_not_stays_as_it_is_written(template, text):
    parameters = {"name": "web", "sizes": [2, 4], "none": None, "path[1]": "prod"}
    assert filled({template: [template, 1]}, parameters, is_go=False) == {text: [text, 1]}
