"""The site in a real browser, from a folder: filters, order, comparison, matrix, keyboard, width, dark mode, axe."""

from __future__ import annotations

import pytest
from browsing import fill, fragment, number, serious_faults, text, texts, wait, write
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from virtcatalog import load_catalog
from virtcatalog.site.facts import types
from virtcatalog.site.pages import render

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


def names(browser) -> list[str]:
    return texts(browser, "#types tbody th")


def status(browser) -> str:
    return text(browser, "#count")


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
        wait(browser, lambda: len(names(browser)) == 65)
        assert fragment(browser) == ""

    def test_an_address_brings_its_filters_back(self, page):
        browser = page("index.html#memory-min=64&dedicated=1&sort=-memory&hide=features,page")
        found = names(browser)
        assert found
        assert browser.find_element(By.NAME, "memory-min").get_attribute("value") == "64"
        assert browser.find_element(By.NAME, "dedicated").is_selected()
        heads = texts(browser, "#types thead th")
        assert "Features" not in heads
        assert "Memory ↓" in heads
        memory = [int(each.split()[0]) for each in texts(browser, "#types tbody td:nth-child(5)")]
        assert memory == sorted(memory, reverse=True)

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
            browser.find_element(By.XPATH, "//table[@id='types']//thead//button[starts-with(., 'vCPUs')]").click()
            assert text(browser, f"#types th[aria-sort={arrow}]").startswith("vCPUs")
            vcpus = [int(each) for each in texts(browser, "#types tbody td:nth-child(4)")]
            assert len(vcpus) == 65
            assert vcpus == order(vcpus)
            assert browser.switch_to.active_element.text.startswith("vCPUs")

    def test_columns_are_chosen(self, page):
        browser = page("index.html")
        browser.find_element(By.CSS_SELECTOR, ".columns summary").click()
        browser.find_element(By.XPATH, "//div[@id='columns']//label[contains(., 'Class')]/input").click()
        assert "Class" not in texts(browser, "#types thead th")
        assert fragment(browser) == "#hide=series"

    def test_open_their_page(self, page):
        browser = page("index.html#q=u1.medium")
        browser.find_element(By.LINK_TEXT, "u1.medium").click()
        wait(browser, lambda: texts(browser, "h1") == ["u1.medium"])
        assert "VirtualMachineClusterInstancetype" in text(browser, "main")

    def test_are_selected_and_compared(self, page):
        browser = page("index.html#class=general.purpose")
        button = browser.find_element(By.ID, "compare")
        assert not button.is_enabled()
        for box in browser.find_elements(By.CSS_SELECTOR, "#types tbody input")[:6]:
            box.click()
        assert button.text == "Compare selected (5)"
        button.click()
        wait(browser, lambda: number(browser, "#compared thead th") == 6)
        assert "compare.html" in browser.current_url

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
        fields = texts(browser, "#compared tr.differs th")
        assert {"vCPUs", "Memory", "cpu.guest", "memory.guest"} <= set(fields)
        assert "Class" not in fields
        browser.find_element(By.NAME, "all").click()
        assert "Class" in texts(browser, "#compared tbody th")

    def test_types_are_added_and_removed(self, page):
        browser = page("compare.html")
        for name in ("u1.small", "o1.small", "no.such"):
            fill(browser, "name", name)
            browser.find_element(By.NAME, "name").send_keys(Keys.ENTER)
        assert text(browser, "#said") == "There is no type no.such."
        assert fragment(browser) == "#types=u1.small,o1.small"
        browser.find_element(By.CSS_SELECTOR, "[aria-label='Remove u1.small']").click()
        assert fragment(browser) == "#types=o1.small"

    def test_what_an_address_makes_up_is_not_there(self, page):
        browser = page("compare.html#types=__proto__,constructor,u1.medium,%3Cimg%20src=x%3E")
        assert number(browser, "#compared thead th") == 2


class TestMatrix:
    def test_has_every_pair_and_says_why(self, page):
        browser = page("matrix.html")
        assert status(browser) == "3265 of 3705 pairs fit"
        browser.find_element(By.CSS_SELECTOR, "[aria-label='u1.medium with windows.11: does not fit']").click()
        assert text(browser, "#why") == "u1.medium with windows.11: the preference requires 2 vCPUs, there are 1"

    def test_is_filtered(self, page):
        browser = page("matrix.html")
        fill(browser, "type", "u1")
        fill(browser, "preference", "windows.11")
        assert number(browser, "#matrix thead th") == 3
        browser.find_element(By.NAME, "refused").click()
        rows = texts(browser, "#matrix tbody th")
        assert "u1.medium" in rows
        assert "u1.8xlarge" not in rows
        assert fragment(browser) == "#type=u1&preference=windows.11&refused=1"


def test_a_point_of_the_chart_opens_its_type(page):
    browser = page("chart.html")
    points = browser.find_elements(By.CSS_SELECTOR, ".chart a")
    assert len(points) == 65
    spots = browser.execute_script(
        "return Array.from(document.querySelectorAll('.chart a circle'), (each) => each.outerHTML.split('<title>')[0])"
    )
    assert len(set(spots)) == 65
    points[0].send_keys(Keys.ENTER)
    wait(browser, lambda: "/types/" in browser.current_url)


def test_the_keyboard_skips_to_the_content(page):
    browser = page("index.html")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip to the content"
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait(browser, lambda: browser.execute_script("return document.activeElement.id") == "main")


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_the_window(page, width, name):
    browser = page(f"{name}.html")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", [*PAGES[2:], "index.html#q=u1", "matrix.html#type=u1.medium"])
def test_axe_finds_no_serious_fault(page, name, scheme):
    browser = page(name if "#" in name else f"{name}.html")  # of the large tables a part: axe looks at every cell
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert serious_faults(browser) == []


@pytest.fixture(scope="module")
def many(browser, tmp_path_factory):
    sizes = "".join(f"  s{number}: {{vcpus: {number % 64 + 1}}}\n" for number in range(1000))
    files = {"catalog.yaml": b"name: many\nkubevirt: v1.9.0\n"}
    for series in "abcde":
        files[f"instancetypes/{series}.yaml"] = f"class: {series}\nmemoryPerVcpu: 2Gi\nsizes:\n{sizes}".encode()
    files["preferences/p.yaml"] = b"preferences:\n  plain: {}\n  wide: {requirements: {vcpus: 8}}\n"
    pages = render(load_catalog("catalog", files), with_domains=False)
    wanted = {path: page for path, page in pages.items() if path.startswith(("index", "assets", "matrix"))}
    return write(tmp_path_factory.mktemp("many"), wanted)


class TestFiveThousandTypes:
    """As much is drawn at once as can be seen: what is drawn is counted here, and timed by benchmarks/site.py."""

    def test_are_filtered_and_drawn_a_hundred_at_a_time(self, open_page, many):
        browser = open_page(many, "index.html")
        assert status(browser) == "5000 instance types"
        assert number(browser, "#types tbody tr") == 100
        browser.find_element(By.ID, "more").click()
        assert number(browser, "#types tbody tr") == 200
        fill(browser, "q", "a.s10")
        assert status(browser) == "11 of 5000 instance types"
        assert number(browser, "#types tbody tr") == 11
        assert not browser.find_element(By.ID, "more").is_displayed()
        fill(browser, "q", "")
        assert number(browser, "#types tbody tr") == 100

    def test_have_a_matrix_of_a_hundred_rows_at_a_time(self, open_page, many):
        browser = open_page(many, "matrix.html")
        fit = 5000 + 5 * sum(number % 64 + 1 >= 8 for number in range(1000))
        assert status(browser) == f"{fit} of 10000 pairs fit"
        assert number(browser, "#matrix tbody tr") == 100
