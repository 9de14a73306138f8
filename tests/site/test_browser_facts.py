"""Prices, users, changes, histories and VM templates in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import faults, fragment, number, rows_in_sight, slide, text, texts, wait, write
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from virtcatalog import load_catalog
from virtcatalog.publish.environments import objects_now
from virtcatalog.publish.releases import Release
from virtcatalog.publish.rendered import Event
from virtcatalog.site.changes import History
from virtcatalog.site.pages import render
from virtcatalog.site.usage import Fleet

PAGES = (
    "index",
    "changes",
    "form",
    "templates",
    "templates/alpine-server-small",
    "vms/web",
    "types/m.large",
    "types/g.big",
    "preferences",
    "preferences/windows.one",
    "chart",
    "compare",
)
SIZES = "".join(f"  s{number}: {{vcpus: {number}}}\n" for number in range(1, 31))
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  instancetype: {name: "{{ size }}"}
  preference: {name: plain}
  template: {spec: {domain: {devices: {}}}}
"""
FILES = {
    "catalog.yaml": "name: house\nkubevirt: v1.9.0\n",
    "overlays.yaml": "lab: {templates: vms}\nproduction: {}\n",
    "prices.yaml": "currency: EUR\nperHour: {cpu: 0.0125, memory: 0.0031}\nenvironments: {lab: {cpu: 1}}\n"
    "licences: [{osType: windows, cpu: 0.02}]\n",
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\n"
    "sizes: {small: {vcpus: 1}, large: {vcpus: 4}, old: {vcpus: 3, deprecated: {replacedBy: m.large}}}\n",
    "instancetypes/s.yaml": f"class: s\nmemoryPerVcpu: 2Gi\nsizes:\n{SIZES}",
    "instancetypes/g.yaml": "class: g\nmemoryPerVcpu: 8Gi\nspec: {gpus: [{name: gpu, deviceName: example.org/gpu}]}\n"
    "sizes: {big: {vcpus: 4}}\n",
    "preferences/p.yaml": "preferences: {plain: {}, windows.one: {osType: windows}}\n",
    "templates/linux.yaml": """\
defaults:
  preference: plain
  message: "${NAME} is there."
  parameters: {DISK: {displayName: Disk, description: How large, value: 30Gi}}
  vm:
    metadata: {annotations: {disk: "${DISK}"}}
    spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}
sizes: {small: {instancetype: m.small}}
workloads: {server: {displayName: A server}}
systems: {alpine: {}}
""",
    "vms.yaml": "web.yaml.j2: {parameters: {size: m.small}, environments: {lab: {}, production: {size: m.large}}}\n",
    "vms/web.yaml.j2": VM,
}


def catalog(**changed: str):
    files = FILES | changed
    return load_catalog("catalog", {path: text.encode() for path, text in files.items()})


def vm(name: str, instancetype: str, namespace: str) -> dict[str, object]:
    metadata = {"name": name, "namespace": namespace}
    spec = {"instancetype": {"name": instancetype}, "template": {"spec": {"domain": {}}}}
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": spec}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, browser) -> Path:
    """A site with all that is optional."""
    loaded = catalog()
    before = catalog(**{"instancetypes/s.yaml": "class: s\nmemoryPerVcpu: 2Gi\nsizes: {gone: {vcpus: 1}}\n"})
    event = Event(
        date="2026-02-03", commit="0123456789ab", subject="Larger", what="changed", fields=("spec.cpu.guest: 2 → 4",)
    )
    past = History(
        releases=(
            Release(name="v1.0.0", date="2026-01-01", objects=objects_now(before)),
            Release(name="v2.0.0", date="2026-02-03", commit="0123456789ab" * 3, objects=objects_now(loaded)),
        ),
        events={("instancetypes", "m.large"): (event,)},
        event_omission="The clone is shallow: what was before 2026-01-01 is not known.",
    )
    fleet = Fleet(loaded)
    for index in range(30):
        fleet.add(vm(f"vm-{index}", "m.large" if index % 3 else "m.old", f"team-{index % 4}"), "lab")
    return write(tmp_path_factory.mktemp("facts"), render(loaded, past=past, fleet=fleet))


def names(browser) -> list[str]:
    return texts(browser, "#types tbody th")


def column(browser, title: str) -> dict[str, str]:
    """The cells of a column of the table of types, by the type's name."""
    script = """
        const heads = Array.from(document.querySelectorAll("#types thead th"), (each) => each.dataset.title);
        const place = heads.indexOf(arguments[0]) + 1;
        return Object.fromEntries(Array.from(document.querySelectorAll("#types tbody tr"),
            (row) => [row.querySelector("th").innerText, row.cells[place].innerText.trim()]));"""
    return browser.execute_script(script, title)


@pytest.mark.usefixtures("laptop")
def test_25_types_are_on_a_screen_with_prices_users_and_environments(page):
    assert rows_in_sight(page("index.html")) >= 25


class TestPrices:
    def test_are_columns_as_they_are_written(self, page):
        browser = page("index.html#class=m")
        assert column(browser, "EUR an hour") == {"m.small": "0.0249", "m.large": "0.0996", "m.old": "0.0747"}
        assert column(browser, "EUR a month")["m.large"] == "72.71"

    def test_of_an_hour_are_there_when_they_are_wanted(self, page):
        browser = page("index.html")
        heads = "#types thead th:not([hidden])"
        assert "EUR a month" in texts(browser, heads)
        assert "EUR an hour" not in texts(browser, heads)
        browser.find_element(By.CSS_SELECTOR, "[popovertarget=columns]").click()
        browser.find_element(By.XPATH, "//div[@id='columns']//label[contains(., 'an hour')]/input").click()
        assert fragment(browser) == "#hide="
        assert "EUR an hour" in texts(page("index.html#hide="), heads)

    def test_are_those_of_the_environment_that_is_chosen(self, page):
        browser = page("index.html#class=m")
        Select(browser.find_element(By.NAME, "environment")).select_by_visible_text("lab")
        wait(browser, lambda: fragment(browser) == "#class=m&environment=lab")
        assert column(browser, "EUR an hour")["m.large"] == "4.0496"
        browser = page("index.html#class=m&environment=constructor")
        assert names(browser) == []

    def test_are_filtered_by(self, page):
        browser = page("index.html#class=m")
        slide(browser, "month-min", "54.53")
        slide(browser, "month-max", "72.71")
        assert names(browser) == ["m.large", "m.old"]
        assert fragment(browser) == "#class=m&month-min=54.53&month-max=72.71"
        assert names(page("index.html#month-min=0&class=g")) == []  # it has no price

    def test_are_sorted_by_those_without_one_behind(self, page):
        listed = names(page("index.html#sort=price"))
        assert (listed[0], listed[-1]) == ("s.s1", "g.big")

    def test_are_in_the_csv_as_they_are_written(self, page):
        browser = page("index.html#q=m.small&hide=features,environments")
        script = """
            const done = arguments[0], make = URL.createObjectURL;
            URL.createObjectURL = (blob) => { blob.text().then(done); URL.createObjectURL = make; return make(blob); };
            document.getElementById("csv").click();"""
        head, row, rest = browser.execute_async_script(script).split("\r\n")
        fields = dict(zip(head.split(","), row.split(","), strict=True))
        assert (fields["EUR an hour"], fields["EUR a month"], fields["VMs"], rest) == ("0.0249", "18.18", "0", "")

    def test_differ_in_the_comparison(self, page):
        browser = page("compare.html#types=m.small,m.large")
        assert "Price an hour" in texts(browser, "#compared tr.differs th")
        assert {"0.0249 EUR", "0.0996 EUR"} <= set(texts(browser, "#compared td"))

    def test_are_told_at_a_point_of_the_chart(self, page):
        titles = "return Array.from(document.querySelectorAll('.chart a title'), (title) => title.textContent)"
        assert "m.large: 4 vCPUs, 16 GiB, 0.0996 EUR an hour" in page("chart.html").execute_script(titles)

    def test_of_licences_come_on_top(self, page):
        rows = texts(page("types/m.large.html"), "main table tbody tr")
        assert "on top, the licence of windows.one\t0.0800\t58.40" in rows


class TestUsers:
    def test_are_counted_in_a_column_and_filtered_by(self, page):
        browser = page("index.html#class=m")
        assert column(browser, "VMs") == {"m.small": "0", "m.large": "20", "m.old": "10"}
        Select(browser.find_element(By.NAME, "used")).select_by_visible_text("no")
        wait(browser, lambda: fragment(browser) == "#class=m&used=no")
        assert names(browser) == ["m.small"]
        assert names(page("index.html#sort=-vms&used=yes")) == ["m.large", "m.old"]

    def test_of_a_type_are_on_its_page(self, page):
        browser = page("types/m.large.html#users")
        assert "20 of the 30 VMs that are known, in 4 namespaces." in text(browser, "main")
        assert "lab\tteam-0\t5\tvm-4, vm-8, vm-16 and 2 more" in texts(browser, "main table tbody tr")


class TestChanges:
    def test_are_told_release_by_release(self, page):
        browser = page("changes.html")
        assert texts(browser, "main h2") == ["Deprecated now", "v2.0.0 2026-02-03", "v1.0.0 2026-01-01"]
        assert texts(browser, "main h3") == ["Instance types added", "Instance types removed"]
        assert number(browser, "main a[href^='types/s.s']") == 30

    def test_that_are_many_open_by_keyboard(self, page):
        browser = page("changes.html")
        summary = browser.find_element(By.CSS_SELECTOR, "main details summary")
        assert summary.text == "30 of them"
        summary.send_keys(Keys.ENTER)
        wait(browser, lambda: "s.s7" in text(browser, "main"))
        browser.find_element(By.LINK_TEXT, "s.s7").click()
        wait(browser, lambda: text(browser, "h1") == "s.s7")

    def test_of_a_type_are_on_its_page(self, page):
        browser = page("types/m.large.html#history")
        assert texts(browser, ".events > li") == [
            "2026-02-03 changed: Larger 0123456789ab v2.0.0\nspec.cpu.guest: 2 → 4"
        ]
        assert "The clone is shallow" in text(browser, "main")


class TestTemplates:
    def test_lead_to_what_they_have_and_back(self, page):
        browser = page("templates.html")
        browser.find_element(By.LINK_TEXT, "alpine-server-small").click()
        wait(browser, lambda: text(browser, "h1") == "alpine-server-small")
        assert "DISK\tDisk: How large\t30Gi" in texts(browser, "main table tbody tr")
        browser.find_element(By.LINK_TEXT, "m.small").click()
        wait(browser, lambda: text(browser, "h1") == "m.small")
        browser.find_element(By.LINK_TEXT, "web").click()
        wait(browser, lambda: text(browser, "h1") == "web")
        assert texts(browser, "main h3") == ["web in lab", "web in production"]

    def test_show_the_vm_that_they_make(self, page):
        browser = page("vms/web.html")
        browser.find_element(By.CSS_SELECTOR, "main details summary").send_keys(Keys.ENTER)
        wait(browser, lambda: "kind: VirtualMachine" in text(browser, "main"))


def test_no_page_is_wider_than_the_window(page, width):
    for name in PAGES:
        browser = page(f"{name}.html")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width, name


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_serious_fault(page, name, scheme):
    browser = page(f"{name}.html")
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert faults(browser) == []
