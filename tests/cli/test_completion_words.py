"""Which words of a line bash's completion is asked for, and which one the cursor is in."""

from __future__ import annotations

import pytest

from virtcatalog.cli import main
from virtcatalog.cli.complete import Bash


@pytest.mark.parametrize(
    ("line", "words", "incomplete"),
    [
        ("virtcatalog", [], ""),
        ("virtcatalog ", [], ""),
        ("virtcatalog exp", [], "exp"),
        ("virtcatalog expand ", ["expand"], ""),
        ("virtcatalog expand\t", ["expand"], ""),
        ("virtcatalog expand -f a", ["expand", "-f"], "a"),
        ("virtcatalog expand -f 'a b", ["expand", "-f"], "a b"),
        ("virtcatalog expand -f 'a b' ", ["expand", "-f", "a b"], ""),
    ],
)
def test_the_words_of_a_line(line: str, words: list[str], incomplete: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_LINE", line)
    completion = Bash(main, {}, "virtcatalog", "_VIRTCATALOG_COMPLETE")
    assert completion.get_completion_args() == (words, incomplete)
