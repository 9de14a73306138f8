"""What was read is watched: what counts as a change, and when it is told. The looks are the clock."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from virtcatalog.catalog.load import load_catalog
from virtcatalog.manifests.folder import LinkOutError, SourceError
from virtcatalog.manifests.sources import open_folder
from virtcatalog.manifests.watch import PATIENCE, Watch, stamps

TYPE = "class: c\nversion: 1\nsizes: {small: {vcpus: 1, memory: 1Gi}}\n"


class QuietError(Exception):
    """Nothing was told before the time was up."""


def clock(*events):
    """What is called before each look: it does the events in their order, and gives up some looks later."""
    todo = iter([*events, *[lambda: None] * 4])

    def pause(_took):
        event = next(todo, None)
        if event is None:
            raise QuietError
        event()

    return pause


def nothing():
    pass


@pytest.fixture
def house(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("house/catalog.yaml", "name: house\nextends: ../base\n")
    write("base/catalog.yaml", "name: base\nkubevirt: v1.9.0\n")
    write("base/instancetypes/c.yaml", TYPE)
    return tmp_path


def write(path, text):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def replace(path, text):
    """As many editors write: a new file takes the place of the old one."""
    write(f"{path}~", text)
    Path(f"{path}~").rename(path)


def watched(path="house") -> Watch:
    watch = Watch()
    watch.begin(path)
    load_catalog(path, watch.over(open_folder(path), path))
    return watch


def changes_of(watch, *events):
    """The changes that are told first, by path; each says whether the file was there and is there."""
    return {os.path.relpath(change.path): change[1:] for change in watch.wait(clock(*events))}


CHANGED, NEW, GONE = (True, True), (False, True), (True, False)


@pytest.mark.parametrize(
    ("event", "changes"),
    [
        (lambda: write("house/catalog.yaml", "name: h\nextends: ../base\n"), {"house/catalog.yaml": CHANGED}),
        (lambda: replace("house/catalog.yaml", "name: house\nextends: ../base\n"), {"house/catalog.yaml": CHANGED}),
        (lambda: write("house/vms/a.yaml.j2", "{}"), {"house/vms/a.yaml.j2": NEW}),
        (lambda: write("house/wrong.yml", "{}"), {"house/wrong.yml": NEW}),
        (lambda: write("house/catalog.lock", "{}"), {"house/catalog.lock": NEW}),
        (lambda: write("base/instancetypes/c.yaml", TYPE + "# more\n"), {"base/instancetypes/c.yaml": CHANGED}),
        (Path("base/instancetypes/c.yaml").unlink, {"base/instancetypes/c.yaml": GONE}),
    ],
    ids=["written", "replaced", "further", "misplaced", "lock", "extended", "removed"],
)
def test_a_change_is_told(house, event, changes):
    assert changes_of(watched(), event, nothing) == changes


def test_a_folder_that_is_renamed_is_gone(house):
    assert changes_of(watched(), lambda: Path("base").rename("b")) == {
        "base/catalog.yaml": GONE,
        "base/instancetypes/c.yaml": GONE,
    }


@pytest.mark.parametrize(
    "event",
    [
        nothing,
        lambda: write("house/.catalog.yaml.swp", "x"),
        lambda: write("house/catalog.yaml~", "x"),
        lambda: write("house/4913", ""),
        lambda: write("house/.git/index.lock", ""),
        lambda: write("other/catalog.yaml", "name: other\n"),
        lambda: write("output/base/kustomization.yaml", "{}"),
    ],
)
def test_what_is_not_read_is_no_change(house, event):
    with pytest.raises(QuietError):
        changes_of(watched(), event)


def test_it_is_told_once(house):
    watch = watched()
    changes_of(watch, lambda: write("house/prices.yaml", "x"))
    with pytest.raises(QuietError):
        changes_of(watch)


def test_changes_that_follow_each_other_are_told_together(house):
    files = (("house/a.yaml", "1"), ("house/b.yaml", "1"), ("house/a.yaml", "12"))
    assert changes_of(watched(), *(partial(write, *file) for file in files)) == {
        "house/a.yaml": NEW,
        "house/b.yaml": NEW,
    }


def test_a_file_that_is_away_while_it_is_replaced_changed(house):
    content = Path("house/catalog.yaml").read_text()
    events = (lambda: Path("house/catalog.yaml").unlink(), lambda: write("house/catalog.yaml", content + "# x\n"))
    assert changes_of(watched(), *events) == {"house/catalog.yaml": CHANGED}


def test_what_never_rests_is_told_after_some_time(house):
    sizes = iter(range(1, 1000))
    waited = []

    def pause(_took):
        waited.append(1)
        write("house/a.yaml", "x" * next(sizes))

    assert [change.path for change in watched().wait(pause)] == [str(house / "house/a.yaml")]
    assert len(waited) == PATIENCE


def test_what_changed_while_it_was_read_is_told(house):
    watch = Watch()
    watch.begin("house")
    folder = watch.over(open_folder("house"), "house")
    load_catalog("house", folder)
    write("base/catalog.yaml", "name: base\nkubevirt: v1.8.0\n# longer\n")
    assert changes_of(watch) == {"base/catalog.yaml": CHANGED}


def test_what_is_extended_no_longer_is_not_watched_any_more(house):
    watch = watched()
    write("house/catalog.yaml", "name: house\nkubevirt: v1.9.0\n")
    watch.begin("house")
    load_catalog("house", watch.over(open_folder("house"), "house"))
    with pytest.raises(QuietError):
        changes_of(watch, lambda: write("base/catalog.yaml", "name: b\n"))


def test_unless_the_run_broke_before_it_came_to_that(house):
    watch = watched()
    watch.begin("house")
    watch.broken()
    assert changes_of(watch, lambda: write("base/catalog.yaml", "name: b\n")) == {"base/catalog.yaml": CHANGED}


def test_a_catalog_that_is_yet_to_come_is_waited_for(house):
    Path("base").rename("b")
    watch = Watch()
    watch.begin("house")
    assert watch.over(open_folder("house"), "house").folder("../base") is None
    assert changes_of(watch, lambda: Path("b").rename("base")) == {"base/catalog.yaml": NEW}


def test_links_are_looked_through(house):
    Path("real").mkdir()
    Path("house").rename("real/house")
    Path("base").rename("real/base")
    Path("house").symlink_to("real/house")
    assert changes_of(watched(), lambda: write("real/base/catalog.yaml", "name: b\n")) == {
        "real/base/catalog.yaml": CHANGED
    }


def test_a_link_to_the_catalog_that_is_set_anew_is_told(house):
    """As `ln -sfn` does, and Kubernetes with a mounted ConfigMap."""
    write("v2/catalog.yaml", "name: house\nkubevirt: v1.9.0\n")
    Path("current").symlink_to("base")

    def set_anew():
        Path("next").symlink_to("v2")
        Path("next").rename("current")

    assert changes_of(watched("current"), set_anew) == {"current": CHANGED}


@pytest.mark.parametrize("target", ["outside/x.yaml", "outside"])
def test_nobody_looks_where_a_link_of_the_catalog_leads(house, monkeypatch, target):
    write("outside/x.yaml", "x: 1\n")
    Path("house/link.yaml").symlink_to(house / target)
    watch = Watch()
    watch.begin("house")
    watch.look_at(str(house / "house"))
    with pytest.raises(QuietError):
        changes_of(watch, lambda: write("outside/x.yaml", "x: 22\n"), lambda: write("outside/y.yaml", "y\n"))
    assert changes_of(watch, lambda: Path("house/link.yaml").unlink()) == {"house/link.yaml": GONE}


def test_links_that_go_round_end(house):
    Path("house/up").symlink_to("..")
    Path("house/round.yaml").symlink_to("round.yaml")
    assert {os.path.relpath(path) for path in stamps(str(house / "house"))} == {
        "house/catalog.yaml",
        "house/round.yaml",
    }


def test_of_a_folder_with_too_much_in_it_no_more_is_looked_at_than_can_be_read(house, monkeypatch):
    for number in range(20):
        write(f"house/{number}.txt", "")
        write(f"house/{number}/{number}.txt", "")
    looked = []
    scandir = os.scandir

    class Counted:
        def __init__(self, path):
            self._entries = scandir(path)

        def __enter__(self):
            self._entries.__enter__()
            return (looked.append(entry) or entry for entry in self._entries)

        def __exit__(self, *error):
            return self._entries.__exit__(*error)

    monkeypatch.setattr(os, "scandir", Counted)
    monkeypatch.setattr("virtcatalog.manifests.watch.SOURCE_FILES", 30)
    stamps(str(house / "house"))
    assert len(looked) == 31


def test_other_files_and_folders_are_watched_as_they_are_named(house):
    write("vms/dump.json", "{}")
    write("fleet", "kind: List\n")
    watch = Watch(leaving_out="vms/site")
    watch.begin("house", ["vms", "fleet"])
    load_catalog("house", watch.over(open_folder("house"), "house"))
    changes = (
        lambda: write("vms/dump.json", "{ }"),
        lambda: write("fleet", "kind: L\n"),
        lambda: write("vms/site/catalog.json", "{}"),
    )
    assert changes_of(watch, *changes) == {"vms/dump.json": CHANGED, "fleet": CHANGED}


def test_a_link_that_goes_round_is_watched_itself(house):
    Path("round").symlink_to("round")
    watch = Watch()
    watch.begin("house", ["round"])
    assert changes_of(watch, lambda: Path("round").unlink()) == {"round": GONE}


def test_a_watched_folder_is_the_folder(house):
    folder = Watch().over(open_folder("house"), "house")
    assert (folder.at, folder.has("catalog.yaml"), folder.has("none")) == (("house",), True, False)
    assert folder.listing() == open_folder("house").listing()
    assert folder.read("catalog.yaml") == b"name: house\nextends: ../base\n"
    with pytest.raises(SourceError, match=r"^is larger than 0 MiB$"):
        folder.read("catalog.yaml", 1)
    with pytest.raises(LinkOutError):
        folder.folder("../../base")
    base = folder.folder("../base")
    assert base is not None
    assert (base.at, base.listing().files) == (("base",), ("catalog.yaml", "instancetypes/c.yaml"))
