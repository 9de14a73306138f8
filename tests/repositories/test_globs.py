"""Globs of texts and paths, as gobwas/glob and Go's path.Match know them."""

from __future__ import annotations

import pytest

from virtcatalog.errors import VirtcatalogError
from virtcatalog.repositories import globs
from virtcatalog.repositories.globs import Globs


@pytest.mark.parametrize(
    ("glob", "within", "yes", "no"),
    [
        ("a*", False, "a ab a/b", "ba"),
        ("a*", True, "a ab", "a/b ba"),
        ("a/*/c", True, "a/b/c a//c", "a/b/b/c a/c"),
        ("a/**/c", True, "a/b/c a/b/b/c", "a/c b/a/c"),
        ("**", True, "a a/b", ""),
        ("a?c", False, "abc a/c", "ac abbc"),
        ("a?c", True, "abc", "a/c ac"),
        ("[ab]c", False, "ac bc", "cc c abc"),
        ("[a-c]x", False, "ax bx cx", "dx"),
        ("[!ab]c", False, "cc", "ac bc"),
        ("[^ab]c", False, "cc", "ac bc"),
        ("[]", False, "[]", "["),
        ("a]", False, "a]", "a"),
        ("{a,b}c", False, "ac bc", "cc a,bc {a,b}c"),
        ("{a,{b,c}d}e", False, "ae bde cde", "be de"),
        ("a{b", False, "a{b", "ab"),
        ("a}b", False, "a}b", "ab"),
        ("a,b", False, "a,b", "a b"),
        ("a.b+c(d)|e^f$", False, "a.b+c(d)|e^f$", "aXb+c(d)|e^f$ abbc(d)|e^f$"),
        ("", False, "", "a"),
    ],
)
def test_a_glob_matches_whole_texts(glob: str, within: bool, yes: str, no: str) -> None:
    matches = Globs().glob(glob, within=within)
    wanted = {**dict.fromkeys(yes.split(), True), **dict.fromkeys(no.split(), False)}
    assert {text: matches(text) for text in wanted} == wanted
    assert matches("") is (glob in ("", "**"))


def test_all_globs_of_a_run_have_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(globs, "GLOB_WORK", 1000)
    run = Globs()
    matches = run.glob("*a*b")
    assert matches("ab")
    with pytest.raises(VirtcatalogError, match=r"^the globs of paths ask for more work than one may$"):
        matches("a" * 10_000)
    with pytest.raises(VirtcatalogError):
        run.glob("a*")("a")


def test_as_much_work_as_there_may_be_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def states() -> int:
        run = Globs()
        assert run.glob("a*b")("axxb")
        return globs.GLOB_WORK - run._left

    most = states()
    monkeypatch.setattr(globs, "GLOB_WORK", most)
    assert states() == most
    monkeypatch.setattr(globs, "GLOB_WORK", most - 1)
    with pytest.raises(VirtcatalogError):
        states()
