"""Small pictures of operating systems, drawn for this site."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

_PATHS: Final = {
    "linux": "M12 3c-2.500 0-3.500 2-3.500 4.500S6 12 6 16s2.500 5 6 5 6-1 6-5-2.500-6-2.500-8.500S14.500 3 12 3z"
    "M10.500 8v.5M13.500 8v.5M10.500 11h3",
    "windows": "M4 6l7-1v6H4zM13 4.700L20 4v7h-7zM4 13h7v6l-7-1zM13 13h7v7l-7-.700z",
}
_OTHER: Final = "M4 5h16v11H4zM9 20h6M12 16v4"


def icon(system: str) -> Markup:
    """Return the picture of an operating system, or of a screen; readers pass over it."""
    path = _PATHS.get(system, _OTHER)
    return Markup('<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"></path></svg>').format(path)
