"""The feed of releases and the calendar of what ends: valid, whatever the catalog's texts hold, and always the same."""

from __future__ import annotations

import json
import re

import pytest
from lxml import etree
from msgspec.structs import replace

from virtcatalog import load_catalog
from virtcatalog.escaping import single_line
from virtcatalog.publish.environments import objects_now
from virtcatalog.publish.releases import Release
from virtcatalog.site.changes import History
from virtcatalog.site.feeds import calendar, endings
from virtcatalog.site.pages import render

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "]]></title><x> & \u202e"


def catalog(sizes: str, name: str = "house"):
    files = {
        "catalog.yaml": f"name: {name}\nvendor: example.org\nkubevirt: v1.9.0\n",
        "instancetypes/m.yaml": f"class: m\nmemoryPerVcpu: 4Gi\nsizes:\n{sizes}",
        "preferences/p.yaml": "preferences: {plain: {}}\n",
    }
    return load_catalog("catalog", {path: text.encode() for path, text in files.items()})


OLD = catalog("  small: {vcpus: 1}\n")
NEW = catalog(
    "  small: {vcpus: 1, deprecated: {replacedBy: m.large, sunset: 2027-03-01}}\n"
    "  tiny: {vcpus: 1, memory: 1Gi, deprecated: {}}\n"
    "  large: {vcpus: 2}\n"
)


def site(names: tuple[str, str] = ("v1", "v2"), dates: tuple[str, str] = ("2026-01-01", "2026-02-01")):
    releases = tuple(
        Release(name=name, date=date, objects=objects_now(loaded))
        for name, date, loaded in zip(names, dates, (OLD, NEW), strict=True)
    )
    return render(NEW, past=History(releases=releases))


def test_the_feed_has_the_releases_with_what_they_changed():
    feed = etree.fromstring(site()["changes.atom"].encode())
    assert feed.findtext(f"{ATOM}updated") == "2026-02-01T00:00:00Z"
    newest, first = feed.findall(f"{ATOM}entry")
    assert newest.findtext(f"{ATOM}title") == "house v2"
    text = newest.findtext(f"{ATOM}content")
    assert "Instance types added: m.large (2 vCPUs, 8 GiB), m.tiny" in text
    assert "Instance types deprecated: m.small (use m.large, until 2027-03-01)" in text
    assert first.findtext(f"{ATOM}content") == "The first release."
    ids = [entry.findtext(f"{ATOM}id") for entry in (feed, newest, first)]
    assert len(set(ids)) == 3
    assert site() == site()


def test_each_release_says_in_sentences_what_it_changed():
    states = (OLD, OLD, catalog("  small: {vcpus: 2}\n"), catalog("  large: {vcpus: 2}\n"))
    releases = (
        Release(name=f"v{number}", date=f"2026-0{number}-01", objects=objects_now(loaded))
        for number, loaded in enumerate(states, 1)
    )
    feed = etree.fromstring(render(NEW, past=History(releases=tuple(releases)))["changes.atom"].encode())
    assert [entry.findtext(f"{ATOM}content") for entry in feed.findall(f"{ATOM}entry")] == [
        "Instance types added: m.large (2 vCPUs, 8 GiB). Instance types removed: m.small.",
        "Instance types changed: m.small: vCPUs: 1 → 2; memory: 4Gi → 8Gi.",
        "Nothing changed.",
        "The first release.",
    ]


def test_the_calendar_has_what_ends_on_a_day():
    lines = site()["deprecated.ics"].replace("\r\n ", "").split("\r\n")
    assert lines.count("BEGIN:VEVENT") == 1  # what has no date is on the page alone
    assert "DTSTART;VALUE=DATE:20270301" in lines
    assert "SUMMARY:house: the instance type m.small is served no longer: use m.large" in lines
    assert all(len(line.encode()) <= 75 for line in site()["deprecated.ics"].split("\r\n"))


def test_the_page_leads_to_both():
    page = site()["changes.html"]
    assert 'href="changes.atom"' in page
    assert 'href="deprecated.ics"' in page
    assert page.index("m.small</a>") < page.index("m.tiny</a>")
    assert "no date yet" in page


def test_without_dates_there_is_neither():
    pages = render(OLD, past=History(releases=(Release(name="v1", objects=objects_now(OLD)),)))
    assert not {"changes.atom", "deprecated.ics"} & pages.keys()
    assert "changes.atom" not in pages["changes.html"]


def test_hostile_names_are_texts():
    feed = etree.fromstring(site(names=("v1", HOSTILE))["changes.atom"].encode())
    title = feed.findall(f"{ATOM}entry")[0].findtext(f"{ATOM}title")
    assert title.startswith("house ]]></title><x> & ")
    assert "\u202e" not in json.dumps(title, ensure_ascii=False)


@pytest.mark.parametrize("name", ['a;b,c\\d"e', "x\r\nEND:VCALENDAR", "größe € " * 30, "\u2028\x00"])
def test_a_calendar_holds_any_text_in_lines_of_75_octets(name: str):
    text = calendar(replace(NEW, name=name), endings(NEW))
    lines = text.split("\r\n")
    assert all(len(line.encode()) <= 75 for line in lines)
    (summary,) = (line for line in text.replace("\r\n ", "").split("\r\n") if line.startswith("SUMMARY:"))
    read = re.sub(r"\\(.)", r"\1", summary.removeprefix("SUMMARY:"))
    assert read.startswith(single_line(name))
    assert not re.search(r"(?<!\\)(?:\\\\)*[;,]", summary)  # a bare one ends a value
    assert [line for line in lines if line.startswith(("BEGIN", "END"))] == [
        *("BEGIN:VCALENDAR", "BEGIN:VEVENT", "END:VEVENT", "END:VCALENDAR")
    ]


def test_lines_of_a_calendar_are_filled():
    lines = calendar(replace(NEW, name="a" * 200), endings(NEW)).split("\r\n")
    assert [len(line) for line in lines if "aaa" in line] == [73, 73, 73, 11, 73, 73, 73]


def test_the_search_of_a_hostile_catalog_is_data():
    names = {"displayName": "</script><img src=x>\u2028", "description": "'\"`${x}\\\n]]>"}
    size = f"  small: {json.dumps({'vcpus': 1, **names})}\n"
    script = render(catalog(size))["search.js"]
    assert not set("<>\u2028\u2029\0") & set(script)
    rows = json.loads(re.search(r"^site\.index\((.*)\);$", script, re.MULTILINE)[1])
    assert all(row[1] for row in rows)
    assert any(names["displayName"] in row for row in rows)
