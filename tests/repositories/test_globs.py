"""Globs of texts and paths, as gobwas/glob, git and Go's path.Match know them."""

from __future__ import annotations

import pytest

from virtcatalog.errors import VirtcatalogError
from virtcatalog.repositories import globs
from virtcatalog.repositories.globs import PATH, PATHSPEC, TEXT, Dialect, Globs


@pytest.mark.parametrize(
    ("dialect", "glob", "yes", "no"),
    [
        (PATH, "a*", "a ab", "a/b ba"),
        (PATH, "a/*/c", "a/b/c a//c", "a/b/b/c a/c"),
        (PATH, "a/**", "a/b", "a a/b/c"),
        (PATH, "a?c", "abc", "a/c ac"),
        (PATH, "[a-c]x", "ax bx cx", "dx"),
        (PATH, "[^ab]c", "cc", "ac bc"),
        (PATH, "[!ab]c", "ac bc !c", "cc"),
        (PATH, r"[\]\-\\]", "] - \\", "a"),
        (PATH, "{a,b}", "{a,b}", "a b"),
        (PATH, r"\*\[!a]", "*[!a]", "b a"),
        (PATH, "a.b+c(d)|e^f$!", "a.b+c(d)|e^f$!", "aXb+c(d)|e^f$! abbc(d)|e^f$!"),
        (PATH, "/a/", "/a/", "a"),
        (PATHSPEC, "a*", "a ab a/b", "ba"),
        (PATHSPEC, "a/*.c", "a/b.c a/b/b.c", "a/b b/a/b.c"),
        (PATHSPEC, "a?c", "abc a/c", "ac abbc"),
        (PATHSPEC, "a", "a a/b a/b/c", "ab b/a"),
        (PATHSPEC, "a/", "a/b a/b/c", "a ab"),
        (PATHSPEC, "./a", "a a/b", "b"),
        (PATHSPEC, ".", "a a/b", ""),
        (PATHSPEC, "[!a]c", "bc", "ac"),
        (PATHSPEC, "[^a]c", "bc", "ac"),
        (PATHSPEC, "[]a-]", "] a -", "b"),
        (PATHSPEC, "[c-a]", "", "a b c"),
        (PATHSPEC, "[^c-a]", "a b", "ab"),
        (PATHSPEC, "{a,b}*", "{a,b} {a,b}c", "a b"),
        (PATHSPEC, r"\*a", "*a", "ba"),
        (TEXT, "a*", "a ab a/b", "ba"),
        (TEXT, "**", "a a/b", ""),
        (TEXT, "a?c", "abc a/c", "ac abbc"),
        (TEXT, "[!ab]c", "cc", "ac bc"),
        (TEXT, "[!a-b]c", "cc", "ac bc"),
        (TEXT, "[^ab]c", "ac ^c", "cc"),
        (TEXT, "[ab-d]", "a b - d", "c"),
        (TEXT, r"[\]a]", "] a", "b"),
        (TEXT, "{a,b}c", "ac bc", "cc a,bc {a,b}c"),
        (TEXT, "{a,{b,c}d}e", "ae bde cde", "be de"),
        (TEXT, "{a,b", "a b", "{a,b"),
        (TEXT, r"\{a\}", "{a}", "a"),
        (TEXT, "a\\", "a", "a\\"),
        (TEXT, "a}b", "a}b", "ab"),
        (TEXT, "a,b]", "a,b]", "a b"),
    ],
)
def test_a_glob_matches_whole_texts(dialect: Dialect, glob: str, yes: str, no: str) -> None:
    matches = Globs().glob(glob, dialect)
    wanted = {**dict.fromkeys(yes.split(), True), **dict.fromkeys(no.split(), False)}
    assert {text: matches(text) for text in wanted} == wanted
    assert matches("") is (glob in ("**", "."))


@pytest.mark.parametrize(
    ("dialect", "globs"),
    [
        (PATH, ["[", "[]", "[]a]", "[a-]", "[-a]", "[c-a]", "[a", "a\\", "[a\\"]),
        (PATHSPEC, ["[", "[]", "[a", "[a-", "a\\"]),
        (TEXT, ["[", "[]", "[!]", "[a", "[c-a]", "[a-", "[a-bc]"]),
    ],
)
def test_what_its_dialect_does_not_know_matches_nothing(dialect: Dialect, globs: list[str]) -> None:
    texts = ("", "a", "b", "-", "]", "[", "a\\", "[]", "[]a]", "ac")
    assert [glob for glob in globs if any(map(Globs().glob(glob, dialect), texts))] == []


def test_git_refuses_paths_that_are_not_in_the_repository() -> None:
    with pytest.raises(VirtcatalogError, match=r"^/a is no path within the repository: git refuses it$"):
        Globs().glob("/a", PATHSPEC)


def test_all_globs_of_a_run_have_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(globs, "GLOB_WORK", 1000)
    run = Globs()
    matches = run.glob("*a*b", TEXT)
    assert matches("ab")
    with pytest.raises(VirtcatalogError, match=r"^the globs of paths ask for more work than one may$"):
        matches("a" * 10_000)
    with pytest.raises(VirtcatalogError):
        run.glob("a*", TEXT)("a")


def test_as_much_work_as_there_may_be_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def states() -> int:
        run = Globs()
        assert run.glob("a*b", TEXT)("axxb")
        return globs.GLOB_WORK - run._left

    most = states()
    monkeypatch.setattr(globs, "GLOB_WORK", most)
    assert states() == most
    monkeypatch.setattr(globs, "GLOB_WORK", most - 1)
    with pytest.raises(VirtcatalogError):
        states()
