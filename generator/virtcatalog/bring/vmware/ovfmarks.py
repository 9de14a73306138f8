"""What the texts and attributes of an OVF descriptor say, noted while it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from virtcatalog.bring.imports import Verdict
from virtcatalog.bring.vmware.machine import Attribute
from virtcatalog.bring.vmware.settings import Subject
from virtcatalog.manifests.xml import XMLElement


def attribute(element: XMLElement | None, name: str) -> str:
    """Return an attribute by its name, in whatever namespace it is; "" where there is none, or no element."""
    if element is None:
        return ""
    return next((value for key, value in element.attributes.items() if key.rpartition("}")[2] == name), "")


def first(element: XMLElement | None, *path: str) -> XMLElement | None:
    """Return the first element at a path of names, in whatever namespace; None where there is none, or no `element`."""
    for name in path:
        element = next((child for child in element or () if child.name == name), None)
    return element


def text(element: XMLElement | None, *path: str) -> str:
    """Return the text of the first element at a path of names, "" where there is none."""
    element = first(element, *path)
    return element.text if element is not None else ""


class Marks:
    """What the texts and attributes of elements say, and of which disk or network card."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._marks: dict[tuple[XMLElement, str], tuple[Subject, int]] = {}
        self._wholes: dict[XMLElement, Subject] = {}
        self._touched: set[XMLElement] = set()

    def text(self, element: XMLElement | None, subject: Subject, index: int = 0) -> None:
        """Note what an element's text says, if there is the element."""
        self.attribute(element, "", subject, index)

    def attribute(self, element: XMLElement | None, name: str, subject: Subject, index: int = 0) -> None:
        """Note what an attribute says, if there is the element."""
        if element is not None:
            self._marks[element, name] = subject, index
            self._touched.add(element)

    def all(self, element: XMLElement, subject: Subject) -> None:
        """Note that an element says something with all that it has and holds."""
        self._wholes |= dict.fromkeys(element.walk(), subject)

    def has(self, element: XMLElement) -> bool:
        """Whether something of an element says anything."""
        return element in self._touched

    def of(self, top: XMLElement, otherwise: Callable[[XMLElement, str], Verdict]) -> Iterator[Attribute]:
        """Yield the texts and attributes of an element and of all in it; `otherwise` says of the rest what it is."""
        for element in top.walk():
            names = [(key, key.rpartition("}")[2]) for key in element.attributes]
            for key, name in ([("", "")] if element.text else []) + names:
                subject, index = self._marks.get((element, name)) or (self._wholes.get(element), 0)
                yield Attribute(
                    path=f"{element.path}/@{name}" if name else element.path,
                    value=element.attributes[key] if key else element.text,
                    subject=subject if subject is not None else otherwise(element, name),
                    number=index,
                    file=self._file,
                    line=element.line,
                    column=element.column,
                )
