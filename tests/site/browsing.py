"""A site in a folder, and questions to a page, each answered by one script: nothing goes stale between two readings."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 120
"""Seconds until a condition counts as one that never comes: machines are slow, and no test may tell how slow."""


def start() -> Chrome:
    """Start Debian's Chromium without a window; it keeps what it logs and asks for."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    assert chromium, "install chromium"
    assert driver, "install chromium-driver"
    options = ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = Chrome(options=options, service=ChromeService(driver))
    started.set_window_size(1600, 1000)
    started.set_script_timeout(300)
    return started


def session() -> Iterator[Chrome]:
    """A fixture: one browser for a session of tests that ask for it."""
    if not (os.environ.get("CI") or os.environ.get("BROWSER")):
        pytest.skip("set BROWSER=1 to test in Chromium")
    browser = start()
    yield browser
    browser.quit()


def texts(browser: Chrome, selector: str) -> list[str]:
    """Return the text of every element that a selector finds."""
    script = "return Array.from(document.querySelectorAll(arguments[0]), (each) => each.innerText.trim())"
    return browser.execute_script(script, selector)


def text(browser: Chrome, selector: str) -> str:
    """Return the text of the one element that a selector finds."""
    (content,) = texts(browser, selector)
    return content


def content(browser: Chrome, selector: str) -> str:
    """Return the whole text of an element as it stands, whether it can be seen or not."""
    return browser.execute_script("return document.querySelector(arguments[0]).textContent", selector)


def number(browser: Chrome, selector: str) -> int:
    """Return how many elements a selector finds."""
    return browser.execute_script("return document.querySelectorAll(arguments[0]).length", selector)


def rows_in_sight(browser: Chrome) -> int:
    """Return how many types of the table are whole on the screen."""
    script = """
        const region = document.querySelector(".scroll").getBoundingClientRect();
        const low = Math.min(region.top + document.querySelector(".scroll").clientHeight, innerHeight);
        return Array.from(document.querySelectorAll("#types tbody tr"), (row) => row.getBoundingClientRect())
            .filter(({ top, bottom }) => top >= region.top && bottom <= low + 1).length"""
    return browser.execute_script(script)


def wait(browser: Chrome, condition: Callable[[], object]) -> None:
    """Wait until a condition holds."""
    WebDriverWait(browser, PATIENCE).until(lambda _: condition())


def fragment(browser: Chrome) -> str:
    """Return what of the address says how the page stands."""
    return browser.execute_script("return location.hash")


def fill(browser: Chrome, name: str, value: str) -> None:
    """Type into a field."""
    field = browser.find_element(By.NAME, name)
    field.clear()
    field.send_keys(value)


def slide(browser: Chrome, name: str, value: str) -> None:
    """Move a thumb of a filter to a value, with the keyboard."""
    thumb = browser.find_element(By.NAME, name)
    key = Keys.ARROW_RIGHT if name.endswith("-min") else Keys.ARROW_LEFT
    for _ in range(int(thumb.get_attribute("max")) + 1):
        if thumb.get_attribute("aria-valuetext") == value:
            return
        thumb.send_keys(key)
    raise AssertionError(f"{name} never becomes {value}")


#: Only what is asked for comes back: of a long page, all that axe tells is megabytes.
AXE = """
    axe.run({resultTypes: ["violations"]}).then(({passes, violations}) => arguments[0]([
        passes.length,
        violations.map(({id, impact, nodes}) => [id, impact, nodes[0].html.slice(0, 200)]),
    ]))"""


def faults(browser: Chrome, *impacts: str) -> list[tuple[str, str]]:
    """Return what axe finds, of some impacts or of all: the rule, and the first element that breaks it."""
    browser.execute_script((files("axe_core_python") / "axe.min.js").read_text())
    report = browser.execute_async_script("axe.run().then(arguments[0])")
    assert report["passes"]
    return [
        (violation["id"], violation["nodes"][0]["html"][:200])
        for violation in report["violations"]
        if not impacts or violation["impact"] in impacts
    ]


def write(folder: Path, pages: Mapping[str, str]) -> Path:
    """Write a site's files."""
    for path, page in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(page)
    return folder
