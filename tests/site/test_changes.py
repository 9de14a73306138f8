"""The page of what changed, and the history on the pages of types and preferences."""

from __future__ import annotations

import json

import pytest
from pagetext import words

from virtcatalog import load_catalog
from virtcatalog.catalog.lock import write_lock
from virtcatalog.publish.environments import objects_now
from virtcatalog.publish.releases import Release, releases
from virtcatalog.publish.rendered import Event
from virtcatalog.site.changes import History, chapters
from virtcatalog.site.pages import render

CATALOG = "name: house\nvendor: example.org\nkubevirt: v1.9.0\n"
ONE = "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n  small: {vcpus: 1}\n  large: {vcpus: 4}\n  big: {vcpus: 8}\n"
TWO = (
    "class: m\nmemoryPerVcpu: 4Gi\nspec: {ioThreadsPolicy: auto}\nsizes:\n  large: {vcpus: 4}\n  big: {vcpus: 8}\n"
    "  huge: {vcpus: 16, deprecated: {replacedBy: m.big, sunset: 2027-01-01}}\n"
)
PREFERENCES = "preferences: {plain: {}}\n"


def catalog(text: str, lock: str = "", preferences: str = PREFERENCES, overlays: str = ""):
    files = {"catalog.yaml": CATALOG, "instancetypes/m.yaml": text, "preferences/p.yaml": preferences}
    if overlays:
        files["overlays.yaml"] = overlays
    if lock:
        files["catalog.lock"] = lock
    return load_catalog("catalog", {path: text.encode() for path, text in files.items()})


def release(name: str, text: str, date: str = "", preferences: str = PREFERENCES) -> Release:
    return Release(name=name, date=date, objects=objects_now(catalog(text, preferences=preferences)))


def test_between_releases_is_told_what_was_added_changed_deprecated_and_removed():
    loaded = catalog(TWO)
    past = History(releases=(release("v1", ONE, "2026-01-01"), release("v2", TWO, "2026-02-01")))
    second, first = chapters(loaded, past)
    assert (first.name, first.before, first.parts) == ("v1", "", ())
    (part,) = second.parts
    assert [(item.name, item.text) for item in part.added] == [("m.huge", "16 vCPUs, 64 GiB")]
    assert [(item.name, item.text) for item in part.deprecated] == [("m.huge", "use m.big, until 2027-01-01")]
    assert [(item.name, item.page) for item in part.removed] == [("m.small", "")]
    assert [([obj.name for obj in change.objects], change.fields) for change in part.changed] == [
        (["m.big", "m.large"], ("IO threads: auto is new",))
    ]


LAB = """\
lab:
  scope: namespaced
  namespace: lab
  labels: {team: lab, tier: one}
  select: {names: [m.*]}
  patches:
    - {select: {names: [m.large]}, spec: {memory: {guest: 8Gi}}}
    - {select: {names: [m.big]}, spec: {ioThreadsPolicy: auto}, metadata: {labels: {own: "1"}}}
"""
ALONE = """\
lab:
  scope: namespaced
  namespace: lab
  patches: [{select: {names: [m.big]}, spec: {memory: {guest: 1Gi}}}]
"""


def in_environments(old: str, new: str, text: str = ONE) -> dict[str, list[tuple[list[str], tuple[str, ...]]]]:
    """What the page tells of environments between two releases of one catalog."""
    lock = write_lock("v1.0.0", catalog(ONE, overlays=old))
    loaded = catalog(text, lock, overlays=new)
    first, *_ = chapters(loaded, History(releases=releases(loaded, None).releases))
    environments = [part for part in first.parts if part.title == "Environments"]
    return {
        title: [([obj.name for obj in change.objects], change.fields) for change in part.changed]
        if title == "changed"
        else [([item.name for item in getattr(part, title)], ())]
        for part in environments
        for title in ("added", "changed", "removed")
        if getattr(part, title)
    }


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        (LAB, LAB, {}),
        (LAB, LAB.replace("8Gi", "9Gi"), {"changed": [(["lab: m.large"], ("memory.guest: 8Gi → 9Gi",))]}),
        (LAB, LAB.replace("namespace: lab", "namespace: other"), {"changed": [(["lab"], ("namespace: lab → other",))]}),
        (
            LAB,
            LAB.replace("{team: lab, tier: one}", "{team: lab, tier: two}"),
            {"changed": [(["lab"], ("label tier: one → two",))]},
        ),
        (
            LAB,
            LAB.replace("[m.*]", '["m.*", plain]').replace("[m.large]", "[m.*]"),
            {
                "changed": [
                    (["lab: m.big"], ("memory.guest: 32Gi → 8Gi",)),
                    (["lab: m.small"], ("memory.guest: 4Gi → 8Gi",)),
                    (["lab: plain"], ("is no longer left out",)),
                ]
            },
        ),
        (
            "lab: {}\n",
            "lab: {scope: both, namespace: lab, select: {names: [m.small]}}\n",
            {
                "changed": [
                    (["lab"], ("namespace: none → lab", "scope: cluster → both")),
                    (["lab: m.big", "lab: m.large", "lab: plain"], ("is left out",)),
                ]
            },
        ),
        (
            "lab: {}\n",
            ALONE,
            {
                "changed": [
                    (["lab"], ("namespace: none → lab", "scope: cluster → namespaced")),
                    (["lab: m.big"], ("memory.guest: 32Gi → 1Gi",)),
                ]
            },
        ),
        (
            "lab: {}\n",
            "lab: {vendor: lab.example.org}\n",
            {"changed": [(["lab"], ("label instancetype.kubevirt.io/vendor: example.org → lab.example.org",))]},
        ),
        (LAB + "eu: {}\n", LAB + "us: {}\n", {"added": [(["us"], ())], "removed": [(["eu"], ())]}),
        ("", LAB, {}),
    ],
)
def test_what_environments_make_of_objects_is_told_where_they_changed_it(old, new, changes):
    assert in_environments(old, new) == changes


def test_what_changed_of_an_object_itself_is_told_once():
    assert in_environments(LAB, LAB, TWO) == {}


def test_environments_are_linked():
    lock = write_lock("v1.0.0", catalog(ONE, overlays=LAB))
    loaded = catalog(ONE, lock, overlays=LAB.replace("8Gi", "9Gi").replace("team: lab", "team: x"))
    page = render(loaded, past=History(releases=releases(loaded, None).releases))["changes.html"]
    assert 'href="environments.html">lab</a>' in page
    assert 'href="types/m.large.html">lab: m.large</a>' in page
    assert "Environments changed lab label team: lab → x lab: m.large memory.guest: 8Gi → 9Gi" in words(page)


def test_what_is_not_released_yet_comes_first():
    written = chapters(catalog(TWO), History(releases=(release("v1", ONE),)))
    assert [(chapter.name, chapter.before) for chapter in written] == [("", "v1"), ("v1", "")]
    assert chapters(catalog(ONE), History(releases=(release("v1", ONE),)))[0].name == "v1"


def test_labels_alone_and_what_is_deprecated_no_longer_are_changes():
    labelled = PREFERENCES.replace("{}", "{labels: {example.org/a: b}}")
    old = "preferences: {plain: {deprecated: {}}}\n"
    past = History(
        releases=tuple(release(version, ONE, preferences=text) for version, text in (("1", old), ("2", PREFERENCES)))
    )
    third, second, _ = chapters(catalog(ONE, preferences=labelled), past)
    assert [part.changed[0].fields for part in second.parts] == [("deprecated no longer",)]
    assert [part.changed[0].fields for part in third.parts] == [("labels or annotations",)]


def test_the_page_names_releases_and_links_what_is_there():
    past = History(
        releases=(release("v1", ONE, "2026-01-01"), release("v2", TWO, "2026-02-01")), omissions=("Not all.",)
    )
    page = render(catalog(TWO), past=past)["changes.html"]
    assert "Not all." in words(page)
    assert "v2 2026-02-01 Since v1: Instance types added m.huge : 16 vCPUs, 64 GiB" in words(page)
    assert 'href="types/m.huge.html"' in page
    assert 'href="types/m.small.html"' not in page


def test_without_a_release_it_says_how_one_is_made():
    assert "virtcatalog release VERSION" in render(catalog(ONE))["changes.html"]


def test_many_that_are_alike_take_one_place():
    sizes = "".join(f"  s{number}: {{vcpus: {number}}}\n" for number in range(1, 200))
    many = f"class: m\nmemoryPerVcpu: 4Gi\nsizes:\n{sizes}"
    past = History(releases=(release("v1", many), release("v2", f"spec: {{ioThreadsPolicy: auto}}\n{many}")))
    page = render(catalog(ONE), past=past)["changes.html"]
    assert page.count("IO threads: auto is new") == 1
    assert "and 187 more" in words(page)
    assert "199 of them" in words(page)


def test_the_page_of_a_type_says_since_when_it_is_as_it_is():
    lock = write_lock("v1.0.0", catalog(ONE))
    second = write_lock("v1.1.0", catalog(ONE.replace("big: {vcpus: 8}", "big: {vcpus: 9}"), lock))
    pages = render(catalog(ONE.replace("small: {vcpus: 1}", "small: {vcpus: 2}"), second))
    assert "As it is since v1.0.0; v1.1.0 is the last release." in words(pages["types/m.large.html"])
    assert "Not released yet, or not as it is; v1.1.0 is the last release." in words(pages["types/m.small.html"])
    assert "As it is since v1.0.0; v1.1.0 is the last release." in words(pages["preferences/plain.html"])
    assert "The catalog has no release yet." in words(render(catalog(ONE))["types/m.large.html"])


def test_a_history_is_told_with_its_fields_and_what_is_not_known():
    fields = tuple(f"spec.x{number}: 1 is new" for number in range(30))
    event = Event(date="2026-01-02", commit="0123456789ab", subject="Larger", what="changed", fields=fields)
    past = History(events={("instancetypes", "m.large"): (event,)}, event_omission="No more is known.")
    page = words(render(catalog(ONE), past=past)["types/m.large.html"])
    assert "2026-01-02 changed: Larger 0123456789ab spec.x0: 1 is new" in page
    assert "and 10 more" in page
    assert "No more is known." in page


def test_a_hostile_past_is_shown_and_not_obeyed():
    hostile = "</p><script>alert(1)</script>\u202e\x1b[2J"
    event = Event(date="", commit="0", subject=hostile, what="changed", fields=(hostile,))
    objects = objects_now(catalog(ONE.replace("small", json.dumps("x"))))
    past = History(
        releases=(Release(name=hostile, objects=objects),),
        events={("instancetypes", "m.large"): (event,)},
        omissions=(hostile,),
        event_omission=hostile,
    )
    pages = render(catalog(ONE), past=past)
    for path in ("changes.html", "types/m.large.html"):
        assert "<script>alert" not in pages[path]
        assert "\u202e" not in pages[path]
        assert "\x1b" not in pages[path]


def test_without_git_the_last_release_is_compared_with_what_there_is():
    lock = write_lock("v1.0.0", catalog(ONE))
    loaded = catalog(TWO, lock)
    written = chapters(loaded, History(releases=releases(loaded, None).releases))
    assert [(chapter.name, chapter.before) for chapter in written] == [("", "v1.0.0"), ("v1.0.0", "")]
