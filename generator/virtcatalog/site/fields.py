"""Every field that the specs of a catalog set, with its values and the objects that have them; and what is searched."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from virtcatalog.catalog.model import Catalog
from virtcatalog.site.facts import FOLDERS, PreferenceRow, TypeRow, page_of
from virtcatalog.site.templating import as_data
from virtcatalog.site.vmtemplates import Offer


class Field(NamedTuple):
    """A field of types or preferences (the folder of their pages), and its objects' names by value."""

    path: str
    folder: str
    values: dict[str, list[str]]

    @property
    def anchor(self) -> str:
        """Its name in a URL's fragment."""
        return f"{self.folder}-{self.path}"


def fields(catalog: Catalog) -> list[Field]:
    """Return the fields of types, then those of preferences, by name; items of a list are one field."""
    rows = []
    for section, folder in FOLDERS.items():
        by_path: dict[str, dict[str, list[str]]] = {}
        for entry in getattr(catalog, section):
            for path, value in flat("", entry.spec, numbered=False) if entry.spec else ():
                names = by_path.setdefault(path, {}).setdefault(value, [])
                if entry.name not in names[-1:]:
                    names.append(entry.name)
        rows += [Field(path, folder, values) for path, values in sorted(by_path.items())]
    return rows


def flat(path: str, value: Any, *, numbered: bool = True) -> Iterator[tuple[str, str]]:
    """Yield the fields of a spec with their values as text; items of lists are `numbered`, or stand together."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from flat(f"{path}.{key}" if path else key, inner, numbered=numbered)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from flat(f"{path}[{number if numbered else ''}]", item, numbered=numbered)
    else:
        yield path, value if isinstance(value, str) else json.dumps(value)


def search_script(
    types: Iterable[TypeRow], preferences: Iterable[PreferenceRow], offers: Iterable[Offer], all_fields: Iterable[Field]
) -> str:
    """Return the script with what the head's search finds: `[kind, name, title, page, further words]` each."""
    entries: list[tuple[str, ...]] = [
        (
            "instance type",
            row.name,
            row.title or row.size,
            page_of("instancetypes", row.name),
            " ".join((row.size, *row.features)),
        )
        for row in types
    ]
    entries += [
        ("preference", row.name, row.title, page_of("preferences", row.name), " ".join((row.system, row.architecture)))
        for row in preferences
    ]
    entries += [("template", offer.name, offer.title, offer.page, offer.workload) for offer in offers]
    entries += [
        (f"field of {field.folder}", field.path, ", ".join(list(field.values)[:3]), f"fields.html#{field.anchor}")
        for field in all_fields
    ]
    return f'"use strict";\nsite.index({as_data(entries)});\n'
