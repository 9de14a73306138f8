"""The text of a page, as its reader has it."""

import re


def words(page: str) -> str:
    """A page without its tags, its words a blank apart."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())
