"""The README's pictures show what the program gives now; `make pictures` makes them again."""

from __future__ import annotations

import hashlib

import pytest
from pictures import FOLDER, comment, digest, signed, stored, types


@pytest.mark.parametrize("name", ["review", "site"])
def test_a_picture_was_made_from_the_text_beside_it(name: str) -> None:
    picture = (FOLDER / f"{name}.png").read_bytes()
    assert digest(picture) == hashlib.sha256(stored(name).encode()).hexdigest(), "make pictures"
    assert len(picture) < 200_000


def test_the_comment_is_what_diff_says() -> None:
    assert comment() == stored("review"), "make pictures"


def test_the_site_is_what_site_shows(browser) -> None:
    with types(browser) as text:
        assert text == stored("site"), "make pictures"


def test_another_text_is_another_digest() -> None:
    picture = (FOLDER / "site.png").read_bytes()
    assert digest(signed(picture[:8] + picture[-12:], "a")) == hashlib.sha256(b"a").hexdigest()
    assert digest(picture[:8]) == ""
