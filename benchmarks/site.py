"""How long `virtcatalog site` takes and how large its pages are, and how fast these are in Chromium.

usage: site.py [--types N]

The catalogs are examples/common-instancetypes with its 3,705 pairs, and N instance types (default 5,000) with two
preferences. A page's files are what a browser loads for it, each compressed by gzip; of the form with one instance
type's file, the largest. The browser is measured where Debian's chromium and chromium-driver are installed.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog
from virtcatalog.site.pages import render

EXAMPLE = Path(__file__).parent.parent / "examples/common-instancetypes"
_FILTER = """
    const field = document.querySelector("[name=q]"), times = [];
    for (const text of ["a", "a.s1", "a.s10", ""]) {
      for (let round = 0; round < 5; round++) {
        field.value = text;
        const started = performance.now();
        field.dispatchEvent(new Event("input", { bubbles: true }));
        document.body.offsetHeight;
        times.push(performance.now() - started);
      }
    }
    return times.sort((a, b) => a - b);"""


def many(types: int) -> Catalog:
    """A catalog of five classes with so many sizes together."""
    sizes = "".join(f"  s{number}: {{vcpus: {number % 64 + 1}}}\n" for number in range(types // 5))
    files = {"catalog.yaml": b"name: many\nkubevirt: v1.9.0\n"}
    for series in "abcde":
        files[f"instancetypes/{series}.yaml"] = f"class: {series}\nmemoryPerVcpu: 2Gi\nsizes:\n{sizes}".encode()
    files["preferences/p.yaml"] = b"preferences:\n  plain: {}\n  wide: {requirements: {vcpus: 8}}\n"
    return load_catalog("catalog", files)


def build(name: str, catalog: Catalog) -> dict[str, str]:
    wall, cpu = time.perf_counter(), time.process_time()
    pages = render(catalog)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    whole = sum(map(len, pages.values()))
    print(f"site of {name}: {wall:.2f} s ({cpu:.2f} s of CPU), {len(pages)} files, {whole / 2**20:.1f} MiB")
    for page in ("index.html", "matrix.html", "form.html"):
        print(f"  {page}: {compressed(page, pages) / 2**10:.0f} KiB compressed, with all that it loads")
    return pages


def compressed(page: str, pages: Mapping[str, str]) -> int:
    loaded = [page, *re.findall(r'(?:src|href)="([-\w/.]+\.(?:js|css))"', pages[page])]
    sizes = {path: len(gzip.compress(pages[path].encode())) for path in loaded}
    own = [len(gzip.compress(text.encode())) for path, text in pages.items() if path.startswith("domains/")]
    return sum(sizes.values()) + (max(own, default=0) if page == "form.html" else 0)


def browse(pages: Mapping[str, str]) -> None:
    from selenium import webdriver
    from selenium.webdriver.common.by import By

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    with tempfile.TemporaryDirectory() as name:
        for path, text in pages.items():
            (Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(name) / path).write_text(text)
        driver.get(f"{Path(name).as_uri()}/index.html")
        paint = driver.execute_script("return performance.getEntriesByType('paint').map((each) => each.startTime)")
        times = driver.execute_script(_FILTER)
        print(
            f"  first paint {max(paint):.0f} ms; filtering {times[len(times) // 2]:.0f} ms, at most {times[-1]:.0f} ms"
        )
        started = time.perf_counter()
        driver.get(f"{Path(name).as_uri()}/matrix.html")
        assert driver.find_element(By.ID, "count").text
        print(f"  matrix loaded and counted in {time.perf_counter() - started:.2f} s")
    driver.quit()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--types", type=int, default=5000)
    arguments = parser.parse_args()
    build(EXAMPLE.name, load_catalog(EXAMPLE))
    pages = build(f"{arguments.types} types", many(arguments.types))
    if shutil.which("chromium") and shutil.which("chromedriver"):
        browse(pages)


if __name__ == "__main__":
    main()
