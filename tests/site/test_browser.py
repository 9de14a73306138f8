"""The site in a real browser, from a folder: filters, order, comparison, matrix, keyboard, width, dark mode, axe.

They run in CI, where the absence of Debian's chromium and chromium-driver is an error, and where BROWSER is set: each
takes some seconds.
"""

from __future__ import annotations

import os
import shlex
import shutil
import time
from pathlib import Path

import pytest

from virtcatalog import Cluster, expand, load_catalog
from virtcatalog.site.facts import types
from virtcatalog.site.pages import render

if not (os.environ.get("CI") or os.environ.get("BROWSER")):
    pytest.skip("set BROWSER=1 to test the site in Chromium", allow_module_level=True)

import axe_selenium_python
from ruamel.yaml import YAML
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

ROOT = Path(__file__).parents[2]
AXE = Path(axe_selenium_python.__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
PAGES = (
    "index",
    "matrix",
    "compare",
    "chart",
    "preferences",
    "environments",
    "form",
    "types/u1.medium",
    "preferences/fedora",
)
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


@pytest.fixture(scope="module")
def example():
    return load_catalog(ROOT / "examples" / "common-instancetypes")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, example):
    folder = tmp_path_factory.mktemp("site")
    write(folder, render(example))
    return folder


def write(folder: Path, pages: dict[str, str]) -> None:
    for path, text in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    assert CHROMIUM, "install chromium"
    assert DRIVER, "install chromium-driver"
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_window_size(1600, 1000)
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, folder):
    """Open a page of the site, and find no error in the console and no request but for its own files."""

    def open_page(path: str):
        browser.get("about:blank")
        browser.get_log("performance")
        browser.get(f"{folder.as_uri()}/{path}")
        return browser

    yield open_page
    assert browser.get_log("browser") == []
    requests = [
        each["message"] for each in browser.get_log("performance") if "Network.requestWillBeSent" in each["message"]
    ]
    assert not [each for each in requests if '"url":"http' in each]


def names(browser) -> list[str]:
    return [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#types tbody th")]


def fragment(browser) -> str:
    return browser.execute_script("return location.hash")


def fill(browser, name: str, text: str) -> None:
    field = browser.find_element(By.NAME, name)
    field.clear()
    field.send_keys(text)


def status(browser) -> str:
    return browser.find_element(By.ID, "count").text


class TestTypes:
    def test_are_all_there_at_first(self, page):
        browser = page("index.html")
        assert len(names(browser)) == 65
        assert status(browser) == "65 instance types"

    def test_are_filtered_and_the_address_says_how(self, page):
        browser = page("index.html")
        fill(browser, "vcpus-min", "4")
        fill(browser, "vcpus-max", "8")
        Select(browser.find_element(By.NAME, "class")).select_by_visible_text("general.purpose")
        assert set(names(browser)) == {"u1.xlarge", "u1.2xlarge"}
        assert status(browser) == "2 of 65 instance types"
        assert fragment(browser) == "#vcpus-min=4&vcpus-max=8&class=general.purpose"
        browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
        WebDriverWait(browser, 5).until(lambda driver: len(names(driver)) == 65)
        assert fragment(browser) == ""

    def test_an_address_brings_its_filters_back(self, page):
        browser = page("index.html#memory-min=64&dedicated=1&sort=-memory&hide=features,page")
        found = names(browser)
        assert found
        assert browser.find_element(By.NAME, "memory-min").get_attribute("value") == "64"
        assert browser.find_element(By.NAME, "dedicated").is_selected()
        heads = [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#types thead th")]
        assert "Features" not in heads
        assert "Memory ↓" in heads
        memory = [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#types tbody td:nth-child(5)")]
        assert [int(each.split()[0]) for each in memory] == sorted(
            (int(each.split()[0]) for each in memory), reverse=True
        )

    @pytest.mark.parametrize(
        ("filters", "wanted"),
        [
            ("q=U1+large", lambda each: each.name.startswith("u1.") and "large" in each.name),
            ("pages=1&vcpus-max=1", lambda each: each.page and each.vcpus <= 1),
            ("gpu=1", lambda each: each.gpus),
            ("dedicated=1", lambda each: each.dedicated),
            ("ratio-min=8", lambda each: each.ratio >= 8),
            ("memory-min=4&memory-max=8", lambda each: 4 * 2**30 <= each.memory <= 8 * 2**30),
            ("deprecated=only", lambda each: each.deprecated),
            ("deprecated=no", lambda each: not each.deprecated),
        ],
    )
    def test_each_filter_counts(self, page, example, filters, wanted):
        assert names(page(f"index.html#{filters}")) == [each.name for each in types(example) if wanted(each)]

    def test_are_ordered_by_a_click_and_back(self, page):
        browser = page("index.html")
        for arrow, order in (("ascending", sorted), ("descending", lambda each: sorted(each, reverse=True))):
            button = next(
                each
                for each in browser.find_elements(By.CSS_SELECTOR, "#types thead button")
                if each.text.startswith("vCPUs")
            )
            button.click()
            head = browser.find_element(By.CSS_SELECTOR, f"#types th[aria-sort={arrow}]")
            assert head.text.startswith("vCPUs")
            vcpus = [int(each.text) for each in browser.find_elements(By.CSS_SELECTOR, "#types tbody td:nth-child(4)")]
            assert vcpus == order(vcpus)
            assert browser.switch_to.active_element.text.startswith("vCPUs")

    def test_columns_are_chosen(self, page):
        browser = page("index.html")
        browser.find_element(By.CSS_SELECTOR, ".columns summary").click()
        browser.find_element(By.XPATH, "//div[@id='columns']//label[contains(., 'Class')]/input").click()
        assert "Class" not in [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#types thead th")]
        assert fragment(browser) == "#hide=series"

    def test_open_their_page(self, page):
        browser = page("index.html#q=u1.medium")
        browser.find_element(By.LINK_TEXT, "u1.medium").click()
        assert browser.find_element(By.TAG_NAME, "h1").text == "u1.medium"
        assert "VirtualMachineClusterInstancetype" in browser.find_element(By.TAG_NAME, "main").text

    def test_are_selected_and_compared(self, page):
        browser = page("index.html#class=general.purpose")
        button = browser.find_element(By.ID, "compare")
        assert not button.is_enabled()
        for box in browser.find_elements(By.CSS_SELECTOR, "#types tbody input")[:6]:
            box.click()
        assert button.text == "Compare selected (5)"
        button.click()
        WebDriverWait(browser, 5).until(lambda driver: "compare.html" in driver.current_url)
        assert len(browser.find_elements(By.CSS_SELECTOR, "#compared thead th")) == 6

    def test_csv_is_what_is_shown(self, page):
        browser = page("index.html#q=u1.medium&hide=features")
        script = """
            const done = arguments[0], make = URL.createObjectURL;
            URL.createObjectURL = (blob) => { blob.text().then(done); URL.createObjectURL = make; return make(blob); };
            document.getElementById("csv").click();"""
        lines = browser.execute_async_script(script).split("\r\n")
        assert lines[0] == "Name,Class,vCPUs,Memory,GiB a vCPU,GPUs,Huge pages,Dedicated CPUs,Deprecated"
        assert lines[1] == f"u1.medium,general.purpose,1,{4 * 2**30},4,0,,,"
        assert lines[2:] == [""]


class TestComparison:
    def test_marks_what_differs_and_leaves_out_the_rest(self, page):
        browser = page("compare.html#types=u1.medium,u1.large")
        fields = [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#compared tr.differs th")]
        assert {"vCPUs", "Memory", "cpu.guest", "memory.guest"} <= set(fields)
        assert "Class" not in fields
        browser.find_element(By.NAME, "all").click()
        assert "Class" in [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#compared tbody th")]

    def test_types_are_added_and_removed(self, page):
        browser = page("compare.html")
        for name in ("u1.small", "o1.small", "no.such"):
            fill(browser, "name", name)
            browser.find_element(By.NAME, "name").send_keys(Keys.ENTER)
        assert browser.find_element(By.ID, "said").text == "There is no type no.such."
        assert fragment(browser) == "#types=u1.small,o1.small"
        browser.find_element(By.CSS_SELECTOR, "[aria-label='Remove u1.small']").click()
        assert fragment(browser) == "#types=o1.small"

    def test_what_an_address_makes_up_is_not_there(self, page):
        browser = page("compare.html#types=__proto__,constructor,u1.medium,%3Cimg%20src=x%3E")
        assert len(browser.find_elements(By.CSS_SELECTOR, "#compared thead th")) == 2


class TestMatrix:
    def test_has_every_pair_and_says_why(self, page):
        browser = page("matrix.html")
        assert status(browser) == "3265 of 3705 pairs fit"
        browser.find_element(By.CSS_SELECTOR, "[aria-label='u1.medium with windows.11: does not fit']").click()
        assert (
            browser.find_element(By.ID, "why").text
            == "u1.medium with windows.11: the preference requires 2 vCPUs, there are 1"
        )

    def test_is_filtered(self, page):
        browser = page("matrix.html")
        fill(browser, "type", "u1")
        fill(browser, "preference", "windows.11")
        assert len(browser.find_elements(By.CSS_SELECTOR, "#matrix thead th")) == 3
        browser.find_element(By.NAME, "refused").click()
        rows = [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#matrix tbody th")]
        assert "u1.medium" in rows
        assert "u1.8xlarge" not in rows
        assert fragment(browser) == "#type=u1&preference=windows.11&refused=1"


class TestForm:
    def text(self, browser, name: str) -> str:
        return browser.find_element(By.ID, name).text

    def test_makes_a_vm_that_kubevirt_admits(self, page, example):
        browser = page("form.html#type=u1.medium&preference=fedora")
        vm = YAML(typ="safe").load(self.text(browser, "manifest"))
        assert vm["spec"]["instancetype"] == {"name": "u1.medium"}
        assert expand(vm, Cluster(example.objects())).admitted
        assert self.text(browser, "fits") == "KubeVirt admits this pair."

    def test_says_why_a_pair_does_not_fit(self, page):
        browser = page("form.html#type=u1.medium")
        Select(browser.find_element(By.NAME, "preference")).select_by_visible_text("windows.11")
        WebDriverWait(browser, 5).until(lambda driver: self.text(driver, "fits"))
        assert self.text(browser, "fits") == "They do not fit: the preference requires 2 vCPUs, there are 1."
        assert "preference=windows.11" in fragment(browser)

    def test_has_virtctls_line(self, page):
        browser = page("form.html#name=db&type=u1.large&boot=claim&source=gold&run=Halted")
        assert self.text(browser, "virtctl") == (
            "virtctl create vm --name db --instancetype u1.large --run-strategy Halted --volume-pvc src:gold"
        )

    def test_quotes_what_it_has_to(self, page):
        hostile = 'a\'; rm -rf "$HOME" #\n: {}'
        browser = page("form.html#boot=claim&type=u1.large&name=true")
        script = "const f = document.getElementsByName('source')[0]; f.value = arguments[0];"
        browser.execute_script(script + "f.dispatchEvent(new Event('input', { bubbles: true }))", hostile)
        vm = YAML(typ="safe").load(self.text(browser, "manifest"))
        assert vm["metadata"]["name"] == "true"
        source = vm["spec"]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"]
        assert source == hostile.replace("\n", "")  # the field is of one line
        assert f"src:{source}" in shlex.split(self.text(browser, "virtctl"))


def test_a_point_of_the_chart_opens_its_type(page):
    browser = page("chart.html")
    points = browser.find_elements(By.CSS_SELECTOR, ".chart a")
    assert len(points) == 65
    spots = {
        (each.get_attribute("cx"), each.get_attribute("cy"))
        for each in browser.find_elements(By.CSS_SELECTOR, ".chart a circle")
    }
    assert len(spots) == 65
    points[0].send_keys(Keys.ENTER)
    WebDriverWait(browser, 5).until(lambda driver: "/types/" in driver.current_url)


def test_the_keyboard_skips_to_the_content(page):
    browser = page("index.html")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip to the content"
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.switch_to.active_element.get_attribute("id") == "main"


@pytest.mark.parametrize("width", [400, 1600])
def test_no_page_is_wider_than_the_window(page, browser, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 800}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for name in PAGES:
            page(f"{name}.html")
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width, name
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [*PAGES[2:], "index.html#q=u1", "matrix.html#type=u1.medium"])
def test_axe_finds_no_serious_fault(page, browser, name, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    page(name if "#" in name else f"{name}.html")  # of the large tables a part: axe looks at every cell
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    browser.execute_script(AXE.read_text())
    found = browser.execute_async_script("axe.run().then(arguments[0])")
    serious = [
        (each["id"], each["nodes"][0]["html"][:200])
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_five_thousand_types_are_fast(browser, tmp_path):
    sizes = "".join(f"  s{number}: {{vcpus: {number % 64 + 1}}}\n" for number in range(1000))
    files = {"catalog.yaml": b"name: many\nkubevirt: v1.9.0\n"}
    for series in "abcde":
        files[f"instancetypes/{series}.yaml"] = f"class: {series}\nmemoryPerVcpu: 2Gi\nsizes:\n{sizes}".encode()
    files["preferences/p.yaml"] = b"preferences:\n  plain: {}\n  wide: {requirements: {vcpus: 8}}\n"
    pages = render(load_catalog("catalog", files))
    write(tmp_path, {path: text for path, text in pages.items() if path.startswith(("index", "assets", "matrix"))})
    browser.get("about:blank")
    browser.get((tmp_path / "index.html").as_uri())
    WebDriverWait(browser, 10).until(lambda driver: status(driver) == "5000 instance types")
    painted = browser.execute_script("return performance.getEntriesByType('paint').map((each) => each.startTime)")
    assert max(painted) < 1000
    script = """
        const field = document.querySelector("[name=q]"), times = [];
        for (const text of ["a", "a.s1", "a.s10", ""]) {
          const own = [];
          for (let round = 0; round < 5; round++) {  // the machine may have other things to do
            field.value = text;
            const started = performance.now();
            field.dispatchEvent(new Event("input", { bubbles: true }));
            document.body.offsetHeight;
            own.push(performance.now() - started);
          }
          times.push(Math.min(...own));
        }
        return Math.max(...times);"""
    assert browser.execute_script(script) < 50
    assert status(browser) == "5000 instance types"
    started = time.monotonic()
    browser.get((tmp_path / "matrix.html").as_uri())
    assert status(browser) == f"{5000 + 5 * sum(number % 64 + 1 >= 8 for number in range(1000))} of 10000 pairs fit"
    assert time.monotonic() - started < 5
