"""How the site's templates show what a catalog says: escaped, with icons, and as data that is no script."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

import jinja2
from markupsafe import Markup

from virtcatalog import units
from virtcatalog.escaping import single_line, terminal

#: `file:` lets the site work from a folder; no page loads anything from elsewhere.
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' file:",
        "style-src 'self' file:",
        "img-src 'self' file: data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
COLOURS: Final = 8
"""How many families look different before colours come again."""


class Lines(str):
    """A text of several lines."""

    __slots__ = ()


class Links:
    """Links to the pages of objects, each list of names written once: those that fit are the same for many."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._written: dict[tuple[str, ...], Markup] = {}

    def __call__(self, objects: Iterable[Any]) -> Markup:
        """Return links to objects, in a row."""
        names = tuple(row.name for row in objects)
        if names not in self._written:
            links = (
                Markup('<a href="../{}/{}.html">{}</a>').format(self._folder, name, single_line(name)) for name in names
            )
            self._written[names] = Markup(", ").join(links)
        return self._written[names]


class Icons:
    """The icons of families, such as classes of types: two letters, and a colour by their place among them."""

    def __init__(self, names: Iterable[str]) -> None:
        self.colours = {name: place % COLOURS for place, name in enumerate(dict.fromkeys(names))}

    def __call__(self, name: str) -> Markup:
        """Return a picture, which screen readers pass over."""
        return Markup(
            '<svg class="icon c{}" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6"></rect>'
            '<text x="12" y="16">{}</text></svg>'
        ).format(self.colours.get(name, 0), single_line(_monogram(name)))


def environment(**values: Any) -> jinja2.Environment:
    """Return the templates; `values` are there in all of them."""
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("virtcatalog.site"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_cell_text,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters |= {"data": as_data, "count": units.count}
    templates.tests["has"] = lambda names, name: name in names
    templates.globals |= {"policy": POLICY, "lines": Lines, **values}
    return templates


def as_data(value: Any) -> Markup:
    """Return data as the content of a script element that is no script: nothing in it ends the element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704


def _cell_text(value: Any) -> Any:
    """Show every control character that a text from the catalog may hold."""
    if isinstance(value, Lines):
        return terminal(value)
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return single_line(value)
    return value


def _monogram(name: str) -> str:
    """Two letters for a name: the first of two words, or of the only one."""
    words = [word for word in re.split(r"[\s._-]+", name) if word.lower() != "microsoft" and word[:1].isalnum()]
    if len(words) > 1:
        return (words[0][0] + words[1][0]).upper()
    return "".join(words)[:2].capitalize() or "?"
