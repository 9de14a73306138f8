"""The site in a real browser, from a folder: filters, order, comparison, matrix, keyboard, width, dark mode, axe."""

from __future__ import annotations

import pytest
from browsing import faults, fill, fragment, number, rows_in_sight, slide, text, texts, wait, write
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from virtcatalog import load_catalog
from virtcatalog.render.features import natural
from virtcatalog.site.facts import type_rows
from virtcatalog.site.pages import render

PAGES = (
    "index",
    "matrix",
    "compare",
    "chart",
    "preferences",
    "environments",
    "fields",
    "form",
    "types/u1.medium",
    "preferences/fedora",
)
DOMAIN = "domain.html#type=u1.medium&preference=fedora"


def names(browser) -> list[str]:
    return texts(browser, "#types tbody th")


def status(browser) -> str:
    return text(browser, "#count")


class TestTypes:
    def test_are_all_there_at_first(self, page):
        browser = page("index.html")
        assert len(names(browser)) == 65
        assert status(browser) == "65 of 65"

    @pytest.mark.usefixtures("laptop")
    def test_are_25_on_a_screen(self, page):
        browser = page("index.html")
        assert rows_in_sight(browser) >= 25

    def test_keep_their_head_and_names_in_sight(self, page):
        browser = page("index.html")
        script = """
            const region = document.querySelector(".scroll"), place = (element) => element.getBoundingClientRect();
            region.style.width = "400px";
            region.scrollTo(300, 500);
            return [place(document.querySelector("#types thead th")).top - place(region).top,
                    place(document.querySelector("#types tbody th")).left - place(region).left]"""
        top, left = browser.execute_script(script)
        assert abs(top) <= 2
        assert abs(left) <= 2

    def test_are_filtered_and_the_address_says_how(self, page):
        browser = page("index.html")
        slide(browser, "vcpus-min", "4")
        slide(browser, "vcpus-max", "8")
        browser.find_element(By.CSS_SELECTOR, "[name=class][value='general.purpose']").send_keys(Keys.SPACE)
        assert set(names(browser)) == {"u1.xlarge", "u1.2xlarge"}
        assert status(browser) == "2 of 65"
        assert fragment(browser) == "#vcpus-min=4&vcpus-max=8&class=general.purpose"
        browser.find_element(By.CSS_SELECTOR, "[name=class][value=network]").send_keys(Keys.SPACE)
        assert set(names(browser)) == {"u1.xlarge", "u1.2xlarge", "n1.medium", "n1.large", "n1.xlarge"}
        browser.find_element(By.ID, "clear").click()
        wait(browser, lambda: len(names(browser)) == 65)
        assert fragment(browser) == ""

    def test_a_thumb_does_not_pass_the_other(self, page):
        browser = page("index.html#vcpus-max=2")
        slide(browser, "vcpus-min", "2")
        browser.find_element(By.NAME, "vcpus-min").send_keys(Keys.ARROW_RIGHT)
        assert fragment(browser) == "#vcpus-max=2&vcpus-min=2"

    def test_an_address_brings_its_filters_back(self, page):
        browser = page("index.html#memory-min=60&dedicated=1&sort=-memory,name&hide=features,page")
        assert names(browser)
        assert browser.find_element(By.NAME, "memory-min").get_attribute("aria-valuetext") == "64"
        assert browser.find_element(By.NAME, "dedicated").is_selected()
        heads = texts(browser, "#types thead th:not([hidden])")
        assert heads == ["Name↑2", "Class", "vCPUs", "Memory↓1", "GiB a vCPU"]
        memory = [int(text.split()[0]) for text in texts(browser, "#types tbody td.memory")]
        assert memory == sorted(memory, reverse=True)

    @pytest.mark.parametrize(
        ("filters", "wanted"),
        [
            ("q=U1+large", lambda instancetype: instancetype.name.startswith("u1.") and "large" in instancetype.name),
            ("q=numa", lambda instancetype: "NUMA" in instancetype.tags),
            ("pages=1&vcpus-max=1", lambda instancetype: instancetype.page and instancetype.vcpus <= 1),
            ("gpu=1", lambda instancetype: instancetype.gpus),
            ("dedicated=1", lambda instancetype: instancetype.dedicated),
            ("ratio-min=8", lambda instancetype: instancetype.ratio >= 8),
            ("memory-min=4&memory-max=8", lambda instancetype: 4 * 2**30 <= instancetype.memory <= 8 * 2**30),
            ("class=network&class=realtime", lambda instancetype: instancetype.series in ("network", "realtime")),
        ],
    )
    def test_each_filter_counts(self, page, example, filters, wanted):
        assert names(page(f"index.html#{filters}")) == [
            instancetype.name for instancetype in type_rows(example) if wanted(instancetype)
        ]

    def test_are_sorted_by_several_columns(self, page):
        browser = page("index.html")
        for title, sort in (
            ("Name", "name"),
            ("Memory", "memory,name"),
            ("Memory", "-memory,name"),
            ("Memory", "name"),
        ):
            browser.find_element(By.XPATH, f"//th/button[starts-with(., '{title}')]").click()
            assert fragment(browser) == f"#sort={sort}"
            assert browser.switch_to.active_element.text.startswith(title)
            if sort == "-memory,name":
                assert texts(browser, "th[aria-sort=descending]") == ["Memory↓1"]
                assert names(browser)[:3] == ["m1.8xlarge", "m1.8xlarge1gi", "d1.8xlarge"]
        assert names(browser) == sorted(names(browser), key=natural)

    def test_columns_are_chosen(self, page):
        browser = page("index.html")
        browser.find_element(By.CSS_SELECTOR, "[popovertarget=columns]").click()
        browser.find_element(By.XPATH, "//div[@id='columns']//label[contains(., 'Class')]/input").click()
        assert "Class" not in texts(browser, "#types thead th:not([hidden])")
        assert fragment(browser) == "#hide=series"

    def test_open_their_page(self, page):
        browser = page("index.html#q=u1.medium")
        browser.find_element(By.LINK_TEXT, "u1.medium").click()
        wait(browser, lambda: texts(browser, "h1") == ["u1.medium"])
        assert "VirtualMachineClusterInstancetype" in text(browser, "main")

    @pytest.mark.usefixtures("selection")
    def test_are_selected_over_pages_and_compared(self, page):
        browser = page("types/u1.nano.html")
        browser.find_element(By.ID, "select").click()
        page("index.html#class=general.purpose")
        button = browser.find_element(By.ID, "compare")
        assert not button.is_enabled()
        for box in browser.find_elements(By.CSS_SELECTOR, "#types tbody input")[1:6]:
            box.click()
        assert button.text == "Compare selected (5)"
        assert texts(browser, ".top nav a")[4] == "Compare (5)"
        button.click()
        wait(browser, lambda: number(browser, "#compared thead th") == 6)
        assert "types=u1.nano," in fragment(browser)

    def test_csv_is_what_is_shown(self, page):
        browser = page("index.html#q=u1.medium&hide=features")
        script = """
            const done = arguments[0], make = URL.createObjectURL;
            URL.createObjectURL = (blob) => { blob.text().then(done); URL.createObjectURL = make; return make(blob); };
            document.getElementById("csv").click();"""
        lines = browser.execute_async_script(script).split("\r\n")
        assert lines[0] == "Name,Class,vCPUs,Memory,GiB a vCPU"
        assert lines[1] == f"u1.medium,general.purpose,1,{4 * 2**30},4"
        assert lines[2:] == [""]

    @pytest.mark.usefixtures("phone")
    def test_are_cards_on_a_phone(self, page):
        browser = page("index.html#q=u1.medium")
        script = """
            return ["name", "vcpus", "memory", "series"].map((name) => {
                const cell = document.querySelector(name === "name" ? "#types tbody th" : `#types tbody td.${name}`);
                return cell.getBoundingClientRect().top; })"""
        name, vcpus, memory, series = browser.execute_script(script)
        assert name < vcpus == memory < series
        assert not browser.find_element(By.NAME, "q").is_displayed()
        browser.find_element(By.ID, "filter").click()
        assert browser.find_element(By.NAME, "q").is_displayed()


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


class TestWhatFits:
    def test_is_folded_and_unfolds_to_the_pair_and_its_reason(self, page):
        browser = page("matrix.html")
        assert status(browser) == "3265 of 3705 pairs fit"
        assert number(browser, "#matrix tbody tr") == 7
        folded = "[aria-label='general.purpose with Microsoft Windows: 54 of 70 fit']"
        browser.find_element(By.CSS_SELECTOR, folded).click()
        assert fragment(browser) == "#rows=general.purpose&columns=Microsoft+Windows"
        refused = browser.find_element(By.CSS_SELECTOR, "[aria-label='u1.medium with windows.11: does not fit']")
        browser.execute_script("arguments[0].focus()", refused)
        assert text(browser, "#why") == "u1.medium with windows.11: the preference requires 2 vCPUs, there are 1"
        refused.send_keys(Keys.ESCAPE)
        assert not browser.find_element(By.ID, "why").is_displayed()
        refused.click()
        assert browser.find_element(By.ID, "why").is_displayed()

    def test_counts_reasons_where_it_is_folded(self, page):
        browser = page("matrix.html#rows=realtime")
        cell = browser.find_element(By.CSS_SELECTOR, "[aria-label='rt1.micro with Fedora: 0 of 4 fit']")
        ActionChains(browser).move_to_element(cell).perform()
        assert text(browser, "#why").split("\n") == [
            "rt1.micro with Fedora: 4 of 4 pairs do not fit",
            "4 \N{MULTIPLICATION SIGN} the preference requires 2Gi memory, there are 1Gi",
        ]

    @pytest.mark.usefixtures("laptop")
    def test_keeps_its_head_in_sight(self, page):
        browser = page("matrix.html#rows=general.purpose&rows=realtime&rows=dedicated.vcpu")
        script = """
            const region = document.querySelector(".matrix"), head = document.querySelector("#matrix thead th");
            region.scrollTo(0, 300);
            return [region.scrollTop, head.getBoundingClientRect().top - region.getBoundingClientRect().top]"""
        scrolled, top = browser.execute_script(script)
        assert scrolled > 0
        assert abs(top) <= 2

    def test_is_filtered(self, page):
        browser = page("matrix.html")
        fill(browser, "type", "u1")
        fill(browser, "preference", "windows.11")
        assert number(browser, "#matrix thead th") == 4
        browser.find_element(By.NAME, "refused").click()
        rows = texts(browser, "#matrix tbody th")
        assert "u1.medium" in rows
        assert "u1.8xlarge" not in rows
        assert fragment(browser) == "#type=u1&preference=windows.11&refused=1"


class TestChart:
    def test_has_a_mark_a_size_and_names_beside(self, page):
        browser = page("chart.html")
        titles = "return Array.from(document.querySelectorAll('.chart a title'), (title) => title.textContent)"
        marks = browser.execute_script(titles)
        assert number(browser, ".chart circle") == len(marks) == len(set(marks))
        assert "m1.8xlarge: 32 vCPUs, 256 GiB\nm1.8xlarge1gi: 32 vCPUs, 256 GiB" in marks
        assert sum(len(mark.splitlines()) for mark in marks) == 65
        names = "return Array.from(document.querySelectorAll('.chart text.name'), (name) => name.textContent)"
        assert len(browser.execute_script(names)) == len(marks)
        assert number(browser, ".chart polyline") == 7

    @pytest.mark.usefixtures("phone")
    def test_can_be_read_on_a_phone(self, page):
        script = "return document.querySelector('.chart text.name').getBoundingClientRect().height"
        assert page("chart.html").execute_script(script) >= 11

    def test_has_a_table_of_all_types_beside(self, page):
        browser = page("chart.html")
        browser.find_element(By.CSS_SELECTOR, "main details summary").send_keys(Keys.ENTER)
        assert number(browser, "main details a") == 65

    def test_a_mark_opens_its_types(self, page):
        browser = page("chart.html")
        browser.find_element(By.CSS_SELECTOR, "[aria-label^='n1.medium']").send_keys(Keys.ENTER)
        wait(browser, lambda: "/types/n1.medium" in browser.current_url)
        page("chart.html")
        browser.find_element(By.CSS_SELECTOR, "[aria-label^='m1.large']").send_keys(Keys.ENTER)
        wait(browser, lambda: names(browser) == ["m1.large", "m1.large1gi"])


class TestSearch:
    def test_finds_types_preferences_and_fields_by_keyboard(self, page):
        browser = page("types/u1.medium.html")
        browser.find_element(By.TAG_NAME, "body").send_keys("/")
        assert browser.switch_to.active_element.get_attribute("id") == "find"
        for word, kind in (
            ("n1.2xlarge", "instance type"),
            ("windows.11", "preference"),
            ("ioThreadsPolicy", "field of types"),
        ):
            field = browser.find_element(By.ID, "find")
            field.clear()
            field.send_keys(word)
            wait(browser, lambda word=word: word in text(browser, "#found li:first-child"))
            assert kind in text(browser, "#found li:first-child")
        browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
        browser.switch_to.active_element.send_keys(Keys.ENTER)
        wait(browser, lambda: "fields.html#types-ioThreadsPolicy" in browser.current_url)

    def test_has_names_before_texts_and_says_how_many_more(self, page):
        browser = page("index.html")
        browser.find_element(By.ID, "find").send_keys("hugepages")
        wait(browser, lambda: texts(browser, "#found li"))
        paths = texts(browser, "#found li")
        assert paths[0].startswith("memory.hugepages.pageSize")
        assert paths[-1] == f"and {int(text(browser, '#found-count').split()[0]) - 12} more"

    def test_opens_the_first_and_closes(self, page):
        browser = page("index.html")
        field = browser.find_element(By.ID, "find")
        field.send_keys("fedora")
        wait(browser, lambda: texts(browser, "#found li"))
        field.send_keys(Keys.ESCAPE)
        assert not browser.find_element(By.ID, "found").is_displayed()
        field.send_keys("fedora", Keys.ENTER)
        wait(browser, lambda: "preferences/fedora.html" in browser.current_url)


def test_the_theme_is_remembered(page):
    browser = page("index.html")
    paper = "return getComputedStyle(document.body).backgroundColor"
    for label, colour in (("Theme: light", "rgb(255, 255, 255)"), ("Theme: dark", "rgb(18, 21, 24)")):
        browser.find_element(By.ID, "theme").click()
        assert browser.find_element(By.ID, "theme").get_attribute("aria-label") == label
        assert browser.execute_script(paper) == colour
    page("preferences.html")
    assert browser.execute_script(paper) == "rgb(18, 21, 24)"
    browser.find_element(By.ID, "theme").click()
    assert browser.execute_script(paper) == "rgb(255, 255, 255)"


def test_without_scripts_there_is_everything_to_read(page, browser):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        source = page("index.html").page_source
        assert source.count('<th scope="row">') == 65
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


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


@pytest.mark.parametrize("name", [*PAGES[2:], "index.html#q=u1", "matrix.html#type=u1.medium", DOMAIN])
def test_axe_finds_no_fault(page, name, scheme):
    browser = page(name if "#" in name else f"{name}.html")  # of the large tables a part: axe looks at every cell
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert faults(browser) == []


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

    def test_are_filtered_and_drawn_two_hundred_at_a_time(self, open_page, many):
        browser = open_page(many, "index.html")
        assert status(browser) == "5,000 of 5,000"
        assert number(browser, "#types tbody tr") == 200
        browser.find_element(By.ID, "more").click()
        assert number(browser, "#types tbody tr") == 400
        fill(browser, "q", "a.s10")
        assert status(browser) == "11 of 5,000"
        assert number(browser, "#types tbody tr") == 11
        assert not browser.find_element(By.ID, "more").is_displayed()
        fill(browser, "q", "")
        assert number(browser, "#types tbody tr") == 200

    def test_have_a_matrix_of_two_hundred_rows_at_a_time(self, open_page, many):
        browser = open_page(many, "matrix.html#rows=a&rows=b&rows=c&rows=d&rows=e")
        fit = 5000 + 5 * sum(number % 64 + 1 >= 8 for number in range(1000))
        assert status(browser) == f"{fit} of 10000 pairs fit"
        assert number(browser, "#matrix tbody tr") == 200
