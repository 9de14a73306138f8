"""Families of operating systems, found by titles, and the letters of an icon for any name."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = re.compile(r"[\s._-]+")
#: Words of a title that say which of a family it is.
_VARIANTS: Final = frozenset({"dpdk", "desktop", "efi", "guest", "realtime", "transitional", "virtio", "xp", "vista"})
_MAKERS: Final = frozenset({"microsoft"})


def family_of(title: str) -> tuple[str, str]:
    """Return the family of an operating system by its title, and what the title says beside it.

    `Red Hat Enterprise Linux 9 Desktop (amd64)` is of `Red Hat Enterprise Linux`, and `9 Desktop`.
    """
    words = title.split() if " " in title else _WORDS.split(title)
    name: list[str] = []
    for word in words:
        if name and (word.lower() in _VARIANTS or not word.isalpha()):
            break
        name.append(word)
    rest = " ".join(words[len(name) :])
    version = re.sub(r"\s*\((?:amd64|arm64|s390x)\)$", "", f" {rest}").strip()
    version = re.sub(r"^\((.*)\)$|\s*\bGuest$", r"\1", version)
    return " ".join(name), version


def monogram(name: str) -> str:
    """Return two letters for a name: the first of two words, or of the only one."""
    words = [word for word in _WORDS.split(name) if word.lower() not in _MAKERS and word[:1].isalnum()]
    if len(words) > 1:
        return (words[0][0] + words[1][0]).upper()
    return "".join(words)[:2].capitalize() or "?"
