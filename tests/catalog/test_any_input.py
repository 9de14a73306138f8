"""Whatever the files hold, loading ends with a catalog or with problems."""

import json
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sampling import examples
from virtcatalog.errors import CatalogError

KEYS = st.sampled_from(
    """
    annotations arch class components cpu defaults deprecated description devices displayName features firmware gpus
    guest labels lab memory memoryPerVcpu metadata name names patches preferences production replacedBy requirements
    scope select sizes spec sunset variants vcpus vendor version web.yaml.j2 x
    """.split()  # noqa: SIM905
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2**65),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        ["", "x", "x.y", "A b", "{{ x }}", "{{ vcpus }}", "{{ memory }}", "{{ 1/0 }}", "{% if %}", "4Gi", "1e999"]
    ),
)
DATA = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=25,
)


@pytest.mark.parametrize(
    ("place", "shell"),
    [
        ("catalog.yaml", lambda data: {"name": "x", "kubevirt": "v1.9.0", "preferences": data}),
        ("catalog.yaml", lambda data: data),
        ("catalog.yaml", lambda data: {"name": "x", "extends": "../x", "select": data}),
        ("catalog.yaml", lambda data: {"name": "x", "kubevirt": "v1.9.0", "extends": data}),
        ("catalog.lock", lambda data: data),
        ("catalog.lock", lambda data: {"version": "v1", "instancetypes": {"x": data}, "preferences": {}}),
        ("preferences/linux.yaml", lambda data: {"variants": {"x": data}, "preferences": {"a": {}}}),
        ("components.yaml", lambda data: {"x": data}),
        ("instancetypes/m.yaml", lambda data: {"class": "m", "sizes": {"s": data}}),
        (
            "instancetypes/m.yaml",
            lambda data: {"class": "m", "spec": data, "sizes": {"s": {"vcpus": 1, "memory": "1Gi"}}},
        ),
        ("instancetypes/m.yaml", lambda data: data),
        ("preferences/linux.yaml", lambda data: {"defaults": data, "preferences": {"x": {"components": ["x"]}}}),
        ("preferences/linux.yaml", lambda data: {"preferences": {"x": {"spec": data}}}),
        ("overlays.yaml", lambda data: {"lab": data}),
        ("overlays.yaml", lambda data: {"lab": {"patches": [data, {"spec": data}]}}),
        ("vms.yaml", lambda data: {"web.yaml.j2": data}),
        ("vms/x.yaml", lambda data: {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": data}),
    ],
)
@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=DATA)
def test_no_input_ends_in_a_traceback(catalog, place, shell, data):
    with tempfile.TemporaryDirectory() as folder:
        workspace = type(catalog)(Path(folder))
        with suppress(CatalogError):
            workspace.load({"vms/web.yaml.j2": "{{ x }}", place: json.dumps(shell(data))}).objects()
