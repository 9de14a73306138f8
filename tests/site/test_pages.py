"""The site's files: what is in them, that they are the same every time, and that nothing of a catalog is obeyed."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from virtcatalog import load_catalog
from virtcatalog.check import pairs as judging
from virtcatalog.errors import VirtcatalogError
from virtcatalog.site.pages import render
from virtcatalog.site.pairs import matrix
from virtcatalog.site.templating import _monogram, as_data

ROOT = Path(__file__).parents[2]
HOSTILE = "</script><img src=x onerror=alert(1)> \u202e{{ 7 * 7 }} \x1b[2J"
FILES = {
    "catalog.yaml": "name: house\nkubevirt: v1.9.0\n",
    "overlays.yaml": "lab: {select: {names: ['m.*', plain]}}\n",
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n  small: {vcpus: 1}\n"
    "  large: {vcpus: 4, deprecated: {replacedBy: m.small}}\n",
    "instancetypes/g.yaml": "class: g\nmemoryPerVcpu: 8Gi\nspec: {gpus: [{name: gpu, deviceName: example.org/gpu}]}\n"
    "sizes: {big: {vcpus: 4}}\n",
    "preferences/linux.yaml": "defaults: {osType: linux}\npreferences:\n"
    "  plain: {spec: {devices: {preferredDiskBus: virtio}}}\n"
    "  wide: {requirements: {vcpus: 4}}\n",
}


def site(**changed: str) -> dict[str, str]:
    files = {**FILES, **{name.replace("__", ".").replace("_", "/"): text for name, text in changed.items()}}
    return render(load_catalog("catalog", {path: text.encode() for path, text in files.items()}))


def data_of(page: str) -> object:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.scripts: list[dict[str, str]] = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        self.ids.add(attributes.get("id", ""))
        if tag == "script":
            self.scripts.append(attributes)
        assert not any(name.startswith("on") or name == "style" for name in attributes), attributes


def parsed(page: str) -> Links:
    links = Links()
    links.feed(page)
    return links


@pytest.fixture(scope="module")
def pages():
    return site()


def test_there_is_a_page_for_each_type_and_preference(pages):
    assert sorted(path for path in pages if not path.startswith("assets/")) == [
        "changes.html",
        "chart.html",
        "compare.html",
        "domain.html",
        "domains/g.big.js",
        "domains/m.large.js",
        "domains/m.small.js",
        "environments.html",
        "fields.html",
        "form.html",
        "index.html",
        "matrix.html",
        "preferences.html",
        "preferences/plain.html",
        "preferences/wide.html",
        "search.js",
        "templates.html",
        "types/g.big.html",
        "types/m.large.html",
        "types/m.small.html",
    ]


def test_the_same_catalog_makes_the_same_bytes(pages):
    assert site() == pages
    assert list(pages) == sorted(pages)


def test_every_link_leads_to_a_page_of_the_site(pages):
    for path, page in pages.items():
        if not path.endswith(".html"):
            continue
        for link in parsed(page).links:
            if link.startswith(("#", "data:,")):
                continue
            assert "//" not in link, link
            target = (Path("/") / Path(path).parent / link.partition("#")[0]).as_posix()
            steps: list[str] = []
            for step in target.split("/")[1:]:
                steps = steps[:-1] if step == ".." else [*steps, step]
            assert "/".join(steps) in pages, (path, link)


def test_every_page_has_a_policy_and_no_script_of_its_own(pages):
    for path, page in pages.items():
        if path.endswith(".html"):
            assert '<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;' in page
            assert all("src" in script or script.get("type") == "application/json" for script in parsed(page).scripts)


def test_a_catalog_that_was_never_released_says_so(pages):
    assert '<p class="about">not released yet · KubeVirt v1.9.0</p>' in pages["index.html"]


def test_the_tables_rows_have_what_is_filtered_by(pages):
    rows = {row["name"]: row for row in data_of(pages["index.html"])}
    assert rows["m.large"] == {
        "name": "m.large",
        "title": rows["m.large"]["title"],
        "description": "",
        "series": "m",
        "vcpus": 4,
        "memory": 16 * 2**30,
        "ratio": 4.0,
        "gpus": 0,
        "page": "",
        "dedicated": False,
        "features": [],
        "environments": ["lab"],
        "deprecated": True,
        "retirement": "deprecated, use m.small",
        "replacement": "m.small",
    }
    assert (rows["g.big"]["gpus"], rows["g.big"]["environments"]) == (1, [])


def test_the_matrix_has_each_pair_and_the_reasons(pages):
    data = data_of(pages["matrix.html"])
    assert data["preferences"] == ["plain", "wide"]
    fits = dict(zip(data["types"], data["rows"], strict=True))
    assert (fits["m.large"], fits["g.big"]) == ([0, 0], [0, 0])
    assert data["reasons"][fits["m.small"][1] - 1] == "the preference requires 4 vCPUs, there are 1"


def test_a_types_page_says_what_fits_and_has_the_object(pages):
    page = pages["types/m.small.html"]
    assert "1 fit, 1 do not." in page
    assert "the preference requires 4 vCPUs, there are 1" in page
    assert "kind: VirtualMachineClusterInstancetype" in page
    assert "resource &#34;kubernetes_manifest&#34; &#34;m_small&#34;" in page
    assert "larger" not in page  # it is deprecated
    assert re.search(r'smaller</td><th scope="row"><a href="m.small.html">', pages["types/m.large.html"])


def test_a_preferences_page_says_which_types_it_fits(pages):
    page = pages["preferences/wide.html"]
    assert "2 fit, 1 do not; the least one first." in page
    assert "4 vCPUs" in page


def test_hostile_texts_are_shown_and_not_obeyed():
    plain = json.dumps(HOSTILE.replace("{{ 7 * 7 }}", ""))  # names and titles are expressions
    size = "memoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}}\n"
    pages = site(
        catalog__yaml=f"name: house\nkubevirt: v1.9.0\ndescription: {json.dumps(HOSTILE)}\n",
        instancetypes_m__yaml=f"class: m\ndisplayName: {plain}\ndescription: {plain}\n{size}",
    )
    for path, page in pages.items():
        if path.endswith(".html"):
            assert "<img" not in page, path
            assert "\u202e" not in page
            assert "\x1b" not in page
    assert "{{ 7 * 7 }}" in pages["index.html"]


@pytest.mark.parametrize("value", ["</script>", "<!--", "a&b", "\u2028", "é"])
def test_data_ends_no_element_and_comes_back(value):
    text = str(as_data({"x": value}))
    assert not set("<>&") & set(text)
    assert text.isascii()
    assert json.loads(text) == {"x": value}


def test_the_example_has_a_site():
    pages = render(load_catalog(ROOT / "examples" / "common-instancetypes"), with_domains=False)
    data = data_of(pages["matrix.html"])
    assert sum(not cell for row in data["rows"] for cell in row) == 3265
    assert sum(map(len, data["rows"])) == 3705
    assert max(len(page.encode()) for path, page in pages.items() if path.endswith(".html")) < 300_000


def test_a_site_shows_so_many_pairs(example, monkeypatch):
    number = len(example.instancetypes) * len(example.preferences)
    monkeypatch.setattr(judging, "PAIRS", 2 * number - 1)  # each counts as one, and as one more when it is judged
    with pytest.raises(VirtcatalogError, match=r"\(one that a site shows counts as 2\)"):
        matrix(example)


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Red Hat Enterprise Linux", "RH"),
        ("Microsoft Windows", "Wi"),
        ("Microsoft Windows Server", "WS"),
        ("centos.stream9", "CS"),
        ("opensuse-leap_x", "OL"),
        ("fedora (arm64)", "Fe"),
        ("x", "X"),
        ("(9)", "?"),
        ("Microsoft", "?"),
    ],
)
def test_two_letters_stand_for_a_system(name: str, letters: str) -> None:
    assert _monogram(name) == letters
