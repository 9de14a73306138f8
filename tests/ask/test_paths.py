"""How a field is written, and where it leads: steps, items by number and by name, what is no field at all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import otheryaml
from virtcatalog import Cluster, expand
from virtcatalog.api.findings import field_path
from virtcatalog.api.quantity import Quantity
from virtcatalog.ask.field import _text, as_text, follow, of_xpath, parse, terms
from virtcatalog.ask.leaves import _Steps
from virtcatalog.ask.why import _other_values
from virtcatalog.errors import VirtcatalogError


@pytest.mark.parametrize(
    ("field", "steps"),
    [
        ("a", ("a",)),
        (" a.b ", ("a", "b")),
        ("a.", ("a",)),
        ("a[0]", ("a", 0)),
        ("a[0].b", ("a", 0, "b")),
        ("a[0]b", ("a", 0, "b")),
        ("a[0][1]", ("a", 0, 1)),
        ("[a.b/c].d", ("a.b/c", "d")),
        ("a[b].c[-1]", ("a", "b", "c", "-1")),
        ("a[10]", ("a", 10)),
    ],
)
def test_the_steps_of_a_field(field: str, steps: tuple[str | int, ...]) -> None:
    assert parse(field) == steps


@pytest.mark.parametrize("field", [".", ".a", "a..b", "a[", "a[]", "a[b", "[", "[]"])
def test_what_is_no_field(field: str) -> None:
    with pytest.raises(VirtcatalogError) as error:
        parse(field)
    assert str(error.value) == f"{field!r} is not a field such as devices.disks[0].disk.bus"


@pytest.mark.parametrize("field", ["", "  "])
def test_an_empty_field(field: str) -> None:
    with pytest.raises(VirtcatalogError) as error:
        parse(field)
    assert str(error.value) == "the field is empty"


DATA = {"list": [{"name": "a", "x": 1}, {"name": "b", "x": 2}, "text", {"x": 4}], "map": {"x": {"y": None}}, "no": 0}


@pytest.mark.parametrize(
    ("steps", "value", "names"),
    [
        (("list", 0, "x"), 1, {1: "a"}),
        (("list", 1, "x"), 2, {1: "b"}),
        (("list", "b", "x"), 2, {}),
        (("list", "c", "x"), None, {}),
        (("list", 2), "text", {}),
        (("list", 3, "x"), 4, {}),
        (("list", 4), None, {}),
        (("list", 2, "x"), None, {}),
        (("map", "x", "y"), None, {}),
        (("map", "x", "y", "z"), None, {}),
        (("map", 0), None, {}),
        (("no",), 0, {}),
        (("no", "x"), None, {}),
        ((), DATA, {}),
    ],
)
def test_where_steps_lead(steps: tuple[str | int, ...], value: Any, names: dict[int, str]) -> None:
    """An item that is named by its number is followed by its name from then on."""
    followed: dict[int, str] = {}
    assert follow(DATA, steps, followed) == value
    assert followed == names


@pytest.mark.parametrize(
    ("steps", "names", "value"),
    [(("list", 0, "x"), {1: "b"}, 2), (("list", 0, "x"), {1: "gone"}, None), (("list", 9, "x"), {1: "a"}, 1)],
)
def test_an_item_is_where_its_name_is_now(steps: tuple[str | int, ...], names: dict[int, str], value: Any) -> None:
    assert follow({"list": DATA["list"][:2]}, steps, names) == value  # type: ignore[index]


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (1, "1"), ("a", "a"), ({"a": [1]}, '{"a":[1]}'), ([], "[]")],
)
def test_a_value_on_one_line(value: Any, text: str) -> None:
    assert as_text(value) == text


@pytest.mark.parametrize(
    ("match", "text"),
    [([], None), (["a", "b"], "a"), (2.0, "2"), (2.5, "2.5"), (True, "true"), (False, "false"), ("text", "text")],
)
def test_what_an_xpath_gives_as_text(match: Any, text: str | None) -> None:
    assert _text(match) == text


@pytest.mark.parametrize("expression", ["//", "a[", "a b"])
def test_what_is_no_xpath(expression: str) -> None:
    with pytest.raises(VirtcatalogError) as error:
        of_xpath(expression)
    assert str(error.value).startswith(f"{expression!r} is not an XPath: ")


@pytest.mark.parametrize(
    ("value", "others"),
    [
        (True, []),
        (False, []),
        (4, [8, 5, 3]),
        (0, [0, 1, -1]),
        ("4Gi", ["8Gi", "2Gi"]),
        ("2", ["4", "1"]),
        ("virtio", []),
        (None, []),
        ({"a": 1}, []),
    ],
)
def test_other_values_of_a_field_that_has_to_be_there(value: Any, others: list[Any]) -> None:
    assert list(_other_values(value)) == others


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ((), ""),
        (("spec",), "spec"),
        (("spec", "disks", 0, "bus"), "spec.disks[0].bus"),
        (("metadata", "labels", "a.b"), "metadata.labels[a.b]"),
        (("metadata", "labels", "a/b"), "metadata.labels[a/b]"),
    ],
)
def test_a_path_as_it_is_written(path: tuple[str | int, ...], field: str) -> None:
    assert field_path(path) == field


def test_steps_are_remembered_up_to_a_bound(monkeypatch):
    monkeypatch.setattr("virtcatalog.ask.leaves._REMEMBERED", 2)
    steps = _Steps()
    assert [steps[step] for step in ("a", 0, "b.c", "a", 0)] == [".a", "[0]", "[b.c]", ".a", "[0]"]
    assert len(steps) <= 2


VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: a, namespace: n}
spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}
"""


@pytest.mark.parametrize(
    ("field", "amount"),
    [
        ("requests.memory", "1292Mi"),
        ("resources.requests.memory", "1292Mi"),
        ("containers[0].resources.requests.memory", "1292Mi"),
        ("containers[compute].resources.requests.memory", "1292Mi"),
        ("metadata.annotations[kubevirt.io/memory-overhead-bytes]", "281018368"),
        ("requests.cpu", None),
        ("requests", None),
        ("metadata.annotations", None),
        ("nothing", None),
    ],
)
def test_the_terms_of_what_is_a_sum(field, amount):
    result = expand(otheryaml.load(VM), Cluster([]))
    total = sum(term.amount.value for term in terms(field, result))
    assert total == (0 if amount is None else Quantity.parse(amount).value)
    assert terms(field, SimpleNamespace(pod=None, vmi_object=result.vmi_object, cluster=result.cluster)) == ()
