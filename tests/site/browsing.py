"""A site in a folder, and questions to a page, each answered by one script: nothing goes stale between two readings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 120
"""Seconds until a condition counts as one that never comes: machines are slow, and no test may tell how slow."""


def texts(browser: Chrome, selector: str) -> list[str]:
    """Return the text of every element that a selector finds."""
    script = "return Array.from(document.querySelectorAll(arguments[0]), (each) => each.innerText.trim())"
    return browser.execute_script(script, selector)


def text(browser: Chrome, selector: str) -> str:
    """Return the text of the one element that a selector finds."""
    (found,) = texts(browser, selector)
    return found


def content(browser: Chrome, selector: str) -> str:
    """Return the whole text of an element as it stands, whether it can be seen or not."""
    return browser.execute_script("return document.querySelector(arguments[0]).textContent", selector)


def number(browser: Chrome, selector: str) -> int:
    """Return how many elements a selector finds."""
    return browser.execute_script("return document.querySelectorAll(arguments[0]).length", selector)


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


def write(folder: Path, pages: Mapping[str, str]) -> Path:
    """Write a site's files."""
    for path, page in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(page)
    return folder
