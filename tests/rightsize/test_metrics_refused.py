"""What is said of metrics that cannot be read, or that hold what is no amount: whole, with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from virtcatalog.errors import ManifestError
from virtcatalog.rightsize.metrics import Usage, read_metrics

HEADER = "namespace,name,cpu,memory\n"
NO_AMOUNT = "is no amount: NaN, infinite, negative or no number"
TWICE = "stands there several times: aggregate over its other labels"
NO_ANSWER = "is no answer of Prometheus' HTTP API: status success, and a result of type vector or matrix"
NO_CSV = "is neither JSON of Prometheus' HTTP API nor CSV with the header namespace,name,cpu,memory"
LABELS = "needs the labels namespace, name and resource, which is cpu or memory"


def answer(*series: Any, kind: str = "vector", status: str = "success") -> str:
    return json.dumps({"status": status, "data": {"resultType": kind, "result": list(series)}})


def series(**changed: Any) -> dict[str, Any]:
    return {"metric": {"namespace": "shop", "name": "web", "resource": "cpu"}, "value": [1, "0.5"], **changed}


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("", [f"usage:1:1: {NO_CSV}"]),
        ("name,cpu\nweb,1\n", [f"usage:1:1: {NO_CSV}"]),
        (HEADER + "shop,web,1\n", ["usage:2:1: has 3 columns, not 4"]),
        (HEADER + "\nshop,web,1,2,3\n", ["usage:3:1: has 5 columns, not 4"]),
        ("[]", [f"usage:1:1: {NO_CSV}"]),
        ("{}", [f"usage: {NO_ANSWER}"]),
        (answer(kind="scalar"), [f"usage: {NO_ANSWER}"]),
        (answer(kind="vector", status="failure"), [f"usage: {NO_ANSWER}"]),
        ('{"status": "success", "data": {"resultType": "vector", "result": {}}}', [f"usage: {NO_ANSWER}"]),
        ('{"status": "success", "data": []}', [f"usage: {NO_ANSWER}"]),
        ('{"status": "error", "error": "parse error"}', ["usage: is an error of Prometheus: parse error"]),
        (answer(series(), 3), ["usage: data.result[1]: has no labels"]),
        (answer({"value": [1, "1"]}), ["usage: data.result[0]: has no labels"]),
        (answer({"metric": {"name": "web", "namespace": "shop"}}), [f"usage: data.result[0]: {LABELS}"]),
        (answer({"metric": {"namespace": "shop", "resource": "cpu"}}), [f"usage: data.result[0]: {LABELS}"]),
        (answer({"metric": {"name": "web", "resource": "cpu"}}), [f"usage: data.result[0]: {LABELS}"]),
        (
            answer({"metric": {"name": "web", "namespace": "shop", "resource": "disk"}}),
            [f"usage: data.result[0]: {LABELS}"],
        ),
    ],
)
def test_what_is_no_file_of_metrics(text: str, messages: list[str]) -> None:
    with pytest.raises(ManifestError) as error:
        read_metrics(text.encode(), "usage", 95)
    assert list(map(str, error.value.problems)) == messages


@pytest.mark.parametrize(
    ("text", "usage", "messages"),
    [
        (
            HEADER + "shop,web,x,1\n",
            {"shop/web": Usage(None, 1)},
            [f"usage:2:1: shop/web: cpu: {NO_AMOUNT}"],
        ),
        (
            HEADER + "shop,web,1,1\nshop,web,2,\n",
            {"shop/web": Usage(None, 1)},
            [f"usage:3:1: shop/web: cpu: {TWICE}"],
        ),
        (answer(series(value=[1])), {}, [f"usage: shop/web: data.result[0]: {NO_AMOUNT}"]),
        (answer(series(value="1")), {}, [f"usage: shop/web: data.result[0]: {NO_AMOUNT}"]),
        (answer(series(values=[[1, "1"], [2]])), {}, [f"usage: shop/web: data.result[0]: {NO_AMOUNT}"]),
        (answer(series(values={})), {}, [f"usage: shop/web: data.result[0]: {NO_AMOUNT}"]),
        (answer(series(), series()), {}, [f"usage: shop/web: data.result[1]: {TWICE}"]),
        (answer(series(value=[1, str(2**60)])), {"shop/web": Usage(2.0**60)}, []),
        (answer(series(value=[1, str(2**60 + 2**10)])), {}, [f"usage: shop/web: data.result[0]: {NO_AMOUNT}"]),
        (answer(series(value=[1, 0])), {"shop/web": Usage(0.0)}, []),
        (answer(series(value=[1, "0" * 63 + "1"])), {"shop/web": Usage(1.0)}, []),
        (answer(series(value=[1, "0" * 64 + "1"])), {}, [f"usage: shop/web: data.result[0]: {NO_AMOUNT}"]),
    ],
)
def test_what_does_not_count(text: str, usage: dict[str, Usage], messages: list[str]) -> None:
    metrics = read_metrics(text.encode(), "usage", 95)
    assert (metrics.usage, list(map(str, metrics.problems))) == (usage, messages)


@pytest.mark.parametrize(
    ("percentile", "amount"), [(0, 1.0), (25, 1.0), (25.1, 2.0), (50, 2.0), (75.1, 4.0), (100, 4.0)]
)
def test_a_percentile_is_the_nearest_rank(percentile: float, amount: float) -> None:
    text = answer(series(values=[[number, str(number)] for number in (3, 1, 4, 2)]), kind="matrix")
    assert read_metrics(text.encode(), "usage", percentile).usage == {"shop/web": Usage(amount)}


def test_names_that_are_no_utf_8_are_names_all_the_same() -> None:
    metrics = read_metrics(HEADER.encode() + b"shop,w\xffb,1,2\n", "usage", 0.95)
    assert metrics.usage == {"shop/w\ufffdb": Usage(1.0, 2.0)}
