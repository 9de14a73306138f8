"""Five tasks of people who choose machines, in a real browser, with the keyboard alone."""

from __future__ import annotations

import pytest
from browsing import content, slide, text, texts, wait, write
from ruamel.yaml import YAML
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from virtcatalog import Cluster, expand, load_catalog
from virtcatalog.publish.environments import objects_now
from virtcatalog.publish.releases import Release
from virtcatalog.site.changes import History
from virtcatalog.site.pages import render

FILES = {
    "catalog.yaml": "name: house\nkubevirt: v1.9.0\noperator: {commonInstancetypes: disabled}\n",
    "overlays.yaml": "production: {}\nlab: {scope: namespaced, namespace: virt-lab}\n",
    "prices.yaml": "currency: EUR\nperHour: {cpu: 0.0125, memory: 0.0031}\n",
    "instancetypes/u.yaml": "class: u\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1, memory: 2Gi}, medium: {vcpus: 1}, "
    "large: {vcpus: 2}, xlarge: {vcpus: 4}, old: {vcpus: 2, deprecated: {replacedBy: u.large, sunset: 2027-03-01}}}\n",
    "instancetypes/h.yaml": "class: h\nspec: {memory: {hugepages: {pageSize: 2Mi}}}\n"
    "sizes: {xlarge: {vcpus: 4, memory: 8Gi}, wide: {vcpus: 4, memory: 32Gi}, big: {vcpus: 8, memory: 16Gi}}\n",
    "preferences/os.yaml": "preferences:\n  fedora: {displayName: Fedora, osType: linux, requirements: {memory: 2Gi}}\n"
    "  windows.11:\n    displayName: Microsoft Windows 11\n    osType: windows\n"
    "    requirements: {vcpus: 2, memory: 4Gi}\n",
}


def catalog(**changed: str):
    return load_catalog("catalog", {path: text.encode() for path, text in {**FILES, **changed}.items()})


@pytest.fixture(scope="module")
def folder(tmp_path_factory, browser):
    before = catalog(**{"instancetypes/u.yaml": "class: u\nmemoryPerVcpu: 2Gi\nsizes: {small: {vcpus: 1}}\n"})
    past = History(
        releases=(
            Release(name="v1.0.0", date="2026-01-01", objects=objects_now(before)),
            Release(name="v1.1.0", date="2026-02-01", objects=objects_now(catalog())),
        )
    )
    return write(tmp_path_factory.mktemp("tasks"), render(catalog(), past=past))


def press(browser, selector: str, *keys: str) -> None:
    browser.find_element(By.CSS_SELECTOR, selector).send_keys(*(keys or (Keys.ENTER,)))


def test_the_cheapest_type_with_four_vcpus_and_huge_pages(page):
    browser = page("index.html")
    slide(browser, "vcpus-min", "4")
    slide(browser, "vcpus-max", "4")
    press(browser, "[name=pages]", Keys.SPACE)
    press(browser, "th.month button")
    assert texts(browser, "#types tbody th") == ["h.xlarge", "h.wide"]
    press(browser, "#types tbody th a")
    wait(browser, lambda: text(browser, "h1") == "h.xlarge")
    assert "Price a month\n54.60 EUR" in text(browser, ".facts")


def test_whether_windows_fits_a_type_and_why_not(page):
    browser = page("index.html")
    browser.find_element(By.TAG_NAME, "body").send_keys("/")
    browser.switch_to.active_element.send_keys("u.small")
    wait(browser, lambda: texts(browser, "#found a"))
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait(browser, lambda: text(browser, "h1") == "u.small")
    press(browser, "main details summary")
    wait(browser, lambda: "the preference requires 2 vCPUs, there are 1" in texts(browser, "main details")[0])
    assert "windows.11" in texts(browser, "main details dt")


def test_a_manifest_for_fedora_with_eight_gib(page):
    browser = page("form.html")
    press(browser, "[name=family][value=Fedora]", Keys.SPACE)
    press(browser, "[name=memory]", "8")
    wait(browser, lambda: "u.large" in content(browser, "#manifest"))
    vm = YAML(typ="safe").load(content(browser, "#manifest"))
    result = expand(vm, Cluster(catalog().objects()))
    assert result.admitted
    assert result.vmi["spec"]["domain"]["memory"]["guest"] == "8Gi"
    assert vm["spec"]["preference"] == {"name": "fedora"}
    assert "u.large costs 36.35 EUR a month" in text(browser, "#price")
    address = browser.current_url
    browser.get("about:blank")
    browser.get(address)  # the link that somebody else opens
    assert YAML(typ="safe").load(content(browser, "#manifest")) == vm


def test_a_manifest_in_a_namespace_with_types_of_its_own(page):
    browser = page("form.html#preference=fedora&type=u.large")
    Select(browser.find_element(By.NAME, "environment")).select_by_visible_text("lab")
    vm = YAML(typ="safe").load(content(browser, "#manifest"))
    assert vm["metadata"]["namespace"] == "virt-lab"
    assert vm["spec"]["instancetype"] == {"name": "u.large", "kind": "VirtualMachineInstancetype"}
    assert expand(vm, Cluster(catalog().objects("lab"))).admitted


def test_what_changed_since_the_last_release(page):
    browser = page("index.html")
    press(browser, ".top nav li:last-child a")
    wait(browser, lambda: text(browser, "h1") == "What changed")
    newest = texts(browser, "main section")[1]
    assert newest.startswith("v1.1.0 2026-02-01")
    assert "u.xlarge: 4 vCPUs, 16 GiB" in newest


def test_what_replaces_a_deprecated_type(page):
    browser = page("index.html#deprecated=only")
    assert texts(browser, "#types tbody .tag.old") == ["deprecated, use u.large until 2027-03-01"]
    press(browser, "#types tbody .tag.old a")
    wait(browser, lambda: text(browser, "h1") == "u.large")
    browser = page("types/u.old.html")
    assert "Use u.large instead: 2 vCPUs, 8 GiB. It is served until 2027-03-01." in text(browser, ".warning")
