"""The documentation's site in a real browser: every page, dark on a phone and light on a wide screen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler

import pytest
from browsing import faults
from running import ROOT

from serving import served

PAGES = sorted(
    f"{name}.html"
    for name in (*(page.stem for page in (ROOT / "docs").glob("*.md")), "changelog", "commands", "schema", "security")
)


@pytest.fixture(scope="module")
def site(browser, tmp_path_factory) -> Iterator[str]:
    """Build the site, strictly, and return the address where it is served: its search works from a server alone."""
    folder = tmp_path_factory.mktemp("docs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(folder))

        def log_message(self, *_: object) -> None:
            pass

    with served(Handler) as address:
        yield f"http://{address}"


@pytest.fixture(params=[(400, "dark"), (1600, "light")], ids=["phone", "wide"])
def window(request, browser) -> Iterator[tuple[int, str]]:
    """A window's width in pixels, and what the reader's system says."""
    width, scheme = request.param
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 800}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    for log in ("browser", "performance"):
        browser.get_log(log)
    yield width, scheme
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_every_page_opens_fits_asks_for_nothing_from_elsewhere_and_has_no_serious_fault(browser, site, window) -> None:
    width, scheme = window
    axe = set(PAGES[scheme == "dark" :: 4])  # which takes seconds a page
    faulty = {}
    for page in PAGES:
        browser.get(f"{site}/{page}")
        heads, wide, paper = browser.execute_script(
            "return [document.querySelectorAll('article h1').length, document.documentElement.scrollWidth,"
            " getComputedStyle(document.body).backgroundColor]"
        )
        assert heads == 1, page
        assert wide <= width, page
        assert (paper == "rgb(255, 255, 255)") == (scheme == "light"), page
        if page in axe and (violations := faults(browser, "serious", "critical")):
            faulty[page] = violations
    assert faulty == {}
    assert browser.get_log("browser") == []
    events = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    urls = {event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"}
    assert f"{site}/index.html" in urls
    assert [url for url in urls if not url.startswith((f"{site}/", "data:"))] == []


def test_what_is_copied_of_a_block_are_its_commands(browser, site) -> None:
    browser.get(f"{site}/tutorial.html")
    script = """
        const block = document.querySelectorAll("article pre code")[1];
        block.setAttribute("data-md-copying", "");
        return block.innerText.trim().split("\\n")[0];"""
    assert browser.execute_script(script).startswith("virtcatalog init house")


def test_axe_finds_no_serious_fault(browser, site, window) -> None:
    _, scheme = window
    faulty = {}
    for page in PAGES[scheme == "dark" :: 2]:  # axe takes seconds a page: each is looked at in one of the two
        browser.get(f"{site}/{page}")
        if problems := faults(browser, "serious", "critical"):
            faulty[page] = problems
    assert faulty == {}
