"""Manifests change in their own text: only what goes goes."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import pytest

from loading import read_manifests
from virtcatalog.adopt.rewrite import rewrite
from virtcatalog.api.findings import Path
from virtcatalog.manifests.edits import UnwritableError
from virtcatalog.manifests.fields import put, without

HEAD = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: vm}\n"
DOMAIN: Path = ("spec", "template", "spec", "domain")


def machines(text: str) -> list[dict[str, Any]]:
    return [manifest.data for manifest in read_manifests(text) if manifest.data["kind"] == "VirtualMachine"]


def after(text: str, *gone: Path, stays: set[Path] = frozenset(), number: int = 0, **added: dict[str, str]) -> str:
    edited, _ = without(machines(text)[number], set(gone), {(*DOMAIN, "devices")} | set(stays))
    for key, value in added.items():
        edited = put(edited, ("spec", key), value)
    return rewrite(text, {number: edited})


def vm(spec: str) -> str:
    return HEAD + dedent(spec).lstrip("\n")


@pytest.mark.parametrize(
    ("before", "gone", "expected"),
    [
        pytest.param(
            """
            spec:
              template:
                spec:
                  domain:
                    cpu:
                      cores: 4   # licence
                      model: "host-model"   # as is
                    devices: {}
            """,
            ["cpu", "cores"],
            """
            spec:
              template:
                spec:
                  domain:
                    cpu:
                      model: "host-model"   # as is
                    devices: {}
            """,
            id="a line",
        ),
        pytest.param(
            """
            spec:
              template:
                spec:
                  domain:
                    cpu:
                      cores: 4
                    # no devices
                    devices: {}
            """,
            ["cpu", "cores"],
            """
            spec:
              template:
                spec:
                  domain:
                    # no devices
                    devices: {}
            """,
            id="a map that becomes empty; the next entry's comment stays",
        ),
        pytest.param(
            """
            spec: {template: {spec: {domain: {cpu: {cores: 4, model: m}, devices: {}}}}}  # tight
            """,
            ["cpu", "cores"],
            """
            spec: {template: {spec: {domain: {cpu: {model: m}, devices: {}}}}}  # tight
            """,
            id="the first entry in braces",
        ),
        pytest.param(
            """
            spec: {template: {spec: {domain: {devices: {}, cpu: {model: m, cores: 4}}}}}
            """,
            ["cpu", "cores"],
            """
            spec: {template: {spec: {domain: {devices: {}, cpu: {model: m}}}}}
            """,
            id="the last entry in braces",
        ),
        pytest.param(
            """
            spec:
              template:
                spec:
                  domain:
                    devices:
                      disks:
                      # the root
                      - disk:
                          bus: virtio
                        # its name
                        name: root
            """,
            ["devices", "disks", 0, "disk", "bus"],
            """
            spec:
              template:
                spec:
                  domain:
                    devices:
                      disks:
                      # the root
                      # its name
                      - name: root
            """,
            id="behind the dash",
        ),
        pytest.param(
            """
            spec:
              template:
                spec:
                  domain:
                    cpu:
                      features:
                        - name: a
                        # b too
                        - name: b
                          policy: require
                    devices: {}
            """,
            ["cpu", "features", 0],
            """
            spec:
              template:
                spec:
                  domain:
                    cpu:
                      features:
                        # b too
                        - name: b
                          policy: require
                    devices: {}
            """,
            id="an item",
        ),
    ],
)
def test_fields_go_and_the_rest_stays_byte_by_byte(before, gone, expected):
    assert after(vm(before), (*DOMAIN, *gone)) == vm(expected)


def test_a_map_can_stay_empty():
    before = vm("spec:\n  template:\n    spec:\n      domain:\n        devices:  # none\n          rng: {}\n")
    expected = vm("spec:\n  template:\n    spec:\n      domain:\n        devices: {}  # none\n")
    assert after(before, (*DOMAIN, "devices", "rng")) == expected


SPEC = "spec:\n    # when\n    running: true\n    # what\n    template:\n        spec: {domain: {devices: {}}}\n"


def test_the_matchers_come_before_the_template_and_its_comment():
    expected = SPEC.replace("    # what", "    instancetype:\n        name: small\n    # what")
    assert after(vm(SPEC), instancetype={"name": "small"}) == vm(expected)


@pytest.mark.parametrize("name", ["10", "1e3", "true", "null"])
def test_names_that_yaml_would_take_for_something_else_are_quoted(name):
    assert machines(after(vm(SPEC), preference={"name": name}))[0]["spec"]["preference"] == {"name": name}


def test_line_ends_stay():
    assert "\n" not in after(vm(SPEC).replace("\n", "\r\n"), instancetype={"name": "small"}).replace("\r\n", "")


@pytest.mark.parametrize("indent", [None, 2, 4])
def test_json_stays_json(indent):
    text = json.dumps(
        machines(vm("spec: {template: {spec: {domain: {cpu: {cores: 2}, devices: {}}}}}"))[0], indent=indent
    )
    data = json.loads(after(text, (*DOMAIN, "cpu"), instancetype={"name": "small"}))
    assert data["spec"] == {"instancetype": {"name": "small"}, "template": {"spec": {"domain": {"devices": {}}}}}


def test_other_documents_and_machines_stay():
    other = "# a map\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
    text = "---\n".join([other, vm(SPEC), vm(SPEC), other])
    rewritten = after(text, number=1, instancetype={"name": "small"})
    assert rewritten == "---\n".join([other, vm(SPEC), after(vm(SPEC), instancetype={"name": "small"}), other])


def test_machines_in_a_list_change_too():
    text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: kubevirt.io/v1\n  kind: VirtualMachine\n"
    text += "  metadata: {name: a}\n  spec:\n    template: {spec: {domain: {devices: {rng: {}}}}}\n"
    rewritten = after(text, (*DOMAIN, "devices", "rng"), stays={(*DOMAIN, "devices")}, instancetype={"name": "small"})
    assert rewritten.endswith("    instancetype:\n      name: small\n    template: {spec: {domain: {devices: {}}}}\n")


SHARED = """
spec:
  template:
    metadata:
      labels: &shared {{a: b, c: d}}
      annotations: {annotations}
    spec: {{domain: {{devices: {{}}}}}}
"""
METADATA: Path = ("spec", "template", "metadata")


@pytest.mark.parametrize(
    ("annotations", "gone"),
    [
        pytest.param("*shared", ("annotations", "a"), id="a field of an alias"),
        pytest.param("*shared", ("labels",), id="an anchor that is used elsewhere"),
        pytest.param("{<<: *shared, e: f}", ("annotations", "a"), id="a field that is merged in"),
    ],
)
def test_what_is_shared_is_not_touched(annotations, gone):
    with pytest.raises(UnwritableError, match="alias"):
        after(vm(SHARED.format(annotations=annotations)), (*METADATA, *gone))


@pytest.mark.parametrize(
    ("annotations", "gone", "left"),
    [
        pytest.param("*shared", "annotations", "", id="the alias as a whole"),
        pytest.param("{<<: *shared, e: f, g: h}", "e", "annotations: {<<: *shared, g: h}", id="beside a merge"),
    ],
)
def test_what_is_not_shared_is(annotations, gone, left):
    text = vm(SHARED.format(annotations=annotations))
    path = (*METADATA, "annotations") if gone == "annotations" else (*METADATA, "annotations", gone)
    assert left in after(text, path)
    assert "labels: &shared {a: b, c: d}" in after(text, path)


FLOW = "spec: {running: true, template: {spec: {domain: {devices: {}}}}}  # tight\n"


@pytest.mark.parametrize(
    ("matcher", "written"),
    [
        ({"name": "small"}, "instancetype: {name: small}"),
        ({"name": "small", "kind": "VirtualMachineInstancetype"}, None),
        ({"name": "2"}, 'instancetype: {name: "2"}'),
    ],
)
def test_a_matcher_goes_before_the_template_in_braces(matcher: dict[str, str], written: str | None) -> None:
    written = written or "instancetype: {name: small, kind: VirtualMachineInstancetype}"
    assert after(vm(FLOW), instancetype=matcher) == vm(FLOW.replace("template", f"{written}, template", 1))


def test_both_matchers_go_into_braces_over_several_lines() -> None:
    text = "spec: {\n  running: true,\n  template: {spec: {domain: {devices: {}}}}\n}\n"
    both = "instancetype: {name: small},\n  preference: {name: linux},\n  template"
    rewritten = after(vm(text), instancetype={"name": "small"}, preference={"name": "linux"})
    assert rewritten == vm(text).replace("template", both, 1)


LINES = [
    '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}',
    '{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "one"}, "spec": {"a": 1, "b": 2}}',
    '  {"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"two"},"spec":{"a":1,"b":{"c":3}}}',
    '{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "six"}, "spec": {"a": 1}}',
]


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_json_lines_keep_their_lines(end):
    rewritten = rewrite("\n".join(LINES) + end, {1: json.loads(LINES[2]) | {"spec": {"a": 1}}})
    first, second, third, last = LINES
    assert rewritten == "\n".join([first, second, third.replace(',"b":{"c":3}', ""), last]) + end


VM = (
    '{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "NAME"}, "spec": {"a": 1, "b": 2}}'
)
OTHER = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}


@pytest.mark.parametrize("kind", ["List", "VirtualMachineList"])
@pytest.mark.parametrize("indent", [None, 4])
def test_items_of_a_json_list_change_one_by_one(kind, indent):
    items = [json.loads(VM.replace("NAME", name)) for name in ("one", "two", "six")]
    if kind == "List":
        items.insert(1, OTHER)
    else:
        items = [{key: value for key, value in item.items() if key in ("metadata", "spec")} for item in items]
    version = "v1" if kind == "List" else "kubevirt.io/v1"
    text = json.dumps({"apiVersion": version, "items": items, "kind": kind}, indent=indent)
    wanted = json.loads(text)
    del wanted["items"][-2]["spec"]["b"]
    changed = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"} | wanted["items"][-2]
    assert rewrite(text, {1: changed}) == json.dumps(wanted, indent=indent)


ITEMS = """\
apiVersion: v1
kind: List
items:
# the first
- apiVersion: kubevirt.io/v1
  kind: VirtualMachine
  metadata: {name: one}
  spec: &spec
    a: 1   # here
    b: 2
# the second
- apiVersion: kubevirt.io/v1
  kind: VirtualMachine
  metadata: {name: two}
  spec:
    a: 1
    b: 2   # there
"""


@pytest.mark.parametrize("indent", ["", "  "])
def test_items_of_a_yaml_list_change_one_by_one(indent):
    head, mark, items = ITEMS.partition("items:\n")
    text = head + mark + "".join(indent + line for line in items.splitlines(keepends=True))
    changed = json.loads(VM.replace("NAME", "two")) | {"spec": {"a": 1}}
    assert rewrite(text, {1: changed}) == text.replace(f"{indent}    b: 2   # there\n", "")


SHARED_THROUGH = "what must go is shared through YAML anchors, aliases or <<: write it out first"


def test_an_item_that_is_shared_with_another_one_is_not_touched():
    text = ITEMS[: ITEMS.rindex("spec:")] + "spec: *spec\n"
    changed = {name: json.loads(VM.replace("NAME", name)) | {"spec": {"a": 1}} for name in ("one", "two")}
    for place, (name, why) in enumerate(
        {"one": SHARED_THROUGH, "two": "spec is an alias of what stands elsewhere"}.items()
    ):
        with pytest.raises(UnwritableError) as raised:
            rewrite(text, {place: changed[name]})
        assert str(raised.value) == why
