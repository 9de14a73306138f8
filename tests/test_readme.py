"""The README is one screen, and what it refers to is there. tests/docs/test_pages.py runs its commands."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def test_it_is_one_screen() -> None:
    assert len(README.splitlines()) < 70


def test_the_two_commands_are_there() -> None:
    targets = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert re.findall(r"^\$ make (\w+)", README, re.MULTILINE) == ["build", "test"]
    assert {"build", "test", "docs"} <= set(targets)


def test_every_link_and_picture_leads_somewhere() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert sum(link.endswith(".png") for link in links) == 2
    assert [link for link in links if not (ROOT / link).exists()] == []
