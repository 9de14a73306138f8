"""What is kept is found again, whole or not at all, and is never needed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from multiprocessing import Process, get_context
from pathlib import Path
from typing import Any

import pytest

from sampling import thorough
from virtcatalog import __version__
from virtcatalog.cachefolder import CacheError, default_folder
from virtcatalog.fleet import cache as module
from virtcatalog.fleet.cache import Cache, digest, key_of, users_cache
from virtcatalog.limits import CACHE_ENTRY_BYTES

KEY, OTHER = key_of(b"one"), key_of(b"other")


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def put(folder: Path | str, *keys: str, answer: bytes = b"answer", most: int = 1 << 20) -> None:
    """A run that keeps an answer under each key."""
    cache = Cache(str(folder), most)
    for key in keys:
        cache.put(key, answer)
    cache.save()


def change(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / "answers.sqlite3")) as database, database:
        database.execute(statement, values)


def lies_in(checkout: Path) -> str:
    return (
        f": lies in the checkout {checkout}, or a link in it leads there, and anybody may commit to one: "
        "nothing is kept there; name a folder outside of every checkout$"
    )


def test_nothing_is_made_before_there_is_something_to_keep(tmp_path: Path) -> None:
    assert Cache(str(tmp_path / "cache")).get(KEY) is None
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_somebody_makes_meanwhile_is_not_used(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    cache.put(KEY, b"answer")
    cache.save()
    assert not files(tmp_path)


def test_what_is_kept_is_found_at_once_and_by_the_next_run(tmp_path: Path) -> None:
    folder = str(tmp_path / "of" / "mine")
    cache = Cache(folder)
    cache.put(KEY, b"answer")
    assert (cache.get(KEY), Cache(folder).get(KEY)) == (b"answer", None)
    cache.save()
    assert (cache.get(KEY), Cache(folder).get(KEY), Cache(folder).get(OTHER)) == (b"answer", b"answer", None)
    assert [oct(path.stat().st_mode & 0o777) for path in (Path(folder), files(tmp_path)[0])] == ["0o700", "0o600"]


def test_many_are_kept_before_the_run_ends(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    for number in range(1000):
        assert not files(tmp_path)
        cache.put(key_of(b"%d" % number), b"answer")
    assert Cache(str(tmp_path)).get(key_of(b"0")) == b"answer"


def test_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    put(tmp_path, KEY, answer=bytes(CACHE_ENTRY_BYTES + 1))
    assert not files(tmp_path)
    put(tmp_path, KEY, answer=bytes(CACHE_ENTRY_BYTES), most=2 * CACHE_ENTRY_BYTES)
    assert len(Cache(str(tmp_path)).get(KEY) or b"") == CACHE_ENTRY_BYTES


@pytest.mark.parametrize("damage", [b"", b"x", b"\0" * 40, b"SQLite format 3\0" * 500, None])
def test_a_damaged_database_counts_as_empty_and_is_made_anew(tmp_path: Path, damage: bytes | None) -> None:
    put(tmp_path, KEY, OTHER, answer=b"a long answer" * 1000)
    (file,) = files(tmp_path)
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 3] if damage is None else damage)
    assert Cache(str(tmp_path)).get(KEY) is None
    for _ in range(2):  # the first one may have to do without
        put(tmp_path, KEY)
    assert Cache(str(tmp_path)).get(KEY) == b"answer"


@pytest.mark.parametrize("damage", [b"", b"x", b"\0" * 40, "text", 7])
def test_a_damaged_answer_counts_as_not_there(tmp_path: Path, damage: bytes | str | int) -> None:
    put(tmp_path, KEY, OTHER)
    change(tmp_path, "UPDATE answers SET answer = ? WHERE key = ?", damage, KEY)
    cache = Cache(str(tmp_path))
    assert (cache.get(KEY), cache.get(OTHER)) == (None, b"answer")


def test_an_answer_has_a_seal_of_16_bytes(tmp_path: Path) -> None:
    put(tmp_path, KEY)
    with closing(sqlite3.connect(tmp_path / "answers.sqlite3")) as database:
        assert database.execute("SELECT key, SUBSTR(answer, 17), LENGTH(answer) FROM answers").fetchall() == [
            (KEY, b"answer", 22)
        ]


def test_an_answer_to_another_question_is_none_to_this_one(tmp_path: Path) -> None:
    put(tmp_path, OTHER)
    change(tmp_path, "UPDATE answers SET key = ?", KEY)
    assert Cache(str(tmp_path)).get(KEY) is None


def test_no_link_is_followed(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    put(folder, KEY)
    (file,) = files(tmp_path)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    put(folder, OTHER)
    assert [Cache(str(folder)).get(key) for key in (KEY, OTHER)] == [None, None]
    file.unlink()
    (tmp_path / "elsewhere").rename(file)
    assert [Cache(str(folder)).get(key) for key in (KEY, OTHER)] == [b"answer", None]


def test_a_folder_that_others_can_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(CacheError, match=f"^{tmp_path}: can be written by others: nothing is kept there$"):
        Cache(str(tmp_path))


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(CacheError, match=f"^{tmp_path}: belongs to somebody else: nothing is kept there$"):
        Cache(str(tmp_path))


@pytest.mark.parametrize("marker", ["folder", "file"])
@pytest.mark.parametrize("place", ["", "cache", "deep/er/cache", ".git/cache"])
def test_a_folder_in_a_work_tree_of_git_is_refused(tmp_path: Path, marker: str, place: str) -> None:
    """Also one that is not there yet, and one in a linked work tree or a submodule, whose `.git` is a file."""
    git = tmp_path / ".git"
    git.mkdir() if marker == "folder" or place.startswith(".git") else git.write_text("gitdir: elsewhere\n")
    with pytest.raises(CacheError, match=lies_in(tmp_path)):
        Cache(str(tmp_path / place))


def test_a_folder_below_the_current_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is judged lies there, as an archive without git's own files too."""
    monkeypatch.chdir(tmp_path)
    for name in ("cache", "./a/../cache", str(tmp_path / "cache")):
        with pytest.raises(CacheError, match=lies_in(tmp_path)):
            Cache(name)


def test_the_current_folder_may_be_the_users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Cache(str(tmp_path / ".cache"))
    monkeypatch.chdir(tmp_path.parent)
    Cache(str(tmp_path / ".cache"))


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_a_folder_in_the_checkout_of_a_forge_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """With `working-directory`, the current folder is below the checkout, and GitHub may fetch that without git."""
    monkeypatch.setenv(variable, str(tmp_path))
    with pytest.raises(CacheError, match=lies_in(tmp_path)):
        Cache(str(tmp_path / "cache"))


def test_no_link_of_a_checkout_leads_to_a_cache(tmp_path: Path) -> None:
    checkout, cache, mine = tmp_path / "checkout", tmp_path / "cache", tmp_path / "mine"
    (checkout / ".git").mkdir(parents=True)
    cache.mkdir(mode=0o700)
    (checkout / "link").symlink_to(cache)
    mine.symlink_to(checkout / "link")
    for folder in (checkout / "link", checkout / "link" / "below", mine, mine / "below"):
        with pytest.raises(CacheError, match=lies_in(checkout)):
            Cache(str(folder))


def test_a_link_into_a_checkout_is_refused(tmp_path: Path) -> None:
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    (tmp_path / "mine").symlink_to("checkout/cache")
    with pytest.raises(CacheError, match=lies_in(tmp_path / "checkout")):
        Cache(str(tmp_path / "mine"))


def test_a_link_of_the_users_own_is_followed(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "mine").symlink_to("disk")
    put(tmp_path / "mine" / "cache", KEY)
    assert Cache(str(tmp_path / "disk" / "cache")).get(KEY) == b"answer"


def test_links_that_go_round_are_refused(tmp_path: Path) -> None:
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(CacheError, match=r"^.*/round: Too many levels of symbolic links: nothing is kept there$"):
        Cache(str(tmp_path / "round"))


def test_a_path_that_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CacheError, match=r"^.*/x+: File name too long: nothing is kept there$"):
        Cache(str(tmp_path / ("x" * 300)))


def test_a_folder_that_is_no_longer_there_is_made_again(tmp_path: Path) -> None:
    put(tmp_path / "a" / "b", KEY)
    shutil.rmtree(tmp_path / "a")
    put(tmp_path / "a" / "b", KEY)
    assert Cache(str(tmp_path / "a" / "b")).get(KEY) == b"answer"


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CacheError, match=r"^.*/file: is no folder to keep anything in$"):
        Cache(str(tmp_path / "file"))


def test_a_full_disk_costs_what_would_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, KEY)

    def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
        database = sqlite3.Connection(*arguments, **options)
        database.execute("PRAGMA max_page_count = 4")
        return database

    monkeypatch.setattr(module.sqlite3, "connect", connect)
    cache = Cache(str(tmp_path))
    for key in (OTHER, key_of(b"third")):  # the second one is not tried
        cache.put(key, bytes(100_000))
        cache.save()
    monkeypatch.undo()
    assert [Cache(str(tmp_path)).get(key) for key in (KEY, OTHER)] == [b"answer", None]


def test_a_folder_that_cannot_be_written_costs_what_would_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any, **_options: Any) -> int:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "open", fail)
    put(tmp_path, KEY)
    monkeypatch.undo()
    assert not files(tmp_path)


def test_another_run_that_writes_for_long_costs_what_would_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_WAIT", 0.01)
    put(tmp_path, KEY)
    with closing(sqlite3.connect(tmp_path / "answers.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        put(tmp_path, OTHER)
        assert Cache(str(tmp_path)).get(KEY) is None
        other.execute("COMMIT")
    assert [Cache(str(tmp_path)).get(key) for key in (KEY, OTHER)] == [b"answer", None]


def test_python_may_lack_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "sqlite3", None)
    put(tmp_path, KEY)
    assert (Cache(str(tmp_path)).get(KEY), files(tmp_path)) == (None, [])


def test_a_python_without_sqlite_imports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    spec = importlib.util.spec_from_file_location("cache_without_sqlite", module.__file__)
    assert spec is not None
    assert spec.loader is not None
    imported = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(imported)
    assert imported.sqlite3 is None


def test_it_may_be_deleted_while_it_is_used(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    cache.put(KEY, b"answer")
    cache.save()
    shutil.rmtree(tmp_path / "cache")
    assert cache.get(KEY) is None
    cache.put(OTHER, b"answer")
    cache.save()
    assert Cache(str(tmp_path / "cache")).get(OTHER) == b"answer"


def test_the_oldest_are_dropped_when_there_is_too_much(tmp_path: Path) -> None:
    keys = [key_of(b"%d" % number) for number in range(8)]
    for age, key in enumerate(keys[:-1]):
        put(tmp_path, key, answer=bytes(10_000))
        change(tmp_path, "UPDATE answers SET used = used - ? WHERE key = ?", age + 1, key)
    put(tmp_path, keys[-1], answer=bytes(10_000), most=55_000)  # of which three quarters are left
    assert [Cache(str(tmp_path)).get(key) is not None for key in keys] == [True] * 3 + [False] * 4 + [True]


def test_what_is_used_is_not_old(tmp_path: Path) -> None:
    put(tmp_path, KEY, OTHER, answer=bytes(10_000))
    change(tmp_path, "UPDATE answers SET used = 0")
    cache = Cache(str(tmp_path))
    cache.get(KEY)
    cache.save()
    put(tmp_path, key_of(b"third"), answer=bytes(10_000), most=30_000)
    assert [Cache(str(tmp_path)).get(key) is not None for key in (KEY, OTHER)] == [True, False]


def test_what_was_used_today_is_not_written_again(tmp_path: Path) -> None:
    put(tmp_path, KEY)
    (file,) = files(tmp_path)
    os.utime(file, (1, 1))
    cache = Cache(str(tmp_path))
    cache.get(KEY)
    cache.save()
    assert file.stat().st_mtime == 1


def test_the_files_of_version_1_0_0_are_dropped(tmp_path: Path) -> None:
    for name in (f"ab/{'c' * 62}", "ab/.new-17-ab", f"cd/{'e' * 62}", "cd/notes", "oci/sha256"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    put(tmp_path, KEY)
    assert [str(file.relative_to(tmp_path)) for file in files(tmp_path)] == [
        "answers.sqlite3",
        "cd/notes",
        "oci/sha256",
    ]


def _ask(cache: Cache) -> None:
    assert (cache.get(KEY), cache.get(OTHER)) == (b"answer", b"new")


def test_a_forked_process_asks_for_itself(tmp_path: Path) -> None:
    put(tmp_path, KEY)
    cache = Cache(str(tmp_path))
    cache.put(OTHER, b"new")
    assert cache.get(KEY) == b"answer"
    run = get_context("fork").Process(target=_ask, args=(cache,))
    run.start()
    run.join()
    assert (run.exitcode, cache.get(KEY)) == (0, b"answer")


def _write(folder: str, which: int) -> None:
    cache = Cache(folder)
    for number in range(200):
        cache.put(digest(b"%d" % number).hex(), b"%d" % number * 500)
        cache.save()
        assert cache.get(digest(b"%d" % (number * which % 200)).hex()) in (None, b"%d" % (number * which % 200) * 500)


@thorough
def test_two_runs_at_once_do_each_other_no_harm(tmp_path: Path) -> None:
    runs = [Process(target=_write, args=(str(tmp_path), which)) for which in (3, 7)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [run.exitcode for run in runs] == [0, 0]
    cache = Cache(str(tmp_path))
    assert all(cache.get(digest(b"%d" % number).hex()) == b"%d" % number * 500 for number in range(200))


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"XDG_CACHE_HOME": "/var/kept", "HOME": "/home/me"}, "/var/kept/virtcatalog"),
        ({"XDG_CACHE_HOME": "not/absolute", "HOME": "/home/me"}, "/home/me/.cache/virtcatalog"),
        ({"XDG_CACHE_HOME": "", "HOME": "/home/me"}, "/home/me/.cache/virtcatalog"),
        ({"XDG_CACHE_HOME": "", "HOME": "me"}, None),
    ],
)
def test_the_users_folder_is_where_others_are(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], folder: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert default_folder() == folder


class TestProgram:
    @pytest.fixture
    def key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
        def key() -> str:
            module.program.cache_clear()
            return key_of(b"question")

        (tmp_path / "package" / "room").mkdir(parents=True)
        monkeypatch.setattr(module, "__file__", str(tmp_path / "package" / "fleet" / "cache.py"))
        yield key
        module.program.cache_clear()

    def test_another_one_has_other_keys(self, key: Callable[[], str], tmp_path: Path) -> None:
        rules = tmp_path / "package" / "room" / "rules.py"
        rules.write_text("a = 1")
        before = key()
        assert key() == before
        rules.write_text("a = 22")
        assert key() != before

    def test_one_that_is_installed_is_known_by_its_record(self, key: Callable[[], str], tmp_path: Path) -> None:
        record = tmp_path / f"virtcatalog-{__version__}.dist-info" / "RECORD"
        record.parent.mkdir()
        record.write_text("rules.py,sha256=a,1")
        before = key()
        (tmp_path / "package" / "notes").write_text("no part of it")
        assert key() == before
        record.write_text("rules.py,sha256=b,1")
        assert key() != before


def test_parts_count_each_by_itself() -> None:
    digests: list[Any] = [digest(b"ab", b"c"), digest(b"a", b"bc"), digest(b"abc"), digest(b"abc", b"")]
    assert len(set(digests)) == 4


WORDS = "0", "", "false", "No", "OFF"


@pytest.mark.parametrize(("value", "used"), [("1", False), ("yes", False), *((word, True) for word in WORDS)])
def test_the_environment_turns_it_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, used: bool) -> None:
    monkeypatch.setenv("VIRTCATALOG_NO_CACHE", value)
    monkeypatch.setenv("VIRTCATALOG_CACHE", str(tmp_path / "cache"))
    assert (users_cache() is not None) is used


def test_a_folder_that_is_named_has_to_be_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTCATALOG_NO_CACHE", "")
    (tmp_path / "virtcatalog").mkdir(mode=0o777)
    (tmp_path / "virtcatalog").chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert users_cache() is None
    monkeypatch.setenv("VIRTCATALOG_CACHE", str(tmp_path / "virtcatalog"))
    with pytest.raises(CacheError):
        users_cache()


def test_the_usual_folder_is_not_used_in_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a pipeline has set XDG_CACHE_HOME to a folder of the project, so that it is kept."""
    monkeypatch.setenv("VIRTCATALOG_NO_CACHE", "")
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert users_cache() is None
