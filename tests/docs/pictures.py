"""The README's pictures, of what the program gives: `make pictures`, with Debian's Chromium.

Each lies beside the text that it shows, whose digest it carries: test_pictures.py compares the text with what the
program gives now, and the digest with the text. Pixels are not compared, as fonts differ between machines.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import browsing
import markdown
from running import ROOT, Reader, steps
from selenium.webdriver import Chrome

from virtcatalog import load_catalog
from virtcatalog.site.pages import render

FOLDER = ROOT / "docs/pictures"
_KEY = b"text-sha256\0"
_STYLE = """
  body { margin: 0; background: #fff; color: #1f2328; font: 14px/1.5 "DejaVu Sans", sans-serif; }
  h3 { font-size: 16px; margin: 0 0 12px; padding-bottom: 6px; border-bottom: 1px solid #d1d9e0; }
  main { padding: 16px 20px; }
  table { border-collapse: collapse; margin: 12px 0; }
  th, td { border: 1px solid #d1d9e0; padding: 4px 9px; text-align: left; vertical-align: top; }
  code, pre { font: 12px/1.45 "DejaVu Sans Mono", monospace; background: #f3f5f7; border-radius: 4px; }
  code { padding: 1px 3px; }
  pre { padding: 8px 10px; margin: 8px 0; }
  pre code { padding: 0; background: none; }
  summary { margin: 5px 0; }
  .gi { background: #dafbe1; } .gd { background: #ffebe9; } .gu, .gh { color: #59636e; }
"""


def comment() -> str:
    """Return the comment on the change that docs/review.md is about, in Markdown."""
    prepared = steps((ROOT / "docs/review.md").read_text(encoding="utf-8"))[0]
    with TemporaryDirectory() as folder:
        reader = Reader(Path(folder) / "home")
        reader.do(prepared)
        status, text = reader.ask("virtcatalog diff main -f production=../prod.yaml -o markdown")
    assert status == 1, text
    return text


@contextmanager
def types(browser: Chrome) -> Iterator[str]:
    """Open the page of types of a site; yield the text that is to be seen of some of them."""
    with TemporaryDirectory() as folder:
        browsing.write(Path(folder), render(load_catalog(ROOT / "examples/common-instancetypes")))
        browser.get(f"{Path(folder).as_uri()}/index.html#vcpus-min=8&vcpus-max=8&hide=ratio")
        browsing.wait(browser, lambda: browsing.text(browser, "#count"))
        yield "\n".join(text.replace("\t", "  ") for text in browsing.texts(browser, "#count, #types tr")) + "\n"


def stored(name: str) -> str:
    """Return the text that a picture was made from."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def signed(picture: bytes, text: str) -> bytes:
    """Return a PNG with the digest of the text that it shows, in a chunk before its end."""
    data = b"tEXt" + _KEY + hashlib.sha256(text.encode()).hexdigest().encode()
    chunk = struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data))
    return picture[:-12] + chunk + picture[-12:]


def digest(picture: bytes) -> str:
    """Return the digest of the text that a picture shows."""
    _, _, rest = picture.partition(b"tEXt" + _KEY)
    return rest[:64].decode()


def _page(text: str) -> str:
    """The comment as a page: its tables, what is folded, and one of the folded parts opened."""
    folded = iter(text.split("<details>"))
    parts = [next(folded)]
    parts += [
        f"<details markdown=1 {'open' if 'hyperv' in section.partition('</summary>')[0] else ''}>{section}"
        for section in folded
    ]
    writer = markdown.Markdown(extensions=["tables", "md_in_html", "pymdownx.superfences", "pymdownx.highlight"])
    writer.ESCAPED_CHARS += ["<", ">", "@", "~", "/", "="]  # as CommonMark has it
    body = writer.convert("".join(parts).replace("</summary>", "</summary>\n"))
    return f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style><main>{body}</main>"


def _take(browser: Chrome, name: str, text: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.png").write_bytes(signed(browser.get_screenshot_as_png(), text))
    (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


def main() -> None:
    """Make both pictures."""
    browser = browsing.start()
    size = {"width": 1000, "height": 740, "deviceScaleFactor": 1, "mobile": False}
    try:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        text = comment()
        with TemporaryDirectory() as folder:
            (Path(folder) / "review.html").write_text(_page(text), encoding="utf-8")
            browser.get(f"{Path(folder).as_uri()}/review.html")
            _take(browser, "review", text)
        with types(browser) as text:
            _take(browser, "site", text)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
