"""A catalog's past: releases by lock, tag or revision, and the history of rendered objects, out of git."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from checkouts import git
from sampling import thorough
from virtcatalog import load_catalog
from virtcatalog.catalog.lock import write_lock
from virtcatalog.errors import CatalogError, VirtcatalogError
from virtcatalog.manifests.gitprocess import Git, GitError
from virtcatalog.manifests.history import history_of
from virtcatalog.publish import releases as releases_module
from virtcatalog.publish import rendered as rendered_module
from virtcatalog.publish.releases import Releases, releases
from virtcatalog.publish.rendered import Past, past
from virtcatalog.render.output import render
from virtcatalog.render.tree import replace

ONE = "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n  small: {vcpus: 1}\n  large: {vcpus: 4}\n"
TWO = (
    "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n  small: {vcpus: 1, deprecated: {replacedBy: m.large, sunset: 2027-01-01}}\n"
    "  large: {vcpus: 4, memory: 12Gi}\n  huge: {vcpus: 16}\n"
)
THREE = "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n  large: {vcpus: 4, memory: 12Gi}\n  huge: {vcpus: 16}\n"


class Repository:
    """A repository with a catalog, its lock and its tree, in a folder of it."""

    def __init__(self, root: Path) -> None:
        self.root, self.days = root, 0
        (root / "repo/catalog/instancetypes").mkdir(parents=True)
        (root / "repo/catalog/catalog.yaml").write_text("name: house\nkubevirt: v1.9.0\n")
        (root / "repo/catalog/preferences").mkdir()
        (root / "repo/catalog/preferences/p.yaml").write_text("preferences: {plain: {}}\n")
        self.git("init", "-q", "-b", "main", "..")

    def git(self, *arguments: str, stdin: str = "") -> str:
        """What a command of git's prints, on the day of the next commit."""
        return git(self.root / "repo", *arguments, stdin=stdin.encode(), day=f"2026-01-{self.days + 1:02}")

    def write(self, text: str, version: str = "") -> None:
        (self.root / "repo/catalog/instancetypes/m.yaml").write_text(text)
        if version:
            (self.root / "repo/catalog/catalog.lock").write_text(write_lock(version, self.catalog))
        replace(self.root / "repo/output", render(self.catalog), "house")

    def commit(self, text: str, version: str = "", subject: str = "") -> None:
        self.write(text, version)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject or f"Release {version}")
        self.days += 1

    @property
    def catalog(self):
        return load_catalog(self.root / "repo/catalog")

    def releases(self, *revisions: str) -> Releases:
        return releases(self.catalog, history_of(str(self.root / "repo/catalog")), revisions)

    def past(self) -> Past:
        return past(self.catalog, str(self.root / "repo/output"))


@thorough
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it takes as long as the clock says")
@pytest.mark.parametrize("leaf", ["040000 tree", "100644 blob"])
def test_a_history_of_folders_without_an_end_is_left_in_time(tmp_path, leaf):
    """Each folder of the rendered objects holds the one before ten times: a few kilobytes stand for 10¹² of them."""
    repository = Repository(tmp_path)
    repository.commit(ONE)

    def mktree(kind: str, name: str, *places: str) -> str:
        lines = "".join(f"{kind} {name}\t{place}\n" for place in places)
        return repository.git("mktree", stdin=lines)

    sha = repository.git("mktree") if leaf.endswith("tree") else repository.git("hash-object", "-w", "--stdin")
    for kind in (leaf, *["040000 tree"] * 11):
        sha = mktree(kind, sha, *"abcdefghij")
    for place in ("VirtualMachineClusterInstancetype", "base", "output", "repo"):
        sha = mktree("040000 tree", sha, place)
    head = repository.git("commit-tree", "-m", "bomb", "-p", "HEAD", sha)
    repository.git("update-ref", "HEAD", head)
    with pytest.raises(GitError, match="takes more than 2 seconds, or too much memory"):
        repository.past()


def test_git_may_take_longer_in_a_large_repository(tmp_path):
    repository = Repository(tmp_path)
    repository.commit(ONE)
    assert Git(repository.root).seconds == 2
    noise = random.Random(1).randbytes(3 * 2**20).hex()  # which git packs into as many bytes
    repository.git("hash-object", "-w", "--stdin", stdin=noise)
    assert Git(repository.root).seconds == 5


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def shown(read_releases: Releases) -> list[tuple[str, str, list[str]]]:
    return [
        (release.name, release.date, sorted(release.objects["instancetypes"])) for release in read_releases.releases
    ]


def events(read_past: Past, name: str = "m.large") -> list[tuple[str, str, tuple[str, ...]]]:
    return [(event.date, event.what, event.fields) for event in read_past.events.get(("instancetypes", name), ())]


class TestReleases:
    def test_are_the_versions_that_the_lock_had(self, repository):
        repository.commit(ONE, "v1.0.0")
        repository.commit(TWO, subject="Not yet")
        repository.commit(TWO, "v1.1.0")
        repository.commit(THREE, "v2.0.0")
        read_releases = repository.releases()
        assert shown(read_releases) == [
            ("v1.0.0", "2026-01-01", ["m.large", "m.small"]),
            ("v1.1.0", "2026-01-03", ["m.huge", "m.large", "m.small"]),
            ("v2.0.0", "2026-01-04", ["m.huge", "m.large"]),
        ]
        assert read_releases.omissions == ()

    def test_one_that_was_written_again_counts_as_it_was_last_on_its_first_day(self, repository):
        repository.commit(ONE, "v1.0.0")
        repository.commit(TWO, "v1.0.0")
        assert shown(repository.releases()) == [("v1.0.0", "2026-01-01", ["m.huge", "m.large", "m.small"])]

    def test_the_one_at_hand_counts_before_it_is_committed(self, repository):
        repository.commit(ONE, "v1.0.0")
        repository.write(THREE, "v2.0.0")
        assert shown(repository.releases())[1:] == [("v2.0.0", "", ["m.huge", "m.large"])]

    def test_without_git_there_is_the_last_one(self, repository):
        repository.write(ONE, "v1.0.0")
        read_releases = releases(repository.catalog, None)
        assert shown(read_releases) == [("v1.0.0", "", ["m.large", "m.small"])]
        assert read_releases.omissions == (
            "There is no git repository around the catalog: only the last release is known, of catalog.lock.",
        )
        with pytest.raises(GitError) as refused:
            releases(repository.catalog, None, ["HEAD"])
        assert str(refused.value) == ("there is no git repository around the catalog: no revision can be read")

    def test_without_a_lock_they_are_the_version_tags(self, repository):
        repository.commit(ONE)
        repository.git("tag", "v1.0.0")
        repository.git("tag", "nightly")
        repository.commit(ONE, subject="Nothing of the catalog")
        repository.git("tag", "v1.0.1")
        repository.commit(THREE)
        repository.git("tag", "-a", "v2.0.0", "-m", "Two")
        assert shown(repository.releases()) == [
            ("v1.0.0", "2026-01-01", ["m.large", "m.small"]),
            ("v2.0.0", "2026-01-04", ["m.huge", "m.large"]),  # the day of the tag
        ]
        assert repository.releases().releases[-1].commit == repository.git("rev-parse", "HEAD")
        assert repository.releases().omissions == ()

    def test_a_tag_whose_catalog_is_broken_is_left_out_and_told(self, repository):
        repository.commit(ONE)
        (repository.root / "repo/catalog/instancetypes/bad.yaml").write_text("class: 1\n")
        repository.git("add", "-A")
        repository.git("commit", "-q", "-m", "Bad")
        repository.git("tag", "v1.0.0")
        (repository.root / "repo/catalog/instancetypes/bad.yaml").unlink()
        read_releases = repository.releases()
        assert read_releases.releases == ()
        assert read_releases.omissions == ("The catalog of the tag v1.0.0 cannot be read; it is left out.",)

    def test_are_the_revisions_that_are_asked_for(self, repository):
        repository.commit(ONE, "v1.0.0")
        repository.commit(THREE, "v2.0.0")
        assert [release.commit for release in repository.releases("HEAD~1", "main").releases] == [
            repository.git("rev-parse", revision) for revision in ("HEAD~1", "HEAD")
        ]
        assert shown(repository.releases("HEAD~1", "main")) == [
            ("HEAD~1", "2026-01-01", ["m.large", "m.small"]),
            ("main", "2026-01-02", ["m.huge", "m.large"]),
        ]

    @pytest.mark.parametrize("revision", ["nowhere", "--all", "", "HEAD~9"])
    def test_a_revision_that_is_not_there_is_an_error(self, repository, revision):
        repository.commit(ONE)
        with pytest.raises(GitError):
            repository.releases(revision)

    def test_a_revision_without_the_catalog_or_with_a_broken_one_is_an_error(self, repository):
        repository.git("commit", "-q", "--allow-empty", "-m", "Empty")
        repository.commit(ONE)
        with pytest.raises(VirtcatalogError) as refused:
            repository.releases("HEAD~1")
        assert str(refused.value) == "HEAD~1: there is no catalog in this revision"
        (repository.root / "repo/catalog/instancetypes/bad.yaml").write_text("class: 1\n")
        repository.git("add", "-A")
        repository.git("commit", "-q", "-m", "Bad")
        (repository.root / "repo/catalog/instancetypes/bad.yaml").unlink()
        with pytest.raises(CatalogError, match=r"HEAD:repo/catalog/instancetypes/bad\.yaml"):
            repository.releases("HEAD")

    def test_a_lock_that_was_changed_by_hand_is_left_out_and_told(self, repository):
        repository.commit(ONE, "v1.0.0")
        lock = repository.root / "repo/catalog/catalog.lock"
        lock.write_text(lock.read_text().replace('"guest": 4', '"guest": 5'))
        repository.git("commit", "-q", "-a", "-m", "By hand")
        lock.unlink()
        read_releases = repository.releases()
        assert shown(read_releases) == [("v1.0.0", "2026-01-01", ["m.large", "m.small"])]
        commit = repository.git("rev-parse", "HEAD")[:12]
        assert read_releases.omissions == (f"The lock of 2026-01-02 ({commit}) cannot be read; it is left out.",)

    def test_in_a_shallow_clone_it_is_said_that_there_may_be_more(self, repository):
        repository.commit(ONE, "v1.0.0")
        repository.commit(TWO, "v1.1.0")
        source = (repository.root).as_uri()
        subprocess.run(["git", "clone", "-q", "--depth", "1", source, "shallow"], cwd=repository.root, check=True)
        repository.root = repository.root / "shallow"
        read_releases = repository.releases()
        assert shown(read_releases) == [("v1.1.0", "2026-01-02", ["m.huge", "m.large", "m.small"])]
        assert read_releases.omissions == ("The clone is shallow: releases of before its first commit are not known.",)
        assert repository.past().events == {}
        assert repository.past().omission == "The clone is shallow: what was before 2026-01-02 is not known."

    def test_a_shallow_clone_has_the_events_after_its_first_commit(self, repository):
        for text in (ONE, TWO, ONE):
            repository.commit(text)
        source = repository.root.as_uri()
        subprocess.run(["git", "clone", "-q", "--depth", "2", source, "shallow"], cwd=repository.root, check=True)
        repository.root = repository.root / "shallow"
        read_past = repository.past()
        assert [day for day, *_ in events(read_past)] == ["2026-01-03"]
        assert read_past.omission == "The clone is shallow: what was before 2026-01-02 is not known."


class TestRenderedObjects:
    def test_appear_and_change(self, repository):
        repository.commit(ONE, subject="One")
        repository.commit(TWO, subject="Two")
        read_past = repository.past()
        assert events(read_past) == [
            (
                "2026-01-02",
                "changed",
                (
                    "metadata.labels[instancetype.kubevirt.io/memory]: 16Gi → 12Gi",
                    "spec.memory.guest: 16Gi → 12Gi",
                ),
            ),
            ("2026-01-01", "appeared", ()),
        ]
        first = read_past.events["instancetypes", "m.large"][0]
        assert (first.subject, first.commit) == ("Two", repository.git("rev-parse", "HEAD")[:12])
        assert read_past.omission == ""
        assert [event[1] for event in events(read_past, "m.huge")] == ["appeared"]
        assert [event.what for event in read_past.events["preferences", "plain"]] == ["appeared"]

    def test_are_deprecated_and_are_not(self, repository):
        for text in (ONE, TWO, ONE):
            repository.commit(text)
        changes = events(repository.past(), "m.small")
        assert [(what, any("replacedBy" in field for field in fields)) for _, what, fields in changes] == [
            ("was deprecated no longer", True),
            ("was deprecated", True),
            ("appeared", False),
        ]

    def test_go_and_come_back(self, repository):
        for text in (TWO, THREE, TWO):
            repository.commit(text)
        changes = events(repository.past(), "m.small")
        assert [what for _, what, _ in changes] == ["appeared", "was taken out", "appeared"]

    def test_are_told_of_the_main_line_as_it_was_merged(self, repository):
        repository.commit(ONE)
        repository.git("checkout", "-q", "-b", "topic")
        repository.commit(TWO, subject="On the branch")
        repository.git("checkout", "-q", "main")
        repository.git("merge", "-q", "--no-ff", "-m", "Merge of topic", "topic")
        assert [event.subject for event in repository.past().events["instancetypes", "m.huge"]] == ["Merge of topic"]

    def test_what_is_no_manifest_only_changed(self, repository):
        repository.commit(ONE)
        file = repository.root / "repo/output/base/VirtualMachineClusterInstancetype/m.large.yaml"
        whole = file.read_text()
        for text in ("{", whole):
            file.write_text(text)
            repository.git("commit", "-q", "-a", "-m", "By hand")
        changes = events(repository.past())
        assert [what for _, what, fields in changes if not fields] == ["changed", "changed", "appeared"]

    def test_without_a_tree_or_git_it_is_said(self, repository, tmp_path):
        assert past_of(repository, tmp_path / "nowhere") == (
            "There is no git repository around the rendered objects: when they changed is not known."
        )
        repository.commit(ONE)
        catalog = repository.root / "repo/catalog"
        assert past_of(repository, catalog) == (
            f"Git knows of no rendered objects in {catalog}: when they changed is not known."
        )

    def test_the_tree_of_another_catalog_tells_nothing(self, repository):
        repository.commit(ONE)
        (repository.root / "repo/catalog/catalog.yaml").write_text("name: other\nkubevirt: v1.9.0\n")
        assert repository.past() == Past(
            {},
            f"The rendered objects in {repository.root}/repo/output are another catalog's: when these changed is not "
            "known.",
        )


def past_of(repository: Repository, tree: Path) -> str:
    repository.write(ONE)
    return past(repository.catalog, str(tree)).omission


def test_nothing_that_a_repository_configures_is_run(repository, monkeypatch):
    repository.commit(ONE, "v1.0.0")
    (repository.root / ".gitattributes").write_text("* diff=evil\n")
    repository.commit(TWO, "v1.1.0")
    trap = repository.root / "trap"
    for key in ("diff.external", "diff.evil.textconv", "diff.evil.command", "core.pager", "core.fsmonitor"):
        repository.git("config", key, f"touch {trap};")
    assert len(shown(repository.releases())) == 2
    assert len(events(repository.past())) == 2
    assert not trap.exists()


class TestWhatIsLeftOut:
    def test_releases_beyond_the_most(self, tmp_path, monkeypatch):
        repository = Repository(tmp_path)
        for number, text in enumerate((ONE, TWO, THREE), start=1):
            repository.commit(text, f"v1.{number}.0")
        monkeypatch.setattr(releases_module, "PAST_RELEASES", 2)
        read_releases = repository.releases()
        assert [release.name for release in read_releases.releases] == ["v1.2.0", "v1.3.0"]
        assert read_releases.omissions == ("Releases before v1.2.0 are left out.",)

    def test_releases_whose_locks_are_too_large(self, tmp_path, monkeypatch):
        repository = Repository(tmp_path)
        repository.commit(ONE, "v1.1.0")
        repository.commit(TWO, "v1.2.0")
        size = (repository.root / "repo/catalog/catalog.lock").stat().st_size
        monkeypatch.setattr(releases_module, "PAST_LOCK_BYTES", size)
        read_releases = repository.releases()
        assert [release.name for release in read_releases.releases] == ["v1.2.0"]
        assert read_releases.omissions == ("Releases before 2026-01-01 are left out: their locks are too large.",)

    def test_tags_beyond_the_most(self, tmp_path, monkeypatch):
        repository = Repository(tmp_path)
        for number, text in enumerate((ONE, TWO, THREE), start=1):
            repository.commit(text)
            repository.git("tag", f"v1.{number}.0")
        monkeypatch.setattr(releases_module, "PAST_RELEASES", 2)
        read_releases = repository.releases()
        assert [release.name for release in read_releases.releases] == ["v1.2.0", "v1.3.0"]
        assert read_releases.omissions == ("Tags before v1.2.0 are left out.",)

    def test_changes_of_rendered_objects_beyond_the_most(self, tmp_path, monkeypatch):
        repository = Repository(tmp_path)
        for text in (ONE, TWO, THREE):
            repository.commit(text, subject="change")
        monkeypatch.setattr(rendered_module, "PAST_CHANGES", 1)
        read_past = repository.past()
        assert sum(map(len, read_past.events.values())) == 1
        assert read_past.omission == "What was before 2026-01-02 is left out."
        monkeypatch.undo()
        monkeypatch.setattr(rendered_module, "PAST_COMMITS", 3)
        assert repository.past().omission == "What was before 2026-01-01 is left out."

    def test_where_no_git_is(self, tmp_path):
        repository = Repository(tmp_path)
        repository.write(ONE)
        assert past(repository.catalog, str(tmp_path / "elsewhere")).omission == (
            "There is no git repository around the rendered objects: when they changed is not known."
        )
        read_releases = releases(repository.catalog, None)
        assert read_releases.omissions == (
            "There is no git repository around the catalog: only the last release is known, of catalog.lock.",
        )
        with pytest.raises(GitError) as refused:
            releases(repository.catalog, None, ["v1"])
        assert str(refused.value) == "there is no git repository around the catalog: no revision can be read"

    def test_rendered_objects_that_were_never_committed(self, tmp_path):
        repository = Repository(tmp_path)
        repository.write(ONE)
        repository.git("commit", "-q", "--allow-empty", "-m", "nothing")
        tree = repository.root / "repo/output"
        read_past = past(repository.catalog, str(tree))
        assert read_past.omission == f"Git knows of no rendered objects in {tree}: when they changed is not known."

    def test_the_tree_of_another_catalog(self, tmp_path):
        repository = Repository(tmp_path)
        repository.commit(ONE)
        replace(repository.root / "repo/output", render(repository.catalog), "other", force=True)
        tree = repository.root / "repo/output"
        assert repository.past().omission == (
            f"The rendered objects in {tree} are another catalog's: when these changed is not known."
        )

    def test_commits_beyond_the_most(self, tmp_path, monkeypatch):
        repository = Repository(tmp_path)
        for text in (ONE, TWO, THREE):
            repository.commit(text, subject="change")
        monkeypatch.setattr(rendered_module, "PAST_COMMITS", 2)
        read_past = repository.past()
        assert {event.date for events_ in read_past.events.values() for event in events_} == {"2026-01-02"}
        assert read_past.omission == "What was before 2026-01-02 is left out."


def test_tags_that_are_named_as_versions_are(repository):
    repository.commit(ONE)
    versions = "v1.0", "1.0.0", "catalog-v1.0.0", "release/1.2.3-rc.1", "v1.0.0+build.5"
    others = "v1", "v1.0.0_rc", "vv1.0", "v1.x", "nightly"
    for name in (*versions, *others):
        repository.git("tag", name)
        assert [release.name for release in repository.releases().releases] == [name] * (name in versions)
        repository.git("tag", "-d", name)


def test_what_the_environments_of_a_revision_publish(repository):
    (repository.root / "repo/catalog/overlays.yaml").write_text("lab: {scope: namespaced, namespace: lab}\n")
    repository.commit(ONE)
    (release,) = repository.releases("main").releases
    assert release.environments["lab"].namespace == "lab"
    assert release.environments["lab"].objects == {
        "VirtualMachineInstancetype": ("m.large", "m.small"),
        "VirtualMachinePreference": ("plain",),
    }
    assert list(release.objects) == ["instancetypes", "preferences"]
    assert list(release.objects["preferences"]) == ["plain"]
