"""What is said of a preview, KubeVirt as a branch has it ahead of a release: on stderr, and in what is printed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.cli.console import data, echo, note
from virtcatalog.escaping import as_json

if TYPE_CHECKING:
    from virtcatalog.releases import Release

_PREVIEWS = "virtcatalog.previews"
_FORM = "virtcatalog.previews.form"
_COMMENTED = ("yaml", "diff", "vm", "vmi", "pod")
_ELSEWHERE = ("json", "sarif", "github", "junit", "html", "xml", "converted", "csv", "name")
"""Forms that say it where they have room for it, not in front."""


def set_form(form: str | None) -> None:
    """Note the form in which the command prints; None for one that says of previews by itself."""
    click.get_current_context().meta[_FORM] = form


def note_previews(releases: Iterable[Release | None]) -> None:
    """Say which of the releases are previews, each once: on stderr, and in front of what the command prints."""
    meta = click.get_current_context().meta
    previews, form = meta.setdefault(_PREVIEWS, []), meta.get(_FORM)
    for text in dict.fromkeys(release.preview for release in releases if release is not None and release.preview):
        if text in previews:
            continue
        previews.append(text)
        note(text)
        if form in _COMMENTED:
            data(f"# {text}\n")
        elif form == "markdown":
            data(f"> {text}\n\n")
        elif form is not None and form not in _ELSEWHERE:
            echo(text)


def with_previews(value: Any) -> Any:
    """Plain data, a map or a list of maps, with what is said of previews as `preview`; as it is where there is none."""
    context = click.get_current_context(silent=True)
    previews = context.meta.get(_PREVIEWS) if context is not None else None
    if not previews:
        return value
    if isinstance(value, list):
        return [{**item, "preview": "; ".join(previews)} for item in value]
    return {**value, "preview": "; ".join(previews)}


def print_json(value: Any) -> None:
    """Print plain data as JSON, with what is said of previews."""
    data(as_json(with_previews(value)))
