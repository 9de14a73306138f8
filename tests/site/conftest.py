"""A real browser, and the site of the example in a folder.

Tests that take the browser run in CI, where the absence of Debian's chromium and chromium-driver is an error, and where
BROWSER is set: each takes some seconds. None may depend on how fast the machine is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from browsing import session, write
from selenium import webdriver

from virtcatalog import load_catalog
from virtcatalog.catalog.model import Catalog
from virtcatalog.site.pages import render

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def example() -> Catalog:
    return load_catalog(ROOT / "examples" / "common-instancetypes")


@pytest.fixture(scope="session")
def folder(tmp_path_factory, browser, example) -> Path:
    """The site of the example; made where there is a browser to show it to."""
    return write(tmp_path_factory.mktemp("site"), render(example))


browser = pytest.fixture(scope="session")(session)


@pytest.fixture
def open_page(browser) -> Iterator[Callable[[Path, str], webdriver.Chrome]]:
    """Open a page of a folder, and find no error in the console and no request but for the folder's own files."""
    for log in ("browser", "performance"):
        browser.get_log(log)

    def opened(folder: Path, path: str) -> webdriver.Chrome:
        browser.get("about:blank")
        browser.get(f"{folder.as_uri()}/{path}")
        return browser

    yield opened
    assert browser.get_log("browser") == []
    requests = [
        entry["message"] for entry in browser.get_log("performance") if "Network.requestWillBeSent" in entry["message"]
    ]
    assert not [request for request in requests if '"url":"http' in request]


@pytest.fixture
def page(open_page, folder) -> Callable[[str], webdriver.Chrome]:
    """Open a page of the example's site."""
    return lambda path: open_page(folder, path)


@pytest.fixture(params=["light", "dark"])
def scheme(request, browser) -> Iterator[str]:
    """What the reader's system says: light or dark."""
    features = [{"name": "prefers-color-scheme", "value": request.param}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    yield request.param
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.fixture(params=[400, 768, 1280])
def width(request, browser) -> Iterator[int]:
    """A window of a phone, of a tablet, and of a laptop."""
    with window(browser, request.param):
        yield request.param


@pytest.fixture
def phone(browser) -> Iterator[None]:
    """A window of a phone."""
    with window(browser, 400):
        yield


@pytest.fixture
def laptop(browser) -> Iterator[None]:
    """A window of a laptop."""
    with window(browser, 1280):
        yield


@contextmanager
def window(browser: webdriver.Chrome, width: int) -> Iterator[None]:
    """Give the window another width, and 900 pixels of height."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 800}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    yield
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture
def selection(page) -> Iterator[None]:
    """Forget afterwards which types were selected."""
    yield
    page("index.html").execute_script("localStorage.clear()")
