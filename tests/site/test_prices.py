"""Prices on the site's pages: what types cost, where, and what licences add."""

from __future__ import annotations

import json
import re

import pytest
from pagetext import words

from virtcatalog import load_catalog
from virtcatalog.site.pages import render

FILES = {
    "catalog.yaml": "name: house\nkubevirt: v1.9.0\n",
    "overlays.yaml": "lab: {}\nlow: {patches: [{select: {names: [g.big]}, spec: {gpus: "
    "[{name: gpu, deviceName: example.org/old}]}}]}\n",
    "prices.yaml": "currency: EUR\nperHour: {cpu: 0.0125, memory: 0.0031, example.org/gpu: 0.5}\n"
    "environments: {lab: {cpu: 0.1}}\n"
    "licences: [{osType: windows, cpu: 0.02}, {preferences: [paid], vm: 0.5}]\n",
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n",
    "instancetypes/g.yaml": "class: g\nmemoryPerVcpu: 8Gi\nspec: {gpus: [{name: gpu, deviceName: example.org/gpu}]}\n"
    "sizes: {big: {vcpus: 4}}\n",
    "preferences/all.yaml": "preferences:\n  free: {}\n  paid: {osType: linux}\n  w1: {osType: windows}\n"
    "  w2: {osType: windows}\n  w3: {osType: windows}\n  w4: {osType: windows, requirements: {vcpus: 2}}\n",
}


def site(**changed: str) -> dict[str, str]:
    files = FILES | {f"{name}.yaml": text for name, text in changed.items()}
    return render(load_catalog("catalog", {path: text.encode() for path, text in files.items()}))


@pytest.fixture(scope="module")
def pages():
    return site()


def rows(pages: dict[str, str]) -> dict[str, dict[str, object]]:
    data = re.search(r'id="data">(.*?)</script>', pages["index.html"], re.DOTALL)[1]
    return {row["name"]: row for row in json.loads(data)}


def test_the_table_has_each_price_as_it_is_written(pages):
    by_name = rows(pages)
    assert by_name["m.small"]["price"] == {"hour": "0.0249", "month": "18.18"}
    assert by_name["m.large"]["prices"] == {"lab": {"hour": "0.4496", "month": "328.21"}}
    assert 'data-currency="EUR"' in pages["index.html"]
    assert 'name="month-max"' in pages["index.html"]


def test_an_environment_with_another_device_has_another_price_or_none(pages):
    assert rows(pages)["g.big"]["prices"]["low"] == {"unpriced": ["example.org/old"]}
    assert "in low no price of example.org/old" in words(pages["types/g.big.html"])


def test_an_environment_that_does_not_have_a_type_has_no_price_of_it():
    lab = "lab: {select: {names: [m.small]}}\n"
    by_name = rows(site(overlays=lab, prices="perHour: {cpu: 1, memory: 0}\nenvironments: {lab: {cpu: 2}}\n"))
    assert ("prices" in by_name["m.small"], "prices" in by_name["m.large"]) == (True, False)


def test_the_page_of_a_type_has_prices_and_what_licences_add(pages):
    page = words(pages["types/m.large.html"])
    assert "Price an hour 0.0996 EUR" in page
    assert "Price a month 72.71 EUR" in page
    assert "in lab 0.4496 328.21" in page
    assert "the licence of paid 0.5000 365.00" in page
    assert "the licence of w1, w2, w3 and 1 more 0.0800 58.40" in page


def test_only_licences_of_preferences_that_fit_are_told(pages):
    assert "the licence of w1, w2, w3 0.0200 14.60" in words(pages["types/m.small.html"])


def test_preferences_have_their_licence(pages):
    assert "Licence 0.0200 EUR a vCPU-hour" in words(pages["preferences/w1.html"])
    assert "0.5000 EUR a VM-hour" in words(pages["preferences.html"])
    assert "Licence" not in pages["preferences/free.html"]


def test_the_chart_and_the_comparison_have_them(pages):
    assert "m.large: 4 vCPUs, 16 GiB, 0.0996 EUR an hour" in pages["chart.html"]
    assert '"Price an hour":"0.0996 EUR"' in pages["compare.html"]


def test_what_has_no_price_says_of_what():
    pages = site(prices="perHour: {cpu: 1, memory: 1}\n")
    assert "none is known of example.org/gpu" in words(pages["types/g.big.html"])
    assert "g.big: 4 vCPUs, 32 GiB</title>" in pages["chart.html"]
    assert "Price an hour 20.0000 GiB" in words(pages["types/m.large.html"])


def test_without_prices_nothing_is_said_of_them():
    files = {path: text.encode() for path, text in FILES.items() if path != "prices.yaml"}
    pages = render(load_catalog("catalog", files))
    for path in ("index.html", "types/m.large.html", "preferences.html", "chart.html", "compare.html"):
        assert not re.search("(?i)price", pages[path]), path
    assert "price" not in rows(pages)["m.large"]


def test_a_hostile_currency_is_shown_and_not_obeyed():
    pages = site(prices='currency: "\'><img src=x>\\e[2J"\nperHour: {cpu: 1, memory: 1}\n')
    for path in ("index.html", "types/m.large.html", "compare.html", "chart.html"):
        assert "<img" not in pages[path]
        assert "\x1b" not in pages[path]
