"""Unified diffs: what is applied to the old text makes the new one, and what is the same is not told."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import thorough
from virtcatalog.manifests import textdiff
from virtcatalog.manifests.textdiff import unified


@pytest.mark.parametrize(
    ("old", "new", "context", "hunks"),
    [
        ("", "a\nb\n", 3, "@@ -0,0 +1,2 @@\n+a\n+b\n"),
        ("a\n", "", 3, "@@ -1 +0,0 @@\n-a\n"),
        ("a\nb\n", "a\nx\nb\n", 0, "@@ -1,0 +2 @@\n+x\n"),
        ("a\nx\ny\nb\n", "a\nb\n", 0, "@@ -2,2 +1,0 @@\n-x\n-y\n"),
        ("a\nb\nc\nd\n", "a\nb\nx\nd\n", 1, "@@ -2,3 +2,3 @@\n b\n-c\n+x\n d\n"),
        ("a\nb\n", "a\nb", 3, "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"),
        ("a\r\n", "a\n", 3, "@@ -1 +1 @@\n-a\r\n+a\n"),
        ("a\u2028b\n", "a\u2028c\n", 3, "@@ -1 +1 @@\n-a\u2028b\n+a\u2028c\n"),
        (
            "".join(f"{i}\n" for i in range(20)),
            "".join(f"{i}\n" for i in range(20) if i not in (2, 17)),
            3,
            "@@ -1,6 +1,5 @@\n 0\n 1\n-2\n 3\n 4\n 5\n@@ -15,6 +14,5 @@\n 14\n 15\n 16\n-17\n 18\n 19\n",
        ),
    ],
)
def test_a_diff_tells_each_change_with_what_is_around_it(old: str, new: str, context: int, hunks: str) -> None:
    assert unified(old, new, context=context) == f"--- before\n+++ after\n{hunks}"
    assert unified(old, old) == unified(new, new) == ""


def test_lines_that_were_compared_as_parts_are_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textdiff, "_SHORT", 2)
    old = list("abcdefgh")
    for new, blocks in (
        ("xcbdyfegz", [(2, 1, 1), (3, 3, 1), (5, 5, 1), (6, 7, 1), (8, 9, 0)]),
        ("axbcyzdefwh", [(0, 0, 1), (1, 2, 2), (3, 6, 3), (7, 10, 1), (8, 11, 0)]),
        ("abcdefghi", [(0, 0, 8), (8, 9, 0)]),
        ("", [(8, 0, 0)]),
    ):
        assert textdiff.LineMatcher(old, list(new)).get_matching_blocks() == blocks


@pytest.mark.parametrize(
    ("pairs", "ascending"),
    [
        ([], []),
        ([(0, 3), (1, 1), (2, 2), (3, 0), (4, 4)], [(1, 1), (2, 2), (4, 4)]),
        ([(0, 2), (1, 1), (2, 0)], [(2, 0)]),
        ([(0, 5), (2, 6), (3, 1), (4, 7)], [(0, 5), (2, 6), (4, 7)]),
    ],
)
def test_pairs_that_ascend_in_both_numbers_are_as_many_as_can_be(
    pairs: list[tuple[int, int]], ascending: list[tuple[int, int]]
) -> None:
    assert textdiff._ascending(pairs) == ascending


LINES = st.lists(st.sampled_from(["a", "b", "", "  c", "-d", "\u2028", "e\r", *map(str, range(12))]), max_size=40)
UNENDED = "(not ended)\n"
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


def applied(old: str, diff: str) -> str:
    """The text that a diff makes of the old one, of which it must know every line that it tells."""
    lines, result, at = re.findall(".*\n|.+$", old), list[str](), 0
    body = diff.partition("\n+++ ")[2].partition("\n")[2]
    for line in re.findall(".*\n", body.replace("\n\\ No newline at end of file\n", UNENDED)):
        if hunk := HUNK.fullmatch(line):
            start = int(hunk[1]) - (hunk[2] != "0")
            result += lines[at:start]
            at = start
            continue
        text = line[1:].replace(UNENDED, "")
        if line[0] in " -":
            assert lines[at] == text
            at += 1
        result += [text] if line[0] in " +" else []
    return "".join([*result, *lines[at:]])


@pytest.mark.parametrize("short", [0, 2000])
@given(LINES, LINES, st.sampled_from(["", "\n"]), st.sampled_from(["", "\n"]))
def test_a_diff_makes_the_new_text(short: int, old: list[str], new: list[str], old_end: str, new_end: str) -> None:
    before, after = "\n".join(old) + old_end, "\n".join(new) + new_end
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(textdiff, "_SHORT", short)
        diff = unified(before, after)
    assert applied(before, diff) == after
    assert (diff == "") == (before == after)


@given(LINES, LINES, st.integers(0, 5))
def test_a_diff_that_has_compared_enough_makes_it_too(old: list[str], new: list[str], most: int) -> None:
    before, after = "\n".join(old), "\n".join(new)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(textdiff, "LINE_COMPARISONS", most)
        diff = unified(before, after)
    assert applied(before, diff) == after


@thorough
def test_lines_are_compared_so_many_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these lines that are the same takes another search through all that are left."""
    before, after = ("".join(f"{i % 60}\n{sign}{i}\n" for i in range(3000)) for sign in "-+")
    searches = []
    search = SequenceMatcher.find_longest_match
    monkeypatch.setattr(SequenceMatcher, "find_longest_match", lambda *args: searches.append(args) or search(*args))
    diff = unified(before, after)
    assert applied(before, diff) == after
    assert 10 < len(searches) < 500  # 3,000 without the bound


def machine(number: int, cores: int = 2) -> list[str]:
    return ["- kind: VirtualMachine", f"  name: vm-{number}", "  cpu:", f"    cores: {cores}", "  devices: {}"]


def fleet(changed: set[int], number: int = 1000) -> Iterator[str]:
    for index in range(number):
        yield from machine(index, 4 if index in changed else 2)


def test_what_is_the_same_in_long_texts_is_not_told():
    before, after = ("\n".join(fleet(changed)) for changed in (set[int](), {0, 500, 999}))
    diff = unified(before, after, "a", "b", context=1)
    changes = "   cpu:\n-    cores: 2\n+    cores: 4\n   devices: {}\n"
    hunks = [f"@@ -{line},3 +{line},3 @@\n{changes}" for line in (3, 2503, 4998)]
    assert diff == "".join(["--- a\n+++ b\n", *hunks, "\\ No newline at end of file\n"])


def test_a_machine_that_moves_goes_and_comes():
    others = list(fleet(set()))
    before, after = [*others, *machine(-1)], [*machine(-1), *others]
    diff = unified("\n".join(before) + "\n", "\n".join(after) + "\n")
    changed_lines = [line for line in diff.splitlines()[2:] if line[0] in "+-"]
    assert sorted(changed_lines) == sorted(sign + line for sign in "+-" for line in machine(-1))


def test_git_applies_it(tmp_path: Path):
    before, after = "\n".join(fleet({1, 3}, 600)), "\n".join(fleet({2, 599}, 601)) + "\n"
    (tmp_path / "fleet.yaml").write_text(before)
    diff = unified(before, after, "a/fleet.yaml", "b/fleet.yaml")
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff.encode(), check=True)
    assert (tmp_path / "fleet.yaml").read_text() == after
