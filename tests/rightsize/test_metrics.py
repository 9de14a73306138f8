"""What VMs use: Prometheus' JSON and CSV, and what of it is no amount."""

from __future__ import annotations

import json
from typing import Any

import pytest

from virtcatalog.errors import ManifestError
from virtcatalog.rightsize.metrics import Metrics, Usage, read_metrics


def read(text: str, percentile: float = 95) -> Metrics:
    return read_metrics(text.encode(), "usage", percentile)


def answer(*series: Any, kind: str = "vector") -> str:
    return json.dumps({"status": "success", "data": {"resultType": kind, "result": list(series)}})


def sample(resource: str, value: Any, name: str = "web") -> dict[str, Any]:
    return {"metric": {"namespace": "shop", "name": name, "resource": resource}, "value": [1700000000, value]}


WEB = {"shop/web": Usage(0.5, 2e9)}
NO_AMOUNT = "usage: shop/web: data.result[0]: is no amount: NaN, infinite, negative or no number"


def test_a_row_of_csv_is_what_a_vm_uses() -> None:
    assert read("namespace,name,cpu,memory\nshop,web,0.5,2000000000\n").usage == WEB
    assert read('namespace,name,cpu,memory\r\n\r\nshop,"web",0.5,\r\n').usage == {"shop/web": Usage(0.5, None)}


def test_columns_of_csv_stand_in_any_order() -> None:
    assert read("memory,cpu,name,namespace\n2000000000,0.5,web,shop\n").usage == WEB


def test_a_vector_has_a_series_a_resource() -> None:
    assert read(answer(sample("cpu", "0.5"), sample("memory", "2e9"))).usage == WEB


def test_of_a_range_a_percentile_counts() -> None:
    cpu = {"metric": sample("cpu", "")["metric"], "values": [[number, str(number)] for number in range(1, 101)]}
    assert read(answer(cpu, kind="matrix")).usage == {"shop/web": Usage(95.0)}
    assert read(answer(cpu, kind="matrix"), 50).usage == {"shop/web": Usage(50.0)}
    assert read(answer(cpu, kind="matrix"), 0.1).usage == {"shop/web": Usage(1.0)}


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-Inf", "-1", "", "=1+1", "1e400", "x" * 100])
def test_what_is_no_amount_is_a_problem_and_does_not_count(value: str) -> None:
    metrics = read(answer(sample("cpu", value), sample("memory", "2e9")))
    assert metrics.usage == {"shop/web": Usage(None, 2e9)}
    assert list(map(str, metrics.problems)) == [NO_AMOUNT]


def test_a_series_that_is_there_twice_does_not_count() -> None:
    metrics = read(answer(sample("cpu", "1"), sample("cpu", "2"), sample("memory", "2e9")))
    assert metrics.usage == {"shop/web": Usage(None, 2e9)}
    assert list(map(str, metrics.problems)) == [
        "usage: shop/web: data.result[1]: stands there several times: aggregate over its other labels"
    ]


def test_a_range_without_samples_does_not_count() -> None:
    metrics = read(answer({"metric": sample("cpu", "")["metric"], "values": []}, kind="matrix"))
    assert (metrics.usage, list(map(str, metrics.problems))) == (
        {},
        ["usage: shop/web: data.result[0]: has no samples: ask for a range in which the VM ran"],
    )


NO_METRICS = "usage:1:1: is neither JSON of Prometheus' HTTP API nor CSV with the header namespace,name,cpu,memory"
UNLABELLED = "usage: data.result[0]: needs the labels namespace, name and resource, which is cpu or memory"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NO_METRICS),
        ("name,cpu\nweb,1\n", NO_METRICS),
        ("namespace,name,cpu,memory\nshop,web,1\n", "usage:2:1: has 3 columns, not 4"),
        ('namespace,name,cpu,memory\nshop,"web,1,2\n', "usage:2:1: is no CSV: unexpected end of data"),
        ("{", "usage: is no JSON: Input data was truncated"),
        ('{"status": "error", "error": "parse error"}', "usage: is an error of Prometheus: parse error"),
        (
            answer(kind="scalar"),
            "usage: is no answer of Prometheus' HTTP API: status success, and a result of type vector or matrix",
        ),
        (answer(3), "usage: data.result[0]: has no labels"),
        (answer({"metric": {"name": "web"}}), UNLABELLED),
        (answer({"metric": {"name": "web", "resource": "cpu"}}), UNLABELLED),
        (answer({"metric": {"namespace": "shop", "resource": "cpu"}}), UNLABELLED),
        (answer({"metric": {"namespace": "shop", "name": "web", "resource": "disk"}}), UNLABELLED),
    ],
)
def test_what_is_no_metrics_is_an_error_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ManifestError) as raised:
        read(text)
    assert str(raised.value) == message
