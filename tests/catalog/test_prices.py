"""prices.yaml: what is wrong with it, and what machines cost by it, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from virtcatalog.catalog.prices import HOURS_OF_A_MONTH, hourly, load_prices, monthly, price_faults, prices_of
from virtcatalog.errors import ManifestError

GIB = 2**30
SPEC = {"cpu": {"guest": 2}, "memory": {"guest": "8Gi"}}


@pytest.fixture
def problem(catalog):
    """The one problem that a text of prices makes in a catalog."""

    def find(text: str) -> str:
        (problem,) = catalog.problems({"prices.yaml": text, "overlays.yaml": "lab: {}\n"})
        return problem

    return find


def test_a_machine_costs_its_cpus_memory_and_devices():
    prices = prices_of({"perHour": {"cpu": 0.01, "memory": "0.0025", "example.org/gpu": 1}})
    assert prices.of_type(SPEC).hour == Fraction(4, 100)
    gpus = {"gpus": [{"name": name, "deviceName": "example.org/gpu"} for name in "ab"]}
    assert prices.of_type({**SPEC, **gpus}).hour == Fraction(204, 100)


def test_tenths_add_up():
    assert prices_of({"perHour": {"cpu": 0.1, "memory": 0.025}}).of_type(SPEC).hour == Fraction(4, 10)


def test_what_has_no_price_is_told():
    cost = prices_of({"perHour": {"cpu": 1}}).of_type(
        {**SPEC, "hostDevices": [{"name": "a", "deviceName": "example.org/a"}]}
    )
    assert (cost.hour, cost.missing, cost.complete) == (2, ("memory", "example.org/a"), False)


def test_a_device_of_a_claim_has_no_price():
    spec = {**SPEC, "gpus": [{"name": "gpu", "claimName": "claim", "requestName": "gpu"}]}
    assert prices_of({"perHour": {"cpu": 1, "memory": 1}}).of_type(spec).missing == ("gpu",)


def test_huge_pages_cost_what_memory_costs_unless_they_have_a_price():
    spec = {**SPEC, "memory": {"guest": "8Gi", "hugepages": {"pageSize": "1Gi"}}}
    rates = {"cpu": 1, "memory": 2}
    assert prices_of({"perHour": rates}).of_type(spec).hour == 18
    assert prices_of({"perHour": {**rates, "hugepages-1Gi": 3}}).of_type(spec).hour == 26
    assert prices_of({"perHour": {**rates, "hugepages-2Mi": 3}}).of_type(spec).hour == 18


def test_a_class_has_prices_of_its_own_and_an_environment_counts_more():
    prices = prices_of(
        {
            "perHour": {"cpu": 1, "memory": 1},
            "classes": {"m": {"cpu": 2, "memory": 2}},
            "environments": {"lab": {"cpu": 3}},
        }
    )
    assert prices.of_type(SPEC).hour == 10
    assert prices.of_type(SPEC, "m").hour == 20
    assert prices.of_type(SPEC, "m", "lab").hour == 22
    assert prices.of_type(SPEC, "", "lab").hour == 14


def test_a_month_has_730_hours_whichever_way_it_is_given():
    assert HOURS_OF_A_MONTH == 730
    cost = prices_of({"perMonth": {"cpu": 73, "memory": 0}}).of_type(SPEC).hour
    assert (hourly(cost), monthly(cost)) == ("0.2000", "146.00")
    third = prices_of({"perMonth": {"cpu": "0.005", "memory": 0}}).of_type(SPEC).hour
    assert monthly(third) == "0.01"


def test_of_licences_the_first_that_covers_a_preference_counts():
    prices = prices_of(
        {
            "perHour": {},
            "licences": [
                {"preferences": ["windows.core*"], "vm": "0.5"},
                {"osType": "windows", "cpu": "0.02", "vm": "0.1"},
            ],
        }
    )
    core, full = prices.licence("windows.core2025", "windows"), prices.licence("windows.2025", "windows")
    assert core.hour(8) == Fraction(1, 2)
    assert full.hour(4) == Fraction(18, 100)
    assert prices.licence("linux.fedora", "linux") is None


@pytest.mark.parametrize(
    ("amount", "hour", "month"),
    [
        ("0", "0.0000", "0.00"),
        ("0.00005", "0.0001", "0.04"),  # half up
        ("0.00004999", "0.000050", "0.04"),  # not nothing
        ("0.00000125", "0.0000013", "0.00091"),
        ("0.00001", "0.000010", "0.01"),  # two digits that count
        ("1234.56785", "1234.5679", "901234.53"),
        ("-0.5", "-0.5000", "-365.00"),
    ],
)
def test_how_amounts_are_rounded(amount, hour, month):
    assert (hourly(Fraction(amount)), monthly(Fraction(amount))) == (hour, month)


def test_a_catalog_has_its_prices(catalog):
    prices = catalog.load({"prices.yaml": "currency: EUR\nperHour: {cpu: 0.0125, memory: 0}\n"}).prices
    assert (prices.currency, prices.rates["cpu"]) == ("EUR", Fraction(1, 80))
    assert prices.of_type({"cpu": {"guest": 3}}).hour == Fraction(3, 80)


def test_a_catalog_need_not_have_any(catalog):
    assert catalog.load().prices is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("currency: EUR\n", "prices.yaml:1:1: perHour or perMonth is required"),
        ("perHour: {}\nperMonth: {}\n", "prices.yaml:2:1: perMonth: a file has perHour or perMonth, not both"),
        ("perHours: {cpu: 1}\n", "prices.yaml:1:1: perHours: unknown field 'perHours'; did you mean 'perHour'?"),
        (
            "perHour:\n  cpu: -0.5\n",
            "prices.yaml:2:3: perHour.cpu: must be an amount such as 0.0125, at least 0, not '-0.5'",
        ),
        ("perHour: {cpu: 1e}\n", "must be an amount such as 0.0125, at least 0, not '1e'"),
        ("perHour: {cpu: true}\n", "prices.yaml:1:11: perHour.cpu: must be a string or a number, not the boolean true"),
        ("perHour: {cpu: [1]}\n", "prices.yaml:1:11: perHour.cpu: must be a string or a number, not a list"),
        ("perHour: {cpu: 0.1234567890123456789}\n", "has more than 15 digits: quote it, so that it is read exactly"),
        ("perHour: {cpu: '0.1234567890123'}\n", "has more than 12 digits before or behind the point"),
        ("perHour: {cpu: 1e300}\n", "has more than 12 digits before or behind the point"),
        ("perHour: {cpus: 1}\n", "prices.yaml:1:11: perHour.cpus: 'cpus' is no resource; did you mean 'cpu'?"),
        ("perHour: {memry: 1}\n", "perHour.memry: 'memry' is no resource; did you mean 'memory'?"),
        ("perHour: {disk: 1}\n", "'disk' is no resource: there are cpu, memory, hugepages-2Mi, example.org/device"),
        ("perHour: {hugepages-big: 1}\n", "'hugepages-big' is no resource"),
        ("perHour: {}\nclasses: {z: {cpu: 1}}\n", "prices.yaml:2:11: classes.z: 'z' is no class of the catalog"),
        ("perHour: {}\nclasses: {m: {cpu: x}}\n", "prices.yaml:2:15: classes.m.cpu: must be an amount"),
        ("perHour: {}\nenvironments: {labb: {}}\n", "'labb' is no environment of overlays.yaml; did you mean 'lab'?"),
        ("perHour: {}\nlicences: [{cpu: 1}]\n", "prices.yaml:2:12: licences[0]: says of no preference"),
        (
            "perHour: {}\nlicences: [{preferences: [linux.*]}]\n",
            "prices.yaml:2:12: licences[0]: has no price: give cpu or vm",
        ),
        ("perHour: {}\nlicences: [{osType: x, vm: 1}]\n", "licences[0].osType: no preference has the osType 'x'"),
        ("perHour: {}\nlicences: [{preferences: [z*], vm: 1}]\n", "licences[0].preferences[0]: 'z*' matches no"),
        ("perHour: {}\nlicences: [{preferences: [linux.*], vm: -1}]\n", "licences[0].vm: must be an amount"),
        ("perHour: {cpu: 1, cpu: 2}\n", "prices.yaml:1:19: the key 'cpu' is here twice"),
        ("", "prices.yaml: is empty"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(problem, text, message):
    if not text:
        text = "\n"
    assert message in problem(text)


def test_an_amount_has_so_many_digits_on_both_sides_of_the_point(catalog):
    text = "perHour: {cpu: '123456789012.123456789012', memory: 0.123456789012}\n"
    assert catalog.load({"prices.yaml": text}).prices.rates["cpu"] == Fraction("123456789012.123456789012")


def test_resources_are_cpu_memory_pages_of_a_size_and_devices(catalog):
    rates = ("cpu", "memory", "hugepages-2Mi", "hugepages-1Gi", "example.org/gpu")
    text = f"perHour: {{{', '.join(f'{name}: 1' for name in rates)}}}\n"
    assert tuple(catalog.load({"prices.yaml": text}).prices.rates) == rates


@pytest.mark.parametrize("name", ["hugepages-0", "hugepages-", "hugepages-x", "/gpu", "gpu/", "GPU"])
def test_there_are_no_other_resources(name):
    assert [
        (path, message.partition(" is ")[2][:11]) for path, message in price_faults({"perHour": {name: 1}}, None)
    ] == [(("perHour", name), "no resource")]


def test_where_the_catalog_is_broken_nothing_is_missed(catalog):
    problems = catalog.problems(
        {"prices.yaml": "perHour: {}\nclasses: {n: {cpu: 1}}\n", "instancetypes/n.yaml": "class: n\nsizes: 1\n"}
    )
    assert not [problem for problem in problems if "prices.yaml" in problem]


def test_a_file_of_its_own_has_places_too(tmp_path):
    (tmp_path / "p.yaml").write_text("perHour:\n  cpu: -1\n")
    with pytest.raises(ManifestError) as caught:
        load_prices(str(tmp_path / "p.yaml"))
    assert str(caught.value).startswith(f"{tmp_path}/p.yaml:2:3: perHour.cpu: must be an amount")


def test_a_link_out_of_the_catalog_is_not_followed(catalog, tmp_path):
    catalog.write({})
    (tmp_path / "prices.yaml").symlink_to("/etc/hostname")
    assert any("prices.yaml: is a symbolic link that leads out" in problem for problem in catalog.problems())
